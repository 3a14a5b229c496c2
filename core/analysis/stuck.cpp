// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stuck.h"

#include "core/analysis/watchedtime.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace ct {

namespace {

constexpr double kUsualFraction = 0.99;

bool longestFirst(const StuckCoroutine &a, const StuckCoroutine &b)
{
    return a.suspendedNs != b.suspendedNs ? a.suspendedNs > b.suspendedNs : a.coroutine < b.coroutine;
}

bool biggestFirst(const StuckGroup &a, const StuckGroup &b)
{
    return a.coroutines.size() != b.coroutines.size() ? a.coroutines.size() > b.coroutines.size() : a.site < b.site;
}

std::optional<std::uint64_t> usualNs(const Population &population, SiteId site)
{
    const SiteStatistics statistics = population.siteStatistics(site);
    return statistics.completed != 0 ? std::optional(statistics.quantile(kUsualFraction)) : std::nullopt;
}

}  // namespace

std::vector<StuckGroup> stuckCoroutines(const Verdict &verdict, const Population &population)
{
    const WatchedTime watched(population, verdict.judgedAt);
    std::unordered_set<CoroutineId> known;
    std::unordered_map<SiteId, std::size_t> groupOf;
    std::vector<StuckGroup> groups;
    for (const Finding &finding : verdict.findings) {
        for (const CoroutineId id : finding.coroutines) {
            const CoroutineSnapshot snapshot = population.at(id);
            if (finding.severity == Severity::Info || !isSuspended(snapshot.state) || !known.insert(id).second)
                continue;
            const auto [group, isNew] = groupOf.try_emplace(snapshot.site, groups.size());
            if (isNew)
                groups.push_back({snapshot.site, usualNs(population, snapshot.site), 0, {}});
            groups[group->second].coroutines.push_back({id, snapshot.probeId, snapshot.site, snapshot.addr,
                                                        snapshot.since, watched.since(snapshot.pid, snapshot.since),
                                                        finding.rule});
        }
    }
    for (StuckGroup &group : groups) {
        std::sort(group.coroutines.begin(), group.coroutines.end(), longestFirst);
        group.longestNs = group.coroutines.front().suspendedNs;
    }
    std::sort(groups.begin(), groups.end(), biggestFirst);
    return groups;
}

}  // namespace ct
