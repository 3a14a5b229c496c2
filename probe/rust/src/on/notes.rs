// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! Reports of the program about its futures, besides their events: waits, the use of objects, names of threads. They
//! need a region with lanes; otherwise they do nothing.

use std::panic::Location;
use std::sync::atomic::Ordering::*;
use std::time::Instant;

use crate::on::lane::{write_record, Record};
use crate::on::layout::*;
use crate::on::state::{running_coroutine, thread, Session, LANES_BIT, PAGE};
use crate::on::strings::{intern_name, site_id};
use crate::on::switch::lane_session;
use crate::on::sys::monotonic_ns;
use crate::on::task::Frame;
use crate::wait::{address, Wait};

/// Kind and object of a record.
fn parts(wait: Wait) -> (u8, u64) {
    match wait {
        Wait::Lock(object) => (WAIT_LOCK, object as u64),
        Wait::Channel(object) => (WAIT_CHANNEL, object as u64),
        Wait::Descriptor(fd) => (WAIT_DESCRIPTOR, fd as u64),
        Wait::Timer(deadline) => (WAIT_TIMER, monotonic_of(deadline)),
        Wait::Other(object) => (WAIT_OTHER, object as u64),
    }
}

/// ns of CLOCK_MONOTONIC, which `Instant` counts on Linux but does not show.
fn monotonic_of(instant: Instant) -> u64 {
    let (now, ns) = (Instant::now(), monotonic_ns());
    match instant.checked_duration_since(now) {
        Some(ahead) => ns.saturating_add(ahead.as_nanos() as u64),
        None => ns.saturating_sub(now.duration_since(instant).as_nanos() as u64),
    }
}

/// Writes the wait of suspension `number` for `waits`. `for_all`: None for a single object, else whether it ends with
/// all of them or with any. `own_session`: of the coroutine.
pub fn write_waits(own_session: u32, identity: u64, number: u32, waits: &[Wait], for_all: Option<bool>) {
    let session = lane_session();
    if session == 0 || session != own_session {
        return;
    }
    for (index, wait) in waits.iter().take(WAIT_PARTS_MAX as usize).enumerate() {
        let (kind, object) = parts(*wait);
        let part = for_all.map_or(0, |all| wait_part(index as u32, all));
        write_wait(session, identity, number, kind, object, part);
    }
}

/// As write_waits, for one record.
pub fn write_wait(session: u32, identity: u64, number: u32, kind: u8, object: u64, part: u32) {
    write_record(session, Record { kind: RECORD_WAITS_ON | kind, identity, arg: object, n: number, site: part });
}

/// Runs `report` with the innermost traced future that is polled on this thread.
fn in_poll(report: impl FnOnce(&Frame)) {
    if PAGE.session.load(Acquire) != 0 {
        if let Some(frame) = Frame::innermost() {
            frame.forget_children();
            report(frame);
        }
    }
}

/// Reports the object that the innermost traced future on this thread waits for: the next suspension belongs to it.
/// Call it in the future's code, before the `.await`. Without a traced future, or in a region without lanes, it does
/// nothing. Never fails.
pub fn waits_on(wait: Wait) {
    in_poll(|frame| write_waits(frame.session, frame.identity, frame.suspension, &[wait], None));
}

/// As [`waits_on`], for several objects: the wait ends with the first of them, as in `select!`.
pub fn waits_for_any(waits: &[Wait]) {
    in_poll(|frame| write_waits(frame.session, frame.identity, frame.suspension, waits, Some(false)));
}

/// As [`waits_on`], for several objects: the wait ends when all of them have come, as in `join!`.
pub fn waits_for_all(waits: &[Wait]) {
    in_poll(|frame| write_waits(frame.session, frame.identity, frame.suspension, waits, Some(true)));
}

/// Writes a record about an object that the running coroutine uses.
#[cold]
#[inline(never)]
fn write_use(session: u32, kind: u8, object: usize, location: &'static Location<'static>) {
    let state = Session::get();
    let user = running_coroutine(thread(), session);
    // Relaxed: stored by this thread.
    let events = match user {
        NO_IDENTITY => 0,
        identity => state.lanes().state(identity as u32).seq.load(Relaxed) / 2,
    };
    let site = site_id(state, location, "");
    write_record(session, Record { kind, identity: user, arg: object as u64, n: events as u32, site });
}

/// Reports that the running future has acquired `object`, a lock or a semaphore: it holds it until
/// [`note_released`]. Call it after the acquisition, also if it did not wait. A thread that polls no traced future may
/// use objects, too. The line of this call is shown.
///
/// Any thread. Never fails. Does nothing in a region without lanes.
#[track_caller]
pub fn note_acquired<T: ?Sized>(object: &T) {
    let session = lane_session();
    if session != 0 {
        write_use(session, RECORD_ACQUIRED, address(object), Location::caller());
    }
}

/// As [`note_acquired`], for the release. Call it before the release, because another thread may acquire the object at
/// once.
#[track_caller]
pub fn note_released<T: ?Sized>(object: &T) {
    let session = lane_session();
    if session != 0 {
        write_use(session, RECORD_RELEASED, address(object), Location::caller());
    }
}

/// Reports that `object` was signalled: an event was set, a condition notified, a value sent. Call it also when nothing
/// waits, before any waiter can run: so a notification that came before its wait becomes visible. Otherwise as
/// [`note_acquired`].
#[track_caller]
pub fn note_signalled<T: ?Sized>(object: &T) {
    let session = lane_session();
    if session != 0 {
        write_use(session, RECORD_SIGNALLED, address(object), Location::caller());
    }
}

/// Names the calling thread from now on. Cut after 4,096 bytes. Call it after [`init_tracer`](crate::init_tracer). It
/// does nothing while tracing is off, and in a region without lanes. Without it, the thread has its name of the
/// operating system, if that differs from the name of the process.
pub fn name_thread(name: &str) {
    let session = lane_session();
    if session & LANES_BIT == 0 {
        return;
    }
    let string = intern_name(Session::get(), name);
    if string == 0 {
        return;
    }
    let thread = thread();
    if thread.session.get() != session {
        thread.join(session);
    }
    thread.thread_name.set(string);
    // SAFETY: null, or mapped for the life of the process.
    if let Some(lane) = unsafe { thread.lane.get().as_ref() } {
        lane.thread_name.store(string, Release); // partner: the engine's acquire load
    }
    write_record(session, Record { kind: RECORD_THREAD_NAME, identity: NO_IDENTITY, arg: string, n: 0, site: 0 });
}
