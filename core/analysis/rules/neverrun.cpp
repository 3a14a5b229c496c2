// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Never run: a coroutine was woken, and no thread has resumed it. The wake was not lost; the scheduler lost the
// coroutine.
#include "core/analysis/rules/rules.h"
#include "core/base/quantitytext.h"

#include <algorithm>

namespace ct::rules {

namespace {

/// Coroutines of the process that were woken clearly later, and have run.
std::uint64_t overtakers(const Facts &facts, const ProcessFacts &process, std::uint64_t wokenAt)
{
    const std::vector<std::uint64_t> &wakes = process.wakesThatRan;
    const auto later = std::upper_bound(wakes.begin(), wakes.end(), wokenAt + facts.thresholds().shortestNs);
    return static_cast<std::uint64_t>(wakes.end() - later);
}

}  // namespace

void findNeverRun(const Facts &facts, VerdictBuilder &verdict)
{
    const Thresholds &limits = facts.thresholds();
    for (const Waiting &waiting : facts.waiting()) {
        if (!waiting.woken)
            continue;
        const std::uint64_t wokenAt = std::max(waiting.lastWake->ts, waiting.since);
        const std::uint64_t wokenNs = facts.watched(waiting.pid, wokenAt);
        if (wokenNs < limits.wokenNs)
            continue;
        const ProcessFacts &process = facts.process(waiting.pid);
        const std::uint64_t others = overtakers(facts, process, wokenAt);
        const bool isQuiet = process.running.empty() && facts.watched(waiting.pid, process.lastEvent) >= limits.wokenNs;
        const std::string message = "woken " + durationText(wokenNs) + " ago, and no thread has resumed it";
        std::vector<std::string> evidence;
        if (waiting.lastWake->by != kNoCoroutine)
            evidence.push_back(coroutineText(facts.population(), waiting.lastWake->by) + " woke it");
        else
            evidence.push_back("thread " + std::to_string(waiting.lastWake->tid) + " woke it");
        const bool isIdle = facts.wasIdle(waiting.pid, waiting.tid, wokenAt + limits.shortestNs);
        if (others >= limits.overtaken && isIdle) {
            evidence.push_back(std::to_string(others) +
                               " coroutines that were woken later have run since, and thread " +
                               std::to_string(waiting.tid) + ", on which it ran, has slept");
            verdict.add(Rule::NeverRun, Severity::Error, 0.95, waiting, message, std::move(evidence));
        } else if (isQuiet && (isIdle || !process.threads.areKnown || process.threads.allSleep)) {
            evidence.push_back("no traced coroutine runs, so no thread is busy with another one");
            verdict.add(Rule::NeverRun, Severity::Error, 0.9, waiting, message, std::move(evidence));
        } else if (others >= limits.overtaken) {
            // A busy scheduler may prefer younger coroutines.
            evidence.push_back(std::to_string(others) + " coroutines that were woken later have run since");
            verdict.add(Rule::NeverRun, Severity::Info, 0.5, waiting, message, std::move(evidence));
        } else {
            verdict.abstain(Rule::NeverRun, "other coroutines run, and fewer than " + std::to_string(limits.overtaken) +
                                                " that were woken later have run: the wait may be for a thread");
        }
    }
}

}  // namespace ct::rules
