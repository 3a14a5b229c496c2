// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rules that need samples of threads and descriptors, each with its healthy twins.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

constexpr ThreadState kSleeps = ThreadState::Sleeping;

/// A coroutine that waits at 100 ms, and two threads.
struct Threads : JudgeScene {
    SiteId where = site("receive", 10);
    CoroutineId waiting = suspended(100, where);

    std::vector<Finding> stalls(std::uint64_t ms) const { return at(ms, Rule::Stall); }
};

/// A coroutine that has had thread 100 since 200 ms; another one waits.
struct Busy : Threads {
    CoroutineId running = born();  // its thread is 100 + id % 4
    std::uint32_t tid = 100 + running % 4;

    Busy()
    {
        suspend(running, 150, where);
        resume(running, 200);
    }
    /// Until 3 s, the thread uses a processor in `percent` of the time, and waits for one in `delayed` percent.
    void computes(std::uint64_t percent, std::uint64_t delayed = 0)
    {
        for (std::uint64_t ms = 200; ms <= 3000; ms += 200) {
            ThreadSample row = thread(tid, ThreadState::Running, ThreadCall::None, 0, (ms - 200) * percent / 100);
            row.runDelayNs = (ms - 200) * delayed / 100 * kMs;
            sampled(ms, {row});
        }
    }
};

}  // namespace

CT_CASE(threadsThatOnlyWaitForOneAnotherAreAStall)
{
    Threads scene;
    scene.sampled(
        200,
        {JudgeScene::thread(50, kSleeps, ThreadCall::Futex, 0x10),
         JudgeScene::thread(51, kSleeps, ThreadCall::Epoll, 4)},
        {JudgeScene::descriptor(5, 4, DescriptorKind::Event), JudgeScene::descriptor(6, 4, DescriptorKind::Timer)});
    scene.sampled(1000);
    CHECK(scene.stalls(1150).empty());
    scene.sampled(1900);
    const std::vector<Finding> found = scene.stalls(2000);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Error);
    CHECK(found[0].coroutines == std::vector<CoroutineId>{scene.waiting});
    CHECK_EQUAL(found[0].site, scene.where);
    CHECK_EQUAL(found[0].message, "all 2 threads of the process have waited for 1.80 s without a timeout, and nothing "
                                  "from outside can wake them");
}

/// Each coroutine of version 1 has an address of its own, so the place is its function and line.
CT_CASE(aStallIsWhereMostCoroutinesWait)
{
    JudgeScene scene;
    const auto waitAt = [&scene](const std::string &function, std::uint32_t line, std::uint64_t ms) {
        FrameLocation location;
        location.coroutine = scene.bornInVersion1();
        location.function = function;
        location.line = line;
        location.since = ms * JudgeScene::kMs;
        scene.frame = 0x1000 + 0x100 * std::uint64_t{location.coroutine};
        scene.suspend(location.coroutine, ms, kUnknownSite);
        scene.data.addFrames({location});
        return location.coroutine;
    };
    const CoroutineId other = waitAt("read()", 35, 50);
    const CoroutineId second = waitAt("cycle()", 35, 70);
    const CoroutineId first = waitAt("cycle()", 35, 60);
    scene.sampled(200, {JudgeScene::thread(50, kSleeps, ThreadCall::Futex, 0x10)});
    scene.sampled(1900);
    const std::vector<Finding> found = scene.at(2000, Rule::Stall);
    REQUIRE(found.size() == 1);
    CHECK(found[0].coroutines == std::vector<CoroutineId>({first, other, second}));
    CHECK_EQUAL(found[0].addr, 0x1000U + 0x100U * first);
    CHECK_EQUAL(found[0].since, 60 * JudgeScene::kMs);
    REQUIRE(found[0].evidence.size() == 2);
    CHECK_EQUAL(found[0].evidence[0], "2 sites in all; most wait at this one");
}

