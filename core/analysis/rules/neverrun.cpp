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

/// How often coroutines of the process were resumed that had been woken clearly later. Counts at least to
/// Thresholds::overtaken, as far as `historiesLeft` allows to read what a coroutine did in the meantime.
std::uint64_t overtakenTimes(const Facts &facts, const ProcessFacts &process, std::uint64_t wokenAt,
                             std::size_t &historiesLeft)
{
    const auto &wakes = process.wakesThatRan;
    const std::uint64_t from = wokenAt + facts.thresholds().shortestNs;
    const auto later = std::upper_bound(wakes.begin(), wakes.end(), std::pair(from, kNoCoroutine));
    auto times = static_cast<std::uint64_t>(wakes.end() - later);  // each has run at least once
    for (auto wake = later; wake != wakes.end() && times < facts.thresholds().overtaken && historiesLeft != 0; ++wake) {
        --historiesLeft;
        const auto events = facts.history().events(wake->second, from, facts.now(), 2 * facts.thresholds().overtaken);
        const auto resumed = std::count_if(events.begin(), events.end(), [](const HistoryEvent &event) {
            return event.type == HistoryEvent::Type::Resume;
        });
        times += static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(resumed, 1) - 1);
    }
    return times;
}

}  // namespace

void findNeverRun(const Facts &facts, VerdictBuilder &verdict)
{
    const Thresholds &limits = facts.thresholds();
    std::size_t historiesLeft = 2000;  // each costs some us
    for (const Waiting &waiting : facts.waiting()) {
        if (!waiting.woken)
            continue;
        const std::uint64_t wokenAt = std::max(waiting.lastWake->ts, waiting.since);
        const std::uint64_t wokenNs = facts.watched(waiting.pid, wokenAt);
        if (wokenNs < limits.wokenNs)
            continue;
        const ProcessFacts &process = facts.process(waiting.pid);
        const std::uint64_t others = overtakenTimes(facts, process, wokenAt, historiesLeft);
        const bool isQuiet = process.running.empty() && facts.watched(waiting.pid, process.lastEvent) >= limits.wokenNs;
        const std::string message = "woken " + durationText(wokenNs) + " ago, and no thread has resumed it";
        std::vector<std::string> evidence;
        if (waiting.lastWake->by != kNoCoroutine)
            evidence.push_back(coroutineText(facts.population(), waiting.lastWake->by) + " woke it");
        else
            evidence.push_back("thread " + std::to_string(waiting.lastWake->tid) + " woke it");
        const bool isIdle = facts.wasIdle(facts.sampledPid(waiting.pid), waiting.tid, wokenAt + limits.shortestNs);
        if (others >= limits.overtaken && isIdle) {
            evidence.push_back("coroutines that were woken later have run " + std::to_string(others) +
                               " times since, and thread " + std::to_string(waiting.tid) +
                               ", on which it ran, has slept");
            verdict.add(Rule::NeverRun, Severity::Error, 0.95, waiting, message, std::move(evidence));
        } else if (isQuiet && (isIdle || !process.threads.areKnown || process.threads.allSleep)) {
            evidence.push_back("no traced coroutine runs, so no thread is busy with another one");
            verdict.add(Rule::NeverRun, Severity::Error, 0.9, waiting, message, std::move(evidence));
        } else if (others >= limits.overtaken) {
            // A busy scheduler may prefer younger coroutines.
            evidence.push_back("coroutines that were woken later have run " + std::to_string(others) + " times since");
            verdict.add(Rule::NeverRun, Severity::Info, 0.5, waiting, message, std::move(evidence));
        } else {
            verdict.abstain(Rule::NeverRun,
                            "other coroutines run, and those that were woken later have run fewer than " +
                                std::to_string(limits.overtaken) + " times: the wait may be for a thread");
        }
    }
}

}  // namespace ct::rules
