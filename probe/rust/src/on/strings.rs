// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! Texts and sites in the region: names, files, functions, and the suspension points that refer to them. Each text is
//! written once, as long as the cache has it, and each site once. Events carry the site's id.

use std::panic::Location;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::*};

use crate::on::layout::*;
use crate::on::region::SiteArea;
use crate::on::state::{Published, Session, Thread};
use crate::on::sys::{self, monotonic_ns, KeepErrno};

const SITE_ENTRIES: usize = 8192; // a power of two
const KNOWN_ENTRIES: usize = 16384; // a power of two
const STRING_ENTRIES: usize = 4096; // a power of two
const PROBE_LIMIT: usize = 32; // entries that a search checks before it gives up
const STRING_LIMIT: usize = 4096; // most bytes of a text; the rest is cut
const CHUNK: u64 = 16384; // bytes of strings that a process allocates at once
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A location and the function around it, known by their addresses. Threads read entries without a lock. An entry is
/// written once, under the lock, and published by `state` (release; partner: the acquire in `matches`).
struct Entry {
    state: AtomicU32, // 0 = empty, else id + 1
    location: AtomicUsize,
    function: AtomicUsize,
}

const EMPTY: Entry = Entry { state: AtomicU32::new(0), location: AtomicUsize::new(0), function: AtomicUsize::new(0) };
static ENTRIES: [Entry; SITE_ENTRIES] = [EMPTY; SITE_ENTRIES];
static LOCK: AtomicU32 = AtomicU32::new(0);

/// Accessed only under LOCK.
struct Texts {
    sites: [(u64, u32); KNOWN_ENTRIES],    // hash of the content, id + 1; 0 = empty
    strings: [(u64, u64); STRING_ENTRIES], // hash, string as in CompactBirth::name; 0 = empty. A new text replaces an old one
    at: u64,                               // offset of this process's next text in the string bytes
    left: u64,                             // bytes from `at` that this process owns, with memory
}

static TEXTS: Published<Texts> =
    Published::new(Texts { sites: [(0, 0); KNOWN_ENTRIES], strings: [(0, 0); STRING_ENTRIES], at: 0, left: 0 });

fn hash_bytes(text: &[u8], seed: u64) -> u64 {
    let start = seed ^ (text.len() as u64).wrapping_mul(GOLDEN);
    let hash = text.iter().fold(start, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(GOLDEN).rotate_left(29));
    hash ^ hash >> 32
}

/// Locks the texts. Sleeps for 50 us after every 1,000 tries, because a preempted holder needs a core. None after
/// `patience` ns: the holder may be a stopped thread.
fn lock(patience: u64) -> Option<Locked> {
    let mut until = 0;
    loop {
        for _ in 0..1000 {
            if LOCK.swap(1, Acquire) == 0 {
                return Some(Locked); // partner: the release in drop
            }
        }
        let now = monotonic_ns();
        until = if until == 0 { now + patience } else { until };
        if now >= until {
            return None;
        }
        sys::sleep_ns(50_000);
    }
}

struct Locked;

impl Locked {
    fn texts(&mut self) -> &mut Texts {
        // SAFETY: this object is the lock.
        unsafe { &mut *TEXTS.get() }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        LOCK.store(0, Release);
    }
}

/// Forgets the parent's texts, in a forked child. Only while no thread traces.
pub fn clear() {
    for entry in &ENTRIES {
        entry.state.store(0, Relaxed);
    }
    LOCK.store(0, Relaxed);
    let mut locked = Locked;
    let texts = locked.texts();
    texts.sites.fill((0, 0));
    texts.strings.fill((0, 0));
    texts.left = 0;
}

