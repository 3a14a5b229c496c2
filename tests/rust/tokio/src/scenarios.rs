// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//! Twelve uses of traced futures with Tokio. Their numbers of events follow from their code: each poll of a traced
//! future is one event, and each "pending" another one.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use corotracer::{PollTrace, TraceFutureExt, TracedFuture};
use tokio::sync::{mpsc, oneshot, Barrier};
use tokio::task::{yield_now, JoinHandle};
use tokio::time::sleep;

/// Events as the program counts them by itself.
pub static EVENTS: AtomicU64 = AtomicU64::new(0);
/// Traced futures.
pub static FUTURES: AtomicU64 = AtomicU64::new(0);

/// Counts the polls and the answers "pending" of the future in it.
struct Counted<F>(F);

impl<F: Future> Future for Counted<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: the future is not moved out.
        let inner = unsafe { self.map_unchecked_mut(|counted| &mut counted.0) };
        let result = inner.poll(context);
        EVENTS.fetch_add(if result.is_pending() { 2 } else { 1 }, Relaxed);
        result
    }
}

/// A traced future that counts its events.
#[track_caller]
fn traced<F: Future>(future: F) -> TracedFuture<impl Future<Output = F::Output>> {
    FUTURES.fetch_add(1, Relaxed);
    Counted(future).traced()
}

#[track_caller]
fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    tokio::spawn(traced(future))
}

fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

async fn join<T>(handles: Vec<JoinHandle<T>>) -> Vec<T> {
    let mut results = Vec::new();
    for handle in handles {
        results.push(handle.await.expect("a task panicked"));
    }
    results
}

pub const COUNT: usize = 12;

/// Events of each scenario on the current-thread runtime with paused time.
pub const EXPECTED: [u64; COUNT] = [3, 60, 17, 6, 33, 38, 13, 40, 700, 13, 4, 4];

/// Runs scenario `number`, from 1.
pub async fn run(number: usize) {
    match number {
        1 => traced(sleep(ms(1))).await,
        2 => many_tasks(20).await,
        3 => several_suspensions(8).await,
        4 => one_value().await,
        5 => producers(10).await,
        6 => barrier(8).await,
        7 => traced(yields(6)).await,
        8 => mixed(8).await,
        9 => stress(100).await,
        10 => nested(6).await,
        11 => low_level(),
        12 => dropped_early().await,
        _ => panic!("there is no scenario {number}"),
    }
}

async fn many_tasks(count: u64) {
    let task = |i| async move {
        sleep(ms(1 + i % 3)).await;
        i
    };
    let results = join((0..count).map(|i| spawn(task(i))).collect()).await;
    assert_eq!(results.iter().sum::<u64>(), count * (count - 1) / 2);
}

async fn several_suspensions(count: u64) {
    traced(async move {
        for _ in 0..count {
            sleep(ms(1)).await;
        }
    })
    .await;
}

async fn one_value() {
    let (sender, receiver) = oneshot::channel();
    let from = spawn(async move {
        sleep(ms(2)).await;
        sender.send(42).expect("the receiver waits");
    });
    let to = spawn(async move { receiver.await.expect("the sender sends") });
    from.await.expect("the sender panicked");
    assert_eq!(to.await.expect("the receiver panicked"), 42);
}

async fn producers(count: u64) {
    let (sender, mut receiver) = mpsc::channel(count as usize + 1);
    let producers = (0..count).map(|i| {
        let sender = sender.clone();
        spawn(async move {
            sleep(ms(1)).await;
            sender.send(i).await.expect("the receiver waits");
        })
    });
    let producers = producers.collect();
    drop(sender);
    let consumer = spawn(async move {
        let mut sum = 0;
        while let Some(value) = receiver.recv().await {
            sum += value;
        }
        sum
    });
    join(producers).await;
    assert_eq!(consumer.await.expect("the consumer panicked"), count * (count - 1) / 2);
}

async fn barrier(count: usize) {
    let barrier = Arc::new(Barrier::new(count));
    let tasks = (0..count).map(|_| {
        let barrier = barrier.clone();
        spawn(async move {
            sleep(ms(1)).await;
            barrier.wait().await.is_leader()
        })
    });
    let leaders = join(tasks.collect()).await;
    assert_eq!(leaders.iter().filter(|&&leads| leads).count(), 1);
}

async fn yields(count: u64) {
    for _ in 0..count {
        yield_now().await;
    }
}

async fn mixed(count: u64) {
    let tasks = (0..count).map(|i| {
        spawn(async move {
            sleep(ms(1 + i % 3)).await;
            yield_now().await;
        })
    });
    join(tasks.collect()).await;
}

async fn stress(count: u64) {
    let tasks = (0..count).map(|i| {
        spawn(async move {
            sleep(ms(1 + i % 5)).await;
            yield_now().await;
            sleep(ms(1)).await;
        })
    });
    join(tasks.collect()).await;
}

async fn nested(depth: u64) {
    async fn level() -> u64 {
        sleep(ms(1)).await;
        1
    }
    let sum = traced(async move {
        let mut sum = 0;
        for _ in 0..depth {
            sum += level().await;
        }
        sum
    });
    assert_eq!(sum.await, depth);
}

/// Two suspensions and two resumptions, and a trace without an event.
fn low_level() {
    let mut trace = PollTrace::new();
    for addr in [0xDEAD_BEEF_CAFE_0001, 0xDEAD_BEEF_CAFE_0002] {
        trace.on_pending_addr(addr);
        trace.on_resume();
        trace.on_resume(); // runs already: no event
    }
    trace.mark_dead();
    trace.mark_dead();
    trace.on_resume(); // dead: no event
    drop(trace);
    drop(PollTrace::new());
    FUTURES.fetch_add(2, Relaxed);
    EVENTS.fetch_add(4, Relaxed);
}

async fn dropped_early() {
    tokio::select! {
        biased;
        () = traced(sleep(Duration::from_secs(9999))) => panic!("nothing waits that long"),
        () = sleep(ms(5)) => {}
    }
}
