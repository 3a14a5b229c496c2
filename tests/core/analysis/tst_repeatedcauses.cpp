// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Waits that look served, because their objects are used again and again, or served long before; each with its healthy
// twin.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

constexpr std::uint64_t kNews = 0x500;

/// Subscribers of one object. Each broadcast wakes all but those left out.
struct Subscribers : JudgeScene {
    SiteId where = site("follow", 30);
    CoroutineId publisher = born();
    std::vector<CoroutineId> ids;

    explicit Subscribers(std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i)
            ids.push_back(subscribed(5));
    }
    CoroutineId subscribed(std::uint64_t ms)
    {
        const CoroutineId id = suspended(ms, where);
        waits(id, WaitKind::Channel, kNews);
        return id;
    }
    void broadcast(std::uint64_t ms, const std::vector<CoroutineId> &leftOut)
    {
        use(UseKind::Signalled, publisher, kNews, ms);
        for (const CoroutineId id : ids) {
            if (std::find(leftOut.begin(), leftOut.end(), id) != leftOut.end())
                continue;
            wake(id, ms + 1);
            resume(id, ms + 2);
            suspend(id, ms + 3, where);
            waits(id, WaitKind::Channel, kNews);
        }
    }
};

/// Six clients complete waits of 1 ms, each for an object of its own.
struct Clients : JudgeScene {
    SiteId where = site("ask", 12);
    std::vector<CoroutineId> ids;
    CoroutineId server = born();

    Clients()
    {
        for (int i = 0; i < 6; ++i)
            ids.push_back(born());
        for (std::uint64_t ms = 0; ms < 60; ++ms)
            ask(ids[ms % 6], ms);
    }
    static std::uint64_t answerOf(CoroutineId id) { return 0x1000 + 64 * std::uint64_t{id}; }
    void wait(CoroutineId id, std::uint64_t ms)
    {
        suspend(id, ms, where);
        waits(id, WaitKind::Channel, answerOf(id));
    }
    void ask(CoroutineId id, std::uint64_t ms)
    {
        wait(id, ms);
        use(UseKind::Signalled, server, answerOf(id), ms);
        wake(id, ms);
        resume(id, ms + 1);
    }
    /// All but the first one go on.
    void goOn(std::uint64_t from)
    {
        for (std::uint64_t ms = from; ms < from + 60; ++ms)
            ask(ids[1 + ms % 5], ms);
    }
    Severity severity(std::uint64_t ms) const
    {
        const std::vector<Finding> found = at(ms, Rule::LostWakeup);
        return found.empty() ? Severity::Info : found.front().severity;
    }
};

}  // namespace

CT_CASE(aSubscriberThatEachBroadcastMissesIsFound)
{
    Subscribers scene(4);
    for (std::uint64_t ms = 100; ms < 3000; ms += 60)
        scene.broadcast(ms, ms < 300 ? std::vector<CoroutineId>() : std::vector{scene.ids[3]});
    const std::vector<Finding> found = scene.at(3000, Rule::LostWakeup);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Error);
    CHECK(found[0].coroutines == std::vector<CoroutineId>{scene.ids[3]});
    CHECK(found[0].message.ends_with("which woke up to 4 other waiters each, but not this one"));
}

/// It waits for a rare kind of message, and the object is a bus of many kinds.
CT_CASE(aSubscriberThatWasNeverWokenIsNotMissed)
{
    Subscribers scene(4);
    for (std::uint64_t ms = 100; ms < 3000; ms += 60)
        scene.broadcast(ms, {scene.ids[3]});
    CHECK(scene.isClean(3000));
    CHECK(scene.isClean(4500));
}

CT_CASE(whereSubscribersArePassedOverSilenceIsUsual)
{
    Subscribers scene(5);
    const std::vector<CoroutineId> rare(scene.ids.begin() + 2, scene.ids.end());
    for (std::uint64_t ms = 100; ms < 3000; ms += 60)
        scene.broadcast(ms, ms < 1500 && ms % 180 == 100 ? std::vector<CoroutineId>() : rare);
    CHECK(scene.isClean(3000));
}

