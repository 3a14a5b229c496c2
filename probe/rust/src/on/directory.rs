// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! Gives a lane to a thread, and closes it when the thread ends. A thread gets a free lane, else a new one from the
//! pool.

use std::mem::size_of;
use std::os::raw::c_void;
use std::ptr::null;
use std::sync::atomic::Ordering::*;

use crate::on::layout::*;
use crate::on::region::LaneAreas;
use crate::on::state::{thread, Session, Thread, PAGE, THREAD_KEY};
use crate::on::station::{self, MEMORY_RETRY_NS};
use crate::on::strings;
use crate::on::sys::{self, back_with_memory, monotonic_ns, KeepErrno};

const POSITION_LIMIT: u64 = 1 << 62; // positions are below it
const RECORD_BYTES: u64 = size_of::<LaneRecord>() as u64;
const LANE_BYTES_MIN: u64 = LANE_RECORDS_MIN as u64 * RECORD_BYTES;
pub const LANE_STEP: u64 = 1 << 20; // bytes of records that get memory in one step

/// Bytes of block numbers in front of a lane's records, in whole pages.
const fn block_bytes(records: u64) -> u64 {
    (records / LANE_BLOCK as u64 * 8 + 4095) & !4095
}

/// Bytes of records of the next lane when `left` bytes of the pool are left; 0 = no lane. It is a small part of the
/// rest. So the first threads have long lanes, and the hundredth thread still gets one.
fn lane_bytes(wanted: u64, left: u64) -> u64 {
    let share = left / 32;
    let share = if share == 0 { 0 } else { 1 << share.ilog2_floor() };
    let bytes = wanted.min(share).max(LANE_BYTES_MIN);
    if bytes + block_bytes(bytes / RECORD_BYTES) <= left {
        bytes
    } else {
        0
    }
}

trait Log {
    fn ilog2_floor(self) -> u32;
}
impl Log for u64 {
    /// u64::ilog2 is younger than this crate's oldest compiler. Not for 0.
    fn ilog2_floor(self) -> u32 {
        63 - self.leading_zeros()
    }
}

/// Gives memory to the first `most` bytes, else to half of them, and so on. Returns the bytes that have memory; 0 when
/// there is not enough for the smallest lane. Trying less makes sense: a failed attempt has used up all memory.
pub fn back_some(begin: *const u8, most: u64) -> u64 {
    let mut bytes = most;
    while bytes >= LANE_BYTES_MIN {
        if back_with_memory(begin, bytes as usize) {
            return bytes;
        }
        bytes = bytes / 2 & !(LANE_BYTES_MIN - 1);
    }
    0
}

/// Location of a lane in memory, from its header, checked. None for a header that is not valid.
fn memory_of(areas: &LaneAreas, lane: &LaneHeader) -> Option<(*const LaneRecord, u32)> {
    // Acquire; partner: the release in make_lane. 0 until then.
    let untrusted_records = lane.records.load(Acquire);
    let inside = |offset: u64, size: u64| {
        offset % 4096 == 0
            && offset >= areas.pool_offset
            && offset - areas.pool_offset <= areas.pool_size
            && size <= areas.pool_size - (offset - areas.pool_offset)
    };
    let untrusted_offset = lane.offset.load(Relaxed);
    let bytes = u64::from(untrusted_records) * RECORD_BYTES;
    let valid = untrusted_records % LANE_BLOCK == 0
        && (LANE_RECORDS_MIN..=LANE_RECORDS_MAX).contains(&untrusted_records)
        && inside(untrusted_offset, bytes)
        && inside(lane.block_numbers_offset.load(Relaxed), block_bytes(untrusted_records.into()));
    // SAFETY: inside the mapped pool.
    valid.then(|| {
        (
            unsafe { areas.pool.add((untrusted_offset - areas.pool_offset) as usize) } as *const LaneRecord,
            untrusted_records,
        )
    })
}

/// Part of the pool for one lane, in bytes: block numbers, then records. `begin` counts from the start of the region's
/// pool.
#[derive(Clone, Copy)]
struct Carving {
    begin: u64,
    blocks: u64,
    records: u64,
    committed: u64, // bytes of the records that have memory
}

impl Carving {
    fn end(&self) -> u64 {
        self.begin + self.blocks + self.records
    }
}

