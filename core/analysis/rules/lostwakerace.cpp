// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lost-wake race: the wake came while the coroutine still ran, before its suspension was published. A correct scheduler
// remembers such a wake, and the coroutine is ready at once. A coroutine that yields wakes itself like that, so it may
// wait for its turn.
#include "core/analysis/rules/rules.h"
#include "core/analysis/rules/turns.h"
#include "core/base/quantitytext.h"

namespace ct::rules {

void findLostWakeRaces(const Facts &facts, VerdictBuilder &verdict)
{
    Turns turns(facts);
    for (const Waiting &waiting : facts.waiting()) {
        if (!waiting.wokenTooEarly || waiting.watchedNs < facts.thresholds().wokenNs)
            continue;
        std::optional<Turns::Due> due = turns.due(waiting, waiting.since, turns.overtaken(waiting, waiting.since));
        if (!due) {
            verdict.abstain(Rule::LostWakeRace, "woken before the suspension, but the wait may be for a thread");
            continue;
        }
        if (facts.process(waiting.pid).lostNotes) {
            verdict.abstain(Rule::LostWakeRace, "reports of wakes may be missing");
            continue;
        }
        const Wake &wake = *waiting.lastWake;
        const std::uint64_t early = waiting.since - std::min(waiting.since, wake.ts);
        const std::string when =
            early != 0 ? durationText(early) + " before it was suspended" : "before its suspension was published";
        std::vector<std::string> evidence = {
            "the wake came from thread " + std::to_string(wake.tid),
            "suspended for " + durationText(waiting.watchedNs) + " since, without another wake", std::move(due->why)};
        verdict.add(Rule::LostWakeRace, Severity::Error, due->confidence, waiting,
                    "woken " + when + ", and never resumed for that wake", std::move(evidence));
    }
}

}  // namespace ct::rules
