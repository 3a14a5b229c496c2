// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! State of the process (switch, region) and of each thread.

use std::cell::{Cell, UnsafeCell};
use std::ptr::null;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::*};

use crate::on::clock::{StillWatch, CLOCK};
use crate::on::layout::*;
use crate::on::region::{LaneAreas, Mapping, SiteArea};
use crate::on::sys;
use crate::on::task::Frame;

// A session is one init_tracer of one process. Its number differs from the sessions of all parents and children. The
// low three bits are flags.
/// No event needs a fence: the region's engine calls membarrier(2) before it sleeps.
pub const ENGINE_FENCES_BIT: u32 = 1;
/// The region has lanes, and this process writes to them.
pub const LANES_BIT: u32 = 2;
/// The engine paused tracing. Only in Page::session.
pub const PAUSED_BIT: u32 = 4;
pub const SESSION_STEP: u32 = 8;

/// The switch, on a page of its own. The kernel zeroes the page in a forked child (MADV_WIPEONFORK). So the child is
/// untraced until it calls init_tracer itself, which begins another session.
#[repr(C)]
#[cfg_attr(target_arch = "x86_64", repr(align(4096)))]
#[cfg_attr(target_arch = "aarch64", repr(align(65536)))]
pub struct Page {
    /// 0 = off, else the session, with PAUSED_BIT while the engine pauses tracing. Stored after all other state
    /// (release or stronger; partner: the acquire load at every event).
    pub session: AtomicU32,
    pub init_lock: AtomicU32,  // 1: a thread is in init_tracer; a lock (acquire/release)
    pub init_ended: AtomicU32, // 1: later births without a session are not counted as early
    pub guarded: AtomicU32,    // 1: the kernel or an atfork handler clears the page in children
    /// The session, also while it is off or paused; 0 = none. Stored before `session` (release or stronger; partner:
    /// acquire).
    pub attached: AtomicU32,
    pub disabled: AtomicU32,     // 1: the program called enable(false)
    pub early_births: AtomicU64, // seq_cst, see count_early_birth
}

const ZERO: AtomicU32 = AtomicU32::new(0);

pub static PAGE: Page = Page {
    session: ZERO,
    init_lock: ZERO,
    init_ended: ZERO,
    guarded: ZERO,
    attached: ZERO,
    disabled: ZERO,
    early_births: AtomicU64::new(0),
};

/// A value that a holder of a lock writes, and others read only after it was published.
pub struct Published<T>(UnsafeCell<T>);
// SAFETY: by the rule above, which every user states.
unsafe impl<T> Sync for Published<T> {}

impl<T> Published<T> {
    pub const fn new(value: T) -> Self {
        Published(UnsafeCell::new(value))
    }
    pub fn get(&self) -> *mut T {
        self.0.get()
    }
}

/// What init_tracer found: written before the session is published, then only read. A forked child may write it again,
/// as it has one thread and no session.
#[derive(Clone, Copy)]
pub struct Session {
    pub map: Mapping,
    pub process: *const ProcessEntry, // null without lanes
    pub process_index: u32,
    pub pid: u32,
}

static SESSION: Published<Option<Session>> = Published::new(None);
static HEADER: AtomicPtr<GlobalHeader> = AtomicPtr::new(std::ptr::null_mut());

/// The region's header. Call only during a session, as Session::get; relaxed, because that load was acquire.
#[inline(always)]
pub fn header() -> &'static GlobalHeader {
    // SAFETY: mapped for the life of the process.
    unsafe { &*HEADER.load(Relaxed) }
}

pub static SESSIONS: AtomicU32 = AtomicU32::new(0); // number of sessions so far, those of the parents included
/// Raw time at which tracing went on again, 0 = it was never off. Relaxed: what it decides is only a hint.
pub static ON_SINCE: AtomicU64 = AtomicU64::new(0);
/// ns, CLOCK_MONOTONIC: before this time no thread requests memory for stations.
pub static NO_MEMORY_BEFORE_NS: AtomicU64 = AtomicU64::new(0);
/// A thread key, plus 1, whose destructor leaves the lane of an ending thread; 0 = none. Relaxed: stored before the
/// session is published.
pub static THREAD_KEY: AtomicU32 = AtomicU32::new(0);

