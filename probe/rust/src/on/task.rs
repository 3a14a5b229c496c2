// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! The wrapped waker of a traced future: reports who woke it, and when nothing is left that could. One is allocated for
//! each task, at its first poll with lanes. A future gets the same waker at each poll, so `will_wake` works.

use std::alloc::{alloc, dealloc, Layout};
use std::cell::{Cell, UnsafeCell};
use std::mem::ManuallyDrop;
use std::ptr::null;
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::task::{RawWaker, RawWakerVTable, Waker};

use crate::on::lane::{write_record, Record};
use crate::on::layout::*;
use crate::on::notes::write_wait;
use crate::on::state::{running_coroutine, thread, Thread};
use crate::on::switch::lane_session;

// The word of a task: references (28 bits, high) | number (32 bits) | flags (4 bits). The number is that of the event
// behind the suspension that the task is in, or runs towards. A wake carries it: it woke suspension number - 1.
const WOKEN: u64 = 1; // since the latest poll began
const SUSPENDED: u64 = 2; // the latest poll has answered "pending"
const RETIRED: u64 = 4; // the future is dead, or has another task: nothing is reported any more
const NESTED: u64 = 8; // another traced future polls it: without wakers, it may be polled again
const FLAGS: u64 = 15;
const NUMBER: u64 = 0xFFFF_FFFF << 4;
const REFERENCE: u64 = 1 << 36;
const MOST_REFERENCES: u64 = 1 << 27;

fn number_in(word: u64) -> u32 {
    (word >> 4) as u32
}

fn references_in(word: u64) -> u64 {
    word / REFERENCE
}

/// What the wakers of a future share. One reference belongs to the future, the others to clones of its waker.
struct Task {
    word: AtomicU64,
    identity: u64,
    session: u32,
    inner: UnsafeCell<Waker>, // the executor's; replaced only while the future has the only reference
}

impl Task {
    /// A waker that borrows the future's reference.
    fn waker(&self) -> ManuallyDrop<Waker> {
        // SAFETY: the functions of the table keep the contract of RawWaker. The caller of `waker` does not drop it.
        ManuallyDrop::new(unsafe { Waker::from_raw(RawWaker::new((self as *const Task).cast(), &TABLE)) })
    }

    fn inner(&self) -> &Waker {
        // SAFETY: replaced only while no other reference exists.
        unsafe { &*self.inner.get() }
    }

    /// Reports the wake, unless the task is already runnable. Before it is handed to the executor.
    fn note_wake(&self) {
        // Acquire: a poll that began before has stored its number.
        let word = self.word.fetch_or(WOKEN, AcqRel);
        let session = lane_session();
        if word & (WOKEN | RETIRED) != 0 || session == 0 || session != self.session {
            return;
        }
        let by = running_coroutine(thread(), session);
        let record = Record { kind: RECORD_WAKE, identity: self.identity, arg: by, n: number_in(word), site: 0 };
        write_record(session, record);
    }

    /// The latest poll has answered "pending", and its suspension is written. If the poll left no waker behind, and no
    /// wake either, reports that.
    fn suspended(&self) {
        let word = self.word.fetch_or(SUSPENDED, AcqRel);
        report_if_lost(word | SUSPENDED, references_in(word), self.identity, self.session);
    }
}

/// Reports that nothing is left that could wake the future, if `word` says so. `references`: that are left.
fn report_if_lost(word: u64, references: u64, identity: u64, own_session: u32) {
    if references == 1 && word & FLAGS == SUSPENDED {
        let session = lane_session();
        if session != 0 && session == own_session {
            write_record(session, Record { kind: RECORD_WAKERS_LEFT, identity, arg: 0, n: number_in(word), site: 0 });
        }
    }
}

static TABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, release);

unsafe fn clone(task: *const ()) -> RawWaker {
    // SAFETY: a waker keeps its task alive.
    let word = unsafe { &*task.cast::<Task>() }.word.fetch_add(REFERENCE, Relaxed);
    if references_in(word) > MOST_REFERENCES {
        std::process::abort(); // as Arc does: clones were leaked until the count is about to overflow
    }
    RawWaker::new(task, &TABLE)
}

