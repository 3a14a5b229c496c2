// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rules apart from lost wake-ups by reported causes, and how a verdict is put together.
#include "core/analysis/rules/binomial.h"
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

using Ids = std::vector<CoroutineId>;

/// Siblings that complete `waits` waits of a ms each from `begin` on, one after the other.
void completeWaits(JudgeScene &scene, SiteId where, const Ids &siblings, std::uint64_t begin, int waits)
{
    std::uint64_t ms = begin;
    for (int i = 0; i < waits; ++i) {
        const CoroutineId id = siblings[static_cast<std::size_t>(i) % siblings.size()];
        scene.suspend(id, ms, where);
        scene.resume(id, ++ms);
    }
}

}  // namespace

CT_CASE(aThresholdIsSetByItsName)
{
    Thresholds limits;
    CHECK(setThreshold(limits, "late=2s"));
    CHECK(setThreshold(limits, "late-factor=1.5"));
    CHECK(setThreshold(limits, "overtaken=7"));
    CHECK(setThreshold(limits, "busy-share=0.25"));
    CHECK(setThreshold(limits, "stall=1.5min"));
    CHECK_EQUAL(limits.lateNs, 2'000'000'000U);
    CHECK_EQUAL(limits.lateFactor, 1.5);
    CHECK_EQUAL(limits.overtaken, 7U);
    CHECK_EQUAL(limits.busyShare, 0.25);
    CHECK_EQUAL(limits.stallNs, 90'000'000'000U);
    for (const char *wrong : {"late=2", "late=s", "late=0s", "overtaken=1.5", "overtaken=0", "busy-share=2",
                              "busy-share=nan", "late-factor=0.5", "late", "", "=", "later=1s", "late=1e30s"})
        CHECK(!setThreshold(limits, wrong));
    CHECK(setThreshold(limits, "x=1")
              .error()
              .message.starts_with("\"x\" is no threshold; expected NAME=VALUE, with one of shortest, satisfied, "));
    CHECK_EQUAL(setThreshold(limits, "late=1").error().message, "late: expected a time, such as 500ms, 2s or 1min");
}

CT_CASE(aSmallerThresholdFindsEarlier)
{
    JudgeScene scene;
    const CoroutineId id = scene.suspended(100, scene.site("work", 5));
    scene.wake(id, 150);
    scene.sleeps(500);
    CHECK(scene.isClean(600));
    Thresholds limits;
    CHECK(setThreshold(limits, "woken=400ms"));
    CHECK_EQUAL(judge({scene.population, scene.data, scene.history}, 600 * JudgeScene::kMs, limits).findings.size(),
                1U);
}

CT_CASE(aWokenCoroutineThatOthersOvertakeNeverRuns)
{
    JudgeScene scene;
    const SiteId where = scene.site("work", 5);
    const CoroutineId id = scene.suspended(100, where);
    scene.wake(id, 150);
    const CoroutineId busy = scene.born();
    scene.resume(busy, 160);  // so the process is not quiet
    CHECK(scene.isClean(60'000));
    CHECK_EQUAL(scene.abstained(60'000, Rule::NeverRun), 1U);
    for (std::uint64_t i = 0; i < 20; ++i) {
        const CoroutineId later = scene.suspended(1000, where);
        scene.wake(later, 1010);
        scene.resume(later, 1020);
    }
    CHECK(scene.at(2000, Rule::NeverRun).empty());  // a busy scheduler may prefer them
    CHECK_EQUAL(scene.abstained(2000, Rule::NeverRun), 1U);
    scene.sampled(1200, {JudgeScene::thread(100 + id % 4, ThreadState::Sleeping, ThreadCall::Futex)});
    const std::vector<Finding> found = scene.at(2000, Rule::NeverRun);
    REQUIRE(found.size() == 1);
    CHECK(found[0].coroutines == Ids{id});
    CHECK(found[0].severity == Severity::Error);
}

CT_CASE(aWokenCoroutineOfAQuietProcessNeverRuns)
{
    JudgeScene scene;
    const CoroutineId id = scene.suspended(100, scene.site("work", 5));
    scene.wake(id, 150);
    CHECK(scene.isClean(1300));
    CHECK_EQUAL(scene.abstained(1300, Rule::NeverRun), 1U);  // its threads may compute
    scene.sleeps(1000);
    CHECK(scene.at(1100, Rule::NeverRun).empty());
    CHECK(scene.at(1300, Rule::NeverRun).size() == 1);
    scene.resume(id, 1400);
    CHECK(scene.isClean(60'000));
    // Another one has had its thread all the time.
    JudgeScene busy;
    const CoroutineId waiting = busy.suspended(100, busy.site("work", 5));
    busy.wake(waiting, 150);
    busy.resumeOn(busy.born(), 160, 300);
    busy.sampled(1000, {JudgeScene::thread(100 + waiting % 4, ThreadState::Sleeping, ThreadCall::Futex),
                        JudgeScene::thread(300, ThreadState::Running, ThreadCall::None)});
    CHECK(busy.at(1300, Rule::NeverRun).empty());
}

namespace {

/// A coroutine that was woken once, and is woken again at 1020 ms.
struct WokenAgain : JudgeScene {
    SiteId where = site("work", 5);
    CoroutineId id = suspended(100, where);

    WokenAgain() { wake(id, 150); }
    void again()
    {
        resume(id, 1000);
        suspend(id, 1010, where);
        wake(id, 1020);
        sleeps(1500);
    }
};

}  // namespace

/// A scheduler that holds coroutines back, by a budget or for a batch, has done so before.
CT_CASE(aCoroutineThatWaitedAsLongBeforeIsNotLost)
{
    WokenAgain scene;
    scene.again();
    const CoroutineId sibling = scene.suspended(1030, scene.where);
    scene.wake(sibling, 1040);
    CHECK(scene.at(3500, Rule::NeverRun).empty());
    CHECK_EQUAL(scene.abstained(3500, Rule::NeverRun), 2U);
    CHECK_EQUAL(scene.at(3800, Rule::NeverRun).at(0).coroutines.size(), 2U);
}

/// A wake while it ran did not wait for a thread: its next resumption ended another wait.
CT_CASE(aWakeOfARunningCoroutineSaysNothingAboutTheScheduler)
{
    WokenAgain scene;
    scene.resume(scene.id, 151);
    scene.wake(scene.id, 152);
    scene.suspend(scene.id, 153, scene.where);
    scene.again();
    CHECK_EQUAL(scene.at(2500, Rule::NeverRun).size(), 1U);
}

CT_CASE(aWakeBeforeTheSuspensionIsARace)
{
    JudgeScene scene;
    const SiteId where = scene.site("wait", 8);
    const CoroutineId id = scene.suspended(100, where);
    scene.wake(id, 150);
    scene.resume(id, 160);
    scene.wake(id, 170);  // it runs
    scene.suspend(id, 180, where);
    CHECK(scene.isClean(1300));
    CHECK_EQUAL(scene.abstained(1300, Rule::LostWakeRace), 1U);  // its threads may compute
    scene.sleeps(1000);
    CHECK(scene.isClean(1100));
    const std::vector<Finding> found = scene.at(1300, Rule::LostWakeRace);
    REQUIRE(found.size() == 1);
    CHECK_EQUAL(found[0].message, "woken 10.0 ms before it was suspended, and never resumed for that wake");
    CHECK_EQUAL(scene.at(1300).findings.size(), 1U);
    scene.wake(id, 1400);
    CHECK(scene.at(1500, Rule::LostWakeRace).empty());
}

CT_CASE(aCoroutineThatYieldsWaitsForItsTurn)
{
    JudgeScene scene;
    const SiteId where = scene.site("yield", 8);
    const CoroutineId id = scene.born();
    scene.resume(id, 100);
    scene.wake(id, 170);
    scene.suspend(id, 180, where);
    const CoroutineId other = scene.born();
    scene.resume(other, 190);  // it computes, on the only thread
    scene.sampled(1500, {JudgeScene::thread(100, ThreadState::Running, ThreadCall::None)});
    CHECK(scene.at(2000, Rule::LostWakeRace).empty());
    CHECK_EQUAL(scene.abstained(2000, Rule::LostWakeRace), 1U);
}

CT_CASE(aCoroutineThatNobodyCanStartIsReported)
{
    JudgeScene scene;
    const SiteId where = scene.site("job", 3);
    const CoroutineId creator = scene.born();
    const CoroutineId id = scene.suspended(100, where, PointKind::Initial);
    CHECK(scene.isClean(60'000));
    CHECK_EQUAL(scene.abstained(60'000, Rule::NeverStarted), 1U);  // its creator is not known
    scene.parent(id, creator);
    REQUIRE(scene.at(6000, Rule::NeverStarted).size() == 1);
    CHECK(scene.at(6000, Rule::NeverStarted)[0].severity == Severity::Info);
    scene.destroy(creator, 6000);
    CHECK(scene.at(7000, Rule::NeverStarted)[0].severity == Severity::Warning);
    CHECK(scene.isClean(5000));
}

namespace {

/// Four coroutines have completed 40 waits of 1 ms at a site.
struct Serving : JudgeScene {
    SiteId where = site("serve", 44);
    Ids siblings;

    Serving()
    {
        for (int i = 0; i < 4; ++i)
            siblings.push_back(born());
        completeWaits(*this, where, siblings, 0, 40);
    }
    void goOn() { completeWaits(*this, where, siblings, 1000, 24); }
};

}  // namespace

CT_CASE(aLateWaitIsInformationUntilLaterOnesCameBack)
{
    Serving scene;
    const SiteId where = scene.where;
    const CoroutineId late = scene.born();
    completeWaits(scene, where, {late}, 50, 3);
    scene.suspend(late, 100, where);
    CHECK(scene.isClean(590));
    const std::vector<Finding> found = scene.at(700, Rule::LostWakeup);
    REQUIRE(found.size() == 1);
    CHECK(found[0].coroutines == Ids{late});
    CHECK(found[0].severity == Severity::Info);
    CHECK_EQUAL(found[0].message, "suspended for 600 ms, and earlier waits there took at most 1.00 ms");
    scene.goOn();
    CHECK(scene.at(1100, Rule::LostWakeup)[0].severity == Severity::Warning);
    // A resumption ends the finding, and its wait is the longest one from now on.
    scene.resume(late, 2000);
    CHECK(scene.isClean(3000));
    scene.suspended(3000, where);
    CHECK(scene.isClean(8000));
    CHECK(!scene.isClean(9000));
}

CT_CASE(aWaitOfALoopThatBacksOffMayTakeLonger)
{
    const auto severity = [](const std::vector<std::uint64_t> &durations) {
        Serving scene;
        const SiteId where = scene.where;
        const CoroutineId late = scene.born();
        std::uint64_t ms = 30;
        for (const std::uint64_t duration : durations) {
            scene.suspend(late, ms, where);
            scene.resume(late, ms += duration);
        }
        scene.suspend(late, 100, where);
        scene.goOn();
        return scene.at(1100, Rule::LostWakeup).at(0).severity;
    };
    CHECK(severity({1, 5, 50}) == Severity::Info);
    CHECK(severity({1, 50, 5}) == Severity::Warning);
    CHECK(severity({1, 1, 2}) == Severity::Warning);
}

CT_CASE(aCoroutineThatNeverCameBackThereMayBeOfAnotherSort)
{
    const auto severity = [](std::size_t coroutines, std::size_t others, bool isTimed = false) {
        JudgeScene scene;
        const SiteId where = scene.site("serve", 44);
        Ids siblings;
        for (std::size_t i = 0; i < coroutines; ++i)
            siblings.push_back(scene.born());
        completeWaits(scene, where, siblings, 0, 80);
        for (std::size_t i = 0; i <= others; ++i)
            scene.suspended(100, where);
        completeWaits(scene, where, siblings, 1000, 80);
        ThreadSample idle = JudgeScene::thread(50, ThreadState::Sleeping, ThreadCall::Futex);
        idle.isTimed = isTimed;
        scene.sampled(1900, {idle});
        return scene.at(2000, Rule::LostWakeup).at(0).severity;
    };
    CHECK(severity(40, 0) == Severity::Warning);
    CHECK(severity(18, 0) == Severity::Info);  // one of 19 may be of another sort
    CHECK(severity(40, 5) == Severity::Info);
    CHECK(severity(40, 0, true) == Severity::Info);  // it may wait for a time
}

/// At a site with a heavy tail, waits that exceed all before are usual.
CT_CASE(aWaitThatTheTailOfTheOthersSuggestsIsInformation)
{
    const auto severity = [](const std::vector<std::uint64_t> &longest) {
        Serving scene;
        const CoroutineId late = scene.born();
        std::uint64_t ms = 50;
        for (const std::uint64_t length : longest) {
            scene.suspend(scene.siblings[0], ms, scene.where);
            scene.resume(scene.siblings[0], ms += length);
        }
        completeWaits(scene, scene.where, {late}, 900, 3);
        scene.suspend(late, 920, scene.where);
        scene.goOn();
        const std::vector<Finding> found = scene.at(3000, Rule::LostWakeup);
        REQUIRE(found.size() == 1);
        return found[0].severity;
    };
    CHECK(severity({100, 60, 30, 20, 10, 5}) == Severity::Info);
    CHECK(severity({100, 99, 98, 97, 96, 95, 94, 93}) == Severity::Warning);
}

/// Coroutines of the function that wait elsewhere do not make them rare.
CT_CASE(manyLateWaitsAtTheSiteAreNoWarning)
{
    const auto severity = [](std::size_t others) {
        Serving scene;
        const CoroutineId late = scene.born();
        for (std::size_t i = 0; i < 20; ++i)
            scene.suspended(40, scene.site("serve", 50));
        completeWaits(scene, scene.where, {late}, 50, 3);
        scene.suspend(late, 100, scene.where);
        for (std::size_t i = 0; i < others; ++i)
            scene.suspended(100, scene.where);
        scene.goOn();
        const std::vector<Finding> found = scene.at(1100, Rule::LostWakeup);
        REQUIRE(!found.empty());
        return found[0].severity;
    };
    CHECK(severity(0) == Severity::Warning);
    CHECK(severity(2) == Severity::Info);
}

/// They began to wait later, so they are not late yet.
CT_CASE(fewerThatCameBackThanWaitThereAreNoWarning)
{
    const auto severity = [](std::size_t others) {
        Serving scene;
        const CoroutineId late = scene.born();
        completeWaits(scene, scene.where, {late}, 50, 3);
        scene.suspend(late, 100, scene.where);
        for (std::size_t i = 0; i < others; ++i)
            scene.suspended(900, scene.where);
        scene.goOn();
        return scene.at(1100, Rule::LostWakeup).at(0).severity;
    };
    CHECK(severity(3) == Severity::Warning);
    CHECK(severity(4) == Severity::Info);
}

CT_CASE(anIdlePoolIsNoWarning)
{
    JudgeScene scene;
    const SiteId where = scene.site("worker", 12);
    Ids busy;
    for (int i = 0; i < 3; ++i)
        busy.push_back(scene.born());
    completeWaits(scene, where, busy, 0, 100);
    for (int i = 0; i < 10; ++i)
        scene.suspended(200, where);
    completeWaits(scene, where, busy, 1000, 300);
    for (const Finding &finding : scene.at(5000).findings)
        CHECK(finding.severity == Severity::Info);
}

CT_CASE(aFewCompletedWaitsAreNoReference)
{
    JudgeScene scene;
    const SiteId where = scene.site("accept", 2);
    completeWaits(scene, where, {scene.born(), scene.born()}, 0, 29);
    scene.suspended(100, where);
    CHECK(scene.isClean(60'000));
    CHECK_EQUAL(scene.abstained(60'000, Rule::LostWakeup), 1U);
    completeWaits(scene, where, {scene.born()}, 1000, 1);
    CHECK(!scene.isClean(60'000));
}

CT_CASE(theWaitsOfOneCoroutineAreNoReference)
{
    JudgeScene scene;
    const SiteId where = scene.site("poll", 2);
    const CoroutineId only = scene.born();
    completeWaits(scene, where, {only}, 0, 100);
    scene.suspend(only, 200, where);
    CHECK(scene.isClean(60'000));
}

CT_CASE(aTimerThatHasNotExpiredIsNotLate)
{
    JudgeScene scene;
    const SiteId where = scene.site("sleep", 2);
    completeWaits(scene, where, {scene.born(), scene.born()}, 0, 100);
    const CoroutineId id = scene.suspended(200, where);
    scene.waits(id, WaitKind::Timer, 3'600'000 * JudgeScene::kMs);
    const CoroutineId waiter = scene.suspended(200, where);
    scene.waits(waiter, WaitKind::Coroutine, 0, id);
    CHECK(scene.isClean(60'000));
}

CT_CASE(sharesAreBoundedExactly)
{
    using rules::isShareBelow;
    CHECK(isShareBelow(0, 19, 0.15, 0.05));  // 0.85^19 = 0.0456
    CHECK(!isShareBelow(0, 18, 0.15, 0.05));
    CHECK(isShareBelow(1, 31, 0.15, 0.05));
    CHECK(!isShareBelow(1, 29, 0.15, 0.05));
    CHECK(!isShareBelow(5, 31, 0.15, 0.05));
    CHECK(isShareBelow(1000, 1'000'000, 0.15, 0.05));
    CHECK(!isShareBelow(149'900, 1'000'000, 0.15, 0.05));
    CHECK(isShareBelow(0, 2001, 0.15, 0.05));
    CHECK(!isShareBelow(0, 0, 0.15, 0.05));
}

CT_CASE(findingsAreGroupedBySiteAndOrderedBySeverity)
{
    JudgeScene scene;
    scene.reportsWakes();
    const SiteId serve = scene.site("serve", 44);
    const SiteId wait = scene.site("wait", 9);
    for (int i = 0; i < 3; ++i) {
        const CoroutineId id = scene.suspended(100 + 10 * static_cast<std::uint64_t>(2 - i), wait);
        const CoroutineId ended = scene.suspended(90, wait, PointKind::Final);
        scene.waits(id, WaitKind::Coroutine, 0, ended);
    }
    completeWaits(scene, serve, {scene.born(), scene.born()}, 0, 100);
    scene.suspended(150, serve);
    const Verdict verdict = scene.at(5000);
    REQUIRE(verdict.findings.size() == 2);
    CHECK_EQUAL(verdict.judgedAt, 5000 * JudgeScene::kMs);
    CHECK(verdict.findings[0].coroutines == (Ids{5, 3, 1}));  // the longest wait first
    CHECK(verdict.findings[0].severity == Severity::Error);
    CHECK(verdict.findings[1].severity == Severity::Info);
}

CT_CASE(aProvenLossIsNotFoundByComparisonAgain)
{
    JudgeScene scene;
    scene.reportsWakes();
    const SiteId serve = scene.site("serve", 44);
    completeWaits(scene, serve, {scene.born(), scene.born()}, 0, 100);
    const CoroutineId late = scene.suspended(150, serve);
    CHECK_EQUAL(scene.at(5000).findings.size(), 1U);
    CHECK(scene.at(5000).findings[0].severity == Severity::Info);
    scene.waits(late, WaitKind::Descriptor, 7);
    DescriptorSample closed = JudgeScene::descriptor(7, 4, DescriptorKind::Closed);
    scene.sampled(200, {JudgeScene::thread(51, ThreadState::Sleeping, ThreadCall::Epoll, 4)}, {closed});
    scene.sampled(4900);
    REQUIRE(scene.at(5000).findings.size() == 1);
    CHECK(scene.at(5000).findings[0].severity == Severity::Error);
}
