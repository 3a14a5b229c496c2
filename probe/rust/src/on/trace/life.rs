// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! Birth and death of a PollTrace, with both kinds of station.

use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering::*};

use super::PollTrace;
use crate::on::clock::CLOCK;
use crate::on::full;
use crate::on::lane::{write_record_at, Record};
use crate::on::layout::*;
use crate::on::start::attach_lazily;
use crate::on::state::*;
use crate::on::station::{self, life_of, LAST_GENERATION};
use crate::on::strings::site_id;
use crate::on::switch::{goes_on, writing_session};

static NEXT_PROBE_ID: AtomicU64 = AtomicU64::new(1);

impl PollTrace {
    /// A birth without a session.
    #[cold]
    #[inline(never)]
    pub(super) fn be_born_early(&mut self, location: &'static Location<'static>, function: &'static str) {
        attach_lazily();
        match PAGE.session.load(Acquire) {
            0 => count_early_birth(),
            session => self.be_born(session, location, function),
        }
    }

    #[inline(never)]
    pub(super) fn be_born(&mut self, mut session: u32, location: &'static Location<'static>, function: &'static str) {
        if session & PAUSED_BIT != 0 && !goes_on(&mut session) {
            return count_birth_while_off();
        }
        if session & LANES_BIT != 0 {
            self.be_born_compact(session);
        } else if let Some((station, begin)) = full::be_born(NEXT_PROBE_ID.fetch_add(1, Relaxed)) {
            self.station = (station as *const StationData).cast();
            self.events = begin;
            self.session = session;
        }
        if self.session != 0 {
            self.site = site_id(Session::get(), location, function);
        }
    }

    fn be_born_compact(&mut self, session: u32) {
        let (state, thread) = (Session::get(), thread());
        if thread.session.get() != session {
            thread.join(session);
        }
        let identity = match station::acquire(thread, state) {
            Some(identity) => identity,
            None => {
                state.extension().births_without_station.fetch_add(1, Relaxed);
                return;
            }
        };
        let (compact, birth) = (state.lanes().state(identity as u32), state.lanes().birth(identity as u32));
        let probe_id = NEXT_PROBE_ID.fetch_add(1, Relaxed);
        let now = CLOCK.now();
        let creator = running_coroutine(thread, session);
        // Release each: a reader that acquires one of these values also sees the new `life` of the claim.
        birth.probe_id.store(probe_id, Release);
        birth.birth_ts.store(now, Release);
        birth.name.store(0, Release);
        birth.parent.store(creator, Release);
        birth.process.store(state.process_index, Release);
        compact.ts.store(now, Release);
        compact.addr.store(0, Release);
        compact.what.store(0, Release);
        compact.tid.store(thread.tid.get(), Release);
        compact.death_ts.store(0, Release);
        compact.finished_ts.store(0, Release);
        // Release; partner: the engine's acquire load.
        compact.life.store(life_of((identity >> 32) as u32, COMPACT_ALIVE), Release);
        self.station = (compact as *const CompactState).cast();
        self.identity = identity;
        self.session = session;
        let record = Record { kind: RECORD_BIRTH, identity, arg: probe_id, n: 0, site: 0 };
        self.record_missing = !write_record_at(session, now, record);
        if creator != NO_IDENTITY {
            self.publish_record(RECORD_PARENT, creator);
        }
    }

    #[inline(never)]
    pub(super) fn die(&mut self) {
        let mine = std::mem::replace(&mut self.session, 0);
        self.running = false;
        if mine != PAGE.attached.load(Acquire) {
            return;
        }
        if mine & LANES_BIT == 0 {
            return full::die(self.station());
        }
        let (state, thread, session) = (Session::get(), thread(), writing_session());
        let (compact, index) = (self.compact(), self.identity as u32);
        let generation = (self.identity >> 32) as u32;
        let now = CLOCK.now();
        if thread.running.get() == self.identity {
            thread.running.set(self.outer);
        }
        compact.death_ts.store(now, Release);
        let record = Record { kind: RECORD_DEATH, identity: self.identity, arg: 0, n: self.events as u32, site: 0 };
        let recycle = session == mine && write_record_at(session, now, record) && !self.record_missing;
        // Release; partners: the engine's acquire load, and the acquire in station::claim.
        compact.life.store(life_of(generation, if recycle { COMPACT_RECYCLED } else { COMPACT_DEAD }), Release);
        if !recycle || generation == LAST_GENERATION {
            return; // freed by the engine later, or retired: in no stack
        }
        if thread.session.get() == mine {
            station::keep(thread, state, index);
        } else {
            station::push(state, &[index]);
        }
    }
}
