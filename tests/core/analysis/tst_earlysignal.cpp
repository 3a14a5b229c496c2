// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Signals that came before their waits, in programs in which each object is signalled once; with their healthy twins.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

/// Requests of one wait each. Every one has a coroutine, but addresses of objects are used again.
struct Requests : JudgeScene {
    static constexpr std::uint64_t kAddresses = 8;
    SiteId where = site("request", 39);
    std::uint64_t count = 0;

    CoroutineId start(std::uint64_t ms) { return born(ms); }
    std::uint64_t object() { return 0x1000 + 64 * (count++ % kAddresses); }
    void suspendFor(CoroutineId id, std::uint64_t ms, std::uint64_t object)
    {
        suspend(id, ms, where);
        waits(id, WaitKind::Other, object);
    }
    /// A request that waits from 2 to 4 ms after its start. By default, it is answered while it waits.
    void answer(std::uint64_t ms, const std::vector<std::uint64_t> &signalsMs = {4})
    {
        const CoroutineId id = start(ms);
        const std::uint64_t answer = object();
        suspendFor(id, ms + 2, answer);
        for (const std::uint64_t signalMs : signalsMs)
            use(UseKind::Signalled, kNoCoroutine, answer, ms + signalMs);
        wake(id, ms + 4);
        resume(id, ms + 5);
        destroy(id, ms + 6);
    }
    void answerSeveral(std::uint64_t from, std::uint64_t to)
    {
        for (std::uint64_t ms = from; ms < to; ms += 10)
            answer(ms);
    }
    /// A request that is answered before it waits.
    CoroutineId miss(std::uint64_t ms)
    {
        const CoroutineId id = start(ms);
        const std::uint64_t answer = 0x9000;
        use(UseKind::Signalled, kNoCoroutine, answer, ms + 4);
        suspendFor(id, ms + 12, answer);
        return id;
    }
    Severity severity(std::uint64_t ms) const
    {
        const std::vector<Finding> found = at(ms, Rule::LostWakeup);
        REQUIRE(found.size() == 1);
        return found.front().severity;
    }
};

}  // namespace

CT_CASE(theOnlySignalBeforeTheWaitIsLost)
{
    Requests scene;
    scene.answerSeveral(100, 600);
    const CoroutineId id = scene.miss(600);
    scene.answerSeveral(620, 1300);
    const std::vector<Finding> found = scene.at(2000, Rule::LostWakeup);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Warning);
    CHECK(found[0].coroutines == std::vector<CoroutineId>{id});
    CHECK_EQUAL(found[0].evidence.back(), "object 0x9000 was signalled 8.00 ms before the wait began; for 118 other "
                                          "waits there, the only signal came during the wait");
}

/// It may have taken the first signal without a suspension, and wait for the second one.
CT_CASE(whereObjectsAreSignalledTwiceItMayWaitForTheSecond)
{
    Requests scene;
    scene.answerSeveral(100, 600);
    (void)scene.miss(600);
    scene.answerSeveral(620, 1300);
    scene.answer(1300, {1, 4});
    CHECK(scene.severity(2000) == Severity::Info);
}

CT_CASE(whereAnEarlierSignalServesAWaitItMayBeServedLater)
{
    Requests scene;
    scene.answerSeveral(100, 600);
    (void)scene.miss(600);
    scene.answerSeveral(620, 1300);
    scene.answer(1300, {0});
    CHECK(scene.severity(2000) == Severity::Info);
}

CT_CASE(aSignalOfAnEarlierUserOfTheAddressIsNone)
{
    Requests scene;
    scene.answerSeveral(100, 600);
    scene.use(UseKind::Signalled, kNoCoroutine, 0x9000, 590);
    const CoroutineId id = scene.start(600);
    scene.suspendFor(id, 612, 0x9000);
    scene.answerSeveral(620, 1300);
    CHECK(scene.severity(2000) == Severity::Info);
}

CT_CASE(fewWaitsSayNothingAboutTheirSignals)
{
    Requests scene;
    for (std::uint64_t ms = 100; ms < 600; ms += 10) {  // not reported what they wait for
        const CoroutineId id = scene.start(ms);
        scene.suspend(id, ms + 2, scene.where);
        scene.resume(id, ms + 5);
        scene.destroy(id, ms + 6);
    }
    (void)scene.miss(600);
    scene.answerSeveral(620, 900);
    CHECK(scene.severity(2000) == Severity::Info);
    scene.answerSeveral(900, 1000);
    CHECK(scene.severity(2000) == Severity::Warning);
}
