// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! Checks and maps the region file. The file is untrusted: its start is read and checked before anything is mapped, and
//! the areas of the extension are copied from the header once.

use std::fs::File;
use std::mem::size_of;
use std::os::unix::fs::FileExt;
use std::os::unix::io::AsRawFd;
use std::ptr::null;
use std::sync::atomic::Ordering::Relaxed;

use crate::on::layout::*;
use crate::on::sys;

const PAGE: u64 = 4096; // alignment of the areas of lanes

/// The region's areas for sites and strings, checked.
#[derive(Clone, Copy)]
pub struct SiteArea {
    pub records: *const SiteRecord,
    pub strings: *mut u8,
    pub strings_capacity: u64, // bytes
    pub capacity: u32,         // records
    records_offset: u64,
    strings_offset: u64,
}

/// Areas of a region with lanes, checked. Offsets and sizes are in bytes.
#[derive(Clone, Copy)]
pub struct LaneAreas {
    pub pool: *mut u8, // the mapped part of the pool
    pub processes: *const ProcessEntry,
    pub directory: *const LaneHeader,
    pub states: *const CompactState,
    pub births: *const CompactBirth,
    pub pool_offset: u64,  // of the mapped part, in the file
    pub pool_size: u64,    // of the mapped part
    pub pool_skipped: u64, // of the region's pool, in front of the mapped part
    pub process_capacity: u32,
    pub lane_capacity: u32,
    pub compact_stations_reserved: u32,
    pub lane_records: u32, // of a new lane; fewer where room is short
    pub may_shrink: bool,  // readers notice when a lane gets shorter
    processes_offset: u64,
    directory_offset: u64,
    states_offset: u64,
    births_offset: u64,
}

/// A mapped region.
#[derive(Clone, Copy)]
pub struct Mapping {
    pub header: *const GlobalHeader,
    pub stations: *const StationData,
    pub station_limit: u32, // full stations that are mapped
    pub engine_fences: bool,
    pub sites: Option<SiteArea>,  // None: no valid extension
    pub lanes: Option<LaneAreas>, // None: no lanes, or overwrite mode, which only flight recorders use
}

/// The mappings while a region is opened. Dropping it removes them.
struct Parts<'a> {
    file: &'a File,
    whole: *mut u8, // null unless one mapping covers the file
    parts: Vec<(*mut u8, usize)>,
}

impl Parts<'_> {
    /// Returns a range of the file in memory, and maps it if the file is not mapped as a whole. None on failure.
    fn map<T>(&mut self, offset: u64, count: u64, size: usize) -> Option<*mut T> {
        if !self.whole.is_null() {
            // SAFETY: the caller has checked that the range lies within the file.
            return Some(unsafe { self.whole.add(offset as usize) }.cast());
        }
        let begin = offset & !(sys::page_size() as u64 - 1);
        let bytes = (offset - begin + (count * size as u64).max(1)) as usize;
        let mapped = sys::map_shared(self.file.as_raw_fd(), begin, bytes);
        if mapped.is_null() {
            return None;
        }
        self.parts.push((mapped, bytes));
        // SAFETY: the offset lies within the mapping.
        Some(unsafe { mapped.add((offset - begin) as usize) }.cast())
    }
}

impl Drop for Parts<'_> {
    fn drop(&mut self) {
        for &(at, size) in &self.parts {
            // SAFETY: mapped by `map`; the caller discards its pointers with this object.
            unsafe { sys::unmap(at, size) };
        }
    }
}

/// True if `count` objects of `size` bytes from `offset` lie at or behind `after`, within the file, aligned to 64.
fn fits(offset: u64, count: u64, size: usize, after: u64, file_size: u64) -> bool {
    offset % 64 == 0 && offset >= after && offset <= file_size && count <= (file_size - offset) / size as u64
}

