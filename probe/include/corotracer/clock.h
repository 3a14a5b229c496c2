// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// A clock that returns CLOCK_MONOTONIC in ns at the cost of reading a counter.
//
// A straight line converts an invariant counter (TSC on x86-64, the generic timer on AArch64) to nanoseconds:
//
//     ns = base_ns + ((counter - base_counter) * mult >> 32)
//
// The line is checked against CLOCK_MONOTONIC after 1, 2, 4 ... 128 ms, by the first thread that notices the time. Each
// check begins a new line at the value of the old one, so time never jumps back. Its slope is chosen to agree with
// CLOCK_MONOTONIC at the next check.
//
// The error against CLOCK_MONOTONIC is the sum of two parts. One is the error of a paired reading: below 0.1 us if
// undisturbed. The other is the change of the kernel's rate within one interval: at most 64 us under an NTP slew of 500
// ppm. In the first two milliseconds of a process, the sum is below 2 us.
//
// All threads of a process use one line. So the order of times between threads is the order of the counter, except
// after a checking thread was preempted. Within a thread, time never goes back.
//
// A line is bad if it is off by more than the lesser of 1 ms and a 64th of the interval, plus the uncertainty of the
// readings. If it is late, time then steps forward. If it is early, time slows to half speed. After three bad checks in
// a row, or without an invariant counter, the clock uses clock_gettime for good, never below the last value it
// returned.
#pragma once

#include "system.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

inline constexpr unsigned clock_shift = 32;
inline constexpr std::uint64_t first_check_ns = 1'000'000;   ///< from calibration to the first check
inline constexpr std::uint64_t last_check_ns = 128'000'000;  ///< longest time between two checks
inline constexpr std::uint64_t bad_error_ns = 1'000'000;     ///< a larger error is bad, however long the interval
inline constexpr std::uint32_t bad_checks_allowed = 2;       ///< in a row; after one more, the counter is given up
inline constexpr std::uint64_t calibration_ns = 150'000;     ///< time for which InitTracer measures the counter
/// Number of intervals after which a line without a check is no longer used, even while a thread is checking it.
inline constexpr std::uint64_t line_reach = 8;

__extension__ typedef unsigned __int128 uint128;

/// Returns a * b >> 32, with a product of 128 bits.
[[nodiscard]] inline constexpr std::uint64_t scale(std::uint64_t ticks, std::uint64_t mult) noexcept
{
    return static_cast<std::uint64_t>((static_cast<uint128>(ticks) * mult) >> clock_shift);
}

/// As scale, for ticks < interval of a line. ns << 32 then fits into 64 bits, whatever the rate of the counter.
[[nodiscard]] inline constexpr std::uint64_t scale_short(std::uint64_t ticks, std::uint64_t mult) noexcept
{
    static_assert(2 * last_check_ns < std::uint64_t{1} << clock_shift);
    return (ticks * mult) >> clock_shift;
}

/// Returns (ns << 32) / ticks, the slope that converts ticks to ns. ticks must not be 0.
[[nodiscard]] inline constexpr std::uint64_t slope(std::uint64_t ns, std::uint64_t ticks) noexcept
{
    return static_cast<std::uint64_t>((static_cast<uint128>(ns) << clock_shift) / ticks);
}

/// Straight line from counter ticks to nanoseconds. interval == 0: there is no line, and base_ns is a lower limit for
/// clock_gettime.
struct clock_line {
    std::uint64_t base_counter = 0;
    std::uint64_t base_ns = 0;
    std::uint64_t mult = 0;      ///< ns per tick, 32 bits after the point
    std::uint64_t interval = 0;  ///< ticks after base_counter at which a check is due
};

/// The counter and CLOCK_MONOTONIC at one moment, exact within uncertainty_ns.
struct clock_pair {
    std::uint64_t counter = 0;
    std::uint64_t ns = 0;
    std::uint64_t uncertainty_ns = 0;
};

/// State of the clock after a check.
struct clock_state {
    clock_line line;
    clock_pair last;         ///< the reading that the line was made from
    std::uint64_t rate = 0;  ///< measured slope of the counter; line.mult differs from it to steer
    std::uint32_t bad = 0;   ///< bad checks in a row
};

/// Returns the time of a line at a counter value, which may be before the line's base. Not below 0.
[[nodiscard]] inline constexpr std::uint64_t to_ns(const clock_line &line, std::uint64_t counter) noexcept
{
    const std::uint64_t ahead = counter - line.base_counter;
    if (static_cast<std::int64_t>(ahead) >= 0)
        return line.base_ns + scale(ahead, line.mult);
    const std::uint64_t behind = scale(0 - ahead, line.mult);
    return behind < line.base_ns ? line.base_ns - behind : 0;
}

