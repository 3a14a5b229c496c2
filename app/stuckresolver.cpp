// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/stuckresolver.h"

#include <algorithm>

namespace ct {

namespace {

constexpr std::size_t kMostLearned = 100'000;
constexpr std::size_t kAskedAtOnce = AddressResolver::kMostWaiting / 2;
/// Time for comparing the frames that were read last with the events that follow in the stream.
constexpr std::chrono::milliseconds kCompare{800};

}  // namespace

StuckResolver::StuckResolver(const Population &population, const std::vector<StuckGroup> &stuck,
                             AddressResolver &places, std::chrono::milliseconds most)
    : m_places(places), m_askUntil(Clock::now() + most), m_end(m_askUntil)
{
    m_places.setReadsAhead(false);
    for (const StuckGroup &group : stuck) {
        if (group.site != kUnknownSite)
            continue;
        for (const StuckCoroutine &coroutine : group.coroutines) {
            const AddressResolver::Query query = queryOf(population, coroutine);
            if (m_open.size() < kMostLearned && m_places.isOpen(query))
                m_open.push_back(query);
        }
    }
}

StuckResolver::~StuckResolver()
{
    m_places.setReadsAhead(true);
}

AddressResolver::Query StuckResolver::queryOf(const Population &population, const StuckCoroutine &stuck)
{
    return {stuck.coroutine, population.at(stuck.coroutine).pid, stuck.addr, stuck.since, true};
}

/// Requests a few locations at a time, because the resolver reads no more than kMostWaiting.
void StuckResolver::ask()
{
    const std::size_t end = std::min(m_open.size(), m_asked + kAskedAtOnce);
    for (; m_asked < end; ++m_asked)
        static_cast<void>(m_places.find(m_open[m_asked]));
    m_end = std::max(m_end, Clock::now() + kCompare);
}

bool StuckResolver::step()
{
    if (m_open.empty())
        return false;
    m_places.poll();
    const Clock::time_point now = Clock::now();
    if (now >= m_askUntil)
        m_open.resize(m_asked);
    if (m_asked < m_open.size()) {
        if (m_places.isRead()) {
            ask();
            m_places.poll();
        }
        return true;
    }
    while (!m_open.empty() && !m_places.isOpen(m_open.back()))
        m_open.pop_back();
    m_asked = m_open.size();
    return !m_open.empty() && !m_places.isIdle() && now < m_end;
}

}  // namespace ct
