// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/samplelog.h"

#include "core/trace/population.h"
#include "tests/support/check.h"

#include <atomic>
#include <thread>

using namespace ct;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

ThreadSample thread(std::uint32_t tid, std::uint64_t ts, ThreadState state = ThreadState::Sleeping)
{
    ThreadSample row;
    row.pid = 5;
    row.tid = tid;
    row.ts = ts;
    row.state = state;
    return row;
}

ProcessSample process(std::uint64_t ts, std::uint64_t stoppedSince = 0, std::uint32_t threads = 1)
{
    return {5, ts, 0, threads, stoppedSince};
}

template <class Row>
void add(SampleLog &log, std::vector<Row> Notes::*rows, std::vector<Row> added)
{
    Notes notes;
    notes.*rows = std::move(added);
    log.consume(notes);
}
void add(SampleLog &log, ThreadSample row)
{
    add(log, &Notes::threadSamples, {row});
}
void add(SampleLog &log, ProcessSample row)
{
    add(log, &Notes::processSamples, {row});
}

std::vector<std::uint64_t> timesSince(const SampleLog &log, std::uint64_t since)
{
    std::vector<std::uint64_t> times;
    for (const ThreadSample &row : log.threadSamples(5, since))
        times.push_back(row.ts);
    return times;
}

using Times = std::vector<std::uint64_t>;

}  // namespace

CT_CASE(returnsTheRowThatHeldAndAllLaterOnes)
{
    SampleLog log;
    add(log, thread(50, 10));
    add(log, thread(50, 20));
    add(log, thread(51, 15));
    CHECK(timesSince(log, 9) == (Times{10, 20, 15}));
    CHECK(timesSince(log, 10) == (Times{10, 20, 15}));
    CHECK(timesSince(log, 19) == (Times{10, 20, 15}));
    CHECK(timesSince(log, 20) == (Times{20, 15}));
    CHECK(log.threadSamples(6, 0).empty());
    add(log, thread(51, 30, ThreadState::Ended));
    CHECK(timesSince(log, 30) == (Times{20}));  // nothing is left of the thread
    CHECK(timesSince(log, 29) == (Times{20, 15, 30}));
}

CT_CASE(rowsHoldUpToTheLatestOfTheirProcess)
{
    SampleLog log;
    CHECK(!log.processSample(5));
    add(log, process(100));
    CHECK_EQUAL(log.processSample(5)->ts, 100U);
    add(log, thread(50, 130));
    CHECK_EQUAL(log.processSample(5)->ts, 130U);
    CHECK_EQUAL(log.processSample(5)->descriptorsTs, 0U);
    add(log, &Notes::descriptorSamples, {{5, 8, 7, 140, DescriptorKind::Event}});
    CHECK_EQUAL(log.processSample(5)->descriptorsTs, 140U);
    CHECK_EQUAL(log.processSample(5)->ts, 130U);
    CHECK(log.pids() == std::vector<std::uint32_t>{5});
}

CT_CASE(keepsSixteenSecondsOfAThread)
{
    SampleLog log;
    for (std::uint64_t quarter = 0; quarter <= 200; ++quarter)
        add(log, thread(50, quarter * kSecond / 4));
    const Times times = timesSince(log, 0);
    CHECK_EQUAL(times.back(), 50 * kSecond);
    CHECK_EQUAL(times.front(), 34 * kSecond);
    // A thread that sleeps has one row, however old.
    add(log, thread(51, 1));
    add(log, process(100 * kSecond));
    CHECK_EQUAL(timesSince(log, 100 * kSecond).size(), 2U);
    add(log, thread(51, 100 * kSecond, ThreadState::Ended));
    add(log, process(116 * kSecond));
    CHECK_EQUAL(log.threadSamples(5, 0).size(), times.size() + 2);
    add(log, process(117 * kSecond));
    CHECK_EQUAL(log.threadSamples(5, 0).size(), times.size());
}

CT_CASE(aThreadHasABoundedNumberOfRows)
{
    SampleLog log;
    for (std::uint64_t ts = 1; ts <= 1000; ++ts)
        add(log, thread(50, ts));
    CHECK_EQUAL(log.threadSamples(5, 0).size(), SampleLog::kMostRowsOfThread);
    CHECK_EQUAL(timesSince(log, 0).back(), 1000U);
}

CT_CASE(withTooManyRowsTheKnownThreadsStayKnown)
{
    SampleLog log;
    add(log, thread(50, 1));
    std::vector<DescriptorSample> descriptors(SampleLog::kMostRows);
    for (std::size_t i = 0; i < descriptors.size(); ++i)
        descriptors[i] = {5, static_cast<std::uint32_t>(i), 7, 1, DescriptorKind::Event};
    add(log, &Notes::descriptorSamples, descriptors);
    ProcessSample latest = process(2);
    latest.areThreadsKnown = latest.areDescriptorsKnown = true;
    add(log, latest);
    CHECK(!log.processSample(5)->areDescriptorsKnown);
    CHECK(log.processSample(5)->areThreadsKnown);
    add(log, thread(50, 3, ThreadState::Running));
    CHECK(timesSince(log, 0) == Times{3});
    add(log, thread(51, 4));
    CHECK(timesSince(log, 0) == Times{3});
    CHECK(!log.processSample(5)->areThreadsKnown);
}

