// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coroutines that only one another have woken, without reported causes: broken ones, and healthy ones that look alike.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

using Ids = std::vector<CoroutineId>;

/// Four clients take a lock in turns, and sleep in between. From 1.7 s on, all of them wait for the lock. A ticker goes
/// on.
struct Clients : JudgeScene {
    static constexpr std::uint32_t kLockLine = 10;
    static constexpr std::uint32_t kSleepLine = 20;
    static constexpr std::uint64_t kStopMs = 1700;
    static constexpr std::uint64_t kEndMs = 4000;

    explicit Clients(bool isVersion1 = false) : m_isVersion1(isVersion1)
    {
        lock = isVersion1 ? kUnknownSite : site("client", kLockLine);
        sleep = isVersion1 ? kUnknownSite : site("client", kSleepLine);
        tick = isVersion1 ? kUnknownSite : site("ticker", 5);
        for (int i = 0; i < 4; ++i)
            ids.push_back(isVersion1 ? bornInVersion1("client()") : born());
        ticker = isVersion1 ? bornInVersion1("ticker()") : born();
        for (const CoroutineId id : ids)
            pause(id, 1 + id, sleep, kSleepLine);
    }
    void pause(CoroutineId id, std::uint64_t ms, SiteId where, std::uint32_t line)
    {
        suspend(id, ms, where);
        FrameLocation location;
        location.coroutine = id;
        location.function = id == ticker ? "ticker()" : "client()";
        location.line = line;
        location.since = ms * kMs;
        if (m_isVersion1 && knowsLines)
            data.addFrames({location});
    }
    /// The coroutine runs for `durationMs`, and is suspended at `where`.
    void work(CoroutineId id, std::uint64_t ms, std::uint64_t durationMs, SiteId where)
    {
        resume(id, ms);
        suspend(id, ms + durationMs, where);
    }
    /// One client waits for the lock until `releaseMs`, when another one releases it, or what `releases` does.
    template <class Release>
    void round(std::uint64_t ms, Release &&releases)
    {
        const CoroutineId waiter = ids[ms / 100 % 4];
        resume(waiter, ms);
        pause(waiter, ms + 1, lock, kLockLine);
        releases(ids[(ms / 100 + 1) % 4], ms + 20);
        resume(waiter, ms + 21);
        pause(waiter, ms + 22, sleep, kSleepLine);
    }
    void release(CoroutineId id, std::uint64_t ms)
    {
        resume(id, ms);
        pause(id, ms + 1, sleep, kSleepLine);
    }
    template <class Release>
    void rounds(Release &&releases)
    {
        for (std::uint64_t ms = 100; ms < kStopMs; ms += 100)
            round(ms, releases);
    }
    void rounds()
    {
        rounds([this](CoroutineId id, std::uint64_t ms) { release(id, ms); });
    }
    void stop()
    {
        for (const CoroutineId id : ids) {
            resume(id, kStopMs + 10 * id);
            pause(id, kStopMs + 1 + 10 * id, lock, kLockLine);
        }
    }
    void ticks(std::uint64_t from, std::uint64_t to)
    {
        for (std::uint64_t ms = from; ms < to; ms += 100) {
            if (ms != from)
                resume(ticker, ms);
            pause(ticker, ms + 1, tick, 5);
        }
    }
    /// The clients that a warning is about.
    Ids accused() const
    {
        Ids accused;
        for (const Finding &finding : at(kEndMs, Rule::LostWakeup))
            if (finding.severity == Severity::Warning)
                accused.insert(accused.end(), finding.coroutines.begin(), finding.coroutines.end());
        std::sort(accused.begin(), accused.end());
        return accused;
    }

    SiteId lock = kUnknownSite;
    SiteId sleep = kUnknownSite;
    SiteId tick = kUnknownSite;
    Ids ids;
    CoroutineId ticker = kNoCoroutine;
    bool knowsLines = true;

private:
    const bool m_isVersion1;
};

}  // namespace

CT_CASE(coroutinesThatOnlyOneAnotherHaveWokenAreAWarningWhenAllOfThemWait)
{
    Clients scene;
    scene.ticks(50, 1700);
    scene.rounds();
    scene.stop();
    scene.ticks(1750, 3950);
    CHECK(scene.accused() == scene.ids);
}

CT_CASE(withTheDataOfVersion1TheLinesOfWaitsAreCompared)
{
    for (const bool knowsLines : {true, false}) {
        Clients scene(true);
        scene.knowsLines = knowsLines;
        scene.ticks(50, 1700);
        scene.rounds();
        scene.stop();
        scene.ticks(1750, 3950);
        CHECK(scene.accused() == (knowsLines ? scene.ids : Ids()));
    }
}

