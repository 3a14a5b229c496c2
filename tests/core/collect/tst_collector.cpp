// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The collector ahead of the decoder: what producers get back at once, what waits for the decoder, and when memory runs
// out.
#include "core/base/monotonic.h"
#include "core/harvest/chunkreader.h"
#include "tests/support/lanecapture.h"

using namespace lanecapture;

namespace {

/// Decodes everything that was collected, without a pass of the collector.
void decodeAll(Capture &c)
{
    do {
        c.batch.clear();
        c.loop->decoder().pass(c.batch);
        c.streamSums.add(c.batch);
    } while (c.loop->decoder().hasMore() || !c.batch.empty());
}

std::uint64_t tailOf(const Lane &lane)
{
    return lane.ring().header->tail.load();
}

}  // namespace

/// A lane can be filled many times while nothing is decoded.
CT_CASE(producersDoNotWaitForTheDecoder)
{
    auto [c, process, lane, one] = OneThread();
    constexpr int kLaps = 50, kSteps = 2000;
    for (int lap = 0; lap < kLaps; ++lap) {
        steps(one, lane, kSteps);
        CHECK(c.loop->collector().pass());
        CHECK_EQUAL(tailOf(lane), lane.position());
    }
    CHECK_EQUAL(c.streamSums.captured, 0u);
    decodeAll(c);
    CHECK_EQUAL(c.streamSums.captured, std::uint64_t{kLaps} * kSteps);
    c.end();
    c.checkTotals(std::uint64_t{kLaps} * kSteps);
    CHECK_EQUAL(c.loop->accounting().recordsDropped, 0u);
}

/// The engine compares this with its connections, because a process without one cannot wake it.
CT_CASE(countsProcessesThatHaveALaneInUse)
{
    Capture c;
    CHECK_EQUAL(c.loop->collector().processesWithLanes(), 0u);
    const Process first = c.process();
    const Process second = c.process(200);
    Lane lanes[] = {*first.claimLane(11), *first.claimLane(12), *second.claimLane(21)};
    c.loop->collector().safetyPass();
    CHECK_EQUAL(c.loop->collector().processesWithLanes(), 2u);
    lanes[2].close(1);
    c.loop->collector().safetyPass();
    c.loop->collector().safetyPass();  // frees the lane
    CHECK_EQUAL(c.loop->collector().processesWithLanes(), 1u);
}

/// The next thread has the lane before the records of the last one were decoded. Each record keeps its thread.
CT_CASE(aLaneChangesThreadsBeforeItIsDecoded)
{
    Capture c;
    const Process process = c.process();
    Lane first = *process.claimLane(11);
    Coroutine one = *Coroutine::create(process, first, 1, 1);
    steps(one, first, 3);
    first.close(1);
    c.loop->collector().safetyPass();
    c.loop->collector().safetyPass();  // frees the lane that the first one has read
    REQUIRE(first.ring().header->state.load() == corotracer::kLaneFree);
    Lane second = *process.claimLane(22);
    REQUIRE(second.ring().header == first.ring().header);
    Coroutine two = *Coroutine::create(process, second, 2, 1);
    steps(two, second, 5);
    c.loop->collector().pass();
    decodeAll(c);
    CHECK_EQUAL(c.streamSums.byKey(1)->lastTid, 11u);
    CHECK_EQUAL(c.streamSums.byKey(2)->lastTid, 22u);
    c.end();
    c.checkTotals(3 + 5);
}

