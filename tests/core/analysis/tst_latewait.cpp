// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What makes a late wait a warning, apart from later waits of its siblings; overload; and how often that was wrong.
#include "core/analysis/retractions.h"
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

constexpr ThreadState kSleeps = ThreadState::Sleeping;
constexpr std::uint32_t kIn = 1;
constexpr std::uint32_t kOut = 4;
constexpr std::uint32_t kEdge = 0x8000'0000;

/// Six coroutines of a function complete waits of 1 ms. A seventh waits there since 100 ms.
struct Late : JudgeScene {
    SiteId where = site("serve", 44);
    std::vector<CoroutineId> siblings;
    CoroutineId late = kNoCoroutine;

    Late()
    {
        for (int i = 0; i < 6; ++i)
            siblings.push_back(born());
        for (std::uint64_t ms = 0; ms < 60; ++ms) {
            suspend(siblings[ms % 6], ms, where);
            resume(siblings[ms % 6], ms + 1);
        }
        for (const CoroutineId id : siblings)
            suspend(id, 90, where);
        late = born();
        suspend(late, 100, where);
        for (const CoroutineId id : siblings)
            resume(id, 91 + id);
    }
    Severity severity(std::uint64_t ms) const
    {
        const std::vector<Finding> found = at(ms, Rule::LostWakeup);
        REQUIRE(found.size() == 1);
        CHECK(found[0].coroutines == std::vector<CoroutineId>{late});
        return found[0].severity;
    }
    std::string lastEvidence(std::uint64_t ms) const { return at(ms, Rule::LostWakeup).at(0).evidence.back(); }
    /// All threads sleep since 150 ms, one of them in epoll 4, and a descriptor is so since 200 ms.
    void asleepWith(DescriptorSample row,
                    const ThreadSample &thread = JudgeScene::thread(50, kSleeps, ThreadCall::Epoll, 4))
    {
        sampled(150, {thread});
        sampled(200, {}, {row});
        sampled(2900);
    }
    static DescriptorSample pending(DescriptorKind kind, std::uint32_t events, std::uint64_t amount)
    {
        DescriptorSample row = JudgeScene::descriptor(7, 4, kind);
        row.events = events;
        row.pending = amount;
        return row;
    }
    void delayed(std::uint64_t ms, std::uint32_t tid, std::uint64_t delayMs)
    {
        ThreadSample row = thread(tid, ThreadState::Running, ThreadCall::None, 0, ms);
        row.runDelayNs = (1 + delayMs) * kMs;
        sampled(ms, {row});
    }
};

}  // namespace

CT_CASE(whatWasDeliveredAndIsNotFetchedMakesAWarning)
{
    const ThreadSample epoll = JudgeScene::thread(50, kSleeps, ThreadCall::Epoll, 4);
    const auto severity = [](const DescriptorSample &row, const ThreadSample &thread) {
        Late scene;
        scene.asleepWith(row, thread);
        return scene.severity(3000);
    };
    const auto pending = Late::pending;
    CHECK(severity(pending(DescriptorKind::Socket, kIn, 47), epoll) == Severity::Warning);
    CHECK(severity(pending(DescriptorKind::Event, kIn, 1), epoll) == Severity::Warning);
    CHECK(severity(pending(DescriptorKind::Socket, kIn, 0), epoll) == Severity::Info);
    CHECK(severity(pending(DescriptorKind::Socket, kOut, 47), epoll) == Severity::Info);  // backpressure: not read now
    CHECK(severity(pending(DescriptorKind::Socket, kIn, DescriptorSample::kUnknown), epoll) == Severity::Info);
    DescriptorSample closed = pending(DescriptorKind::Socket, kIn, 0);
    closed.readEnds = true;
    CHECK(severity(closed, epoll) == Severity::Warning);
    // Programs leave data and counters in queues that are reported once.
    CHECK(severity(pending(DescriptorKind::Socket, kIn | kEdge, 47), epoll) == Severity::Info);
    CHECK(severity(pending(DescriptorKind::Event, kIn | kEdge, 1), epoll) == Severity::Info);
    // A thread that comes back by itself may fetch it.
    const DescriptorSample socket = pending(DescriptorKind::Socket, kIn, 47);
    CHECK(severity(socket, JudgeScene::thread(50, kSleeps, ThreadCall::Descriptor, 9)) == Severity::Info);
    CHECK(severity(socket, JudgeScene::thread(50, ThreadState::Running, ThreadCall::None)) == Severity::Info);
}

