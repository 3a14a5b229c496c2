// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/pausedtimes.h"

#include <algorithm>
#include <iterator>

namespace ct {

namespace {

/// Sorts intervals, joins those that overlap, and sums them up.
void join(std::vector<PausedTimes::Interval> &intervals)
{
    std::sort(intervals.begin(), intervals.end(), [](const auto &a, const auto &b) { return a.from < b.from; });
    std::size_t used = 0;
    for (const PausedTimes::Interval &interval : intervals) {
        if (used != 0 && interval.from <= intervals[used - 1].to)
            intervals[used - 1].to = std::max(intervals[used - 1].to, interval.to);
        else
            intervals[used++] = interval;
    }
    intervals.resize(used);
    for (std::size_t i = 1; i < used; ++i)
        intervals[i].before = intervals[i - 1].before + (intervals[i - 1].to - intervals[i - 1].from);
}

}  // namespace

PausedTimes::PausedTimes(const Population &population)
{
    for (const Switch &change : population.switches()) {
        std::vector<Interval> &offs = m_intervals[change.pid];
        const bool isOff = !offs.empty() && offs.back().to == kLasting;
        if (!change.on && !isOff)
            offs.push_back({change.ts, kLasting, 0});
        else if (change.on && isOff)
            offs.back().to = std::max(change.ts, offs.back().from);
    }
    const std::vector<std::uint32_t> sampled = population.samples().pids();
    for (const StoppedTime &stop : population.samples().stoppedTimes()) {
        m_intervals[stop.pid].push_back({stop.from, stop.to, 0});
        if (sampled.size() == 1)
            m_intervals[0].push_back({stop.from, stop.to, 0});
    }
    for (auto &[pid, intervals] : m_intervals)
        join(intervals);
}

std::span<const PausedTimes::Interval> PausedTimes::of(std::uint32_t pid) const
{
    const auto found = m_intervals.find(pid);
    return found != m_intervals.end() ? std::span<const Interval>(found->second) : std::span<const Interval>();
}

/// Returns how many ns before `time` are in these times. By bisection: a limited observer effect makes thousands.
std::uint64_t PausedTimes::until(std::uint32_t pid, std::uint64_t time) const
{
    const std::span<const Interval> intervals = of(pid);
    const auto next = std::partition_point(intervals.begin(), intervals.end(),
                                           [time](const Interval &interval) { return interval.from < time; });
    if (next == intervals.begin())
        return 0;
    const Interval &interval = *std::prev(next);
    return interval.before + std::min(interval.to, time) - interval.from;
}

std::uint64_t PausedTimes::within(std::uint32_t pid, std::uint64_t from, std::uint64_t to) const
{
    return from < to ? until(pid, to) - until(pid, from) : 0;
}

}  // namespace ct
