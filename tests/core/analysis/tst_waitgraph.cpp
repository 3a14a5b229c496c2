// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/components.h"
#include "core/analysis/waitgraph.h"
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

constexpr std::uint64_t kLock = 0x100;
constexpr std::uint64_t kOtherLock = 0x200;

struct Waits : JudgeScene {
    SiteId reader = site("read", 1);
    SiteId handler = site("handle", 2);

    CoroutineId waiting(std::uint64_t ms, WaitKind kind, std::uint64_t object, CoroutineId target = kNoCoroutine)
    {
        const CoroutineId id = suspended(ms, target == kNoCoroutine ? reader : handler);
        waits(id, kind, object, target);
        return id;
    }
    /// Two coroutines, each of which holds the lock that the other one waits for.
    void deadlock()
    {
        const CoroutineId first = suspended(10, reader);
        const CoroutineId second = suspended(10, reader);
        use(UseKind::Acquired, first, kLock, 5);
        use(UseKind::Acquired, second, kOtherLock, 5);
        waits(first, WaitKind::Lock, kOtherLock);
        waits(second, WaitKind::Lock, kLock);
    }
    /// Time passes.
    void pass(std::uint64_t untilMs) { resume(suspended(untilMs, reader), untilMs); }
    WaitGraph graph(std::size_t most = WaitGraph::kMostNodes) const
    {
        return waitGraphOf(population, &data.objects(), most);
    }
};

const WaitNode *nodeOf(const WaitGraph &graph, CoroutineId id)
{
    const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                    [id](const WaitNode &node) { return node.coroutine == id; });
    return found == graph.nodes.end() ? nullptr : &*found;
}

const WaitNode *nodeOf(const WaitGraph &graph, WaitNodeKind kind)
{
    const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                    [kind](const WaitNode &node) { return node.kind == kind; });
    return found == graph.nodes.end() ? nullptr : &*found;
}

DeadEnd deadEndOf(const WaitGraph &graph, WaitNodeKind kind)
{
    const WaitNode *const node = nodeOf(graph, kind);
    return node ? node->deadEnd : DeadEnd::None;
}

std::uint64_t markedNodes(const WaitGraph &graph)
{
    std::uint64_t count = 0;
    for (const WaitNode &node : graph.nodes)
        count += node.inCycle || node.deadEnd != DeadEnd::None ? 1 : 0;
    return count;
}

}  // namespace

CT_CASE(edgesLeadFromWaitersToObjectsAndTheirHolders)
{
    Waits scene;
    const CoroutineId holder = scene.born();
    scene.resume(holder, 5);
    scene.use(UseKind::Acquired, holder, kLock, 6);
    const CoroutineId inner = scene.waiting(10, WaitKind::Lock, kLock);
    const CoroutineId outer = scene.waiting(20, WaitKind::Coroutine, 0, inner);
    scene.waiting(30, WaitKind::Lock, kLock);
    scene.waiting(30, WaitKind::Descriptor, 7);
    scene.waiting(30, WaitKind::Descriptor, 7);
    scene.waiting(30, WaitKind::Timer, 90);
    scene.waiting(30, WaitKind::Timer, 90);
    scene.suspended(40, scene.reader);  // reports no wait
    const WaitGraph graph = scene.graph();
    CHECK_EQUAL(graph.coroutines, 8U);
    CHECK_EQUAL(graph.others, 1U);
    CHECK_EQUAL(graph.nodes.size(), 8U + 1 + 1 + 2);  // a lock, a descriptor, two timers
    CHECK_EQUAL(graph.edges.size(), 8U);
    CHECK_EQUAL(markedNodes(graph), 0U);
    CHECK(!graph.isBySite);
    const auto leads = [&graph](CoroutineId from, WaitNodeKind kind, CoroutineId to, bool isHeld) {
        return std::any_of(graph.edges.begin(), graph.edges.end(), [&](const WaitEdge &edge) {
            return graph.nodes[edge.from].coroutine == from && graph.nodes[edge.to].kind == kind &&
                   graph.nodes[edge.to].coroutine == to && edge.isHeld == isHeld;
        });
    };
    CHECK(leads(outer, WaitNodeKind::Coroutine, inner, false));
    CHECK(leads(inner, WaitNodeKind::Lock, kNoCoroutine, false));
    CHECK(leads(kNoCoroutine, WaitNodeKind::Coroutine, holder, true));
    CHECK(nodeOf(graph, holder)->state == CoroutineState::Running);
}

