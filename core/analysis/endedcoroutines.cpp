// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/endedcoroutines.h"

#include <algorithm>
#include <tuple>

namespace ct {

Result<void> EndedCoroutines::consume(const Batch &batch)
{
    if (!m_remembered.empty())
        addLateWakes(batch.notes.wakes);
    if (batch.deaths.empty())
        return {};
    m_remembered.resize(kMostRemembered);
    const std::scoped_lock lock(m_mutex);
    for (const Death &death : batch.deaths)
        add(death);
    return {};
}

/// Wakes in a later batch than the death.
void EndedCoroutines::addLateWakes(const std::vector<Wake> &wakes)
{
    for (const Wake &wake : wakes) {
        const Death &ended = m_remembered[wake.coroutine % kMostRemembered];
        if (ended.coroutine != wake.coroutine || wake.ts <= ended.ts)
            continue;
        const std::scoped_lock lock(m_mutex);
        addLate({wake.coroutine, ended.ts, wake});
    }
}

void EndedCoroutines::addLate(const WokenLate &late)
{
    const auto isIts = [&late](const WokenLate &other) { return other.coroutine == late.coroutine; };
    if (const auto known = std::find_if(m_wokenLate.begin(), m_wokenLate.end(), isIts); known != m_wokenLate.end())
        *known = late;
    else if (m_wokenLate.size() < kMostWoken)
        m_wokenLate.push_back(late);
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
    m_remembered[death.coroutine % kMostRemembered] = {death.coroutine, snapshot.deathTs};
    const CoroutineNotes notes = m_population.notes(death.coroutine);
    if (notes.lastWake && notes.lastWake->ts > snapshot.deathTs)
        addLate({death.coroutine, snapshot.deathTs, *notes.lastWake});
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
