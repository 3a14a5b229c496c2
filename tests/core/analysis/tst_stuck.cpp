// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stuck.h"
#include "tests/support/check.h"
#include "tests/support/events.h"

using namespace ct;

namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kSecond = 1'000 * kMs;

/// Builds a population step by step. Coroutine ids are assigned in order.
class Scene {
public:
    CoroutineId born(std::uint32_t pid = 0)
    {
        Batch batch;
        Birth birth;
        birth.coroutine = static_cast<CoroutineId>(m_next.size());
        birth.dialect = Dialect::Lane;
        birth.pid = pid;
        birth.probeId = 0x100 + birth.coroutine;
        batch.births = {birth};
        m_next.push_back(0);
        feed(batch);
        return birth.coroutine;
    }
    void suspend(CoroutineId id, std::uint64_t ts, SiteId site, PointKind kind = PointKind::Await)
    {
        event(id, ts, site, kind, false);
    }
    void resume(CoroutineId id, std::uint64_t ts) { event(id, ts, kUnknownSite, PointKind::Await, true); }
    /// Adds `times` completed suspensions of `ns` at `site`.
    void history(SiteId site, int times, std::uint64_t ns)
    {
        const CoroutineId id = born();
        for (int i = 0; i < times; ++i) {
            suspend(id, static_cast<std::uint64_t>(i) * ns, site);
            resume(id, static_cast<std::uint64_t>(i + 1) * ns);
        }
    }
    void processBegins(std::uint32_t pid, std::uint64_t ts, const char *name)
    {
        Batch batch;
        batch.notes.processes = {{pid, ts, name}};
        feed(batch);
    }
    void processEnds(std::uint32_t pid, std::uint64_t ts)
    {
        Batch batch;
        batch.notes.processEnds = {{pid, ts}};
        feed(batch);
    }
    void feed(const Batch &batch) { CHECK(static_cast<bool>(population.consume(batch))); }

    Population population;

private:
    void event(CoroutineId id, std::uint64_t ts, SiteId site, PointKind kind, bool active)
    {
        Batch batch;
        if (site != kUnknownSite)
            batch.sites.push_back({site, 1, 1, "a.cpp", "f()"});
        Transition transition = test::eventOf(Dialect::Seqlock, id, m_next[id]++, ts, active, site);
        transition.kind = kind;
        transition.addr = active ? 0 : 0xF00;
        batch.transitions = {transition};
        feed(batch);
    }
    std::vector<std::uint64_t> m_next;
};

std::size_t stuckCount(const Scene &scene, std::uint64_t now)
{
    std::size_t count = 0;
    for (const StuckGroup &group : findStuck(scene.population, now))
        count += group.coroutines.size();
    return count;
}

}  // namespace

/// On a busy machine, the target may be unable to name a site in time. The suspension then belongs to any site.
CT_CASE(anUnknownSiteIsAsSlowAsTheSlowest)
{
    Scene scene;
    scene.suspend(scene.born(), 1000 * kSecond, kUnknownSite);
    CHECK_EQUAL(stuckCount(scene, 1002 * kSecond), 1U);  // nothing is known about any site
    scene.history(1, 100, 2 * kSecond);
    scene.history(2, 100, kMs);
    CHECK_EQUAL(stuckCount(scene, 1002 * kSecond), 0U);
    CHECK_EQUAL(stuckCount(scene, 1010 * kSecond), 0U);
    CHECK_EQUAL(stuckCount(scene, 1030 * kSecond), 1U);
}

CT_CASE(aHealthySlowSiteIsNotStuck)
{
    Scene scene;
    scene.history(1, 100, 2 * kSecond);
    scene.suspend(scene.born(), 1000 * kSecond, 1);
    CHECK_EQUAL(stuckCount(scene, 1000 * kSecond + 10 * kSecond), 0U);
    CHECK_EQUAL(stuckCount(scene, 1000 * kSecond + 30 * kSecond), 1U);
}