CT_CASE(keepsTheLatestRowOfADescriptor)
{
    SampleLog log;
    add(log, &Notes::descriptorSamples,
        {{5, 8, 7, 1, DescriptorKind::Event, 0, 3}, {5, 8, 6, 2, DescriptorKind::Event}, {5, 9, 7, 3}});
    add(log, &Notes::descriptorSamples, {{5, 8, 7, 4, DescriptorKind::Event, 0, 4}});
    const std::vector<WatchedDescriptor> descriptors = log.descriptors(5);
    REQUIRE(descriptors.size() == 3);
    const DescriptorSample &row = descriptors[1].latest;
    CHECK(row.epoll == 7 && row.descriptor == 8 && row.pending == 4);
    add(log, &Notes::descriptorSamples, {{5, 8, 7, 5, DescriptorKind::Closed}});
    add(log, process(5));
    CHECK_EQUAL(log.descriptors(5).size(), 3U);
    add(log, process(17 * kSecond));
    CHECK_EQUAL(log.descriptors(5).size(), 2U);
}

CT_CASE(knowsSinceWhenADescriptorIsReady)
{
    SampleLog log;
    const auto readySince = [&log](std::uint64_t ts, std::uint64_t pending, bool canWrite = false,
                                   std::uint32_t events = 1) {
        DescriptorSample row{5, 8, 7, ts, DescriptorKind::Socket, events, pending};
        row.canWrite = canWrite;
        add(log, &Notes::descriptorSamples, {row});
        return log.descriptors(5).front().readySince;
    };
    CHECK_EQUAL(readySince(10, 0), 0U);
    CHECK_EQUAL(readySince(11, DescriptorSample::kUnknown), 0U);
    CHECK_EQUAL(readySince(20, 5), 20U);
    CHECK_EQUAL(readySince(30, 9), 20U);  // more came
    CHECK_EQUAL(readySince(40, 2), 40U);  // a part was fetched
    CHECK_EQUAL(readySince(50, 0), 0U);
    // Registered for both directions: a coroutine may wait for the other one.
    constexpr std::uint32_t kBoth = 5;
    CHECK_EQUAL(readySince(60, 3, false, kBoth), 0U);
    CHECK_EQUAL(readySince(70, 3, true, kBoth), 70U);
    CHECK_EQUAL(readySince(80, 0, true, kBoth), 0U);
    CHECK_EQUAL(readySince(90, 3, true, 0x4000'0000), 0U);  // not armed
}

CT_CASE(stopsAreBands)
{
    SampleLog log;
    add(log, process(10));
    add(log, process(20, 15));
    CHECK((log.stoppedTimes() == std::vector<StoppedTime>{{5, 15, StoppedTime::kLasting}}));
    add(log, process(30, 15));
    add(log, process(40));
    add(log, process(50));
    CHECK((log.stoppedTimes() == std::vector<StoppedTime>{{5, 15, 40}}));
    // The row in between is missing.
    add(log, process(60, 55));
    add(log, process(80, 75));
    CHECK((log.stoppedTimes() == std::vector<StoppedTime>{{5, 15, 40}, {5, 55, 75}, {5, 75, StoppedTime::kLasting}}));
}

CT_CASE(aSuspendOfTheMachineIsAMoment)
{
    const auto sample = [](std::uint32_t pid, std::uint64_t ts, std::uint64_t suspendedNs) {
        ProcessSample row = process(ts);
        row.pid = pid;
        row.machineSuspendedNs = suspendedNs;
        return row;
    };
    SampleLog log;
    add(log, sample(5, 1 * kSecond, 100 * kSecond));  // from before the run
    CHECK(log.machineSuspends().empty());
    add(log, sample(5, 2 * kSecond, 100 * kSecond + kLeastMachineSuspendNs - 1));
    CHECK(log.machineSuspends().empty());
    add(log, sample(5, 3 * kSecond, 107 * kSecond));
    add(log, sample(6, 3 * kSecond + 1, 107 * kSecond));  // another process saw the same one
    add(log, sample(5, 4 * kSecond, 107 * kSecond));
    CHECK(log.machineSuspends() == (std::vector<MachineSuspend>{{3 * kSecond, 7 * kSecond}}));
    add(log, sample(5, 5 * kSecond, 0));  // a row of an older program does not know it
    add(log, sample(6, 6 * kSecond, 108 * kSecond));
    CHECK(log.machineSuspends() ==
          (std::vector<MachineSuspend>{{3 * kSecond, 7 * kSecond}, {6 * kSecond, 1 * kSecond}}));
}

CT_CASE(aPidMayBeUsedAgain)
{
    SampleLog log;
    add(log, thread(50, 10));
    add(log, process(20, 15));
    add(log, process(30, 0, 0));
    CHECK((log.stoppedTimes() == std::vector<StoppedTime>{{5, 15, 30}}));
    CHECK_EQUAL(log.threadSamples(5, 0).size(), 1U);
    add(log, thread(60, 100));
    REQUIRE(log.threadSamples(5, 0).size() == 1);
    CHECK_EQUAL(log.threadSamples(5, 0)[0].tid, 60U);
}

CT_CASE(readersDoNotDisturbTheWriter)
{
    Population population;
    std::atomic<bool> hasEnded{false};
    std::thread reader([&] {
        while (!hasEnded.load()) {
            const std::uint64_t until = population.sampledUntil(5);
            for (const ThreadSample &row : population.samples().threadSamples(5, until))
                CHECK(row.ts >= until);
        }
    });
    for (std::uint64_t ts = 1; ts <= 20'000; ++ts) {
        Batch batch;
        batch.notes.threadSamples = {thread(50, ts), thread(51, ts)};
        batch.notes.processSamples = {process(ts)};
        CHECK(static_cast<bool>(population.consume(batch)));
    }
    hasEnded.store(true);
    reader.join();
    CHECK_EQUAL(population.sampledUntil(5), 20'000U);
}
