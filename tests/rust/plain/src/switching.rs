// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//! Modes that switch tracing off and on, fork, or check what the probe must not change.

use std::task::{Context, Waker};

use corotracer::{PollTrace, TraceFutureExt};

use crate::executor::Executor;
use crate::modes::yields;

extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn __errno_location() -> *mut i32;
}

/// Switches tracing off while one coroutine runs and another is suspended, and on again.
pub fn switched() -> (usize, usize) {
    corotracer::init_tracer();
    let (mut running, mut suspended) = (PollTrace::new(), PollTrace::new());
    running.on_resume();
    suspended.on_resume();
    suspended.on_pending_addr(1);
    corotracer::enable(false);
    running.on_pending_addr(1); // not seen
    suspended.on_resume(); // not seen
    let unborn = PollTrace::new(); // untraced for life
    assert!(!unborn.is_enabled() || !corotracer::tracer_enabled());
    corotracer::enable(true);
    running.on_resume(); // it seems to run already, but its suspension was not seen
    suspended.on_resume();
    suspended.on_resume(); // runs already
    drop(unborn);
    (2, 2 + 3)
}

/// The child inherits a traced coroutine and stays off. With `attaches`, it then attaches itself.
pub fn forked(attaches: bool) -> (usize, usize) {
    let mut inherited = PollTrace::new();
    inherited.on_resume();
    // SAFETY: this program has one thread.
    let child = unsafe { fork() };
    let storm = || {
        let executor = Executor::default();
        executor.spawn(yields(10).traced());
        assert_eq!(executor.run_until_idle(), 0);
    };
    inherited.on_pending_addr(2); // the child's copy does not write
    storm(); // untraced in the child
    if child == 0 {
        if attaches {
            corotracer::init_tracer();
            storm();
        }
        inherited.on_resume();
        drop(inherited);
        std::process::exit(0);
    }
    let mut status = -1;
    // SAFETY: the status is valid for the call.
    assert!(unsafe { waitpid(child, &mut status, 0) } == child && status == 0);
    let of_child = if attaches { (1, 21) } else { (0, 0) };
    (2 + of_child.0, 2 + 21 + of_child.1)
}

/// Checks that no event changes errno: the first ones of a thread, and one that finds the end of a lane.
pub fn errno(count: usize) -> (usize, usize) {
    // SAFETY: the address of this thread's errno.
    let check = |what: &str| assert_eq!(unsafe { *__errno_location() }, 77, "{what}");
    // SAFETY: as above.
    unsafe { *__errno_location() = 77 };
    corotracer::init_tracer();
    check("init_tracer");
    let mut trace = PollTrace::new();
    check("a birth");
    trace.set_name("errno");
    check("a name");
    for _ in 0..count {
        trace.on_resume();
        trace.on_pending_addr(3);
    }
    check("an event");
    let mut future = Box::pin(yields(1).traced());
    let waker = Waker::from(std::sync::Arc::new(Nothing));
    for _ in 0..2 {
        let _ = std::future::Future::poll(future.as_mut(), &mut Context::from_waker(&waker));
    }
    drop((trace, future));
    check("a death");
    (2, 2 * count + 3)
}

struct Nothing;

impl std::task::Wake for Nothing {
    fn wake(self: std::sync::Arc<Self>) {}
}
