// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Rows about the threads and descriptors of a target, which the engine samples itself: docs/decisions/0028. A row is
// emitted when something differs from the row before about the same thread or descriptor. It holds until the next one,
// or until the time of the latest ProcessSample.
#pragma once

#include <cstdint>

namespace ct {

enum class ThreadState : std::uint8_t {
    Unknown,
    Running,  ///< on a processor, or waits for one
    Sleeping,
    Uninterruptible,  ///< mostly waits for a disk
    Stopped,          ///< by a signal
    Traced,           ///< stopped by a debugger
    Ended,
};

/// The system call in which a thread sleeps, or was stopped.
enum class ThreadCall : std::uint8_t {
    Unknown,  ///< the engine has no right to know it
    None,     ///< the thread runs, or sleeps outside of a system call (a page fault)
    Futex,    ///< locks, condition variables, joins
    Epoll,
    Poll,  ///< poll, select and the like; the descriptors are unknown
    Sleep,
    Descriptor,  ///< reads, writes, accepts or connects
    Process,     ///< waits for the end of a process
    Signal,
    Ring,  ///< io_uring
    Other,
};

struct ThreadSample {
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC
    ThreadState state = ThreadState::Unknown;
    ThreadCall call = ThreadCall::Unknown;
    bool isTimed = false;          ///< a timeout ends the call, as far as its arguments say
    std::uint64_t object = 0;      ///< Futex: address, 0 = several; Epoll, Descriptor, Ring: the descriptor; else 0
    std::uint64_t cpuNs = 0;       ///< processor time since the thread began
    std::uint64_t runDelayNs = 0;  ///< time spent waiting for a processor; 0 = the kernel does not count it

    bool isSleeping() const { return state == ThreadState::Sleeping || state == ThreadState::Uninterruptible; }
    bool isStopped() const { return state == ThreadState::Stopped || state == ThreadState::Traced; }
};

enum class DescriptorKind : std::uint8_t {
    Unknown,
    Closed,   ///< not open any more
    Removed,  ///< open, but not registered in this epoll any more
    Epoll,
    Timer,
    Event,
    Signal,
    Socket,
    Listener,  ///< a socket that accepts connections
    Pipe,
    Terminal,
    Other,
};

/// A descriptor that is registered in an epoll. One that is registered in two has rows for each.
struct DescriptorSample {
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

    std::uint32_t pid = 0;
    std::uint32_t descriptor = 0;
    std::uint32_t epoll = 0;  ///< descriptor of the epoll
    std::uint64_t ts = 0;     ///< ns, CLOCK_MONOTONIC
    DescriptorKind kind = DescriptorKind::Unknown;
    std::uint32_t events = 0;  ///< events for which it is registered (EPOLLIN ...); after EPOLLONESHOT none is left
    /// What was delivered and not fetched. Timer: expirations. Event: its counter. Socket: bytes. Listener:
    /// connections. kUnknown for all others, and for sockets of another network namespace.
    std::uint64_t pending = kUnknown;
    std::uint64_t deadline = 0;  ///< Timer: ns, CLOCK_MONOTONIC, of the next expiration, 0 = not armed; else 0
    std::uint8_t tcpState = 0;   ///< TCP_ESTABLISHED ... of <netinet/tcp.h>; 0 = none, or unknown
    bool readEnds = false;       ///< Socket: the peer has ended its side, so that a read without data returns the end
    bool canWrite = false;       ///< Socket: connected, and its send queue is empty; a write does not block

    /// False after EPOLLONESHOT: the epoll has reported it, and reports it no more.
    bool isArmed() const
    {
        constexpr std::uint32_t kFlags = 0xF000'0000;  // EPOLLET, EPOLLONESHOT, EPOLLWAKEUP, EPOLLEXCLUSIVE
        return (events & ~kFlags) != 0;
    }
    bool isRegistered() const { return kind != DescriptorKind::Closed && kind != DescriptorKind::Removed; }
    /// True if everything for which it is registered is possible: whoever waits for it could go on. False if unknown.
    bool isReady() const
    {
        constexpr std::uint32_t kRead = 1;   // EPOLLIN
        constexpr std::uint32_t kWrite = 4;  // EPOLLOUT
        const bool canRead = readEnds || (pending != 0 && pending != kUnknown);
        return isRegistered() && (events & (kRead | kWrite)) != 0 && ((events & kRead) == 0 || canRead) &&
               ((events & kWrite) == 0 || canWrite);
    }
};

/// A difference of ProcessSample::machineSuspendedNs below this is no suspend, but the inaccuracy of two clocks.
inline constexpr std::uint64_t kLeastMachineSuspendNs = 10'000'000;

/// The engine has sampled a process: once a second, and whenever one of the last six members changes.
struct ProcessSample {
    std::uint32_t pid = 0;
    std::uint64_t ts = 0;              ///< ns, CLOCK_MONOTONIC: all earlier changes of its threads have their rows
    std::uint64_t descriptorsTs = 0;   ///< the same for its descriptors; 0 = they were not sampled
    std::uint32_t threads = 0;         ///< threads that have not ended; 0 = the process has ended
    std::uint64_t stoppedSince = 0;    ///< ns: all threads are stopped, and were not yet at that time; 0 = they run
    bool areThreadsKnown = false;      ///< every thread has rows
    bool areCallsKnown = false;        ///< every sleeping thread's call is known
    bool areDescriptorsKnown = false;  ///< everything that is registered in an epoll has rows
    /// ns: how long the machine was suspended in all since it started, about. CLOCK_MONOTONIC does not count that time.
    std::uint64_t machineSuspendedNs = 0;
};

}  // namespace ct
