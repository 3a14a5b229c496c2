// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//! Programs of the corpus (tests/corpus) that use Tokio. They run until they are killed.
//!
//! usage: corpus_tokio --program NAME [--broken] [--threads N] [--unit MS]

use std::future::Future;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use corotracer::TraceFutureExt;
use tokio::sync::{mpsc, oneshot, Notify};
use tokio::time::sleep;

const CLIENTS: u32 = 6;
const VICTIM: u32 = 3;
const FAULT_ROUND: u32 = 8;

#[derive(Clone, Copy)]
struct Setting {
    broken: bool,
    threads: u32,
    unit: Duration,
}

/// True for the one round of one client in which a broken program does wrong.
fn is_fault(client: u32, round: u32) -> bool {
    client == VICTIM && round == FAULT_ROUND
}

/// Waits for ever.
async fn stay() {
    std::future::pending::<()>().await;
}

async fn answer(setting: Setting, sender: oneshot::Sender<u32>, fails: bool) {
    sleep(setting.unit).await;
    if !fails {
        let _ = sender.send(1);
    } else if setting.broken {
        std::mem::forget(sender); // kept somewhere, and never used
    }
}

async fn ask_often(setting: Setting, client: u32) {
    for round in 0.. {
        sleep(setting.unit * (2 + client % 3)).await;
        let (sender, receiver) = oneshot::channel();
        tokio::spawn(answer(setting, sender, is_fault(client, round)).traced());
        let _ = receiver.traced().await;
    }
}

/// The sender of an answer is kept, and never sends.
async fn forgotten_sender(setting: Setting) {
    for client in 0..CLIENTS {
        tokio::spawn(ask_often(setting, client).traced());
    }
    stay().await;
}

#[derive(Default)]
struct Bell {
    rang: AtomicBool,
    notify: Notify,
}

async fn ring_later(setting: Setting, bell: Arc<Bell>) {
    sleep(setting.unit).await;
    bell.rang.store(true, SeqCst);
    bell.notify.notify_waiters();
}

async fn listen(setting: Setting, client: u32) {
    let bell = Arc::new(Bell::default());
    for round in 0.. {
        sleep(setting.unit * (2 + client % 3)).await;
        bell.rang.store(false, SeqCst);
        tokio::spawn(ring_later(setting, bell.clone()).traced());
        let is_late = is_fault(client, round);
        if is_late {
            sleep(setting.unit * 3).await; // the bell rings now
        }
        // The broken listener does not look whether it has.
        if (is_late && setting.broken) || !bell.rang.load(SeqCst) {
            bell.notify.notified().traced().await;
        }
    }
}

/// A notification comes before the wait for it.
async fn missed_notification(setting: Setting) {
    for client in 0..CLIENTS {
        tokio::spawn(listen(setting, client).traced());
    }
    stay().await;
}

#[derive(Default)]
struct Shared {
    done: bool,
    waker: Option<Waker>,
}

/// A future as programs write it by hand. The broken one keeps no waker.
struct Completion {
    shared: Arc<Mutex<Shared>>,
    forgets: bool,
}

impl Future for Completion {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut shared = self.shared.lock().unwrap();
        if shared.done {
            return Poll::Ready(());
        }
        if !self.forgets {
            shared.waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

async fn complete(setting: Setting, shared: Arc<Mutex<Shared>>) {
    sleep(setting.unit).await;
    let mut shared = shared.lock().unwrap();
    shared.done = true;
    if let Some(waker) = shared.waker.take() {
        waker.wake();
    }
}

async fn use_completions(setting: Setting, client: u32) {
    for round in 0.. {
        sleep(setting.unit * (2 + client % 3)).await;
        let shared = Arc::new(Mutex::new(Shared::default()));
        tokio::spawn(complete(setting, shared.clone()).traced());
        Completion { shared, forgets: setting.broken && is_fault(client, round) }.traced().await;
    }
}

/// A future answers "pending", and keeps no waker.
async fn dropped_waker(setting: Setting) {
    for client in 0..CLIENTS {
        tokio::spawn(use_completions(setting, client).traced());
    }
    stay().await;
}

async fn cycle(setting: Setting, client: u32) {
    loop {
        sleep(setting.unit * (2 + client % 2)).traced().await;
    }
}

async fn call_the_system(setting: Setting) {
    sleep(setting.unit * 20).await;
    if setting.broken {
        let (mut near, _far) = UnixStream::pair().expect("sockets");
        let _ = near.read(&mut [0]); // nobody writes
    }
}

/// Futures call functions that block, until no thread is left.
async fn blocking_call(setting: Setting) {
    for client in 0..CLIENTS {
        tokio::spawn(cycle(setting, client).traced());
    }
    for _ in 0..setting.threads {
        tokio::spawn(call_the_system(setting).traced());
    }
    stay().await;
}

async fn work(setting: Setting, mut jobs: mpsc::Receiver<u32>) {
    while jobs.recv().traced().await.is_some() {
        sleep(setting.unit / 2).await;
    }
}

/// Workers with a queue each. After a while, only one of them has something to do.
async fn idle_pool(setting: Setting) {
    let mut queues = Vec::new();
    for _ in 0..5 {
        let (sender, receiver) = mpsc::channel(16);
        tokio::spawn(work(setting, receiver).traced());
        queues.push(sender);
    }
    for round in 0.. {
        for queue in queues.iter().take(if round < 12 { 5 } else { 1 }) {
            let _ = queue.try_send(round);
        }
        sleep(setting.unit * 2).await;
    }
}

async fn repeat(period: Duration) {
    loop {
        sleep(period).traced().await;
    }
}

/// Timers with periods of a few ms to an hour.
async fn periodic_work(setting: Setting) {
    let hour = Duration::from_secs(3600);
    for period in [setting.unit, setting.unit * 3, setting.unit * 8, Duration::from_millis(900), hour] {
        tokio::spawn(repeat(period).traced());
    }
    stay().await;
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let value = |name: &str| arguments.iter().position(|word| word == name).and_then(|at| arguments.get(at + 1));
    let number = |name: &str, default: u32| value(name).map_or(default, |text| text.parse().expect("a number"));
    let setting = Setting {
        broken: arguments.iter().any(|word| word == "--broken"),
        threads: number("--threads", 2),
        unit: Duration::from_millis(number("--unit", 20).into()),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(setting.threads as usize)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        match value("--program").map_or("", |name| name.as_str()) {
            "tokio-forgotten-sender" => forgotten_sender(setting).await,
            "tokio-missed-notification" => missed_notification(setting).await,
            "tokio-dropped-waker" => dropped_waker(setting).await,
            "tokio-blocking-call" => blocking_call(setting).await,
            "tokio-idle-pool" => idle_pool(setting).await,
            "tokio-periodic-work" => periodic_work(setting).await,
            other => panic!("no program {other}"),
        }
    });
}