CT_CASE(aLockThatAThreadHoldsLeadsToTheThread)
{
    Waits scene;
    scene.use(UseKind::Acquired, kNoCoroutine, kLock, 5);
    scene.waiting(10, WaitKind::Lock, kLock);
    const WaitGraph graph = scene.graph();
    const WaitNode *const thread = nodeOf(graph, WaitNodeKind::Thread);
    REQUIRE(thread);
    CHECK_EQUAL(thread->object, 100U);
    CHECK_EQUAL(graph.edges.size(), 2U);
}

CT_CASE(aDeadlockIsACycle)
{
    Waits scene;
    scene.deadlock();
    const CoroutineId behind = scene.waiting(20, WaitKind::Coroutine, 0, 0);
    const WaitGraph graph = scene.graph();
    CHECK_EQUAL(graph.cycles, 1U);
    CHECK_EQUAL(graph.nodes.size(), 5U);
    CHECK_EQUAL(markedNodes(graph), 4U);
    CHECK(!nodeOf(graph, behind)->inCycle);
    for (const WaitEdge &edge : graph.edges)
        CHECK_EQUAL(edge.inCycle, graph.nodes[edge.from].coroutine != behind);
}

CT_CASE(aWaitThatCanEndOtherwiseIsInNoCycle)
{
    for (const bool isForAll : {false, true}) {
        Waits scene;
        scene.deadlock();
        scene.resume(0, 30);
        scene.suspend(0, 40, scene.reader);
        Batch batch;
        const std::uint32_t part = isForAll ? 2 : 1;
        batch.notes.waits = {{0, 2, WaitKind::Lock, kOtherLock, kNoCoroutine, part},
                             {0, 2, WaitKind::Timer, 900, kNoCoroutine, part + 2}};
        scene.feed(batch);
        const WaitGraph graph = scene.graph();
        CHECK_EQUAL(graph.cycles, isForAll ? 1U : 0U);
        CHECK_EQUAL(graph.edges.front().isAny, !isForAll);
    }
    Waits woken;
    woken.deadlock();
    woken.wake(1, 20);
    CHECK_EQUAL(woken.graph().cycles, 0U);
    Waits semaphore;
    semaphore.deadlock();
    semaphore.use(UseKind::Released, kNoCoroutine, kLock, 20);
    CHECK_EQUAL(semaphore.graph().cycles, 0U);
}

CT_CASE(anEndedCoroutineIsADeadEnd)
{
    Waits scene;
    const CoroutineId awaited = scene.suspended(10, scene.reader);
    scene.waiting(20, WaitKind::Coroutine, 0, awaited);
    scene.destroy(awaited, 100);
    scene.pass(1000);
    CHECK_EQUAL(scene.graph().deadEnds, 0U);  // its waiter may be about to be resumed
    scene.pass(2000);
    CHECK_EQUAL(scene.graph().deadEnds, 1U);
    CHECK(nodeOf(scene.graph(), awaited)->deadEnd == DeadEnd::Ended);
    CHECK(nodeOf(scene.graph(), awaited)->state == CoroutineState::Destroyed);
    scene.wake(1, 2000);
    CHECK_EQUAL(scene.graph().deadEnds, 0U);
}

CT_CASE(aLockWithoutAHolderThatCanReleaseItIsADeadEnd)
{
    Waits released;
    const CoroutineId user = released.suspended(5, released.reader);
    released.use(UseKind::Acquired, user, kLock, 10);
    released.waiting(20, WaitKind::Lock, kLock);
    released.use(UseKind::Released, user, kLock, 30);
    released.pass(500);
    CHECK(deadEndOf(released.graph(), WaitNodeKind::Lock) == DeadEnd::None);
    released.pass(1100);
    CHECK(deadEndOf(released.graph(), WaitNodeKind::Lock) == DeadEnd::NoHolder);
    CHECK_EQUAL(waitGraphOf(released.population, nullptr).deadEnds, 0U);  // uses are not known

    Waits held;
    const CoroutineId holder = held.suspended(5, held.reader);
    held.use(UseKind::Acquired, holder, kLock, 10);
    held.waiting(20, WaitKind::Lock, kLock);
    held.pass(2000);
    CHECK_EQUAL(held.graph().deadEnds, 0U);
    held.destroy(holder, 2000);
    CHECK(deadEndOf(held.graph(), WaitNodeKind::Lock) == DeadEnd::HolderEnded);

    Waits unused;
    unused.waiting(20, WaitKind::Lock, kLock);
    unused.pass(2000);
    CHECK_EQUAL(unused.graph().deadEnds, 0U);
}

