// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/rules/usualwakers.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace ct::rules {

namespace {

/// From the wake to the resumption, and from there to the suspension of the coroutine that woke.
constexpr std::uint64_t kDelayNs = 1'000'000;
constexpr std::size_t kLeastWaits = 3;
constexpr std::size_t kMostWaits = 8;

/// The usual wakers of a coroutine that waits at `site` since `since` (ns); see the header.
std::vector<CoroutineId> wakersOf(const RunLog &log, CoroutineId id, SiteId site, std::uint64_t since)
{
    const std::vector<RunLog::Wait> &waits = log.waits();
    std::vector<std::uint64_t> ends;
    for (auto wait =
             std::lower_bound(waits.begin(), waits.end(), id,
                              [](const RunLog::Wait &one, CoroutineId wanted) { return one.coroutine < wanted; });
         wait != waits.end() && wait->coroutine == id; ++wait)
        if (wait->site == site && wait->end <= since)
            ends.push_back(wait->end);
    if (ends.size() < kLeastWaits)
        return {};
    ends.erase(ends.begin(), ends.end() - static_cast<std::ptrdiff_t>(std::min(ends.size(), kMostWaits)));
    std::vector<CoroutineId> common = log.ranBefore(ends.front(), kDelayNs, id);
    for (std::size_t i = 1; i < ends.size() && !common.empty(); ++i) {
        const std::vector<CoroutineId> ran = log.ranBefore(ends[i], kDelayNs, id);
        std::vector<CoroutineId> both;
        std::set_intersection(common.begin(), common.end(), ran.begin(), ran.end(), std::back_inserter(both));
        common = std::move(both);
    }
    return common;
}

}  // namespace

bool UsualWakers::areSilent(const Waiting &waiting)
{
    const RunLog &log = m_logs.try_emplace(waiting.pid, m_facts, waiting.pid, waiting.since + 1).first->second;
    const std::vector<CoroutineId> wakers = wakersOf(log, waiting.coroutine, waiting.site, waiting.since);
    return !wakers.empty() && std::all_of(wakers.begin(), wakers.end(), [&](CoroutineId id) {
        const CoroutineSnapshot waker = m_facts.population().at(id);
        // One that has ended answers no more: that is no quiet source. Nor is one that waits for this coroutine.
        if (!waker.kept || !isSuspended(waker.state) || waker.since > waiting.since + kDelayNs)
            return false;
        const std::vector<CoroutineId> itsWakers = wakersOf(log, id, waker.site, waker.since);
        return !std::binary_search(itsWakers.begin(), itsWakers.end(), waiting.coroutine);
    });
}

}  // namespace ct::rules