/// Cuts a text, without a part of a UTF-8 character at its end.
fn cut(text: &str) -> &[u8] {
    let mut end = text.len().min(STRING_LIMIT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text.as_bytes()[..end]
}

impl Texts {
    /// Allocates string bytes, with memory.
    fn room(&mut self, session: &Session, area: &SiteArea, length: u64) -> Option<u64> {
        if self.left < length {
            let used = &session.extension().strings_used;
            let untrusted = used.load(Relaxed);
            let plenty = area.strings_capacity.saturating_sub(untrusted) >= 8 * CHUNK;
            let wanted = if plenty { CHUNK } else { length };
            let offset = used.fetch_add(wanted, Relaxed);
            let fits = offset <= area.strings_capacity && wanted <= area.strings_capacity - offset;
            // SAFETY: within the strings, as checked.
            if !fits || !sys::back_with_memory(unsafe { area.strings.add(offset as usize) }, wanted as usize) {
                return None;
            }
            self.at = offset;
            self.left = wanted;
        }
        let offset = self.at;
        self.at += length;
        self.left -= length;
        Some(offset)
    }

    /// The reference of a text: offset << 16 | length. Writes a new text into the region. None when there is no room.
    fn intern(&mut self, session: &Session, area: &SiteArea, text: &[u8]) -> Option<u64> {
        if text.is_empty() {
            return Some(0);
        }
        let hash = hash_bytes(text, 1);
        let length = text.len();
        let entry = hash as usize % STRING_ENTRIES;
        let (known_hash, known) = self.strings[entry];
        // SAFETY (both): the offset was checked when it was allocated, and the bytes belong to this process.
        if known_hash == hash && known as usize & 0xFFFF == length {
            let bytes = unsafe { std::slice::from_raw_parts(area.strings.add((known >> 16) as usize), length) };
            if bytes == text {
                return Some(known);
            }
        }
        let offset = self.room(session, area, length as u64)?;
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), area.strings.add(offset as usize), length) };
        self.strings[entry] = (hash, offset << 16 | length as u64);
        Some(self.strings[entry].1)
    }

    /// Writes a SiteRecord. Returns its id; None when the region has no room.
    fn write_site(&mut self, session: &Session, area: &SiteArea, location: &Location, function: &str) -> Option<u32> {
        let file = self.intern(session, area, cut(location.file()))?;
        let function = self.intern(session, area, cut(function))?;
        let index = session.extension().site_count.fetch_add(1, Relaxed);
        if index >= area.capacity {
            return None;
        }
        // SAFETY: below the capacity.
        let record = unsafe { &*area.records.add(index as usize) };
        if !sys::back_with_memory((record as *const SiteRecord).cast(), std::mem::size_of::<SiteRecord>()) {
            return None;
        }
        record.line.store(location.line(), Relaxed);
        record.column.store(location.column(), Relaxed);
        record.file_length.store(file as u32 & 0xFFFF, Relaxed);
        record.file_offset.store(file >> 16, Relaxed);
        record.function_length.store(function as u32 & 0xFFFF, Relaxed);
        record.function_offset.store(function >> 16, Relaxed);
        record.ready.store(1, Release); // partner: the engine's acquire load
        Some(index + 1)
    }

    /// The id of a site, found by its content; registers a new one. 0 when there is no room; that is counted once.
    fn site_by_content(&mut self, session: &Session, area: &SiteArea, location: &Location, function: &str) -> u32 {
        let position = u64::from(location.line()) << 32 | u64::from(location.column());
        let hash = hash_bytes(function.as_bytes(), hash_bytes(location.file().as_bytes(), position));
        let slots = (0..PROBE_LIMIT).map(|i| (hash as usize).wrapping_add(i) % KNOWN_ENTRIES);
        let slot = slots.into_iter().find(|&at| self.sites[at].1 == 0 || self.sites[at].0 == hash);
        if let Some(known) = slot.map(|at| self.sites[at].1).filter(|&known| known != 0) {
            return known - 1;
        }
        // A site that the table has no room for is not written. Otherwise each event would write it again.
        let id = slot.and_then(|_| self.write_site(session, area, location, function)).unwrap_or(0);
        if id == 0 {
            session.extension().sites_dropped.fetch_add(1, Relaxed);
        }
        if let Some(at) = slot {
            self.sites[at] = (hash, id + 1);
        }
        id
    }
}