CT_CASE(aCoroutineWithoutWakersIsADeadEnd)
{
    Waits scene;
    const CoroutineId id = scene.suspended(10, scene.reader);
    Batch batch;
    batch.notes.wakersLeft = {{id, 1, 0, 20 * JudgeScene::kMs}};
    scene.feed(batch);
    scene.pass(2000);
    const WaitGraph graph = scene.graph();
    REQUIRE(nodeOf(graph, id));
    CHECK(nodeOf(graph, id)->deadEnd == DeadEnd::NoWakers);
}

CT_CASE(manyNodesAreGroupedBySite)
{
    Waits scene;
    scene.deadlock();
    for (std::uint64_t i = 0; i < 50; ++i) {
        const CoroutineId inner = scene.waiting(100 - i, WaitKind::Descriptor, 10 + i);
        scene.waiting(100, WaitKind::Coroutine, 0, inner);
    }
    const WaitGraph whole = scene.graph(154);
    CHECK(!whole.isBySite);
    const WaitGraph graph = scene.graph(153);
    CHECK(graph.isBySite);
    CHECK_EQUAL(graph.coroutines, 102U);
    // Readers, handlers and descriptors; the coroutines and the locks of the deadlock.
    REQUIRE(graph.nodes.size() == 5);
    CHECK_EQUAL(graph.nodes[nodeOf(graph, WaitNodeKind::Descriptor) - graph.nodes.data()].count, 50U);
    std::uint64_t inCycles = 0;
    for (const WaitNode &node : graph.nodes)
        inCycles += node.inCycle ? node.count : 0;
    CHECK_EQUAL(inCycles, 4U);
    CHECK_EQUAL(graph.cycles, 1U);
    std::uint64_t edges = 0;
    for (const WaitEdge &edge : graph.edges)
        edges += edge.count;
    CHECK_EQUAL(edges, 104U);
    // The one that has waited longest stands for its site.
    const WaitNode *const first = nodeOf(graph, CoroutineId{2 + 49 * 2});
    REQUIRE(first);
    CHECK_EQUAL(first->count, 50U);
    CHECK_EQUAL(graph.leftOut, 0U);
    const WaitGraph cut = scene.graph(2);
    CHECK_EQUAL(cut.nodes.size(), 2U);
    CHECK(cut.nodes[0].inCycle && cut.nodes[1].inCycle);
    CHECK_EQUAL(cut.leftOut, 150U);
    for (const WaitEdge &edge : cut.edges)
        CHECK(edge.from < 2 && edge.to < 2);
}

CT_CASE(coroutinesOfOneSiteThatAwaitOneAnotherAreNoCycle)
{
    Waits scene;
    CoroutineId inner = scene.suspended(10, scene.handler);
    for (int i = 0; i < 10; ++i)
        inner = scene.waiting(20, WaitKind::Coroutine, 0, inner);
    const WaitGraph graph = scene.graph(5);
    REQUIRE(graph.nodes.size() == 1);
    CHECK_EQUAL(graph.nodes[0].count, 11U);
    CHECK(graph.edges.empty());
}

CT_CASE(cyclesAreComponentsAndLoops)
{
    using Cycles = std::vector<std::vector<std::uint32_t>>;
    CHECK(cyclesOf({}) == Cycles{});
    CHECK(cyclesOf({{1}, {2}, {}}) == Cycles{});
    CHECK(cyclesOf({{0}, {}}) == (Cycles{{0}}));
    CHECK(cyclesOf({{1}, {2}, {0, 3}, {4}, {3}, {0}}) == (Cycles{{3, 4}, {0, 1, 2}}));
    constexpr std::uint32_t kLong = 200'000;
    Successors ring(kLong);
    for (std::uint32_t i = 0; i < kLong; ++i)
        ring[i] = {(i + 1) % kLong};
    const Cycles cycles = cyclesOf(ring);
    REQUIRE(cycles.size() == 1);
    CHECK_EQUAL(cycles[0].size(), std::size_t{kLong});
}
