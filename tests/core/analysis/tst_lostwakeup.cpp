// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lost wake-ups by reported causes: each defect with its healthy twin.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

constexpr std::uint64_t kObject = 0x7f10;

using Ids = std::vector<CoroutineId>;

/// The coroutines with a lost wake-up, which must be an error.
Ids lost(const JudgeScene &scene, std::uint64_t ms)
{
    Ids ids;
    for (const Finding &finding : scene.at(ms, Rule::LostWakeup)) {
        CHECK(finding.severity == Severity::Error && finding.confidence > 0.8);
        ids.insert(ids.end(), finding.coroutines.begin(), finding.coroutines.end());
    }
    return ids;
}

struct Waiter : JudgeScene {
    Waiter() { reportsWakes(); }

    SiteId where = site("receive", 10);
    CoroutineId sender = born();

    CoroutineId waiter(std::uint64_t ms, WaitKind kind = WaitKind::Channel, std::uint64_t object = kObject)
    {
        const CoroutineId id = suspended(ms, where);
        waits(id, kind, object);
        return id;
    }
    /// A coroutine that waits for the signal and for a time (3 s): for both, or for any of them.
    CoroutineId waiterForSignalAndTime(std::uint64_t ms, bool isForAll)
    {
        const CoroutineId id = suspended(ms, where);
        const std::uint32_t all = isForAll ? 1 : 0;
        waits(id, WaitKind::Channel, kObject, kNoCoroutine, 1 + all);
        waits(id, WaitKind::Timer, 3000 * kMs, kNoCoroutine, 3 + all);
        return id;
    }
    /// Another coroutine runs: its thread is free.
    void reacts(std::uint64_t ms)
    {
        resume(sender, ms);
        suspend(sender, ms, where);
    }
    void signal(std::uint64_t ms) { use(UseKind::Signalled, sender, kObject, ms); }
};

}  // namespace

CT_CASE(aSignalThatWakesNoWaiterIsFound)
{
    Waiter scene;
    scene.resume(scene.sender, 50);
    const CoroutineId id = scene.waiter(100);
    scene.signal(200);
    CHECK(scene.isClean(1100));  // it may still come
    CHECK(lost(scene, 1300) == Ids{id});
    const Finding finding = scene.at(1300, Rule::LostWakeup).front();
    CHECK_EQUAL(finding.message, "channel 0x7f10 was signalled 1.10 s ago, and no waiter was woken");
    CHECK_EQUAL(finding.evidence.front(), "coroutine 0 signalled it");
    CHECK_EQUAL(finding.since, 100 * JudgeScene::kMs);
    CHECK_EQUAL(finding.site, scene.where);
}

/// Where no wakes are reported, a waiter may be ready, and wait for a thread.
CT_CASE(withoutReportsOfWakesAThreadMustHaveBeenFree)
{
    JudgeScene scene;
    const CoroutineId id = scene.suspended(100, scene.site("receive", 10));
    scene.waits(id, WaitKind::Channel, kObject);
    const CoroutineId sender = scene.born();
    scene.resume(sender, 150);
    scene.use(UseKind::Signalled, sender, kObject, 200);
    CHECK(scene.isClean(1300));  // the sender computes
    CHECK_EQUAL(scene.abstained(1300, Rule::LostWakeup), 1U);
    scene.suspend(sender, 800, scene.site("send", 10));
    CHECK(lost(scene, 1300) == Ids{id});
}

CT_CASE(aWaitWithoutASignalIsNoFinding)
{
    Waiter scene;
    scene.waiter(100);
    CHECK(scene.isClean(3'600'000));
}

