// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a Population knows of causes: waits, wakes, finishes, wakers left, and holders of objects.
#include "tests/core/trace/populationscene.h"

using namespace ct;
using namespace ct::test;

CT_CASE(aWaitBelongsToOneSuspension)
{
    Population population;
    createCoroutines(population, 2);
    Batch batch;
    batch.transitions = {transition(0, 0, 100)};
    batch.notes.waits = {{0, 0, WaitKind::Descriptor, 17, kNoCoroutine}, {7, 0, WaitKind::Lock, 1, 0}};
    feed(population, batch);
    std::optional<WaitsOn> waits = population.notes(0).waitsOn;
    REQUIRE(waits.has_value());
    CHECK(waits->kind == WaitKind::Descriptor);
    CHECK_EQUAL(waits->object, 17U);
    batch.clear();
    batch.transitions = {transition(0, 1, 200)};
    feed(population, batch);
    CHECK(!population.notes(0).waitsOn.has_value());
    batch.transitions = {transition(0, 2, 300)};
    feed(population, batch);
    CHECK(!population.notes(0).waitsOn.has_value());
    // Notes that arrive late, behind an even older one.
    batch.clear();
    batch.notes.waits = {{0, 2, WaitKind::Coroutine, 0, 1}, {0, 0, WaitKind::Timer, 1, kNoCoroutine}};
    feed(population, batch);
    waits = population.notes(0).waitsOn;
    REQUIRE(waits.has_value());
    CHECK(waits->kind == WaitKind::Coroutine);
    CHECK_EQUAL(waits->target, 1U);
    batch.notes.waits = {{0, 2, WaitKind::Coroutine, 0, 1234}};
    feed(population, batch);
    CHECK_EQUAL(population.notes(0).waitsOn->target, kNoCoroutine);
}

CT_CASE(aFinishEndsTheRun)
{
    Population population;
    createCoroutines(population, 3);
    Batch batch;
    for (CoroutineId id = 0; id < 3; ++id) {
        batch.transitions.push_back(transition(id, 0, 100));
        batch.transitions.push_back(transition(id, 1, 200));
    }
    batch.notes.finishes = {{0, 250, 2}, {1, 150, 2}, {7, 250, 2}};  // 1: out of date; 7: unknown
    batch.deaths = {{2, 220}};
    feed(population, batch);
    const CoroutineSnapshot finished = population.at(0);
    CHECK(finished.state == CoroutineState::Finished);
    CHECK_EQUAL(finished.since, 250U);
    CHECK_EQUAL(finished.runNs, 50U);
    CHECK_EQUAL(finished.site, 2U);
    CHECK_EQUAL(finished.events, 2U);
    CHECK(population.at(1).state == CoroutineState::Running);

    Batch later;
    later.notes.finishes = {{0, 250, 2}, {2, 250, 2}};
    feed(population, later);
    CHECK_EQUAL(population.at(0).runNs, 50U);
    CHECK(population.at(2).state == CoroutineState::Destroyed);
    CHECK_EQUAL(population.suspendedSince(0), Population::kNotSuspended);
}

/// A damaged target may write events with times from before the finish.
CT_CASE(eventsFromBeforeAFinishDoNotRevive)
{
    Population population;
    createCoroutines(population, 1);
    Batch batch;
    batch.sites = {{1, 1, 1, "a.cpp", "f()"}};
    batch.transitions = {transition(0, 0, 100), transition(0, 1, 110), transition(0, 2, 120)};
    batch.notes.finishes = {{0, 300, 1}};
    feed(population, batch);
    CHECK_EQUAL(population.siteStatistics(1).completed, 1U);
    Batch later;
    later.transitions = {transition(0, 3, 200), transition(0, 4, 210)};
    feed(population, later);
    CHECK(population.at(0).state == CoroutineState::Finished);
    CHECK_EQUAL(population.at(0).since, 300U);
    CHECK_EQUAL(population.at(0).events, 5U);
    later.transitions = {transition(0, 5, 400)};
    feed(population, later);
    CHECK(population.at(0).state == CoroutineState::Running);
    CHECK_EQUAL(population.at(0).suspendedNs, 10U);  // a finish is no suspension
    CHECK_EQUAL(population.siteStatistics(1).completed, 1U);
}

