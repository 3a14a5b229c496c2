// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Never run: a coroutine was woken, and no thread has resumed it. The wake was not lost; the scheduler lost the
// coroutine.
#include "core/analysis/rules/rules.h"
#include "core/analysis/rules/turns.h"
#include "core/base/quantitytext.h"

namespace ct::rules {

void findNeverRun(const Facts &facts, VerdictBuilder &verdict)
{
    const Thresholds &limits = facts.thresholds();
    Turns turns(facts);
    for (const Waiting &waiting : facts.waiting()) {
        if (!waiting.woken)
            continue;
        const std::uint64_t wokenAt = wokenAtOf(waiting);
        const std::uint64_t wokenNs = facts.watched(waiting.pid, wokenAt);
        if (wokenNs < limits.wokenNs)
            continue;
        const std::uint64_t others = turns.overtaken(waiting, wokenAt);
        const std::string times = std::to_string(limits.overtaken) + " times";
        if (std::optional<Turns::Due> due = turns.due(waiting, wokenAt, others))
            verdict.add(Rule::NeverRun, Severity::Error, due->confidence, waiting,
                        "woken " + durationText(wokenNs) + " ago, and no thread has resumed it",
                        {wakerText(facts.population(), *waiting.lastWake), std::move(due->why)});
        else if (others >= limits.overtaken)  // a busy scheduler may prefer younger coroutines
            verdict.abstain(Rule::NeverRun, "coroutines that were woken later have run at least " + times +
                                                ", but no sample shows that its thread slept since");
        else if (!facts.process(waiting.pid).threads.areKnown)
            verdict.abstain(Rule::NeverRun, "what the threads of the process do is not known");
        else
            verdict.abstain(Rule::NeverRun,
                            "it may only wait for its turn: coroutines that were woken after it have run fewer than " +
                                times);
    }
}

}  // namespace ct::rules
