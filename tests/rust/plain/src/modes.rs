// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//! What the target does. Each function returns the numbers of traced futures and events, which follow from its code.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use corotracer::{trace_future, PollTrace, TraceFutureExt, TracedFuture, Wait};

use crate::executor::{yield_once, Event, Executor};

pub async fn yields(count: usize) {
    for _ in 0..count {
        yield_once().await;
    }
}

/// Tasks that move between threads.
pub fn storm(threads: usize, tasks: usize, suspensions: usize) -> (usize, usize) {
    let executor = Executor::default();
    for i in 0..tasks {
        executor.spawn(yields(suspensions).traced().named(if i % 2 == 0 { "even" } else { "odd" }));
    }
    executor.run(threads);
    (tasks, tasks * (2 * suspensions + 1))
}

/// One thread after the other, with a name and one task each.
pub fn short_lived(threads: usize) -> (usize, usize) {
    corotracer::init_tracer(); // before the first name
    for number in 0..threads {
        let body = move || {
            corotracer::name_thread(&format!("short {number}"));
            let executor = Executor::default();
            executor.spawn(yields(1).traced());
            assert_eq!(executor.run_until_idle(), 0);
        };
        std::thread::spawn(body).join().unwrap();
    }
    (threads, 3 * threads)
}

/// `outer` creates `inner`, and waits for it. `waker` sets the event that `inner` waits for.
pub fn nested() -> (usize, usize) {
    let executor = Executor::default();
    let event = Event::default();
    let set = event.clone();
    let outer = async move {
        event.traced().named("inner").await;
    };
    executor.spawn(outer.traced().named("outer"));
    executor.spawn(async move { set.set() }.traced().named("waker"));
    assert_eq!(executor.run_until_idle(), 0);
    (3, 3 + 3 + 1)
}

/// Polls all of its futures each time, as `join!` does.
struct Joined(Vec<Option<Pin<Box<TracedFuture<Event>>>>>);

impl Future for Joined {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        for slot in &mut self.0 {
            if slot.as_mut().map_or(false, |future| future.as_mut().poll(context).is_ready()) {
                *slot = None;
            }
        }
        if self.0.iter().all(Option::is_none) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

/// A future that waits for three others. The first is set before it begins.
pub fn joined() -> (usize, usize) {
    let executor = Executor::default();
    let events = [Event::default(), Event::default(), Event::default()];
    events[0].set();
    let own = events.clone();
    let body = async move {
        let names = ["first", "second", "third"];
        let parts = own.into_iter().zip(names).map(|(event, name)| Some(Box::pin(event.traced().named(name))));
        Joined(parts.collect()).await;
    };
    executor.spawn(body.traced().named("joiner"));
    assert_eq!(executor.run_until_idle(), 1);
    events[2].set();
    assert_eq!(executor.run_until_idle(), 1);
    events[1].set();
    assert_eq!(executor.run_until_idle(), 0);
    // joiner 5, first 1, second 5 (polled with the third), third 3
    (4, 5 + 1 + 5 + 3)
}

/// Answers "pending", and keeps no waker.
struct Orphan;

impl Future for Orphan {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

/// Polls a future with a waker of its own, as a set of futures does. Keeps the waker of its task.
struct OwnWaker<F>(F, Option<Waker>);

impl<F: Future<Output = ()> + Unpin> Future for OwnWaker<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.1 = Some(context.waker().clone());
        let waker = Waker::from(Arc::new(Silent));
        Pin::new(&mut self.0).poll(&mut Context::from_waker(&waker))
    }
}

