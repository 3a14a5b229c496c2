// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/endedcoroutines.h"

#include <algorithm>
#include <tuple>

namespace ct {

Result<void> EndedCoroutines::consume(const Batch &batch)
{
    if (batch.deaths.empty())
        return {};
    const std::scoped_lock lock(m_mutex);
    for (const Death &death : batch.deaths)
        add(death);
    return {};
}

void EndedCoroutines::add(const Death &death)
{
    const CoroutineSnapshot snapshot = m_population.at(death.coroutine);
    if (!snapshot.kept || snapshot.flagged || snapshot.deathTs == 0)
        return;
    const SiteId body = snapshot.bodySite != kUnknownSite ? snapshot.bodySite : snapshot.site;
    const std::uint64_t key = std::uint64_t{snapshot.pid} << 32 | body;
    const auto known = m_lifetimes.find(key);
    if (snapshot.birthTs != 0 && (known != m_lifetimes.end() || m_lifetimes.size() < kMostFunctions)) {
        Lifetimes &lifetimes = known != m_lifetimes.end() ? known->second : m_lifetimes[key];
        SiteStatistics &durations = lifetimes.durations;
        lifetimes.pid = snapshot.pid;
        lifetimes.site = body;
        lifetimes.firstBirth = std::min(lifetimes.firstBirth, snapshot.birthTs);
        lifetimes.lastBirth = std::max(lifetimes.lastBirth, snapshot.birthTs);
        const std::uint64_t lived = snapshot.deathTs - std::min(snapshot.deathTs, snapshot.birthTs);
        ++durations.buckets[static_cast<std::size_t>(SiteStatistics::bucketOf(lived))];
        ++durations.completed;
        durations.maxNs = std::max(durations.maxNs, lived);
        durations.ofSeveral = durations.completed > 1;
    }
    if (m_wokenLate.size() == kMostWoken)
        return;
    const CoroutineNotes notes = m_population.notes(death.coroutine);
    if (notes.lastWake && notes.lastWake->ts > snapshot.deathTs)
        m_wokenLate.push_back({death.coroutine, snapshot.deathTs, *notes.lastWake});
}

std::vector<EndedCoroutines::Lifetimes> EndedCoroutines::lifetimes() const
{
    std::vector<Lifetimes> lifetimes;
    const std::scoped_lock lock(m_mutex);
    lifetimes.reserve(m_lifetimes.size());
    for (const auto &[key, ofSite] : m_lifetimes)
        lifetimes.push_back(ofSite);
    std::sort(lifetimes.begin(), lifetimes.end(),
              [](const Lifetimes &a, const Lifetimes &b) { return std::tie(a.pid, a.site) < std::tie(b.pid, b.site); });
    return lifetimes;
}

std::vector<EndedCoroutines::WokenLate> EndedCoroutines::wokenLate() const
{
    const std::scoped_lock lock(m_mutex);
    return m_wokenLate;
}

}  // namespace ct
