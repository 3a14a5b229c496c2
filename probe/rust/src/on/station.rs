// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! Allocates and frees compact stations. Each thread keeps a few free ones. The region's stack of free stations is
//! shared by all processes and the engine. Stations from compact_station_count on were never used.

use std::mem::size_of;
use std::sync::atomic::Ordering::*;

use crate::on::layout::*;
use crate::on::region::LaneAreas;
use crate::on::state::{Session, Thread, KEPT_STATIONS, NO_MEMORY_BEFORE_NS};
use crate::on::sys::{back_with_memory, monotonic_ns, KeepErrno};

const CHUNK: u32 = 1024; // compact stations that get memory in one step
pub const MEMORY_RETRY_NS: u64 = 100_000_000; // between two attempts to get memory
/// A compact station is retired after this generation, because identities never repeat.
pub const LAST_GENERATION: u32 = u32::MAX;

pub fn life_of(generation: u32, state: u32) -> u64 {
    u64::from(generation) << 32 | u64::from(state)
}

impl LaneAreas {
    /// `index` is below compact_stations_reserved.
    #[inline(always)]
    pub fn state(&self, index: u32) -> &'static CompactState {
        debug_assert!(index < self.compact_stations_reserved);
        // SAFETY: mapped for the life of the process, and below the limit that was checked.
        unsafe { &*self.states.add(index as usize) }
    }

    /// `index` is below compact_stations_reserved.
    #[inline(always)]
    pub fn birth(&self, index: u32) -> &'static CompactBirth {
        debug_assert!(index < self.compact_stations_reserved);
        // SAFETY: as in `state`.
        unsafe { &*self.births.add(index as usize) }
    }
}

/// The number of compact stations that have memory and are mapped by this process.
fn usable(session: &Session) -> u32 {
    // Acquire; partner: the release in commit.
    let committed = session.extension().compact_stations_committed.load(Acquire);
    committed.min(session.lanes().compact_stations_reserved)
}

/// Pops a compact station from the region's stack. None when the stack is empty, or its top is not valid.
fn pop(session: &Session) -> Option<u32> {
    let top = &session.extension().free_compact_stations;
    // Acquire here and on failure; partner: the release in push and in the engine's push, which makes next_free
    // visible.
    let mut head = top.load(Acquire);
    loop {
        let untrusted_index = (head as u32).wrapping_sub(1);
        if head as u32 == 0 || untrusted_index >= usable(session) {
            return None;
        }
        let next = session.lanes().birth(untrusted_index).next_free.load(Relaxed);
        // Each push and pop raises the tag, so a stale `next` makes the exchange fail.
        let after = (head >> 32).wrapping_add(1) << 32 | u64::from(next);
        match top.compare_exchange_weak(head, after, AcqRel, Acquire) {
            Ok(_) => return Some(untrusted_index),
            Err(seen) => head = seen,
        }
    }
}

/// Pushes compact stations of this thread on the region's stack, in one step.
pub fn push(session: &Session, indices: &[u32]) {
    let (first, last) = match indices {
        [] => return,
        [only] => (*only, *only),
        [first, .., last] => (*first, *last),
    };
    let births = session.lanes();
    for pair in indices.windows(2) {
        births.birth(pair[0]).next_free.store(pair[1] + 1, Relaxed);
    }
    let top = &session.extension().free_compact_stations;
    let mut head = top.load(Relaxed);
    loop {
        births.birth(last).next_free.store(head as u32, Relaxed);
        let after = (head >> 32).wrapping_add(1) << 32 | u64::from(first + 1);
        // Release; partner: the acquire in pop.
        match top.compare_exchange_weak(head, after, Release, Relaxed) {
            Ok(_) => return,
            Err(seen) => head = seen,
        }
    }
}

