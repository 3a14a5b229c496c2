// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! System calls of the probe that cannot harm the program: environment variables, descriptors, messages, and memory of
//! the shared file. Declared here, so the crate needs no other crate.

use std::ffi::{CStr, OsString};
use std::io;
use std::os::raw::{c_char, c_int, c_long, c_void};
use std::os::unix::io::RawFd;
use std::sync::atomic::{AtomicU32, Ordering};

#[cfg(target_arch = "x86_64")]
mod number {
    use std::os::raw::c_long;
    pub const GETTID: c_long = 186;
    pub const FUTEX: c_long = 202;
    pub const MEMBARRIER: c_long = 324;
}
#[cfg(target_arch = "aarch64")]
mod number {
    use std::os::raw::c_long;
    pub const GETTID: c_long = 178;
    pub const FUTEX: c_long = 98;
    pub const MEMBARRIER: c_long = 283;
}

#[repr(C)]
pub struct Timespec {
    pub seconds: i64,
    pub nanoseconds: i64,
}

#[repr(C)]
struct PollFd {
    fd: c_int,
    events: i16,
    returned: i16,
}

/// sigset_t of the C library: 1024 bits in glibc and musl.
#[repr(C)]
struct SignalSet([u64; 16]);

#[repr(C)]
struct Rlimit {
    current: u64,
    maximum: u64,
}

pub type ThreadKey = u32;

extern "C" {
    fn __errno_location() -> *mut c_int;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn read(fd: c_int, to: *mut c_void, size: usize) -> isize;
    fn write(fd: c_int, from: *const c_void, size: usize) -> isize;
    fn close(fd: c_int) -> c_int;
    fn fcntl(fd: c_int, command: c_int, ...) -> c_int;
    fn poll(fds: *mut PollFd, count: u64, timeout_ms: c_int) -> c_int;
    fn syscall(number: c_long, ...) -> c_long;
    fn sysconf(name: c_int) -> c_long;
    fn getauxval(kind: u64) -> u64;
    fn getrlimit(resource: c_int, limit: *mut Rlimit) -> c_int;
    fn prctl(option: c_int, ...) -> c_int;
    fn nanosleep(time: *const Timespec, rest: *mut Timespec) -> c_int;
    fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
    fn mmap(at: *mut c_void, size: usize, protection: c_int, flags: c_int, fd: c_int, offset: i64) -> *mut c_void;
    fn munmap(at: *mut c_void, size: usize) -> c_int;
    fn madvise(at: *mut c_void, size: usize, advice: c_int) -> c_int;
    fn sigemptyset(set: *mut SignalSet) -> c_int;
    fn sigaddset(set: *mut SignalSet, signal: c_int) -> c_int;
    fn sigdelset(set: *mut SignalSet, signal: c_int) -> c_int;
    fn sigismember(set: *const SignalSet, signal: c_int) -> c_int;
    fn sigpending(set: *mut SignalSet) -> c_int;
    fn sigtimedwait(set: *const SignalSet, info: *mut c_void, timeout: *const Timespec) -> c_int;
    fn pthread_sigmask(how: c_int, set: *const SignalSet, before: *mut SignalSet) -> c_int;
    fn pthread_atfork(before: Option<Handler>, parent: Option<Handler>, child: Option<Handler>) -> c_int;
    fn pthread_key_create(key: *mut ThreadKey, destructor: Option<extern "C" fn(*mut c_void)>) -> c_int;
    fn pthread_key_delete(key: ThreadKey) -> c_int;
    fn pthread_setspecific(key: ThreadKey, value: *const c_void) -> c_int;
    fn __cxa_atexit(function: extern "C" fn(*mut c_void), argument: *mut c_void, object: *const c_void) -> c_int;
    static __dso_handle: u8;
}

type Handler = extern "C" fn();

// ---------------------------------------------------------------- errno, threads, time

/// Restores errno when it goes out of scope.
pub struct KeepErrno(c_int);

impl KeepErrno {
    pub fn new() -> Self {
        KeepErrno(errno())
    }
}

impl Drop for KeepErrno {
    fn drop(&mut self) {
        // SAFETY: the C library returns the address of this thread's errno.
        unsafe { *__errno_location() = self.0 }
    }
}

pub fn errno() -> c_int {
    // SAFETY: as above.
    unsafe { *__errno_location() }
}

