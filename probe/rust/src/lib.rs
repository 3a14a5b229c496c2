// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]
//! Traces the futures of a program into shared memory, where `corotracer-gui` shows them live.
//!
//! ```no_run
//! use corotracer::TraceFutureExt;
//!
//! # fn spawn<F: std::future::Future>(_: F) {}
//! # async fn serve(_: u32) {}
//! # let socket = 0;
//! spawn(serve(socket).traced().named("session 42"));
//! ```
//!
//! A program that `corotracer-gui` started attaches at its first traced future, or in [`init_tracer`]. Any other
//! program is untraced, at the cost of a load and a branch for each event. The crate has no dependencies, and works
//! with any executor. Programs written for the existing coroTracer Rust SDK compile unchanged.
//!
//! Nothing is printed but one line on stderr if a region is faulty. `errno` is preserved, nothing panics, and memory is
//! allocated once for each task. `docs/probe/rust.md` of corotracer-gui describes the costs and the limits.
//!
//! With the feature `off`, the crate keeps its API and does nothing.
//!
//! The crate has no flight recorder: a region in overwrite mode is used as a region without lanes. In a region without
//! lanes, it leaves the growth of the number of stations to the engine.

#[cfg(not(any(feature = "off", all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))))]
compile_error!("corotracer supports Linux on x86-64 and AArch64; build for another system with the feature `off`");

mod wait;
pub use wait::Wait;

#[cfg(feature = "off")]
mod off;
#[cfg(feature = "off")]
pub use off::*;

#[cfg(not(feature = "off"))]
mod on;
#[cfg(not(feature = "off"))]
pub use on::*;

#[cfg(test)]
mod tests {
    //! The API of the existing SDK, without an engine, with and without the feature `off`.

    use super::*;
    use std::future::Future;
    use std::pin::Pin;
    use std::sync::Arc;
    use std::task::{Context, Poll, Wake, Waker};

    struct Nothing;

    impl Wake for Nothing {
        fn wake(self: Arc<Self>) {}
    }

    /// Ready at the second poll.
    struct Second(bool);

    impl Future for Second {
        type Output = u32;

        fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<u32> {
            if std::mem::replace(&mut self.0, true) {
                Poll::Ready(7)
            } else {
                Poll::Pending
            }
        }
    }

    fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
        let waker = Waker::from(Arc::new(Nothing));
        Pin::new(future).poll(&mut Context::from_waker(&waker))
    }

    #[test]
    fn a_process_without_an_engine_is_untraced() {
        init_tracer();
        assert!(!tracer_enabled());
        assert!(!PollTrace::new().is_enabled());
        assert!(!PollTrace::default().is_enabled());
    }

    #[test]
    fn a_traced_future_gives_the_answers_of_its_future() {
        let mut future = trace_future(Second(false));
        assert_eq!(poll(&mut future), Poll::Pending);
        assert_eq!(poll(&mut future), Poll::Ready(7));
        let mut future = Second(false).traced().named("second");
        assert_eq!(poll(&mut future), Poll::Pending);
        assert_eq!(poll(&mut future.into_inner()), Poll::Ready(7));
        TracedFuture::new(1).trace_mut().on_resume();
    }

    #[test]
    fn each_function_of_a_trace_may_be_called_at_any_time() {
        let mut trace = PollTrace::new();
        for _ in 0..2 {
            trace.on_resume();
            trace.on_resume();
            trace.on_pending(Pin::new(&mut 1));
            trace.on_pending_addr(u64::MAX);
            trace.set_name("name");
            trace.waits_on(Wait::lock(&1));
            trace.on_ready();
            trace.mark_dead();
        }
    }

    #[test]
    fn reports_without_an_engine_do_nothing() {
        let object = 1;
        name_thread("thread");
        waits_on(Wait::channel(&object));
        waits_for_any(&[Wait::Descriptor(1), Wait::other(&object)]);
        waits_for_all(&[]);
        note_acquired(&object);
        note_released(&object);
        note_signalled("text");
        enable(true);
    }

    #[test]
    fn traces_move_between_threads_as_their_futures_do() {
        fn is_send<T: Send>() {}
        is_send::<PollTrace>();
        is_send::<TracedFuture<std::future::Ready<()>>>();
    }
}
