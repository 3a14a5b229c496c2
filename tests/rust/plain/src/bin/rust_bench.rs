// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//! What each feature of the crate costs: medians of CPU time over some repetitions, in ns.
//!
//! usage: [corotracer-gui --batch [--no-lanes] --] rust_bench

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use corotracer::{PollTrace, TraceFutureExt};

const REPETITIONS: usize = 25;
const COUNT: usize = 20_000; // per repetition; the lane of a thread has room for all records of one

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

/// ns of CPU time of this thread.
fn cpu_ns() -> f64 {
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the time is valid for the call.
    unsafe { clock_gettime(3, &mut time) }; // CLOCK_THREAD_CPUTIME_ID
    time.seconds as f64 * 1e9 + time.nanoseconds as f64
}

/// Prints the median cost of one `body`, which does `parts` things. The engine drains the lane between repetitions.
fn measure(what: &str, parts: usize, mut body: impl FnMut()) {
    let mut costs: Vec<f64> = (0..REPETITIONS)
        .map(|_| {
            std::thread::sleep(Duration::from_millis(5));
            body();
            let begin = cpu_ns();
            for _ in 0..COUNT {
                body();
            }
            (cpu_ns() - begin) / (COUNT * parts) as f64
        })
        .collect();
    costs.sort_by(f64::total_cmp);
    println!("{:7.2} ns  {what}", costs[REPETITIONS / 2]);
}

struct Nothing;

impl Wake for Nothing {
    fn wake(self: Arc<Self>) {}
    fn wake_by_ref(self: &Arc<Self>) {}
}

/// Never ready. Keeps the waker, as futures do.
#[derive(Default)]
struct Forever(Option<Waker>);

impl Future for Forever {
    type Output = ();

    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match &self.0 {
            Some(waker) if waker.will_wake(context.waker()) => {}
            _ => self.0 = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}

/// Wakes its own task in each poll.
struct WakesItself;

impl Future for WakesItself {
    type Output = ();

    #[inline(never)]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

fn main() {
    let waker = Waker::from(Arc::new(Nothing));
    let mut context = Context::from_waker(&waker);
    corotracer::init_tracer();
    println!("{}", if corotracer::tracer_enabled() { "traced" } else { "off" });

    let mut sum = 0;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    measure("reading the counter alone", 1, || sum ^= unsafe { core::arch::x86_64::_rdtsc() });
    assert_ne!(sum, 1);
    let mut trace = PollTrace::new();
    measure("one event: on_resume, on_pending_addr, divided by two", 2, || {
        trace.on_resume();
        trace.on_pending_addr(1);
    });
    let mut plain = Forever::default();
    measure("a poll that answers \"pending\", not wrapped", 1, || {
        let _ = Pin::new(&mut plain).poll(&mut context);
    });
    let mut future = Forever::default().traced();
    measure("a poll pair: such a poll of a traced future", 1, || {
        let _ = Pin::new(&mut future).poll(&mut context);
    });
    let mut outer = Forever::default().traced().traced();
    measure("two poll pairs: of a traced future in a traced one", 1, || {
        let _ = Pin::new(&mut outer).poll(&mut context);
    });
    let mut waking = corotracer::trace_future(WakesItself);
    measure("a poll pair, and a wake", 1, || {
        let _ = Pin::new(&mut waking).poll(&mut context);
    });
    measure("birth and death", 1, || drop(Forever(None).traced()));
    measure("birth, one poll pair with its waker, death", 1, || {
        let _ = Pin::new(&mut Forever(None).traced()).poll(&mut context);
    });
    measure("a name that many futures share", 1, || trace.set_name("worker"));
    let lock = 0;
    measure("one use of an object: note_acquired", 1, || corotracer::note_acquired(&lock));
}
