// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/rules/siblings.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

namespace ct::rules {

namespace {

/// The most intervals that overlap at one time.
std::uint64_t mostAtOnce(std::vector<std::pair<std::uint64_t, std::uint64_t>> lives)
{
    std::sort(lives.begin(), lives.end());
    std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> ends;
    std::size_t most = 0;
    for (const auto &[birth, end] : lives) {
        while (!ends.empty() && ends.top() <= birth)
            ends.pop();
        ends.push(end);
        most = std::max(most, ends.size());
    }
    return most;
}

bool isLateAt(SiteId site, const Waiting *waiting, std::uint64_t lateAfterNs)
{
    return waiting && waiting->site == site && waiting->watchedNs > lateAfterNs;
}

}  // namespace

std::uint64_t completedWithin(const Facts &facts, CoroutineId id, SiteId site, std::uint64_t from, std::uint64_t to)
{
    constexpr std::size_t kMostEvents = 64;
    std::uint64_t completed = 0;
    bool waits = false;
    for (const HistoryEvent &event : facts.history().events(id, from, to, kMostEvents)) {
        if (event.type == HistoryEvent::Type::Resume)
            completed += waits ? 1 : 0;
        waits = event.type == HistoryEvent::Type::Suspend && event.site == site && event.ts > from;
    }
    return completed;
}

std::uint64_t lateAmong(const Facts &facts, SiteId site, std::span<const CoroutineId> coroutines,
                        std::uint64_t lateAfterNs)
{
    return static_cast<std::uint64_t>(std::count_if(coroutines.begin(), coroutines.end(), [&](CoroutineId id) {
        return isLateAt(site, facts.waiting(id), lateAfterNs);
    }));
}

Siblings siblingsOf(const Facts &facts, const Waiting &waiting, std::span<const CoroutineId> coroutines,
                    std::uint64_t lateAfterNs)
{
    Siblings siblings;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> lives;
    std::set<CoroutineId> creators;
    for (const CoroutineId id : coroutines) {
        if (id == waiting.coroutine)
            continue;
        // Reading a history costs a hundred times more than this look at the present state.
        const CoroutineSnapshot snapshot = facts.population().at(id);
        const Waiting *const other = facts.waiting(id);
        const bool waitsThere = other && other->site == waiting.site;
        siblings.late += isLateAt(waiting.site, other, lateAfterNs) ? 1 : 0;
        const bool hasChanged = snapshot.since > waiting.since;
        const std::uint64_t completed =
            hasChanged ? completedWithin(facts, id, waiting.site, waiting.since, facts.now()) : 0;
        if (completed != 0) {
            siblings.completedWaits += completed;
            ++siblings.cameBack;
            const std::uint64_t finished = snapshot.state == CoroutineState::Finished ? snapshot.since : facts.now();
            if (const CoroutineId creator = facts.population().parentOf(id); creator != kNoCoroutine)
                creators.insert(creator);
            lives.emplace_back(snapshot.birthTs, snapshot.deathTs != 0 ? snapshot.deathTs : finished);
        } else if (waitsThere) {
            ++siblings.stillThere;
        }
    }
    siblings.independent = std::max<std::uint64_t>(mostAtOnce(std::move(lives)), creators.size());
    return siblings;
}

}  // namespace ct::rules
