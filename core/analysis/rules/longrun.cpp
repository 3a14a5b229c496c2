// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Long run and blocking call: a coroutine has its thread for long without a suspension, and either computes or sleeps
// in a system call. Starvation: others were woken meanwhile, and find no thread. Alone, a long run is information: it
// may be the work that the program is for. It is a warning if others need the thread: they were woken, their deadline
// has passed, or they came back in time until then, and are late since.
#include "core/analysis/rules/references.h"
#include "core/analysis/rules/rules.h"
#include "core/base/quantitytext.h"

#include <algorithm>
#include <span>

namespace ct::rules {

namespace {

/// A coroutine that has had its thread for long.
struct Occupant {
    Running running;
    bool isBlocked = false;  ///< its thread sleeps
    std::uint64_t lastedNs = 0;
    ThreadUse use;
};

std::vector<Occupant> occupantsOf(const Facts &facts, std::uint32_t pid, const ProcessFacts &process,
                                  VerdictBuilder &verdict)
{
    const Thresholds &limits = facts.thresholds();
    std::vector<Occupant> occupants;
    for (const Running &running : process.running) {
        Occupant occupant{running, false, facts.watched(pid, running.since), {}};
        // A coroutine that resumed another one on its thread does not run itself; nor does one whose end is not traced.
        if (occupant.lastedNs < limits.longRunNs || running.since < process.tracedSince ||
            facts.ranLater(pid, running.tid, running.coroutine, running.since))
            continue;
        occupant.use = threadUseOf(facts.population(), facts.sampledPid(pid), running.tid, running.since, facts.now());
        if (!occupant.use.isKnown) {
            verdict.abstain(Rule::LongRun, "what its thread does is not known");
            continue;
        }
        const bool isBusy = occupant.use.busyShare >= limits.busyShare;
        // A thread that sleeps for long after the last event may also have finished the coroutine, untraced.
        occupant.isBlocked = occupant.use.busyShare <= limits.idleShare && occupant.use.latest.isSleeping() &&
                             occupant.use.latest.call != ThreadCall::Epoll &&
                             occupant.use.latest.call != ThreadCall::Futex;
        if (isBusy || occupant.isBlocked)
            occupants.push_back(occupant);
    }
    return occupants;
}

/// Coroutines of the process that were woken, and have not run for long.
std::vector<const Waiting *> starving(const Facts &facts, std::uint32_t pid)
{
    std::vector<const Waiting *> hungry;
    for (const Waiting &waiting : facts.waiting())
        if (waiting.pid == pid && waiting.woken &&
            facts.watched(pid, std::max(waiting.lastWake->ts, waiting.since)) >= facts.thresholds().starvationNs)
            hungry.push_back(&waiting);
    return hungry;
}

/// The time (ns) when the last of the threads was taken that have resumed a coroutine lately; 0 = one of them is free.
std::uint64_t takenSince(const Facts &facts, const Waiting &waiting, std::span<const Occupant> occupants)
{
    constexpr std::uint64_t kLately = 5'000'000'000;
    constexpr std::size_t kMostEvents = 64;
    std::uint64_t since = 0;
    const auto isTaken = [&](std::uint32_t tid) {
        const auto found = std::find_if(occupants.begin(), occupants.end(),
                                        [tid](const Occupant &occupant) { return occupant.running.tid == tid; });
        since = std::max(since, found != occupants.end() ? found->running.since : 0);
        return found != occupants.end();
    };
    const std::uint64_t from = waiting.since - std::min(waiting.since, kLately);
    const std::vector<HistoryEvent> events =
        facts.history().events(waiting.coroutine, from, waiting.since, kMostEvents);
    const bool areTaken =
        isTaken(waiting.tid) && std::all_of(events.begin(), events.end(), [&](const HistoryEvent &event) {
            return event.type != HistoryEvent::Type::Resume || isTaken(event.tid);
        });
    return areTaken ? since : 0;
}

/// A coroutine would run if its threads were free: its deadline has passed, or it was not late when they were taken.
bool isOverdue(const Facts &facts, const Waiting &waiting, std::uint64_t taken, References &references)
{
    const std::uint64_t patience = facts.thresholds().starvationNs;
    if (!waiting.waits.empty())
        return std::any_of(waiting.waits.begin(), waiting.waits.end(), [&](const WaitsOn &wait) {
            return wait.kind == WaitKind::Timer && !wait.isForAll() && wait.object < facts.now() &&
                   facts.watched(waiting.pid, std::max(taken, wait.object)) >= patience;
        });
    const SiteStatistics &usual = references.of(references.keyOf(waiting));
    return references.isEnough(usual) && waiting.watchedNs > references.lateAfter(usual) &&
           waiting.since + usual.maxNs >= taken && facts.watched(waiting.pid, taken) >= patience;
}

/// How many coroutines that ran on the threads of the occupants are overdue.
std::size_t overdue(const Facts &facts, std::uint32_t pid, std::span<const Occupant> occupants)
{
    std::size_t left = 10'000;  // histories that may be read: each costs some us
    std::size_t count = 0;
    References references(facts);
    for (const Waiting &waiting : facts.waiting()) {
        if (waiting.pid != pid || waiting.woken || waiting.kind != PointKind::Await || left == 0)
            continue;
        --left;
        const std::uint64_t taken = takenSince(facts, waiting, occupants);
        count += taken != 0 && isOverdue(facts, waiting, taken, references) ? 1 : 0;
    }
    return count >= facts.thresholds().laterSiblings ? count : 0;
}

void addOccupant(const Facts &facts, const Occupant &occupant, std::size_t hungry, std::size_t overdue,
                 VerdictBuilder &verdict)
{
    const CoroutineSnapshot snapshot = facts.population().at(occupant.running.coroutine);
    VerdictBuilder::Suspect suspect;
    suspect.rule = occupant.isBlocked ? Rule::BlockingCall : Rule::LongRun;
    suspect.severity = hungry + overdue != 0 ? Severity::Warning : Severity::Info;
    suspect.confidence = 0.8;
    suspect.coroutine = occupant.running.coroutine;
    suspect.site = snapshot.site;
    suspect.addr = snapshot.site == kUnknownSite ? snapshot.addr : 0;
    suspect.since = occupant.running.since;
    suspect.message = "resumed " + durationText(occupant.lastedNs) + " ago on thread " +
                      std::to_string(occupant.running.tid) + ", which " +
                      (occupant.isBlocked ? "sleeps in " + callText(occupant.use.latest) : std::string("computes")) +
                      " since";
    if (hungry != 0)
        suspect.evidence.push_back(
            countText(hungry, "coroutine that was woken has", "coroutines that were woken have") + " no thread");
    if (overdue != 0)
        suspect.evidence.push_back(
            countText(overdue, "coroutine that", "coroutines that") +
            " came back in time before are overdue, and all threads on which they ran are taken");
    verdict.add(std::move(suspect));
}

}  // namespace

void findLongRuns(const Facts &facts, VerdictBuilder &verdict)
{
    for (const auto &[pid, process] : facts.processes()) {
        const std::vector<Occupant> occupants = occupantsOf(facts, pid, process, verdict);
        if (occupants.empty())
            continue;
        const std::vector<const Waiting *> hungry = starving(facts, pid);
        const std::size_t late = overdue(facts, pid, occupants);
        for (const Occupant &occupant : occupants)
            addOccupant(facts, occupant, hungry.size(), late, verdict);
        for (const Waiting *waiting : hungry)
            verdict.add(Rule::Starvation, Severity::Warning, 0.7, *waiting,
                        "woken " + durationText(facts.watched(pid, std::max(waiting->lastWake->ts, waiting->since))) +
                            " ago, and waits for a thread",
                        {coroutineText(facts.population(), occupants.front().running.coroutine) + " has thread " +
                         std::to_string(occupants.front().running.tid) + " for " +
                         durationText(occupants.front().lastedNs)});
    }
}

}  // namespace ct::rules
