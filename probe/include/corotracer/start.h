// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Begins a session: maps the region, claims a process entry, calibrates the clock, and sets the switch.
#pragma once

#include "pause.h"
#include "region.h"
#include "unload.h"

#include <bit>
#include <cstring>

#include <fcntl.h>
#include <sys/auxv.h>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

/// Registers this process for the engine's membarrier(2). Returns false on failure; then the process must fence by
/// itself.
[[nodiscard]] inline bool register_for_barrier() noexcept
{
#if defined(__linux__) && defined(SYS_membarrier)
    constexpr int register_global_expedited = 1 << 2;  // MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, Linux 4.16
    return ::syscall(SYS_membarrier, register_global_expedited, 0, 0) == 0;
#else
    return false;
#endif
}

/// Parses a decimal number, digits only, 1 ... 2^32 - 1. Returns 0 for any other text.
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

/// Returns field 22 of /proc/self/stat, the start of the process in clock ticks; 0 when it cannot be read.
[[nodiscard]] inline std::uint64_t start_ticks() noexcept
{
    char text[1024];
    const int fd = open_file("/proc/self/stat", O_RDONLY);
    if (fd < 0)
        return 0;
    const ssize_t length = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    // The last parenthesis ends field 2, the name.
    const char *at = std::strrchr(text, ')');
    for (int field = 2; at != nullptr && field < 22; ++field)
        at = std::strchr(at + 1, ' ');
    return at == nullptr ? 0 : std::strtoull(at + 1, nullptr, 10);
}

/// Returns the inode of the process's pid namespace; 0 = unknown.
[[nodiscard]] inline std::uint64_t namespace_of_pid() noexcept
{
    struct stat space {};
    return ::stat("/proc/self/ns/pid", &space) == 0 ? std::uint64_t{space.st_ino} : 0;
}

/// Returns SipHash-2-4 of an empty message: a number that does not reveal the key.
[[nodiscard]] inline constexpr std::uint64_t hash_of_key(std::uint64_t low, std::uint64_t high) noexcept
{
    std::uint64_t a = low ^ 0x736F6D6570736575U;
    std::uint64_t b = high ^ 0x646F72616E646F6DU;
    std::uint64_t c = low ^ 0x6C7967656E657261U;
    std::uint64_t d = high ^ 0x7465646279746573U;
    const auto rounds = [&](int count) {
        for (; count > 0; --count) {
            a += b;
            b = std::rotl(b, 13) ^ a;
            a = std::rotl(a, 32);
            c += d;
            d = std::rotl(d, 16) ^ c;
            a += d;
            d = std::rotl(d, 21) ^ a;
            c += b;
            b = std::rotl(b, 17) ^ c;
            c = std::rotl(c, 32);
        }
    };
    rounds(2);
    c ^= 0xFF;
    rounds(4);
    return a ^ b ^ c ^ d;
}

/// Returns a number that identifies the program image; 0 = unknown. exec changes it; all copies of the probe in one
/// image compute the same number. It is made of the random bytes that exec gives to each image. These must stay secret.
[[nodiscard]] inline std::uint64_t image_of_process() noexcept
{
    std::uint64_t key[2] = {};
    const auto *const random = reinterpret_cast<const void *>(::getauxval(AT_RANDOM));
    if (random == nullptr)
        return 0;
    std::memcpy(key, random, sizeof key);
    return hash_of_key(key[0], key[1]);
}

/// Identity of the process and of its program image, as in ProcessEntry.
struct process_identity {
    /// Field 22 of /proc/self/stat.
    std::uint64_t begun = 0;
    std::uint64_t pid_namespace = 0;
    std::uint64_t image = 0;
};

/// True if an active entry belongs to this process, to an image before an exec. Entries of the present image belong to
/// other copies of the probe, in shared objects that do not share its state. These stay active.
[[nodiscard]] inline bool is_before_exec(const ProcessEntry &entry, const process_identity &self) noexcept
{
    const std::uint64_t space = entry.pid_namespace.load(std::memory_order_relaxed);
    return entry.pid.load(std::memory_order_relaxed) == state_v2.pid &&
           entry.start_ticks.load(std::memory_order_relaxed) == self.begun &&
           (space == 0 || space == self.pid_namespace) &&
           (self.image == 0 || entry.image.load(std::memory_order_relaxed) != self.image);
}

