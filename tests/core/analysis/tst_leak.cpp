// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rule leak, with its healthy twins.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

using Ids = std::vector<CoroutineId>;

/// Requests that live for 10 ms each, one every 10 ms. Some of them are left behind.
struct Requests : JudgeScene {
    SiteId where = site("handle", 30);
    Ids left;

    CoroutineId begin(std::uint64_t ms)
    {
        const CoroutineId id = born(ms);
        suspend(id, ms, where);
        return id;
    }
    void end(CoroutineId id, std::uint64_t ms)
    {
        resume(id, ms);
        destroy(id, ms);
    }
    /// From `from` to `to`, leaves one of `each` requests behind; 0: none.
    void serve(std::uint64_t from, std::uint64_t to, std::uint64_t each)
    {
        for (std::uint64_t ms = from; ms < to; ms += 10) {
            const CoroutineId id = begin(ms);
            if (each != 0 && ms / 10 % each == 0)
                left.push_back(id);
            else
                end(id, ms + 10);
        }
    }
    /// The only thread sleeps, and its epoll has so many sockets.
    void idle(std::uint64_t ms, std::uint32_t sockets, bool isTimed = false)
    {
        std::vector<DescriptorSample> descriptors;
        for (std::uint32_t i = 0; i < sockets; ++i)
            descriptors.push_back(descriptor(10 + i, 4, DescriptorKind::Socket));
        ThreadSample sleeping = thread(50, ThreadState::Sleeping, ThreadCall::Epoll, 4);
        sleeping.isTimed = isTimed;
        sampled(ms, {sleeping}, std::move(descriptors));
    }
    std::vector<Finding> leaks(std::uint64_t ms) const { return at(ms, Rule::Leak); }
};

}  // namespace

CT_CASE(requestsThatNeverEndAreALeak)
{
    Requests scene;
    scene.serve(10, 6000, 10);
    std::vector<Finding> found = scene.leaks(7500);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Info);  // they may be idle connections
    CHECK(found[0].coroutines == scene.left);
    CHECK_EQUAL(found[0].site, scene.where);
    scene.idle(7000, 1);
    scene.sampled(7400);
    found = scene.leaks(7500);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Warning);
    CHECK_EQUAL(found[0].evidence.back(), "no timer is armed, and the epolls have only 1 descriptor");
}

CT_CASE(idleConnectionsAreNoWarning)
{
    Requests scene;
    scene.serve(10, 6000, 10);
    scene.idle(7000, 60);
    scene.sampled(7400);
    const std::vector<Finding> found = scene.leaks(7500);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Info);
}

CT_CASE(aThreadWithATimeoutMayEndThemLater)
{
    Requests scene;
    scene.serve(10, 6000, 10);
    scene.idle(7000, 0, true);
    scene.sampled(7400);
    CHECK(scene.leaks(7500).at(0).severity == Severity::Info);
}

CT_CASE(framesThatAreKeptForEverAreALeak)
{
    Requests scene;
    scene.serve(10, 6000, 10);
    for (const CoroutineId id : scene.left) {
        scene.resume(id, 6001);
        scene.suspend(id, 6001, scene.where, PointKind::Final);
    }
    const std::vector<Finding> found = scene.leaks(7500);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Warning);
    CHECK(found[0].evidence.back().ends_with("have finished, and their frames are kept"));
}

CT_CASE(coroutinesThatLoseTheirCreatorsAreALeak)
{
    Requests scene;
    const CoroutineId creator = scene.born(1);
    scene.serve(10, 6000, 10);
    for (const CoroutineId id : scene.left)
        scene.parent(id, creator);
    scene.destroy(creator, 6000);
    scene.idle(7000, 0, true);
    scene.sampled(7400);
    CHECK(scene.leaks(7500).at(0).severity == Severity::Warning);
}