/// Returns the state without a line: clock_gettime from now on, never below floor_ns.
[[nodiscard]] inline constexpr clock_state without_counter(std::uint64_t floor_ns) noexcept
{
    clock_state state;
    state.line.base_ns = floor_ns;
    return state;
}

/// Returns the first line, from two readings.
[[nodiscard]] inline constexpr clock_state first_clock(const clock_pair &begin, const clock_pair &end) noexcept
{
    if (end.counter <= begin.counter || end.ns <= begin.ns)
        return without_counter(end.ns);
    clock_state state;
    state.rate = slope(end.ns - begin.ns, end.counter - begin.counter);
    if (state.rate == 0)
        return without_counter(end.ns);
    state.last = end;
    state.line = {end.counter, end.ns, state.rate, slope(first_check_ns, state.rate)};
    return state;
}

/// Returns the state that follows `old` after the reading `now`: a line that begins at `switch_counter`, or no line.
/// `switch_counter` is at or shortly after now.counter. Pure arithmetic.
[[nodiscard]] inline constexpr clock_state next_clock(const clock_state &old, const clock_pair &now,
                                                      std::uint64_t switch_counter) noexcept
{
    const std::uint64_t reach = old.line.base_counter + line_reach * old.line.interval;
    const std::uint64_t last_used = switch_counter > reach ? reach : switch_counter;
    if (old.line.interval == 0)
        return old;
    if (now.counter <= old.last.counter || now.ns <= old.last.ns || switch_counter < now.counter)
        return without_counter(to_ns(old.line, old.line.base_counter + line_reach * old.line.interval));

    const std::uint64_t elapsed_ns = now.ns - old.last.ns;
    const std::uint64_t predicted = to_ns(old.line, now.counter);
    const std::uint64_t error = predicted > now.ns ? predicted - now.ns : now.ns - predicted;
    const std::uint64_t fair = elapsed_ns / 64 < bad_error_ns ? elapsed_ns / 64 : bad_error_ns;
    const bool bad = error > fair + 2 * (now.uncertainty_ns + old.last.uncertainty_ns);

    clock_state next;
    next.bad = bad ? old.bad + 1 : 0;
    // After a jump, the elapsed ticks give no rate. A counter with a wrong rate fails three checks.
    next.rate = bad ? old.rate : slope(elapsed_ns, now.counter - old.last.counter);
    next.last = now;
    const std::uint64_t truth = now.ns + scale(switch_counter - now.counter, next.rate);
    std::uint64_t start = to_ns(old.line, bad ? last_used : switch_counter);
    if (bad && truth > start)
        start = truth;
    if (next.bad > bad_checks_allowed || next.rate == 0)
        return without_counter(start);

    std::uint64_t interval = slope(first_check_ns, next.rate);
    if (!bad) {
        const std::uint64_t longest = slope(last_check_ns, next.rate);
        interval = 2 * old.line.interval < longest ? 2 * old.line.interval : longest;
    }
    // Value that the line should have at its next check. At least half speed, so time never stops.
    const std::uint64_t straight = scale(interval, next.rate);
    const std::uint64_t goal = truth + straight;
    const std::uint64_t gain = goal > start + straight / 2 ? goal - start : straight / 2;
    next.line = {switch_counter, start, slope(gain, interval), interval};
    return next;
}

[[nodiscard]] inline std::uint64_t monotonic_ns() noexcept
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

[[nodiscard]] inline std::uint64_t read_counter() noexcept
{
#if defined(COROTRACER_TEST_COUNTER)
    return COROTRACER_TEST_COUNTER();  // a faulty counter, for tests
#elif defined(__x86_64__) || defined(__i386__)
    return __rdtsc();
#elif defined(__aarch64__)
    std::uint64_t value = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return 0;
#endif
}

/// True if a list of words, separated by white space, contains a word.
[[nodiscard]] inline constexpr bool has_word(std::string_view list, std::string_view word) noexcept
{
    constexpr std::string_view space = " \t\n";
    while (!list.empty()) {
        const std::size_t begin = list.find_first_not_of(space);
        if (begin == std::string_view::npos)
            return false;
        list.remove_prefix(begin);
        const std::size_t end = list.find_first_of(space);
        const std::size_t length = end == std::string_view::npos ? list.size() : end;
        if (std::string_view(list.data(), length) == word)  // substr() would need the C++ runtime
            return true;
        list.remove_prefix(length);
    }
    return false;
}

/// True if the kernel trusts the TSC, according to its lists of clock sources. An empty list could not be read, and
/// proves nothing. The kernel removes a TSC that it found unstable from `available`. It uses a slow source only without
/// a trusted TSC, or on request of the administrator.
[[nodiscard]] inline constexpr bool is_tsc_trusted(std::string_view available, std::string_view current) noexcept
{
    for (const std::string_view slow : {"hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"}) {
        if (has_word(current, slow))
            return false;
    }
    return available.empty() || has_word(available, "tsc") || has_word(available, "tsc-early");
}