CT_CASE(somethingFromOutsideIsNoStall)
{
    const auto isStall = [](std::vector<ThreadSample> threads, std::vector<DescriptorSample> descriptors) {
        Threads scene;
        scene.sampled(200, std::move(threads), std::move(descriptors));
        scene.sampled(1900);
        return !scene.stalls(2000).empty();
    };
    const ThreadSample lock = JudgeScene::thread(50, kSleeps, ThreadCall::Futex, 0x10);
    const ThreadSample epoll = JudgeScene::thread(51, kSleeps, ThreadCall::Epoll, 4);
    ThreadSample timed = lock;
    timed.tid = 52;
    timed.isTimed = true;
    CHECK(isStall({lock}, {}));
    CHECK(isStall({lock, epoll}, {}));
    CHECK(!isStall({lock, timed}, {}));
    CHECK(!isStall({lock, JudgeScene::thread(52, ThreadState::Running, ThreadCall::None)}, {}));
    CHECK(!isStall({lock, JudgeScene::thread(52, kSleeps, ThreadCall::Descriptor, 0)}, {}));
    CHECK(!isStall({lock, JudgeScene::thread(52, kSleeps, ThreadCall::Signal)}, {}));
    CHECK(!isStall({lock, epoll}, {JudgeScene::descriptor(5, 4, DescriptorKind::Listener)}));
    CHECK(!isStall({lock, epoll}, {JudgeScene::descriptor(5, 4, DescriptorKind::Timer, 9'000'000'000)}));
    CHECK(isStall({lock, epoll}, {JudgeScene::descriptor(5, 9, DescriptorKind::Listener)}));  // of another epoll
    CHECK(isStall({lock, JudgeScene::thread(52, ThreadState::Ended, ThreadCall::None)}, {}));
}

CT_CASE(aSignalBeforeTheWaitIsLostIfNoOtherCanCome)
{
    constexpr std::uint64_t kEvent = 0x40;
    Threads scene;
    const CoroutineId late = scene.born();
    scene.use(UseKind::Signalled, kNoCoroutine, kEvent, 90);
    scene.suspend(late, 120, scene.where);
    scene.waits(late, WaitKind::Other, kEvent);
    CHECK(scene.at(5000, Rule::LostWakeup).empty());
    scene.sampled(200, {JudgeScene::thread(50, kSleeps, ThreadCall::Futex, 0x10)});
    scene.sampled(1900);
    const std::vector<Finding> found = scene.at(2000, Rule::LostWakeup);
    REQUIRE(found.size() == 1);
    CHECK(found[0].coroutines == std::vector<CoroutineId>{late});
    CHECK_EQUAL(found[0].message,
                "object 0x40 was signalled 1.88 s ago, before the wait began, and no thread is left that "
                "could do it again");
}

/// It was not meant for the one that came later.
CT_CASE(aSignalBeforeTheWaitThatWokeAnotherOneIsNotLost)
{
    constexpr std::uint64_t kEvent = 0x40;
    Threads scene;
    const CoroutineId first = scene.suspended(80, scene.where);
    scene.waits(first, WaitKind::Other, kEvent);
    scene.use(UseKind::Signalled, kNoCoroutine, kEvent, 90);
    scene.wake(first, 91);
    scene.resume(first, 92);
    scene.suspend(first, 95, scene.where);
    const CoroutineId late = scene.suspended(120, scene.where);
    scene.waits(late, WaitKind::Other, kEvent);
    scene.sampled(200, {JudgeScene::thread(50, kSleeps, ThreadCall::Futex, 0x10)});
    scene.sampled(1900);
    CHECK_EQUAL(scene.stalls(2000).size(), 1U);
    CHECK(scene.at(2000, Rule::LostWakeup).empty());
}

CT_CASE(aTimerThatExpiredWhileItsThreadComputesIsNotLost)
{
    Busy scene;
    scene.waits(scene.waiting, WaitKind::Timer, 500 * JudgeScene::kMs);
    scene.computes(100);
    CHECK(scene.at(3000, Rule::LostWakeup).empty());
    CHECK(scene.abstained(3000, Rule::LostWakeup) != 0);
    scene.resumeOn(scene.born(), 2900, scene.tid + 1);  // on another thread
    CHECK(scene.at(3000, Rule::LostWakeup).empty());
    Threads idle;
    idle.waits(idle.waiting, WaitKind::Timer, 500 * JudgeScene::kMs);
    idle.sampled(2900, {JudgeScene::thread(50, kSleeps, ThreadCall::Epoll, 3)},
                 {JudgeScene::descriptor(5, 3, DescriptorKind::Listener)});
    CHECK_EQUAL(idle.at(3000, Rule::LostWakeup).size(), 1U);
    // Nothing is known about the time after the deadline: perhaps the process got no processor.
    Threads frozen;
    frozen.waits(frozen.waiting, WaitKind::Timer, 500 * JudgeScene::kMs);
    frozen.sampled(600, {JudgeScene::thread(50, kSleeps, ThreadCall::Epoll, 3)},
                   {JudgeScene::descriptor(5, 3, DescriptorKind::Listener)});
    CHECK(frozen.at(3000, Rule::LostWakeup).empty());
}

CT_CASE(aDescriptorThatIsNotWatchedAnyMoreIsFound)
{
    const auto message = [](DescriptorKind kind, std::uint32_t events, std::uint64_t ms) {
        Threads scene;
        scene.waits(scene.waiting, WaitKind::Descriptor, 7);
        DescriptorSample watched = JudgeScene::descriptor(7, 4, DescriptorKind::Socket);
        scene.sampled(90, {JudgeScene::thread(51, kSleeps, ThreadCall::Epoll, 4)}, {watched});
        watched.kind = kind;
        watched.events = events;
        scene.sampled(ms, {}, {watched});
        scene.sampled(2900);
        const std::vector<Finding> found = scene.at(3000, Rule::LostWakeup);
        return found.empty() ? std::string() : found.front().message;
    };
    CHECK_EQUAL(message(DescriptorKind::Socket, 0x8000'0001, 200), "");
    CHECK_EQUAL(message(DescriptorKind::Closed, 0, 200), "descriptor 7 was closed 2.80 s ago, and no wake followed");
    CHECK_EQUAL(message(DescriptorKind::Removed, 0, 200),
                "descriptor 7 was removed from its epoll 2.80 s ago, and no wake followed");
    CHECK_EQUAL(message(DescriptorKind::Socket, 0x4000'0000, 200),
                "descriptor 7 became ready, and is not armed any more, 2.80 s ago, and no wake followed");
    CHECK_EQUAL(message(DescriptorKind::Closed, 0, 95), "");    // before the wait: another descriptor has the number
    CHECK_EQUAL(message(DescriptorKind::Closed, 0, 2500), "");  // the wake may still come
}

CT_CASE(waitingForAProcessorIsNoIdleness)
{
    Busy crowded;
    crowded.computes(30, 60);
    CHECK_EQUAL(crowded.at(3000, Rule::LongRun).size(), 1U);
    Busy halfIdle;
    halfIdle.computes(30);
    CHECK(halfIdle.at(3000, Rule::LongRun).empty());
}

CT_CASE(aDescriptorThatIsReadyIsFound)
{
    const auto message = [](DescriptorSample row, std::uint64_t ms = 200, ThreadState state = kSleeps) {
        Threads scene;
        scene.waits(scene.waiting, WaitKind::Descriptor, 7);
        scene.sampled(90, {JudgeScene::thread(51, state, ThreadCall::Epoll, 4)},
                      {JudgeScene::descriptor(7, 4, DescriptorKind::Socket)});
        scene.sampled(ms, {}, {row});
        scene.sampled(2900);
        const std::vector<Finding> found = scene.at(3000, Rule::LostWakeup);
        return found.empty() ? std::string() : found.front().message;
    };
    DescriptorSample row = JudgeScene::descriptor(7, 4, DescriptorKind::Socket);
    row.pending = 12;
    CHECK_EQUAL(message(row), "descriptor 7 received 12 bytes 2.80 s ago, and no wake followed");
    CHECK_EQUAL(message(row, 2500), "");                       // the wake may still come
    CHECK_EQUAL(message(row, 200, ThreadState::Running), "");  // nor is the thread free to notice it
    row.events = 5;
    CHECK_EQUAL(message(row), "");  // it may wait for room in the send queue
    row.canWrite = true;
    row.pending = 0;
    row.readEnds = true;
    CHECK_EQUAL(message(row), "descriptor 7 was hung up by its peer 2.80 s ago, and no wake followed");
    row = JudgeScene::descriptor(7, 4, DescriptorKind::Listener);
    row.pending = 1;
    CHECK_EQUAL(message(row), "descriptor 7 received 1 connection 2.80 s ago, and no wake followed");
    row.kind = DescriptorKind::Timer;
    CHECK_EQUAL(message(row), "descriptor 7 expired 2.80 s ago, and no wake followed");
}

/// As in a process with thousands of them.
CT_CASE(aDescriptorThatIsSampledRarelyIsJudgedWhenItIsKnown)
{
    Threads scene;
    scene.waits(scene.waiting, WaitKind::Descriptor, 7);
    DescriptorSample row = JudgeScene::descriptor(7, 4, DescriptorKind::Socket);
    scene.sampled(90, {JudgeScene::thread(51, kSleeps, ThreadCall::Epoll, 4)}, {row});
    row.pending = 12;
    scene.sampled(200, {}, {row});
    scene.sampledThreads(7900);
    CHECK(scene.at(8000, Rule::LostWakeup).empty());  // somebody may have fetched it
    CHECK(scene.abstained(8000, Rule::LostWakeup) != 0);
    scene.sampled(8100);
    scene.sampledThreads(15'900);
    CHECK_EQUAL(scene.at(16'000, Rule::LostWakeup).size(), 1U);
    CHECK_EQUAL(scene.abstained(16'000, Rule::LostWakeup), 0U);
}

CT_CASE(aDescriptorThatWasClosedStaysClosed)
{
    Threads scene;
    scene.waits(scene.waiting, WaitKind::Descriptor, 7);
    scene.sampled(90, {JudgeScene::thread(51, kSleeps, ThreadCall::Epoll, 4)},
                  {JudgeScene::descriptor(7, 4, DescriptorKind::Socket)});
    scene.sampled(200, {}, {JudgeScene::descriptor(7, 4, DescriptorKind::Closed)});
    scene.sampledThreads(7900);
    CHECK_EQUAL(scene.at(8000, Rule::LostWakeup).size(), 1U);
}

/// While all threads sleep, no descriptor is registered.
CT_CASE(aStallNeedsDescriptorsThatWereSampledSinceItBegan)
{
    Threads scene;
    scene.sampled(90, {JudgeScene::thread(51, ThreadState::Running, ThreadCall::None)});
    scene.sampledThreads(200, {JudgeScene::thread(51, kSleeps, ThreadCall::Futex)});
    scene.sampledThreads(7900);
    CHECK(scene.stalls(8000).empty());
    CHECK_EQUAL(scene.abstained(8000, Rule::Stall), 1U);
    scene.sampled(8100);
    scene.sampledThreads(15'900);
    CHECK_EQUAL(scene.stalls(16'000).size(), 1U);
}

/// A thread that sleeps on has one row, from before the wake.
CT_CASE(aWorkerThatSleptAllTheTimeWasFree)
{
    Threads scene;
    const CoroutineId other = scene.born();
    scene.resumeOn(other, 120, 300);  // so the process is not quiet
    scene.sampled(110, {JudgeScene::thread(100 + scene.waiting % 4, kSleeps, ThreadCall::Futex),
                        JudgeScene::thread(300, ThreadState::Running, ThreadCall::None)});
    scene.wake(scene.waiting, 150);
    for (std::uint64_t i = 0; i < 20; ++i) {
        const CoroutineId later = scene.born();
        scene.suspendOn(later, 400, scene.where, 300);
        scene.wake(later, 410);
        scene.resumeOn(later, 420, 300);
    }
    CHECK(scene.at(1500, Rule::NeverRun).empty());
    scene.sampled(1400);  // no new row of the thread: it sleeps on
    CHECK(scene.at(1500, Rule::NeverRun).at(0).severity == Severity::Error);
}

/// Such a worker sleeps for a while between two looks at its queue. A coroutine that sleeps looks alike in the samples.
CT_CASE(aWorkerThatPollsWasFreeBetweenItsRuns)
{
    const auto found = [](std::uint64_t runMs, std::uint64_t looks) {
        Threads scene;
        const std::uint32_t tid = 100 + scene.waiting % 4;
        scene.wake(scene.waiting, 150);
        for (std::uint64_t i = 0; i < 20; ++i) {
            const CoroutineId later = scene.born();
            const std::uint64_t ms = 300 + 50 * i;
            scene.suspendOn(later, ms, scene.where, tid);
            scene.wake(later, ms + 1);
            scene.resumeOn(later, ms + 2, tid);
            scene.suspendOn(later, ms + 2 + runMs, scene.where, tid);
        }
        for (std::uint64_t i = 0; i < looks; ++i)
            scene.sampled(330 + 200 * i, {JudgeScene::thread(tid, kSleeps, ThreadCall::Sleep, 0, i)});
        scene.resumeOn(scene.born(), 1290, 300);  // so the process is not quiet
        return scene.at(1300, Rule::NeverRun).size();
    };
    CHECK_EQUAL(found(10, 4), 1U);
    CHECK_EQUAL(found(40, 4), 0U);
    CHECK_EQUAL(found(10, 2), 0U);
}

/// All workers were seen without work, several times, although others run in between.
CT_CASE(aCoroutineThatNoIdleWorkerHadToRunIsLost)
{
    const auto found = [](bool isOneBusy, int looks) {
        Threads scene;
        const std::uint32_t tid = 100 + scene.waiting % 4;
        scene.wake(scene.waiting, 150);
        const CoroutineId other = scene.born();
        for (int i = 0; i < looks; ++i) {
            const std::uint64_t ms = 300 + 250 * static_cast<std::uint64_t>(i);
            const auto used = static_cast<std::uint64_t>(i);
            scene.resumeOn(other, ms - 20, 300);
            scene.suspendOn(other, ms - 10, scene.where, 300);
            scene.sampled(ms, {JudgeScene::thread(tid, isOneBusy ? ThreadState::Running : kSleeps,
                                                  isOneBusy ? ThreadCall::None : ThreadCall::Futex, 0, used),
                               JudgeScene::thread(300, kSleeps, ThreadCall::Futex, 0, used)});
        }
        scene.resumeOn(other, 1290, 300);
        return scene.at(1300, Rule::NeverRun).size();
    };
    CHECK_EQUAL(found(false, 4), 1U);
    CHECK_EQUAL(found(true, 4), 0U);
    CHECK_EQUAL(found(false, 2), 0U);
}

CT_CASE(whatWasReadyBeforeTheWaitCountsFromTheWaitOn)
{
    Threads scene;
    scene.waits(scene.waiting, WaitKind::Descriptor, 7);
    DescriptorSample row = JudgeScene::descriptor(7, 4, DescriptorKind::Event);
    row.pending = 1;
    scene.sampled(90, {JudgeScene::thread(51, kSleeps, ThreadCall::Epoll, 4)}, {row});
    scene.sampled(2900);
    const std::vector<Finding> found = scene.at(3000, Rule::LostWakeup);
    REQUIRE(found.size() == 1);
    CHECK_EQUAL(found[0].message, "descriptor 7 became ready 2.90 s ago, and no wake followed");
}

CT_CASE(withoutSamplesTheRulesAbstain)
{
    Busy scene;
    const Verdict verdict = scene.at(3000);
    CHECK(verdict.findings.empty());
    const auto abstained = [&verdict](Rule rule) {
        return std::any_of(verdict.abstained.begin(), verdict.abstained.end(),
                           [rule](const Abstention &abstention) { return abstention.rule == rule; });
    };
    CHECK(abstained(Rule::Stall) && abstained(Rule::LongRun) && abstained(Rule::BlockingCall));
    Threads old;
    old.sampled(200, {JudgeScene::thread(50, kSleeps, ThreadCall::Futex)});
    CHECK_EQUAL(old.stalls(2000).size(), 1U);
    CHECK(old.stalls(60'000).empty());
}

CT_CASE(aCoroutineThatComputesForLongIsInformation)
{
    Busy scene;
    scene.computes(100);
    const std::vector<Finding> found = scene.at(3000, Rule::LongRun);
    REQUIRE(found.size() == 1);
    CHECK(found[0].coroutines == std::vector<CoroutineId>{scene.running});
    CHECK(found[0].severity == Severity::Info);
    CHECK(scene.at(3000, Rule::Starvation).empty());
    CHECK(scene.at(1100, Rule::LongRun).empty());
}

CT_CASE(coroutinesThatAreLateSinceTheirThreadIsTakenNeedIt)
{
    // Each waits for 1 ms, again and again, and for the last time since `lastMs`.
    const auto severity = [](std::size_t count, std::uint64_t lastMs, bool usesOtherThread) {
        Busy scene;
        const SiteId cycle = scene.site("cycle", 20);
        for (std::size_t i = 0; i < count; ++i) {
            const CoroutineId id = scene.born();
            for (std::uint64_t ms = 80; ms < 100; ms += 2) {
                scene.suspendOn(id, ms, cycle, scene.tid);
                scene.resumeOn(id, ms + 1, usesOtherThread && ms == 90 ? scene.tid + 1 : scene.tid);
            }
            scene.suspendOn(id, lastMs, cycle, scene.tid);
        }
        scene.computes(90);
        const std::vector<Finding> found = scene.at(3000, Rule::LongRun);
        REQUIRE(found.size() == 1);
        if (found[0].severity == Severity::Warning)
            CHECK_EQUAL(found[0].evidence.back(),
                        "3 coroutines that came back in time before are overdue, and all threads on which they ran are "
                        "taken");
        return found[0].severity;
    };
    CHECK(severity(3, 199, false) == Severity::Warning);
    CHECK(severity(2, 199, false) == Severity::Info);
    CHECK(severity(3, 199, true) == Severity::Info);   // that thread is free
    CHECK(severity(3, 190, false) == Severity::Info);  // they were late before
}

CT_CASE(deadlinesThatPassWhileTheThreadIsTakenNeedIt)
{
    const auto severity = [](std::uint64_t deadlineMs) {
        Busy scene;
        for (int i = 0; i < 3; ++i) {
            const CoroutineId id = scene.born();
            scene.suspendOn(id, 190, scene.where, scene.tid);
            scene.waits(id, WaitKind::Timer, deadlineMs * JudgeScene::kMs);
        }
        scene.computes(90);
        const std::vector<Finding> found = scene.at(3000, Rule::LongRun);
        REQUIRE(found.size() == 1);
        return found[0].severity;
    };
    CHECK(severity(2400) == Severity::Warning);
    CHECK(severity(2600) == Severity::Info);
}

CT_CASE(aThreadThatMostlySleepsIsNoLongRun)
{
    Busy scene;
    scene.computes(30);
    CHECK(scene.at(3000, Rule::LongRun).empty());
    CHECK(scene.at(3000, Rule::BlockingCall).empty());
}

CT_CASE(aCoroutineThatSleepsInACallBlocksItsThread)
{
    Busy scene;
    scene.sampled(250, {JudgeScene::thread(scene.tid, kSleeps, ThreadCall::Descriptor, 7)});
    scene.sampled(2900);
    const std::vector<Finding> found = scene.at(3000, Rule::BlockingCall);
    REQUIRE(found.size() == 1);
    CHECK(found[0].message.ends_with("which sleeps in a call for descriptor 7 since"));
    // Its end may be untraced: then the thread waits for more work.
    Busy idle;
    idle.sampled(250, {JudgeScene::thread(idle.tid, kSleeps, ThreadCall::Futex, 7)});
    idle.sampled(2900);
    CHECK(idle.at(3000, Rule::BlockingCall).empty());
}

CT_CASE(aCoroutineThatResumedAnotherOneIsNoLongRun)
{
    Busy scene;
    scene.computes(100);
    CoroutineId inner = scene.born();
    while (100 + inner % 4 != scene.tid)
        inner = scene.born();
    scene.resume(inner, 300);
    scene.suspend(inner, 400, scene.where);
    CHECK(scene.at(3000, Rule::LongRun).empty());
}
