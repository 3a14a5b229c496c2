// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coroutines that wait for signals of one another, and healthy programs that look alike.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

constexpr std::uint64_t kBarrier = 0x700;

/// Solvers that meet at a barrier: the last one to arrive signals it. A clock goes on for ever.
struct Solvers : JudgeScene {
    SiteId where = site("solve", 57);
    SiteId tick = site("clock", 9);
    std::vector<CoroutineId> ids;
    CoroutineId clock = born();

    explicit Solvers(std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i)
            ids.push_back(suspended(1, where));
    }
    void arrive(CoroutineId id, std::uint64_t ms)
    {
        suspend(id, ms, where);
        waits(id, WaitKind::Other, kBarrier);
    }
    /// `signaller` comes last, and wakes the others, who began to wait at `ms`.
    void meet(std::uint64_t ms, CoroutineId signaller)
    {
        for (const CoroutineId id : ids)
            resume(id, ms);
        for (const CoroutineId id : ids)
            if (id != signaller)
                arrive(id, ms + 1);
        use(UseKind::Signalled, signaller, kBarrier, ms + 2);
        for (const CoroutineId id : ids)
            if (id != signaller)
                wake(id, ms + 2);
        if (std::find(ids.begin(), ids.end(), signaller) != ids.end())
            suspend(signaller, ms + 3, where);
    }
    /// Rounds in which each of `signallers` comes last in turn.
    void meetOften(std::uint64_t rounds, const std::vector<CoroutineId> &signallers)
    {
        for (std::uint64_t i = 0; i < rounds; ++i)
            meet(100 + 10 * i, signallers[i % signallers.size()]);
    }
    /// From now on, those of `ids` wait, and only the clock goes on.
    void stop(std::uint64_t ms)
    {
        for (const CoroutineId id : ids) {
            resume(id, ms);
            arrive(id, ms + 1);
        }
        for (std::uint64_t at = ms; at < 3000; at += 50) {
            suspend(clock, at, tick);
            resume(clock, at + 1);
        }
    }
    std::vector<Finding> found() const { return at(3000, Rule::LostWakeup); }
};

}  // namespace

CT_CASE(aBarrierWhosePartiesAllWaitIsFound)
{
    Solvers scene(3);
    scene.meetOften(12, scene.ids);
    scene.stop(500);
    const std::vector<Finding> found = scene.found();
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Warning);
    CHECK(found[0].coroutines == scene.ids);
    CHECK(found[0].message.find("in a group of 3 coroutines that wait for signals of one another") !=
          std::string::npos);
}

/// It left, and is still counted.
CT_CASE(aPartyThatEndedBelongsToTheGroup)
{
    Solvers scene(4);
    scene.meetOften(12, scene.ids);
    scene.destroy(scene.ids.back(), 480);
    scene.ids.pop_back();
    scene.stop(500);
    const std::vector<Finding> found = scene.found();
    REQUIRE(found.size() == 1);
    CHECK(found[0].coroutines == scene.ids);
}

CT_CASE(oneSignallerOutsideIsEnough)
{
    // The clock, which goes on; a producer that has ended; a thread.
    for (const int kind : {0, 1, 2}) {
        Solvers scene(3);
        const CoroutineId producer = scene.suspended(2, scene.site("produce", 5));
        const CoroutineId other = kind == 0 ? scene.clock : kind == 1 ? producer : kNoCoroutine;
        std::vector<CoroutineId> signallers = scene.ids;
        signallers.push_back(other);
        scene.meetOften(12, signallers);
        scene.destroy(producer, 480);
        scene.stop(500);
        CHECK(scene.found().empty());
    }
}

CT_CASE(fewSignalsDoNotShowWhoSignals)
{
    Solvers scene(3);
    scene.meetOften(9, scene.ids);
    scene.stop(500);
    CHECK(scene.found().empty());
}

CT_CASE(aMemberThatWasWokenLeadsTheOthersOut)
{
    Solvers scene(3);
    scene.meetOften(12, scene.ids);
    scene.stop(500);
    scene.wake(scene.ids[0], 2000);
    CHECK(scene.found().empty());
}

/// Each stage waits for items of the one before, and the first one for the clock, which goes on.
CT_CASE(aPipelineWithoutInputIsIdle)
{
    Solvers scene(0);
    std::vector<CoroutineId> before{scene.clock};
    for (std::uint64_t stage = 0; stage < 5; ++stage) {
        const CoroutineId id = scene.suspended(1, scene.where);
        for (std::uint64_t ms = 100; ms < 200; ms += 10)
            scene.use(UseKind::Signalled, before.back(), 0x900 + stage, ms);
        scene.resume(id, 300);
        scene.suspend(id, 301, scene.where);
        scene.waits(id, WaitKind::Channel, 0x900 + stage);
        before.push_back(id);
    }
    scene.stop(500);
    CHECK(scene.found().empty());
}

/// A cycle of two full channels: each coroutine waits for room that only the other one makes.
CT_CASE(aCycleThroughTwoObjectsIsFound)
{
    Solvers scene(0);
    const CoroutineId one = scene.suspended(1, scene.where);
    const CoroutineId other = scene.suspended(1, scene.where);
    for (std::uint64_t ms = 100; ms < 200; ms += 10) {
        scene.use(UseKind::Signalled, one, 0x900, ms);
        scene.use(UseKind::Signalled, other, 0x980, ms);
    }
    const auto waitFor = [&scene](CoroutineId id, std::uint64_t object) {
        scene.resume(id, 300);
        scene.suspend(id, 301, scene.where);
        scene.waits(id, WaitKind::Channel, object);
    };
    waitFor(one, 0x980);
    waitFor(other, 0x900);
    scene.stop(500);
    REQUIRE(scene.found().size() == 1);
    CHECK_EQUAL(scene.found()[0].coroutines.size(), 2U);
    // One that waits for an object which only it has signalled is no group.
    Solvers alone(0);
    const CoroutineId single = alone.suspended(1, alone.where);
    for (std::uint64_t ms = 100; ms < 200; ms += 10)
        alone.use(UseKind::Signalled, single, 0x900, ms);
    alone.resume(single, 300);
    alone.suspend(single, 301, alone.where);
    alone.waits(single, WaitKind::Channel, 0x900);
    alone.stop(500);
    CHECK(alone.found().empty());
}