#[cold]
pub fn thread_id() -> u64 {
    // SAFETY: gettid has no arguments and cannot fail.
    unsafe { syscall(number::GETTID) as u64 }
}

fn clock_ns(clock: c_int) -> u64 {
    let mut now = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: `now` is valid for the call.
    unsafe { clock_gettime(clock, &mut now) };
    now.seconds as u64 * 1_000_000_000 + now.nanoseconds as u64
}

/// ns of CLOCK_MONOTONIC.
pub fn monotonic_ns() -> u64 {
    clock_ns(1)
}

pub fn sleep_ns(ns: i64) {
    let time = Timespec { seconds: 0, nanoseconds: ns };
    // SAFETY: `time` is valid for the call; a null rest is allowed.
    unsafe { nanosleep(&time, std::ptr::null_mut()) };
}

/// Makes a key whose destructor runs at the end of each thread that set it. Deletes it when the program exits, or the
/// object with this code is unloaded: `at_unload` must do that.
pub fn make_thread_key(
    destructor: extern "C" fn(*mut c_void),
    at_unload: extern "C" fn(*mut c_void),
) -> Option<ThreadKey> {
    let mut key: ThreadKey = 0;
    // SAFETY: `key` is valid for the call; both functions exist until the object is unloaded.
    unsafe {
        if pthread_key_create(&mut key, Some(destructor)) != 0 {
            return None;
        }
        if __cxa_atexit(at_unload, std::ptr::null_mut(), std::ptr::addr_of!(__dso_handle).cast()) != 0 {
            pthread_key_delete(key);
            return None;
        }
    }
    Some(key)
}

pub fn delete_thread_key(key: ThreadKey) {
    // SAFETY: any value may be passed.
    unsafe { pthread_key_delete(key) };
}

/// Makes the key's destructor run when this thread ends. False if the C library has no memory for it.
pub fn set_thread_key(key: ThreadKey) -> bool {
    // SAFETY: the value is only compared with null.
    unsafe { pthread_setspecific(key, 1 as *const c_void) == 0 }
}

/// The name of the calling thread in the system, without its terminator.
pub fn own_thread_name(to: &mut [u8; 16]) -> Option<usize> {
    // SAFETY: PR_GET_NAME writes at most 16 bytes.
    let got = unsafe { prctl(16, to.as_mut_ptr()) };
    (got == 0).then(|| to.iter().position(|&byte| byte == 0).unwrap_or(to.len()))
}

/// Registers this process for the engine's membarrier(2). False: the process must fence by itself.
pub fn register_for_barrier() -> bool {
    const REGISTER_GLOBAL_EXPEDITED: c_int = 1 << 2; // Linux 4.16
                                                     // SAFETY: the command has no pointers.
    unsafe { syscall(number::MEMBARRIER, REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0 }
}

// ---------------------------------------------------------------- environment and limits

/// A variable of the environment. None also in a program with more rights than its caller (setuid, setgid, file
/// capabilities): the caller must not choose files that such a program opens for writing.
pub fn environment(name: &str) -> Option<OsString> {
    const AT_SECURE: u64 = 23;
    // SAFETY: getauxval only reads.
    if unsafe { getauxval(AT_SECURE) } != 0 {
        return None;
    }
    std::env::var_os(name)
}

/// The 16 random bytes that the kernel gave to this program image. They must stay secret.
pub fn random_of_image() -> Option<[u64; 2]> {
    const AT_RANDOM: u64 = 25;
    // SAFETY: the address is 0, or of 16 bytes that live as long as the process.
    unsafe { (getauxval(AT_RANDOM) as *const [u64; 2]).as_ref() }.copied()
}

/// Bytes that this process may still map; None without a limit (RLIMIT_AS).
pub fn address_space_left() -> Option<u64> {
    const RLIMIT_AS: c_int = 9;
    let mut limit = Rlimit { current: 0, maximum: 0 };
    // SAFETY: `limit` is valid for the call.
    if unsafe { getrlimit(RLIMIT_AS, &mut limit) } != 0 || limit.current == u64::MAX {
        return None;
    }
    let mut text = [0; 64];
    let length = read_small_file(b"/proc/self/statm\0", &mut text);
    let pages = decimal(&text[..length]);
    Some(limit.current.saturating_sub(pages.saturating_mul(page_size() as u64)))
}

/// The number at the start of a text; 0 without one.
pub fn decimal(text: &[u8]) -> u64 {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |value: u64, byte| value.wrapping_mul(10).wrapping_add(u64::from(byte - b'0')))
}

