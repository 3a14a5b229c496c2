// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stuckthresholds.h"

#include <algorithm>

namespace ct {

StuckThresholds::StuckThresholds(const Population &population, const StuckRule &rule)
    : m_population(population), m_rule(rule), m_paused(population), m_lives(population)
{
}

void StuckThresholds::readProcesses()
{
    m_paused = PausedTimes(m_population);
    m_lives = ProcessLives(m_population);
}

std::uint64_t StuckThresholds::of(const CoroutineSnapshot &coroutine)
{
    constexpr std::uint64_t kNever = ~std::uint64_t{0};
    const std::uint64_t since = coroutine.stateSince();
    const std::uint64_t threshold = of(coroutine.site);
    if (threshold >= kNever - since)
        return kNever;
    std::uint64_t stuckAt = since + threshold;
    for (const PausedTimes::Interval &pause : m_paused.of(coroutine.pid)) {
        if (pause.to <= since)
            continue;
        if (pause.from >= stuckAt)
            break;
        if (pause.to == PausedTimes::kLasting)
            return kNever;
        stuckAt += pause.to - std::max(pause.from, since);
    }
    return m_lives.endOf(coroutine.pid, since) < stuckAt ? kNever : stuckAt - since;
}

std::uint64_t StuckThresholds::of(SiteId site)
{
    return entry(site).threshold;
}

std::optional<std::uint64_t> StuckThresholds::usual(SiteId site)
{
    return entry(site).usual;
}

void StuckThresholds::nextFrame()
{
    if (++m_frames < kFramesKept)
        return;
    m_frames = 0;
    m_entries.clear();
    readProcesses();
}

const StuckThresholds::Entry &StuckThresholds::entry(SiteId site)
{
    const auto [position, fresh] = m_entries.try_emplace(site);
    Entry &entry = position->second;
    if (!fresh)
        return entry;
    const SiteStatistics statistics = m_population.siteStatistics(site);
    if (statistics.completed == 0) {
        entry.threshold = std::max(m_rule.minimumNs, m_rule.withoutBaselineNs);
        return entry;
    }
    entry.usual = statistics.quantile(0.99);
    constexpr double kMost = 9e18;  // fits into 63 bits
    const double factored = std::min(kMost, static_cast<double>(*entry.usual) * m_rule.usualFactor);
    entry.threshold = std::max(m_rule.minimumNs, static_cast<std::uint64_t>(std::max(0.0, factored)));
    return entry;
}

}  // namespace ct
