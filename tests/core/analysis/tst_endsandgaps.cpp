// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rules double-resume, after-death and capture.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

/// A coroutine that was resumed on thread 50 at 200 ms.
struct Resumed : JudgeScene {
    SiteId where = site("step", 12);
    CoroutineId id = suspended(100, where);

    Resumed() { resumeOn(id, 200, 50); }
    std::vector<Finding> found(std::uint64_t ms = 1000) const { return at(ms, Rule::DoubleResume); }
};

}  // namespace

CT_CASE(twoThreadsThatResumeACoroutineAreFound)
{
    Resumed scene;
    scene.resumeOn(scene.id, 203, 51);
    scene.suspend(scene.id, 204, scene.where);
    scene.suspend(scene.id, 205, scene.where);
    const std::vector<Finding> found = scene.found();
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Error);
    CHECK_EQUAL(found[0].site, scene.where);
    CHECK_EQUAL(found[0].since, 203 * JudgeScene::kMs);
    CHECK_EQUAL(found[0].message,
                "resumed on thread 51 while it ran on thread 50, on which it had been resumed 3.00 ms before");
    CHECK(scene.found(202).empty());
    // It stays, also when the coroutine has ended, and the first example is kept.
    scene.resumeOn(scene.id, 300, 50);
    scene.resumeOn(scene.id, 300, 51);
    scene.destroy(scene.id, 400);
    REQUIRE(scene.found().size() == 1);
    CHECK_EQUAL(scene.found()[0].since, 203 * JudgeScene::kMs);
}

CT_CASE(aCoroutineThatChangesItsThreadIsNotResumedTwice)
{
    Resumed scene;
    scene.resumeOn(scene.id, 201, 50);  // an await that was ready, on the same thread
    scene.suspend(scene.id, 202, scene.where);
    scene.resumeOn(scene.id, 203, 51);
    CHECK(scene.found().empty());
}

CT_CASE(aGapBetweenTwoResumptionsProvesNothing)
{
    Resumed scene;
    Batch batch;
    batch.losses = {{scene.id, 2, 1, false}};
    batch.transitions = {ct::test::eventOf(Dialect::Lane, scene.id, 3, 203 * JudgeScene::kMs, true, kUnknownSite)};
    batch.transitions.front().tid = 51;
    scene.feed(batch);
    CHECK(scene.found().empty());

    Resumed off;
    Batch switches;
    switches.notes.switches = {{JudgeScene::kPid, 201 * JudgeScene::kMs, false},
                               {JudgeScene::kPid, 202 * JudgeScene::kMs, true}};
    off.feed(switches);
    off.resumeOn(off.id, 203, 51);
    CHECK(off.found().empty());
    off.resumeOn(off.id, 300, 50);
    CHECK(off.found().empty());
    CHECK_EQUAL(off.abstained(1000, Rule::DoubleResume), 1U);
}

CT_CASE(fullStationsMakeDoubleResumeAbstain)
{
    JudgeScene scene;
    Batch batch;
    Birth birth;
    birth.coroutine = 0;
    birth.dialect = Dialect::Seqlock;
    birth.pid = JudgeScene::kPid;
    batch.births = {birth};
    batch.transitions = {ct::test::eventOf(Dialect::Seqlock, 0, 0, 100, true),
                         ct::test::eventOf(Dialect::Seqlock, 0, 1, 200, true)};
    batch.transitions[1].tid = 77;
    scene.feed(batch);
    CHECK(scene.at(1000, Rule::DoubleResume).empty());
    CHECK_EQUAL(scene.abstained(1000, Rule::DoubleResume), 1U);
    Resumed lanes;
    CHECK_EQUAL(lanes.abstained(1000, Rule::DoubleResume), 0U);
}

CT_CASE(aWakeAfterTheDeathIsFound)
{
    const auto found = [](std::uint64_t wokenAt, std::uint64_t judgedAt, std::uint64_t plusUs = 0) {
        Resumed scene;
        Batch batch;
        const std::uint64_t ts = wokenAt * JudgeScene::kMs + plusUs * 1000;
        batch.notes.wakes = {{scene.id, kNoCoroutine, 2, ts, JudgeScene::kPid, 60}};
        batch.deaths = {{scene.id, 300 * JudgeScene::kMs}};
        scene.feed(batch);
        return scene.at(judgedAt, Rule::AfterDeath);
    };
    REQUIRE(found(450, 1000).size() == 1);
    CHECK(found(450, 1000)[0].severity == Severity::Error);
    CHECK_EQUAL(found(450, 1000)[0].message, "woken 150 ms after it was destroyed");
    CHECK_EQUAL(found(450, 1000)[0].evidence.front(), "thread 60 woke it");
    CHECK(found(450, 440).empty());
    // Reports of two threads can be in another order than what they report.
    CHECK(found(305, 1000).at(0).severity == Severity::Info);
    CHECK(found(300, 1000).empty());
    CHECK(found(300, 1000, 900).empty());
    CHECK_EQUAL(found(301, 1000).size(), 1U);
    CHECK(found(299, 1000).empty());
}