CT_CASE(aWaitForSeveralObjectsHasAllOfThem)
{
    Population population;
    createCoroutines(population, 2);
    Batch batch;
    batch.transitions = {transition(0, 0, 100)};
    batch.notes.waits = {{0, 0, WaitKind::Lock, 7, kNoCoroutine, 1},
                         {0, 0, WaitKind::Coroutine, 0, 1, 3},
                         {0, 0, WaitKind::Timer, 9, kNoCoroutine, 5}};
    feed(population, batch);
    const std::optional<WaitsOn> first = population.notes(0).waitsOn;
    REQUIRE(first.has_value());
    CHECK(first->object == 7 && first->part == 1 && !first->isForAll());
    const std::vector<WaitsOn> waits = population.waitsOf(0);
    REQUIRE(waits.size() == 3);
    CHECK(waits[0].object == 7 && waits[1].target == 1 && waits[2].object == 9);
    CHECK_EQUAL(population.waiterFor(1), 0U);
    CHECK_EQUAL(population.waiterFor(0), kNoCoroutine);
    CHECK(population.waitsOf(1).empty());

    // The lanes of several threads come in any order.
    batch.clear();
    batch.transitions = {transition(1, 0, 100), transition(1, 1, 101), transition(1, 2, 102)};
    batch.notes.waits = {{1, 2, WaitKind::Lock, 20, kNoCoroutine, 1},
                         {1, 2, WaitKind::Timer, 21, kNoCoroutine, 3},
                         {1, 0, WaitKind::Lock, 22, kNoCoroutine}};
    feed(population, batch);
    CHECK_EQUAL(population.waitsOf(1).size(), 2U);

    // A second report for the same suspension replaces the first.
    batch.clear();
    batch.notes.waits = {{0, 0, WaitKind::Lock, 8, kNoCoroutine, 2}, {0, 0, WaitKind::Timer, 3, kNoCoroutine, 4}};
    feed(population, batch);
    CHECK(population.waitsOf(0).size() == 2 && population.waitsOf(0).front().isForAll());
    CHECK_EQUAL(population.waiterFor(1), kNoCoroutine);

    // Nothing is left of an earlier suspension.
    batch.clear();
    batch.transitions = {transition(0, 1, 110), transition(0, 2, 120)};
    feed(population, batch);
    CHECK(population.waitsOf(0).empty());
    batch.clear();
    batch.notes.waits = {{0, 2, WaitKind::Lock, 5, kNoCoroutine}};
    feed(population, batch);
    CHECK_EQUAL(population.waitsOf(0).size(), 1U);
}

CT_CASE(wakersLeftBelongToTheSuspension)
{
    Population population;
    createCoroutines(population, 2);
    Batch batch;
    batch.transitions = {transition(0, 0, 100)};
    batch.notes.wakersLeft = {{0, 0, 1, 90}, {0, 1, 2, 110}, {99, 1, 0, 110}};
    feed(population, batch);
    CHECK(population.wakersLeft(0) == std::optional<std::uint64_t>(2));
    CHECK(!population.wakersLeft(1) && !population.wakersLeft(99));
    batch.clear();
    batch.notes.wakersLeft = {{0, 1, 0, 120}};
    feed(population, batch);
    CHECK(population.wakersLeft(0) == std::optional<std::uint64_t>(0));
    batch.clear();
    batch.transitions = {transition(0, 1, 130)};
    feed(population, batch);
    CHECK(!population.wakersLeft(0));
    batch.transitions = {transition(0, 2, 140)};
    feed(population, batch);
    CHECK(!population.wakersLeft(0));  // reported before this suspension
}

CT_CASE(objectsHaveHolders)
{
    const auto use = [](CoroutineId by, UseKind kind, std::uint64_t object, std::uint64_t ts,
                        std::uint32_t pid = kPid) { return Use{by, 1, kind, object, 0, ts, pid, 6}; };
    Population population;
    createCoroutines(population, 2);
    Batch batch;
    batch.notes.uses = {use(0, UseKind::Acquired, 7, 1), use(0, UseKind::Acquired, 8, 2),
                        use(0, UseKind::Signalled, 9, 3), use(kNoCoroutine, UseKind::Acquired, 7, 4, 77)};
    feed(population, batch);
    CHECK_EQUAL(population.heldBy(0).size(), 2U);
    REQUIRE(population.holdersOf(kPid, 7).size() == 1);
    CHECK_EQUAL(population.holdersOf(kPid, 7).front().by, 0U);
    CHECK_EQUAL(population.holdersOf(77, 7).front().by, kNoCoroutine);  // another object, of another process
    CHECK(population.holdersOf(kPid, 9).empty());
    batch.clear();
    batch.notes.uses = {use(1, UseKind::Released, 7, 5)};  // a semaphore
    feed(population, batch);
    CHECK(population.holdersOf(kPid, 7).empty());
    CHECK_EQUAL(population.heldBy(0).front().object, 8U);
}