/// Allocates the next part of the pool. Block numbers and first records get memory before the allocation. So every lane
/// can be written, if only by wrapping early. Another thread may allocate at the same time: its part begins at the same
/// offset, so its lane uses the memory. None: the pool or the memory is used up.
fn carve(session: &Session) -> Option<Carving> {
    let areas = session.lanes();
    let pool_used = &session.extension().lane_pool_used;
    let mut untrusted_begin = pool_used.load(Relaxed);
    loop {
        // Whole pages: any other untrusted value would misplace the lane.
        let begin = untrusted_begin.checked_sub(areas.pool_skipped).filter(|begin| begin % 4096 == 0)?;
        let left = areas.pool_size.checked_sub(begin)?;
        let records = lane_bytes(u64::from(areas.lane_records) * RECORD_BYTES, left);
        let blocks = block_bytes(records / RECORD_BYTES);
        // SAFETY: within the mapped pool, as lane_bytes has checked.
        let at = unsafe { areas.pool.add(begin as usize) };
        if records == 0 || !back_with_memory(at, blocks as usize) {
            return None;
        }
        // SAFETY: as above.
        let committed = back_some(unsafe { at.add(blocks as usize) }, records.min(LANE_STEP));
        if committed == 0 {
            return None;
        }
        let carving = Carving { begin: untrusted_begin, blocks, records, committed };
        match pool_used.compare_exchange_weak(untrusted_begin, carving.end(), Relaxed, Relaxed) {
            Ok(_) => return Some(carving),
            Err(seen) => untrusted_begin = seen,
        }
    }
}

/// Directory entries in use, limited to the mapped ones.
fn lanes_made(session: &Session) -> u32 {
    session.extension().lane_count.load(Acquire).min(session.lanes().lane_capacity)
}

/// Makes a lane from the pool, in state LANE_MAKING. None when pool, directory or memory is used up. The directory
/// entry is allocated last, when no other step can fail.
fn make_lane(session: &Session) -> Option<&'static LaneHeader> {
    let areas = session.lanes();
    let has_memory = |index: u32| {
        // SAFETY: below the capacity, as checked first.
        index < areas.lane_capacity
            && back_with_memory(unsafe { areas.directory.add(index as usize) }.cast(), size_of::<LaneHeader>())
    };
    let mut index = lanes_made(session);
    if !has_memory(index) {
        return None;
    }
    let carving = carve(session)?;
    loop {
        if !has_memory(index) {
            // Only the last part of the pool can be returned. In front of another part it stays unused.
            let pool_used = &session.extension().lane_pool_used;
            let _ = pool_used.compare_exchange(carving.end(), carving.begin, Relaxed, Relaxed);
            return None;
        }
        // The entry has memory. Partners: the acquire in lanes_made, and the engine's load: acquire, or seq_cst before
        // it sleeps.
        match session.extension().lane_count.compare_exchange_weak(index, index + 1, SeqCst, Acquire) {
            Ok(_) => break,
            Err(seen) => index = seen,
        }
    }
    // SAFETY: below the capacity, and mapped for the life of the process.
    let lane = unsafe { &*areas.directory.add(index as usize) };
    let offset = areas.pool_offset + (carving.begin - areas.pool_skipped);
    // Release; partner: the acquire of an engine that searches for lanes of killed threads.
    lane.state.store(LANE_MAKING, Release);
    lane.block_numbers_offset.store(offset, Relaxed);
    lane.offset.store(offset + carving.blocks, Relaxed);
    lane.committed.store((carving.committed / RECORD_BYTES) as u32, Relaxed);
    lane.records.store((carving.records / RECORD_BYTES) as u32, Release); // partner: the acquire in memory_of
    Some(lane)
}

/// Claims a free lane; None when there is none. A lane with an invalid header is skipped.
fn seize_free_lane(session: &Session) -> Option<&'static LaneHeader> {
    let areas = session.lanes();
    (0..lanes_made(session)).find_map(|index| {
        // SAFETY: below the capacity, and mapped for the life of the process.
        let lane = unsafe { &*areas.directory.add(index as usize) };
        let usable = lane.state.load(Relaxed) == LANE_FREE
            && memory_of(areas, lane).is_some()
            && lane.tail.load(Relaxed) < POSITION_LIMIT;
        // Acquire; partner: the release that set the state. Release; partner: the acquire of an engine that searches
        // for lanes of killed threads.
        let seized = usable && lane.state.compare_exchange(LANE_FREE, LANE_MAKING, AcqRel, Relaxed).is_ok();
        seized.then_some(lane)
    })
}

