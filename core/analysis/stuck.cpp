// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stuck.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace ct {

namespace {

constexpr double kUsualFraction = 0.99;

/// What a site usually takes, and from when on waiting there is suspicious.
struct Baseline {
    std::optional<std::uint64_t> usualNs;
    std::uint64_t limitNs = 0;
};

Baseline baselineOf(const Population &population, SiteId site, const StuckRule &rule)
{
    Baseline baseline;
    const SiteStatistics statistics = population.siteStatistics(site);
    if (statistics.completed == 0) {
        baseline.limitNs = std::max(rule.minimumNs, rule.withoutBaselineNs);
        return baseline;
    }
    baseline.usualNs = statistics.quantile(kUsualFraction);
    const double limit = static_cast<double>(*baseline.usualNs) * rule.usualFactor;
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t limitNs = limit < static_cast<double>(kMost) ? static_cast<std::uint64_t>(limit) : kMost;
    baseline.limitNs = std::max(rule.minimumNs, limitNs);
    return baseline;
}

bool canBeStuck(const CoroutineSnapshot &snapshot)
{
    return snapshot.state == CoroutineState::Suspended && !snapshot.flagged;
}

bool longestFirst(const StuckCoroutine &a, const StuckCoroutine &b)
{
    return a.suspendedNs != b.suspendedNs ? a.suspendedNs > b.suspendedNs : a.coroutine < b.coroutine;
}

bool biggestFirst(const StuckGroup &a, const StuckGroup &b)
{
    return a.coroutines.size() != b.coroutines.size() ? a.coroutines.size() > b.coroutines.size() : a.site < b.site;
}

}  // namespace

std::vector<StuckGroup> findStuck(const Population &population, std::uint64_t now, const StuckRule &rule)
{
    // Taken once per site, so that one judgement uses one measure.
    std::unordered_map<SiteId, Baseline> baselines;
    std::unordered_map<SiteId, std::size_t> groupOf;
    std::vector<StuckGroup> groups;
    const std::uint32_t size = population.size();
    for (CoroutineId id = 0; id < size; ++id) {
        const CoroutineSnapshot snapshot = population.at(id);
        if (!canBeStuck(snapshot) || now <= snapshot.since || now - snapshot.since < rule.minimumNs)
            continue;
        const std::uint64_t suspendedNs = now - snapshot.since;
        auto [baseline, isNew] = baselines.try_emplace(snapshot.site);
        if (isNew)
            baseline->second = baselineOf(population, snapshot.site, rule);
        if (suspendedNs <= baseline->second.limitNs)
            continue;
        const auto [group, isNewGroup] = groupOf.try_emplace(snapshot.site, groups.size());
        if (isNewGroup) {
            groups.emplace_back();
            groups.back().site = snapshot.site;
            groups.back().usualNs = baseline->second.usualNs;
        }
        groups[group->second].coroutines.push_back(
            {id, snapshot.probeId, snapshot.site, snapshot.addr, suspendedNs, baseline->second.usualNs});
    }
    for (StuckGroup &group : groups) {
        std::sort(group.coroutines.begin(), group.coroutines.end(), longestFirst);
        group.longestNs = group.coroutines.front().suspendedNs;
    }
    std::sort(groups.begin(), groups.end(), biggestFirst);
    return groups;
}

}  // namespace ct
