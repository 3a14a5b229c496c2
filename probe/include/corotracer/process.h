// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// What a process has once (the switch, the mapping, the clock, the table of sites) and what a thread has once.
//
// All of it lives in inline variables of default visibility, so that an executable and its shared objects, whatever
// visibility they are built with, have one copy. An executable must export them to share them with what it loads by
// dlopen: the CMake target and the pkg-config file pass the linker option that does. Nothing in the probe throws,
// blocks, writes to stdout or raises a signal.
#pragma once

#include "clock.h"
#include "layout.h"
#include "site.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <type_traits>

#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

#define COROTRACER_ONE_PER_PROCESS [[gnu::visibility("default")]]

namespace corotracer::detail {

/// Names the executable or shared object. By another name, for compilers declare the symbol themselves, differently.
extern void *this_object __asm__("__dso_handle") __attribute__((visibility("hidden")));

#if defined(__aarch64__)
inline constexpr std::size_t largest_page = 65536;
#else
inline constexpr std::size_t largest_page = 4096;
#endif

// A session is one InitTracer of one process, and a number that no parent or child of it uses. Three flags beside it:
/// The region's engine issues membarrier(2) before it sleeps, or never sleeps: an event needs no fence.
inline constexpr std::uint32_t engine_fences_bit = 1;
/// The region has lanes, and this process writes them.
inline constexpr std::uint32_t lanes_bit = 2;
/// The engine asked for silence. Only ever in process_page::session.
inline constexpr std::uint32_t paused_bit = 4;
inline constexpr std::uint32_t session_step = 8;

/// The switch. A page of its own, which the kernel zeroes in a forked child (MADV_WIPEONFORK): the child is untraced
/// until it calls InitTracer itself, and then it gets another session number.
struct COROTRACER_ONE_PER_PROCESS alignas(largest_page) process_page {
    /// 0 = off; else the session, with paused_bit while the engine wants silence. Release by InitTracer, after
    /// everything else is in place; partner: the acquire load at every event.
    std::atomic<std::uint32_t> session;
    std::atomic<std::uint32_t> init_lock;   ///< 1: a thread is in InitTracer (acquire/release)
    std::atomic<std::uint32_t> init_ended;  ///< 1: InitTracer was called; births without a session are off, not early
    std::atomic<std::uint32_t> guarded;     ///< 1: the kernel (or an atfork handler) was asked to zero the page
    /// The session whether switched off, paused or neither; 0 = none. Stored before `session` (release / acquire).
    std::atomic<std::uint32_t> attached;
    std::atomic<std::uint32_t> disabled;  ///< 1: enable(false)
    /// Coroutines born before InitTracer; seq_cst, see count_early_birth.
    alignas(64) std::atomic<std::uint64_t> early_births;
};
static_assert(sizeof(process_page) == largest_page && std::is_trivially_destructible_v<process_page>);

/// The engine's socket. Whoever holds `busy` connects; any thread sends.
struct socket_state {
    std::atomic<int> fd;               ///< -1 = none
    std::atomic<std::uint64_t> inode;  ///< of our socket: a program may close all descriptors and reuse the number
    std::atomic<std::uint32_t> busy;   ///< try-lock of a (re)connection, acquire/release
    std::atomic<std::uint64_t> last_try_ns;  ///< CLOCK_MONOTONIC
    sockaddr_un address;                     ///< written before session is published
    socklen_t address_size;                  ///< 0 = no usable path
};

/// What a region with lanes offers; everything validated against the file's size. Copied from the header once: what
/// stands there later is not looked at.
struct lane_areas {
    ExtensionHeader *extension = nullptr;  ///< null: no lanes
    char *pool = nullptr;                  ///< what lanes are made from, as far as it is mapped: from pool_offset on
    ProcessEntry *processes = nullptr;
    LaneHeader *directory = nullptr;
    StateLine *lines = nullptr;
    BirthLine *births = nullptr;
    std::uint64_t pool_offset = 0;   ///< bytes in the file
    std::uint64_t pool_size = 0;     ///< bytes
    std::uint64_t pool_skipped = 0;  ///< bytes of the region's pool in front of it, which this process does not map
    std::uint32_t process_capacity = 0;
    std::uint32_t lane_capacity = 0;
    std::uint32_t lines_reserved = 0;
    std::uint32_t lane_records = 0;  ///< of a new lane, as far as there is room
    std::uint32_t retention_ms = 0;
    bool overwrite = false;
    bool may_shrink = false;  ///< readers follow a lane that gets shorter
};

/// How the raw counter is held against CLOCK_MONOTONIC (counterwatch.h).
struct counter_watch {
    std::atomic<std::uint64_t> init_counter;  ///< the first pair of the process's entry
    std::atomic<std::uint64_t> init_ns;
    std::atomic<std::uint64_t> mult;          ///< ns per tick, 32 bits after the point, as measured so far
    std::atomic<std::uint64_t> good_counter;  ///< the latest pair that agreed
    std::atomic<std::uint64_t> good_ns;
};

/// Plain fields are written by InitTracer before it publishes the session, and only read afterwards.
struct COROTRACER_ONE_PER_PROCESS process_state {
    alignas(64) GlobalHeader *header;
    StationData *stations;
    site_area sites;
    std::uint32_t station_limit;  ///< stations that are mapped
    std::uint32_t pid;
    lane_areas lanes;
    ProcessEntry *process;                 ///< this process's entry; null without lanes
    std::uint32_t process_index;           ///< its index
    std::atomic<std::uint32_t> raw_clock;  ///< what lanes and lines carry: a ClockKind
    std::uint64_t pair_ticks;              ///< counter ticks (or ns) in 100 ms: time between two published pairs
    std::atomic<std::uint32_t> sessions;   ///< sessions so far, those of the parents included: numbers never repeat
    /// Raw time from which on the next pair is due; whoever moves it publishes the pair.
    std::atomic<std::uint64_t> pair_due;
    std::atomic<std::uint64_t> no_line_before_ns;  ///< CLOCK_MONOTONIC: until then there is no memory for stations
    /// A pthread_key_t, plus 1, whose destructor leaves the lane of a thread that ends; 0 = none. Relaxed: InitTracer
    /// stores it before it publishes the session.
    std::atomic<std::uint32_t> thread_key;
    alignas(64) shared_clock clock;
    alignas(64) socket_state socket;
    counter_watch counter;
};

COROTRACER_ONE_PER_PROCESS inline constinit process_page page_v1{};
COROTRACER_ONE_PER_PROCESS inline constinit process_state state_v1{};
COROTRACER_ONE_PER_PROCESS inline constinit site_table sites_v1{};

inline constexpr std::uint32_t kept_lines = 32;  ///< free compact stations that a thread keeps for itself

/// What a thread keeps for itself. The first lines belong to every event.
struct COROTRACER_ONE_PER_PROCESS alignas(64) thread_state {
    std::uint32_t session;  ///< that the rest belongs to, without paused_bit
    std::uint32_t lap;      ///< of the records up to `end`
    std::uint64_t tid;      ///< asked for once per session
    LaneRecord *next;       ///< where the next record goes
    const LaneRecord *end;  ///< up to which it may be written without looking; next == end: slow path
    /// Ticks after line.base_counter up to which a full station's event needs no second look: line.interval, or 0 where
    /// the engine does not fence.
    std::uint64_t quick_ticks;
    clock_line line;  ///< of the clock, until its next check
    // Lanes, out of the hot path (lane.h).
    LaneHeader *lane;     ///< null: none
    LaneRecord *records;  ///< slot 0
    std::atomic<std::uint64_t> *block_numbers;
    const LaneRecord *room_end;    ///< end, or what it would be if every record took the slow path
    std::uint64_t position_end;    ///< position of room_end
    std::uint64_t drops;           ///< records dropped since the last one that was written
    std::uint64_t first_drop;      ///< raw clock
    std::uint64_t last_drop;       ///< raw clock
    std::uint64_t retry_ns;        ///< CLOCK_MONOTONIC: no lane, or no memory for it, until then
    std::uint64_t thread_name;     ///< string; a lane that the thread takes gets it
    std::uint32_t capacity;        ///< records of the lane
    std::uint32_t counted;         ///< session in which it was counted among threads_without_lane
    std::uint64_t seen_counter;    ///< at the thread's latest look whether the counter moves
    std::uint64_t still_since_ns;  ///< CLOCK_MONOTONIC when the counter was first found where it was; 0 = it moves
    std::uint32_t closer;          ///< 1: something will close the lane when the thread ends
    std::uint32_t free_count;      ///< compact stations in free_lines
    std::uint32_t free_lines[kept_lines];
};
static_assert(std::is_trivially_destructible_v<thread_state>);
COROTRACER_ONE_PER_PROCESS inline thread_local constinit thread_state thread_v1{};

[[nodiscard, gnu::noinline, gnu::cold]] inline std::uint64_t ask_tid() noexcept
{
#if defined(SYS_gettid)
    return static_cast<std::uint64_t>(::syscall(SYS_gettid));
#else
    return reinterpret_cast<std::uint64_t>(::pthread_self());
#endif
}

/// Begins a session in this thread. What it had belongs to another session, a parent's: it is forgotten.
[[gnu::noinline, gnu::cold]] inline void join_session(thread_state &self, std::uint32_t session) noexcept
{
    const std::uint32_t closer = self.closer;
    self = {};
    self.closer = closer;
    self.tid = ask_tid();
    self.session = session & ~paused_bit;
}

inline constexpr std::uint64_t still_ns = 2'000'000;  ///< a counter that did not move for so long stands still

/// Whether the counter, read just now, has shown this thread the same value for `still_ns`. Such a counter makes no
/// check due. Costs a look at CLOCK_MONOTONIC only where two looks found the same value.
[[nodiscard]] inline bool stands_still(thread_state &self, std::uint64_t counter) noexcept
{
    if (counter != self.seen_counter) [[likely]] {
        self.seen_counter = counter;
        self.still_since_ns = 0;
        return false;
    }
    const std::uint64_t now = monotonic_ns();
    if (self.still_since_ns == 0)
        self.still_since_ns = now;
    // The second reading: this thread may have waited for its processor after the first.
    return now - self.still_since_ns >= still_ns && read_counter() == counter;
}

/// Now, in ns; brings this thread up to date.
[[nodiscard, gnu::noinline, gnu::cold]] inline std::uint64_t renew_thread(std::uint32_t session) noexcept
{
    thread_state &self = thread_v1;
    if (self.session != (session & ~paused_bit))
        join_session(self, session);
    if (self.line.interval != 0 && stands_still(self, read_counter()))
        give_up_clock(state_v1.clock);
    const std::uint64_t now = clock_now(state_v1.clock, self.line);
    self.quick_ticks = (session & engine_fences_bit) != 0 ? self.line.interval : 0;
    return now;
}

/// Now, in ns, during a session.
[[nodiscard]] inline std::uint64_t now_in(std::uint32_t session) noexcept
{
    const thread_state &self = thread_v1;
    const std::uint64_t ticks = read_counter() - self.line.base_counter;
    if (self.session != (session & ~paused_bit) || ticks >= self.line.interval) [[unlikely]]
        return renew_thread(session);
    return self.line.base_ns + scale(ticks, self.line.mult);
}

/// A time of CLOCK_MONOTONIC as a counter would have shown that never misbehaved.
[[nodiscard]] inline std::uint64_t ticks_at(std::uint64_t ns) noexcept
{
    const counter_watch &watch = state_v1.counter;
    const std::uint64_t init_ns = watch.init_ns.load(std::memory_order_relaxed);
    const std::uint64_t elapsed = ns > init_ns ? ns - init_ns : 0;
    return watch.init_counter.load(std::memory_order_relaxed) +
           slope(elapsed, watch.mult.load(std::memory_order_relaxed));
}

[[nodiscard, gnu::noinline, gnu::cold]] inline std::uint64_t raw_now_without_counter() noexcept
{
    // Acquire; partner: the release in give_up_counter, so that the line is there.
    const bool given_up = state_v1.raw_clock.load(std::memory_order_acquire) == kClockGivenUp;
    return given_up ? ticks_at(monotonic_ns()) : monotonic_ns();
}

/// Now, as lanes and lines carry it.
[[nodiscard]] inline std::uint64_t raw_now() noexcept
{
    // Relaxed: a thread may learn later than others that the counter was given up.
    const bool counts = state_v1.raw_clock.load(std::memory_order_relaxed) == kClockCounter;
    return counts ? read_counter() : raw_now_without_counter();
}

/// write(2) to stderr that neither waits for a reader nor raises a signal. What cannot be written is left out.
inline void write_to_stderr(const char *text, std::size_t length) noexcept
{
    constexpr std::array<int, 3> raised{SIGPIPE, SIGXFSZ, SIGTTOU};
    pollfd ready{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0)
        return;
    sigset_t blocked, before, pending;
    ::sigemptyset(&blocked);
    for (const int signal : raised)
        ::sigaddset(&blocked, signal);
    ::sigpending(&pending);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
    (void)!::write(STDERR_FILENO, text, length);
    for (const int signal : raised) {
        if (::sigismember(&pending, signal) == 1)
            ::sigdelset(&blocked, signal);  // somebody else's
    }
    const timespec no_wait{};
    while (::sigtimedwait(&blocked, nullptr, &no_wait) > 0 || errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// At most one line per call of InitTracer, on stderr only.
inline void complain(const char *what, const char *detail) noexcept
{
    char line[512];
    const int length = std::snprintf(line, sizeof line, "corotracer: %s: %.300s; running untraced\n", what, detail);
    if (length > 0)
        write_to_stderr(line, static_cast<std::size_t>(length));
}

// ---------------------------------------------------------------- fork

inline void switch_off_in_child() noexcept
{
    page_v1.session.store(0, std::memory_order_relaxed);
    page_v1.init_lock.store(0, std::memory_order_relaxed);
    page_v1.init_ended.store(0, std::memory_order_relaxed);
    page_v1.attached.store(0, std::memory_order_relaxed);
    page_v1.disabled.store(0, std::memory_order_relaxed);
    page_v1.early_births.store(0, std::memory_order_relaxed);
}

/// Has the page zeroed in forked children. Idempotent; the second of two racing calls does no harm.
inline void guard_against_fork() noexcept
{
    if (page_v1.guarded.load(std::memory_order_relaxed) != 0)
        return;
#if defined(MADV_WIPEONFORK)
    if (kernel_heeds_advice() && ::madvise(&page_v1, sizeof page_v1, MADV_WIPEONFORK) == 0) {
        page_v1.guarded.store(1, std::memory_order_relaxed);
        return;
    }
#endif
    if (page_v1.guarded.exchange(1, std::memory_order_relaxed) == 0)
        ::pthread_atfork(nullptr, nullptr, &switch_off_in_child);
}

// ---------------------------------------------------------------- births without a session

/// Hands the early births to the engine. Exchange, so that two threads never report one birth twice.
inline void report_early_births() noexcept
{
    const std::uint64_t count = page_v1.early_births.exchange(0, std::memory_order_seq_cst);
    if (count != 0 && state_v1.sites.extension != nullptr)
        state_v1.sites.extension->born_before_init.fetch_add(count, std::memory_order_relaxed);
}

/// A coroutine is born while tracing is switched off or paused: it stays untraced.
[[gnu::noinline, gnu::cold]] inline void count_birth_while_off() noexcept
{
    if (state_v1.sites.extension != nullptr)
        state_v1.sites.extension->births_while_off.fetch_add(1, std::memory_order_relaxed);
}

#if defined(COROTRACER_EXTERN)
void count_early_birth() noexcept;
#else
/// A coroutine is born while there is no session.
[[gnu::noinline, gnu::cold]] inline void count_early_birth() noexcept
{
    if (page_v1.attached.load(std::memory_order_acquire) != 0)
        return count_birth_while_off();
    if (page_v1.init_ended.load(std::memory_order_relaxed) != 0)
        return;
    const int saved_errno = errno;
    // seq_cst here, at the load below and at InitTracer's store and exchange: either InitTracer's last exchange sees
    // this birth, or the load sees the session.
    if (page_v1.early_births.fetch_add(1, std::memory_order_seq_cst) == 0)
        guard_against_fork();
    if (page_v1.attached.load(std::memory_order_seq_cst) != 0)
        report_early_births();
    errno = saved_errno;
}
#endif

}  // namespace corotracer::detail

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
