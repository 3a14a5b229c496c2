// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/chaingroups.h"
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

struct Requests : JudgeScene {
    SiteId acceptor = site("accept", 1);
    SiteId handler = site("handle", 2);
    SiteId reader = site("read", 3);

    /// A handler that awaits a reader, which waits for a descriptor.
    CoroutineId request(std::uint64_t ms)
    {
        const CoroutineId inner = suspended(ms, reader);
        waits(inner, WaitKind::Descriptor, 10 + ms);
        const CoroutineId outer = suspended(ms, handler);
        waits(outer, WaitKind::Coroutine, 0, inner);
        return outer;
    }
    std::vector<ChainGroup> groups() const { return chainGroupsOf(population); }
};

}  // namespace

CT_CASE(equalStacksAreOneGroup)
{
    Requests scene;
    scene.request(300);
    scene.request(200);
    scene.request(400);
    scene.resume(scene.born(), 500);
    const std::vector<ChainGroup> groups = scene.groups();
    REQUIRE(groups.size() == 2);
    CHECK_EQUAL(groups[0].count, 3U);
    CHECK(groups[0].end == ChainEnd::Waiting && groups[0].waitsFor == WaitKind::Descriptor);
    REQUIRE(groups[0].links.size() == 2);
    CHECK_EQUAL(groups[0].links[0].site, scene.reader);
    CHECK_EQUAL(groups[0].links[1].site, scene.handler);
    CHECK_EQUAL(groups[0].links[0].since, 200 * JudgeScene::kMs);                 // the longest wait
    CHECK(groups[0].coroutines == (std::vector<CoroutineId>{0, 1, 2, 3, 4, 5}));  // each reader, then its handler
    CHECK_EQUAL(groups[1].count, 1U);
    CHECK(groups[1].end == ChainEnd::Running);
}

CT_CASE(aWokenStackCountsFromItsWake)
{
    Requests scene;
    for (const std::uint64_t woken : {900, 800}) {
        const CoroutineId id = scene.suspended(1000 - woken, scene.acceptor);
        scene.wake(id, woken);
    }
    const std::vector<ChainGroup> groups = scene.groups();
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].end == ChainEnd::Woken);
    CHECK_EQUAL(groups[0].since, 800 * JudgeScene::kMs);
    REQUIRE(groups[0].links.size() == 1);
    CHECK_EQUAL(groups[0].links[0].since, 200 * JudgeScene::kMs);  // the location is that of the suspension
}

CT_CASE(everyLivingCoroutineIsInAStack)
{
    Requests scene;
    const CoroutineId first = scene.request(100);
    const CoroutineId second = scene.suspended(110, scene.handler);
    scene.waits(second, WaitKind::Coroutine, 0, first - 1);  // the reader has two waiters
    scene.suspended(120, scene.acceptor, PointKind::Initial);
    const CoroutineId woken = scene.suspended(130, scene.acceptor);
    scene.wake(woken, 140);
    scene.born();
    scene.suspended(150, scene.acceptor, PointKind::Final);
    scene.destroy(scene.suspended(160, scene.acceptor), 170);
    std::size_t links = 0;
    std::uint64_t notStarted = 0;
    std::uint64_t wokenStacks = 0;
    for (const ChainGroup &group : scene.groups()) {
        links += group.links.size() * group.count;
        notStarted += group.end == ChainEnd::NotStarted ? group.count : 0;
        wokenStacks += group.end == ChainEnd::Woken ? group.count : 0;
    }
    CHECK_EQUAL(links, 6U);
    CHECK_EQUAL(notStarted, 2U);
    CHECK_EQUAL(wokenStacks, 1U);
}

CT_CASE(coroutinesThatAwaitOneAnotherAreOneStack)
{
    Requests scene;
    const CoroutineId first = scene.suspended(100, scene.handler);
    const CoroutineId second = scene.suspended(100, scene.reader);
    scene.waits(first, WaitKind::Coroutine, 0, second);
    scene.waits(second, WaitKind::Coroutine, 0, first);
    const CoroutineId own = scene.suspended(100, scene.acceptor);
    scene.waits(own, WaitKind::Coroutine, 0, own);
    const std::vector<ChainGroup> groups = scene.groups();
    REQUIRE(groups.size() == 2);
    for (const ChainGroup &group : groups)
        CHECK(group.waitsFor == WaitKind::Coroutine);
    CHECK_EQUAL(groups[0].links.size() + groups[1].links.size(), 3U);
}

CT_CASE(aDeepRecursionIsOneStack)
{
    Requests scene;
    constexpr CoroutineId kDepth = 1000;
    for (CoroutineId id = 0; id < kDepth; ++id)
        scene.suspended(100, scene.handler);
    // The outermost one has the smallest id.
    for (CoroutineId id = 0; id + 1 < kDepth; ++id)
        scene.waits(id, WaitKind::Coroutine, 0, id + 1);
    scene.waits(kDepth - 1, WaitKind::Channel, 7);
    const std::vector<ChainGroup> groups = scene.groups();
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].waitsFor == WaitKind::Channel);
    CHECK_EQUAL(groups[0].links.size(), std::size_t{kDepth});
    CHECK_EQUAL(groups[0].links.back().coroutine, 0U);
}

CT_CASE(anAwaitedCoroutineThatHasEndedIsNoPartOfAStack)
{
    Requests scene;
    const CoroutineId outer = scene.request(100);
    scene.destroy(outer - 1, 200);
    const std::vector<ChainGroup> groups = scene.groups();
    REQUIRE(groups.size() == 1);
    CHECK_EQUAL(groups[0].links.size(), 1U);
    CHECK_EQUAL(groups[0].links[0].coroutine, outer);
}

/// Its frame is kept.
CT_CASE(anAwaitedCoroutineThatHasFinishedIsNoPartOfAStack)
{
    Requests scene;
    const CoroutineId outer = scene.suspended(100, scene.acceptor);
    const CoroutineId middle = scene.suspended(110, scene.handler);
    const CoroutineId inner = scene.suspended(120, scene.reader);
    scene.waits(outer, WaitKind::Coroutine, 0, middle);
    scene.waits(middle, WaitKind::Coroutine, 0, inner);
    scene.resume(inner, 200);
    scene.suspend(inner, 210, scene.reader, PointKind::Final);
    const std::vector<ChainGroup> groups = scene.groups();
    REQUIRE(groups.size() == 1);
    REQUIRE(groups[0].links.size() == 2);
    CHECK_EQUAL(groups[0].links[0].coroutine, middle);
    CHECK_EQUAL(groups[0].links[1].coroutine, outer);
}
