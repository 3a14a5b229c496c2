// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! The crate with the feature `off`: every function does nothing, and a traced future is polled as it is.

use std::cell::Cell;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::Wait;

/// Does nothing.
pub fn init_tracer() {}

/// False.
#[must_use]
pub fn tracer_enabled() -> bool {
    false
}

/// Does nothing.
pub fn enable(_on: bool) {}

/// Does nothing.
pub fn name_thread(_name: &str) {}

/// Does nothing.
pub fn note_acquired<T: ?Sized>(_object: &T) {}

/// Does nothing.
pub fn note_released<T: ?Sized>(_object: &T) {}

/// Does nothing.
pub fn note_signalled<T: ?Sized>(_object: &T) {}

/// Does nothing.
pub fn waits_on(_wait: Wait) {}

/// Does nothing.
pub fn waits_for_any(_waits: &[Wait]) {}

/// Does nothing.
pub fn waits_for_all(_waits: &[Wait]) {}

/// Empty. Each function does nothing.
#[derive(Default)]
pub struct PollTrace(PhantomData<Cell<()>>); // Send, not Sync, as without the feature

impl PollTrace {
    /// Does nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// False.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        false
    }

    /// Does nothing.
    pub fn on_resume(&mut self) {}

    /// Does nothing.
    pub fn on_pending<F>(&mut self, _future: Pin<&mut F>) {}

    /// Does nothing.
    pub fn on_pending_addr(&mut self, _addr: u64) {}

    /// Does nothing.
    pub fn on_ready(&mut self) {}

    /// Does nothing.
    pub fn mark_dead(&mut self) {}

    /// Does nothing.
    pub fn set_name(&mut self, _name: &str) {}

    /// Does nothing.
    pub fn waits_on(&mut self, _wait: Wait) {}
}

/// A future, polled as it is.
#[must_use = "futures do nothing unless they are polled"]
pub struct TracedFuture<F> {
    inner: F,
    trace: PollTrace,
}

impl<F> TracedFuture<F> {
    /// Wraps a future.
    pub fn new(inner: F) -> Self {
        TracedFuture { inner, trace: PollTrace::new() }
    }

    /// Does nothing.
    pub fn named(self, _name: &str) -> Self {
        self
    }

    /// Returns the future.
    pub fn into_inner(self) -> F {
        self.inner
    }

    /// An empty trace.
    pub fn trace_mut(&mut self) -> &mut PollTrace {
        &mut self.trace
    }
}

impl<F: Future> Future for TracedFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `inner` is pinned with `self`, and not moved out of it.
        unsafe { self.map_unchecked_mut(|this| &mut this.inner) }.poll(context)
    }
}

/// Wraps a future.
pub fn trace_future<F: Future>(future: F) -> TracedFuture<F> {
    TracedFuture::new(future)
}

/// `future.traced()` for every future.
pub trait TraceFutureExt: Future + Sized {
    /// Wraps the future.
    fn traced(self) -> TracedFuture<Self> {
        trace_future(self)
    }
}

impl<F: Future> TraceFutureExt for F {}
