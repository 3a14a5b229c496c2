// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Checks the raw counter that lanes carry. Whenever a thread publishes the process's pair of clocks, about ten times a
// second, it compares the counter with CLOCK_MONOTONIC, on whichever core it runs. The probe gives up a counter that
// jumped, stands still, or differs between cores, for the rest of the session. Lanes then carry CLOCK_MONOTONIC in the
// counter's unit. Events do not pay for this: a thread with a run of slots uses the counter until the run ends (at most
// 1,023 records).
#pragma once

#include "state.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

inline constexpr std::uint64_t counter_error_ns = 1'000'000;   ///< a smaller error is no contradiction
inline constexpr std::uint64_t counter_drift_share = 64;       ///< nor is this share of the time between two pairs
inline constexpr std::uint64_t counter_known_ns = 10'000'000;  ///< time after which the rate is known well

/// True if the process's pair is due at the raw time `now`. Also true when the counter has fallen far behind.
[[nodiscard]] inline bool is_pair_due(std::uint64_t now) noexcept
{
    const std::uint64_t left = state_v2.pair_due.load(std::memory_order_relaxed) - now;
    return left > state_v2.pair_ticks;  // a negative value wraps: due
}

/// True if a pair agrees with the pairs before it.
[[nodiscard]] inline bool does_agree(const counter_watch &watch, const clock_pair &pair) noexcept
{
    const std::uint64_t good_counter = watch.good_counter.load(std::memory_order_relaxed);
    const std::uint64_t good_ns = watch.good_ns.load(std::memory_order_relaxed);
    if (pair.counter <= good_counter || pair.ns < good_ns)
        return false;
    const std::uint64_t elapsed = pair.ns - good_ns;
    const std::uint64_t predicted = scale(pair.counter - good_counter, watch.mult.load(std::memory_order_relaxed));
    const std::uint64_t error = predicted > elapsed ? predicted - elapsed : elapsed - predicted;
    const bool known = good_ns - watch.init_ns.load(std::memory_order_relaxed) >= counter_known_ns;
    // The first measurement takes a fraction of a millisecond, and may have been disturbed.
    const std::uint64_t drift = known ? elapsed / counter_drift_share : elapsed - elapsed / 4;
    return error <= counter_error_ns + drift + 2 * pair.uncertainty_ns;
}

/// Stores a pair that agreed. The next pair is compared with it.
inline void remember_pair(counter_watch &watch, const clock_pair &pair) noexcept
{
    const std::uint64_t ticks = pair.counter - watch.init_counter.load(std::memory_order_relaxed);
    const std::uint64_t ns = pair.ns - watch.init_ns.load(std::memory_order_relaxed);
    if (ns >= counter_known_ns)
        watch.mult.store(slope(ns, ticks), std::memory_order_relaxed);
    watch.good_counter.store(pair.counter, std::memory_order_relaxed);
    watch.good_ns.store(pair.ns, std::memory_order_relaxed);
}

/// Gives up the counter. Times before lie near the line of the process's entry, with the last measured slope. Times
/// after lie exactly on that line.
inline void give_up_counter(ProcessEntry &entry) noexcept
{
    process_state &state = state_v2;
    // Stores mult again, in case the shared memory was overwritten: new times are computed by this value.
    entry.mult.store(state.counter.mult.load(std::memory_order_relaxed), std::memory_order_relaxed);
    // Release each; partners: the engine's acquire load, and the acquire load in raw_now_without_counter.
    entry.clock_kind.store(kClockGivenUp, std::memory_order_release);
    state.raw_clock.store(kClockGivenUp, std::memory_order_release);
}

/// Reads the pair to publish, in a process with a counter or one that was given up. Returns false when the reading was
/// disturbed. `still`: the counter stands still. Only the thread that holds late_seq.
[[nodiscard]] inline bool read_checked_pair(ProcessEntry &entry, bool still, clock_pair &pair) noexcept
{
    counter_watch &watch = state_v2.counter;
    if (state_v2.raw_clock.load(std::memory_order_relaxed) == kClockCounter) {
        const bool undisturbed = !still && read_pair(pair, watch.mult.load(std::memory_order_relaxed));
        // A disturbed reading may be late, but it never goes back. So a counter behind good_counter is faulty.
        if (!undisturbed && !still && read_counter() > watch.good_counter.load(std::memory_order_relaxed))
            return false;
        if (undisturbed && does_agree(watch, pair)) {
            remember_pair(watch, pair);
            entry.mult.store(watch.mult.load(std::memory_order_relaxed), std::memory_order_relaxed);
            return true;
        }
        give_up_counter(entry);
    }
    pair.ns = monotonic_ns();
    pair.counter = ticks_at(pair.ns);
    return true;
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
