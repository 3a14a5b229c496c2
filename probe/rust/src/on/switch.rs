// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! Switches tracing off and on at run time: by the program (enable), or by the engine (tracer_sleeping ==
//! ENGINE_PAUSED).
//!
//! While the engine pauses tracing, the session carries PAUSED_BIT. Then no event uses the hot path, and the slow path
//! checks whether the pause has ended. After the program switches tracing off, the session is 0, and no path checks.

use std::sync::atomic::Ordering::*;

use crate::on::lane::{write_record, Record};
use crate::on::layout::*;
use crate::on::state::{guard_against_fork, header, mark_on, Session, LANES_BIT, PAGE, PAUSED_BIT};
use crate::on::sys::KeepErrno;

/// Writes a switch record into this thread's lane.
fn note_switch(session: u32, on: bool) {
    if session & LANES_BIT != 0 {
        let kind = if on { RECORD_SWITCH_ON } else { RECORD_SWITCH_OFF };
        write_record(session & !PAUSED_BIT, Record { kind, identity: NO_IDENTITY, arg: 0, n: 0, site: 0 });
    }
}

/// Pauses tracing, after the engine requested it.
pub fn pause() {
    let running = PAGE.session.load(Acquire) & !PAUSED_BIT;
    // The bit is set before the record is written, because writing it checks tracer_sleeping again.
    if running != 0 && PAGE.session.compare_exchange(running, running | PAUSED_BIT, AcqRel, Relaxed).is_ok() {
        note_switch(running, false);
    }
}

/// True if tracing continues: the engine paused it and has ended the pause. Then `session` receives the present
/// session, and this call has cleared PAUSED_BIT.
#[cold]
#[inline(never)]
pub fn goes_on(session: &mut u32) -> bool {
    if *session & PAUSED_BIT == 0 || header().tracer_sleeping.load(Acquire) == ENGINE_PAUSED {
        return false;
    }
    let paused = *session;
    *session &= !PAUSED_BIT;
    mark_on();
    match PAGE.session.compare_exchange(paused, *session, AcqRel, Acquire) {
        Ok(_) => {
            note_switch(*session, true);
            true
        }
        Err(seen) => seen == *session, // another thread has cleared the bit
    }
}

/// The session that may be written now; 0 while tracing is off or paused.
#[inline]
pub fn writing_session() -> u32 {
    let mut session = PAGE.session.load(Acquire);
    if session & PAUSED_BIT != 0 && !goes_on(&mut session) {
        return 0;
    }
    session
}

/// As writing_session, but 0 also without lanes.
#[inline]
pub fn lane_session() -> u32 {
    match writing_session() {
        session if session & LANES_BIT != 0 => session,
        _ => 0,
    }
}

/// Implements enable(), for the whole process.
#[cold]
pub fn set_enabled(on: bool) {
    let _errno = KeepErrno::new();
    guard_against_fork();
    PAGE.disabled.store(u32::from(!on), SeqCst);
    // seq_cst, as in begin_session: either this load sees the session, or begin_session sees `disabled`.
    let attached = PAGE.attached.load(SeqCst);
    if attached == 0 {
        return;
    }
    let seen = PAGE.session.load(Acquire);
    if on && seen == 0 {
        mark_on();
        if PAGE.session.compare_exchange(0, attached, AcqRel, Relaxed).is_ok() {
            store_switched_off(0);
            note_switch(attached, true);
        }
    }
    if !on && seen != 0 && PAGE.session.swap(0, AcqRel) != 0 {
        note_switch(attached, false);
        store_switched_off(1);
    }
}

fn store_switched_off(value: u32) {
    if let Some(entry) = Session::get().process() {
        entry.switched_off.store(value, Release); // partner: the engine's acquire load
    }
}
