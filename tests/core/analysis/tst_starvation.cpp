// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rule starvation: coroutines that were woken, and wait for a thread.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

constexpr std::uint32_t kWorker = 300;
constexpr std::uint32_t kOther = 301;

/// A coroutine that has run on one of two workers, and was woken at 1000 ms. Another one keeps the process busy.
struct Woken : JudgeScene {
    SiteId where = site("receive", 10);
    CoroutineId hungry = born();
    CoroutineId busy = born();

    Woken()
    {
        suspendOn(hungry, 100, where, kOther);
        resumeOn(hungry, 200, kWorker);
        suspendOn(hungry, 900, where, kWorker);
        wake(hungry, 1000);
        resumeOn(busy, 1050, kOther);
    }
    /// Both workers run.
    void areBusy(std::uint64_t ms) { workers(ms, ThreadState::Running, ThreadState::Running); }
    void workers(std::uint64_t ms, ThreadState worker, ThreadState other)
    {
        const auto call = [](ThreadState state) {
            return state == ThreadState::Sleeping ? ThreadCall::Futex : ThreadCall::None;
        };
        sampled(ms, {thread(kWorker, worker, call(worker)), thread(kOther, other, call(other))});
    }
    std::vector<Finding> starving(std::uint64_t ms) const { return at(ms, Rule::Starvation); }
};

}  // namespace

CT_CASE(aCoroutineStarvesBehindALongRun)
{
    Woken scene;
    scene.areBusy(1055);
    scene.sampled(2045, {JudgeScene::thread(kOther, ThreadState::Running, ThreadCall::None, 0, 950)});
    CHECK(scene.starving(2047).at(0).severity == Severity::Info);
    const std::vector<Finding> found = scene.starving(2060);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Warning);
    CHECK(found[0].coroutines == std::vector<CoroutineId>{scene.hungry});
    CHECK_EQUAL(found[0].message, "woken 1.06 s ago, and waits for a thread");
    CHECK_EQUAL(found[0].evidence.back(), "coroutine 1 has thread 301 for 1.01 s");
    CHECK(scene.at(2060, Rule::LongRun).at(0).severity == Severity::Warning);
    CHECK(scene.at(2060, Rule::NeverRun).empty());
}

/// A wake that is younger than the threshold does not matter to a long run.
CT_CASE(aYoungWakeDoesNotStarveYet)
{
    Woken scene;
    const CoroutineId young = scene.born();
    scene.suspendOn(young, 1500, scene.where, kWorker);
    scene.wake(young, 2000);
    scene.resumeOn(scene.hungry, 2010, kWorker);
    scene.suspendOn(scene.hungry, 2020, scene.where, kWorker);
    scene.areBusy(1055);
    for (const std::uint64_t ms : {2480, 2505})
        scene.sampled(ms, {JudgeScene::thread(kOther, ThreadState::Running, ThreadCall::None, 0, ms - 1055)});
    CHECK(scene.starving(2490).empty());
    CHECK(scene.at(2490, Rule::LongRun).at(0).severity == Severity::Info);
    CHECK(scene.starving(2510).at(0).severity == Severity::Warning);
    CHECK(scene.at(2510, Rule::LongRun).at(0).severity == Severity::Warning);
}

CT_CASE(aCoroutineStarvesIfOneOtherHasItsThreadAgainAndAgain)
{
    const auto found = [](std::uint32_t tid, std::uint64_t longestMs) {
        JudgeScene scene;
        const SiteId where = scene.site("work", 4);
        const CoroutineId hungry = scene.born();
        scene.suspend(hungry, 1, where);
        scene.resume(hungry, 1 + longestMs);
        const CoroutineId greedy = scene.born();
        scene.suspend(hungry, 1000, where);
        scene.wake(hungry, 1010);
        for (std::uint64_t ms = 1200; ms < 3900; ms += 100) {
            scene.suspend(greedy, ms, where);
            scene.wake(greedy, ms + 1);
            scene.resumeOn(greedy, ms + 2, tid);
        }
        return scene.at(3900, Rule::Starvation);
    };
    const std::vector<Finding> starved = found(100, 5);
    REQUIRE(starved.size() == 1);
    CHECK(starved[0].severity == Severity::Warning);
    CHECK(starved[0].coroutines == std::vector<CoroutineId>{0});
    CHECK(found(101, 5).at(0).severity == Severity::Info);    // on another thread
    CHECK(found(100, 998).at(0).severity == Severity::Info);  // it has waited nearly as long before
}

