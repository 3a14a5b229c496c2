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

const REPETITIONS: usize = 41;
const COUNT: usize = 5_000; // per repetition; the lane of a thread has room for all records of one

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

/// Things to measure. `parts`: how many of them one call does.
#[derive(Default)]
struct Cases<'a>(Vec<(&'static str, usize, Box<dyn FnMut(usize) + 'a>)>);

impl<'a> Cases<'a> {
    fn add(&mut self, what: &'static str, parts: usize, mut body: impl FnMut() + 'a) {
        let run = move |count| (0..count).for_each(|_| body());
        self.0.push((what, parts, Box::new(run)));
    }

    /// Prints the median cost of each. The repetitions take turns, so a busy moment of the machine spoils none of them
    /// alone. The engine drains the lane in between.
    fn measure(mut self) {
        let mut costs = vec![Vec::new(); self.0.len()];
        for repetition in 0..=REPETITIONS {
            for ((_, parts, run), costs) in self.0.iter_mut().zip(&mut costs) {
                std::thread::sleep(Duration::from_millis(3));
                let begin = cpu_ns();
                run(COUNT);
                if repetition != 0 {
                    costs.push((cpu_ns() - begin) / (COUNT * *parts) as f64); // the first one warms up
                }
            }
        }
        for ((what, _, _), mut costs) in self.0.into_iter().zip(costs) {
            costs.sort_by(f64::total_cmp);
            println!("{:7.2} ns  {what}", costs[REPETITIONS / 2]);
        }
    }
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

#[cfg(target_arch = "x86_64")]
#[allow(unused_unsafe)] // safe in later versions of Rust
fn read_counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "aarch64")]
fn read_counter() -> u64 {
    let value: u64;
    // SAFETY: reads a register that Linux leaves readable.
    unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) value, options(nomem, nostack)) };
    value
}

fn poll(future: &mut (impl Future<Output = ()> + Unpin), waker: &Waker) {
    let _ = Pin::new(future).poll(&mut Context::from_waker(waker));
}

fn main() {
    let waker = Waker::from(Arc::new(Nothing));
    corotracer::init_tracer();
    println!("{}", if corotracer::tracer_enabled() { "traced" } else { "off" });

    let mut sum = 0;
    let mut trace = PollTrace::new();
    let mut plain = Forever::default();
    let mut future = Forever::default().traced();
    let mut outer = Forever::default().traced().traced();
    let mut waking = corotracer::trace_future(WakesItself);
    let mut named = PollTrace::new();
    let lock = 0;
    let mut cases = Cases::default();
    cases.add("reading the counter alone", 1, || sum ^= read_counter());
    cases.add("one event: on_resume, on_pending_addr, divided by two", 2, || {
        trace.on_resume();
        trace.on_pending_addr(1);
    });
    cases.add("a poll that answers \"pending\", not wrapped", 1, || {
        poll(&mut plain, &waker);
    });
    cases.add("a poll pair: such a poll of a traced future", 1, || {
        poll(&mut future, &waker);
    });
    cases.add("two poll pairs: of a traced future in a traced one", 1, || {
        poll(&mut outer, &waker);
    });
    cases.add("a poll pair, and a wake", 1, || {
        poll(&mut waking, &waker);
    });
    cases.add("birth and death", 1, || drop(Forever(None).traced()));
    cases.add("birth, one poll pair with its waker, death", 1, || {
        poll(&mut Forever(None).traced(), &waker);
    });
    cases.add("a name that many futures share", 1, || named.set_name("worker"));
    cases.add("one use of an object: note_acquired", 1, || corotracer::note_acquired(&lock));
    cases.measure();
}
