// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/judge.h"

#include "core/analysis/rules/rules.h"

namespace ct {

Verdict judge(const Subject &subject, std::uint64_t now, const Thresholds &thresholds)
{
    const Facts facts(subject, now, thresholds);
    VerdictBuilder verdict;
    for (const auto find :
         {rules::findLostWakeups, rules::findMutualWaits, rules::findLateWaits, rules::findNeverRun,
          rules::findLostWakeRaces, rules::findDeadlocks, rules::findStalls, rules::findLeaks, rules::findStarvation,
          rules::findLongRuns, rules::findBlockingCalls, rules::findNeverStarted, rules::findDoubleResumes,
          rules::findUsesAfterDeath, rules::findGaps})
        find(facts, verdict);
    if (facts.waitedWithoutTracing() != 0)
        verdict.abstain(Rule::LostWakeup, "tracing was off since they began to wait, so they may have run",
                        facts.waitedWithoutTracing());
    return verdict.take(now);
}

}  // namespace ct