CT_CASE(whatWasDeliveredJustNowMayStillBeFetched)
{
    Late scene;
    scene.sampled(150, {JudgeScene::thread(50, kSleeps, ThreadCall::Epoll, 4)});
    scene.sampled(2500, {}, {Late::pending(DescriptorKind::Socket, kIn, 47)});
    scene.sampled(2900);
    CHECK(scene.severity(3000) == Severity::Info);
    scene.sampled(3900);
    CHECK(scene.severity(4000) == Severity::Warning);
    CHECK_EQUAL(scene.lastEvidence(4000),
                "data arrived at descriptor 7 1.50 s ago, was not fetched since, and all threads sleep");
}

CT_CASE(aLateWaitThatNothingCanEndIsAWarning)
{
    Late scene;
    for (const CoroutineId id : scene.siblings)
        scene.suspend(id, 110, scene.where, PointKind::Final);
    scene.sampled(200, {JudgeScene::thread(50, kSleeps, ThreadCall::Futex, 0x10)});
    scene.sampled(2900);
    CHECK(scene.severity(3000) == Severity::Warning);
}

CT_CASE(siblingsThatEndedLeaveALostOneBehind)
{
    const auto severity = [](std::size_t ended, std::uint64_t lastEventMs, bool isAsleep) {
        Late scene;
        const CoroutineId other = scene.born();
        for (std::size_t i = 0; i < scene.siblings.size(); ++i) {
            if (i < ended)
                scene.suspend(scene.siblings[i], 300 + i, scene.where, PointKind::Final);
            else
                scene.suspend(scene.siblings[i], 300 + i, scene.where);
        }
        if (lastEventMs != 0)
            scene.suspend(other, lastEventMs, scene.site("other", 1));
        ThreadSample epoll = JudgeScene::thread(50, isAsleep ? kSleeps : ThreadState::Running, ThreadCall::Epoll, 4);
        scene.sampled(310, {epoll}, {JudgeScene::descriptor(5, 4, DescriptorKind::Listener)});
        scene.sampled(2900);
        for (const Finding &finding : scene.at(3000, Rule::LostWakeup))
            if (finding.severity == Severity::Warning)
                return finding.evidence.back();
        return std::string("none");
    };
    CHECK_EQUAL(
        severity(6, 0, true),
        "6 siblings ended since it began to wait, the last 2.69 s ago, and nothing has run in the process since");
    CHECK_EQUAL(severity(2, 0, true), "none");
    CHECK_EQUAL(severity(3, 0, true), "none");  // as many wait as have ended
    CHECK_EQUAL(severity(6, 2000, true), "none");
    CHECK_EQUAL(severity(6, 0, false), "none");
}

CT_CASE(openWaitsBeyondTheLongestOneAreSurvivors)
{
    const auto found = [](std::uint64_t sinceMs) {
        Late scene;
        for (int i = 0; i < 20; ++i)
            scene.suspended(sinceMs, scene.where);
        return scene.at(700, Rule::LostWakeup).size();
    };
    CHECK_EQUAL(found(695), 1U);
    CHECK_EQUAL(found(480), 0U);  // not late yet, but longer than all that were completed
}

CT_CASE(aConnectionOfManyMayHaveBecomeQuiet)
{
    const auto severity = [](std::uint32_t connections, std::uint64_t unread = 0) {
        Late scene;
        scene.suspend(scene.siblings[0], 101, scene.where);
        for (std::uint64_t ms = 110; ms < 170; ++ms) {
            scene.suspend(scene.siblings[1 + ms % 5], ms, scene.where);
            scene.resume(scene.siblings[1 + ms % 5], ms + 1);
        }
        scene.resume(scene.siblings[0], 171);
        for (std::uint64_t ms = 172; ms < 178; ms += 2) {
            scene.resume(scene.late, ms);
            scene.suspend(scene.late, ms + 1, scene.where);
        }
        for (std::uint64_t ms = 180; ms < 240; ++ms) {
            scene.suspend(scene.siblings[ms % 6], ms, scene.where);
            scene.resume(scene.siblings[ms % 6], ms + 1);
        }
        std::vector<DescriptorSample> rows;
        for (std::uint32_t i = 0; i < connections; ++i)
            rows.push_back(JudgeScene::descriptor(20 + i, 4, DescriptorKind::Socket));
        rows.back().pending = unread;
        rows.back().events = unread != 0 ? kIn | kEdge : kIn;  // as backpressure, so that alone proves nothing
        scene.sampled(250, {JudgeScene::thread(50, kSleeps, ThreadCall::Epoll, 4, 0)}, rows);
        scene.sampled(2900);
        return scene.severity(3000);
    };
    CHECK(severity(6) == Severity::Warning);  // fewer than coroutines
    CHECK(severity(7) == Severity::Info);
    CHECK(severity(7, 12) == Severity::Warning);
}

