// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/rules/occupants.h"

#include "core/analysis/rules/references.h"
#include "core/analysis/rules/turns.h"
#include "core/base/quantitytext.h"

#include <algorithm>
#include <span>

namespace ct::rules {

namespace {

/// The time (ns) when the last of the threads was taken that have resumed a coroutine lately; 0 = one of them is free.
std::uint64_t takenSince(const Facts &facts, const Waiting &waiting, std::span<const Occupant> occupants)
{
    const auto occupantOf = [&](std::uint32_t tid) {
        return std::find_if(occupants.begin(), occupants.end(),
                            [tid](const Occupant &occupant) { return occupant.running.tid == tid; });
    };
    if (occupantOf(waiting.tid) == occupants.end())
        return 0;
    std::uint64_t since = 0;
    for (const std::uint32_t tid : recentThreads(facts, waiting)) {
        const auto occupant = occupantOf(tid);
        if (occupant == occupants.end())
            return 0;
        since = std::max(since, occupant->running.since);
    }
    return since;
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

/// How many coroutines of the process were woken, and have not run for long.
std::size_t starving(const Facts &facts, std::uint32_t pid)
{
    return static_cast<std::size_t>(
        std::count_if(facts.waiting().begin(), facts.waiting().end(), [&](const Waiting &waiting) {
            return waiting.pid == pid && waiting.woken &&
                   facts.watched(pid, wokenAtOf(waiting)) >= facts.thresholds().starvationNs;
        }));
}

void addOccupant(const Facts &facts, Rule rule, const Occupant &occupant, std::size_t hungry, std::size_t overdue,
                 VerdictBuilder &verdict)
{
    const CoroutineSnapshot snapshot = facts.population().at(occupant.running.coroutine);
    VerdictBuilder::Suspect suspect;
    suspect.rule = rule;
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

Occupants occupantsOf(const Facts &facts, std::uint32_t pid)
{
    const Thresholds &limits = facts.thresholds();
    const ProcessFacts &process = facts.process(pid);
    Occupants occupants;
    for (const Running &running : process.running) {
        Occupant occupant{running, false, facts.watched(pid, running.since), {}};
        // A coroutine that resumed another one on its thread does not run itself; nor does one whose end is not traced.
        if (occupant.lastedNs < limits.longRunNs || running.since < process.tracedSince ||
            facts.ranLater(pid, running.tid, running.coroutine, running.since))
            continue;
        occupant.use = threadUseOf(facts.population(), facts.sampledPid(pid), running.tid, running.since, facts.now());
        if (!occupant.use.isKnown) {
            ++occupants.unknown;
            continue;
        }
        const bool isBusy = occupant.use.busyShare >= limits.busyShare;
        // A thread that sleeps for long after the last event may also have finished the coroutine, untraced.
        occupant.isBlocked = occupant.use.busyShare <= limits.idleShare && occupant.use.latest.isSleeping() &&
                             occupant.use.latest.call != ThreadCall::Epoll &&
                             occupant.use.latest.call != ThreadCall::Futex;
        if (isBusy || occupant.isBlocked)
            occupants.known.push_back(occupant);
    }
    return occupants;
}

void addOccupants(const Facts &facts, Rule rule, bool areBlocked, VerdictBuilder &verdict)
{
    for (const auto &[pid, process] : facts.processes()) {
        const Occupants occupants = occupantsOf(facts, pid);
        if (occupants.unknown != 0)
            verdict.abstain(rule, "what its thread does is not known", occupants.unknown);
        if (std::none_of(occupants.known.begin(), occupants.known.end(),
                         [&](const Occupant &occupant) { return occupant.isBlocked == areBlocked; }))
            continue;
        const std::size_t hungry = starving(facts, pid);
        const std::size_t late = overdue(facts, pid, occupants.known);
        for (const Occupant &occupant : occupants.known)
            if (occupant.isBlocked == areBlocked)
                addOccupant(facts, rule, occupant, hungry, late, verdict);
    }
}

std::vector<std::uint32_t> recentThreads(const Facts &facts, const Waiting &waiting)
{
    constexpr std::uint64_t kLately = 5'000'000'000;
    constexpr std::size_t kMostEvents = 64;
    std::vector<std::uint32_t> tids = {waiting.tid};
    const std::uint64_t from = waiting.since - std::min(waiting.since, kLately);
    for (const HistoryEvent &event : facts.history().events(waiting.coroutine, from, waiting.since, kMostEvents))
        if (event.type == HistoryEvent::Type::Resume && std::find(tids.begin(), tids.end(), event.tid) == tids.end())
            tids.push_back(event.tid);
    return tids;
}

}  // namespace ct::rules
