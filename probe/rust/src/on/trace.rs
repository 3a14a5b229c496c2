// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! PollTrace: birth, events and death of one future.

use std::panic::Location;
use std::pin::Pin;
use std::ptr::null;
use std::sync::atomic::Ordering::*;

use crate::on::clock::{read_counter, CLOCK};
use crate::on::full;
use crate::on::lane::{check_engine, find_slot, publish_fenced, put_record, write_record, Record};
use crate::on::layout::*;
use crate::on::notes;
use crate::on::state::*;
use crate::on::strings::{intern_name, site_id};
use crate::on::switch::{goes_on, writing_session};
use crate::wait::Wait;

mod life;

/// The trace of one future, for executors and futures that own their poll loop. [`TracedFuture`](crate::TracedFuture)
/// uses it for you.
///
/// A resumption is written when a poll begins ([`on_resume`](Self::on_resume)), a suspension when it answers "pending"
/// ([`on_pending`](Self::on_pending)). The future is dead after [`on_ready`](Self::on_ready) or when the value is
/// dropped; later calls do nothing.
///
/// The value belongs to one thread at a time (`Send`, not `Sync`). In a forked child, an inherited value never writes.
/// No function fails or panics. While tracing is off, each costs one load and one branch.
pub struct PollTrace {
    station: *const (), // CompactState if `session` has LANES_BIT, else StationData; null: untraced
    identity: u64,      // compact station and generation, else NO_IDENTITY
    outer: u64,         // Thread::running before the latest resumption
    events: u64,        // number of the next event
    /// Session of the station, without PAUSED_BIT; 0 = untraced or dead. In another session, as in a forked child, the
    /// value writes nothing.
    session: u32,
    site: u32, // of the latest suspension
    kind: u8,  // of the latest suspension
    running: bool,
    record_missing: bool, // a record of the birth, a name or the parent is missing in the lanes
}

// SAFETY: the station is written by one thread at a time, as the value is used through `&mut`. It is mapped for the
// life of the process.
unsafe impl Send for PollTrace {}

impl PollTrace {
    /// Gives a future a station, if tracing is on and one is free. Otherwise it stays untraced for life. The line of
    /// this call is the site of the first resumption.
    ///
    /// Attaches the process first, as [`init_tracer`](crate::init_tracer), if that was not called before.
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn new() -> Self {
        Self::born_at(Location::caller(), "")
    }

    /// As `new`, in `function`, for its site.
    #[inline]
    pub(crate) fn born_at(location: &'static Location<'static>, function: &'static str) -> Self {
        let mut trace = PollTrace {
            station: null(),
            identity: NO_IDENTITY,
            outer: 0,
            events: 0,
            session: 0,
            site: 0,
            kind: INITIAL_SUSPEND,
            running: false,
            record_missing: false,
        };
        let session = PAGE.session.load(Acquire);
        if session != 0 {
            trace.be_born(session, location, function);
        } else {
            trace.be_born_early(location, function);
        }
        trace
    }

    /// True if the future has a station. Also true while tracing is off or paused, and after its death.
    #[must_use]
    #[inline]
    pub fn is_enabled(&self) -> bool {
        !self.station.is_null()
    }

    /// Writes a resumption: a poll begins. Does nothing if the future already runs.
    #[inline]
    pub fn on_resume(&mut self) {
        let session = PAGE.session.load(Acquire);
        if session != 0 {
            self.resume(session);
        }
    }

    /// Writes a suspension: the poll answers "pending". The event carries the address of the future. Its site is the
    /// line of this call.
    #[inline]
    #[track_caller]
    pub fn on_pending<F>(&mut self, future: Pin<&mut F>) {
        self.on_pending_addr(&*future as *const F as usize as u64);
    }

    /// As [`on_pending`](Self::on_pending), with an address that identifies the task's frame.
    #[inline]
    #[track_caller]
    pub fn on_pending_addr(&mut self, addr: u64) {
        let session = PAGE.session.load(Acquire);
        if session != 0 {
            self.suspend_here(session, addr, Location::caller());
        }
    }

    /// The future is ready, and dies.
    #[inline]
    pub fn on_ready(&mut self) {
        self.mark_dead();
    }

    /// The future dies: with the answer "ready", or because it is dropped. Works also while tracing is off; then only
    /// the station shows the death.
    #[inline]
    pub fn mark_dead(&mut self) {
        if self.session != 0 {
            self.die();
        }
    }

