// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The words of the API: what a coroutine waits for, and what a flight recorder is to keep.
#pragma once

#include "layout.h"

#include <cstdint>

namespace corotracer {

/// What a suspension waits for; see PromiseMixin::waits_on.
enum class wait : std::uint8_t {
    unknown = kWaitUnknown,
    lock = kWaitLock,              ///< a mutex, a semaphore: the object's address
    channel = kWaitChannel,        ///< a queue, a pipe between coroutines: the object's address
    descriptor = kWaitDescriptor,  ///< a file descriptor to become ready: its number
    timer = kWaitTimer,            ///< a deadline: ns of CLOCK_MONOTONIC
    coroutine = kWaitCoroutine,    ///< another coroutine to end or to yield
    other = kWaitOther,            ///< anything else with an address
};

/// What start_flight_recorder is to make. Memory is taken as it is needed.
struct flight_recorder_options {
    /// A file to be made, or a directory for it; empty: /dev/shm/corotracer-UID, else $XDG_RUNTIME_DIR/corotracer.
    const char *path = "";
    /// Of each thread: 64 KiB ... 128 MiB, rounded down to a power of two. 32 bytes an event. A thread gets at most a
    /// 32nd of what is left of all threads' room when it begins.
    std::uint64_t lane_bytes = 8ULL << 20;
    /// Of all threads together. When it is spent, a thread overwrites the history of the one that ended first. Threads
    /// that find all of it in use have no history, only the present state.
    std::uint64_t pool_bytes = 256ULL << 20;
    /// For how long an ended thread's history is kept from another thread that needs the room. More than 0 may cost
    /// the newest history: threads that begin meanwhile have none.
    std::uint32_t retention_ms = 0;
    /// Coroutines alive at a time; more are counted, not traced.
    std::uint32_t coroutines = kMaxStations;
    /// Recordings of processes that are gone, which are left where they are; older ones are deleted. Counts only in
    /// the standard directories.
    std::uint32_t keep_old = 4;
};

}  // namespace corotracer