/// Fills a claimed entry, all but its state.
inline void fill_entry(ProcessEntry &entry, const process_identity &self) noexcept
{
    process_state &state = state_v2;
    entry.pid.store(state.pid, std::memory_order_relaxed);
    entry.start_ticks.store(self.begun, std::memory_order_relaxed);
    entry.pid_namespace.store(self.pid_namespace, std::memory_order_relaxed);
    entry.image.store(self.image, std::memory_order_relaxed);
    const std::uint32_t kind = state.raw_clock.load(std::memory_order_relaxed);
    const bool counts = kind == kClockCounter;
    entry.clock_kind.store(kind, std::memory_order_relaxed);
    entry.switched_off.store(page_v2.disabled.load(std::memory_order_relaxed), std::memory_order_relaxed);
    const clock_state &clock = state.clock.state;
    const std::uint64_t now = monotonic_ns();
    entry.init_ns.store(counts ? clock.last.ns : now, std::memory_order_relaxed);
    entry.init_counter.store(counts ? clock.last.counter : 0, std::memory_order_relaxed);
    entry.mult.store(counts ? clock.rate : 0, std::memory_order_relaxed);
    entry.abandoned.store(0, std::memory_order_relaxed);
    entry.late_seq.store(0, std::memory_order_relaxed);
    entry.late_ns.store(counts ? clock.last.ns : now, std::memory_order_relaxed);
    entry.late_counter.store(counts ? clock.last.counter : 0, std::memory_order_relaxed);
    char path[4096];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    const char *slash = std::strrchr(path, '/');
    const char *name = slash == nullptr ? path : slash + 1;
    const std::size_t size = ::strnlen(name, sizeof entry.name);
    std::memcpy(entry.name, name, size);
    entry.name_length.store(static_cast<std::uint32_t>(size), std::memory_order_relaxed);
}

/// Adopts an entry that another state of this process left when its object was unloaded. So a process that loads
/// plugins again and again needs few entries. Only if the raw clocks have the same unit; then they are one counter.
[[nodiscard]] inline bool adopt_entry(ProcessEntry &entry, const process_identity &self) noexcept
{
    process_state &state = state_v2;
    std::uint64_t abandoned = entry.abandoned.load(std::memory_order_relaxed);
    // Acquire twice; partners: the release in claim_entry, and in end_session.
    if (self.image == 0 || self.begun == 0 || abandoned == 0 ||
        entry.state.load(std::memory_order_acquire) != kProcessActive ||
        entry.pid.load(std::memory_order_relaxed) != state.pid ||
        entry.image.load(std::memory_order_relaxed) != self.image ||
        entry.start_ticks.load(std::memory_order_relaxed) != self.begun ||
        entry.init_ns.load(std::memory_order_relaxed) != abandoned ||
        entry.clock_kind.load(std::memory_order_relaxed) != state.raw_clock.load(std::memory_order_relaxed) ||
        !entry.abandoned.compare_exchange_strong(abandoned, 0, std::memory_order_acquire, std::memory_order_relaxed))
        return false;
    // The engine converts times by the entry's line. Its slope is more exact than a calibration.
    state.counter.init_counter.store(entry.init_counter.load(std::memory_order_relaxed), std::memory_order_relaxed);
    state.counter.init_ns.store(entry.init_ns.load(std::memory_order_relaxed), std::memory_order_relaxed);
    state.counter.mult.store(entry.mult.load(std::memory_order_relaxed), std::memory_order_relaxed);
    entry.switched_off.store(page_v2.disabled.load(std::memory_order_relaxed), std::memory_order_release);
    return true;
}

/// Claims a free entry, and fills it. Returns false when the entry is not free.
[[nodiscard]] inline bool claim_entry(ProcessEntry &entry, const process_identity &self) noexcept
{
    std::uint32_t free = kProcessFree;
    if (!entry.state.compare_exchange_strong(free, kProcessMaking, std::memory_order_acquire,
                                             std::memory_order_relaxed))
        return false;
    fill_entry(entry, self);
    entry.state.store(kProcessActive, std::memory_order_release);  // partner: the engine's acquire load
    return true;
}

/// Claims or adopts an entry of the process table, and ends the entries that this process had before an exec. Returns
/// false when no entry is free or there is no memory; then the process uses no lanes.
[[nodiscard]] inline bool claim_process_entry() noexcept
{
    process_state &state = state_v2;
    const lane_areas &areas = state.lanes;
    const process_identity self{start_ticks(), namespace_of_pid(), image_of_process()};
    if (!back_with_memory(areas.processes, areas.process_capacity * sizeof(ProcessEntry)))
        return false;
    for (std::uint32_t i = 0; i < areas.process_capacity; ++i) {
        ProcessEntry &entry = areas.processes[i];
        std::uint32_t active = kProcessActive;
        if (entry.state.load(std::memory_order_acquire) == kProcessActive && is_before_exec(entry, self)) {
            (void)entry.state.compare_exchange_strong(active, kProcessEnded, std::memory_order_acq_rel,
                                                      std::memory_order_relaxed);
        }
    }
    for (const auto get : {&adopt_entry, &claim_entry}) {
        for (std::uint32_t i = 0; i < areas.process_capacity; ++i) {
            if (get(areas.processes[i], self)) {
                state.process = &areas.processes[i];
                state.process_index = i;
                return true;
            }
        }
    }
    return false;
}

// ---------------------------------------------------------------- session