CT_CASE(aSignalBeforeTheWaitProvesNothing)
{
    Waiter scene;
    scene.signal(50);
    scene.waiter(100);
    CHECK(scene.isClean(60'000));
}

CT_CASE(aSignalThatWokeAnotherWaiterIsServed)
{
    Waiter scene;
    scene.waiter(100);
    const CoroutineId other = scene.waiter(110);
    scene.signal(200);
    scene.wake(other, 201);
    scene.resume(other, 202);
    CHECK(scene.isClean(60'000));
}

CT_CASE(aSignalIsServedByAWaiterThatRanWithoutAReportedWake)
{
    Waiter scene;
    scene.waiter(100);
    const CoroutineId other = scene.waiter(110);
    scene.signal(200);
    scene.resume(other, 202);
    scene.suspend(other, 203, scene.where);
    CHECK(scene.isClean(60'000));
}

/// A free lock would not make a later coroutine wait either, so the later waits are part of the same defect.
CT_CASE(newcomersDoNotHideAFreeLock)
{
    Waiter scene;
    scene.use(UseKind::Acquired, scene.sender, kObject, 50);
    const CoroutineId id = scene.waiter(100, WaitKind::Lock);
    scene.use(UseKind::Released, scene.sender, kObject, 200);
    const CoroutineId second = scene.waiter(300, WaitKind::Lock);
    const CoroutineId third = scene.waiter(400, WaitKind::Lock);
    CHECK(lost(scene, 3000) == Ids({id, second, third}));
}

/// A busy consumer may take an item without a wait, and wait later.
CT_CASE(aNewcomerMayHaveTakenFromAChannel)
{
    Waiter scene;
    scene.waiter(100);
    scene.signal(200);
    scene.waiter(300);
    CHECK(scene.isClean(3000));
}

/// The thread must notice that the time has passed, and gets no processor for most of the time.
CT_CASE(aDeadlineOnAnOverloadedMachineIsNotLate)
{
    const auto isLost = [](std::uint64_t delayMs) {
        Waiter scene;
        const CoroutineId id = scene.suspended(100, scene.where);
        scene.waits(id, WaitKind::Timer, 200 * JudgeScene::kMs);
        for (std::uint64_t ms = 150; ms <= 2150; ms += 500) {
            ThreadSample row = JudgeScene::thread(100 + id % 4, ThreadState::Running, ThreadCall::None, 0, ms);
            row.runDelayNs = (1 + ms * delayMs / 500) * JudgeScene::kMs;
            scene.sampled(ms, {row});
        }
        scene.reacts(1900);
        CHECK_EQUAL(lost(scene, 2200).size() + scene.abstained(2200, Rule::LostWakeup), 1U);
        return !lost(scene, 2200).empty();
    };
    CHECK(isLost(50));
    CHECK(!isLost(300));
}

CT_CASE(aWaiterThatABroadcastMissedIsFound)
{
    Waiter scene;
    const CoroutineId missed = scene.waiter(100);
    const std::array others{scene.waiter(101), scene.waiter(102), scene.waiter(103)};
    scene.signal(200);
    for (const CoroutineId woken : others) {
        scene.wake(woken, 201);
        scene.resume(woken, 202);
    }
    CHECK(lost(scene, 2000) == Ids{missed});
}

CT_CASE(manySignalsThatWakeOneWaiterEachAreNoBroadcast)
{
    Waiter scene;
    scene.waiter(100);
    for (std::uint64_t ms = 200; ms < 210; ++ms) {
        const CoroutineId id = scene.waiter(150);
        scene.signal(ms);
        scene.wake(id, ms);
        scene.resume(id, ms);
    }
    CHECK(scene.isClean(60'000));
}

CT_CASE(aSignalThatAnotherCoroutineTookIsServed)
{
    Waiter scene;
    scene.waiter(100);
    scene.signal(200);
    scene.use(UseKind::Acquired, scene.sender, kObject, 201);
    CHECK(scene.isClean(60'000));
}

CT_CASE(aFreeLockWithAWaiterIsFound)
{
    Waiter scene;
    const CoroutineId owner = scene.born();
    scene.use(UseKind::Acquired, owner, kObject, 50);
    const CoroutineId id = scene.waiter(100, WaitKind::Lock);
    CHECK(scene.isClean(5000));  // somebody has it
    scene.use(UseKind::Released, owner, kObject, 6000);
    CHECK(scene.isClean(6900));
    CHECK(lost(scene, 7100) == Ids{id});
}

CT_CASE(aLockThatWasReleasedBeforeTheWaitIsFreeAsWell)
{
    Waiter scene;
    const CoroutineId owner = scene.born();
    scene.use(UseKind::Acquired, owner, kObject, 50);
    scene.use(UseKind::Released, owner, kObject, 99);
    const CoroutineId id = scene.waiter(100, WaitKind::Lock);
    CHECK(lost(scene, 1200) == Ids{id});
}

CT_CASE(aLockThatIsHeldAgainIsNotFree)
{
    Waiter scene;
    const CoroutineId owner = scene.born();
    scene.use(UseKind::Acquired, owner, kObject, 50);
    scene.waiter(100, WaitKind::Lock);
    scene.use(UseKind::Released, owner, kObject, 200);
    scene.use(UseKind::Acquired, scene.sender, kObject, 201);
    CHECK(scene.isClean(60'000));
}

CT_CASE(aSemaphoreThatSignalsNeedsAReleaseDuringTheWait)
{
    Waiter scene;
    const CoroutineId producer = scene.born();
    const CoroutineId consumer = scene.born();
    for (std::uint64_t ms = 10; ms < 20; ++ms) {
        scene.use(UseKind::Released, producer, kObject, ms);
        scene.use(UseKind::Acquired, consumer, kObject, ms);
    }
    scene.suspend(consumer, 100, scene.where);
    scene.waits(consumer, WaitKind::Lock, kObject);
    CHECK(scene.isClean(60'000));  // neither lost nor a deadlock with itself
    scene.use(UseKind::Released, producer, kObject, 60'000);
    CHECK(lost(scene, 62'000) == Ids{consumer});
}

CT_CASE(aTimerThatHasExpiredIsFound)
{
    Waiter scene;
    const CoroutineId id = scene.waiter(100, WaitKind::Timer, 5000 * JudgeScene::kMs);
    CHECK(scene.isClean(5900));
    CHECK(scene.isClean(6100));
    CHECK_EQUAL(scene.abstained(6100, Rule::LostWakeup), 1U);  // the thread of the timers may be busy
    scene.reacts(5600);
    CHECK(lost(scene, 6100) == Ids{id});
    CHECK_EQUAL(scene.at(6100, Rule::LostWakeup).front().message,
                "its deadline passed 1.10 s ago, and no wake followed");
}

CT_CASE(aCoroutineThatAwaitsAFinishedOneIsFound)
{
    Waiter scene;
    const CoroutineId awaited = scene.suspended(50, scene.where);
    const CoroutineId id = scene.suspended(100, scene.where);
    scene.waits(id, WaitKind::Coroutine, 0, awaited);
    CHECK(scene.isClean(60'000));
    scene.resume(awaited, 60'000);
    scene.suspend(awaited, 60'001, scene.where, PointKind::Final);
    CHECK(scene.isClean(60'900));
    CHECK(lost(scene, 61'100) == Ids{id});
    scene.destroy(awaited, 61'200);
    CHECK(lost(scene, 62'300) == Ids{id});
}

CT_CASE(aWaitForAllNeedsAllObjects)
{
    Waiter scene;
    const CoroutineId id = scene.waiterForSignalAndTime(100, true);
    CHECK(scene.isClean(60'000));
    scene.signal(60'000);
    CHECK(lost(scene, 62'000) == Ids{id});
    Waiter early;
    early.waiterForSignalAndTime(100, true);
    early.signal(200);
    CHECK(early.isClean(2900));
}

CT_CASE(aWaitForAnyNeedsOneObject)
{
    Waiter scene;
    const CoroutineId id = scene.waiterForSignalAndTime(100, false);
    scene.reacts(4200);
    CHECK(scene.isClean(3500));
    CHECK(lost(scene, 4500) == Ids{id});
}

CT_CASE(withoutAWakerNothingCanWakeIt)
{
    Waiter scene;
    const CoroutineId id = scene.suspended(100, scene.where);
    Batch batch;
    batch.notes.wakersLeft = {{id, 1, 0, 150 * JudgeScene::kMs}};
    scene.feed(batch);
    CHECK(lost(scene, 2000) == Ids{id});
}

CT_CASE(aWokenCoroutineHasNoLostWakeup)
{
    Waiter scene;
    const CoroutineId id = scene.waiter(100);
    scene.signal(200);
    scene.wake(id, 201);
    CHECK(scene.at(60'000, Rule::LostWakeup).empty());
}

CT_CASE(whatHappenedWithoutTracingIsNotGuessed)
{
    Waiter scene;
    scene.waiter(100);
    scene.signal(200);
    Batch batch;
    batch.notes.switches = {{JudgeScene::kPid, 300 * JudgeScene::kMs, false},
                            {JudgeScene::kPid, 9000 * JudgeScene::kMs, true}};
    scene.feed(batch);
    CHECK(scene.isClean(60'000));
    CHECK_EQUAL(scene.abstained(60'000, Rule::LostWakeup), 1U);
    // Neither a use nor a coroutine of before counts for a later wait.
    const CoroutineId id = scene.waiter(60'000, WaitKind::Lock, 0x99);
    CHECK(scene.isClean(120'000));
    scene.use(UseKind::Acquired, scene.sender, 0x99, 120'000);
    scene.use(UseKind::Released, scene.sender, 0x99, 120'001);
    CHECK(lost(scene, 122'000) == Ids{id});
}

CT_CASE(aLockOfBeforeAnInterruptionMayBeFree)
{
    Waiter scene;
    const CoroutineId other = scene.born();
    scene.use(UseKind::Acquired, scene.sender, 0x99, 10);
    scene.use(UseKind::Acquired, other, 0x98, 10);
    Batch batch;
    batch.notes.switches = {{JudgeScene::kPid, 20 * JudgeScene::kMs, false},
                            {JudgeScene::kPid, 30 * JudgeScene::kMs, true}};
    scene.feed(batch);
    scene.suspend(other, 100, scene.where);
    scene.waits(other, WaitKind::Lock, 0x99);
    scene.suspend(scene.sender, 100, scene.where);
    scene.waits(scene.sender, WaitKind::Lock, 0x98);
    CHECK(scene.isClean(60'000));
}

CT_CASE(reportsThatMayBeMissingMakeTheRuleAbstain)
{
    Waiter scene;
    scene.waiter(100);
    scene.signal(200);
    Batch batch;
    batch.notes.drops = {{JudgeScene::kPid, 100, 3, 250 * JudgeScene::kMs, 260 * JudgeScene::kMs}};
    scene.feed(batch);
    CHECK(scene.isClean(60'000));
    CHECK_EQUAL(scene.abstained(60'000, Rule::LostWakeup), 1U);
}