/// The engine emits a death soon, and the wake may come much later.
CT_CASE(aWakeInALaterBatchThanTheDeathIsFound)
{
    Resumed scene;
    const CoroutineId other = scene.suspended(250, scene.where);
    const auto wake = [&scene](CoroutineId id, std::uint64_t ms) {
        Batch batch;
        batch.notes.wakes = {{id, kNoCoroutine, 2, ms * JudgeScene::kMs, JudgeScene::kPid, 60}};
        batch.now = ms * JudgeScene::kMs;
        scene.feed(batch);
    };
    scene.destroy(scene.id, 300);
    wake(other, 350);
    CHECK(scene.at(1000, Rule::AfterDeath).empty());
    wake(scene.id, 302);
    REQUIRE(scene.at(1000, Rule::AfterDeath).size() == 1);
    CHECK(scene.at(1000, Rule::AfterDeath)[0].severity == Severity::Info);
    wake(scene.id, 4300);
    REQUIRE(scene.at(5000, Rule::AfterDeath).size() == 1);  // it counts once
    const Finding found = scene.at(5000, Rule::AfterDeath)[0];
    CHECK(found.severity == Severity::Error);
    CHECK_EQUAL(found.coroutines.size(), 1U);
    CHECK_EQUAL(found.message, "woken 4.00 s after it was destroyed");
    CHECK_EQUAL(found.since, 4300 * JudgeScene::kMs);
}

CT_CASE(eventsFromBeforeTheCaptureAreInformation)
{
    Resumed scene;
    Batch batch;
    batch.losses = {{scene.born(), 0, 4, true}};
    batch.now = 400 * JudgeScene::kMs;
    scene.feed(batch);
    const std::vector<Finding> found = scene.at(1000, Rule::Capture);
    REQUIRE(found.size() == 1);
    CHECK_EQUAL(found[0].message, "data are missing: 4 events were gone before the capture began");
}

/// A recording is judged at its end, which is the time of its last event.
CT_CASE(theCoroutineOfTheLastEventCounts)
{
    JudgeScene scene;
    const CoroutineId last = scene.suspended(100, scene.site("receive", 10));
    const CoroutineId later = scene.suspended(300, scene.site("send", 10));
    Batch batch;
    batch.losses = {{last, 1, 4, true}, {later, 1, 3, true}};
    batch.now = 300 * JudgeScene::kMs;
    scene.feed(batch);
    scene.resume(last, 300);
    for (const std::uint64_t ms : {300, 200}) {
        const std::vector<Finding> found = scene.at(ms, Rule::Capture);
        REQUIRE(found.size() == 1);
        CHECK(found[0].message.ends_with("7 events were gone before the capture began"));
    }
}

/// Where events of a lane are lost, wakes and releases may be, too.
CT_CASE(afterALossNothingIsProvenByWhatWasNotReported)
{
    JudgeScene scene;
    scene.reportsWakes();
    const CoroutineId id = scene.suspended(100, scene.site("receive", 10));
    scene.waits(id, WaitKind::Channel, 0x7f10);
    scene.use(UseKind::Signalled, kNoCoroutine, 0x7f10, 200);
    CHECK_EQUAL(scene.at(2000, Rule::LostWakeup).size(), 1U);
    const CoroutineId other = scene.suspended(300, scene.site("send", 10));
    Batch batch;
    batch.losses = {{other, 1, 2, false}};
    batch.now = 400 * JudgeScene::kMs;
    scene.feed(batch);
    CHECK(scene.at(2000, Rule::LostWakeup).empty());
    CHECK_EQUAL(scene.abstained(2000, Rule::LostWakeup), 1U);
}

CT_CASE(missingDataAreInformation)
{
    Resumed scene;
    CHECK(scene.at(1000, Rule::Capture).empty());
    Batch batch;
    batch.losses = {{scene.id, 2, 3, false}};
    batch.notes.drops = {{JudgeScene::kPid, 100, 5, 250 * JudgeScene::kMs, 260 * JudgeScene::kMs}};
    batch.notes.switches = {{JudgeScene::kPid, 300 * JudgeScene::kMs, false}};
    batch.now = 400 * JudgeScene::kMs;
    scene.feed(batch);
    const std::vector<Finding> found = scene.at(1000, Rule::Capture);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Info);
    CHECK_EQUAL(found[0].message, "data are missing: 3 events were lost");
    CHECK_EQUAL(found[0].since, 250 * JudgeScene::kMs);
    REQUIRE(found[0].evidence.size() == 3);
    CHECK_EQUAL(found[0].evidence[0], "3 events were lost: 1 coroutine is in an unknown state, and not judged");
    CHECK(found[0].evidence[1].starts_with("lanes were full, and refused 5 records: "));
    CHECK(found[0].evidence[2].starts_with("process 7 had tracing off: "));
}