CT_CASE(aNewSubscriberHasMissedNothing)
{
    Subscribers scene(4);
    for (std::uint64_t ms = 100; ms < 3000; ms += 60)
        scene.broadcast(ms, {});
    (void)scene.subscribed(2900);
    CHECK(scene.isClean(3000));
}

CT_CASE(releasesOfSomeUnitsAreNoBroadcasts)
{
    // Each release wakes two of eight.
    Subscribers scene(8);
    for (std::uint64_t ms = 100; ms < 3000; ms += 60)
        scene.broadcast(ms, {scene.ids.begin() + 2, scene.ids.end()});
    CHECK(scene.at(3000, Rule::LostWakeup).empty());
}

/// A notification of all, many times, and then of one. Nothing tells it from a broadcast that was broken off.
CT_CASE(aNotificationOfOneMayBeMeantForOne)
{
    Subscribers scene(4);
    for (std::uint64_t ms = 100; ms < 600; ms += 80)
        scene.broadcast(ms, {});
    scene.broadcast(700, {scene.ids.begin() + 1, scene.ids.end()});
    CHECK(scene.at(2500, Rule::LostWakeup).empty());
}

CT_CASE(aLockWhoseHolderHasEndedIsFound)
{
    constexpr std::uint64_t kLock = 0x100;
    JudgeScene scene;
    const SiteId where = scene.site("step", 9);
    const CoroutineId holder = scene.born();
    const CoroutineId waiter = scene.born();
    scene.use(UseKind::Acquired, holder, kLock, 1);
    scene.suspend(holder, 5, where);
    scene.suspend(waiter, 10, where);
    scene.waits(waiter, WaitKind::Lock, kLock);
    CHECK(scene.isClean(3000));
    scene.destroy(holder, 100);
    CHECK(scene.isClean(1000));
    const std::vector<Finding> found = scene.at(3000, Rule::LostWakeup);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Error);
    CHECK_EQUAL(found[0].message, "coroutine 0, which holds lock 0x100, ended 2.90 s ago without a release");
    // Released by what destroyed it.
    scene.use(UseKind::Released, kNoCoroutine, kLock, 101);
    for (const Finding &finding : scene.at(3000, Rule::LostWakeup))
        CHECK(finding.message.find("ended") == std::string::npos);
}

CT_CASE(aSignalThatCameWhileTheCoroutineRanMayBeLost)
{
    Clients scene;
    scene.use(UseKind::Signalled, scene.server, Clients::answerOf(scene.ids[0]), 70);
    scene.wait(scene.ids[0], 80);
    scene.goOn(100);
    CHECK(scene.severity(3000) == Severity::Warning);
}

CT_CASE(aClientWithoutAnAnswerIsIdle)
{
    Clients scene;
    scene.wait(scene.ids[0], 80);
    scene.goOn(100);
    CHECK(scene.severity(3000) == Severity::Info);
}

CT_CASE(aWatchedDescriptorWithNothingToFetchIsIdle)
{
    Clients scene;
    scene.suspend(scene.ids[0], 80, scene.where);
    scene.goOn(100);
    CHECK(scene.severity(3000) == Severity::Warning);
    scene.waits(scene.ids[0], WaitKind::Descriptor, 7);
    scene.sampled(90, {JudgeScene::thread(50, ThreadState::Sleeping, ThreadCall::Epoll, 4)},
                  {JudgeScene::descriptor(7, 4, DescriptorKind::Socket)});
    scene.sampled(2900);
    CHECK(scene.at(3000, Rule::LostWakeup).empty());
}