/// Gives memory to all compact stations up to the chunk that contains `index`. False when there is none; then no call
/// asks again for MEMORY_RETRY_NS. Preserves errno.
#[cold]
#[inline(never)]
fn commit(session: &Session, index: u32) -> bool {
    let now = monotonic_ns();
    if now < NO_MEMORY_BEFORE_NS.load(Relaxed) {
        return false;
    }
    let areas = session.lanes();
    let begin = usable(session);
    let end = ((index / CHUNK + 1) * CHUNK).min(areas.compact_stations_reserved);
    if begin >= end {
        return true;
    }
    let _errno = KeepErrno::new();
    let count = (end - begin) as usize;
    let (births, states) = (areas.birth(begin) as *const CompactBirth, areas.state(begin) as *const CompactState);
    if !back_with_memory(births.cast(), count * size_of::<CompactBirth>())
        || !back_with_memory(states.cast(), count * size_of::<CompactState>())
    {
        NO_MEMORY_BEFORE_NS.store(now + MEMORY_RETRY_NS, Relaxed);
        return false;
    }
    // Release; partners: the acquire in usable, and the engine's.
    session.extension().compact_stations_committed.fetch_max(end, Release);
    true
}

/// Allocates a compact station that was never used. None when all are allocated or there is no memory. Memory comes
/// first, so a full file system uses up no index.
fn allocate(session: &Session) -> Option<u32> {
    let counter = &session.extension().compact_station_count;
    let mut index = counter.load(Relaxed);
    loop {
        if index >= session.lanes().compact_stations_reserved || index >= usable(session) && !commit(session, index) {
            return None;
        }
        match counter.compare_exchange_weak(index, index + 1, Relaxed, Relaxed) {
            Ok(_) => return Some(index),
            Err(seen) => index = seen,
        }
    }
}

/// Claims a free compact station for a birth. Returns the identity of the new coroutine; its state stays COMPACT_FREE
/// until the birth is written. None if the station is in use, and was in a stack by mistake, or if it is retired.
fn claim(session: &Session, index: u32) -> Option<u64> {
    let compact = session.lanes().state(index);
    let events_before = &session.lanes().birth(index).events_before;
    // Acquire; partner: the release of the last coroutine's death, so seq is final. events_before and seq are read
    // before the claim, so only two stores follow the claim.
    let seen = compact.life.load(Acquire);
    let events = events_before.load(Relaxed).wrapping_add(compact.seq.load(Relaxed) / 2);
    let (generation, state) = ((seen >> 32) as u32, seen as u32);
    if state != COMPACT_FREE && state != COMPACT_RECYCLED || generation == LAST_GENERATION {
        return None;
    }
    // The claim raises the generation. So no other thread can free or claim the station by the old value. Acquire;
    // partner: the release of the last coroutine's death, or of the engine that freed the station.
    compact.life.compare_exchange(seen, life_of(generation + 1, COMPACT_FREE), Acquire, Relaxed).ok()?;
    // Two stores in a row: if the thread is killed between them, the events of the last generation count twice. Release
    // each; a reader that acquires either also sees the new `life`.
    events_before.store(events, Release);
    compact.seq.store(0, Release);
    Some(u64::from(generation + 1) << 32 | u64::from(index))
}

/// Allocates and claims a compact station for a birth in this thread. Returns the identity of the new coroutine.
pub fn acquire(thread: &Thread, session: &Session) -> Option<u64> {
    // SAFETY: only this thread uses the array, and no reference to it leaves this function.
    let free = unsafe { &*thread.free.get() };
    while thread.free_count.get() != 0 {
        thread.free_count.set(thread.free_count.get() - 1);
        if let Some(identity) = claim(session, free[thread.free_count.get() as usize]) {
            return Some(identity);
        }
    }
    for _ in 0..8 {
        match pop(session).map(|index| claim(session, index)) {
            None => break,
            Some(None) => continue,
            Some(identity) => return identity,
        }
    }
    allocate(session).and_then(|index| claim(session, index))
}

/// Keeps a compact station that this thread recycled, for its next birth. If the thread has KEPT_STATIONS of them, half
/// go to the region's stack.
pub fn keep(thread: &Thread, session: &Session, index: u32) {
    // SAFETY: only this thread uses the array, and no reference to it leaves this function.
    let free = unsafe { &mut *thread.free.get() };
    let mut count = thread.free_count.get() as usize;
    if count == KEPT_STATIONS {
        let half = KEPT_STATIONS / 2;
        push(session, &free[..half]);
        free.copy_within(half.., 0);
        count = half;
    }
    free[count] = index;
    thread.free_count.set(count as u32 + 1);
}

/// Returns the thread's free compact stations to the region. The thread ends.
pub fn return_all(thread: &Thread, session: &Session) {
    // SAFETY: only this thread uses the array.
    let free = unsafe { &*thread.free.get() };
    push(session, &free[..thread.free_count.replace(0) as usize]);
}