/// Applies is_tsc_trusted to the files of this machine. Files that cannot be read (no /sys in a chroot or a container)
/// leave the decision to CPUID. Later checks against CLOCK_MONOTONIC still find a bad counter.
[[nodiscard]] inline bool does_kernel_trust_tsc(const char *directory) noexcept
{
    constexpr const char *names[2] = {"available_clocksource", "current_clocksource"};
    char texts[2][256];
    std::size_t lengths[2] = {};
    for (int i = 0; i < 2; ++i) {
        char path[512];
        const int size = std::snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        const int fd = size > 0 && static_cast<std::size_t>(size) < sizeof path ? open_file(path, O_RDONLY) : -1;
        if (fd < 0)
            continue;
        const ssize_t length = ::read(fd, texts[i], sizeof texts[i]);
        lengths[i] = length > 0 ? static_cast<std::size_t>(length) : 0;
        ::close(fd);
    }
    return is_tsc_trusted({texts[0], lengths[0]}, {texts[1], lengths[1]});
}

/// True if the counter has one constant rate on all cores and in all sleep states, as far as processor and kernel know.
[[nodiscard]] inline bool has_invariant_counter() noexcept
{
#if defined(__x86_64__) || defined(__i386__)
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0 &&
           does_kernel_trust_tsc("/sys/devices/system/clocksource/clocksource0");
#elif defined(__aarch64__)
    return true;  // guaranteed by the architecture
#else
    return false;
#endif
}

/// Reads both clocks at one moment, as the narrowest of four attempts. Returns false when all were disturbed
/// (preempted).
[[nodiscard]] inline bool read_pair(clock_pair &pair, std::uint64_t rate) noexcept
{
    std::uint64_t best = ~std::uint64_t{0};
    for (int attempt = 0; attempt < 4; ++attempt) {
        const std::uint64_t before = read_counter();
        const std::uint64_t ns = monotonic_ns();
        const std::uint64_t width = read_counter() - before;
        if (width >= best)
            continue;
        best = width;
        pair = {before + width / 2, ns, scale(width, rate) / 2 + 1};
    }
    return pair.uncertainty_ns < 50'000;
}

/// The line that all threads of a process share, in two copies. Readers use the copy that `version` selects. The
/// checking thread writes the other copy and then raises `version`, so no thread waits. A reader that sees `version`
/// change starts again. Each thread keeps its own copy of the line until the next check, which is due at one tick for
/// all threads.
struct shared_clock {
    struct atomic_line {
        std::atomic<std::uint64_t> base_counter;
        std::atomic<std::uint64_t> base_ns;
        std::atomic<std::uint64_t> mult;
        std::atomic<std::uint64_t> interval;
    };
    alignas(64) atomic_line lines[2];
    std::atomic<std::uint32_t> version;  ///< release by the checking thread; partner: the readers' acquire
    std::atomic<std::uint32_t> busy;     ///< 1: a thread is checking (acquire/release between these threads)
    clock_state state;                   ///< accessed only by the thread that set busy
};

/// Publishes the line of `state`. Only by the thread that set busy, or while no other thread uses the clock.
inline void install(shared_clock &clock, const clock_state &state) noexcept
{
    const std::uint32_t version = clock.version.load(std::memory_order_relaxed) + 1;
    shared_clock::atomic_line &line = clock.lines[version & 1U];
    // Release each: a reader that acquires one of these values also sees the last change of version, and retries.
    line.base_counter.store(state.line.base_counter, std::memory_order_release);
    line.base_ns.store(state.line.base_ns, std::memory_order_release);
    line.mult.store(state.line.mult, std::memory_order_release);
    line.interval.store(state.line.interval, std::memory_order_release);
    clock.state = state;
    clock.version.store(version, std::memory_order_release);
}

/// Calibrates the clock, in about 0.2 ms. Only while no thread uses the clock.
inline void start_clock(shared_clock &clock) noexcept
{
    clock.busy.store(0, std::memory_order_relaxed);
    if (!has_invariant_counter()) {
        install(clock, without_counter(0));
        return;
    }
    // Without a known rate, the width of a reading is in ticks. That overestimates it for fast counters.
    const std::uint64_t unknown_rate = std::uint64_t{1} << clock_shift;
    clock_pair begin;
    clock_pair end;
    bool undisturbed = read_pair(begin, unknown_rate);
    while (monotonic_ns() - begin.ns < calibration_ns) {
    }
    undisturbed = read_pair(end, unknown_rate) && undisturbed;
    install(clock, undisturbed ? first_clock(begin, end) : without_counter(0));
}