/// Futures that lose their last waker: `orphan` while it is polled, `lost` later. The others lose none, or it proves
/// nothing: `kept` has a waker, `woken` was woken before, `dropped` ends, and `outer` and `set` poll another one.
pub fn wakers() -> (usize, usize) {
    let executor = Executor::default();
    let [lost, kept, woken] = [Event::default(), Event::default(), Event::default()];
    executor.spawn(Orphan.traced().named("orphan"));
    executor.spawn(lost.clone().traced().named("lost"));
    executor.spawn(kept.clone().traced().named("kept"));
    executor.spawn(woken.clone().traced().named("woken"));
    let within = Event::default();
    let inner = within.clone().traced().named("within");
    executor.spawn(inner.traced().named("outer"));
    let member = Orphan.traced().named("member");
    executor.spawn(OwnWaker(member, None).traced().named("set"));
    assert_eq!(executor.run_until_idle(), 6);
    let loser = move || lost.lose_waker();
    std::thread::spawn(loser).join().unwrap();
    woken.set(); // not polled any more
    let mut dropped = Box::pin(Event::default().traced().named("dropped"));
    let waker = Waker::from(Arc::new(Silent));
    assert!(dropped.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    drop(dropped);
    std::mem::forget((executor, kept, within)); // the tasks end with the process
    (9, 9 * 2)
}

struct Silent;

impl Wake for Silent {
    fn wake(self: Arc<Self>) {}
}

struct Counting(AtomicU64);

impl Wake for Counting {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// A future that is polled with one waker, then with another. Each wake reaches the waker of its poll.
pub fn moved() -> (usize, usize) {
    let wakers = [Arc::new(Counting(AtomicU64::new(0))), Arc::new(Counting(AtomicU64::new(0)))];
    let event = Event::default();
    let mut future = Box::pin(trace_future(event.clone()).named("moved"));
    let mut kept = Vec::new();
    for counting in &wakers {
        let waker = Waker::from(counting.clone());
        for _ in 0..3 {
            assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            kept.extend(event.waker());
        }
    }
    // will_wake works: three polls with one waker leave one waker.
    assert!(kept[0].will_wake(&kept[1]) && kept[1].will_wake(&kept[2]) && !kept[2].will_wake(&kept[3]));
    let late = kept[5].clone();
    for waker in kept {
        waker.wake(); // the future has left the first waker, and is runnable after its first wake
    }
    assert_eq!((wakers[0].0.load(Relaxed), wakers[1].0.load(Relaxed)), (3, 3));
    event.set();
    assert_eq!(wakers[1].0.load(Relaxed), 4);
    let last = Waker::from(wakers[1].clone());
    assert!(future.as_mut().poll(&mut Context::from_waker(&last)).is_ready());
    late.wake(); // reaches the executor, but the future is dead
    assert_eq!(wakers[1].0.load(Relaxed), 5);
    drop((future, last, event));
    assert_eq!(Arc::strong_count(&wakers[0]), 1); // no waker leaked
    assert_eq!(Arc::strong_count(&wakers[1]), 1);
    (1, 13)
}

/// Reports the use of a lock, waits of all kinds, and a low-level trace with its own sites.
pub fn objects() -> (usize, usize) {
    let executor = Executor::default();
    let lock = Arc::new(5);
    let own = lock.clone();
    let body = async move {
        corotracer::waits_on(Wait::lock(&*own));
        yield_once().await;
        corotracer::note_acquired(&*own);
        corotracer::note_released(&*own);
        corotracer::note_signalled(&*own);
        corotracer::waits_for_any(&[Wait::channel(&*own), Wait::Timer(std::time::Instant::now())]);
        yield_once().await;
        corotracer::waits_for_all(&[Wait::Descriptor(7), Wait::other(&*own)]);
        yield_once().await;
    };
    executor.spawn(body.traced().named("user"));
    assert_eq!(executor.run_until_idle(), 0);
    corotracer::note_acquired(&*lock); // without a future
    let mut trace = PollTrace::new();
    trace.set_name("low level");
    trace.on_resume();
    trace.waits_on(Wait::Descriptor(0));
    trace.on_pending(Pin::new(&mut 0));
    trace.waits_on(Wait::Descriptor(1));
    (2, 7 + 2)
}