CT_CASE(timeOnAnOverloadedMachineIsNotLate)
{
    Late scene;
    const std::uint32_t traced = 100 + scene.late % 4;
    scene.delayed(200, traced, 0);
    scene.delayed(1200, traced, 300);  // 300 ms of the second
    CHECK(scene.at(1200, Rule::LostWakeup).empty());
    CHECK_EQUAL(scene.abstained(1200, Rule::LostWakeup), 1U);
    scene.delayed(2200, traced, 450);  // 150 ms of the second: it counts
    CHECK(scene.severity(2300) == Severity::Info);

    Late other;  // a thread without coroutines
    other.delayed(200, 999, 0);
    other.delayed(1200, 999, 300);
    CHECK(!other.at(1200, Rule::LostWakeup).empty());
}

CT_CASE(overloadedTimesAreJoinedAndBounded)
{
    OverloadedTimes times;
    const auto sample = [&times](std::uint32_t tid, std::uint64_t ms, std::uint64_t delayMs, ThreadState state) {
        ThreadSample row = JudgeScene::thread(tid, state, ThreadCall::None);
        row.pid = JudgeScene::kPid;
        row.ts = ms * JudgeScene::kMs;
        row.runDelayNs = delayMs * JudgeScene::kMs;
        Batch batch;
        batch.notes.threadSamples = {row};
        CHECK(times.consume(batch));
    };
    const auto all = [&times](double share) {
        return times.of(JudgeScene::kPid, share, [](std::uint32_t) { return true; });
    };
    sample(1, 100, 1, ThreadState::Running);
    sample(1, 200, 31, ThreadState::Running);
    sample(2, 150, 1, ThreadState::Running);
    sample(2, 250, 26, ThreadState::Running);
    sample(1, 300, 31, ThreadState::Running);
    sample(1, 400, 61, ThreadState::Running);
    REQUIRE(all(0.2).size() == 2);
    CHECK_EQUAL(all(0.2)[0].from, 100 * JudgeScene::kMs);
    CHECK_EQUAL(all(0.2)[0].to, 250 * JudgeScene::kMs);
    CHECK_EQUAL(all(0.2)[1].from, 300 * JudgeScene::kMs);
    CHECK(all(0.4).empty());
    // A new thread with the number of an ended one does not go on with its run delay.
    sample(1, 500, 61, ThreadState::Ended);
    sample(1, 600, 0, ThreadState::Running);
    sample(1, 700, 90, ThreadState::Running);
    CHECK_EQUAL(all(0.2).size(), 2U);
    for (std::uint64_t i = 0; i < 5000; ++i)
        sample(1, 1000 + 2 * i, 100 + 2 * i - i % 2, ThreadState::Running);
    CHECK(all(0.2).size() <= OverloadedTimes::kMostStretches);
}

CT_CASE(aLaterResumptionRetractsAFinding)
{
    Late scene;
    scene.asleepWith(Late::pending(DescriptorKind::Socket, kIn, 47));
    Retractions retractions;
    retractions.add(scene.at(500), scene.population);
    CHECK_EQUAL(retractions.of(Rule::LostWakeup).reported, 0U);
    retractions.add(scene.at(3000), scene.population);
    retractions.add(scene.at(3500), scene.population);
    CHECK_EQUAL(retractions.of(Rule::LostWakeup).reported, 1U);
    CHECK_EQUAL(retractions.of(Rule::LostWakeup).retracted, 0U);
    scene.resume(scene.late, 4000);
    CHECK(scene.at(4100, Rule::LostWakeup).empty());
    retractions.add(scene.at(4100), scene.population);
    retractions.add(scene.at(4200), scene.population);
    CHECK_EQUAL(retractions.of(Rule::LostWakeup).reported, 1U);
    CHECK_EQUAL(retractions.of(Rule::LostWakeup).retracted, 1U);
    // That wait is the longest one now.
    CHECK_EQUAL(scene.population.siteStatistics(scene.where).maxNs, 3900 * JudgeScene::kMs);
}

CT_CASE(aDeathWithoutAResumptionRetractsNothing)
{
    Late scene;
    scene.asleepWith(Late::pending(DescriptorKind::Socket, kIn, 47));
    Retractions retractions;
    retractions.add(scene.at(3000), scene.population);
    scene.destroy(scene.late, 4000);
    retractions.add(scene.at(4100), scene.population);
    CHECK_EQUAL(retractions.of(Rule::LostWakeup).reported, 1U);
    CHECK_EQUAL(retractions.of(Rule::LostWakeup).retracted, 0U);
}
