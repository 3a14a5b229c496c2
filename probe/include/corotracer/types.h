// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Types of the API: kinds of wait, and the options of the flight recorder.
#pragma once

#include "layout.h"

#include <chrono>
#include <concepts>
#include <cstdint>

namespace corotracer {

/// Reason why a coroutine is suspended, and the object that PromiseMixin::waits_on expects for it.
enum class wait : std::uint8_t {
    unknown = kWaitUnknown,
    lock = kWaitLock,              ///< a mutex or a semaphore: address of the object
    channel = kWaitChannel,        ///< a queue or a pipe between coroutines: address of the object
    descriptor = kWaitDescriptor,  ///< a file descriptor to become ready: its number
    timer = kWaitTimer,            ///< a deadline: ns of CLOCK_MONOTONIC
    coroutine = kWaitCoroutine,    ///< another coroutine to end or to yield: its promise
    other = kWaitOther,            ///< any other object: its address
};

/// An object that a coroutine waits for, for waits_for_any and waits_for_all.
struct waited {
    wait kind;
    std::uint64_t object;  ///< address, descriptor, or deadline (ns, CLOCK_MONOTONIC), as `kind` says

    waited(wait object_kind, const void *address) noexcept
        : kind(object_kind), object(reinterpret_cast<std::uintptr_t>(address))
    {
    }
    constexpr waited(wait object_kind, std::integral auto number) noexcept
        : kind(object_kind), object(static_cast<std::uint64_t>(number))
    {
    }
    template <class Duration>
    constexpr waited(std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) noexcept
        : kind(wait::timer),
          object(static_cast<std::uint64_t>(
              std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.time_since_epoch()).count()))
    {
    }
};

/// Options of start_flight_recorder. The region gets memory only as it is used.
struct flight_recorder_options {
    /// File to create, or an existing directory for it. Empty: a file in /dev/shm/corotracer-UID, else in
    /// $XDG_RUNTIME_DIR/corotracer.
    const char *path = "";
    /// Bytes of each thread's lane: 64 KiB ... 128 MiB, rounded down to a power of two. An event needs 32 bytes. A lane
    /// gets at most a 32nd of the pool that is left when its thread begins.
    std::uint64_t lane_bytes = 8ULL << 20;
    /// Bytes of all lanes together; at most half of the free space of the file system. When the pool is used up, a new
    /// thread overwrites the history of the thread that ended first. A thread that finds all lanes in use has no
    /// history; only the present state of its coroutines is recorded.
    std::uint64_t pool_bytes = 256ULL << 20;
    /// Milliseconds for which the history of an ended thread is kept from new threads. More than 0 may cost the newest
    /// history: new threads have none as long as they find no lane.
    std::uint32_t retention_ms = 0;
    /// Most coroutines alive at a time. Further ones are counted and not traced.
    std::uint32_t coroutines = kMaxStations;
    /// Number of older files to keep, of processes that have ended; the oldest beyond it are deleted. Applies to the
    /// standard directories only.
    std::uint32_t keep_old = 4;
};

}  // namespace corotracer