/// Chooses the unit of raw clocks, after the clock is calibrated. Sets the first pair of the process.
inline void choose_raw_clock() noexcept
{
    process_state &state = state_v2;
    const clock_state &clock = state.clock.state;
    // 1 MHz ... 100 GHz: any other rate means that the counter jumped during the measurement.
    constexpr std::uint64_t one_ns = std::uint64_t{1} << clock_shift;
    const bool counts = clock.line.interval != 0 && clock.rate >= one_ns / 100 && clock.rate <= one_ns * 1000;
    state.raw_clock.store(counts ? kClockCounter : kClockMonotonic, std::memory_order_relaxed);
    state.counter.init_counter.store(clock.last.counter, std::memory_order_relaxed);
    state.counter.init_ns.store(clock.last.ns, std::memory_order_relaxed);
    state.counter.mult.store(clock.rate, std::memory_order_relaxed);
    state.counter.good_counter.store(clock.last.counter, std::memory_order_relaxed);
    state.counter.good_ns.store(clock.last.ns, std::memory_order_relaxed);
    constexpr std::uint64_t pair_ns = 100'000'000;
    state.pair_ticks = counts ? slope(pair_ns, clock.rate) : pair_ns;
    state.pair_due.store(raw_now() + state.pair_ticks, std::memory_order_relaxed);
    state.no_memory_before_ns.store(0, std::memory_order_relaxed);
    state.on_since.store(0, std::memory_order_relaxed);
}

/// Begins a session with a mapped region. `socket_path` may be null. Holder of init_lock only.
inline void begin_session(const mapping &map, const char *socket_path) noexcept
{
    process_state &state = state_v2;
    guard_against_fork();
    open_socket(state.socket, socket_path == nullptr ? "" : socket_path);
    if (state.sessions.load(std::memory_order_relaxed) != 0)
        clear_sites(sites_v2);  // the parent's sites, after fork
    state.header = map.header;
    state.stations = map.stations;
    state.sites = map.sites;
    state.station_limit = map.station_limit;
    state.pid = static_cast<std::uint32_t>(::getpid());
    state.lanes = map.lanes;
    state.mapped = map.mapped;
    state.process = nullptr;
    start_clock(state.clock);
    choose_raw_clock();
    make_thread_key();
    std::uint32_t session = session_step * (state.sessions.fetch_add(1, std::memory_order_relaxed) + 1);
    if (state.lanes.extension != nullptr && claim_process_entry())
        session |= lanes_bit;
    else
        state.lanes = {};
    // In overwrite mode no engine sleeps, so no event needs a fence.
    if (state.lanes.overwrite || (map.engine_fences && register_for_barrier()))
        session |= engine_fences_bit;
    // seq_cst, both stores: see set_enabled and count_early_birth.
    page_v2.attached.store(session, std::memory_order_seq_cst);
    page_v2.session.store(session, std::memory_order_seq_cst);
    if (page_v2.disabled.load(std::memory_order_seq_cst) != 0)
        page_v2.session.store(0, std::memory_order_seq_cst);
    report_early_births();
}

/// Maps the open region `fd` and begins a session with it. The caller keeps `fd`. `stations_announced`: number of
/// stations by CTP_MAX_STATIONS. Returns null, or the error as text. Holder of init_lock only: call it through
/// init_once.
[[nodiscard]] inline const char *init_from_region(int fd, const char *socket_path,
                                                  std::uint32_t stations_announced) noexcept
{
    mapping map;
    if (const char *wrong = map_region(fd, stations_announced, map); wrong != nullptr)
        return wrong;
    begin_session(map, socket_path);
    return nullptr;
}

/// Begins a session with the region that the CTP_ variables name. Does nothing unless all three are set. Prints an
/// error to stderr. Holder of init_lock only.
inline void init_from_environment() noexcept
{
    const char *shm_path = environment("CTP_SHM_PATH");
    const char *socket_path = environment("CTP_SOCK_PATH");
    const char *stations_text = environment("CTP_MAX_STATIONS");
    if (shm_path == nullptr || socket_path == nullptr || stations_text == nullptr)
        return;
    const std::uint32_t stations_announced = parse_stations(stations_text);
    if (stations_announced == 0) {
        complain(
            "CTP_MAX_STATIONS is not a number of stations (start the program with corotracer-gui, or set 1 to 2097151)",
            stations_text);
        return;
    }
    const int fd = open_file(shm_path, O_RDWR | O_NONBLOCK);
    if (fd < 0) {
        complain("CTP_SHM_PATH cannot be opened", shm_path);
        return;
    }
    if (const char *wrong = init_from_region(fd, socket_path, stations_announced); wrong != nullptr)
        complain(wrong, shm_path);
    ::close(fd);
}

/// Runs `begin`, unless the process has a session. While another thread runs it, waits for at most 0.2 s, because the
/// caller expects to be traced afterwards. Preserves errno.
template <class Begin>
inline void init_once(Begin &&begin) noexcept
{
    process_page &page = page_v2;
    if (page.attached.load(std::memory_order_acquire) != 0)
        return;
    const no_cancellation guard;
    const int saved_errno = errno;
    guard_against_fork();  // before the lock: a child must not inherit it locked
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

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
