// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rule deadlock: cycles of waits and holders, and waits that look like them.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

using Ids = std::vector<CoroutineId>;

constexpr std::uint64_t kLockA = 0x100;
constexpr std::uint64_t kLockB = 0x200;

/// Two coroutines with a lock each.
struct Locks : JudgeScene {
    SiteId where = site("transfer", 20);
    CoroutineId first = born();
    CoroutineId second = born();

    Locks()
    {
        use(UseKind::Acquired, first, kLockA, 1);
        use(UseKind::Acquired, second, kLockB, 2);
    }
    void wait(CoroutineId id, std::uint64_t ms, std::uint64_t lock)
    {
        suspend(id, ms, where);
        waits(id, WaitKind::Lock, lock);
    }
};

}  // namespace

CT_CASE(twoLocksInOppositeOrderAreADeadlock)
{
    Locks scene;
    scene.wait(scene.first, 100, kLockB);
    CHECK(scene.isClean(60'000));
    scene.wait(scene.second, 60'000, kLockA);
    CHECK(scene.isClean(60'050));
    const std::vector<Finding> all = scene.at(60'200, Rule::Deadlock);
    REQUIRE(all.size() == 1);
    CHECK(all[0].coroutines == (Ids{scene.first, scene.second}));
    CHECK(all[0].severity == Severity::Error);
    CHECK_EQUAL(all[0].since, 60'000 * JudgeScene::kMs);
    REQUIRE(all[0].evidence.size() == 2);
    CHECK_EQUAL(all[0].evidence[0], "coroutine 0 waits in transfer() at transfer.cpp:20 for lock 0x200, which "
                                    "coroutine 1 acquired 60.2 s ago");
    CHECK_EQUAL(all[0].evidence[1], "coroutine 1 waits in transfer() at transfer.cpp:20 for lock 0x100, which "
                                    "coroutine 0 acquired 60.2 s ago");
    CHECK_EQUAL(scene.at(60'200).findings.size(), 1U);
    Thresholds limits;
    CHECK(setThreshold(limits, "deadlock=1s"));
    const auto found = [&](std::uint64_t ms) {
        const Subject subject{scene.population, scene.data, scene.history};
        return judge(subject, ms * JudgeScene::kMs, limits).findings.size();
    };
    CHECK_EQUAL(found(60'900), 0U);
    CHECK_EQUAL(found(61'100), 1U);
}

/// Each coroutine is followed by the one that has what it waits for.
CT_CASE(theEvidenceOfADeadlockFollowsTheCycle)
{
    Locks scene;
    const CoroutineId third = scene.born();
    Batch batch;
    batch.notes.uses = {
        {third, 0, UseKind::Acquired, 0x300, scene.site("open", 7), 3 * JudgeScene::kMs, JudgeScene::kPid, 100}};
    scene.feed(batch);
    scene.wait(scene.first, 100, 0x300);
    scene.wait(third, 110, kLockB);
    scene.wait(scene.second, 120, kLockA);
    const std::vector<Finding> found = scene.at(503, Rule::Deadlock);
    REQUIRE(found.size() == 1 && found[0].evidence.size() == 3);
    CHECK_EQUAL(found[0].evidence[0], "coroutine 0 waits in transfer() at transfer.cpp:20 for lock 0x300, which "
                                      "coroutine 2 acquired 500 ms ago in open() at open.cpp:7");
    CHECK(found[0].evidence[1].starts_with("coroutine 2 waits in transfer() at transfer.cpp:20 for lock 0x200"));
    CHECK(found[0].evidence[2].starts_with("coroutine 1 waits in transfer() at transfer.cpp:20 for lock 0x100"));
}

CT_CASE(aDeadlockThatMayHaveBeenReleasedIsNotJudged)
{
    Locks scene;
    scene.wait(scene.first, 100, kLockB);
    scene.wait(scene.second, 100, kLockA);
    Batch batch;
    batch.notes.drops = {{JudgeScene::kPid, 100, 3, 110 * JudgeScene::kMs, 120 * JudgeScene::kMs}};
    scene.feed(batch);
    CHECK(scene.at(400, Rule::Deadlock).empty());
    CHECK_EQUAL(scene.abstained(400, Rule::Deadlock), 2U);
}

CT_CASE(aLockThatItsOwnerWaitsForIsADeadlock)
{
    Locks scene;
    scene.wait(scene.first, 100, kLockA);
    const std::vector<Finding> found = scene.at(300, Rule::Deadlock);
    REQUIRE(found.size() == 1);
    CHECK(found[0].coroutines == Ids{scene.first});
    CHECK_EQUAL(found[0].message, "it waits for a lock that it holds itself");
}

CT_CASE(awaitsAndLocksTogetherMakeACycle)
{
    Locks scene;
    scene.suspend(scene.first, 100, scene.where);
    scene.waits(scene.first, WaitKind::Coroutine, 0, scene.second);
    scene.wait(scene.second, 110, kLockA);
    const CoroutineId behind = scene.born();
    scene.wait(behind, 120, kLockB);
    const std::vector<Finding> found = scene.at(400, Rule::Deadlock);
    REQUIRE(found.size() == 1);
    CHECK(found[0].coroutines == (Ids{scene.first, scene.second}));
    CHECK_EQUAL(found[0].evidence.back(), "1 further coroutine waits for coroutines of this cycle");
}

CT_CASE(eachDeadlockCountsItsOwnWaiters)
{
    Locks scene;
    scene.wait(scene.first, 100, kLockB);
    scene.wait(scene.second, 100, kLockA);
    constexpr std::uint64_t kOwnLock = 0x300;
    const CoroutineId alone = scene.born();
    scene.use(UseKind::Acquired, alone, kOwnLock, 3);
    scene.wait(alone, 100, kOwnLock);
    const CoroutineId behind = scene.born();
    scene.wait(behind, 100, kLockA);
    const CoroutineId behindIt = scene.born();
    scene.suspend(behindIt, 100, scene.where);
    scene.waits(behindIt, WaitKind::Coroutine, 0, behind);
    for (const Finding &found : scene.at(400, Rule::Deadlock)) {
        const bool isAlone = found.coroutines == Ids{alone};
        CHECK(found.evidence.back().starts_with("2 further coroutines wait for coroutines of this cycle") != isAlone);
    }
    CHECK_EQUAL(scene.at(400, Rule::Deadlock).size(), 2U);
}

CT_CASE(anOwnerThatCanGoOnIsNoDeadlock)
{
    Locks scene;
    scene.wait(scene.first, 100, kLockB);
    scene.suspend(scene.second, 100, scene.where);
    scene.waits(scene.second, WaitKind::Timer, 3'600'000 * JudgeScene::kMs);
    CHECK(scene.isClean(60'000));
}

CT_CASE(aWaitForAnyIsDeadlockedOnlyInAKnot)
{
    Locks scene;
    const auto waitForEither = [&scene](CoroutineId id, std::uint64_t ms, std::uint64_t lock, WaitKind otherKind,
                                        std::uint64_t other) {
        scene.suspend(id, ms, scene.where);
        Batch batch;
        batch.notes.waits = {{id, 0, WaitKind::Lock, lock, kNoCoroutine, 1},
                             {id, 0, otherKind, other, kNoCoroutine, 3}};
        scene.feed(batch);
    };
    scene.wait(scene.second, 100, kLockA);
    waitForEither(scene.first, 110, kLockB, WaitKind::Channel, 0x300);
    CHECK(scene.isClean(60'000));

    // No deadlock: the first coroutine waits for either of two locks, and the holder of one is not in the cycle.
    Locks other;
    const CoroutineId holder = other.suspended(50, other.where);
    other.waits(holder, WaitKind::Timer, 3'600'000 * JudgeScene::kMs);
    other.use(UseKind::Acquired, holder, 0x300, 60);
    other.wait(other.second, 100, kLockA);
    other.suspend(other.first, 110, other.where);
    Batch either;
    either.notes.waits = {{other.first, 0, WaitKind::Lock, kLockB, kNoCoroutine, 1},
                          {other.first, 0, WaitKind::Lock, 0x300, kNoCoroutine, 3}};
    other.feed(either);
    CHECK(other.isClean(60'000));

    Locks knot;
    knot.wait(knot.second, 100, kLockA);
    knot.suspend(knot.first, 110, knot.where);
    Batch batch;
    batch.notes.waits = {{knot.first, 0, WaitKind::Lock, kLockB, kNoCoroutine, 1},
                         {knot.first, 0, WaitKind::Coroutine, 0, knot.second, 3}};
    knot.feed(batch);
    const std::vector<Finding> found = knot.at(402, Rule::Deadlock);
    REQUIRE(found.size() == 1);
    CHECK_EQUAL(found[0].evidence.front(), "coroutine 0 waits in transfer() at transfer.cpp:20 for lock 0x200, which "
                                           "coroutine 1 acquired 400 ms ago, or for coroutine 1");
}

CT_CASE(aLongChainOfWaitsIsJudgedOnce)
{
    JudgeScene scene;
    const SiteId where = scene.site("link", 1);
    constexpr CoroutineId kLinks = 20'000;
    for (CoroutineId id = 0; id < kLinks; ++id)
        scene.suspended(1, where);
    Batch batch;
    for (CoroutineId id = 0; id + 1 < kLinks; ++id)
        batch.notes.waits.push_back({id, 0, WaitKind::Coroutine, 0, id + 1});
    batch.notes.waits.push_back({kLinks - 1, 0, WaitKind::Channel, 5});
    scene.feed(batch);
    CHECK(scene.isClean(400));
    scene.waits(kLinks - 1, WaitKind::Coroutine, 0, 0);
    const std::vector<Finding> found = scene.at(400, Rule::Deadlock);
    REQUIRE(found.size() == 1);
    CHECK_EQUAL(found[0].coroutines.size(), std::size_t{kLinks});
}
