// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//! A small executor: one queue of tasks, polled by one thread or by several.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};

type BoxedFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

struct Task {
    future: Mutex<Option<BoxedFuture>>,
    queue: Arc<Queue>,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let queue = self.queue.clone();
        queue.push(self);
    }
}

#[derive(Default)]
struct State {
    runnable: VecDeque<Arc<Task>>,
    alive: usize, // tasks that are not ready yet
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

impl Queue {
    fn push(&self, task: Arc<Task>) {
        self.state.lock().unwrap().runnable.push_back(task);
        self.changed.notify_one();
    }
}

#[derive(Clone, Default)]
pub struct Executor(Arc<Queue>);

impl Executor {
    pub fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.0.state.lock().unwrap().alive += 1;
        let task = Task { future: Mutex::new(Some(Box::pin(future))), queue: self.0.clone() };
        self.0.push(Arc::new(task));
    }

    /// Polls tasks until none is runnable. Returns the number of tasks that are suspended.
    pub fn run_until_idle(&self) -> usize {
        loop {
            let next = self.0.state.lock().unwrap().runnable.pop_front();
            match next {
                Some(task) => self.poll(task),
                None => return self.0.state.lock().unwrap().alive,
            }
        }
    }

    /// Polls tasks on `threads` threads until all are ready.
    pub fn run(&self, threads: usize) {
        let workers: Vec<_> = (0..threads)
            .map(|number| {
                let own = self.clone();
                let body = move || own.work();
                std::thread::Builder::new().name(format!("worker {number}")).spawn(body).unwrap()
            })
            .collect();
        for worker in workers {
            worker.join().unwrap();
        }
    }

    fn work(&self) {
        loop {
            let mut state = self.0.state.lock().unwrap();
            let task = loop {
                match state.runnable.pop_front() {
                    Some(task) => break task,
                    None if state.alive == 0 => return,
                    None => state = self.0.changed.wait(state).unwrap(),
                }
            };
            drop(state);
            self.poll(task);
        }
    }

    fn poll(&self, task: Arc<Task>) {
        let waker = Waker::from(task.clone());
        let mut slot = task.future.lock().unwrap();
        let is_ready = match slot.as_mut() {
            Some(future) => future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready(),
            None => false, // woken after it was ready
        };
        if is_ready {
            *slot = None;
            self.0.state.lock().unwrap().alive -= 1;
            self.0.changed.notify_all();
        }
    }
}

/// Suspends once, and wakes itself.
pub struct Yield(bool);

pub fn yield_once() -> Yield {
    Yield(false)
}

impl Future for Yield {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

/// An event that one future waits for. It keeps the waker, as long as nothing takes it away.
#[derive(Clone, Default)]
pub struct Event(Arc<Mutex<(bool, Option<Waker>)>>);

impl Event {
    pub fn set(&self) {
        let waker = {
            let mut state = self.0.lock().unwrap();
            state.0 = true;
            state.1.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Forgets who waits: a bug of the program.
    pub fn lose_waker(&self) {
        self.0.lock().unwrap().1 = None;
    }

    /// The waker that is kept.
    pub fn waker(&self) -> Option<Waker> {
        self.0.lock().unwrap().1.clone()
    }
}

impl Future for Event {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.lock().unwrap();
        if state.0 {
            return Poll::Ready(());
        }
        match &state.1 {
            Some(waker) if waker.will_wake(context.waker()) => {}
            _ => state.1 = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}
