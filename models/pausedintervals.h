// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Intervals in which the coroutines of a process did not wait, whatever their state: its tracing was switched off, so
// no events were published, and none were lost; or the process was stopped by a signal or a debugger. Pure functions.
#pragma once

#include "core/trace/samplelog.h"
#include "models/timelinecoordinates.h"

#include <span>
#include <utility>
#include <vector>

namespace ct {

struct PausedInterval {
    std::uint32_t pid = 0;
    std::uint64_t from = 0;  ///< ns, CLOCK_MONOTONIC
    std::uint64_t to = 0;    ///< ns, CLOCK_MONOTONIC, one after the end; kLasting: not over yet

    static constexpr std::uint64_t kLasting = ~std::uint64_t{0};
    bool operator==(const PausedInterval &) const = default;
};

/// Computes the intervals without tracing from switches in any order. Sorted by process, then by time.
std::vector<PausedInterval> offIntervals(std::span<const Switch> switches);
/// Computes the intervals in which processes were stopped. Sorted by process, then by time. Process 0, of coroutines
/// whose probe writes no pid, stands for the only process that was sampled.
std::vector<PausedInterval> stoppedIntervals(const SampleLog &samples);

/// Returns the intervals of one process. `intervals` comes from one of the functions above.
std::span<const PausedInterval> intervalsOf(std::span<const PausedInterval> intervals, std::uint32_t pid);

/// Returns the columns [first, second) of a view in which a process was paused, up to `now`. They are ascending, do
/// not overlap, and their number is at most the number of columns.
std::vector<std::pair<int, int>> pausedColumns(std::span<const PausedInterval> intervals, std::uint32_t pid,
                                               const TimelineCoordinates &view, std::uint64_t now);

/// Returns the longest part of the columns [first, second) outside of all ranges; empty if they cover everything.
std::pair<int, int> longestOutside(std::span<const std::pair<int, int>> ranges, std::pair<int, int> columns);

/// True if a process was paused at time `ts`.
bool isPausedAt(std::span<const PausedInterval> intervals, std::uint32_t pid, std::uint64_t ts);

}  // namespace ct