CT_CASE(aLostWakeIsFoundWithTheUsualTimeOfItsSite)
{
    Scene scene;
    scene.history(1, 200, kMs);
    const CoroutineId lost = scene.born();
    scene.suspend(lost, kSecond, 1);
    CHECK_EQUAL(stuckCount(scene, kSecond + 100 * kMs), 0U);  // below the minimum
    const std::vector<StuckGroup> found = findStuck(scene.population, 2 * kSecond);
    REQUIRE(found.size() == 1 && found[0].coroutines.size() == 1);
    CHECK_EQUAL(found[0].site, 1U);
    CHECK_EQUAL(found[0].longestNs, kSecond);
    CHECK_EQUAL(found[0].coroutines[0].coroutine, lost);
    CHECK_EQUAL(found[0].coroutines[0].probeId, 0x100 + lost);
    CHECK_EQUAL(found[0].coroutines[0].addr, 0xF00U);
    REQUIRE(found[0].usualNs.has_value());
    CHECK(*found[0].usualNs >= kMs && *found[0].usualNs <= kMs + kMs / 4);
}

CT_CASE(withoutABaselineTheMinimumIsASecond)
{
    Scene scene;
    scene.suspend(scene.born(), kSecond, 1);
    CHECK_EQUAL(stuckCount(scene, kSecond + 900 * kMs), 0U);
    const std::vector<StuckGroup> found = findStuck(scene.population, kSecond + 1100 * kMs);
    REQUIRE(found.size() == 1);
    CHECK(!found[0].usualNs.has_value());
}

CT_CASE(finishedDestroyedRunningFlaggedAndUnknownAreNeverStuck)
{
    Scene scene;
    scene.history(1, 10, kMs);
    scene.born();  // created only
    scene.suspend(scene.born(), kSecond, 1, PointKind::Final);
    const CoroutineId running = scene.born();
    scene.suspend(running, kSecond, 1);
    scene.resume(running, kSecond + 1);
    const CoroutineId destroyed = scene.born();
    scene.suspend(destroyed, kSecond, 1);
    const CoroutineId flagged = scene.born();
    scene.suspend(flagged, kSecond, 1);
    const CoroutineId unknown = scene.born();
    scene.suspend(unknown, kSecond, 1);
    CHECK_EQUAL(stuckCount(scene, 100 * kSecond), 3U);
    Batch batch;
    batch.deaths = {{destroyed, 2 * kSecond}};
    batch.flags = {{flagged, Flag::Reason::DialectContradiction}};
    batch.losses = {{unknown, 1, 4, false}};
    scene.feed(batch);
    CHECK_EQUAL(stuckCount(scene, 100 * kSecond), 0U);
}

CT_CASE(aFindingHasTheLastWakeAndTheWait)
{
    Scene scene;
    const CoroutineId woken = scene.born();
    const CoroutineId asleep = scene.born();
    scene.suspend(woken, kSecond, 1);
    scene.resume(asleep, kSecond);
    scene.suspend(asleep, kSecond, 1);
    Batch batch;
    batch.notes.wakes = {{woken, asleep, 1, 2 * kSecond, 7, 70}, {asleep, kNoCoroutine, 1, kSecond, 7, 71}};
    batch.notes.waits = {{woken, 0, WaitKind::Lock, 0xBEEF, kNoCoroutine},
                         {asleep, 0, WaitKind::Timer, 5, kNoCoroutine}};
    scene.feed(batch);
    const std::vector<StuckGroup> found = findStuck(scene.population, 10 * kSecond);
    REQUIRE(found.size() == 1 && found[0].coroutines.size() == 2);
    const StuckCoroutine &first = found[0].coroutines[0];
    CHECK_EQUAL(first.coroutine, woken);
    CHECK(first.woken);
    REQUIRE(first.lastWake && first.waitsOn);
    CHECK_EQUAL(first.lastWake->by, asleep);
    CHECK_EQUAL(first.lastWake->tid, 70U);
    CHECK(first.waitsOn->kind == WaitKind::Lock);
    CHECK_EQUAL(first.waitsOn->object, 0xBEEFU);
    // Its wake and its wait belong to an earlier suspension.
    const StuckCoroutine &second = found[0].coroutines[1];
    CHECK(!second.woken);
    CHECK(second.lastWake.has_value());
    CHECK(!second.waitsOn.has_value());
}