CT_CASE(shortCoroutinesOfOneWorkerAreOneSibling)
{
    // A worker awaits a new coroutine for each message. Another one of its function waits for a message of its own.
    const auto severity = [](bool areAtOnce, bool haveCreators = false) {
        JudgeScene scene;
        const std::vector<CoroutineId> creators = {scene.born(), scene.born(), scene.born(), scene.born()};
        const SiteId where = scene.site("receive", 7);
        const auto complete = [&](std::uint64_t ms) {
            const CoroutineId id = scene.born(ms);
            scene.parent(id, creators[haveCreators ? ms / 5 % 4 : 0]);
            scene.suspend(id, ms, where);
            scene.resume(id, ms + 1);
            scene.destroy(id, areAtOnce ? 1000 : ms + 2);
        };
        for (std::uint64_t ms = 10; ms < 200; ms += 5)
            complete(ms);
        const CoroutineId other = scene.born();
        for (std::uint64_t ms = 201; ms < 207; ms += 2) {
            scene.suspend(other, ms, where);
            scene.resume(other, ms + 1);
        }
        scene.suspend(other, 210, where);
        for (std::uint64_t ms = 220; ms < 600; ms += 5)
            complete(ms);
        const std::vector<Finding> found = scene.at(3000, Rule::LostWakeup);
        REQUIRE(!found.empty());
        return found[0].severity;
    };
    CHECK(severity(false) == Severity::Info);
    CHECK(severity(true) == Severity::Warning);
    CHECK(severity(false, true) == Severity::Warning);  // of several workers
}

CT_CASE(aFewThatRunOftenOvertakeAsWell)
{
    JudgeScene scene;
    const SiteId where = scene.site("work", 4);
    const CoroutineId lost = scene.suspended(10, where);
    const CoroutineId other = scene.born();
    scene.wake(lost, 20);
    for (std::uint64_t ms = 200; ms < 2900; ms += 100) {
        scene.suspend(other, ms, where);
        scene.wake(other, ms + 1);
        scene.resume(other, ms + 2);
    }
    scene.suspend(other, 2950, where);
    const std::uint32_t tid = 100 + lost % 4;
    scene.sampled(1000, {JudgeScene::thread(tid, ThreadState::Sleeping, ThreadCall::Futex)});
    scene.sampled(2990);
    const std::vector<Finding> found = scene.at(3000, Rule::NeverRun);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Error);
    CHECK(found[0].coroutines == std::vector<CoroutineId>{lost});
}

/// Its memory was that of another object before.
CT_CASE(anObjectInTheFrameHasNoPast)
{
    const auto severity = [](std::uint64_t distance) {
        Clients scene;
        const CoroutineId lost = scene.ids[0];
        scene.frame = Clients::answerOf(lost) - distance;
        scene.wait(lost, 200);
        scene.frame = 0;
        scene.goOn(1000);
        return scene.severity(3000);
    };
    CHECK(severity(0x80) == Severity::Warning);
    CHECK(severity(0x1000) == Severity::Info);  // another object, which may be a quiet source
}

/// Two others take turns with a lock, and never let it in.
CT_CASE(aWaiterThatOthersPassAgainAndAgainIsFound)
{
    JudgeScene scene;
    constexpr std::uint64_t kLock = 0x77;
    const std::vector<CoroutineId> others = {scene.born(), scene.born()};
    const CoroutineId waiting = scene.suspended(10, scene.site("take", 7));
    scene.waits(waiting, WaitKind::Lock, kLock);
    std::uint64_t ms = 100;
    const auto takeTurns = [&](std::size_t turns) {
        for (std::size_t turn = 0; turn < turns; ++turn, ms += 100) {
            scene.use(UseKind::Acquired, others[turn % 2], kLock, ms);
            scene.use(UseKind::Released, others[turn % 2], kLock, ms + 50);
        }
    };
    takeTurns(21);  // the first turn of each may have been due
    CHECK(scene.isClean(ms));
    takeTurns(1);
    const std::vector<Finding> found = scene.at(ms, Rule::LostWakeup);
    REQUIRE(found.size() == 1);
    CHECK(found[0].coroutines == std::vector<CoroutineId>{waiting});
    CHECK(found[0].severity == Severity::Warning);
    CHECK_EQUAL(found[0].message, "suspended for 2.29 s, while others acquired lock 0x77 again and again");
}
