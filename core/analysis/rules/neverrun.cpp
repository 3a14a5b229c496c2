// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Never run: a coroutine was woken, and no thread has resumed it. The wake was not lost; the scheduler lost the
// coroutine.
#include "core/analysis/rules/references.h"
#include "core/analysis/rules/rules.h"
#include "core/analysis/rules/turns.h"
#include "core/base/quantitytext.h"

#include <algorithm>

namespace ct::rules {

namespace {

/// A sentence if another coroutine has had its thread again and again instead, else empty. A fair scheduler gives each
/// coroutine that is woken one turn. One that prefers others for a while has let earlier waits take as long.
std::string passedOver(const Facts &facts, const Waiting &waiting, std::uint64_t wokenAt, Turns &turns)
{
    const Thresholds &limits = facts.thresholds();
    References references(facts);
    if (waiting.watchedNs <= references.lateAfter(references.of(references.keyOf(waiting))))
        return {};
    const std::uint64_t times = turns.mostOfOne(waiting, wokenAt);
    return times < limits.overtaken ? std::string()
                                    : "one coroutine, which was woken later each time, has had its thread " +
                                          std::to_string(times) + " times since";
}

std::string wakerText(const Facts &facts, const Wake &wake)
{
    return (wake.by != kNoCoroutine ? coroutineText(facts.population(), wake.by)
                                    : "thread " + std::to_string(wake.tid)) +
           " woke it";
}

}  // namespace

void findNeverRun(const Facts &facts, VerdictBuilder &verdict)
{
    const Thresholds &limits = facts.thresholds();
    Turns turns(facts);
    for (const Waiting &waiting : facts.waiting()) {
        if (!waiting.woken)
            continue;
        const std::uint64_t wokenAt = std::max(waiting.lastWake->ts, waiting.since);
        const std::uint64_t wokenNs = facts.watched(waiting.pid, wokenAt);
        if (wokenNs < limits.wokenNs)
            continue;
        const std::uint64_t others = turns.overtaken(waiting, wokenAt);
        const std::string message = "woken " + durationText(wokenNs) + " ago, and no thread has resumed it";
        std::vector<std::string> evidence = {wakerText(facts, *waiting.lastWake)};
        if (std::optional<Turns::Due> due = turns.due(waiting, wokenAt, others)) {
            evidence.push_back(std::move(due->why));
            verdict.add(Rule::NeverRun, Severity::Error, due->confidence, waiting, message, std::move(evidence));
        } else if (std::string passed =
                       others >= limits.overtaken ? passedOver(facts, waiting, wokenAt, turns) : std::string();
                   !passed.empty()) {
            evidence.push_back(std::move(passed));
            verdict.add(Rule::Starvation, Severity::Warning, 0.7, waiting,
                        "woken " + durationText(wokenNs) + " ago, and others have had its thread again and again",
                        std::move(evidence));
        } else if (others >= limits.overtaken) {
            // A busy scheduler may prefer younger coroutines.
            evidence.push_back("coroutines that were woken later have run " + std::to_string(others) + " times since");
            verdict.add(Rule::NeverRun, Severity::Info, 0.5, waiting, message, std::move(evidence));
        } else if (!facts.process(waiting.pid).threads.areKnown) {
            verdict.abstain(Rule::NeverRun, "what the threads of the process do is not known");
        } else {
            verdict.abstain(Rule::NeverRun,
                            "other coroutines run, and those that were woken later have run fewer than " +
                                std::to_string(limits.overtaken) + " times: the wait may be for a thread");
        }
    }
}

}  // namespace ct::rules
