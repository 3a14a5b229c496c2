// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// What a process has once: the switch, the mapping, the socket, the clock, the table of sites.
//
// All of it lives in inline variables of default visibility, so that an executable and its shared objects, whatever
// visibility they are built with, have one copy. An executable must export them to share them with what it loads by
// dlopen: the CMake target and the pkg-config file pass the linker option that does. Nothing here throws, blocks,
// writes to stdout or raises a signal.
#pragma once

#include "clock.h"
#include "layout.h"
#include "site.h"

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
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
namespace detail {

#if defined(__aarch64__)
inline constexpr std::size_t largest_page = 65536;
#else
inline constexpr std::size_t largest_page = 4096;
#endif

/// The switch. A page of its own, which the kernel zeroes in a forked child (MADV_WIPEONFORK): the child is untraced
/// until it calls InitTracer itself, and then it gets another session number.
struct COROTRACER_ONE_PER_PROCESS alignas(largest_page) process_page {
    /// 0 = off, else 2 * number + engine_fences_bit. Release by InitTracer, after everything else is in place; partner:
    /// the acquire load in write_trace.
    std::atomic<std::uint32_t> session;
    std::atomic<std::uint32_t> init_lock;   ///< 1: a thread is in InitTracer (acquire/release)
    std::atomic<std::uint32_t> init_ended;  ///< 1: InitTracer was called; births without a session are off, not early
    std::atomic<std::uint32_t> guarded;     ///< 1: the kernel (or an atfork handler) was asked to zero the page
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

/// Plain fields are written by InitTracer before it publishes the session, and only read afterwards.
struct COROTRACER_ONE_PER_PROCESS process_state {
    alignas(64) GlobalHeader *header;
    StationData *stations;
    site_area sites;
    std::uint32_t station_limit;  ///< stations that are mapped
    std::uint32_t pid;
    std::atomic<std::uint32_t> sessions;  ///< sessions so far, those of the parents included: numbers never repeat
    alignas(64) shared_clock clock;
    alignas(64) socket_state socket;
};

COROTRACER_ONE_PER_PROCESS inline constinit process_page page_v1{};
COROTRACER_ONE_PER_PROCESS inline constinit process_state state_v1{};
COROTRACER_ONE_PER_PROCESS inline constinit site_table sites_v1{};

/// What a thread keeps for itself: its id, asked for once per session, and the line of the clock until its next check.
struct thread_state {
    std::uint32_t session;
    std::uint64_t tid;
    clock_line line;
};
inline thread_local constinit thread_state this_thread{};

[[nodiscard, gnu::noinline, gnu::cold]] inline std::uint64_t ask_tid() noexcept
{
#if defined(SYS_gettid)
    return static_cast<std::uint64_t>(::syscall(SYS_gettid));
#else
    return reinterpret_cast<std::uint64_t>(::pthread_self());
#endif
}

/// Now, in ns; brings this_thread up to date.
[[nodiscard, gnu::noinline, gnu::cold]] inline std::uint64_t renew_thread(std::uint32_t session) noexcept
{
    thread_state &self = this_thread;
    if (self.session != session) {
        self.tid = ask_tid();
        self.session = session;
    }
    return clock_now(state_v1.clock, self.line);
}

/// Now, in ns, during a session.
[[nodiscard]] inline std::uint64_t now_in(std::uint32_t session) noexcept
{
    const thread_state &self = this_thread;
    const std::uint64_t ticks = read_counter() - self.line.base_counter;
    if (self.session != session || ticks >= self.line.interval) [[unlikely]]
        return renew_thread(session);
    return self.line.base_ns + scale(ticks, self.line.mult);
}

/// At most one line per call of InitTracer, on stderr only.
inline void complain(const char *what, const char *detail) noexcept
{
    char line[512];
    const int length = std::snprintf(line, sizeof line, "corotracer: %s: %.300s; running untraced\n", what, detail);
    if (length > 0)
        (void)!::write(STDERR_FILENO, line, static_cast<std::size_t>(length));
}

// ---------------------------------------------------------------- fork

inline void switch_off_in_child() noexcept
{
    page_v1.session.store(0, std::memory_order_relaxed);
    page_v1.init_lock.store(0, std::memory_order_relaxed);
    page_v1.init_ended.store(0, std::memory_order_relaxed);
    page_v1.early_births.store(0, std::memory_order_relaxed);
}

/// Has the page zeroed in forked children. Idempotent; the second of two racing calls does no harm.
inline void guard_against_fork() noexcept
{
    if (page_v1.guarded.load(std::memory_order_relaxed) != 0)
        return;
#if defined(MADV_WIPEONFORK)
    // Who says yes to advice that does not exist (qemu's user mode) has not wiped anything either.
    constexpr int no_advice = 9999;
    if (::madvise(&page_v1, sizeof page_v1, no_advice) != 0 &&
        ::madvise(&page_v1, sizeof page_v1, MADV_WIPEONFORK) == 0) {
        page_v1.guarded.store(1, std::memory_order_relaxed);
        return;
    }
#endif
    if (page_v1.guarded.exchange(1, std::memory_order_relaxed) == 0)
        ::pthread_atfork(nullptr, nullptr, &switch_off_in_child);
}

// ---------------------------------------------------------------- socket and wake-up

[[nodiscard]] inline bool is_ours(int fd, std::uint64_t inode) noexcept
{
    struct stat status {};
    return fd >= 0 && ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_ino == inode;
}

inline constexpr std::uint64_t reconnect_ns = 100'000'000;  ///< at most one attempt in this time

/// One attempt to connect, without waiting. Keeps the descriptor's number, so that a concurrent send cannot hit
/// somebody else's file.
inline void connect_engine(socket_state &socket) noexcept
{
    if (socket.address_size == 0)
        return;
    int fresh = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fresh < 0)
        return;
    struct stat status {};
    if (::connect(fresh, reinterpret_cast<const sockaddr *>(&socket.address), socket.address_size) != 0 ||
        ::fstat(fresh, &status) != 0) {
        ::close(fresh);
        return;
    }
    const int old = socket.fd.load(std::memory_order_relaxed);
    if (is_ours(old, socket.inode.load(std::memory_order_relaxed)) && ::dup3(fresh, old, O_CLOEXEC) == old) {
        ::close(fresh);
        fresh = old;
    }
    socket.inode.store(status.st_ino, std::memory_order_relaxed);
    socket.fd.store(fresh, std::memory_order_release);  // partner: the acquire load in send_wake
}

[[nodiscard]] inline bool send_wake(socket_state &socket) noexcept
{
    const int fd = socket.fd.load(std::memory_order_acquire);
    if (!is_ours(fd, socket.inode.load(std::memory_order_relaxed)))
        return false;
    const char wake = '1';
    if (::send(fd, &wake, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1)
        return true;
    return errno != EPIPE && errno != ECONNRESET && errno != ENOTCONN;  // a full buffer will wake it just as well
}

/// The engine sleeps: whoever clears the flag tells it. A byte that cannot be sent costs some 10 ms of latency and
/// nothing else, for the engine looks at the flag itself.
[[gnu::noinline, gnu::cold]] inline void wake_engine() noexcept
{
    std::uint32_t sleeping = 1;
    if (!state_v1.header->tracer_sleeping.compare_exchange_strong(sleeping, 0, std::memory_order_acq_rel,
                                                                  std::memory_order_relaxed))
        return;
    const int saved_errno = errno;
    socket_state &socket = state_v1.socket;
    if (!send_wake(socket) && socket.busy.exchange(1, std::memory_order_acquire) == 0) {
        const std::uint64_t now = monotonic_ns();
        if (now - socket.last_try_ns.load(std::memory_order_relaxed) >= reconnect_ns) {
            socket.last_try_ns.store(now, std::memory_order_relaxed);
            connect_engine(socket);
            (void)send_wake(socket);
        }
        socket.busy.store(0, std::memory_order_release);  // partner: the acquire exchange above
    }
    errno = saved_errno;
}

/// The last step of a transition where the engine does not fence for both sides. The seq_cst store and load (xchg and
/// mov on x86-64) cost more than the rest of the transition; partners: the engine's seq_cst store to tracer_sleeping
/// and seq_cst loads of seq after it.
[[gnu::noinline]] inline void publish_fenced(std::atomic<std::uint64_t> &seq, std::uint64_t value) noexcept
{
    seq.store(value, std::memory_order_seq_cst);
    if (state_v1.header->tracer_sleeping.load(std::memory_order_seq_cst) == 1) [[unlikely]]
        wake_engine();
}

inline void open_socket(socket_state &socket, const char *path) noexcept
{
    const int inherited = socket.fd.load(std::memory_order_relaxed);  // a parent's, after fork
    if (state_v1.sessions.load(std::memory_order_relaxed) != 0 &&
        is_ours(inherited, socket.inode.load(std::memory_order_relaxed)))
        ::close(inherited);
    socket.fd.store(-1, std::memory_order_relaxed);
    socket.busy.store(0, std::memory_order_relaxed);
    socket.last_try_ns.store(monotonic_ns(), std::memory_order_relaxed);
    socket.address = {};
    socket.address.sun_family = AF_UNIX;
    socket.address_size = 0;
    const std::size_t length = std::strlen(path);
    if (length == 0 || length >= sizeof socket.address.sun_path)
        return;  // traced all the same, without a wake-up
    std::memcpy(socket.address.sun_path, path, length);
    socket.address_size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length + 1);
    connect_engine(socket);
}

// ---------------------------------------------------------------- mapping

/// In the session: the region's engine issues membarrier(2) before it sleeps, so that a transition needs no fence.
inline constexpr std::uint32_t engine_fences_bit = 1;

/// Lets the engine's membarrier reach the threads of this process. False: this process has to fence by itself.
[[nodiscard]] inline bool register_for_barrier() noexcept
{
#if defined(__linux__) && defined(SYS_membarrier)
    constexpr int register_global_expedited = 1 << 2;  // MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, Linux 4.16
    return ::syscall(SYS_membarrier, register_global_expedited, 0, 0) == 0;
#else
    return false;
#endif
}

/// What InitTracer found out about the region before anything is published.
struct mapping {
    void *base = nullptr;
    std::size_t size = 0;
    std::uint32_t station_limit = 0;
    bool engine_fences = false;
    site_area sites;
};

/// Whether [offset, offset + count * size) is a range of whole 64-byte lines behind `after` and within `file_size`.
[[nodiscard]] inline constexpr bool fits(std::uint64_t offset, std::uint64_t count, std::uint64_t size,
                                         std::uint64_t after, std::uint64_t file_size) noexcept
{
    return offset % 64 == 0 && offset >= after && offset <= file_size && count <= (file_size - offset) / size;
}

/// Checks the extension that the header announces; leaves `sites` empty unless all of it is sound.
inline void check_extension(mapping &map, std::uint64_t file_size) noexcept
{
    auto *header = static_cast<GlobalHeader *>(map.base);
    ExtensionHeader &untrusted = header->extension;
    if (untrusted.magic != kExtensionMagic || untrusted.version != kExtensionVersion ||
        untrusted.size < sizeof(ExtensionHeader) || untrusted.site_record_size != sizeof(SiteRecord))
        return;
    const std::uint64_t reserved = untrusted.stations_reserved;
    const std::uint64_t table = untrusted.site_table_offset;
    const std::uint32_t capacity = untrusted.site_capacity;
    const std::uint64_t strings = untrusted.strings_offset;
    const std::uint64_t strings_capacity = untrusted.strings_capacity;
    if (reserved > UINT32_MAX || !fits(kHeaderSize, reserved, kStationSize, kHeaderSize, file_size))
        return;
    const std::uint64_t behind = kHeaderSize + reserved * kStationSize;
    if (!fits(table, capacity, sizeof(SiteRecord), behind, file_size) ||
        !fits(strings, strings_capacity, 1, behind, file_size))
        return;
    map.station_limit = static_cast<std::uint32_t>(reserved);
    map.engine_fences = untrusted.engine_fences == 1;
    map.sites.extension = &untrusted;
    map.sites.records = reinterpret_cast<SiteRecord *>(static_cast<char *>(map.base) + table);
    map.sites.strings = static_cast<char *>(map.base) + strings;
    map.sites.capacity = capacity;
    map.sites.strings_capacity = strings_capacity;
}

/// Reads and checks an open region, then maps it: never beyond its end, and only if it is one.
/// Returns null, or what is wrong.
[[nodiscard]] inline const char *map_region(int fd, std::uint32_t stations_told, mapping &map) noexcept
{
    struct stat status {};
    if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return "not a regular file";
    if (status.st_size < static_cast<off_t>(kHeaderSize))
        return "too short for a cTP region";
    const auto file_size = static_cast<std::uint64_t>(status.st_size);
    unsigned char start[16];
    std::uint64_t magic = 0;
    std::uint32_t version = 0;
    std::uint32_t max_stations = 0;
    if (::pread(fd, start, sizeof start, 0) != static_cast<ssize_t>(sizeof start))
        return "cannot be read";
    std::memcpy(&magic, start, sizeof magic);
    std::memcpy(&version, start + 8, sizeof version);
    std::memcpy(&max_stations, start + 12, sizeof max_stations);
    if (magic != kMagic)
        return "not a cTP region (wrong magic number)";
    if (version != kVersion)
        return "unknown cTP version";
    const std::uint64_t stations_in_file = (file_size - kHeaderSize) / kStationSize;
    if (max_stations > stations_in_file)
        return "shorter than its header says";
    map.base = ::mmap(nullptr, file_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map.base == MAP_FAILED)
        return "cannot be mapped";
    map.size = file_size;
    map.station_limit = stations_told < stations_in_file ? stations_told : static_cast<std::uint32_t>(stations_in_file);
    check_extension(map, file_size);
    return nullptr;
}

/// Digits only, 1 ... 2^32-1; 0 for anything else.
[[nodiscard]] inline constexpr std::uint32_t parse_stations(const char *text) noexcept
{
    std::uint64_t value = 0;
    if (*text == '\0')
        return 0;
    for (; *text != '\0'; ++text) {
        if (*text < '0' || *text > '9')
            return 0;
        value = value * 10 + static_cast<std::uint64_t>(*text - '0');
        if (value > UINT32_MAX)
            return 0;
    }
    return static_cast<std::uint32_t>(value);
}

// ---------------------------------------------------------------- births before InitTracer

/// Hands the early births to the engine. Exchange, so that two threads never report one birth twice.
inline void report_early_births() noexcept
{
    const std::uint64_t count = page_v1.early_births.exchange(0, std::memory_order_seq_cst);
    if (count != 0 && state_v1.sites.extension != nullptr)
        state_v1.sites.extension->born_before_init.fetch_add(count, std::memory_order_relaxed);
}

/// A coroutine is born while there is no session.
[[gnu::noinline, gnu::cold]] inline void count_early_birth() noexcept
{
    if (page_v1.init_ended.load(std::memory_order_relaxed) != 0)
        return;
    const int saved_errno = errno;
    // seq_cst here, at the load below and at InitTracer's store and exchange: either InitTracer's last exchange sees
    // this birth, or the load sees the session.
    if (page_v1.early_births.fetch_add(1, std::memory_order_seq_cst) == 0)
        guard_against_fork();
    if (page_v1.session.load(std::memory_order_seq_cst) != 0)
        report_early_births();
    errno = saved_errno;
}

// ---------------------------------------------------------------- InitTracer

inline void init_from_environment() noexcept
{
    const char *shm_path = std::getenv("CTP_SHM_PATH");
    const char *socket_path = std::getenv("CTP_SOCK_PATH");
    const char *stations_text = std::getenv("CTP_MAX_STATIONS");
    if (shm_path == nullptr || socket_path == nullptr || stations_text == nullptr)
        return;
    const std::uint32_t stations_told = parse_stations(stations_text);
    if (stations_told == 0) {
        complain("CTP_MAX_STATIONS is not a number of stations", stations_text);
        return;
    }
    const int fd = ::open(shm_path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        complain("CTP_SHM_PATH cannot be opened", shm_path);
        return;
    }
    mapping map;
    const char *wrong = map_region(fd, stations_told, map);
    ::close(fd);
    if (wrong != nullptr) {
        complain(wrong, shm_path);
        return;
    }
    guard_against_fork();
    open_socket(state_v1.socket, socket_path);
    if (state_v1.sessions.load(std::memory_order_relaxed) != 0)
        clear_sites(sites_v1);  // the parent's, after fork
    state_v1.header = static_cast<GlobalHeader *>(map.base);
    state_v1.stations = reinterpret_cast<StationData *>(static_cast<char *>(map.base) + kHeaderSize);
    state_v1.sites = map.sites;
    state_v1.station_limit = map.station_limit;
    state_v1.pid = static_cast<std::uint32_t>(::getpid());
    start_clock(state_v1.clock);
    // Bit 0 of a session says that the engine fences for both sides; the rest is the number.
    std::uint32_t session = 2 * (state_v1.sessions.fetch_add(1, std::memory_order_relaxed) + 1);
    if (map.engine_fences && register_for_barrier())
        session |= engine_fences_bit;
    page_v1.session.store(session, std::memory_order_seq_cst);
    report_early_births();
}

}  // namespace detail