CT_CASE(aWokenCoroutineIsJudgedByTheTimeSinceItsWake)
{
    Scene scene;
    const CoroutineId woken = scene.born();
    scene.suspend(woken, kSecond, 1);
    CHECK_EQUAL(stuckCount(scene, 10 * kSecond), 1U);
    Batch batch;
    batch.notes.wakes = {{woken, kNoCoroutine, 1, 10 * kSecond, 7, 70}};
    scene.feed(batch);
    CHECK_EQUAL(stuckCount(scene, 10 * kSecond + 900 * kMs), 0U);
    const std::vector<StuckGroup> found = findStuck(scene.population, 12 * kSecond);
    REQUIRE(found.size() == 1);
    CHECK_EQUAL(found[0].coroutines[0].suspendedNs, 11 * kSecond);
}

CT_CASE(timesWithoutTracingDoNotCount)
{
    Scene scene;
    scene.suspend(scene.born(10), 10 * kSecond, 1);
    scene.suspend(scene.born(11), 10 * kSecond, 2);
    Batch batch;
    batch.notes.switches = {{10, 10 * kSecond + 300 * kMs, false}};
    scene.feed(batch);
    std::vector<StuckGroup> found = findStuck(scene.population, 60 * kSecond);
    REQUIRE(found.size() == 1);
    CHECK_EQUAL(found[0].site, 2U);  // the other process still traces
    batch.notes.switches = {{10, 60 * kSecond, true}};
    scene.feed(batch);
    CHECK_EQUAL(stuckCount(scene, 60 * kSecond + 600 * kMs), 1U);
    found = findStuck(scene.population, 61 * kSecond);
    REQUIRE(found.size() == 2);
    CHECK_EQUAL(found[0].longestNs + found[1].longestNs, 1300 * kMs + 51 * kSecond);
}

/// A limit of the observer effect makes many of them. Two threads can report times that are out of order by some ns.
CT_CASE(manyTimesWithoutTracingDoNotCount)
{
    Scene scene;
    scene.suspend(scene.born(10), 10 * kSecond + 250 * kMs, 1);
    Batch batch;
    for (std::uint64_t i = 0; i < 20; ++i) {
        const std::uint64_t off = 8 * kSecond + i * 500 * kMs;
        batch.notes.switches.push_back({10, off, false});
        batch.notes.switches.push_back({10, off + 500 * kMs - (i < 10 ? 5 : 400 * kMs), true});
    }
    scene.feed(batch);
    // Off until 13 s, but for six times 5 ns; then 100 ms of each 500 ms until 18 s.
    const std::vector<StuckGroup> found = findStuck(scene.population, 20 * kSecond);
    REQUIRE(found.size() == 1);
    CHECK_EQUAL(found[0].longestNs, 7 * kSecond + 30 - 10 * 100 * kMs);
    CHECK_EQUAL(stuckCount(scene, 13 * kSecond + 500 * kMs), 0U);
}

