// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Never started: a coroutine is at its initial suspension, and the coroutine that created it has ended. A coroutine
// whose creator lives may be kept for later.
#include "core/analysis/rules/rules.h"
#include "core/base/quantitytext.h"

namespace ct::rules {

void findNeverStarted(const Facts &facts, VerdictBuilder &verdict)
{
    const Population &population = facts.population();
    for (const Waiting &waiting : facts.waiting()) {
        if (waiting.kind != PointKind::Initial || waiting.woken || waiting.watchedNs < facts.thresholds().startNs)
            continue;
        const CoroutineId parent = population.parentOf(waiting.coroutine);
        if (parent == kNoCoroutine) {
            verdict.abstain(Rule::NeverStarted, "the target did not report who created the coroutine");
            continue;
        }
        if (population.waiterFor(waiting.coroutine) != kNoCoroutine)
            continue;  // the finding is about the coroutine that awaits it
        const CoroutineSnapshot creator = population.at(parent);
        const bool ended =
            !creator.kept || creator.state == CoroutineState::Finished || creator.state == CoroutineState::Destroyed;
        verdict.add(Rule::NeverStarted, ended ? Severity::Warning : Severity::Info, ended ? 0.7 : 0.3, waiting,
                    "created " + durationText(waiting.watchedNs) + " ago, and never started",
                    {coroutineText(population, parent) + " created it" + (ended ? ", and has ended" : "")});
    }
}

}  // namespace ct::rules