/// Copies and checks the areas of lanes. `behind`: end of the full stations.
fn check_lanes(untrusted: &ExtensionHeader, behind: u64, file_size: u64) -> Option<LaneAreas> {
    let areas = LaneAreas {
        pool: std::ptr::null_mut(),
        processes: null(),
        directory: null(),
        states: null(),
        births: null(),
        pool_offset: untrusted.lane_pool_offset.load(Relaxed),
        pool_size: untrusted.lane_pool_size.load(Relaxed),
        pool_skipped: 0,
        process_capacity: untrusted.process_capacity.load(Relaxed),
        lane_capacity: untrusted.lane_capacity.load(Relaxed),
        compact_stations_reserved: untrusted.compact_stations_reserved.load(Relaxed),
        lane_records: untrusted.lane_records.load(Relaxed),
        may_shrink: untrusted.lanes_shrink.load(Relaxed) == 1,
        processes_offset: untrusted.process_table_offset.load(Relaxed),
        directory_offset: untrusted.lane_directory_offset.load(Relaxed),
        states_offset: untrusted.states_offset.load(Relaxed),
        births_offset: untrusted.births_offset.load(Relaxed),
    };
    let ranges = [
        (areas.processes_offset, u64::from(areas.process_capacity), size_of::<ProcessEntry>()),
        (areas.directory_offset, u64::from(areas.lane_capacity), size_of::<LaneHeader>()),
        (areas.states_offset, u64::from(areas.compact_stations_reserved), size_of::<CompactState>()),
        (areas.births_offset, u64::from(areas.compact_stations_reserved), size_of::<CompactBirth>()),
        (areas.pool_offset, areas.pool_size, 1),
    ];
    let valid = untrusted.lane_mode.load(Relaxed) == LANES_DISCARD
        && ranges
            .iter()
            .all(|&(offset, count, size)| offset % PAGE == 0 && fits(offset, count, size, behind, file_size))
        && areas.lane_records.is_power_of_two()
        && (LANE_RECORDS_MIN..=LANE_RECORDS_MAX).contains(&areas.lane_records)
        && areas.compact_stations_reserved <= MAX_STATIONS
        && areas.process_capacity <= MAX_PROCESSES
        && areas.lane_capacity <= MAX_LANES;
    valid.then_some(areas)
}

/// True if the header announces an extension of a version that this probe knows.
fn is_extended(untrusted: &ExtensionHeader) -> bool {
    untrusted.magic.load(Relaxed) == EXTENSION_MAGIC
        && untrusted.version.load(Relaxed) == EXTENSION_VERSION
        && untrusted.size.load(Relaxed) as usize >= size_of::<ExtensionHeader>()
        && untrusted.site_record_size.load(Relaxed) as usize == size_of::<SiteRecord>()
}

/// Copies and checks the areas of the extension into `map`. Leaves it as a version-1 region if one is not valid.
fn check_extension(map: &mut Mapping, untrusted: &ExtensionHeader, file_size: u64) {
    let reserved = untrusted.stations_reserved.load(Relaxed);
    let sites = SiteArea {
        records: null(),
        strings: std::ptr::null_mut(),
        strings_capacity: untrusted.strings_capacity.load(Relaxed),
        capacity: untrusted.site_capacity.load(Relaxed),
        records_offset: untrusted.site_table_offset.load(Relaxed),
        strings_offset: untrusted.strings_offset.load(Relaxed),
    };
    let header = HEADER_SIZE as u64;
    if !is_extended(untrusted)
        || reserved > u64::from(MAX_STATIONS)
        || sites.capacity > MAX_SITES
        || !fits(header, reserved, STATION_SIZE, header, file_size)
    {
        return;
    }
    let behind = header + reserved * STATION_SIZE as u64;
    if !fits(sites.records_offset, u64::from(sites.capacity), size_of::<SiteRecord>(), behind, file_size)
        || !fits(sites.strings_offset, sites.strings_capacity, 1, behind, file_size)
    {
        return;
    }
    map.station_limit = reserved as u32;
    map.engine_fences = untrusted.engine_fences.load(Relaxed) == 1;
    map.sites = Some(sites);
    map.lanes = check_lanes(untrusted, behind, file_size);
}

/// Limits the areas to `budget` bytes together. Areas that are cut off count as used up. False when the budget is too
/// small for a session.
fn cut_areas(map: &mut Mapping, untrusted: &ExtensionHeader, budget: u64) -> bool {
    const LEAST: u64 = 1 << 20;
    let tables = map.lanes.map_or(0, |lanes| {
        u64::from(lanes.process_capacity) * size_of::<ProcessEntry>() as u64
            + u64::from(lanes.lane_capacity) * size_of::<LaneHeader>() as u64
    });
    if budget < tables + LEAST {
        return false;
    }
    let rest = budget - tables;
    let cut = |count: &mut u32, most: u64| *count = u64::from(*count).min(most) as u32;
    let full_stations = if map.lanes.is_some() { 0 } else { rest / 2 / STATION_SIZE as u64 };
    cut(&mut map.station_limit, full_stations);
    if let Some(sites) = &mut map.sites {
        cut(&mut sites.capacity, rest / 16 / size_of::<SiteRecord>() as u64);
        sites.strings_capacity = sites.strings_capacity.min(rest / 8);
    }
    if let Some(lanes) = &mut map.lanes {
        cut(&mut lanes.compact_stations_reserved, rest / 8 / size_of::<CompactState>() as u64);
        let most = rest / 2 / PAGE * PAGE;
        if lanes.pool_size > most {
            // The part of the pool that is allocated next, or the end of the pool.
            let untrusted_used = untrusted.lane_pool_used.load(Relaxed) / PAGE * PAGE;
            lanes.pool_skipped = untrusted_used.min((lanes.pool_size - most) / PAGE * PAGE);
            lanes.pool_offset += lanes.pool_skipped;
            lanes.pool_size = most;
        }
    }
    true
}