CT_CASE(keepsTheLatestWake)
{
    Population population;
    createCoroutines(population, 2);
    Batch batch;
    batch.transitions = {transition(0, 0, 100)};
    batch.notes.wakes = {{0, 1, 1, 150, kPid, 43}, {0, 999, 0, 120, kPid, 44}, {5, 1, 1, 1, kPid, 1}};
    feed(population, batch);
    CoroutineNotes notes = population.notes(0);
    CHECK_EQUAL(notes.wakes, 2U);
    REQUIRE(notes.lastWake.has_value());
    CHECK_EQUAL(notes.lastWake->coroutine, 0U);
    CHECK_EQUAL(notes.lastWake->by, 1U);
    CHECK_EQUAL(notes.lastWake->ts, 150U);
    CHECK_EQUAL(notes.lastWake->pid, kPid);
    CHECK_EQUAL(notes.lastWake->tid, 43U);
    CHECK(notes.woken);
    batch.clear();
    batch.transitions = {transition(0, 1, 200), transition(0, 2, 210)};
    feed(population, batch);
    notes = population.notes(0);
    CHECK(notes.lastWake.has_value());
    CHECK(!notes.woken);
    batch.clear();
    batch.notes.wakes = {{0, 999, 3, 250, kPid, 43}};
    feed(population, batch);
    notes = population.notes(0);
    CHECK(notes.woken);
    CHECK_EQUAL(notes.lastWake->by, kNoCoroutine);
    CHECK_EQUAL(population.notes(1).wakes, 0U);
}

CT_CASE(aWokenCoroutineIsRunnableUntilItRuns)
{
    Population population;
    createCoroutines(population, 1);
    Batch batch;
    batch.transitions = {transition(0, 0, 100)};
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Suspended);
    CHECK_EQUAL(population.at(0).stateSince(), 100U);
    batch.clear();
    batch.notes.wakes = {{0, kNoCoroutine, 1, 150, kPid, 43}};
    feed(population, batch);
    const CoroutineSnapshot runnable = population.at(0);
    CHECK(runnable.state == CoroutineState::Runnable);
    CHECK_EQUAL(runnable.since, 100U);
    CHECK_EQUAL(runnable.runnableSince, 150U);
    CHECK_EQUAL(runnable.stateSince(), 150U);
    CHECK_EQUAL(population.suspendedSince(0), 100U);
    batch.clear();
    batch.transitions = {transition(0, 1, 200)};
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Running);
    CHECK_EQUAL(population.at(0).runnableSince, 0U);
    CHECK_EQUAL(population.at(0).suspendedNs, 100U);  // until it ran, not until it was woken
}

CT_CASE(onlyAWakeOfThePresentSuspensionMakesRunnable)
{
    Population population;
    createCoroutines(population, 2);
    Batch batch;
    batch.transitions = {transition(0, 0, 100), transition(0, 1, 110), transition(0, 2, 120)};
    batch.notes.wakes = {{0, kNoCoroutine, 2, 115, kPid, 43}};  // while it ran
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Suspended);
    // The clocks of two threads may differ a little. The suspension comes first all the same.
    batch.clear();
    batch.transitions = {transition(1, 0, 300)};
    batch.notes.wakes = {{1, kNoCoroutine, 1, 290, kPid, 43}};
    feed(population, batch);
    CHECK(population.at(1).state == CoroutineState::Runnable);
    CHECK_EQUAL(population.at(1).runnableSince, 300U);
}

CT_CASE(aWakeChangesNoOtherState)
{
    Population population;
    createCoroutines(population, 5);
    Batch batch;
    for (CoroutineId id = 1; id < 5; ++id)
        batch.transitions.push_back(transition(id, 0, 100));
    batch.transitions.push_back(transition(1, 1, 110));
    Transition last = transition(1, 2, 120);
    last.kind = PointKind::Final;
    batch.transitions.push_back(last);
    batch.notes.wakes = {{0, kNoCoroutine, 0, 150, kPid, 43},
                         {1, kNoCoroutine, 3, 150, kPid, 43},
                         {2, kNoCoroutine, 1, 150, kPid, 43},
                         {3, kNoCoroutine, 3, 150, kPid, 43},
                         {4, kNoCoroutine, 1, 150, kPid, 43}};
    batch.flags = {{2, Flag::Reason::TwoWriters}};
    batch.losses = {{3, 1, 2, false}};
    batch.deaths = {{4, 200}};
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Created);
    CHECK(population.at(1).state == CoroutineState::Finished);
    CHECK(population.at(2).state == CoroutineState::Unknown);
    CHECK(population.at(3).state == CoroutineState::Unknown);
    CHECK(population.at(4).state == CoroutineState::Destroyed);
}

