// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! Connects to the engine's socket, and wakes an engine that sleeps on it.

use std::fs::File;
use std::mem::{size_of, ManuallyDrop};
use std::os::raw::{c_int, c_void};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::io::{FromRawFd, RawFd};
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering::*};

use crate::on::layout::ENGINE_SLEEPS;
use crate::on::state::{header, Published, SESSIONS};
use crate::on::sys::{self, monotonic_ns, KeepErrno};

const PATH_BYTES: usize = 108; // of sockaddr_un
const RECONNECT_NS: u64 = 100_000_000; // shortest time between two attempts to connect

#[repr(C)]
#[derive(Clone, Copy)]
struct Address {
    family: u16,
    path: [u8; PATH_BYTES],
}

extern "C" {
    fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int;
    fn connect(fd: c_int, address: *const Address, size: u32) -> c_int;
    fn send(fd: c_int, from: *const c_void, size: usize, flags: c_int) -> isize;
    fn dup3(from: c_int, to: c_int, flags: c_int) -> c_int;
}

const CLOEXEC: c_int = 0o2_000_000;

/// The engine's socket. The thread that holds `busy` connects; any thread sends.
struct Socket {
    fd: AtomicI32, // -1 = none
    /// Inode of our socket. The program may have closed the descriptor and reused its number.
    inode: AtomicU64,
    busy: AtomicU32, // lock for connecting, never waited for (acquire/release)
    last_try_ns: AtomicU64,
    address: Published<(Address, usize)>, // with its size, 0 = no usable path; written before the session is published
}

static SOCKET: Socket = Socket {
    fd: AtomicI32::new(-1),
    inode: AtomicU64::new(0),
    busy: AtomicU32::new(0),
    last_try_ns: AtomicU64::new(0),
    address: Published::new((Address { family: 1, path: [0; PATH_BYTES] }, 0)),
};

/// The inode of an open socket; None for any other descriptor.
fn inode_of(fd: RawFd) -> Option<u64> {
    if fd < 0 {
        return None;
    }
    // SAFETY: only examined, never closed.
    let file = ManuallyDrop::new(unsafe { File::from_raw_fd(fd) });
    file.metadata().ok().filter(|status| status.file_type().is_socket()).map(|status| status.ino())
}

/// True if `fd` is still the probe's socket, and no file that the program opened later under this number.
fn is_own_socket(fd: RawFd) -> bool {
    inode_of(fd).map_or(false, |inode| inode == SOCKET.inode.load(Relaxed))
}

/// Tries once to connect, without waiting. Only the thread that holds `busy`. Keeps the number of the descriptor, so a
/// concurrent send never writes into another file.
fn connect_engine() {
    // SAFETY: written before the session was published.
    let (address, size) = unsafe { *SOCKET.address.get() };
    if size == 0 {
        return;
    }
    // SAFETY: the address is valid for the calls; the descriptors are ours.
    unsafe {
        let mut fresh = sys::above_streams(socket(1, 1 | CLOEXEC | 0o4000, 0)); // AF_UNIX, SOCK_STREAM, NONBLOCK
        if fresh < 0 {
            return;
        }
        let inode = if connect(fresh, &address, size as u32) == 0 { inode_of(fresh) } else { None };
        let inode = match inode {
            Some(inode) => inode,
            None => return sys::close_fd(fresh),
        };
        let old = SOCKET.fd.load(Relaxed);
        if is_own_socket(old) && dup3(fresh, old, CLOEXEC) == old {
            sys::close_fd(fresh);
            fresh = old;
        }
        SOCKET.inode.store(inode, Relaxed);
        SOCKET.fd.store(fresh, Release); // partner: the acquire load in send_wake
    }
}

/// Sends one byte to the engine. False when the socket must be connected again. Any thread.
fn send_wake() -> bool {
    const NOSIGNAL_DONTWAIT: c_int = 0x4000 | 0x40;
    const GONE: [c_int; 3] = [32, 104, 107]; // EPIPE, ECONNRESET, ENOTCONN
    let fd = SOCKET.fd.load(Acquire);
    if !is_own_socket(fd) {
        return false;
    }
    // SAFETY: one byte, which is static.
    let sent = unsafe { send(fd, b"1".as_ptr().cast(), 1, NOSIGNAL_DONTWAIT) };
    sent == 1 || !GONE.contains(&sys::errno()) // a full buffer wakes the engine as well
}

/// Wakes the engine, which announced that it sleeps. Only the thread that clears the flag sends. A byte that cannot be
/// sent delays the engine by 10 to 250 ms, because the engine also checks the flag itself.
#[cold]
#[inline(never)]
pub fn wake_engine() {
    if header().tracer_sleeping.compare_exchange(ENGINE_SLEEPS, 0, AcqRel, Relaxed).is_err() {
        return;
    }
    let _errno = KeepErrno::new();
    // Acquire; partner: the release below.
    if send_wake() || SOCKET.busy.swap(1, Acquire) != 0 {
        return;
    }
    let now = monotonic_ns();
    if now - SOCKET.last_try_ns.load(Relaxed) >= RECONNECT_NS {
        SOCKET.last_try_ns.store(now, Relaxed);
        connect_engine();
        send_wake();
    }
    SOCKET.busy.store(0, Release);
}

/// Opens the socket of a new session. A failure costs wake-ups only. Holder of init_lock only.
pub fn open_socket(path: &[u8]) {
    let inherited = SOCKET.fd.load(Relaxed); // the parent's, after fork
    if SESSIONS.load(Relaxed) != 0 && is_own_socket(inherited) {
        sys::close_fd(inherited);
    }
    SOCKET.fd.store(-1, Relaxed);
    SOCKET.busy.store(0, Relaxed);
    SOCKET.last_try_ns.store(monotonic_ns(), Relaxed);
    let mut address = Address { family: 1, path: [0; PATH_BYTES] };
    let usable = !path.is_empty() && path.len() < PATH_BYTES;
    if usable {
        address.path[..path.len()].copy_from_slice(path);
    }
    let size = if usable { size_of::<u16>() + path.len() + 1 } else { 0 };
    // SAFETY: under init_lock, without a session.
    unsafe { *SOCKET.address.get() = (address, size) };
    connect_engine();
}
