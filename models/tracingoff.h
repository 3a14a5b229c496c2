// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Intervals in which tracing was switched off: no events were published, and none were
// lost. Pure functions.
#pragma once

#include "core/stream/stream.h"
#include "models/timelinecoordinates.h"

#include <span>
#include <utility>
#include <vector>

namespace ct {

struct OffInterval {
    std::uint32_t pid = 0;
    std::uint64_t from = 0;  ///< ns, CLOCK_MONOTONIC
    std::uint64_t to = 0;    ///< ns, CLOCK_MONOTONIC, one after the end; kLasting: not over yet

    static constexpr std::uint64_t kLasting = ~std::uint64_t{0};
    bool operator==(const OffInterval &) const = default;
};

/// Computes the intervals from switches in any order. Sorted by process, then by time.
std::vector<OffInterval> offIntervals(std::span<const Switch> switches);

/// Returns the intervals of one process. `intervals` comes from offIntervals().
std::span<const OffInterval> intervalsOf(std::span<const OffInterval> intervals, std::uint32_t pid);

/// Returns the columns [first, second) of a view in which a process did not trace, up to `now`. They are ascending, do
/// not overlap, and their number is at most the number of columns.
std::vector<std::pair<int, int>> offColumns(std::span<const OffInterval> intervals, std::uint32_t pid,
                                            const TimelineCoordinates &view, std::uint64_t now);

/// Returns the longest part of the columns [first, second) outside of all ranges; empty if they cover everything.
std::pair<int, int> longestOutside(std::span<const std::pair<int, int>> ranges, std::pair<int, int> columns);

/// True if a process did not trace at time `ts`.
bool isOff(std::span<const OffInterval> intervals, std::uint32_t pid, std::uint64_t ts);

}  // namespace ct