unsafe fn wake(task: *const ()) {
    // SAFETY: by the caller; this reference keeps the task alive during the wake.
    unsafe {
        wake_by_ref(task);
        release(task);
    }
}

unsafe fn wake_by_ref(task: *const ()) {
    // SAFETY: a waker keeps its task alive.
    let task = unsafe { &*task.cast::<Task>() };
    task.note_wake();
    task.inner().wake_by_ref();
}

/// Drops a reference.
unsafe fn release(task: *const ()) {
    let task = task as *mut Task;
    // SAFETY: this reference keeps the task alive up to the fetch_sub, so everything else is read before.
    let (identity, session, word) = unsafe {
        let task = &*task;
        let (identity, session) = (task.identity, task.session);
        // Release: the uses of this reference come before the end of the task; acquire in the thread that ends it.
        (identity, session, task.word.fetch_sub(REFERENCE, AcqRel))
    };
    match references_in(word) {
        // SAFETY: it was the last reference.
        1 => unsafe {
            std::ptr::drop_in_place(task);
            dealloc(task.cast(), Layout::new::<Task>());
        },
        left => report_if_lost(word, left - 1, identity, session),
    }
}

/// A future's reference to its task.
pub struct TaskRef(*const Task);

// SAFETY: a task may be used and dropped by any thread, as its wakers are.
unsafe impl Send for TaskRef {}

impl TaskRef {
    pub const fn none() -> Self {
        TaskRef(null())
    }

    /// Prepares for a poll with `waker`, inside of the poll `outer`. Returns the task whose waker the poll gets; null:
    /// it gets `waker` itself, because that already is the wrapped waker of an enclosing poll, or memory is short.
    fn begin(&mut self, waker: &Waker, outer: Option<&Frame>, trace: (u32, u64, u32)) -> *const Task {
        let (session, identity, number) = trace;
        // SAFETY: the task of an enclosing poll lives during that poll.
        let enclosing = outer.and_then(|outer| unsafe { outer.task.as_ref() });
        if enclosing.map_or(false, |task| waker.will_wake(&task.waker())) {
            self.retire();
            return null();
        }
        let nested = if outer.is_some() { NESTED } else { 0 };
        // SAFETY: this reference keeps the task alive.
        if let Some(task) = unsafe { self.0.as_ref() } {
            if !task.inner().will_wake(waker) {
                // Acquire; partner: the release of the last other reference.
                if references_in(task.word.load(Acquire)) == 1 {
                    // SAFETY: the future has the only reference, and `self` is exclusive.
                    unsafe { *task.inner.get() = waker.clone() };
                } else {
                    self.retire();
                }
            }
        }
        if self.0.is_null() {
            // SAFETY: the layout is not empty.
            let fresh = unsafe { alloc(Layout::new::<Task>()) }.cast::<Task>();
            if fresh.is_null() {
                return null();
            }
            let word = AtomicU64::new(REFERENCE);
            // SAFETY: just allocated.
            unsafe { fresh.write(Task { word, identity, session, inner: UnsafeCell::new(waker.clone()) }) };
            self.0 = fresh;
        }
        // SAFETY: as above.
        let task = unsafe { &*self.0 };
        let next = u64::from(number) << 4 | nested;
        // Release; partner: the acquire in note_wake.
        let _ = task.word.fetch_update(AcqRel, Relaxed, |word| Some(word & !(NUMBER | FLAGS) | next));
        self.0
    }

    /// The future is dead, or has no task any more.
    pub fn retire(&mut self) {
        let task = std::mem::replace(&mut self.0, null());
        if !task.is_null() {
            // SAFETY: this reference keeps the task alive, and is given up.
            unsafe {
                (*task).word.fetch_or(RETIRED, Relaxed);
                release(task.cast());
            }
        }
    }
}

impl Drop for TaskRef {
    fn drop(&mut self) {
        self.retire();
    }
}

