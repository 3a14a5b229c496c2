// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/pausedintervals.h"

#include <algorithm>
#include <tuple>

namespace ct {

std::span<const PausedInterval> intervalsOf(std::span<const PausedInterval> intervals, std::uint32_t pid)
{
    const auto less = [](const PausedInterval &interval, std::uint32_t wanted) { return interval.pid < wanted; };
    const auto begin = std::lower_bound(intervals.begin(), intervals.end(), pid, less);
    const auto end =
        std::lower_bound(begin, intervals.end(), std::uint64_t{pid} + 1,
                         [](const PausedInterval &interval, std::uint64_t wanted) { return interval.pid < wanted; });
    return {begin, end};
}

std::vector<PausedInterval> offIntervals(std::span<const Switch> switches)
{
    std::vector<Switch> sorted(switches.begin(), switches.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Switch &a, const Switch &b) { return std::tie(a.pid, a.ts) < std::tie(b.pid, b.ts); });
    std::vector<PausedInterval> intervals;
    bool open = false;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const Switch &change = sorted[i];
        if (i > 0 && sorted[i - 1].pid != change.pid)
            open = false;
        if (open && change.on)
            intervals.back().to = change.ts;
        else if (!open && !change.on)
            intervals.push_back({change.pid, change.ts, PausedInterval::kLasting});
        open = !change.on;
    }
    return intervals;
}

std::vector<PausedInterval> stoppedIntervals(const SampleLog &samples)
{
    std::vector<PausedInterval> intervals;
    const bool isOnlyProcess = samples.pids().size() == 1;
    for (const StoppedTime &stop : samples.stoppedTimes()) {
        intervals.push_back({stop.pid, stop.from, stop.to});
        if (isOnlyProcess && stop.pid != 0)
            intervals.push_back({0, stop.from, stop.to});
    }
    std::sort(intervals.begin(), intervals.end(), [](const PausedInterval &a, const PausedInterval &b) {
        return std::tie(a.pid, a.from) < std::tie(b.pid, b.from);
    });
    return intervals;
}

std::vector<std::pair<int, int>> pausedColumns(std::span<const PausedInterval> intervals, std::uint32_t pid,
                                               const TimelineCoordinates &view, std::uint64_t now)
{
    std::vector<std::pair<int, int>> columns;
    for (const PausedInterval &interval : intervalsOf(intervals, pid)) {
        const std::int64_t first = std::max<std::int64_t>(0, view.columnOf(timelineTime(interval.from)));
        const std::uint64_t end = std::min(interval.to - 1, now);
        const std::int64_t last = std::min<std::int64_t>(view.columns() - 1, view.columnOf(timelineTime(end)));
        if (first > last)
            continue;
        const auto from = static_cast<int>(first);
        const auto to = static_cast<int>(last) + 1;
        if (!columns.empty() && from <= columns.back().second)
            columns.back().second = std::max(columns.back().second, to);
        else
            columns.emplace_back(from, to);
    }
    return columns;
}

std::pair<int, int> longestOutside(std::span<const std::pair<int, int>> ranges, std::pair<int, int> columns)
{
    const auto [first, last] = columns;
    std::pair<int, int> longest{first, first};
    int begin = first;
    const auto consider = [&](int end) {
        if (end - begin > longest.second - longest.first)
            longest = {begin, end};
    };
    for (const auto &[from, to] : ranges) {
        if (from >= last)
            break;
        consider(std::min(from, last));
        begin = std::max(begin, to);
    }
    consider(last);
    return longest;
}

bool isPausedAt(std::span<const PausedInterval> intervals, std::uint32_t pid, std::uint64_t ts)
{
    const std::span<const PausedInterval> own = intervalsOf(intervals, pid);
    const auto after =
        std::upper_bound(own.begin(), own.end(), ts,
                         [](std::uint64_t wanted, const PausedInterval &interval) { return wanted < interval.from; });
    return after != own.begin() && ts < std::prev(after)->to;
}

}  // namespace ct
