// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// When tracing was switched off: nothing was recorded then, and nothing was lost. Pure functions.
#pragma once

#include "core/trace/stream.h"
#include "models/timelinecoordinates.h"

#include <span>
#include <utility>
#include <vector>

namespace ct {

struct OffInterval {
    std::uint32_t pid = 0;
    std::uint64_t from = 0;  ///< ns, CLOCK_MONOTONIC
    std::uint64_t to = 0;    ///< one after the end; kLasting: not over yet

    static constexpr std::uint64_t kLasting = ~std::uint64_t{0};
    bool operator==(const OffInterval &) const = default;
};

/// Switches in any order; sorted by process, then time.
std::vector<OffInterval> offIntervals(std::span<const Switch> switches);

/// Those of one process; `intervals` as offIntervals() gave them.
std::span<const OffInterval> intervalsOf(std::span<const OffInterval> intervals, std::uint32_t pid);

/// The columns [first, second) of a view in which a process did not trace up to `now`, ascending, without overlap, at
/// most one range per column however many intervals there are.
std::vector<std::pair<int, int>> offColumns(std::span<const OffInterval> intervals, std::uint32_t pid,
                                            const TimelineCoordinates &view, std::uint64_t now);

/// The longest part of the columns [first, second) that none of those ranges covers; empty if they cover all.
std::pair<int, int> longestOutside(std::span<const std::pair<int, int>> ranges, std::pair<int, int> columns);

/// Whether a process did not trace at a moment.
bool isOff(std::span<const OffInterval> intervals, std::uint32_t pid, std::uint64_t ts);

}  // namespace ct