impl Session {
    /// The present session's state. Call only after `PAGE.attached` or `PAGE.session` was not 0 (acquire).
    #[inline(always)]
    pub fn get() -> &'static Session {
        // SAFETY: written before the session was published, and not while one exists.
        match unsafe { &*SESSION.get() } {
            Some(session) => session,
            None => unreachable(),
        }
    }

    /// # Safety
    /// The caller holds init_lock, and there is no session.
    pub unsafe fn set(self) {
        // SAFETY: by the caller.
        unsafe { *SESSION.get() = Some(self) }
        HEADER.store(self.map.header as *mut GlobalHeader, Relaxed);
    }

    /// The header of the extension. Only its fields for probes may be used without a check, and only if the region has
    /// sites.
    pub fn extension(&self) -> &'static ExtensionHeader {
        &header().extension
    }

    pub fn sites(&self) -> Option<&SiteArea> {
        self.map.sites.as_ref()
    }

    /// Only in a session with LANES_BIT.
    #[inline(always)]
    pub fn lanes(&self) -> &LaneAreas {
        match &self.map.lanes {
            Some(lanes) => lanes,
            None => unreachable(),
        }
    }

    pub fn process(&self) -> Option<&'static ProcessEntry> {
        // SAFETY: null, or mapped for the life of the process.
        unsafe { self.process.as_ref() }
    }
}

/// A panic in the middle of a future's poll would change the program, so a broken invariant ends here instead.
#[cold]
fn unreachable() -> ! {
    std::process::abort()
}

// ---------------------------------------------------------------- threads

pub const KEPT_STATIONS: usize = 32; // most free compact stations that a thread keeps

/// State of a thread. The first fields are used by every event.
#[repr(C, align(64))]
pub struct Thread {
    pub session: Cell<u32>, // session of all other fields, without PAUSED_BIT
    pub lap: Cell<u32>,     // lap of the slots from `next` to `end`
    pub tid: Cell<u64>,
    pub next: Cell<*const LaneRecord>, // slot of the next record
    pub end: Cell<*const LaneRecord>,  // records may go to the slots before it without a check
    /// Identity of the coroutine that was resumed last and not suspended since, 0 = none. May be out of date
    /// (running.rs).
    pub running: Cell<u64>,
    pub poll: Cell<*const Frame>, // the innermost poll of a TracedFuture, null = none; also without a session
    // For lanes, outside the hot path (lane.rs).
    pub lane: Cell<*const LaneHeader>, // null: the thread has no lane
    pub records: Cell<*const LaneRecord>,
    pub run_end: Cell<*const LaneRecord>, // `end` is nearer where every record takes the slow path
    pub position_end: Cell<u64>,          // position of run_end
    pub drops: Cell<u64>,                 // records dropped since the last one that was written
    pub first_drop: Cell<u64>,            // raw clock
    pub last_drop: Cell<u64>,             // raw clock
    pub retry_ns: Cell<u64>, // ns, CLOCK_MONOTONIC; before this time the thread requests no lane and no memory
    pub thread_name: Cell<u64>, // string; goes into the header of the thread's next lane
    pub capacity: Cell<u32>, // size of the lane, records
    pub counted: Cell<u32>,  // session in which threads_without_lane counted the thread
    pub still: Cell<StillWatch>,
    pub closer: Cell<bool>, // leave_lane is called when the thread ends
    pub free_count: Cell<u32>,
    pub free: UnsafeCell<[u32; KEPT_STATIONS]>, // indices of free compact stations
}

thread_local! {
    static THREAD: Thread = const {
        Thread {
            session: Cell::new(0),
            lap: Cell::new(0),
            tid: Cell::new(0),
            next: Cell::new(null()),
            end: Cell::new(null()),
            running: Cell::new(0),
            poll: Cell::new(null()),
            lane: Cell::new(null()),
            records: Cell::new(null()),
            run_end: Cell::new(null()),
            position_end: Cell::new(0),
            drops: Cell::new(0),
            first_drop: Cell::new(0),
            last_drop: Cell::new(0),
            retry_ns: Cell::new(0),
            thread_name: Cell::new(0),
            capacity: Cell::new(0),
            counted: Cell::new(0),
            still: Cell::new(StillWatch::new()),
            closer: Cell::new(false),
            free_count: Cell::new(0),
            free: UnsafeCell::new([0; KEPT_STATIONS]),
        }
    };
}

