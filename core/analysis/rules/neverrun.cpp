// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Never run: a coroutine was woken, and no thread has resumed it. The wake was not lost; the scheduler lost the
// coroutine.
#include "core/analysis/rules/references.h"
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

/// How often one coroutine that was woken clearly later has had the thread on which the waiting one last ran. The most
/// of all, counted to Thresholds::overtaken.
std::uint64_t mostTurns(const Facts &facts, const Waiting &waiting, std::uint64_t wokenAt, std::size_t &historiesLeft)
{
    constexpr std::size_t kMostEvents = 512;
    const auto &wakes = facts.process(waiting.pid).wakesThatRan;
    const std::uint64_t from = wokenAt + facts.thresholds().shortestNs;
    std::uint64_t most = 0;
    for (auto wake = std::upper_bound(wakes.begin(), wakes.end(), std::pair(from, kNoCoroutine));
         wake != wakes.end() && most < facts.thresholds().overtaken && historiesLeft != 0; ++wake) {
        --historiesLeft;
        const auto events = facts.history().events(wake->second, from, facts.now(), kMostEvents);
        const auto turns = std::count_if(events.begin(), events.end(), [&](const HistoryEvent &event) {
            return event.type == HistoryEvent::Type::Resume && event.tid == waiting.tid && event.ts > from;
        });
        most = std::max(most, static_cast<std::uint64_t>(turns));
    }
    return most;
}

/// A sentence if another coroutine has had its thread again and again instead, else empty. A fair scheduler gives each
/// coroutine that is woken one turn. One that prefers others for a while has let earlier waits take as long.
std::string passedOver(const Facts &facts, const Waiting &waiting, std::uint64_t wokenAt, std::size_t &historiesLeft)
{
    const Thresholds &limits = facts.thresholds();
    References references(facts);
    if (waiting.watchedNs <= references.lateAfter(references.of(references.keyOf(waiting))))
        return {};
    const std::uint64_t turns = mostTurns(facts, waiting, wokenAt, historiesLeft);
    return turns < limits.overtaken ? std::string()
                                    : "one coroutine, which was woken later each time, has had its thread " +
                                          std::to_string(turns) + " times since";
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
        std::vector<std::string> evidence = {wakerText(facts, *waiting.lastWake)};
        const bool isIdle = facts.wasIdle(facts.sampledPid(waiting.pid), waiting.tid, wokenAt + limits.shortestNs);
        if (others >= limits.overtaken && isIdle) {
            evidence.push_back("coroutines that were woken later have run " + std::to_string(others) +
                               " times since, and thread " + std::to_string(waiting.tid) +
                               ", on which it ran, has slept");
            verdict.add(Rule::NeverRun, Severity::Error, 0.95, waiting, message, std::move(evidence));
        } else if (isQuiet && (isIdle || !process.threads.areKnown || process.threads.allSleep)) {
            evidence.push_back("no traced coroutine runs, so no thread is busy with another one");
            verdict.add(Rule::NeverRun, Severity::Error, 0.9, waiting, message, std::move(evidence));
        } else if (std::string passed =
                       others >= limits.overtaken ? passedOver(facts, waiting, wokenAt, historiesLeft) : std::string();
                   !passed.empty()) {
            evidence.push_back(std::move(passed));
            verdict.add(Rule::Starvation, Severity::Warning, 0.7, waiting,
                        "woken " + durationText(wokenNs) + " ago, and others have had its thread again and again",
                        std::move(evidence));
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