/// Gives this thread a lane. False when there is none; then no call tries again for MEMORY_RETRY_NS.
#[cold]
#[inline(never)]
pub fn acquire_lane(thread: &Thread, session: &Session) -> bool {
    let _errno = KeepErrno::new();
    leave_at_thread_end(thread);
    let now = monotonic_ns();
    if now < thread.retry_ns.get() {
        return false;
    }
    // Before the lane is claimed: if the thread is killed between claiming it and setting its state, the lane is lost.
    if thread.thread_name.get() == 0 {
        thread.thread_name.set(strings::system_thread_name(session, thread));
    }
    let free = seize_free_lane(session);
    // Acquire; partner: the engine's release when it freed the lane.
    let position = free.map_or(0, |lane| lane.tail.load(Acquire));
    let lane = match free.or_else(|| make_lane(session)) {
        Some(lane) => lane,
        None => {
            thread.retry_ns.set(now + MEMORY_RETRY_NS);
            if thread.counted.replace(thread.session.get()) != thread.session.get() {
                session.extension().threads_without_lane.fetch_add(1, Relaxed);
            }
            return false;
        }
    };
    let (records, capacity) = match memory_of(session.lanes(), lane) {
        Some(memory) if position < POSITION_LIMIT => memory,
        _ => return false,
    };
    lane.process.store(session.process_index, Relaxed);
    lane.tid.store(thread.tid.get(), Relaxed);
    lane.claims.store(lane.claims.load(Relaxed).wrapping_add(1), Relaxed);
    lane.begin.store(position, Relaxed);
    lane.thread_name.store(thread.thread_name.get(), Relaxed);
    lane.closed_ts.store(0, Relaxed);
    // Partner: the engine's load: acquire, or seq_cst before it sleeps.
    lane.state.store(LANE_ACTIVE, SeqCst);
    thread.forget_lane();
    thread.lane.set(lane);
    thread.records.set(records);
    thread.capacity.set(capacity);
    thread.position_end.set(position);
    thread.retry_ns.set(0);
    true
}

// ---------------------------------------------------------------- end of a thread

/// Closes the thread's lane, and returns its free compact stations to the region. Runs when the thread ends.
extern "C" fn leave_lane(_: *mut c_void) {
    let thread = thread();
    thread.closer.set(false);
    let attached = PAGE.attached.load(Acquire);
    if thread.session.get() == 0 || thread.session.get() != attached {
        return; // in a forked child all of it belongs to the parent
    }
    let session = Session::get();
    if session.map.lanes.is_none() {
        return;
    }
    station::return_all(thread, session);
    // SAFETY: null, or mapped for the life of the process.
    if let Some(lane) = unsafe { thread.lane.get().as_ref() } {
        lane.closed_ts.store(monotonic_ns(), Relaxed);
        lane.state.store(LANE_CLOSED, Release); // partner: the engine's acquire load
        thread.forget_lane();
    }
}

/// Removes the thread key. Runs when the program exits, or when the object with this code is unloaded: then leave_lane
/// can no longer be called.
extern "C" fn end_thread_key(_: *mut c_void) {
    leave_lane(null::<c_void>() as *mut c_void);
    match THREAD_KEY.swap(0, Relaxed) {
        0 => {}
        key => sys::delete_thread_key(key - 1),
    }
}

/// Makes the key whose destructor is leave_lane. Holder of init_lock only. Without a key, threads keep their lanes
/// until the process ends.
pub fn make_thread_key() {
    if THREAD_KEY.load(Relaxed) == 0 {
        // A forked child has the key of its parent.
        if let Some(key) = sys::make_thread_key(leave_lane, end_thread_key) {
            THREAD_KEY.store(key + 1, Relaxed);
        }
    }
}

/// Makes the thread's end call leave_lane, also again for a coroutine that runs after an earlier call. A key allocates
/// nothing if it is among the first 32 of the program; a thread_local object with a destructor would allocate for each
/// thread.
fn leave_at_thread_end(thread: &Thread) {
    let key = THREAD_KEY.load(Relaxed);
    if !thread.closer.get() && key != 0 {
        thread.closer.set(sys::set_thread_key(key - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_get_shorter_as_the_pool_is_used_up() {
        let wanted = 64 << 20;
        assert_eq!(lane_bytes(wanted, 4 << 30), 64 << 20);
        assert_eq!(lane_bytes(wanted, 64 << 20), 2 << 20);
        assert_eq!(lane_bytes(wanted, LANE_BYTES_MIN + 4096), LANE_BYTES_MIN);
        assert_eq!(lane_bytes(wanted, LANE_BYTES_MIN), 0);
        assert_eq!(lane_bytes(wanted, 0), 0);
    }
}