CT_CASE(stoppedTimesDoNotCount)
{
    Scene scene;
    scene.suspend(scene.born(10), 10 * kSecond, 1);
    scene.suspend(scene.born(11), 10 * kSecond, 2);
    Batch batch;
    batch.notes.processSamples = {{10, 10 * kSecond + 400 * kMs, 0, 1, 10 * kSecond + 300 * kMs}};
    batch.notes.processSamples.push_back({11, 10 * kSecond, 0, 1});
    scene.feed(batch);
    std::vector<StuckGroup> found = findStuck(scene.population, 60 * kSecond);
    REQUIRE(found.size() == 1);
    CHECK_EQUAL(found[0].site, 2U);  // the other process runs
    // Tracing is off in a part of that time, and a little longer. Each ns counts once.
    batch.clear();
    batch.notes.switches = {{10, 59 * kSecond, false}, {10, 60 * kSecond + 100 * kMs, true}};
    batch.notes.processSamples = {{10, 60 * kSecond, 0, 1}};
    scene.feed(batch);
    CHECK_EQUAL(stuckCount(scene, 60 * kSecond + 700 * kMs), 1U);
    found = findStuck(scene.population, 61 * kSecond);
    REQUIRE(found.size() == 2);
    CHECK_EQUAL(found[0].longestNs + found[1].longestNs, 1200 * kMs + 51 * kSecond);
}

/// A probe of version 1 writes no pid.
CT_CASE(coroutinesWithoutAPidAreOfTheOnlyProcess)
{
    Scene scene;
    scene.suspend(scene.born(0), 10 * kSecond, 1);
    Batch batch;
    batch.notes.processSamples = {{10, 11 * kSecond, 0, 1, 10 * kSecond}};
    scene.feed(batch);
    CHECK_EQUAL(stuckCount(scene, 60 * kSecond), 0U);
    batch.notes.processSamples = {{11, 12 * kSecond, 0, 1}};
    scene.feed(batch);
    CHECK_EQUAL(stuckCount(scene, 60 * kSecond), 1U);  // it may be of either
}

CT_CASE(timeStopsAtTheEndOfAProcess)
{
    Scene scene;
    scene.suspend(scene.born(10), 10 * kSecond, 1);
    scene.suspend(scene.born(10), 5 * kSecond, 1);
    scene.processEnds(10, 10 * kSecond + 400 * kMs);
    const std::vector<StuckGroup> found = findStuck(scene.population, 1000 * kSecond);
    REQUIRE(found.size() == 1 && found[0].coroutines.size() == 1);
    CHECK_EQUAL(found[0].longestNs, 5 * kSecond + 400 * kMs);
    // The next process with that pid.
    scene.processBegins(10, 20 * kSecond, "again");
    scene.suspend(scene.born(10), 30 * kSecond, 3);
    CHECK_EQUAL(stuckCount(scene, 1000 * kSecond), 2U);
}

CT_CASE(eventsAfterTheLastSignOfLifeAreNotStuck)
{
    // The engine checks once a second whether a process lives. Its last events may be later than the last check.
    Scene scene;
    scene.processBegins(10, kSecond, "target");
    scene.suspend(scene.born(10), 10 * kSecond, 1);
    scene.processEnds(10, 10 * kSecond - 300 * kMs);
    CHECK_EQUAL(stuckCount(scene, 1000 * kSecond), 0U);
}

CT_CASE(timeStopsWhenAProcessCallsExec)
{
    Scene scene;
    scene.processBegins(10, kSecond, "before");
    scene.suspend(scene.born(10), 10 * kSecond, 1);
    scene.processBegins(10, 10 * kSecond + 200 * kMs, "after");
    CHECK_EQUAL(stuckCount(scene, 1000 * kSecond), 0U);
    scene.suspend(scene.born(10), 11 * kSecond, 1);
    CHECK_EQUAL(stuckCount(scene, 1000 * kSecond), 1U);
}

CT_CASE(sortsGroupsBySizeAndMembersByDuration)
{
    Scene scene;
    scene.suspend(scene.born(), kSecond, 7);
    for (std::uint64_t i = 0; i < 3; ++i)
        scene.suspend(scene.born(), (5 - i) * kSecond, 3);
    const std::vector<StuckGroup> found = findStuck(scene.population, 60 * kSecond);
    REQUIRE(found.size() == 2);
    CHECK_EQUAL(found[0].site, 3U);
    REQUIRE(found[0].coroutines.size() == 3);
    CHECK_EQUAL(found[0].longestNs, 57 * kSecond);
    CHECK_EQUAL(found[0].coroutines[0].coroutine, 3U);
    CHECK_EQUAL(found[0].coroutines[2].coroutine, 1U);
    CHECK_EQUAL(found[1].site, 7U);
}

