// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! What a future waits for, as the program says it.

use std::os::raw::c_int;
use std::time::Instant;

/// An object that a future waits for. Objects are known by their addresses, so the wait and the use of an object must
/// name the same one: the lock itself, not the guard or the `Arc` around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wait {
    /// A mutex or a semaphore: its address.
    Lock(usize),
    /// A queue or another channel between futures: its address.
    Channel(usize),
    /// A file descriptor to become ready.
    Descriptor(c_int),
    /// A deadline.
    Timer(Instant),
    /// Any other object: its address.
    Other(usize),
}

/// The address of an object, as [`Wait`] carries it.
pub(crate) fn address<T: ?Sized>(object: &T) -> usize {
    object as *const T as *const () as usize
}

impl Wait {
    /// A mutex or a semaphore.
    pub fn lock<T: ?Sized>(object: &T) -> Self {
        Wait::Lock(address(object))
    }

    /// A queue or another channel between futures.
    pub fn channel<T: ?Sized>(object: &T) -> Self {
        Wait::Channel(address(object))
    }

    /// Any other object.
    pub fn other<T: ?Sized>(object: &T) -> Self {
        Wait::Other(address(object))
    }
}
