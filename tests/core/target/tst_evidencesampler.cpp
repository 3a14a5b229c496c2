// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/evidencesampler.h"

#include "core/base/monotonic.h"
#include "tests/support/check.h"
#include "tests/support/sleepers.h"

#include <optional>
#include <sys/epoll.h>
#include <sys/eventfd.h>

using namespace ct;

namespace {

/// Collects what a sampler adds.
struct Scene {
    Scene() { REQUIRE(static_cast<bool>(sampler.start())); }

    void take(std::uint64_t now = monotonicNow())
    {
        batch.now = now;
        notes->take(batch);
    }
    template <class Condition>
    bool waitUntil(Condition condition)
    {
        constexpr std::uint64_t kPatience = 95'000'000'000;
        for (const std::uint64_t end = monotonicNow() + kPatience; monotonicNow() < end; ::usleep(5000)) {
            take();
            if (condition())
                return true;
        }
        return false;
    }
    bool hasStopped() const
    {
        return !batch.notes.processSamples.empty() && batch.notes.processSamples.back().stoppedSince != 0;
    }

    std::shared_ptr<AddedNotes> notes = std::make_shared<AddedNotes>();
    EvidenceSampler sampler{notes};
    Batch batch;
};

}  // namespace

CT_CASE(samplesAProcessUntilItEnds)
{
    sleepers::Sleeper target([] {
        const int epoll = ::epoll_create1(0);
        epoll_event event{};
        event.events = EPOLLIN;
        ::epoll_ctl(epoll, EPOLL_CTL_ADD, ::eventfd(3, 0), &event);
    });
    const auto pid = static_cast<std::uint32_t>(target.pid());
    Scene scene;
    scene.sampler.setProcesses({target.pid()});
    const Notes &rows = scene.batch.notes;
    REQUIRE(scene.waitUntil([&] { return !rows.processSamples.empty() && !rows.descriptorSamples.empty(); }));
    CHECK_EQUAL(rows.threadSamples.front().pid, pid);
    CHECK_EQUAL(rows.descriptorSamples.front().pid, pid);
    CHECK_EQUAL(rows.descriptorSamples.front().pending, 3U);
    const ProcessSample first = rows.processSamples.front();
    CHECK_EQUAL(first.pid, pid);
    CHECK_EQUAL(first.threads, 1U);
    CHECK_EQUAL(first.ts, rows.threadSamples.front().ts);
    CHECK_EQUAL(first.descriptorsTs, rows.descriptorSamples.front().ts);
    CHECK_EQUAL(first.stoppedSince, 0U);
    CHECK(first.areThreadsKnown && first.areCallsKnown && first.areDescriptorsKnown);
    // Nothing changes. Rows say only up to when.
    REQUIRE(scene.waitUntil([&] { return rows.processSamples.size() >= 3; }));
    CHECK_EQUAL(rows.descriptorSamples.size(), 1U);
    CHECK(rows.processSamples.back().ts >= first.ts + 1'500'000'000);
    CHECK(rows.processSamples.back().descriptorsTs > first.descriptorsTs);
    target.end();
    REQUIRE(scene.waitUntil([&] { return rows.processSamples.back().threads == 0; }));
}

CT_CASE(seesWhenAProcessIsStopped)
{
    const sleepers::Sleeper target([] {});
    Scene scene;
    scene.sampler.setProcesses({target.pid()});
    const Notes &rows = scene.batch.notes;
    REQUIRE(scene.waitUntil([&] { return !rows.processSamples.empty(); }));
    const std::uint64_t before = monotonicNow();
    ::kill(target.pid(), SIGSTOP);
    REQUIRE(scene.waitUntil([&] { return scene.hasStopped(); }));
    const ProcessSample stopped = rows.processSamples.back();
    CHECK(stopped.ts >= before);
    // The latest visit that saw it run. The process may have been stopped at any time since.
    CHECK(stopped.stoppedSince <= before && stopped.stoppedSince >= rows.processSamples.front().ts);
    REQUIRE(scene.waitUntil([&] { return rows.processSamples.back().ts > stopped.ts; }));
    CHECK_EQUAL(rows.processSamples.back().stoppedSince, stopped.stoppedSince);
    ::kill(target.pid(), SIGCONT);
    REQUIRE(scene.waitUntil([&] { return !scene.hasStopped(); }));
}

CT_CASE(aSuspendOfTheMachineIsARow)
{
    const sleepers::Sleeper target([] {});
    SocketQueues sockets;
    KeptFiles kept;
    ProcessSampler sampler(target.pid(), sockets, kept);
    std::uint64_t now = 1'000'000'000'000;
    const auto suspendedAfter = [&](std::uint64_t suspendedNs) {
        Notes rows;
        now += 10 * ProcessSampler::kQuietGapNs;
        CHECK(sampler.sample(now, suspendedNs, 1, rows));
        REQUIRE(!rows.processSamples.empty());
        return rows.processSamples.back().machineSuspendedNs;
    };
    CHECK_EQUAL(suspendedAfter(500), 500U);
    CHECK_EQUAL(suspendedAfter(500 + kLeastMachineSuspendNs - 1), 500U);  // the two clocks are not read at once
    CHECK_EQUAL(suspendedAfter(7'000'000'000), 7'000'000'000U);
    // A row of its own, at once.
    Notes rows;
    now += ProcessSampler::kGapNs * 4;
    CHECK(sampler.sample(now, 9'000'000'000, 1, rows));
    REQUIRE(rows.processSamples.size() == 1);
    CHECK_EQUAL(rows.processSamples[0].machineSuspendedNs, 9'000'000'000U);
    CHECK(machineSuspended() + kLeastMachineSuspendNs >= machineSuspended());
}

CT_CASE(evidenceWaitsForItsTime)
{
    AddedNotes notes;
    for (const std::uint64_t ts : {10U, 20U, 30U}) {
        Notes rows;
        rows.processSamples.push_back({1, ts});
        notes.add(ts, std::move(rows));
    }
    CHECK_EQUAL(notes.rowsWaiting(), 3U);
    Batch batch;
    batch.now = 20;
    notes.take(batch);
    REQUIRE(batch.notes.processSamples.size() == 2);
    CHECK_EQUAL(batch.notes.processSamples[0].ts, 10U);
    CHECK_EQUAL(batch.notes.processSamples[1].ts, 20U);
    CHECK_EQUAL(notes.rowsWaiting(), 1U);
}

CT_CASE(finishesJoinTheStreamUnlessTheCoroutineDies)
{
    AddedNotes notes;
    Notes rows;
    rows.finishes = {{3, 10, 0}, {4, 10, 0}};
    notes.add(10, std::move(rows));
    CHECK_EQUAL(notes.rowsWaiting(), 2U);
    Batch batch;
    batch.now = 20;
    batch.deaths = {{4, 15}};
    notes.take(batch);
    REQUIRE(batch.notes.finishes.size() == 1);
    CHECK_EQUAL(batch.notes.finishes[0].coroutine, 3U);
    CHECK_EQUAL(notes.rowsWaiting(), 0U);
}

CT_CASE(aProcessOfAnotherNamespaceIsNotSampled)
{
    const sleepers::Container container;
    if (container.isRefused())
        CHECK_SKIP("this machine has no pid namespaces for this user");
    REQUIRE(container.runs());
    CHECK(!ProcessSampler::isOfOurNamespace(container.pid()));
    CHECK(ProcessSampler::isOfOurNamespace(::getpid()));
    const sleepers::Sleeper target([] {});
    Scene scene;
    scene.sampler.setProcesses({container.pid(), target.pid()});
    REQUIRE(scene.waitUntil([&] { return scene.batch.notes.processSamples.size() >= 2; }));
    for (const ThreadSample &row : scene.batch.notes.threadSamples)
        CHECK_EQUAL(row.pid, static_cast<std::uint32_t>(target.pid()));
}