/// CLOCK_MONOTONIC in ns; from the counter once tracing is on (clock.h states the error).
inline std::uint64_t get_ns() noexcept
{
    const std::uint32_t session = detail::page_v1.session.load(std::memory_order_acquire);
    return session == 0 ? detail::monotonic_ns() : detail::now_in(session);
}

/// The operating system's id of this thread.
inline std::uint64_t get_tid() noexcept
{
    const std::uint32_t session = detail::page_v1.session.load(std::memory_order_acquire);
    if (session == 0)
        return detail::ask_tid();
    if (detail::this_thread.session != session)
        (void)detail::renew_thread(session);
    return detail::this_thread.tid;
}

/// Switches tracing on when the environment has CTP_SHM_PATH, CTP_SOCK_PATH and CTP_MAX_STATIONS; otherwise does
/// nothing. Call it once, before the first coroutine; further calls, from any thread, do nothing. A forked child that
/// is to be traced calls it again. Takes about 0.2 ms; never throws. What is wrong with the region, if anything, is
/// one line on stderr.
inline void InitTracer() noexcept
{
    detail::process_page &page = detail::page_v1;
    if (page.session.load(std::memory_order_acquire) != 0)
        return;
    const int saved_errno = errno;
    // A second thread lets the first finish, for a fifth of a second at most: whoever returns from here expects to be
    // traced.
    for (int patience = 4000; page.init_lock.exchange(1, std::memory_order_acquire) != 0; --patience) {
        if (patience == 0) {
            errno = saved_errno;
            return;
        }
        const timespec moment{0, 50'000};
        ::nanosleep(&moment, nullptr);
    }
    if (page.session.load(std::memory_order_acquire) == 0)
        detail::init_from_environment();
    page.init_ended.store(1, std::memory_order_relaxed);
    page.init_lock.store(0, std::memory_order_release);  // partner: the acquire exchange above
    errno = saved_errno;
}

}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