CT_CASE(thresholdFollowsAChangedRule)
{
    Scene scene;
    scene.history(1, 100, 100 * kMs);
    scene.suspend(scene.born(), 100 * kSecond, 1);
    StuckRule rule;
    rule.usualFactor = 2;
    CHECK_EQUAL(findStuck(scene.population, 100 * kSecond + 600 * kMs, rule).size(), 1U);
    CHECK_EQUAL(findStuck(scene.population, 100 * kSecond + 600 * kMs).size(), 0U);
    rule.usualFactor = 1e30;  // larger than any time
    CHECK_EQUAL(findStuck(scene.population, ~0ULL, rule).size(), 0U);
    CHECK_EQUAL(findStuck(scene.population, 0).size(), 0U);
}

/// Waits for a time, and a coroutine that awaits such a coroutine. They are stuck when the time has passed for long.
CT_CASE(aTimeThatHasNotComeIsAwaitedInPeace)
{
    Scene scene;
    const CoroutineId sleeper = scene.born();
    const CoroutineId caller = scene.born();
    const CoroutineId other = scene.born();
    for (const CoroutineId id : {sleeper, caller, other})
        scene.suspend(id, 0, 1);
    Batch batch;
    batch.notes.waits = {{sleeper, 0, WaitKind::Timer, 10 * kSecond}, {caller, 0, WaitKind::Coroutine, 0, sleeper}};
    scene.feed(batch);
    const auto stuckAt = [&](std::uint64_t now) {
        const std::vector<StuckGroup> groups = findStuck(scene.population, now);
        return groups.empty() ? std::size_t{0} : groups.front().coroutines.size();
    };
    CHECK_EQUAL(stuckAt(5 * kSecond), 1U);
    CHECK_EQUAL(stuckAt(10 * kSecond + 400 * kMs), 1U);
    CHECK_EQUAL(stuckAt(11 * kSecond), 3U);
}

/// A wait with a timeout is a wait for any of an object and a timer. Where all have to come, the time has to, too.
CT_CASE(aWaitForSeveralObjectsWithATimeIsInPeace)
{
    Scene scene;
    const CoroutineId locked = scene.born();
    const CoroutineId joiner = scene.born();
    const CoroutineId caller = scene.born();
    const CoroutineId other = scene.born();
    for (const CoroutineId id : {locked, joiner, caller, other})
        scene.suspend(id, 0, 1);
    const auto partOf = [](std::uint32_t index, bool forAll) { return 2 * index + (forAll ? 2 : 1); };
    Batch batch;
    batch.notes.waits = {{locked, 0, WaitKind::Lock, 0xA0, kNoCoroutine, partOf(0, false)},
                         {locked, 0, WaitKind::Timer, 10 * kSecond, kNoCoroutine, partOf(1, false)},
                         {joiner, 0, WaitKind::Descriptor, 4, kNoCoroutine, partOf(0, true)},
                         {joiner, 0, WaitKind::Timer, 20 * kSecond, kNoCoroutine, partOf(1, true)},
                         {caller, 0, WaitKind::Coroutine, 0, other, partOf(0, false)},
                         {caller, 0, WaitKind::Coroutine, 0, locked, partOf(1, false)},
                         {other, 0, WaitKind::Coroutine, 0, caller, partOf(0, false)},
                         {other, 0, WaitKind::Other, 0xA1, kNoCoroutine, partOf(1, false)}};
    scene.feed(batch);
    CHECK_EQUAL(stuckCount(scene, 5 * kSecond), 0U);
    CHECK_EQUAL(stuckCount(scene, 11 * kSecond), 3U);
    CHECK_EQUAL(stuckCount(scene, 21 * kSecond), 4U);
}
