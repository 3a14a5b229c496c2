// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// How a session begins: the region is mapped, the process takes its entry, the clock is calibrated, the switch turned.
#pragma once

#include "pause.h"
#include "region.h"

#include <cstring>

#include <fcntl.h>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer::detail {

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

// ---------------------------------------------------------------- the process's entry

/// Field 22 of /proc/self/stat: when the process began. 0 when it cannot be read.
[[nodiscard]] inline std::uint64_t start_ticks() noexcept
{
    char text[1024];
    const int fd = ::open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const ssize_t length = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    // Field 2, the name, ends with the last parenthesis; field 3 follows.
    const char *at = std::strrchr(text, ')');
    for (int field = 2; at != nullptr && field < 22; ++field)
        at = std::strchr(at + 1, ' ');
    return at == nullptr ? 0 : std::strtoull(at + 1, nullptr, 10);
}

inline void fill_entry(ProcessEntry &entry, std::uint64_t begun) noexcept
{
    process_state &state = state_v1;
    entry.pid.store(state.pid, std::memory_order_relaxed);
    entry.start_ticks.store(begun, std::memory_order_relaxed);
    struct stat space {};
    entry.pid_namespace.store(::stat("/proc/self/ns/pid", &space) == 0 ? std::uint64_t{space.st_ino} : 0,
                              std::memory_order_relaxed);
    entry.clock_kind.store(state.raw_counter ? 1 : 0, std::memory_order_relaxed);
    entry.switched_off.store(page_v1.disabled.load(std::memory_order_relaxed), std::memory_order_relaxed);
    const clock_state &clock = state.clock.state;
    const std::uint64_t now = monotonic_ns();
    entry.init_ns.store(state.raw_counter ? clock.last.ns : now, std::memory_order_relaxed);
    entry.init_counter.store(state.raw_counter ? clock.last.counter : 0, std::memory_order_relaxed);
    entry.mult.store(state.raw_counter ? clock.rate : 0, std::memory_order_relaxed);
    entry.late_seq.store(0, std::memory_order_relaxed);
    entry.late_ns.store(state.raw_counter ? clock.last.ns : now, std::memory_order_relaxed);
    entry.late_counter.store(state.raw_counter ? clock.last.counter : 0, std::memory_order_relaxed);
    char path[4096];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    const char *slash = std::strrchr(path, '/');
    const char *name = slash == nullptr ? path : slash + 1;
    const std::size_t size = ::strnlen(name, sizeof entry.name);
    std::memcpy(entry.name, name, size);
    entry.name_length.store(static_cast<std::uint32_t>(size), std::memory_order_relaxed);
}

/// Takes an entry of the process table. False: there is none; then no lanes. An older entry of this very process (it
/// called exec since) is ended.
[[nodiscard]] inline bool take_process_entry() noexcept
{
    process_state &state = state_v1;
    const lane_areas &areas = state.lanes;
    const std::uint64_t begun = start_ticks();
    if (!back_with_memory(areas.processes, areas.process_capacity * sizeof(ProcessEntry)))
        return false;
    for (std::uint32_t i = 0; i < areas.process_capacity; ++i) {
        ProcessEntry &entry = areas.processes[i];
        std::uint32_t active = kProcessActive;
        if (entry.state.load(std::memory_order_acquire) == kProcessActive &&
            entry.pid.load(std::memory_order_relaxed) == state.pid &&
            entry.start_ticks.load(std::memory_order_relaxed) == begun) {
            (void)entry.state.compare_exchange_strong(active, kProcessEnded, std::memory_order_acq_rel,
                                                      std::memory_order_relaxed);
        }
    }
    for (std::uint32_t i = 0; i < areas.process_capacity; ++i) {
        ProcessEntry &entry = areas.processes[i];
        std::uint32_t free = kProcessFree;
        if (!entry.state.compare_exchange_strong(free, kProcessMaking, std::memory_order_acquire,
                                                 std::memory_order_relaxed))
            continue;
        fill_entry(entry, begun);
        state.process = &entry;
        state.process_index = i;
        entry.state.store(kProcessActive, std::memory_order_release);  // partner: the engine's acquire load
        return true;
    }
    return false;
}