    /// Names the future from now on. Cut after 4,096 bytes. Names that many futures share cost least. Needs a region
    /// with lanes.
    pub fn set_name(&mut self, name: &str) {
        if !self.is_compact() || self.session != PAGE.attached.load(Acquire) {
            return;
        }
        let session = Session::get();
        let string = intern_name(session, name);
        if string != 0 {
            session.lanes().birth(self.identity as u32).name.store(string, Release); // partner: the engine's acquire load
            self.publish_record(RECORD_NAME, string);
        }
    }

    /// Reports the object that a suspension waits for. While the future runs, the report belongs to its next
    /// suspension, else to the present one. Needs a region with lanes.
    pub fn waits_on(&mut self, wait: Wait) {
        notes::write_waits(self.session, self.identity, self.wait_number(), &[wait], None);
    }

    // ------------------------------------------------------------ for the crate

    #[inline(always)]
    pub(crate) fn session(&self) -> u32 {
        self.session
    }

    #[inline(always)]
    pub(crate) fn identity(&self) -> u64 {
        self.identity
    }

    /// Number of the suspension that waits: the present one, or the next.
    pub(crate) fn wait_number(&self) -> u32 {
        if self.running || self.events == 0 {
            self.events as u32
        } else {
            self.events as u32 - 1
        }
    }

    #[inline(always)]
    fn is_compact(&self) -> bool {
        self.session & LANES_BIT != 0
    }

