// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! TracedFuture: traces a future by wrapping it.

use std::any::type_name;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::atomic::Ordering::*;
use std::task::{Context, Poll};

use crate::on::state::{LANES_BIT, PAGE};
use crate::on::task::{Frame, TaskRef};
use crate::on::trace::PollTrace;

/// A future whose polls are traced. Made by [`trace_future`] or [`TraceFutureExt::traced`].
///
/// Each poll is a resumption, and each "pending" a suspension, with the line that made the wrapper and the name of the
/// future's type as function. The future is born with the wrapper, in the traced future that runs on the thread, and
/// dies when it is ready or dropped.
///
/// `Send` if the future is. No function fails; `poll` panics if the future does. While tracing is off, a poll costs two
/// loads and two branches, and nothing is allocated. With lanes, the first poll allocates 40 bytes for the waker.
#[must_use = "futures do nothing unless they are polled"]
pub struct TracedFuture<F> {
    task: TaskRef, // dropped first: the end of the future's wakers is no loss then
    inner: F,
    trace: PollTrace,
    location: &'static Location<'static>,
}

impl<F> TracedFuture<F> {
    /// Wraps a future. As [`trace_future`], for any type.
    #[track_caller]
    pub fn new(inner: F) -> Self {
        let location = Location::caller();
        TracedFuture { task: TaskRef::none(), inner, trace: PollTrace::born_at(location, function::<F>()), location }
    }

    /// Names the future: `serve(socket).traced().named("session 42")`. See [`PollTrace::set_name`].
    pub fn named(mut self, name: &str) -> Self {
        self.trace.set_name(name);
        self
    }

    /// Ends the trace, and returns the future.
    pub fn into_inner(self) -> F {
        self.inner
    }

    /// The trace, for its other functions.
    pub fn trace_mut(&mut self) -> &mut PollTrace {
        &mut self.trace
    }
}

/// The name of the type: for an async block or function, the function around it.
fn function<F>() -> &'static str {
    let name = type_name::<F>();
    // Up to Rust 1.63, the type of an async block is wrapped.
    let block = name.strip_prefix("core::future::from_generator::GenFuture<").and_then(|rest| rest.strip_suffix('>'));
    block.unwrap_or(name).trim_end_matches("::{{closure}}")
}

impl<F: Future> TracedFuture<F> {
    /// Polls a future with a station while tracing is on. `session` is not 0.
    fn poll_traced(&mut self, session: u32, context: &mut Context<'_>) -> Poll<F::Output> {
        self.trace.resume(session);
        if session & LANES_BIT == 0 {
            let result = self.poll_inner(context);
            if result.is_pending() {
                self.suspend();
            }
            return result;
        }
        let identity = self.trace.identity();
        let frame =
            Frame::new(&mut self.task, context.waker(), self.trace.session(), identity, self.trace.wait_number());
        let entered = frame.enter();
        let result = match frame.waker() {
            Some(waker) => self.poll_inner(&mut Context::from_waker(&waker)),
            None => self.poll_inner(context),
        };
        drop(entered);
        if result.is_pending() {
            frame.report_child();
            self.suspend();
            frame.suspended();
        }
        result
    }

    fn poll_inner(&mut self, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `self` is pinned, and `inner` is never moved out of a pinned wrapper.
        unsafe { Pin::new_unchecked(&mut self.inner) }.poll(context)
    }

    /// Writes the suspension, after the future answered "pending": no other thread can poll it yet.
    fn suspend(&mut self) {
        let session = PAGE.session.load(Acquire);
        if session != 0 && self.trace.session() != 0 {
            self.trace.set_site(self.location, function::<F>());
            self.trace.suspend(session, &self.inner as *const F as usize as u64);
        }
    }
}

impl<F: Future> Future for TracedFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: nothing is moved out of `this`.
        let this = unsafe { self.get_unchecked_mut() };
        let session = PAGE.session.load(Acquire);
        let result = if session != 0 && this.trace.session() != 0 {
            this.poll_traced(session, context)
        } else {
            let result = this.poll_inner(context);
            if result.is_pending() {
                this.suspend();
            }
            result
        };
        if result.is_ready() {
            this.task.retire();
            this.trace.on_ready();
        }
        result
    }
}

/// Traces a future: see [`TracedFuture`]. The line of this call is the site of its suspensions.
#[track_caller]
pub fn trace_future<F: Future>(future: F) -> TracedFuture<F> {
    TracedFuture::new(future)
}

/// `future.traced()` for every future.
pub trait TraceFutureExt: Future + Sized {
    /// As [`trace_future`]. `connect().traced().await` gives this `await` its own line; an `await` inside of a traced
    /// block or function has none.
    #[track_caller]
    fn traced(self) -> TracedFuture<Self> {
        trace_future(self)
    }
}

impl<F: Future> TraceFutureExt for F {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wrapper_adds_64_bytes() {
        assert_eq!(std::mem::size_of::<TracedFuture<[u64; 4]>>(), 32 + 64); // as docs/probe/rust.md says
    }

    async fn some_function() {}

    fn function_of<F>(_: &F) -> &'static str {
        function::<F>()
    }

    #[test]
    fn the_function_of_an_async_block_is_the_one_around_it() {
        let block = async {};
        assert_eq!(
            function_of(&block),
            "corotracer::on::future::tests::the_function_of_an_async_block_is_the_one_around_it"
        );
        assert_eq!(function_of(&some_function()), "corotracer::on::future::tests::some_function");
        assert_eq!(function_of(&std::future::ready(1)), "core::future::ready::Ready<i32>");
    }
}
