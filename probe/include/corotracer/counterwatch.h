// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Lanes carry the raw counter. It is held against CLOCK_MONOTONIC whenever the process publishes a pair of both, some
// ten times a second, by whichever thread comes first and on whichever core that runs. A counter that jumped, that
// stands still, or that is another one on another core, is given up for the rest of the session: lanes go on with
// CLOCK_MONOTONIC in the same unit. An event on its way costs nothing for it: a thread that has a run of slots uses up
// that run (at most 1,023 records) with the counter.
#pragma once

#include "process.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer::detail {

inline constexpr std::uint64_t counter_error_ns = 1'000'000;   ///< less is no contradiction
inline constexpr std::uint64_t counter_drift_share = 64;       ///< nor is this part of the time between two pairs
inline constexpr std::uint64_t counter_known_ns = 10'000'000;  ///< from when on the rate is known well

/// Whether the process's pair is due at the raw time `now`. Also where the counter is far behind what it was.
[[nodiscard]] inline bool is_pair_due(std::uint64_t now) noexcept
{
    const std::uint64_t left = state_v1.pair_due.load(std::memory_order_relaxed) - now;
    return left > state_v1.pair_ticks;  // negative: it is due
}

/// Whether a pair lies where the pairs before it say. Pure arithmetic but for the loads.
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
    // What was measured at the start, within a fraction of a millisecond, may have been disturbed.
    const std::uint64_t drift = known ? elapsed / counter_drift_share : elapsed - elapsed / 4;
    return error <= counter_error_ns + drift + 2 * pair.uncertainty_ns;
}

/// A pair that agreed: the next one is held against it.
inline void remember_pair(counter_watch &watch, const clock_pair &pair) noexcept
{
    const std::uint64_t ticks = pair.counter - watch.init_counter.load(std::memory_order_relaxed);
    const std::uint64_t ns = pair.ns - watch.init_ns.load(std::memory_order_relaxed);
    if (ns >= counter_known_ns)
        watch.mult.store(slope(ns, ticks), std::memory_order_relaxed);
    watch.good_counter.store(pair.counter, std::memory_order_relaxed);
    watch.good_ns.store(pair.ns, std::memory_order_relaxed);
}

/// The counter is no good. All that was written so far lies near the line of its entry with the slope as it was
/// measured at last; what is written from now on lies on it.
inline void give_up_counter(ProcessEntry &entry) noexcept
{
    process_state &state = state_v1;
    // Whatever was scribbled there: the line of what is written from now on.
    entry.mult.store(state.counter.mult.load(std::memory_order_relaxed), std::memory_order_relaxed);
    // Release each; partners: the engine's acquire load, and that in raw_now_without_counter.
    entry.clock_kind.store(kClockGivenUp, std::memory_order_release);
    state.raw_clock.store(kClockGivenUp, std::memory_order_release);
}

/// The pair to publish, where raw clocks are not ns of CLOCK_MONOTONIC. False: the reading was disturbed. `still`: the
/// counter stands still. The holder of late_seq only.
[[nodiscard]] inline bool read_checked_pair(ProcessEntry &entry, bool still, clock_pair &pair) noexcept
{
    counter_watch &watch = state_v1.counter;
    if (state_v1.raw_clock.load(std::memory_order_relaxed) == kClockCounter) {
        const bool undisturbed = !still && read_pair(pair, watch.mult.load(std::memory_order_relaxed));
        // However disturbed a reading is, it does not go back.
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

}  // namespace corotracer::detail

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
