// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/functionwaits.h"

#include <algorithm>
#include <utility>

namespace ct {

Result<void> FunctionWaits::consume(const Batch &batch)
{
    m_any = m_any || std::any_of(batch.births.begin(), batch.births.end(),
                                 [](const Birth &birth) { return birth.dialect != Dialect::Lane; });
    if (!m_any || (batch.transitions.empty() && batch.deaths.empty()))
        return {};
    const std::scoped_lock lock(m_mutex);
    for (const Transition &event : batch.transitions)
        if (event.active || (event.site == kUnknownSite && event.kind == PointKind::Await))
            add(m_waits[event.coroutine], event);
    for (const Death &death : batch.deaths) {
        const auto found = m_waits.find(death.coroutine);
        if (found == m_waits.end())
            continue;
        if (const std::uint32_t function = m_functions.of(death.coroutine); function != 0)
            addTo(m_ofEnded[function], found->second);
        m_waits.erase(found);
    }
    return {};
}

void FunctionWaits::add(Waits &waits, const Transition &event)
{
    const std::uint64_t since = std::exchange(waits.since, event.active ? 0 : event.ts);
    const std::uint64_t n = std::exchange(waits.n, event.n);
    if (!event.active || since == 0 || event.n != n + 1 || event.ts < since)
        return;
    const std::uint64_t duration = event.ts - since;
    ++waits.completed;
    waits.maxNs = std::max(waits.maxNs, duration);
    const auto bucket = static_cast<std::uint8_t>(SiteStatistics::bucketOf(duration));
    if (bucket <= waits.longest.back())
        return;
    waits.longest.back() = bucket;
    for (std::size_t i = kLongest - 1; i != 0 && waits.longest[i] > waits.longest[i - 1]; --i)
        std::swap(waits.longest[i], waits.longest[i - 1]);
}

void FunctionWaits::addTo(SiteStatistics &statistics, const Waits &waits)
{
    if (waits.completed == 0)
        return;
    statistics.ofSeveral = statistics.ofSeveral || statistics.completed != 0;
    statistics.completed += waits.completed;
    statistics.maxNs = std::max(statistics.maxNs, waits.maxNs);
    const std::uint64_t kept = std::min<std::uint64_t>(waits.completed, kLongest);
    for (std::uint64_t i = 0; i < kept; ++i)
        ++statistics.buckets[waits.longest[i]];
    statistics.buckets[0] += waits.completed - kept;
}

std::unordered_map<std::uint32_t, SiteStatistics> FunctionWaits::statistics() const
{
    const std::scoped_lock lock(m_mutex);
    std::unordered_map<std::uint32_t, SiteStatistics> statistics = m_ofEnded;
    for (const auto &[id, waits] : m_waits)
        if (const std::uint32_t function = m_functions.of(id); function != 0)
            addTo(statistics[function], waits);
    return statistics;
}

}  // namespace ct
