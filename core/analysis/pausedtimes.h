// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The times during which the coroutines of a process could not run, or were not seen: tracing was off, or the process
// was stopped. No suspension counts as a wait in these times.
#pragma once

#include "core/trace/population.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace ct {

/// A value, as a Population knows these times at one moment.
class PausedTimes {
public:
    static constexpr std::uint64_t kLasting = ~std::uint64_t{0};
    struct Interval {
        std::uint64_t from = 0;    ///< ns, CLOCK_MONOTONIC
        std::uint64_t to = 0;      ///< ns, CLOCK_MONOTONIC; kLasting = up to now
        std::uint64_t before = 0;  ///< ns; sum of all earlier ones
    };

    PausedTimes() = default;  ///< none
    explicit PausedTimes(const Population &population);

    /// In the order of their times, and without overlaps. `pid` 0, of coroutines whose probe writes no pid, stands for
    /// the only process of the run that was sampled.
    std::span<const Interval> of(std::uint32_t pid) const;
    /// Returns how many of the ns [from, to) are in these times.
    std::uint64_t within(std::uint32_t pid, std::uint64_t from, std::uint64_t to) const;

private:
    std::uint64_t until(std::uint32_t pid, std::uint64_t time) const;

    std::unordered_map<std::uint32_t, std::vector<Interval>> m_intervals;
};

}  // namespace ct