/// The drops after a thread's last record are of that thread, and are reported once.
CT_CASE(dropsAtTheEndOfAThreadKeepTheirThread)
{
    Capture c;
    const Process process = c.process();
    Lane first = *process.claimLane(11);
    Coroutine one = *Coroutine::create(process, first, 1, 1);
    steps(one, first, 2047 + 40);
    first.close(1);
    c.loop->collector().safetyPass();
    c.loop->collector().safetyPass();  // frees the lane that the first one has read
    REQUIRE(first.ring().header->state.load() == corotracer::kLaneFree);
    Lane second = *process.claimLane(22);
    Coroutine two = *Coroutine::create(process, second, 2, 1);
    steps(two, second, 5);
    c.loop->collector().pass();
    decodeAll(c);
    c.end();
    std::uint64_t dropped = 0;
    for (const ct::Drop &drop : c.streamSums.notes.drops) {
        CHECK_EQUAL(drop.tid, 11u);
        dropped += drop.records;
    }
    CHECK_EQUAL(dropped, first.ring().header->dropped.load());
    CHECK(dropped != 0);
    c.checkTotals(2047 + 40 + 5);
}

/// A pass that comes late, and finds more than an eighth of a lane, asks the decoder to wait.
CT_CASE(aFullLanePressesTheCollector)
{
    auto [c, process, lane, one] = OneThread();
    const ct::CollectorFacts &facts = c.loop->collector().queue().facts;
    c.loop->collector().pass();
    const int eighth = static_cast<int>(lane.ring().capacity / 8);
    const auto passLate = [&c] {
        for (const std::uint64_t began = ct::monotonicNow(); ct::monotonicNow() < began + 4'000'000;) {
        }
        c.loop->collector().pass();
    };
    steps(one, lane, eighth);
    passLate();
    CHECK_EQUAL(facts.pressedUntilNs.load(), 0u);
    steps(one, lane, eighth + 1);
    const std::uint64_t before = ct::monotonicNow();
    passLate();
    const std::uint64_t until = facts.pressedUntilNs;
    CHECK(until >= before + 20'000'000);
    CHECK(facts.isPressed(until - 1));
    // The second pause is twice as long.
    steps(one, lane, eighth + 1);
    passLate();
    CHECK(facts.pressedUntilNs > until + 20'000'000);
}

