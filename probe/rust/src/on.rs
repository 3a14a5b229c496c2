// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! The crate without the feature `off`.

use std::sync::atomic::Ordering::Acquire;

mod clock;
mod directory;
mod full;
mod future;
mod lane;
mod layout;
mod notes;
mod region;
mod start;
mod state;
mod station;
mod strings;
mod switch;
mod sys;
mod task;
mod trace;
mod wake;

pub use future::{trace_future, TraceFutureExt, TracedFuture};
pub use notes::{name_thread, note_acquired, note_released, note_signalled, waits_for_all, waits_for_any, waits_on};
pub use trace::PollTrace;

/// Attaches the process to the region that `CTP_SHM_PATH`, `CTP_SOCK_PATH` and `CTP_MAX_STATIONS` name. Without all
/// three, it does nothing.
///
/// Optional: the first traced future attaches the process, too. A forked child is untraced until it calls this
/// function. Any thread may call it; further calls do nothing. Takes about 0.2 ms. On an error it prints one line to
/// stderr, and the process stays untraced.
pub fn init_tracer() {
    start::attach();
}

/// True if the process is attached to a region. Attaches it first, if nothing did before. Also true while tracing is
/// off or paused.
#[must_use]
pub fn tracer_enabled() -> bool {
    start::attach_lazily();
    state::PAGE.attached.load(Acquire) != 0
}

/// Switches tracing off or on at run time, for all threads of the process. Any thread may call it. While tracing is
/// off, an event costs one load and one branch. A future born while tracing is off is counted, and stays untraced for
/// life. Other futures publish no events until tracing is on again. A call before the process is attached sets the
/// initial state. In a forked child the initial state is on.
pub fn enable(on: bool) {
    switch::set_enabled(on);
}