CT_CASE(coroutinesThatAllOutliveTheirCreatorsAreALeak)
{
    const auto found = [](bool creatorEnds, bool areResumed, std::uint32_t sockets, bool areSilent = false) {
        Requests scene;
        const SiteId watch = scene.site("watch", 60);
        for (std::uint64_t ms = 10; ms < 6000; ms += 50) {
            const CoroutineId request = scene.begin(ms);
            const CoroutineId watcher = scene.born(ms);
            scene.parent(watcher, request);
            scene.suspend(watcher, ms, watch);
            scene.left.push_back(watcher);
            if (areResumed) {
                scene.resume(watcher, ms + 1);
                scene.suspend(watcher, ms + 2, watch);
            }
            if (!areSilent)
                scene.waits(watcher, WaitKind::Channel, 0x7f10);
            if (creatorEnds)
                scene.end(request, ms + 10);
        }
        scene.serve(6000, 6400, 0);
        scene.idle(7000, sockets, true);
        scene.sampled(7400);
        std::vector<Finding> leaks = scene.leaks(7500);
        std::erase_if(leaks, [](const Finding &finding) { return finding.severity == Severity::Info; });
        CHECK(leaks.empty() || (leaks[0].coroutines == scene.left && leaks[0].site == watch));
        return leaks.size();
    };
    CHECK_EQUAL(found(true, false, 1), 1U);
    CHECK_EQUAL(found(false, false, 1), 0U);       // the creators wait for them
    CHECK_EQUAL(found(true, true, 1), 0U);         // they serve others
    CHECK_EQUAL(found(true, false, 100), 0U);      // they may be connections
    CHECK_EQUAL(found(true, false, 1, true), 0U);  // they may wait for a time that is far away
}

CT_CASE(aNumberThatDoesNotGrowIsNoLeak)
{
    Requests pool;  // workers of the begin, and then short requests
    for (int i = 0; i < 100; ++i)
        pool.begin(10);
    pool.serve(20, 6000, 0);
    pool.idle(7000, 1);
    pool.sampled(7400);
    CHECK(pool.leaks(7500).empty());

    Requests ended;  // it stopped in the middle
    ended.serve(10, 3000, 5);
    ended.serve(3000, 6000, 0);
    ended.idle(7000, 1);
    ended.sampled(7400);
    CHECK(ended.leaks(7500).empty());

    Requests late;  // it stopped after three quarters
    late.serve(10, 6000, 10);
    late.serve(6000, 8000, 0);
    late.idle(9000, 1);
    late.sampled(9400);
    CHECK(late.leaks(9500).empty());
}

CT_CASE(aLongRequestAmongShortOnesIsNoLeak)
{
    Requests scene;
    for (std::uint64_t ms = 1000; ms < 9000; ms += 100) {
        scene.serve(ms, ms + 100, 0);
        const CoroutineId slow = scene.begin(ms);
        scene.end(slow, ms + 2000);  // 8 in 100 take 2 s
    }
    CHECK(scene.leaks(9000).empty());
}

CT_CASE(aWaitForATimeIsNoLeak)
{
    Requests scene;
    scene.serve(10, 6000, 10);
    for (const CoroutineId id : scene.left)
        scene.waits(id, WaitKind::Timer, 60'000 * JudgeScene::kMs);
    scene.idle(7000, 1);
    scene.sampled(7400);
    CHECK(scene.leaks(7500).empty());
}

CT_CASE(fewEndsAreNoReference)
{
    Requests scene;
    for (std::uint64_t ms = 10; ms < 6000; ms += 250) {
        scene.left.push_back(scene.begin(ms));
        scene.end(scene.begin(ms), ms + 10);
    }
    CHECK(scene.leaks(7500).empty());
}

CT_CASE(aWaitWithoutItsCreatorIsInformation)
{
    JudgeScene scene;
    const SiteId where = scene.site("detached", 9);
    const CoroutineId creator = scene.born(1);
    const CoroutineId id = scene.suspended(100, where);
    scene.parent(id, creator);
    CHECK(scene.at(6000, Rule::Leak).empty());
    scene.destroy(creator, 6000);
    const std::vector<Finding> found = scene.at(6001, Rule::Leak);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Info);
    CHECK(scene.at(5000, Rule::Leak).empty());
    const CoroutineId awaiting = scene.suspended(200, where);
    scene.waits(awaiting, WaitKind::Coroutine, 0, id);
    CHECK(scene.at(6001, Rule::Leak).empty());
}

CT_CASE(whatIsLeftAtTheEndOfTheProcessIsInformation)
{
    Requests scene;
    Batch batch;
    batch.notes.processes = {{JudgeScene::kPid, 1, "server"}};
    scene.feed(batch);
    scene.serve(10, 3000, 100);
    CHECK(scene.leaks(3500).empty());
    Batch end;
    end.notes.processEnds = {{JudgeScene::kPid, 3200 * JudgeScene::kMs}};
    scene.feed(end);
    const std::vector<Finding> found = scene.leaks(3500);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Info);
    CHECK(found[0].coroutines == scene.left);
}
