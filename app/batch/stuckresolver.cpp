// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/stuckresolver.h"

#include <algorithm>

namespace ct {

namespace {

constexpr std::size_t kMostResolved = 100'000;
constexpr std::size_t kRequestsAtOnce = AddressResolver::kMostWaiting / 2;
/// Time for comparing the last frames with the events that follow in the stream.
constexpr std::chrono::milliseconds kCompare{800};

}  // namespace

StuckResolver::StuckResolver(const Population &population, const std::vector<StuckGroup> &stuck,
                             AddressResolver &resolver, std::chrono::milliseconds most)
    : m_resolver(resolver), m_requestUntil(Clock::now() + most), m_end(m_requestUntil)
{
    m_resolver.setReadsAhead(false);
    for (const StuckGroup &group : stuck) {
        if (group.site != kUnknownSite)
            continue;
        for (const StuckCoroutine &coroutine : group.coroutines) {
            const AddressResolver::Query query = queryOf(population, coroutine);
            if (m_open.size() < kMostResolved && m_resolver.isOpen(query))
                m_open.push_back(query);
        }
    }
}

StuckResolver::~StuckResolver()
{
    m_resolver.setReadsAhead(true);
}

AddressResolver::Query StuckResolver::queryOf(const Population &population, const StuckCoroutine &stuck)
{
    return {stuck.coroutine, population.at(stuck.coroutine).pid, stuck.addr, stuck.since, true};
}

/// Requests a few locations at a time, because the resolver reads no more than kMostWaiting.
void StuckResolver::request()
{
    const std::size_t end = std::min(m_open.size(), m_requested + kRequestsAtOnce);
    for (; m_requested < end; ++m_requested)
        static_cast<void>(m_resolver.resolveOrRequest(m_open[m_requested]));
    m_end = std::max(m_end, Clock::now() + kCompare);
}

bool StuckResolver::step()
{
    if (m_open.empty())
        return false;
    m_resolver.poll();
    const Clock::time_point now = Clock::now();
    if (now >= m_requestUntil)
        m_open.resize(m_requested);
    if (m_requested < m_open.size()) {
        if (m_resolver.isRead()) {
            request();
            m_resolver.poll();
        }
        return true;
    }
    while (!m_open.empty() && !m_resolver.isOpen(m_open.back()))
        m_open.pop_back();
    m_requested = m_open.size();
    return !m_open.empty() && !m_resolver.isIdle() && now < m_end;
}

}  // namespace ct
