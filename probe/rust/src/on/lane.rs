// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! Writes records into a thread's lane.
//!
//! The cursor in `Thread` is a run of slots, `next` to `end`, that may be written without a check: at most one block.
//! At the end of the run, a slow path finds the next run. It checks the reader's tail, the memory of the lane, and the
//! clock. A record that finds no room is counted as dropped. A drop record follows when there is room again.

use std::sync::atomic::{compiler_fence, AtomicU64, Ordering::*};

use crate::on::clock::CLOCK;
use crate::on::directory::{acquire_lane, back_some, LANE_STEP};
use crate::on::layout::*;
use crate::on::state::{header, thread, Session, Thread, ENGINE_FENCES_BIT, PAUSED_BIT};
use crate::on::station::MEMORY_RETRY_NS;
use crate::on::switch;
use crate::on::sys::{monotonic_ns, KeepErrno};
use crate::on::wake;

/// Stores a record, the commit last. Release each; partner: the reader's acquire loads.
#[inline(always)]
pub fn put_record(record: &LaneRecord, ts: u64, identity: u64, arg: u64, commit: u64) {
    record.ts.store(ts, Release);
    record.identity.store(identity, Release);
    record.arg.store(arg, Release);
    record.commit.store(commit, Release);
}

/// Gives memory to the slots of the next step, or to a part of them. False when there is none; then no call asks again
/// for MEMORY_RETRY_NS. Preserves errno.
#[cold]
#[inline(never)]
fn commit_records(thread: &Thread, lane: &LaneHeader, slot: u32) -> bool {
    const STEP: u32 = (LANE_STEP / std::mem::size_of::<LaneRecord>() as u64) as u32;
    let now = monotonic_ns();
    if now < thread.retry_ns.get() {
        return false;
    }
    let end = ((slot / STEP + 1) * STEP).min(thread.capacity.get());
    let begin = slot / LANE_BLOCK * LANE_BLOCK;
    let record = std::mem::size_of::<LaneRecord>() as u64;
    let _errno = KeepErrno::new();
    // SAFETY: the slot lies within the lane.
    let at = unsafe { thread.records.get().add(begin as usize) };
    let backed = back_some(at.cast(), u64::from(end - begin) * record);
    if backed == 0 {
        thread.retry_ns.set(now + MEMORY_RETRY_NS);
        return false;
    }
    // Partners: the acquire load of the lane's next thread, and the seq_cst load of an engine that is about to sleep.
    lane.committed.store(begin + (backed / record) as u32, SeqCst);
    true
}

/// Shortens the lane to the memory that it has, for good. Only in the first lap, in front of the first slot without
/// memory. All records so far have lap 1 of their slots for both lengths. False when the lane must keep its length.
fn shrink_lane(thread: &Thread, session: &Session, lane: &LaneHeader, position: u64) -> bool {
    let committed = lane.committed.load(Relaxed);
    if !session.lanes().may_shrink
        || position != u64::from(committed)
        || committed % LANE_BLOCK != 0
        || committed < LANE_RECORDS_MIN
    {
        return false;
    }
    // Before the first record that depends on it. Partners: the acquire loads of readers and of the lane's next thread,
    // and the seq_cst load of an engine that is about to sleep.
    lane.records.store(committed, SeqCst);
    thread.capacity.set(committed);
    true
}

/// Finds the next run of slots, and writes the drop record that is due. False when the lane is full.
#[cold]
#[inline(never)]
fn next_run(thread: &Thread, session: &Session, lane: &LaneHeader) -> bool {
    let position = thread.position_end.get();
    let mut slot = (position % u64::from(thread.capacity.get())) as u32;
    if slot >= lane.committed.load(Relaxed) && !commit_records(thread, lane, slot) {
        if !shrink_lane(thread, session, lane, position) {
            return false;
        }
        slot = 0;
    }
    let capacity = u64::from(thread.capacity.get());
    // Acquire; partner: the reader's release, after it has copied the records that will be overwritten.
    let room = capacity.saturating_sub(position.wrapping_sub(lane.tail.load(Acquire)));
    // After drops, writing resumes only with room for a whole block, because each gap costs a drop record.
    if room == 0 || thread.drops.get() != 0 && room < u64::from(LANE_BLOCK) {
        return false;
    }
    let count = room.min(u64::from(LANE_BLOCK - slot % LANE_BLOCK));
    // SAFETY: the slots lie within the lane.
    unsafe {
        thread.next.set(thread.records.get().add(slot as usize));
        thread.run_end.set(thread.next.get().add(count as usize));
    }
    thread.position_end.set(position + count);
    thread.lap.set(lane_lap(position, thread.capacity.get()) as u32);
    let drops = thread.drops.replace(0);
    if drops != 0 {
        let commit = lane_commit(0, 0, RECORD_DROPS, u64::from(thread.lap.get()));
        // SAFETY: the run has a slot.
        unsafe {
            put_record(&*thread.next.get(), thread.first_drop.get(), drops, thread.last_drop.get(), commit);
            thread.next.set(thread.next.get().add(1));
        }
    }
    true
}