/// The state of this thread. It has no destructor, so it can be used until the thread has ended; the reference must not
/// leave the thread.
#[inline(always)]
pub fn thread() -> &'static Thread {
    let at: *const Thread = THREAD.with(|thread| thread as *const Thread);
    // SAFETY: lives as long as the thread, see above.
    unsafe { &*at }
}

impl Thread {
    /// Begins a session in this thread. All other state belongs to a parent's session, and is reset; except for the
    /// polls, which are on the stack.
    #[cold]
    #[inline(never)]
    pub fn join(&self, session: u32) {
        self.forget_lane();
        self.running.set(0);
        self.retry_ns.set(0);
        self.thread_name.set(0);
        self.counted.set(0);
        self.still.set(StillWatch::new());
        self.free_count.set(0);
        let _errno = sys::KeepErrno::new();
        self.tid.set(sys::thread_id());
        self.session.set(session & !PAUSED_BIT);
    }

    pub fn forget_lane(&self) {
        self.lane.set(null());
        self.records.set(null());
        self.next.set(null());
        self.end.set(null());
        self.run_end.set(null());
        self.drops.set(0);
    }
}

// ---------------------------------------------------------------- fork

/// Handler where the kernel does not clear the page in children.
extern "C" fn switch_off_in_child() {
    for word in [&PAGE.session, &PAGE.init_lock, &PAGE.init_ended, &PAGE.attached, &PAGE.disabled] {
        word.store(0, Relaxed);
    }
    PAGE.early_births.store(0, Relaxed);
}

/// Makes children start with a cleared page. Idempotent.
pub fn guard_against_fork() {
    if PAGE.guarded.swap(1, Relaxed) == 0 {
        sys::zero_in_children(std::ptr::addr_of!(PAGE).cast(), std::mem::size_of::<Page>(), switch_off_in_child);
    }
}

// ---------------------------------------------------------------- births without a session

/// Adds the early births to the region's count. By exchange, so two threads never add one birth twice.
pub fn report_early_births() {
    let count = PAGE.early_births.swap(0, SeqCst);
    if count != 0 && Session::get().sites().is_some() {
        Session::get().extension().born_before_init.fetch_add(count, Relaxed);
    }
}

/// Counts a birth while tracing is off or paused. The coroutine stays untraced.
#[cold]
pub fn count_birth_while_off() {
    if Session::get().sites().is_some() {
        Session::get().extension().births_while_off.fetch_add(1, Relaxed);
    }
}

/// Counts a birth while there is no session: in a forked child, as other processes attach at their first birth.
#[cold]
pub fn count_early_birth() {
    if PAGE.attached.load(Acquire) != 0 {
        return count_birth_while_off();
    }
    if PAGE.init_ended.load(Relaxed) != 0 {
        return;
    }
    // seq_cst here, at the load below, and at init_tracer's store and exchange. Either init_tracer's last exchange sees
    // this birth, or the load below sees the session.
    PAGE.early_births.fetch_add(1, SeqCst);
    if PAGE.attached.load(SeqCst) != 0 {
        report_early_births();
    }
}

// ---------------------------------------------------------------- the running coroutine

/// The identity of the coroutine that runs on this thread, or NO_IDENTITY. Also NO_IDENTITY if its resumption was
/// before tracing went off and on, because events are missing since. `session`: as returned by writing_session, with
/// lanes.
pub fn running_coroutine(thread: &Thread, session: u32) -> u64 {
    let identity = thread.running.get();
    if identity == 0 || thread.session.get() != session {
        return NO_IDENTITY;
    }
    // SAFETY: the identity was made by this session, so its index is below compact_stations_reserved.
    let compact = unsafe { &*Session::get().lanes().states.add(identity as u32 as usize) };
    // Relaxed: this thread has stored these values if the coroutine runs here.
    let lives = compact.life.load(Relaxed) == identity >> 32 << 32 | u64::from(COMPACT_ALIVE);
    let resumed = compact.what.load(Relaxed) >> 32 & u64::from(RECORD_RESUME) != 0;
    let here = compact.tid.load(Relaxed) == thread.tid.get();
    let complete = compact.ts.load(Relaxed) >= ON_SINCE.load(Relaxed);
    if lives && resumed && here && complete {
        identity
    } else {
        NO_IDENTITY
    }
}

/// Sets the time since which tracing is on, before that is published: a birth must not trust runs from before.
pub fn mark_on() {
    ON_SINCE.store(CLOCK.now(), Relaxed);
}
