// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// State of the process (switch, region, clock, sites) and of each thread.
//
// All state lies in inline variables with default visibility. So an executable and its shared objects share one copy,
// whatever visibility they are compiled with. To share it with objects that it loads by dlopen, an executable must
// export these variables; the CMake target and the pkg-config file pass the linker option. No function of the probe
// throws, writes to stdout, raises a signal, or waits without a time limit.
//
// Objects that were compiled with older headers may be linked into one program. The namespace v2 keeps their functions
// and types apart, and the names of the state end in _v2: programs then have two states, as with unrelated plugins.
// Both numbers change, with COROTRACER_ABI in corotracer.h and the linker option of the packages, when the layout of
// the state or of a promise changes.
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

namespace corotracer {
inline namespace v2 {
namespace detail {

/// Handle of the executable or shared object. Declared under another name, because compilers declare __dso_handle
/// themselves, with another type.
extern void *this_object __asm__("__dso_handle") __attribute__((visibility("hidden")));

#if defined(__aarch64__)
inline constexpr std::size_t largest_page = 65536;
#else
inline constexpr std::size_t largest_page = 4096;
#endif

// A session is one InitTracer of one process. Its number differs from the sessions of all parents and children. The low
// three bits are flags.
/// No event needs a fence: the region's engine calls membarrier(2) before it sleeps, or never sleeps.
inline constexpr std::uint32_t engine_fences_bit = 1;
/// The region has lanes, and this process writes to them.
inline constexpr std::uint32_t lanes_bit = 2;
/// The engine paused tracing. Set only in process_page::session.
inline constexpr std::uint32_t paused_bit = 4;
inline constexpr std::uint32_t session_step = 8;

/// The switch, on a page of its own. The kernel zeroes the page in a forked child (MADV_WIPEONFORK). So the child is
/// untraced until it calls InitTracer itself, which begins another session.
struct COROTRACER_ONE_PER_PROCESS alignas(largest_page) process_page {
    /// 0 = off, else the session, with paused_bit while the engine pauses tracing. InitTracer stores it after all other
    /// state (release or stronger; partner: the acquire load at every event).
    std::atomic<std::uint32_t> session;
    std::atomic<std::uint32_t> init_lock;  ///< 1: a thread is in InitTracer; a lock (acquire/release)
    /// 1: InitTracer has ended. Later births without a session are not counted as early.
    std::atomic<std::uint32_t> init_ended;
    std::atomic<std::uint32_t> guarded;  ///< 1: the kernel or an atfork handler clears the page in children
    /// The session, also while it is off or paused; 0 = none. Stored before `session` (release or stronger; partner:
    /// acquire).
    std::atomic<std::uint32_t> attached;
    std::atomic<std::uint32_t> disabled;  ///< 1: the program called enable(false)
    /// Coroutines born before InitTracer. seq_cst, see count_early_birth.
    alignas(64) std::atomic<std::uint64_t> early_births;
};
static_assert(sizeof(process_page) == largest_page && std::is_trivially_destructible_v<process_page>);

/// The engine's socket. The thread that holds `busy` connects; any thread sends.
struct socket_state {
    std::atomic<int> fd;  ///< -1 = none
    /// Inode of our socket. The program may have closed the descriptor and reused its number.
    std::atomic<std::uint64_t> inode;
    std::atomic<std::uint32_t> busy;         ///< lock for connecting, never waited for (acquire/release)
    std::atomic<std::uint64_t> last_try_ns;  ///< ns, CLOCK_MONOTONIC
    sockaddr_un address;                     ///< written before the session is published
    socklen_t address_size;                  ///< bytes; 0 = no usable path
};

/// Areas of a region with lanes, checked against the file's size. Copied from the header once: later changes of the
/// header have no effect.
struct lane_areas {
    ExtensionHeader *extension = nullptr;  ///< null: the region has no lanes
    char *pool = nullptr;                  ///< pool of the lanes, as far as it is mapped: from pool_offset
    ProcessEntry *processes = nullptr;
    LaneHeader *directory = nullptr;
    CompactState *states = nullptr;
    CompactBirth *births = nullptr;
    std::uint64_t pool_offset = 0;   ///< offset of the mapped pool in the file, bytes
    std::uint64_t pool_size = 0;     ///< size of the mapped pool, bytes
    std::uint64_t pool_skipped = 0;  ///< bytes of the region's pool in front of the mapped part
    std::uint32_t process_capacity = 0;
    std::uint32_t lane_capacity = 0;
    std::uint32_t compact_stations_reserved = 0;
    std::uint32_t lane_records = 0;  ///< records of a new lane; less where room is short
    /// Milliseconds for which a closed lane is kept from the next thread.
    std::uint32_t retention_ms = 0;
    bool overwrite = false;
    bool may_shrink = false;  ///< readers notice when a lane gets shorter
};

/// The mappings of a region: one that covers the file, or one for each area.
struct mapped_parts {
    struct part {
        char *begin = nullptr;  ///< at a page boundary
        std::size_t size = 0;   ///< bytes
    };
    part parts[9];
    std::uint32_t count = 0;
};

/// Latest comparison of the raw counter with CLOCK_MONOTONIC (counterwatch.h).
struct counter_watch {
    std::atomic<std::uint64_t> init_counter;  ///< the first pair, as in ProcessEntry
    std::atomic<std::uint64_t> init_ns;
    std::atomic<std::uint64_t> mult;          ///< ns per tick, 32 bits after the point; latest measurement
    std::atomic<std::uint64_t> good_counter;  ///< the latest pair that agreed
    std::atomic<std::uint64_t> good_ns;
};

/// State of the process. InitTracer writes the fields that are not atomic before it publishes the session. Later they
/// are only read.
struct COROTRACER_ONE_PER_PROCESS process_state {
    alignas(64) GlobalHeader *header;
    StationData *stations;
    site_area sites;
    std::uint32_t station_limit;  ///< number of stations that are mapped
    std::uint32_t pid;
    lane_areas lanes;
    mapped_parts mapped;
    ProcessEntry *process;                 ///< the process's entry; null without lanes
    std::uint32_t process_index;           ///< index of `process` in the process table
    std::atomic<std::uint32_t> raw_clock;  ///< a ClockKind: unit of the raw clock in lanes and compact stations
    std::uint64_t pair_ticks;              ///< raw clock units in 100 ms, the time between two published pairs
    /// Number of sessions so far, those of the parents included. So session numbers never repeat.
    std::atomic<std::uint32_t> sessions;
    /// Raw time at which tracing went on again, 0 = it was never off. Relaxed: what it decides is only a hint.
    std::atomic<std::uint64_t> on_since;
    /// Raw time at which the next pair is due. The thread that raises it (compare-exchange) publishes the pair.
    std::atomic<std::uint64_t> pair_due;
    /// ns, CLOCK_MONOTONIC: before this time no thread requests memory for stations.
    std::atomic<std::uint64_t> no_memory_before_ns;
    /// A pthread_key_t, plus 1, whose destructor leaves the lane of an ending thread; 0 = none. Relaxed: InitTracer
    /// stores it before it publishes the session.
    std::atomic<std::uint32_t> thread_key;
    alignas(64) shared_clock clock;
    alignas(64) socket_state socket;
    counter_watch counter;
};

COROTRACER_ONE_PER_PROCESS inline constinit process_page page_v2{};
COROTRACER_ONE_PER_PROCESS inline constinit process_state state_v2{};
COROTRACER_ONE_PER_PROCESS inline constinit site_table sites_v2{};

inline constexpr std::uint32_t kept_stations = 32;  ///< most free compact stations that a thread keeps

/// State of a thread. The first fields are used by every event.
struct COROTRACER_ONE_PER_PROCESS alignas(64) thread_state {
    std::uint32_t session;  ///< session of all other fields, without paused_bit
    std::uint32_t lap;      ///< lap of the slots from `next` to `end`
    std::uint64_t tid;      ///< OS thread id
    LaneRecord *next;       ///< slot of the next record
    const LaneRecord *end;  ///< records may go to the slots before it without a check; next == end: slow path
    /// The coroutine that was born or resumed last and not suspended since, 0 = none. May be out of date (running.h).
    std::uint64_t running;
    /// Ticks after line.base_counter within which an event of a full station needs neither a check of the clock nor a
    /// fence: line.interval, or 0 where the engine does not fence.
    std::uint64_t quick_ticks;
    clock_line line;  ///< the thread's copy of the clock's line, until its next check
    // For lanes, outside the hot path (lane.h).
    LaneHeader *lane;     ///< null: the thread has no lane
    LaneRecord *records;  ///< slot 0
    std::atomic<std::uint64_t> *block_numbers;
    const LaneRecord *run_end;     ///< end of the run of slots; `end` is nearer where every record takes the slow path
    std::uint64_t position_end;    ///< position of run_end
    std::uint64_t drops;           ///< records dropped since the last one that was written
    std::uint64_t first_drop;      ///< raw clock of the first dropped record
    std::uint64_t last_drop;       ///< raw clock of the last dropped record
    std::uint64_t retry_ns;        ///< ns, CLOCK_MONOTONIC; before this time the thread requests no lane and no memory
    std::uint64_t thread_name;     ///< string; goes into the header of the thread's next lane
    std::uint32_t capacity;        ///< size of the lane, records
    std::uint32_t counted;         ///< session in which threads_without_lane counted the thread
    std::uint64_t seen_counter;    ///< counter at the thread's latest check that it moves
    std::uint64_t still_since_ns;  ///< ns, CLOCK_MONOTONIC, when the counter was first found unchanged; 0 = it moves
    std::uint32_t closer;          ///< 1: leave_lane is called when the thread ends
    std::uint32_t free_compact_count;  ///< number of indices in free_compact_stations
    /// Indices of free compact stations.
    std::uint32_t free_compact_stations[kept_stations];
};
static_assert(std::is_trivially_destructible_v<thread_state>);
COROTRACER_ONE_PER_PROCESS inline thread_local constinit thread_state thread_v2{};

[[nodiscard, gnu::noinline, gnu::cold]] inline std::uint64_t ask_tid() noexcept
{
#if defined(SYS_gettid)
    return static_cast<std::uint64_t>(::syscall(SYS_gettid));
#else
    return reinterpret_cast<std::uint64_t>(::pthread_self());
#endif
}

/// Begins a session in this thread. All other state of the thread belongs to a parent's session, and is reset.
[[gnu::noinline, gnu::cold]] inline void join_session(thread_state &self, std::uint32_t session) noexcept
{
    const std::uint32_t closer = self.closer;
    self = {};
    self.closer = closer;
    self.tid = ask_tid();
    self.session = session & ~paused_bit;
}

inline constexpr std::uint64_t still_ns = 2'000'000;  ///< a counter that is unchanged for this long stands still

/// True if the counter has shown this thread one value for `still_ns`. `counter` is its present value. A counter that
/// stands still never makes a check of the clock due, so the slow paths call this. Reads CLOCK_MONOTONIC only when two
/// calls saw the same value.
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
    // Reads the counter again: the thread may have been preempted after the first reading.
    return now - self.still_since_ns >= still_ns && read_counter() == counter;
}

/// Returns the time in ns of CLOCK_MONOTONIC. Updates the thread's session and its line of the clock.
[[nodiscard, gnu::noinline, gnu::cold]] inline std::uint64_t renew_thread(std::uint32_t session) noexcept
{
    thread_state &self = thread_v2;
    if (self.session != (session & ~paused_bit))
        join_session(self, session);
    if (self.line.interval != 0 && stands_still(self, read_counter()))
        give_up_clock(state_v2.clock);
    const std::uint64_t now = clock_now(state_v2.clock, self.line);
    self.quick_ticks = (session & engine_fences_bit) != 0 ? self.line.interval : 0;
    return now;
}

/// Returns the time in ns of CLOCK_MONOTONIC. During a session only.
[[nodiscard]] inline std::uint64_t now_in(std::uint32_t session) noexcept
{
    const thread_state &self = thread_v2;
    const std::uint64_t ticks = read_counter() - self.line.base_counter;
    if (self.session != (session & ~paused_bit) || ticks >= self.line.interval) [[unlikely]]
        return renew_thread(session);
    return self.line.base_ns + scale(ticks, self.line.mult);
}

/// Converts a time of CLOCK_MONOTONIC to ticks of a perfect counter, by the process's line (kClockGivenUp).
[[nodiscard]] inline std::uint64_t ticks_at(std::uint64_t ns) noexcept
{
    const counter_watch &watch = state_v2.counter;
    const std::uint64_t init_ns = watch.init_ns.load(std::memory_order_relaxed);
    const std::uint64_t elapsed = ns > init_ns ? ns - init_ns : 0;
    return watch.init_counter.load(std::memory_order_relaxed) +
           slope(elapsed, watch.mult.load(std::memory_order_relaxed));
}

[[nodiscard, gnu::noinline, gnu::cold]] inline std::uint64_t raw_now_without_counter() noexcept
{
    // Acquire; partner: the release in give_up_counter, so that `counter` is final.
    const bool given_up = state_v2.raw_clock.load(std::memory_order_acquire) == kClockGivenUp;
    return given_up ? ticks_at(monotonic_ns()) : monotonic_ns();
}

/// Returns the present raw clock: the unit of times in lanes and compact stations.
[[nodiscard]] inline std::uint64_t raw_now() noexcept
{
    // Relaxed: a thread may notice later than others that the counter was given up.
    const bool counts = state_v2.raw_clock.load(std::memory_order_relaxed) == kClockCounter;
    return counts ? read_counter() : raw_now_without_counter();
}

/// Writes to stderr without waiting for a reader and without raising a signal. Text that cannot be written is left out.
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
            ::sigdelset(&blocked, signal);  // was pending before; belongs to the program
    }
    const timespec no_wait{};
    while (::sigtimedwait(&blocked, nullptr, &no_wait) > 0 || errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Prints an error to stderr, at most one line per call of InitTracer.
inline void complain(const char *what, const char *detail) noexcept
{
    char line[512];
    const int length = std::snprintf(line, sizeof line, "corotracer: %s: %.300s; running untraced\n", what, detail);
    if (length > 0)
        write_to_stderr(line, static_cast<std::size_t>(length));
}

// ---------------------------------------------------------------- fork

/// Handler for pthread_atfork(3), where the kernel does not clear the page.
inline void switch_off_in_child() noexcept
{
    page_v2.session.store(0, std::memory_order_relaxed);
    page_v2.init_lock.store(0, std::memory_order_relaxed);
    page_v2.init_ended.store(0, std::memory_order_relaxed);
    page_v2.attached.store(0, std::memory_order_relaxed);
    page_v2.disabled.store(0, std::memory_order_relaxed);
    page_v2.early_births.store(0, std::memory_order_relaxed);
}

/// Makes children start with a cleared page after fork. Idempotent; two calls at once do no harm.
inline void guard_against_fork() noexcept
{
    if (page_v2.guarded.load(std::memory_order_relaxed) != 0)
        return;
#if defined(MADV_WIPEONFORK)
    if (kernel_heeds_advice() && ::madvise(&page_v2, sizeof page_v2, MADV_WIPEONFORK) == 0) {
        page_v2.guarded.store(1, std::memory_order_relaxed);
        return;
    }
#endif
    if (page_v2.guarded.exchange(1, std::memory_order_relaxed) == 0)
        ::pthread_atfork(nullptr, nullptr, &switch_off_in_child);
}

// ---------------------------------------------------------------- births without a session

/// Adds the early births to the region's count. By exchange, so two threads never add one birth twice.
inline void report_early_births() noexcept
{
    const std::uint64_t count = page_v2.early_births.exchange(0, std::memory_order_seq_cst);
    if (count != 0 && state_v2.sites.extension != nullptr)
        state_v2.sites.extension->born_before_init.fetch_add(count, std::memory_order_relaxed);
}

/// Counts a birth while tracing is off or paused. The coroutine stays untraced.
[[gnu::noinline, gnu::cold]] inline void count_birth_while_off() noexcept
{
    if (state_v2.sites.extension != nullptr)
        state_v2.sites.extension->births_while_off.fetch_add(1, std::memory_order_relaxed);
}

#if defined(COROTRACER_EXTERN)
void count_early_birth() noexcept;
#else
/// Counts a birth while there is no session.
[[gnu::noinline, gnu::cold]] inline void count_early_birth() noexcept
{
    if (page_v2.attached.load(std::memory_order_acquire) != 0)
        return count_birth_while_off();
    if (page_v2.init_ended.load(std::memory_order_relaxed) != 0)
        return;
    const int saved_errno = errno;
    // seq_cst here, at the load below, and at InitTracer's store and exchange. Either InitTracer's last exchange sees
    // this birth, or the load below sees the session.
    if (page_v2.early_births.fetch_add(1, std::memory_order_seq_cst) == 0)
        guard_against_fork();
    if (page_v2.attached.load(std::memory_order_seq_cst) != 0)
        report_early_births();
    errno = saved_errno;
}
#endif

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