/// Returns the slot of the next record where `next` cannot be used at once: the thread's first record, the end of a
/// run, no counter, no fence by the engine. None when there is no room; the record is then counted as dropped or
/// without lane. `ts`: raw clock of the record.
#[cold]
#[inline(never)]
pub fn find_slot(thread: &Thread, session_number: u32, ts: u64) -> Option<&'static LaneRecord> {
    let session = Session::get();
    if thread.session.get() != session_number & !PAUSED_BIT {
        thread.join(session_number);
    }
    let still = CLOCK.counts() && {
        let (watch, still) = thread.still.get().check(ts);
        thread.still.set(watch);
        still
    };
    if still || CLOCK.is_pair_due(ts) {
        if let Some(entry) = session.process() {
            CLOCK.publish_pair(entry, still);
        }
    }
    while thread.next.get() == thread.run_end.get() {
        if thread.lane.get().is_null() && !acquire_lane(thread, session) {
            session.extension().records_without_lane.fetch_add(1, Relaxed);
            return None;
        }
        // SAFETY: not null, and mapped for the life of the process.
        let lane = unsafe { &*thread.lane.get() };
        if !next_run(thread, session, lane) {
            thread.drops.set(thread.drops.get() + 1);
            if thread.drops.get() == 1 {
                thread.first_drop.set(ts);
            }
            thread.last_drop.set(ts);
            lane.dropped.store(lane.dropped.load(Relaxed).wrapping_add(1), Release);
            return None;
        }
    }
    // Every record uses this slow path if there is no counter, or if the engine does not fence. The fast path reads the
    // counter and ends without a fence.
    let fast = CLOCK.counts() && session_number & ENGINE_FENCES_BIT != 0;
    let next = thread.next.get();
    // SAFETY: `next` lies in the run, before run_end.
    thread.end.set(if fast { thread.run_end.get() } else { unsafe { next.add(1) } });
    // SAFETY: as above; mapped for the life of the process.
    Some(unsafe { &*next })
}

/// Handles a value of tracer_sleeping other than ENGINE_AWAKE. Unknown values count as awake.
#[cold]
#[inline(never)]
fn react_to_engine() {
    match header().tracer_sleeping.load(Acquire) {
        ENGINE_SLEEPS => wake::wake_engine(),
        ENGINE_PAUSED => switch::pause(),
        _ => {}
    }
}

/// Checks for a sleeping or pausing engine, after an event. Before it, the caller stored commit, or seq of the station
/// where there is no record. If the engine fences for both sides, release is enough: only the compiler must keep the
/// order. Otherwise the store is seq_cst. Partners: the engine's seq_cst store to tracer_sleeping, and after it its
/// seq_cst load of commit or seq; or its membarrier(2) between the two.
#[inline(always)]
pub fn check_engine() {
    compiler_fence(SeqCst);
    if header().tracer_sleeping.load(SeqCst) != ENGINE_AWAKE {
        react_to_engine();
    }
}

/// Last step of an event if the engine does not fence for both sides. `last` is the record's commit or the station's
/// seq. Partners: the engine's seq_cst store to tracer_sleeping and its seq_cst load of `last` after it.
#[inline(never)]
pub fn publish_fenced(last: &AtomicU64, value: u64) {
    last.store(value, SeqCst);
    check_engine();
}

/// What a record says. `n` and `site` are 0 where the kind has none.
#[derive(Clone, Copy)]
pub struct Record {
    pub kind: u8,
    pub identity: u64,
    pub arg: u64,
    pub n: u32,
    pub site: u32,
}

/// Writes a record into the calling thread's lane, with a raw time that the caller has read. Returns whether it was
/// written; a record without room is counted. `session_number` has LANES_BIT and not PAUSED_BIT (writing_session).
pub fn write_record_at(session_number: u32, ts: u64, record: Record) -> bool {
    let thread = thread();
    let next = thread.next.get();
    let slot = if thread.session.get() != session_number || next == thread.end.get() {
        match find_slot(thread, session_number, ts) {
            Some(slot) => slot,
            None => return false,
        }
    } else {
        // SAFETY: before `end`, so it lies in the run; mapped for the life of the process.
        unsafe { &*next }
    };
    // SAFETY: at most run_end.
    thread.next.set(unsafe { (slot as *const LaneRecord).add(1) });
    let commit = lane_commit(record.n, record.site, record.kind, u64::from(thread.lap.get()));
    put_record(slot, ts, record.identity, record.arg, commit);
    if session_number & ENGINE_FENCES_BIT == 0 {
        slot.commit.store(commit, SeqCst);
    }
    check_engine();
    true
}

/// As write_record_at, with the present time.
pub fn write_record(session_number: u32, record: Record) -> bool {
    write_record_at(session_number, CLOCK.now(), record)
}
