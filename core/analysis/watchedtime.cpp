// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/watchedtime.h"

#include <algorithm>

namespace ct {

WatchedTime::WatchedTime(const Population &population, std::uint64_t now)
    : m_now(now), m_lives(population), m_paused(population)
{
    for (const Switch &change : population.switches())
        m_tracedSince[change.pid] = change.on ? change.ts : kOff;
}

std::uint64_t WatchedTime::since(std::uint32_t pid, std::uint64_t since) const
{
    const std::uint64_t end = m_lives.endedCount() != 0 ? std::min(m_now, m_lives.endOf(pid, since)) : m_now;
    return end > since ? end - since - m_paused.within(pid, since, end) : 0;
}

std::uint64_t WatchedTime::tracedSince(std::uint32_t pid) const
{
    const auto found = m_tracedSince.find(pid);
    return found != m_tracedSince.end() ? found->second : 0;
}

}  // namespace ct