// ---------------------------------------------------------------- descriptors

/// Takes ownership of `fd`. Returns it, or a close-on-exec copy above the standard streams: a program that was started
/// with closed standard streams would print into it. Negative if `fd` is, or no descriptor is left.
pub fn above_streams(fd: RawFd) -> RawFd {
    const DUPFD_CLOEXEC: c_int = 1030;
    if !(0..=2).contains(&fd) {
        return fd;
    }
    // SAFETY: `fd` belongs to the caller.
    unsafe {
        let copy = fcntl(fd, DUPFD_CLOEXEC, 3 as c_int);
        let _keep = KeepErrno::new();
        close(fd);
        copy
    }
}

/// open(2), close-on-exec and above the standard streams. `path` ends with a zero. Negative on failure.
fn open_file(path: &[u8], flags: c_int) -> RawFd {
    const CLOEXEC_NOCTTY: c_int = 0o2_000_000 | 0o400;
    debug_assert!(CStr::from_bytes_with_nul(path).is_ok());
    // SAFETY: the path ends with a zero.
    above_streams(unsafe { open(path.as_ptr().cast(), flags | CLOEXEC_NOCTTY) })
}

/// Opens the region read-write. A fifo does not block.
pub fn open_region(path: &CStr) -> io::Result<RawFd> {
    const RDWR_NONBLOCK: c_int = 2 | 0o4000;
    match open_file(path.to_bytes_with_nul(), RDWR_NONBLOCK) {
        fd if fd < 0 => Err(io::Error::last_os_error()),
        fd => Ok(fd),
    }
}

/// Reads the start of a file, without an allocation. Returns the number of bytes; 0 on failure.
pub fn read_small_file(path: &[u8], to: &mut [u8]) -> usize {
    let fd = open_file(path, 0);
    if fd < 0 {
        return 0;
    }
    // SAFETY: the buffer has the size that is passed; the descriptor is ours.
    unsafe {
        let length = read(fd, to.as_mut_ptr().cast(), to.len());
        close(fd);
        length.max(0) as usize
    }
}

pub fn close_fd(fd: RawFd) {
    // SAFETY: `fd` belongs to the caller.
    unsafe { close(fd) };
}

/// Prints one line to stderr, without waiting for a reader and without raising a signal. Text that cannot be written
/// is left out.
pub fn complain(what: &str, detail: &str) {
    const RAISED: [c_int; 3] = [13, 25, 22]; // SIGPIPE, SIGXFSZ, SIGTTOU
    const POLLOUT: i16 = 4;
    let line = format!("corotracer: {what}: {detail}; running untraced\n");
    let mut ready = PollFd { fd: 2, events: POLLOUT, returned: 0 };
    // SAFETY: all pointers are to local values that live during the calls.
    unsafe {
        if poll(&mut ready, 1, 0) != 1 || ready.returned & POLLOUT == 0 {
            return;
        }
        let (mut blocked, mut before, mut pending) = (SignalSet([0; 16]), SignalSet([0; 16]), SignalSet([0; 16]));
        sigemptyset(&mut blocked);
        for signal in RAISED {
            sigaddset(&mut blocked, signal);
        }
        sigpending(&mut pending);
        pthread_sigmask(0, &blocked, &mut before); // SIG_BLOCK
        write(2, line.as_ptr().cast(), line.len());
        for signal in RAISED {
            if sigismember(&pending, signal) == 1 {
                sigdelset(&mut blocked, signal); // was pending before; belongs to the program
            }
        }
        let no_wait = Timespec { seconds: 0, nanoseconds: 0 };
        while sigtimedwait(&blocked, std::ptr::null_mut(), &no_wait) > 0 || errno() == 4 {} // EINTR
        pthread_sigmask(2, &before, std::ptr::null_mut()); // SIG_SETMASK
    }
}

// ---------------------------------------------------------------- memory

pub fn page_size() -> usize {
    // SAFETY: sysconf(_SC_PAGESIZE) only reads.
    unsafe { sysconf(30) as usize }
}

