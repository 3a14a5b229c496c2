// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/watchedtime.h"

#include <algorithm>

namespace ct {

WatchedTime::WatchedTime(const Population &population, std::uint64_t now) : m_now(now), m_lives(population)
{
    for (const Switch &change : population.switches()) {
        std::vector<Off> &offs = m_offs[change.pid];
        const bool isOff = !offs.empty() && offs.back().to == kOpen;
        if (!change.on && !isOff)
            offs.push_back({change.ts, kOpen});
        else if (change.on && isOff)
            offs.back().to = std::max(change.ts, offs.back().from);
    }
}

std::uint64_t WatchedTime::endOf(std::uint32_t pid, std::uint64_t since) const
{
    return std::min(m_now, m_lives.endOf(pid, since));
}

std::uint64_t WatchedTime::since(std::uint32_t pid, std::uint64_t since) const
{
    const std::uint64_t end = endOf(pid, since);
    if (end <= since)
        return 0;
    std::uint64_t watched = end - since;
    if (const auto offs = m_offs.find(pid); offs != m_offs.end()) {
        for (const Off &off : offs->second) {
            const std::uint64_t from = std::max(off.from, since);
            const std::uint64_t to = std::min(off.to, end);
            watched -= to > from ? to - from : 0;
        }
    }
    return watched;
}

}  // namespace ct