/// Finds all areas in memory. None when one cannot be mapped.
fn map_areas(map: &mut Mapping, parts: &mut Parts) -> Option<()> {
    map.stations = parts.map(HEADER_SIZE as u64, u64::from(map.station_limit), STATION_SIZE)?;
    if let Some(sites) = &mut map.sites {
        sites.records = parts.map(sites.records_offset, u64::from(sites.capacity), size_of::<SiteRecord>())?;
        sites.strings = parts.map(sites.strings_offset, sites.strings_capacity, 1)?;
    }
    if let Some(lanes) = &mut map.lanes {
        let stations = u64::from(lanes.compact_stations_reserved);
        let processes = u64::from(lanes.process_capacity);
        lanes.processes = parts.map(lanes.processes_offset, processes, size_of::<ProcessEntry>())?;
        lanes.directory = parts.map(lanes.directory_offset, u64::from(lanes.lane_capacity), size_of::<LaneHeader>())?;
        lanes.states = parts.map(lanes.states_offset, stations, size_of::<CompactState>())?;
        lanes.births = parts.map(lanes.births_offset, stations, size_of::<CompactBirth>())?;
        lanes.pool = parts.map(lanes.pool_offset, lanes.pool_size, 1)?;
    }
    Some(())
}

/// Counts this process as untraced because it cannot map the region. Maps only the header, for a moment.
fn count_unmapped(file: &File) {
    let page = sys::map_shared(file.as_raw_fd(), 0, HEADER_SIZE);
    if page.is_null() {
        return;
    }
    // SAFETY: the file has at least the size of the header, which consists of atomics.
    let extension = unsafe { &(*page.cast::<GlobalHeader>()).extension };
    if is_extended(extension) {
        extension.processes_unmapped.fetch_add(1, Relaxed); // relaxed: only a sum for display
    }
    // SAFETY: mapped above; the reference is not used any more.
    unsafe { sys::unmap(page, HEADER_SIZE) };
}

/// Maps a checked file, as much of it as the address space allows: at most a quarter of what is left (RLIMIT_AS).
fn map_file(file: &File, file_size: u64, stations: u32) -> Result<Mapping, &'static str> {
    const NO_SPACE: &str = "too little address space for the region (raise the limit on the address space, ulimit -v)";
    let budget = sys::address_space_left().map_or(u64::MAX, |left| left / 4);
    let is_whole = file_size <= budget;
    let mut parts = Parts { file, whole: std::ptr::null_mut(), parts: Vec::with_capacity(9) };
    let first: *mut u8 = parts
        .map(0, if is_whole { file_size } else { HEADER_SIZE as u64 }, 1)
        .ok_or(if budget == u64::MAX { "the region cannot be mapped" } else { NO_SPACE })?;
    if is_whole {
        parts.whole = first;
    }
    let mut map = Mapping {
        header: first.cast(),
        stations: null(),
        station_limit: stations,
        engine_fences: false,
        sites: None,
        lanes: None,
    };
    // SAFETY: the header is mapped, page-aligned, and consists of atomics.
    let extension = unsafe { &(*map.header).extension };
    check_extension(&mut map, extension, file_size);
    if !is_whole && !cut_areas(&mut map, extension, budget) {
        return Err(NO_SPACE);
    }
    map_areas(&mut map, &mut parts).ok_or(NO_SPACE)?;
    if !is_whole && map.sites.is_some() {
        extension.processes_partly_mapped.fetch_add(1, Relaxed); // relaxed: only a sum for display
    }
    parts.parts.clear(); // the mappings stay
    Ok(map)
}

/// Checks an open file, and maps it if it is a region; never beyond its end. `stations_announced`: the number of
/// stations by CTP_MAX_STATIONS. On an error nothing is mapped.
pub fn map_region(file: &File, stations_announced: u32) -> Result<Mapping, &'static str> {
    let status = file.metadata().ok().filter(std::fs::Metadata::is_file).ok_or("the region is not a regular file")?;
    let file_size = status.len();
    if file_size < HEADER_SIZE as u64 {
        return Err("the file is too short for a region");
    }
    let mut start = [0; 16];
    file.read_exact_at(&mut start, 0).map_err(|_| "the region cannot be read")?;
    let word = |at: usize| u32::from_le_bytes([start[at], start[at + 1], start[at + 2], start[at + 3]]);
    let magic = u64::from(word(4)) << 32 | u64::from(word(0));
    if magic != MAGIC {
        return Err("the file is no region (wrong magic number)");
    }
    if word(8) != VERSION {
        return Err("the region has an unknown cTP version (build the target with the current probe)");
    }
    let stations_in_file = (file_size - HEADER_SIZE as u64) / STATION_SIZE as u64;
    if u64::from(word(12)) > stations_in_file {
        return Err("the region is shorter than its header says");
    }
    let stations = u64::from(stations_announced).min(stations_in_file) as u32;
    map_file(file, file_size, stations).map_err(|wrong| {
        count_unmapped(file);
        wrong
    })
}