/// Maps a range of the file, shared and read-write. `offset` is a multiple of the page size. Null on failure.
pub fn map_shared(fd: RawFd, offset: u64, size: usize) -> *mut u8 {
    const DONTDUMP: c_int = 16; // core files need no copy of the region
                                // SAFETY: a new mapping, at an address that the kernel chooses.
    unsafe {
        let mapped = mmap(std::ptr::null_mut(), size, 3, 1, fd, offset as i64); // READ | WRITE, SHARED
        if mapped as usize == usize::MAX {
            return std::ptr::null_mut();
        }
        madvise(mapped, size, DONTDUMP);
        mapped.cast()
    }
}

/// # Safety
/// The range was returned by map_shared, and nothing uses it any more.
pub unsafe fn unmap(at: *mut u8, size: usize) {
    // SAFETY: by the caller.
    unsafe { munmap(at.cast(), size) };
}

/// True if the kernel checks the advice of madvise(2). The user mode of qemu accepts any advice and follows none.
fn kernel_heeds_advice() -> bool {
    static ANSWER: AtomicU32 = AtomicU32::new(0); // 0 unknown, 1 no, 2 yes; relaxed: publishes no other data
    let mut known = ANSWER.load(Ordering::Relaxed);
    if known == 0 {
        let page = page_size();
        let here = std::ptr::addr_of!(known) as usize & !(page - 1);
        // SAFETY: an unknown advice changes nothing.
        known = if unsafe { madvise(here as *mut c_void, page, 9999) } != 0 { 2 } else { 1 };
        ANSWER.store(known, Ordering::Relaxed);
    }
    known == 2
}

/// Makes the kernel write to the page of `word` without changing it: FUTEX_WAKE_OP applies an atomic OR with 0 to its
/// second word, and wakes no thread. It returns EFAULT where a store would raise SIGBUS.
fn touch_page(word: usize) -> bool {
    const WAKE_OP_PRIVATE: c_int = 5 | 128;
    const OR_NOTHING: u32 = 2 << 28; // FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0)
    let no_waiter = 0_u32;
    // SAFETY: the first word is local; the kernel checks the second.
    unsafe { syscall(number::FUTEX, &no_waiter, WAKE_OP_PRIVATE, 0, 0_usize, word, OR_NOTHING) >= 0 }
}

/// Gives memory to all pages of a range of the shared file (decision 17). On a full tmpfs, a store to a page without
/// memory would raise SIGBUS. False when there is no memory; then the range must not be written. May change errno.
#[must_use]
pub fn back_with_memory(begin: *const u8, size: usize) -> bool {
    const POPULATE_WRITE: c_int = 23; // MADV_POPULATE_WRITE, Linux 5.14
    const EFAULT: c_int = 14;
    let page = page_size();
    let first = begin as usize & !(page - 1);
    let last = begin as usize + size;
    if kernel_heeds_advice() {
        // SAFETY: the advice changes no content.
        if unsafe { madvise(first as *mut c_void, last - first, POPULATE_WRITE) } == 0 {
            return true;
        }
        if errno() == EFAULT {
            return false;
        }
    }
    // The kernel is older than the advice, or a system call filter rejects it.
    (first..last).step_by(page).all(touch_page)
}

/// Makes forked children find the page zeroed. Otherwise `in_child` runs there.
pub fn zero_in_children(page: *const u8, size: usize, in_child: extern "C" fn()) {
    const WIPEONFORK: c_int = 18;
    // SAFETY: the page belongs to the crate; the handler only stores to atomics.
    unsafe {
        if !kernel_heeds_advice() || madvise(page as *mut c_void, size, WIPEONFORK) != 0 {
            pthread_atfork(None, None, Some(in_child));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_id_is_that_of_the_thread() {
        let exists = || std::path::Path::new(&format!("/proc/self/task/{}", thread_id())).exists();
        assert!(exists());
        let other = std::thread::spawn(move || (thread_id(), exists())).join().unwrap();
        assert!(other.0 != thread_id() && other.1);
    }

    #[test]
    fn the_barrier_is_that_of_the_kernel() {
        const QUERY: c_int = 0;
        const GLOBAL: c_long = 1;
        // SAFETY: the command has no pointers.
        let commands = unsafe { syscall(number::MEMBARRIER, QUERY, 0, 0) };
        if commands < 0 {
            assert!([1, 38].contains(&errno())); // EPERM, ENOSYS: a filter, or an old kernel
            assert!(!register_for_barrier());
        } else {
            assert!(commands & GLOBAL != 0); // every kernel with the call has this command
        }
    }
}