// ---------------------------------------------------------------- polls

/// One poll of a traced future, on the stack of its thread.
pub struct Frame {
    outer: *const Frame,
    task: *const Task, // whose waker the poll has, or an enclosing poll of the same task; null: a waker of the program
    own: *const Task,
    pub session: u32,
    pub identity: u64,
    pub suspension: u32, // number of the suspension that the poll may end with
    // Traced futures that answered "pending" in this poll: the suspension waits for them.
    first_child: Cell<u64>,
    children: Cell<u32>,
}

/// The program reported the wait itself.
const REPORTED: u32 = u32::MAX;

impl Frame {
    /// Begins a poll. `number`: of the suspension that it may end with.
    pub fn new(task: &mut TaskRef, waker: &Waker, session: u32, identity: u64, suspension: u32) -> Self {
        let outer = thread().poll.get();
        // SAFETY: an enclosing poll is on the stack of this thread.
        let outer_frame = unsafe { outer.as_ref() };
        let own = task.begin(waker, outer_frame, (session, identity, suspension.wrapping_add(1)));
        let inherited = outer_frame.map_or(null(), |frame| frame.task);
        Frame {
            outer,
            task: if own.is_null() { inherited } else { own },
            own,
            session,
            identity,
            suspension,
            first_child: Cell::new(NO_IDENTITY),
            children: Cell::new(0),
        }
    }

    /// The innermost poll of a traced future on this thread.
    pub fn innermost<'a>() -> Option<&'a Frame> {
        // SAFETY: the frame is on the stack of this thread, below the caller.
        unsafe { thread().poll.get().as_ref() }
    }

    /// The waker for the poll; None: that of the caller.
    pub fn waker(&self) -> Option<ManuallyDrop<Waker>> {
        // SAFETY: the future's reference keeps the task alive during the poll.
        unsafe { self.own.as_ref() }.map(Task::waker)
    }

    /// Makes this the innermost poll, until the result is dropped. A panic unwinds through it.
    pub fn enter(&self) -> Entered<'_> {
        let thread = thread();
        thread.poll.set(self);
        Entered { frame: self, thread }
    }

    /// The program reports what this poll waits for: no child is reported.
    pub fn forget_children(&self) {
        self.children.set(REPORTED);
    }

    /// Reports the child that the suspension waits for, if there is one. Before the suspension is written.
    pub fn report_child(&self) {
        if self.children.get() == 1 {
            self.write_child(self.first_child.get(), 0);
        }
    }

    /// The suspension of this poll is written.
    pub fn suspended(&self) {
        // SAFETY: as in `waker`.
        if let Some(task) = unsafe { self.own.as_ref() } {
            task.suspended();
        }
        // SAFETY: an enclosing poll is on the stack of this thread.
        if let Some(outer) = unsafe { self.outer.as_ref() } {
            outer.add_child(self.identity);
        }
    }

    /// A traced future answered "pending" in this poll. With a second one, the wait is for any of them, as far as the
    /// probe can see.
    fn add_child(&self, child: u64) {
        match self.children.get() {
            0 => self.first_child.set(child),
            REPORTED | WAIT_PARTS_MAX.. => return,
            index => {
                if index == 1 {
                    self.write_child(self.first_child.get(), wait_part(0, false));
                }
                self.write_child(child, wait_part(index, false));
            }
        }
        self.children.set(self.children.get() + 1);
    }

    fn write_child(&self, child: u64, part: u32) {
        let session = lane_session();
        if session != 0 && session == self.session {
            write_wait(session, self.identity, self.suspension, WAIT_COROUTINE, child, part);
        }
    }
}

/// While it lives, its frame is the innermost poll of the thread.
pub struct Entered<'a> {
    frame: &'a Frame,
    thread: &'static Thread,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.thread.poll.set(self.frame.outer);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_task_has_40_bytes() {
        assert_eq!(std::mem::size_of::<super::Task>(), 40); // as docs/probe/rust.md says
    }
}
