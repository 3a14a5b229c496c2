// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/awaitchain.h"
#include "tests/support/check.h"

using namespace ct;

namespace {

constexpr std::uint32_t kPid = 5;

/// Coroutines that are all suspended.
struct Scene {
    Population population;

    explicit Scene(CoroutineId count)
    {
        Batch batch;
        for (CoroutineId id = 0; id < count; ++id) {
            Birth birth;
            birth.coroutine = id;
            birth.pid = kPid;
            birth.dialect = Dialect::Lane;
            batch.births.push_back(birth);
            batch.transitions.push_back({100, 0, 0, 0, id, 6, kUnknownSite, PointKind::Await, false});
        }
        (void)population.consume(batch);
    }
    void await(CoroutineId waiter, CoroutineId awaited)
    {
        Batch batch;
        batch.notes.waits = {{waiter, 0, WaitKind::Coroutine, 0, awaited}};
        (void)population.consume(batch);
    }
};

using Ids = std::vector<CoroutineId>;

}  // namespace

CT_CASE(aChainGoesFromTheOutermostToTheObject)
{
    Scene scene(5);
    scene.await(3, 1);
    scene.await(1, 4);
    scene.await(4, 0);
    Batch batch;
    batch.notes.waits = {{0, 0, WaitKind::Lock, 0x77}};
    batch.notes.uses = {{2, 1, UseKind::Acquired, 0x77, 0, 90, kPid, 6},
                        {2, 1, UseKind::Acquired, 0x78, 0, 91, kPid, 6}};
    (void)scene.population.consume(batch);
    for (const CoroutineId id : {3U, 1U, 4U, 0U}) {
        const AwaitChain chain = awaitChainOf(scene.population, id);
        CHECK(chain.coroutines == (Ids{3, 1, 4, 0}));
        CHECK_EQUAL(chain.coroutines[chain.self], id);
        CHECK(!chain.isCycle && !chain.goesOnInwards && !chain.goesOnOutwards);
        REQUIRE(chain.waits.size() == 1 && chain.holders.size() == 1);
        CHECK_EQUAL(chain.waits.front().object, 0x77U);
        CHECK_EQUAL(chain.holders.front().by, 2U);
    }
    const AwaitChain alone = awaitChainOf(scene.population, 2);
    CHECK(alone.coroutines == Ids{2});
    CHECK(alone.waits.empty() && alone.holders.empty());
}

CT_CASE(severalObjectsEndAChain)
{
    Scene scene(4);
    scene.await(0, 1);
    Batch batch;
    batch.notes.waits = {{1, 0, WaitKind::Coroutine, 0, 2, 1}, {1, 0, WaitKind::Coroutine, 0, 3, 3}};
    (void)scene.population.consume(batch);
    const AwaitChain chain = awaitChainOf(scene.population, 0);
    CHECK(chain.coroutines == (Ids{0, 1}));
    CHECK_EQUAL(chain.waits.size(), 2U);
    CHECK(awaitChainOf(scene.population, 3).coroutines == (Ids{0, 1, 3}));
}

CT_CASE(aCycleIsADeadlock)
{
    Scene scene(4);
    scene.await(0, 1);
    scene.await(1, 2);
    scene.await(2, 0);
    const AwaitChain chain = awaitChainOf(scene.population, 1);
    CHECK(chain.coroutines == (Ids{1, 2, 0}));
    CHECK(chain.isCycle);
    scene.await(3, 0);  // awaits a coroutine of the cycle
    const AwaitChain outside = awaitChainOf(scene.population, 3);
    CHECK(outside.coroutines == (Ids{3, 0, 1, 2}));
    CHECK(!outside.isCycle && outside.goesOnInwards);
    scene.await(3, 3);
    CHECK(awaitChainOf(scene.population, 3).isCycle);
}

CT_CASE(longChainsAreCut)
{
    constexpr CoroutineId kCount = 1000;
    Scene scene(kCount);
    for (CoroutineId id = 0; id + 1 < kCount; ++id)
        scene.await(id, id + 1);
    const AwaitChain chain = awaitChainOf(scene.population, 500);
    CHECK_EQUAL(chain.coroutines.size(), 2 * AwaitChain::kMost + 1);
    CHECK_EQUAL(chain.coroutines[chain.self], 500U);
    CHECK(chain.goesOnInwards && chain.goesOnOutwards && chain.waits.empty());
}
