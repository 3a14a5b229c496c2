// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/watchedtime.h"

#include <algorithm>
#include <iterator>

namespace ct {

WatchedTime::WatchedTime(const Population &population, std::uint64_t now) : m_now(now), m_lives(population)
{
    for (const Switch &change : population.switches()) {
        std::vector<Off> &offs = m_offs[change.pid];
        const bool isOff = !offs.empty() && offs.back().to == kOpen;
        if (!change.on && !isOff) {
            const Off last = offs.empty() ? Off{} : offs.back();
            // Clocks of two threads may differ by some ns.
            offs.push_back({std::max(change.ts, last.to), kOpen, last.before + (last.to - last.from)});
        } else if (change.on && isOff) {
            offs.back().to = std::max(change.ts, offs.back().from);
        }
    }
}

std::uint64_t WatchedTime::endOf(std::uint32_t pid, std::uint64_t since) const
{
    return std::min(m_now, m_lives.endOf(pid, since));
}

/// Returns the ns without tracing before `time`. By bisection: a limited observer effect makes thousands of them.
std::uint64_t WatchedTime::offUntil(const std::vector<Off> &offs, std::uint64_t time)
{
    const auto next =
        std::partition_point(offs.begin(), offs.end(), [time](const Off &off) { return off.from < time; });
    if (next == offs.begin())
        return 0;
    const Off &off = *std::prev(next);
    return off.before + std::min(off.to, time) - off.from;
}

std::uint64_t WatchedTime::since(std::uint32_t pid, std::uint64_t since) const
{
    const std::uint64_t end = endOf(pid, since);
    if (end <= since)
        return 0;
    const auto offs = m_offs.find(pid);
    return end - since - (offs != m_offs.end() ? offUntil(offs->second, end) - offUntil(offs->second, since) : 0);
}

std::uint64_t WatchedTime::tracedSince(std::uint32_t pid) const
{
    const auto offs = m_offs.find(pid);
    return offs != m_offs.end() ? offs->second.back().to : 0;
}

}  // namespace ct