/// The reference of a name, for records and headers. 0 for an empty name, and when there is no room or the lock is busy
/// for too long; the last two are counted. Preserves errno.
#[cold]
pub fn intern_name(session: &Session, name: &str) -> u64 {
    let area = match session.sites() {
        Some(area) if !name.is_empty() => area,
        _ => return 0,
    };
    let _errno = KeepErrno::new();
    // A longer wait than for a site: a name is written only once.
    let string = lock(100_000_000).and_then(|mut locked| locked.texts().intern(session, area, cut(name)));
    if string.is_none() {
        session.extension().names_dropped.fetch_add(1, Relaxed);
    }
    string.unwrap_or(0)
}

/// The reference of the name that the calling thread has in the system. 0 for the main thread, and for a thread that
/// has the name of its process.
pub fn system_thread_name(session: &Session, thread: &Thread) -> u64 {
    let (mut own, mut leader) = ([0; 16], [0; 17]);
    let length = match sys::own_thread_name(&mut own) {
        Some(length) if thread.tid.get() != u64::from(session.pid) => length,
        _ => return 0,
    };
    let leader_length = sys::read_small_file(b"/proc/self/comm\0", &mut leader);
    match std::str::from_utf8(&own[..length]) {
        Ok(name) if leader_length > 0 && leader[..leader_length - 1] != own[..length] => intern_name(session, name),
        _ => 0,
    }
}

fn matches(entry: &Entry, location: usize, function: usize) -> Option<u32> {
    let state = entry.state.load(Acquire);
    let same = entry.location.load(Relaxed) == location && entry.function.load(Relaxed) == function;
    (same && state != 0).then(|| state - 1)
}

fn home_of(location: usize, function: usize) -> usize {
    let mixed = location as u64 ^ (function as u64) << 3;
    (mixed.wrapping_mul(GOLDEN) >> (64 - SITE_ENTRIES.trailing_zeros())) as usize
}

/// The id of a location in the region; 0 = unknown. Any thread; locks only for a new location.
#[inline]
pub fn site_id(session: &Session, location: &'static Location<'static>, function: &'static str) -> u32 {
    let key = (location as *const Location as usize, function.as_ptr() as usize);
    match matches(&ENTRIES[home_of(key.0, key.1)], key.0, key.1) {
        Some(id) => id,
        None => site_id_slow(session, location, function),
    }
}

/// Slow path: the location is in a later entry, or it is new. 0 when another thread keeps the lock for too long.
#[cold]
#[inline(never)]
fn site_id_slow(session: &Session, location: &'static Location<'static>, function: &'static str) -> u32 {
    let area = match session.sites() {
        Some(area) => area,
        None => return 0,
    };
    let key = (location as *const Location as usize, function.as_ptr() as usize);
    let entries = || (0..PROBE_LIMIT).map(|i| &ENTRIES[(home_of(key.0, key.1) + i) % SITE_ENTRIES]);
    if let Some(id) = entries().find_map(|entry| matches(entry, key.0, key.1)) {
        return id;
    }
    let _errno = KeepErrno::new();
    let mut locked = match lock(2_000_000) {
        Some(locked) => locked,
        None => return 0, // a short wait: the next event tries again
    };
    let id = locked.texts().site_by_content(session, area, location, function);
    let free = entries().find(|entry| entry.state.load(Relaxed) == 0 || matches(entry, key.0, key.1).is_some());
    if let Some(entry) = free.filter(|entry| entry.state.load(Relaxed) == 0) {
        entry.location.store(key.0, Relaxed);
        entry.function.store(key.1, Relaxed);
        entry.state.store(id + 1, Release);
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(cut("short"), b"short");
        let long = "x".repeat(STRING_LIMIT - 1) + "\u{20AC}";
        assert_eq!(cut(&long).len(), STRING_LIMIT - 1);
    }
}