/// The samples show that the process runs, but not why the coroutine does not.
CT_CASE(aCoroutineThatIsRunnableForLongIsInformation)
{
    Woken scene;
    CHECK(scene.isClean(1600));
    CHECK_EQUAL(scene.abstained(1600, Rule::Starvation), 1U);  // the process may be stopped
    scene.areBusy(1500);
    scene.areBusy(1590);
    CHECK(scene.starving(1400).empty());
    const std::vector<Finding> found = scene.starving(1600);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Info);
    CHECK_EQUAL(found[0].message, "woken 600 ms ago, and has not run since");
    CHECK_EQUAL(found[0].evidence.front(), "thread 101 woke it");
    scene.resume(scene.hungry, 1595);
    CHECK(scene.starving(1600).empty());
}

/// Without samples, the turns of others show that the process runs.
CT_CASE(aCoroutineThatOthersOvertakeIsInformation)
{
    Woken scene;
    for (std::uint64_t i = 0; i < 20; ++i) {
        const CoroutineId later = scene.suspended(1500, scene.where);
        scene.wake(later, 1510);
        scene.resumeOn(later, 1520, kOther);
    }
    const std::vector<Finding> found = scene.starving(2100);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Info);
    CHECK_EQUAL(found[0].evidence.back(), "coroutines that were woken later have run 20 times since");
    CHECK_EQUAL(scene.abstained(2100, Rule::NeverRun), 1U);
}

CT_CASE(aWorkerThatSleepsWhileACoroutineIsRunnableIsInformation)
{
    const auto found = [](ThreadState worker, ThreadState other, std::uint64_t fromMs, std::uint64_t toMs) {
        Woken scene;
        scene.areBusy(950);
        scene.workers(fromMs, worker, other);
        scene.sampledThreads(toMs);
        return scene.starving(toMs + 5);
    };
    constexpr ThreadState kSleeps = ThreadState::Sleeping;
    constexpr ThreadState kRuns = ThreadState::Running;
    const std::vector<Finding> own = found(kSleeps, kRuns, 980, 1150);
    REQUIRE(own.size() == 1);
    CHECK(own[0].severity == Severity::Info);
    CHECK_EQUAL(own[0].message, "woken 155 ms ago, and a thread that could run it sleeps");
    CHECK_EQUAL(own[0].evidence.back(), "thread 300, on which it ran before, has slept for 150 ms since");
    CHECK_EQUAL(found(kSleeps, kRuns, 1040, 1150).at(0).evidence.back(),
                "thread 300, on which it ran before, has slept for 110 ms since");
    CHECK_EQUAL(found(kRuns, kSleeps, 1040, 1150).size(), 0U);  // it was not resumed there
    CHECK(found(kSleeps, kRuns, 1060, 1150).empty());           // for 90 ms
    CHECK(found(kSleeps, kRuns, 980, 1090).empty());            // for 90 ms since the wake
    CHECK(found(kRuns, kRuns, 980, 1150).empty());
}

/// It is bound to none of them.
CT_CASE(aWorkerOnWhichTheCoroutineRanBeforeCouldRunIt)
{
    Woken scene;
    const CoroutineId hungry = scene.born();
    scene.suspendOn(hungry, 100, scene.where, kOther);
    scene.resumeOn(hungry, 200, kOther);
    scene.suspendOn(hungry, 300, scene.where, kOther);
    scene.resumeOn(hungry, 400, kWorker);
    scene.suspendOn(hungry, 500, scene.where, kWorker);
    scene.wake(hungry, 1000);
    scene.workers(980, ThreadState::Running, ThreadState::Sleeping);
    scene.sampledThreads(1150);
    const std::vector<Finding> found = scene.starving(1155);
    REQUIRE(found.size() == 1);
    CHECK(found[0].coroutines == std::vector<CoroutineId>{hungry});
}

/// That is the finding of another rule.
CT_CASE(aCoroutineThatTheSchedulerLostDoesNotStarve)
{
    JudgeScene scene;
    const CoroutineId id = scene.suspended(100, scene.site("work", 5));
    scene.wake(id, 150);
    scene.sampled(160, {JudgeScene::thread(100, ThreadState::Sleeping, ThreadCall::Futex)});
    scene.sampledThreads(1290);
    CHECK_EQUAL(scene.at(1300, Rule::NeverRun).size(), 1U);
    CHECK(scene.at(1300, Rule::Starvation).empty());
}