CT_CASE(aWaitThatEndedWhileNoneOfThemRanMayEndAgain)
{
    Clients scene;
    scene.ticks(50, 1700);
    scene.rounds([&scene](CoroutineId id, std::uint64_t ms) {
        if (ms != 820)  // by a timer, a descriptor or another thread
            scene.release(id, ms);
    });
    scene.stop();
    scene.ticks(1750, 3950);
    CHECK(scene.accused().empty());
}

CT_CASE(aCoroutineThatGoesOnMayWakeThemAsBefore)
{
    Clients scene;
    const SiteId produce = scene.site("produce", 7);
    const CoroutineId producer = scene.suspended(5, produce);
    scene.ticks(50, 1700);
    scene.rounds([&](CoroutineId, std::uint64_t ms) {
        scene.resume(producer, ms);
        scene.suspend(producer, ms + 1, produce);
    });
    scene.stop();
    scene.ticks(1750, 3950);
    scene.resume(producer, 3900);
    scene.suspend(producer, 3901, produce);
    CHECK(scene.accused().empty());
}

CT_CASE(aCoroutineThatWaitsSinceTheyStoppedMayHoldWhatTheyWaitFor)
{
    Clients scene;
    const CoroutineId cleaner = scene.suspended(5, scene.site("clean", 7));
    scene.ticks(50, 1700);
    scene.rounds();
    scene.resume(cleaner, 1695);
    scene.suspend(cleaner, 1696, scene.site("clean", 8));
    scene.stop();
    scene.ticks(1750, 3950);
    CHECK(scene.accused().empty());
}

CT_CASE(aCoroutineThatIsBusySinceTheyStoppedMayHoldWhatTheyWaitFor)
{
    Clients scene;
    const CoroutineId cleaner = scene.suspended(5, scene.site("clean", 7));
    const SiteId step = scene.site("clean", 8);
    scene.ticks(50, 1700);
    scene.rounds();
    for (std::uint64_t ms = 1695; ms < 3950; ms += 5)
        scene.work(cleaner, ms, 1, step);
    scene.stop();
    scene.ticks(1750, 3950);
    CHECK(scene.accused().empty());
}

CT_CASE(aProcessInWhichNothingRunsIsJudgedByItsThreads)
{
    Clients scene;
    scene.rounds();
    scene.stop();
    CHECK(scene.accused().empty());
}

/// With so many ends of waits, chance is unlikely. But coroutines that nearly always run may wake others now and then.
CT_CASE(coroutinesThatRunMostOfTheTimeProveNothing)
{
    const auto accused = [](std::uint64_t durationMs) {
        Clients scene;
        scene.ticks(50, 1700);
        const SiteId work = scene.site("client", 30);
        const CoroutineId busy = scene.suspended(5, work);
        scene.rounds();
        for (std::uint64_t ms = 30; ms < 1600; ms += 20)
            scene.work(busy, ms, durationMs, work);
        scene.stop();
        scene.ticks(1750, 3950);
        return scene.accused();
    };
    CHECK_EQUAL(accused(4).size(), 4U);
    CHECK(accused(13).empty());
}

/// Reading their histories would take longer than all other rules.
CT_CASE(whereThousandsAreLateNobodyAsksWhoWokeThem)
{
    Clients scene;
    scene.ticks(50, 1700);
    scene.rounds();
    scene.stop();
    for (int i = 0; i < 5000; ++i)
        scene.suspended(1750, scene.lock);
    scene.ticks(1760, 3950);
    CHECK(scene.accused().empty());
    const Verdict verdict = scene.at(Clients::kEndMs);
    CHECK(std::any_of(verdict.abstained.begin(), verdict.abstained.end(), [](const Abstention &one) {
        return one.reason == "there are too many late waits to ask who ended earlier ones" && one.count >= 5000;
    }));
}

CT_CASE(aHolderThatEndedCannotReleaseWhatItHolds)
{
    for (const bool isReplaced : {false, true}) {
        Clients scene;
        scene.ticks(50, 1700);
        // Another client releases the lock each time, and ends in the end.
        const CoroutineId holder = scene.born(50);
        scene.suspend(holder, 55, scene.sleep);
        scene.rounds([&](CoroutineId, std::uint64_t ms) { scene.release(holder, ms); });
        scene.resume(holder, 1699);
        scene.destroy(holder, 1700);
        if (isReplaced)
            scene.suspended(1000, scene.sleep);
        scene.stop();
        scene.ticks(1750, 3950);
        CHECK(scene.accused() == (isReplaced ? Ids() : scene.ids));
    }
}