/// A version-1 target does not trace the final suspension, and the engine finds the finish in the frame, some time
/// later.
CT_CASE(aFinishThatTheEngineFoundAddsNoRunTime)
{
    Population population;
    Batch batch;
    batch.births = {{0, 0, 1, 0, Dialect::Seqlock, 64, 50}};
    for (std::uint64_t n = 0; n < 2; ++n)
        batch.transitions.push_back(eventOf(Dialect::Seqlock, 0, n, 100 + n * 100, n == 1, kUnknownSite));
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Running);
    batch.clear();
    batch.notes.finishes = {{0, 2'000, kUnknownSite}};
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Finished);
    CHECK_EQUAL(population.at(0).since, 2'000U);
    CHECK_EQUAL(population.at(0).runNs, 0U);
    CHECK_EQUAL(population.at(0).suspendedNs, 100U);
}

namespace {

/// A coroutine runs on thread 42 since 110.
void feedRunning(Population &population, std::uint32_t pid = kPid)
{
    Batch batch;
    batch.births = {birth(0, pid)};
    batch.transitions = {transition(0, 0, 100), transition(0, 1, 110)};
    feed(population, batch);
}

/// Thread 42 ended. `threads`: how many are left.
Notes threadEnd(std::uint64_t ts, std::uint32_t threads)
{
    Notes notes;
    notes.threadSamples.push_back({kPid, 42, ts, ThreadState::Ended});
    ProcessSample process;
    process.pid = kPid;
    process.ts = ts;
    process.threads = threads;
    notes.processSamples.push_back(process);
    return notes;
}

}  // namespace

CT_CASE(noCoroutineRunsOnAThreadThatHasEnded)
{
    for (const std::uint32_t pid : {kPid, 0U}) {  // 0: version-1 probes write no pid
        Population population;
        feedRunning(population, pid);
        CHECK(population.at(0).state == CoroutineState::Running);
        Batch batch;
        batch.notes = threadEnd(300, 1);
        feed(population, batch);
        CHECK(population.at(0).state == CoroutineState::Unknown);
        CHECK_EQUAL(population.at(0).since, 300U);
        CHECK(population.threadNames().empty());
        // Another thread got the same number later.
        batch.clear();
        batch.transitions = {transition(0, 2, 400), transition(0, 3, 410)};
        feed(population, batch);
        CHECK(population.at(0).state == CoroutineState::Running);
    }
}

CT_CASE(theEndOfAProcessLeavesItsStates)
{
    Population population;
    feedRunning(population);
    Batch batch;
    batch.notes = threadEnd(300, 0);
    batch.notes.processEnds = {{kPid, 290}};
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Running);
    // An end of a thread is not believed before a sample says whether the process lives.
    Population other;
    feedRunning(other);
    batch.notes = threadEnd(300, 1);
    batch.notes.processSamples.clear();
    feed(other, batch);
    CHECK(other.at(0).state == CoroutineState::Running);
    batch.notes.threadSamples.clear();
    batch.notes.processSamples = threadEnd(310, 1).processSamples;
    feed(other, batch);
    CHECK(other.at(0).state == CoroutineState::Unknown);
    CHECK_EQUAL(other.at(0).since, 300U);
}

CT_CASE(aLostStateIsUnknownUntilTheNextTransition)
{
    Population population;
    createCoroutines(population, 2);
    Batch batch;
    for (CoroutineId id = 0; id < 2; ++id)
        batch.transitions.push_back(transition(id, 0, 100));
    batch.losses = {{0, 1, 4, false}, {1, 1, 4, false}};
    batch.now = 500;
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Unknown);
    CHECK_EQUAL(population.suspendedSince(0), Population::kNotSuspended);
    // Neither a wake nor time ends it.
    batch.clear();
    batch.now = 5'000;
    batch.notes.wakes = {{0, kNoCoroutine, 5, 600, kPid, 43}};
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Unknown);
    batch.clear();
    batch.transitions = {transition(0, 5, 6'000), transition(1, 6, 6'000)};
    batch.notes.wakes = {{1, kNoCoroutine, 7, 6'100, kPid, 43}};
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Running);
    CHECK(population.at(1).state == CoroutineState::Runnable);
    CHECK_EQUAL(population.at(0).suspendedNs + population.at(0).runNs, 0U);
    CHECK_EQUAL(population.at(1).suspendedNs + population.at(1).runNs, 0U);
}
