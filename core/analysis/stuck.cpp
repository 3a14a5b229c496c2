// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stuck.h"

#include "core/analysis/watchedtime.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace ct {

namespace {

constexpr double kUsualFraction = 0.99;

/// The usual duration of suspensions at a site, and the limit above which a suspension is stuck.
struct Baseline {
    std::optional<std::uint64_t> usualNs;
    std::uint64_t limitNs = 0;
};

std::uint64_t limitOf(std::uint64_t usualNs, const StuckRule &rule)
{
    const double limit = static_cast<double>(usualNs) * rule.usualFactor;
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    return std::max(rule.minimumNs, limit < static_cast<double>(kMost) ? static_cast<std::uint64_t>(limit) : kMost);
}

/// The limit of a suspension that cannot be compared with others of its site. If the site is unknown, the suspension
/// may belong to any site, so the greatest limit of all sites counts.
std::uint64_t limitWithoutBaseline(const Population &population, SiteId site, const StuckRule &rule)
{
    std::uint64_t limit = std::max(rule.minimumNs, rule.withoutBaselineNs);
    for (SiteId any = 1; site == kUnknownSite && any <= population.siteCount(); ++any) {
        const SiteStatistics statistics = population.siteStatistics(any);
        if (statistics.completed != 0)
            limit = std::max(limit, limitOf(statistics.quantile(kUsualFraction), rule));
    }
    return limit;
}

Baseline baselineOf(const Population &population, SiteId site, const StuckRule &rule)
{
    const SiteStatistics statistics = population.siteStatistics(site);
    if (statistics.completed == 0)
        return {std::nullopt, limitWithoutBaseline(population, site, rule)};
    const std::uint64_t usualNs = statistics.quantile(kUsualFraction);
    return {usualNs, limitOf(usualNs, rule)};
}

/// True if the coroutine waits for a time that has not come, or that came less than `patienceNs` ago. It may wait
/// itself, also for several objects, or await a coroutine that does.
bool waitsForATime(const Population &population, CoroutineId id, std::uint64_t now, std::uint64_t patienceNs)
{
    constexpr std::size_t kMost = 64;
    std::vector<CoroutineId> waiting{id};
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        for (const WaitsOn &wait : population.waitsOf(waiting[i])) {
            if (wait.kind == WaitKind::Timer && (now < patienceNs || wait.object > now - patienceNs))
                return true;
            // A target can report a cycle.
            const bool isNew = std::find(waiting.begin(), waiting.end(), wait.target) == waiting.end();
            if (wait.target != kNoCoroutine && isNew && waiting.size() < kMost)
                waiting.push_back(wait.target);
        }
    }
    return false;
}

bool longestFirst(const StuckCoroutine &a, const StuckCoroutine &b)
{
    return a.suspendedNs != b.suspendedNs ? a.suspendedNs > b.suspendedNs : a.coroutine < b.coroutine;
}

bool biggestFirst(const StuckGroup &a, const StuckGroup &b)
{
    return a.coroutines.size() != b.coroutines.size() ? a.coroutines.size() > b.coroutines.size() : a.site < b.site;
}

StuckCoroutine describe(const Population &population, const CoroutineSnapshot &snapshot, std::uint64_t suspendedNs)
{
    CoroutineNotes notes = population.notes(snapshot.id);
    StuckCoroutine stuck;
    stuck.coroutine = snapshot.id;
    stuck.probeId = snapshot.probeId;
    stuck.site = snapshot.site;
    stuck.addr = snapshot.addr;
    stuck.since = snapshot.since;
    stuck.suspendedNs = suspendedNs;
    stuck.woken = snapshot.state == CoroutineState::Runnable;
    stuck.lastWake = std::move(notes.lastWake);
    stuck.waitsOn = std::move(notes.waitsOn);
    return stuck;
}

}  // namespace

std::vector<StuckGroup> findStuck(const Population &population, std::uint64_t now, const StuckRule &rule)
{
    const WatchedTime watched(population, now);
    // Computed once per site: statistics may change during the loop, and all coroutines of a site need one limit.
    std::unordered_map<SiteId, Baseline> baselines;
    std::unordered_map<SiteId, std::size_t> groupOf;
    std::vector<StuckGroup> groups;
    const std::uint32_t size = population.size();
    for (CoroutineId id = 0; id < size; ++id) {
        // This cheap check excludes most coroutines.
        const std::uint64_t since = population.suspendedSince(id);
        if (since >= now || now - since < rule.minimumNs)
            continue;
        const CoroutineSnapshot snapshot = population.at(id);
        if (!isSuspended(snapshot.state) || snapshot.since != since)
            continue;  // resumed since the check
        const std::uint64_t suspendedNs = watched.since(snapshot.pid, since);
        auto [baseline, isNew] = baselines.try_emplace(snapshot.site);
        if (isNew)
            baseline->second = baselineOf(population, snapshot.site, rule);
        // A wake ends the wait. What follows is judged alone.
        const std::uint64_t judgedNs = watched.since(snapshot.pid, snapshot.stateSince());
        if (judgedNs < rule.minimumNs || judgedNs <= baseline->second.limitNs)
            continue;
        if (waitsForATime(population, id, now, rule.minimumNs))
            continue;
        const auto [group, isNewGroup] = groupOf.try_emplace(snapshot.site, groups.size());
        if (isNewGroup) {
            groups.emplace_back();
            groups.back().site = snapshot.site;
            groups.back().usualNs = baseline->second.usualNs;
        }
        StuckCoroutine stuck = describe(population, snapshot, suspendedNs);
        stuck.usualNs = baseline->second.usualNs;
        groups[group->second].coroutines.push_back(std::move(stuck));
    }
    for (StuckGroup &group : groups) {
        std::sort(group.coroutines.begin(), group.coroutines.end(), longestFirst);
        group.longestNs = group.coroutines.front().suspendedNs;
    }
    std::sort(groups.begin(), groups.end(), biggestFirst);
    return groups;
}

}  // namespace ct