    /// Only if is_compact().
    #[inline(always)]
    fn compact(&self) -> &'static CompactState {
        // SAFETY: made by be_born_compact, and mapped for the life of the process.
        unsafe { &*self.station.cast() }
    }

    /// Only if the future has a full station.
    fn station(&self) -> &'static StationData {
        // SAFETY: made by be_born_full, and mapped for the life of the process.
        unsafe { &*self.station.cast() }
    }

    /// Writes a resumption. `session` is not 0.
    #[inline]
    pub(crate) fn resume(&mut self, session: u32) {
        if self.running && !self.has_stale_events() {
            return;
        }
        self.running = true;
        self.write(session, 0, u64::from(RECORD_RESUME | self.kind) << 32 | u64::from(self.site));
    }

    /// Writes a suspension at a line of the program. `session` is not 0.
    #[cold]
    #[inline(never)]
    fn suspend_here(&mut self, session: u32, addr: u64, location: &'static Location<'static>) {
        if self.session != 0 {
            self.site = site_id(Session::get(), location, "");
        }
        self.suspend(session, addr);
    }

    /// Sets the site of the next events, unless it is known. Only if the future has a station.
    #[inline]
    pub(crate) fn set_site(&mut self, location: &'static Location<'static>, function: &'static str) {
        if self.site == 0 {
            self.site = site_id(Session::get(), location, function);
        }
    }

    /// Writes a suspension at the site. `session` is not 0.
    #[inline]
    pub(crate) fn suspend(&mut self, session: u32, addr: u64) {
        self.running = false;
        self.kind = AWAIT_POINT;
        self.write(session, addr, u64::from(RECORD_SUSPEND | AWAIT_POINT) << 32 | u64::from(self.site));
    }

    /// True if the latest event was before tracing went off and on: then `running` is unknown.
    #[cold]
    fn has_stale_events(&self) -> bool {
        if self.session == 0 {
            return false;
        }
        let latest = match self.events.checked_sub(1) {
            None => return true,
            Some(_) if self.is_compact() => self.compact().ts.load(Relaxed),
            Some(number) => full::slot(self.station(), number).timestamp.load(Relaxed),
        };
        latest < ON_SINCE.load(Relaxed)
    }

    #[inline(always)]
    fn write(&mut self, session: u32, addr: u64, what: u64) {
        if session & LANES_BIT != 0 {
            self.publish(session, addr, what);
        } else {
            self.publish_late(session, addr, what);
        }
    }

    /// The hot path of an event with lanes: the lane has room, and the engine fences for both sides. `what`: as in
    /// CompactState. Out of line, so a poll has only the check of the switch.
    #[inline(never)]
    fn publish(&mut self, session: u32, addr: u64, what: u64) {
        let thread = thread();
        let slot = thread.next.get();
        if self.session != session || thread.session.get() != session || slot == thread.end.get() {
            return self.publish_late(session, addr, what);
        }
        let number = self.events;
        self.events = number + 1;
        // SAFETY: before `end`, so the slot lies in the run.
        let record = unsafe {
            thread.next.set(slot.add(1));
            &*slot
        };
        self.switch_running(thread, what);
        let now = read_counter();
        put_record(record, now, self.identity, addr, event_commit(number, what, thread.lap.get()));
        let compact = self.compact();
        store_compact(compact, number, now, thread.tid.get(), addr, what);
        compact.seq.store(2 * number + 2, Release);
        check_engine();
    }

    /// Slow path of an event: the thread's first one, no counter, no fence by the engine, a paused session, the end of
    /// a run of slots, a full station. An event whose lane has no room still goes to the compact station.
    #[cold]
    #[inline(never)]
    fn publish_late(&mut self, mut session: u32, addr: u64, what: u64) {
        let is_mine = |session: u32| self.session != 0 && self.session == session;
        if !is_mine(session) && (self.session == 0 || !goes_on(&mut session) || !is_mine(session)) {
            return;
        }
        let thread = thread();
        let number = self.events;
        self.events = number + 1;
        if !self.is_compact() {
            if thread.session.get() != session {
                thread.join(session);
            }
            return full::write(self.station(), number, thread.tid.get(), addr, what);
        }
        let now = CLOCK.now();
        let slot = find_slot(thread, session, now);
        let commit = event_commit(number, what, thread.lap.get());
        self.switch_running(thread, what);
        if let Some(record) = slot {
            // SAFETY: at most run_end.
            thread.next.set(unsafe { (record as *const LaneRecord).add(1) });
            put_record(record, now, self.identity, addr, commit);
        }
        let compact = self.compact();
        store_compact(compact, number, now, thread.tid.get(), addr, what);
        // seq_cst in every case: its cost does not matter here. The engine checks the lane, and the station where there
        // is no record.
        match slot {
            Some(record) => {
                compact.seq.store(2 * number + 2, Release);
                publish_fenced(&record.commit, commit);
            }
            None => publish_fenced(&compact.seq, 2 * number + 2),
        }
    }

    /// Updates the running coroutine of the thread after an event. No branch, because the processor could not predict
    /// it.
    #[inline(always)]
    fn switch_running(&mut self, thread: &Thread, what: u64) {
        let resumes = what >> 32 & u64::from(RECORD_RESUME) != 0;
        let before = thread.running.get();
        let is_running = before == self.identity;
        let below = if is_running { self.outer } else { before };
        thread.running.set(if resumes { self.identity } else { below });
        self.outer = if resumes && !is_running { before } else { self.outer };
    }

    /// Writes a record about this future into the calling thread's lane. If it is not written, the compact station is
    /// not used again before the engine has read it.
    fn publish_record(&mut self, kind: u8, arg: u64) {
        let session = writing_session();
        let record = Record { kind, identity: self.identity, arg, n: 0, site: 0 };
        if session == 0 || session != self.session || !write_record(session, record) {
            self.record_missing = true;
        }
    }
}

impl Default for PollTrace {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for PollTrace {
    fn drop(&mut self) {
        self.mark_dead();
    }
}

/// The commit of an event: as lane_commit, in fewer instructions.
#[inline(always)]
fn event_commit(number: u64, what: u64, lap: u32) -> u64 {
    number << 32 | u64::from((what << 12) as u32) | (what >> 28 & 0xFF0) | u64::from(lap)
}

/// Writes an event into a compact station, except for the last store of seq. seq odd: relaxed, because a reader that
/// acquires one of the payload stores also sees it. The payload: release each; partner: the reader's acquire loads,
/// after which it reloads seq. The event's record was stored before, so a reader that acquires the even value of seq
/// finds the record in the lane.
#[inline(always)]
fn store_compact(compact: &CompactState, number: u64, now: u64, tid: u64, addr: u64, what: u64) {
    compact.seq.store(2 * number + 1, Relaxed);
    compact.ts.store(now, Release);
    compact.addr.store(addr, Release);
    compact.what.store(what, Release);
    compact.tid.store(tid, Release);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_of_an_event_is_that_of_its_record() {
        let what = u64::from(RECORD_RESUME | INITIAL_SUSPEND) << 32 | 0xA_BCDE;
        let whole = lane_commit(7, 0xA_BCDE, RECORD_RESUME | INITIAL_SUSPEND, 15);
        assert_eq!(event_commit(7, what, 15), whole);
    }
}
