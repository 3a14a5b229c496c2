// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/rules/earlysignal.h"

#include "core/base/quantitytext.h"

#include <optional>
#include <vector>

namespace ct::rules {

namespace {

constexpr std::uint64_t kLeastWaits = 30;
/// A signal is reported before the signaller looks for waiters, so a waiter that it finds may have come in between.
constexpr std::uint64_t kDelayNs = 1'000'000;

/// When (ns) what it waits for was signalled; 0 if that happened several times in its life, or not before the wait.
std::uint64_t onlySignalBefore(const Facts &facts, const Waiting &waiting)
{
    if (waiting.waits.size() != 1 || waiting.site == kUnknownSite || !canBeSignalled(waiting.waits.front().kind))
        return 0;
    const std::optional<ObjectState> state = facts.objects().stateOf(waiting.pid, waiting.waits.front().object);
    const std::uint64_t birthTs = facts.population().at(waiting.coroutine).birthTs;
    if (!state || birthTs == 0 || birthTs < facts.process(waiting.pid).tracedSince)
        return 0;
    const std::uint64_t signalled = state->satisfied().ts;
    const bool isOnly = signalled > birthTs && state->satisfiedBefore < birthTs && state->wokenSince == 0 &&
                        state->acquired.ts < signalled;
    return isOnly && signalled <= waiting.since ? signalled : 0;
}

/// When the wait began (ns) that the wake ended, if it was at the site; else 0.
std::uint64_t beginOfWait(const Facts &facts, const Wake &wake, SiteId site)
{
    const std::vector<HistoryEvent> events = facts.history().events(wake.coroutine, wake.ts, wake.ts, 1);
    const bool isWait = !events.empty() && events.front().type == HistoryEvent::Type::Suspend &&
                        events.front().n + 1 == wake.n && events.front().site == site;
    return isWait ? events.front().ts : 0;
}

}  // namespace

std::string signalledTooEarly(const Facts &facts, const Waiting &waiting, std::span<const ObjectHistory::Served> served)
{
    const std::uint64_t signalled = onlySignalBefore(facts, waiting);
    if (signalled == 0)
        return {};
    std::uint64_t waits = 0;
    for (const ObjectHistory::Served &one : served) {
        const std::uint64_t begin = beginOfWait(facts, one.woke, waiting.site);
        const CoroutineSnapshot waiter = facts.population().at(one.woke.coroutine);
        if (begin == 0 || !waiter.kept || waiter.birthTs == 0)
            continue;
        if (one.satisfiedBefore >= waiter.birthTs || one.satisfiedAt + kDelayNs < begin)
            return {};
        ++waits;
    }
    if (waits < kLeastWaits)
        return {};
    return objectText(waiting.waits.front()) + " was signalled " + durationText(waiting.since - signalled) +
           " before the wait began; for " + std::to_string(waits) +
           " other waits there, the only signal came during the wait";
}

}  // namespace ct::rules