/// Checks the line against CLOCK_MONOTONIC and publishes the next one. Only by the thread that set busy.
inline void check_clock(shared_clock &clock) noexcept
{
    clock_pair now;
    clock_state next = clock.state;
    if (read_pair(now, clock.state.rate)) {
        // This thread may be preempted between here and install. Then other threads use the old line for too long, and
        // get ahead of the new one: by that time times the difference of the slopes. See bend.
        next = next_clock(clock.state, now, read_counter());
    } else {
        next.line.interval += slope(first_check_ns, next.rate);  // disturbed: check later
    }
    install(clock, next);
}

/// Ends the use of a counter that stands still: clock_gettime for good. Other threads notice it at their next access to
/// the shared clock.
[[gnu::noinline, gnu::cold]] inline void give_up_clock(shared_clock &clock) noexcept
{
    std::uint32_t idle = 0;
    if (!clock.busy.compare_exchange_strong(idle, 1, std::memory_order_acquire, std::memory_order_relaxed))
        return;  // another thread is checking; the next call tries again
    if (clock.state.line.interval != 0)
        install(clock, without_counter(monotonic_ns()));
    clock.busy.store(0, std::memory_order_release);
}

/// Returns the latest time that a thread can have returned, if it used `line` until `counter`.
[[nodiscard]] inline constexpr std::uint64_t latest_shown(const clock_line &line, std::uint64_t counter) noexcept
{
    const auto ahead = static_cast<std::int64_t>(counter - line.base_counter);
    const bool beyond = ahead > static_cast<std::int64_t>(line.interval);
    return to_ns(line, beyond ? line.base_counter + line.interval : counter);
}

/// Returns a thread's own version of `line`, for a thread that has already returned the later time `shown`. It begins
/// at `counter` and `shown`, runs slower, at least at half speed, and reaches `line` when its check is due. `line` must
/// not be due at `counter`.
[[nodiscard]] inline constexpr clock_line bend(const clock_line &line, std::uint64_t counter,
                                               std::uint64_t shown) noexcept
{
    const std::uint64_t left = line.base_counter + line.interval - counter;
    const std::uint64_t straight = scale(left, line.mult);
    const std::uint64_t goal = to_ns(line, counter) + straight;
    const std::uint64_t gain = goal > shown + straight / 2 ? goal - shown : straight / 2;
    return {counter, shown, slope(gain, left), left};
}

/// Returns the time in ns of CLOCK_MONOTONIC, and checks the line if that is due. `line` is the line that the thread
/// used before, {} at first. It receives the line to use next, valid while counter - line.base_counter < line.interval.
/// Time never goes back within a thread, even if a line that was published late is below the one before it.
[[nodiscard, gnu::noinline, gnu::cold]] inline std::uint64_t clock_now(shared_clock &clock, clock_line &line) noexcept
{
    const clock_line before = line;
    bool may_check = true;
    for (;;) {
        const std::uint32_t version = clock.version.load(std::memory_order_acquire);
        const shared_clock::atomic_line &from = clock.lines[version & 1U];
        line = {from.base_counter.load(std::memory_order_acquire), from.base_ns.load(std::memory_order_acquire),
                from.mult.load(std::memory_order_acquire), from.interval.load(std::memory_order_acquire)};
        const std::uint64_t counter = read_counter();
        if (clock.version.load(std::memory_order_relaxed) != version)
            continue;
        const auto ahead = static_cast<std::int64_t>(counter - line.base_counter);
        const auto interval = static_cast<std::int64_t>(line.interval);
        const bool due = ahead >= interval || ahead <= -interval;
        if (interval != 0 && due && may_check) {
            may_check = false;
            std::uint32_t idle = 0;
            if (clock.busy.compare_exchange_strong(idle, 1, std::memory_order_acquire, std::memory_order_relaxed)) {
                if (clock.version.load(std::memory_order_relaxed) == version)
                    check_clock(clock);
                clock.busy.store(0, std::memory_order_release);
                continue;
            }
        }
        const std::uint64_t shown = latest_shown(before, counter);
        std::uint64_t now = line.base_ns;
        if (interval != 0 && ahead > -interval && ahead < static_cast<std::int64_t>(line_reach) * interval) {
            now = to_ns(line, counter);
            if (!due) {
                if (now < shown)
                    line = bend(line, counter, shown);
                return now < shown ? shown : now;
            }
        } else if (const std::uint64_t system = monotonic_ns(); system > now) {
            now = system;
        }
        // Without an interval: not a line to use, only the time that was returned.
        line = {counter, now < shown ? shown : now, 0, 0};
        return line.base_ns;
    }
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
