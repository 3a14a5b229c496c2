// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lost wake-up, by the causes that the target reported: what a coroutine waits for was satisfied, and no wake followed.
// That no wake came proves nothing by itself, because every idle accept loop has none.
#include "core/analysis/rules/rules.h"
#include "core/analysis/rules/siblings.h"
#include "core/base/quantitytext.h"

#include <algorithm>
#include <optional>
#include <set>

namespace ct::rules {

namespace {

/// Why a wait is over, although the coroutine still waits.
struct Satisfied {
    std::uint64_t ts = 0;  ///< ns
    double confidence = 0;
    std::string what;         ///< with a time behind it: "its deadline passed"
    std::string consequence;  ///< ", and no wake followed"
    std::vector<std::string> evidence;
    bool needsScheduler = false;  ///< a thread of the target must notice it; else whoever satisfied it wakes
    bool isDefect = false;        ///< it was not satisfied at all, and never will be
};

const char *const kNoWake = ", and no wake followed";

std::string useText(const Facts &facts, const Use &use, const char *verb)
{
    std::string text =
        use.by == kNoCoroutine ? "thread " + std::to_string(use.tid) : coroutineText(facts.population(), use.by);
    text += std::string(" ") + verb + " it";
    if (const std::string site = siteText(facts.population(), use.site); !site.empty())
        text += " in " + site;
    return text;
}

std::optional<Satisfied> passedDeadline(const Facts &facts, const WaitsOn &wait)
{
    if (wait.object == 0 || wait.object >= facts.now())
        return std::nullopt;
    return Satisfied{wait.object, 0.95, "its deadline passed", kNoWake, {}, true};
}

std::optional<Satisfied> endOfAwaited(const Facts &facts, const WaitsOn &wait)
{
    if (wait.target >= facts.population().size())
        return std::nullopt;
    const CoroutineSnapshot awaited = facts.population().at(wait.target);
    const bool finished = awaited.kept && awaited.state == CoroutineState::Finished;
    const bool destroyed = !awaited.kept || awaited.state == CoroutineState::Destroyed;
    if (!finished && !destroyed)
        return std::nullopt;
    return Satisfied{awaited.kept ? awaited.since : 0,
                     0.95,
                     coroutineText(facts.population(), wait.target) + ", which it awaits, " +
                         (finished ? "finished" : "was destroyed"),
                     kNoWake,
                     {}};
}

/// A lock all of whose holders have ended without a release.
std::optional<Satisfied> orphanedLock(const Facts &facts, const Waiting &waiting, const WaitsOn &wait,
                                      const ObjectState &state)
{
    const std::vector<Use> holders = facts.population().holdersOf(waiting.pid, wait.object);
    if (state.releasedByOthers || holders.empty())
        return std::nullopt;
    std::uint64_t ended = 0;
    for (const Use &holder : holders) {
        if (holder.by >= facts.population().size())
            return std::nullopt;  // a thread
        const CoroutineSnapshot snapshot = facts.population().at(holder.by);
        if (snapshot.kept && snapshot.state != CoroutineState::Finished && snapshot.state != CoroutineState::Destroyed)
            return std::nullopt;
        ended = std::max(ended, snapshot.kept ? snapshot.since : holder.ts);
    }
    Satisfied orphaned{ended,
                       0.9,
                       coroutineText(facts.population(), holders.front().by) + ", which holds " + objectText(wait) +
                           ", ended",
                       " without a release",
                       {}};
    orphaned.isDefect = true;
    orphaned.evidence.push_back(useText(facts, holders.front(), "acquired"));
    return orphaned;
}

/// True if the broadcasts of the object are meant for this coroutine, too. Then earlier ones ended waits of it, and a
/// broadcast hardly ever left a waiter behind. A message bus wakes only the subscribers of one kind of message, and
/// leaves the others.
bool isPartOfBroadcasts(const Facts &facts, const Waiting &waiting, const ObjectState &state)
{
    constexpr std::uint64_t kLeastWaits = 3;
    constexpr std::uint64_t kMostPassedOver = 10;  // one of so many
    return state.wakesAfterOthers * kMostPassedOver <= state.wakes &&
           completedWithin(facts, waiting.coroutine, waiting.site, 0, waiting.since) >= kLeastWaits;
}

/// An object whose broadcasts have woken others again and again since the wait began. A release of several units also
/// wakes several waiters, and leaves the others. But then waiters acquire it, and as a rule more of them are left.
std::optional<Satisfied> missedBroadcasts(const Facts &facts, const Waiting &waiting, const WaitsOn &wait,
                                          const ObjectState &state)
{
    constexpr std::ptrdiff_t kLeast = 3;
    if (state.acquired.ts != 0 || waiting.since < facts.process(waiting.pid).tracedSince)
        return std::nullopt;
    const auto first = std::upper_bound(state.broadcasts.begin(), state.broadcasts.end(), waiting.since);
    if (state.broadcasts.end() - first < kLeast || !isPartOfBroadcasts(facts, waiting, state) ||
        !facts.hasFewerWaiters(waiting.pid, wait.object, *first, state.wokenByBroadcast))
        return std::nullopt;
    return Satisfied{*first,
                     0.85,
                     objectText(wait) + " was signalled",
                     " and several times since, which woke up to " + std::to_string(state.wokenByBroadcast) +
                         " other waiters each, but not this one",
                     {}};
}

std::optional<Satisfied> satisfiedObject(const Facts &facts, const Waiting &waiting, const WaitsOn &wait,
                                         const ObjectState &state)
{
    if (state.satisfied().ts == 0)
        return std::nullopt;
    const Use &use = state.satisfied();
    if (use.ts < facts.process(waiting.pid).tracedSince)
        return std::nullopt;  // another use may have followed while tracing was off
    const bool isLock = wait.kind == WaitKind::Lock && !state.releasedByOthers;
    if (state.acquired.ts >= use.ts)
        return std::nullopt;  // another coroutine came first
    if (isLock && !facts.population().holdersOf(waiting.pid, wait.object).empty())
        return std::nullopt;
    // A signal before the wait may have been consumed without a suspension, which no probe reports. But nothing else
    // can come any more if all threads only wait for one another. A lock that is free is free for a wait that began
    // before or after.
    const bool cameBefore = !isLock && use.ts <= waiting.since;
    if (cameBefore && !facts.isStalled(waiting.pid))
        return std::nullopt;
    // A release of several units also wakes several waiters, and leaves the others. But then waiters acquire it, and as
    // a rule more of them are left.
    const bool missedByBroadcast = !isLock && state.wakesSeveral && state.wokenSince > 1 && state.acquired.ts == 0 &&
                                   facts.hasFewerWaiters(waiting.pid, wait.object, use.ts, state.wokenSince) &&
                                   (state.satisfiedBefore == 0 || isPartOfBroadcasts(facts, waiting, state));
    if (state.wokenSince != 0 && !missedByBroadcast)
        return std::nullopt;  // it was the turn of that waiter
    // A waiter that changed its state since may have taken the object without a report, or has only begun to wait. A
    // lock needs no such guess: the program reports each acquisition.
    const bool isFree = isLock && state.acquisitionCount != 0;
    if (!missedByBroadcast && !isFree && facts.hasWaiterThatWentOn(waiting.pid, wait.object, waiting.coroutine, use.ts))
        return std::nullopt;
    Satisfied satisfied;
    satisfied.ts = use.ts;
    satisfied.confidence = missedByBroadcast || cameBefore ? 0.85 : 0.95;
    const bool released = use.kind == UseKind::Released;
    satisfied.what = objectText(wait) + (released ? " was released" : " was signalled");
    satisfied.consequence =
        missedByBroadcast ? ", which woke " + std::to_string(state.wokenSince) + " other waiters, but not this one"
                          : ", and no waiter was woken";
    if (cameBefore)
        satisfied.consequence = ", before the wait began, and no thread is left that could do it again";
    satisfied.evidence.push_back(useText(facts, use, released ? "released" : "signalled"));
    if (state.woke.ts != 0)
        satisfied.evidence.push_back("the latest wake of a waiter was that of " +
                                     coroutineText(facts.population(), state.woke.coroutine) + ", " +
                                     durationText(facts.now() - std::min(facts.now(), state.woke.ts)) + " ago");
    return satisfied;
}

/// By samples, so its time is late.
std::optional<Satisfied> overDescriptor(const Facts &facts, const Waiting &waiting, const WaitsOn &wait)
{
    const std::optional<OverDescriptor> over = facts.process(waiting.pid).descriptors.over(wait.object);
    // After a change from before the wait, another descriptor may have the number. But what is ready is ready.
    if (!over || (!over->isReady && over->since <= waiting.since))
        return std::nullopt;
    const std::uint64_t patience = facts.thresholds().satisfiedNs;
    if (over->isReady &&
        !facts.process(waiting.pid).descriptors.areKnownUntil(std::max(over->since, waiting.since) + patience))
        return std::nullopt;
    return Satisfied{over->since, 0.9, over->what, kNoWake, {}, over->isReady};
}

std::optional<Satisfied> satisfiedWait(const Facts &facts, const Waiting &waiting, const WaitsOn &wait)
{
    switch (wait.kind) {
    case WaitKind::Timer: return passedDeadline(facts, wait);
    case WaitKind::Coroutine: return endOfAwaited(facts, wait);
    case WaitKind::Descriptor: return overDescriptor(facts, waiting, wait);
    default: break;
    }
    const std::optional<ObjectState> state = facts.objects().stateOf(waiting.pid, wait.object);
    if (!state)
        return std::nullopt;
    if (wait.kind == WaitKind::Lock)
        if (std::optional<Satisfied> orphaned = orphanedLock(facts, waiting, wait, *state))
            return orphaned;
    // The latest of several broadcasts is always young.
    if (std::optional<Satisfied> missed = missedBroadcasts(facts, waiting, wait, *state))
        return missed;
    return satisfiedObject(facts, waiting, wait, *state);
}

/// The latest part of a wait for all objects; any part of another wait.
std::optional<Satisfied> satisfiedParts(const Facts &facts, const Waiting &waiting)
{
    std::optional<Satisfied> all;
    for (const WaitsOn &wait : waiting.waits) {
        std::optional<Satisfied> part = satisfiedWait(facts, waiting, wait);
        if (!part && wait.isForAll())
            return std::nullopt;
        if (part && (!all || part->ts > all->ts))
            all = std::move(part);
    }
    return all;
}

std::optional<Satisfied> withoutWaker(const Facts &facts, const Waiting &waiting)
{
    if (facts.population().wakersLeft(waiting.coroutine) != std::uint64_t{0} ||
        facts.population().waiterFor(waiting.coroutine) != kNoCoroutine)
        return std::nullopt;
    return Satisfied{waiting.since, 0.85, "its last waker was dropped", ": nothing is left that could wake it", {}};
}

/// True if the coroutine waits for a descriptor, and no sample says what became of it.
bool waitsForUnknownDescriptor(const Facts &facts, const Waiting &waiting)
{
    constexpr std::uint64_t kUsualGapNs = 1'000'000'000;
    const std::uint64_t patience = facts.thresholds().satisfiedNs;
    return waiting.watchedNs >= patience + kUsualGapNs &&
           std::any_of(waiting.waits.begin(), waiting.waits.end(),
                       [](const WaitsOn &wait) { return wait.kind == WaitKind::Descriptor; }) &&
           !facts.process(waiting.pid).descriptors.areKnownUntil(waiting.since + patience);
}

/// How often coroutines that acquired the lock since the wait began have done so for another time. In its second turn,
/// each of them came later than the waiting one.
std::uint64_t timesPassedOver(const Facts &facts, const Waiting &waiting)
{
    if (waiting.waits.size() != 1 || waiting.waits.front().kind != WaitKind::Lock)
        return 0;
    const std::optional<ObjectState> state = facts.objects().stateOf(waiting.pid, waiting.waits.front().object);
    std::set<CoroutineId> acquirers;
    std::uint64_t again = 0;
    for (std::size_t i = 0; state && i < state->acquisitions.size(); ++i) {
        const ObjectState::Acquisition &acquisition = state->acquisitions[i];
        if (acquisition.ts > waiting.since && acquisition.by != kNoCoroutine)
            again += acquirers.insert(acquisition.by).second ? 0 : 1;
    }
    return again;
}

void addPassedOver(const Facts &facts, const Waiting &waiting, VerdictBuilder &verdict)
{
    const std::uint64_t times = timesPassedOver(facts, waiting);
    if (times < facts.thresholds().overtaken)
        return;
    verdict.add(Rule::LostWakeup, Severity::Warning, 0.75, waiting,
                "suspended for " + durationText(waiting.watchedNs) + ", while others acquired " +
                    objectText(waiting.waits.front()) + " again and again",
                {"coroutines that came later have acquired it at least " + std::to_string(times) + " times since"});
}

}  // namespace

void findLostWakeups(const Facts &facts, VerdictBuilder &verdict)
{
    const std::uint64_t patience = facts.thresholds().satisfiedNs;
    for (const Waiting &waiting : facts.waiting()) {
        if (waiting.woken || waiting.wokenTooEarly || waiting.watchedNs < patience)
            continue;
        const bool isForgotten = facts.waitsForForgotten(waiting);
        std::optional<Satisfied> satisfied = isForgotten ? std::nullopt : satisfiedParts(facts, waiting);
        if (!satisfied)
            satisfied = withoutWaker(facts, waiting);
        if (!satisfied && isForgotten) {
            verdict.abstain(Rule::LostWakeup,
                            "there were too many objects, so uses of what they wait for were forgotten");
            continue;
        }
        const std::uint64_t begin = satisfied ? std::max(satisfied->ts, waiting.since) : facts.now();
        const std::uint64_t watchedNs = facts.watched(waiting.pid, begin);
        if (watchedNs < patience) {
            addPassedOver(facts, waiting, verdict);
            if (waitsForUnknownDescriptor(facts, waiting))
                verdict.abstain(Rule::LostWakeup,
                                "the descriptors of the process were not sampled since the wait began");
            continue;
        }
        // Threads of the process must notice that a time has passed, and need a processor for it.
        if (satisfied->needsScheduler && facts.watchedWithoutOverload(waiting.pid, begin) < patience) {
            verdict.abstain(Rule::LostWakeup,
                            "what they wait for has come, but threads of the process have waited for processors since");
            continue;
        }
        // Without reports of wakes, it may have been woken, and wait for a thread.
        const bool mayBeReady = !satisfied->isDefect && !facts.objects().hasWakes();
        if ((satisfied->needsScheduler || mayBeReady) && !facts.couldReact(waiting.pid, begin)) {
            verdict.abstain(Rule::LostWakeup,
                            "what they wait for has come, but the threads of the process may have been busy since");
            continue;
        }
        if (facts.process(waiting.pid).lostNotes) {
            verdict.abstain(Rule::LostWakeup, "reports of wakes may be missing: a lane was full, or there are too many "
                                              "waiting coroutines");
            continue;
        }
        satisfied->evidence.push_back("suspended for " + durationText(waiting.watchedNs) + ", and not woken");
        verdict.add(Rule::LostWakeup, Severity::Error, satisfied->confidence, waiting,
                    satisfied->what + " " + durationText(watchedNs) + " ago" + satisfied->consequence,
                    std::move(satisfied->evidence));
    }
}

}  // namespace ct::rules