/// A collector that the system does not run cannot say that it comes late. So each pass says when the next one is due.
CT_CASE(anOverdueCollectorIsPressed)
{
    auto [c, process, lane, one] = OneThread();
    ct::Collector &collector = c.loop->collector();
    const ct::CollectorFacts &facts = collector.queue().facts;
    for (int i = 0; i < 3; ++i) {
        steps(one, lane, 10);
        collector.safetyPass();  // measures the rate
    }
    const std::uint64_t before = ct::monotonicNow();
    collector.pass();
    const std::uint64_t due = facts.dueNs;
    CHECK(due >= before + 1'000'000 && due <= ct::monotonicNow() + 1'000'000'000);
    CHECK(facts.isPressed(due) && !facts.isPressed(due - 1));
    // Nothing is due while it sleeps.
    collector.lanePass();
    CHECK(!facts.isPressed(~std::uint64_t{0} - 1));
}

/// Over the budget, records stay in the lanes, and nothing is lost while these have room.
CT_CASE(withoutMemoryRecordsStayInTheLanes)
{
    Capture c(4096, 1 << 16, std::uint64_t{64} << 20);
    c.loop.emplace(*c.region, c.isAlive());
    ct::RawQueue &queue = c.loop->collector().queue();
    const std::uint64_t most = queue.pool.budget();  // a record takes more than one byte
    const Process process = c.process();
    Lane lane = *process.claimLane(1);
    Coroutine one = *Coroutine::create(process, lane, 1, 1);
    std::uint64_t emitted = 0;
    while (!c.loop->collector().hasMore()) {
        REQUIRE(emitted <= most);
        steps(one, lane, 1 << 15);
        emitted += 1 << 15;
        c.loop->collector().pass();
    }
    CHECK(tailOf(lane) < lane.position());
    CHECK(!queue.facts.isPressed(ct::monotonicNow()) &&
          !queue.facts.isPressed(~std::uint64_t{0} - 1));  // the decoder must not wait for the collector
    // A request is not answered yet: the lane has older records.
    queue.requests.setWake([] {});
    const std::uint64_t number = queue.requests.request();
    c.loop->collector().pass();
    CHECK(!queue.requests.isAnswered(number));
    decodeAll(c);
    c.loop->collector().pass();
    CHECK(!c.loop->collector().hasMore());
    CHECK(queue.requests.isAnswered(number));
    CHECK_EQUAL(tailOf(lane), lane.position());
    queue.requests.setWake([&c] { c.loop->collector().pass(); });
    c.end();
    c.checkTotals(emitted);
    CHECK_EQUAL(c.streamSums.captured, emitted);
}

/// The stream's time is that of the oldest record that was not decoded.
CT_CASE(aLateDecoderSaysHowLateItIs)
{
    Capture c;
    c.streamSums.realTime = true;
    const Process process = c.process();
    Lane lane = *process.claimLane(1);
    Coroutine one = *Coroutine::create(process, lane, 1, 1);
    c.scanAll();
    const std::uint64_t began = corotracer::detail::monotonic_ns();
    for (std::uint64_t i = 0; i < ct::kLaneBatch + 1000; ++i) {
        if (i % 1024 == 0)
            c.loop->collector().pass();
        const std::uint64_t n = one.events();
        one.transition(lane, {writers::activeOf(n) ? corotracer::kRecordResume : corotracer::kRecordSuspend, began + i,
                              one.identity(), 0, n, 0});
    }
    while (corotracer::detail::monotonic_ns() < began + 3'000'000) {
    }
    c.pass();
    REQUIRE(c.loop->decoder().hasMore());
    const std::uint64_t decoded = c.batch.transitions.size();
    CHECK_EQUAL(c.batch.now, began + decoded);
    ct::Accounting sums = c.loop->accounting();
    CHECK_EQUAL(sums.recordsBehind, ct::kLaneBatch + 1000 - decoded);
    CHECK(sums.behindNs >= 2'000'000);
    decodeAll(c);
    c.pass();
    sums = c.loop->accounting();
    CHECK(c.batch.now > began + 3'000'000);
    CHECK_EQUAL(sums.recordsBehind, 0u);
    CHECK(sums.mostBehindNs >= 2'000'000);
}

/// Full stations and lanes in one region: one numbering, exact sums.
CT_CASE(stationsAndLanesShareTheNumbering)
{
    Capture c;
    std::uint64_t stationEvents = 0;
    std::uint64_t laneEvents = 0;
    std::vector<writers::Writer> writers;
    const Process process = c.process();
    Lane lane = *process.claimLane(1);
    std::vector<ct::Birth> births;
    std::vector<std::uint64_t> captured;
    const auto pass = [&] {
        c.batch.clear();
        c.loop->pass(c.batch);
        births.insert(births.end(), c.batch.births.begin(), c.batch.births.end());
        captured.resize(births.size());
        for (const ct::Transition &transition : c.batch.transitions) {
            REQUIRE(transition.coroutine < births.size());
            ++captured[transition.coroutine];
        }
    };
    for (std::uint64_t round = 1; round <= 20; ++round) {
        writers.emplace_back(*writers::allocateFullStation(c.header()), writers::Style::Ours, 1000 + round);
        writers.back().create();
        for (writers::Writer &writer : writers) {
            writer.write(3);
            stationEvents += 3;
        }
        Coroutine one = *Coroutine::create(process, lane, round, 1);
        steps(one, lane, static_cast<int>(round));
        laneEvents += round;
        pass();
        pass();
    }
    REQUIRE(births.size() == 40);
    for (std::size_t id = 0; id < births.size(); ++id) {
        CHECK_EQUAL(births[id].coroutine, static_cast<ct::CoroutineId>(id));
        const bool isFull = births[id].dialect != ct::Dialect::Lane;
        CHECK_EQUAL(captured[id], isFull ? 3 * (1021 - births[id].probeId) : births[id].probeId);
    }
    const ct::Accounting sums = c.loop->accounting();
    CHECK_EQUAL(sums.captured, stationEvents + laneEvents);
    CHECK_EQUAL(sums.coroutines, 40u);
}