// ---------------------------------------------------------------- session

/// The clock is calibrated: how lanes and lines will tell the time.
inline void choose_raw_clock() noexcept
{
    process_state &state = state_v1;
    state.raw_counter = state.clock.state.line.interval != 0;
    constexpr std::uint64_t pair_ns = 100'000'000;
    state.pair_ticks = state.raw_counter ? slope(pair_ns, state.clock.state.rate) : pair_ns;
    state.pair_due.store(raw_now() + state.pair_ticks, std::memory_order_relaxed);
    state.no_line_before_ns.store(0, std::memory_order_relaxed);
}

/// Begins a session with a mapped region. `socket_path` may be null. The holder of init_lock only.
inline void begin_session(const mapping &map, const char *socket_path) noexcept
{
    process_state &state = state_v1;
    guard_against_fork();
    open_socket(state.socket, socket_path == nullptr ? "" : socket_path);
    if (state.sessions.load(std::memory_order_relaxed) != 0)
        clear_sites(sites_v1);  // the parent's, after fork
    state.header = map.header;
    state.stations = map.stations;
    state.sites = map.sites;
    state.station_limit = map.station_limit;
    state.pid = static_cast<std::uint32_t>(::getpid());
    state.lanes = map.lanes;
    state.process = nullptr;
    start_clock(state.clock);
    choose_raw_clock();
    std::uint32_t session = session_step * (state.sessions.fetch_add(1, std::memory_order_relaxed) + 1);
    if (state.lanes.extension != nullptr && take_process_entry())
        session |= lanes_bit;
    else
        state.lanes = {};
    // In overwrite mode nobody sleeps until an event wakes him.
    if (state.lanes.overwrite || (map.engine_fences && register_for_barrier()))
        session |= engine_fences_bit;
    // seq_cst both: see set_enabled and count_early_birth.
    page_v1.attached.store(session, std::memory_order_seq_cst);
    page_v1.session.store(session, std::memory_order_seq_cst);
    if (page_v1.disabled.load(std::memory_order_seq_cst) != 0)
        page_v1.session.store(0, std::memory_order_seq_cst);
    report_early_births();
}

/// Maps the open region `fd` (which stays the caller's) and begins a session with it. Returns null, or what is wrong.
/// The holder of init_lock only: call it through init_once.
[[nodiscard]] inline const char *init_from_region(int fd, const char *socket_path, std::uint32_t stations_told) noexcept
{
    mapping map;
    if (const char *wrong = map_region(fd, stations_told, map); wrong != nullptr)
        return wrong;
    begin_session(map, socket_path);
    return nullptr;
}

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
    if (const char *wrong = init_from_region(fd, socket_path, stations_told); wrong != nullptr)
        complain(wrong, shm_path);
    ::close(fd);
}

/// Runs `begin` unless the process has a session. A second thread lets the first finish, for a fifth of a second at
/// most: whoever returns from here expects to be traced.
template <class Begin>
inline void init_once(Begin &&begin) noexcept
{
    process_page &page = page_v1;
    if (page.attached.load(std::memory_order_acquire) != 0)
        return;
    const int saved_errno = errno;
    for (int patience = 4000; page.init_lock.exchange(1, std::memory_order_acquire) != 0; --patience) {
        if (patience == 0) {
            errno = saved_errno;
            return;
        }
        const timespec moment{0, 50'000};
        ::nanosleep(&moment, nullptr);
    }
    if (page.attached.load(std::memory_order_acquire) == 0)
        begin();
    page.init_ended.store(1, std::memory_order_relaxed);
    page.init_lock.store(0, std::memory_order_release);  // partner: the acquire exchange above
    errno = saved_errno;
}

}  // namespace corotracer::detail

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
