// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! Full stations: the eight latest events of a coroutine in a region without lanes, as in version 1. Times are
//! CLOCK_MONOTONIC, read from the system.

use std::sync::atomic::Ordering::*;

use crate::on::lane::publish_fenced;
use crate::on::layout::*;
use crate::on::state::{header, Session};
use crate::on::sys::{back_with_memory, monotonic_ns, KeepErrno};

/// Births beyond it are not counted, because the count must not wrap around to stations in use.
const MOST_ALLOCATED: u32 = 0xC000_0000;

/// The slot of event n: n % 8.
pub fn slot(station: &StationData, number: u64) -> &Epoch {
    &station.slots[number as usize % SLOTS_PER_STATION]
}

/// Writes an event (seqlock dialect). The payload: release each; partner: the engine's acquire loads, after which it
/// reloads seq.
pub fn write(station: &StationData, number: u64, tid: u64, addr: u64, what: u64) {
    let epoch = slot(station, number);
    let odd = number / SLOTS_PER_STATION as u64 * 2 + 1;
    // Relaxed: a reader that acquires one of the payload stores also sees the odd value.
    epoch.seq.store(odd, Relaxed);
    epoch.timestamp.store(monotonic_ns(), Release);
    epoch.tid.store(tid, Release);
    epoch.addr.store(addr, Release);
    epoch.site.store(what as u32, Release);
    epoch.kind.store((what >> 32) as u8 & 0xF, Release);
    epoch.is_active.store((what >> 32 & u64::from(RECORD_RESUME) != 0).into(), Release);
    publish_fenced(&epoch.seq, odd + 1);
}

/// The full station `index`. It is below the limit of the session.
fn station(session: &Session, index: u32) -> &'static StationData {
    // SAFETY: mapped for the life of the process, and consists of atomics.
    unsafe { &*session.map.stations.add(index as usize) }
}

/// Pops a full station that the engine drained and pushed.
fn pop_free(session: &Session) -> Option<&'static StationData> {
    session.sites()?;
    let top = &session.extension().free_stations;
    let mut head = top.load(Acquire); // here and on failure; partner: the engine's release
    loop {
        let untrusted_index = (head as u32).wrapping_sub(1);
        if head as u32 == 0 || untrusted_index >= session.map.station_limit.min(header().allocated_count.load(Relaxed))
        {
            return None;
        }
        let popped = station(session, untrusted_index);
        let next = popped.extension.next_free.load(Relaxed);
        // Each push and pop raises the tag, so a stale `next` makes the exchange fail.
        let after = (head >> 32).wrapping_add(1) << 32 | u64::from(next);
        match top.compare_exchange_weak(head, after, AcqRel, Acquire) {
            Ok(_) => return Some(popped),
            Err(seen) => head = seen,
        }
    }
}

/// Allocates a full station that was never used. None when there is none, or no memory. The engine offers stations
/// (max_stations); this probe offers none itself.
fn allocate(session: &Session) -> Option<&'static StationData> {
    let max = header().max_stations.load(Acquire); // partner: the engine's release
    let allocated = &header().allocated_count;
    if allocated.load(Relaxed) >= MOST_ALLOCATED {
        return None;
    }
    let index = allocated.fetch_add(1, Relaxed);
    if index >= max.min(session.map.station_limit) {
        return None;
    }
    let station = station(session, index);
    // The file is sparse: on a full file system, the first store would raise SIGBUS.
    let _errno = KeepErrno::new();
    back_with_memory((station as *const StationData).cast(), STATION_SIZE).then_some(station)
}

/// Gives a coroutine a station. Returns it with the number of its first event. Stores birth_ts last, which publishes the
/// other fields.
#[cold]
pub fn be_born(probe_id: u64) -> Option<(&'static StationData, u64)> {
    let session = Session::get();
    let reused = pop_free(session);
    let station = reused.or_else(|| allocate(session))?;
    let extension = &station.extension;
    let (mut generation, mut begin) = (0, 0);
    if reused.is_some() {
        station.header.birth_ts.store(0, Release); // to observers, the station is not born yet
        generation = extension.generation.load(Relaxed).wrapping_add(1);
        // Event numbers continue: the next number is the number of all earlier events.
        begin = station.slots.iter().map(|epoch| epoch.seq.load(Relaxed) / 2).fold(0, u64::wrapping_add);
    }
    station.header.probe_id.store(probe_id, Release);
    if session.sites().is_some() {
        extension.dialect.store(DIALECT_SEQLOCK, Release);
        extension.pid.store(session.pid, Release);
        extension.gen_start.store(begin, Release);
        extension.death_ts.store(0, Release);
        extension.generation.store(generation, Release);
        extension.mark.store(STATION_MARK, Release);
    }
    station.header.is_dead.store(0, Release);
    station.header.birth_ts.store(monotonic_ns(), Release); // partner: the engine's acquire load
    Some((station, begin))
}

pub fn die(station: &StationData) {
    if Session::get().sites().is_some() {
        station.extension.death_ts.store(monotonic_ns(), Relaxed);
    }
    station.header.is_dead.store(1, Release); // partner: the engine's acquire load
}
