// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Dropped records: the reported thread, time and number. Also how long a lane is retained.
#include "tests/support/lanecapture.h"

using namespace lanecapture;

namespace {

constexpr std::uint64_t kHourNs = 3'600'000'000'000;

std::uint64_t nowNs()
{
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// Publishes event `n` as if the events before it were lost, with its own time.
void stepAt(Coroutine &coroutine, Lane &lane, std::uint64_t n, std::uint64_t ts)
{
    coroutine.setEvents(n);
    lanewriter::Record record = lanewriter::genuineRecord(coroutine.identity(), coroutine.key(), n);
    record.ts = ts;
    coroutine.transition(lane, record);
}

}  // namespace

/// There is no drop record: the drops lie between the last record and the end of the thread.
CT_CASE(dropsAtTheEndOfAThreadHaveTheirTime)
{
    auto [c, process, lane, one] = OneThread();
    steps(one, lane, 2100);
    const std::uint64_t last = writers::tsOf(2046);  // the birth and 2047 events fit
    lane.close(last + 500);
    c.scanAll(true);
    c.pass(true);
    CHECK_EQUAL(lane.ring().header->state.load(), corotracer::kLaneFree);
    REQUIRE(c.streamSums.notes.drops.size() == 1);
    const ct::Drop &drop = c.streamSums.notes.drops[0];
    CHECK_EQUAL(drop.tid, 1u);
    CHECK_EQUAL(drop.pid, 100u);
    CHECK_EQUAL(drop.records, 53u);
    CHECK_EQUAL(drop.firstTs, last);
    CHECK_EQUAL(drop.lastTs, last + 500);
    c.end();
    CHECK_EQUAL(c.streamSums.notes.drops.size(), 1u);
    c.checkTotals(2100);
}

/// The thread is alive or was killed, so its lane is not closed.
CT_CASE(reportsDropsBeforeEndOfHarvest)
{
    auto [c, process, lane, one] = OneThread();
    steps(one, lane, 2100);
    c.end();
    REQUIRE(c.streamSums.notes.drops.size() == 1);
    CHECK_EQUAL(c.streamSums.notes.drops[0].records, 53u);
    CHECK_EQUAL(c.streamSums.notes.drops[0].firstTs, writers::tsOf(2046));
    CHECK(c.streamSums.notes.drops[0].lastTs >= c.streamSums.notes.drops[0].firstTs);
    CHECK_EQUAL(c.loop->accounting().recordsDropped, 53u);
    c.checkTotals(2100);
}

/// The lane belonged to another process, whose clock may differ. So the time of its last record does not count.
CT_CASE(dropsAreNotOlderThanTheirProcess)
{
    auto [c, process, lane, one] = OneThread();
    Lane used = *process.claimLane(2);
    steps(one, used, 3);
    used.close(1);
    scanUntil(c, [&] { return used.ring().header->state.load() == corotracer::kLaneFree; });
    const Process dying = c.process(2);
    dying.entry().init_ns.store(writers::tsOf(500));
    Lane claimed = *dying.claimLane(3);
    REQUIRE(claimed.ring().header == used.ring().header);
    claimed.ring().header->dropped.store(4);  // there was no memory for its first slots
    c.scanAll(true);
    c.dead.insert(2);
    scanUntil(c, [&] { return dying.entry().state.load() == corotracer::kProcessFree; });
    REQUIRE(c.streamSums.notes.drops.size() == 1);
    const ct::Drop &drop = c.streamSums.notes.drops[0];
    CHECK_EQUAL(drop.pid, 2u);
    CHECK_EQUAL(drop.tid, 3u);
    CHECK_EQUAL(drop.records, 4u);
    CHECK_EQUAL(drop.firstTs, writers::tsOf(500));
    c.end();
    c.checkTotals(3);
}

/// A stray write changed the tail. The producer finds the lane full, while the engine finds it empty.
CT_CASE(storesOverwrittenTailAgain)
{
    auto [c, process, lane, one] = OneThread();
    const std::atomic<std::uint64_t> &tail = lane.ring().header->tail;
    for (const std::uint64_t scribbled : {std::uint64_t{0}, ~std::uint64_t{4095}}) {
        for (int half = 0; half < 2; ++half) {
            steps(one, lane, 1500);
            c.scanAll();
        }
        CHECK_EQUAL(tail.load(), lane.position());
        lane.ring().header->tail.store(scribbled);
        while (tail.load() == scribbled) {
            steps(one, lane, 1);
            c.pass(true);
        }
        c.scanAll();
        CHECK_EQUAL(tail.load(), lane.position());
        CHECK(lane.put(lanewriter::genuineRecord(one.identity(), one.key(), one.events())));
        one.setEvents(one.events() + 1);
    }
    c.end();
    c.checkTotals(one.events());
}

CT_CASE(reportsRecordsWithoutLane)
{
    Capture c;
    REQUIRE(c.process().index() == 0);
    c.scanAll(true);
    const std::uint64_t before = nowNs();
    c.header().extension.threads_without_lane.store(1);
    c.header().extension.records_without_lane.store(40);
    scanUntil(c, [&] { return !c.streamSums.notes.drops.empty(); });
    c.header().extension.records_without_lane.store(50);
    c.end();
    REQUIRE(c.streamSums.notes.drops.size() == 2);
    CHECK_EQUAL(c.streamSums.notes.drops[0].records, 40u);
    CHECK_EQUAL(c.streamSums.notes.drops[0].pid, 100u);
    CHECK(c.streamSums.notes.drops[0].firstTs <= c.streamSums.notes.drops[0].lastTs);
    CHECK(c.streamSums.notes.drops[0].lastTs >= before);
    CHECK_EQUAL(c.streamSums.notes.drops[1].records, 10u);
    CHECK_EQUAL(c.streamSums.notes.drops[1].firstTs, c.streamSums.notes.drops[0].lastTs);
    CHECK_EQUAL(c.loop->accounting().recordsDropped, 50u);
}

/// A drained lane could serve the next thread at once, but lane_retention_ms keeps it.
CT_CASE(keepsClosedLaneForRetentionTime)
{
    Capture c;
    c.header().extension.lane_retention_ms = 60'000;
    c.restart();
    {
        const Process process = c.process();
        Lane fresh = *process.claimLane(1), old = *process.claimLane(2);
        Coroutine one = *Coroutine::create(process, fresh, 1, 1);
        steps(one, fresh, 10);
        fresh.close(nowNs());
        old.close(nowNs() - 61'000'000'000);
        c.scanAll(true);
        c.pass(true);
        CHECK_EQUAL(fresh.ring().header->state.load(), corotracer::kLaneClosed);
        CHECK_EQUAL(fresh.ring().header->tail.load(), 11u);
        CHECK_EQUAL(old.ring().header->state.load(), corotracer::kLaneFree);
        c.end();
        c.checkTotals(10);
    }
}

/// A pass appends to a batch, and counts only what it appended.
CT_CASE(twoPassesMayFillOneBatch)
{
    auto [c, process, lane, one] = OneThread();
    steps(one, lane, 5);
    c.loop->pass(c.batch);
    steps(one, lane, 4);
    c.loop->pass(c.batch);
    CHECK_EQUAL(c.batch.transitions.size(), 9u);
    CHECK_EQUAL(c.loop->accounting().captured, 9u);
}

CT_CASE(ignoresImplausibleSums)
{
    Capture c;
    corotracer::ExtensionHeader &extension = c.header().extension;
    for (auto *sum : {&extension.births_without_station, &extension.births_while_off, &extension.records_without_lane})
        sum->store(std::uint64_t{1} << 60);
    c.pass();
    CHECK_EQUAL(c.loop->accounting().untraced, 0u);
    CHECK_EQUAL(c.loop->accounting().bornWhileOff, 0u);
    CHECK_EQUAL(c.loop->accounting().recordsDropped, 0u);
}

/// Events in the reorder buffer follow in a later pass, without a wake-up. So the engine must not sleep.
CT_CASE(noSleepWhileEventsAreBuffered)
{
    auto [c, process, lane, other, one] = TwoThreads();
    c.streamSums.realTime = true;
    steps(one, lane, 3);
    c.scanAll();
    stepAt(one, other, 5, nowNs() + kHourNs);  // 3 and 4 may still come
    c.batch.clear();
    CHECK(!c.loop->prepareSleep(c.batch));
    CHECK(c.batch.empty());
    c.end();
    CHECK_EQUAL(c.streamSums.captured, 4u);
    CHECK_EQUAL(c.streamSums.lost, 2u);
}

/// An event waits in the reorder buffer for earlier numbers. The death of its coroutine ends the wait.
CT_CASE(emitsBufferedEventsBeforeDeath)
{
    auto [c, process, lane, other, one] = TwoThreads();
    c.streamSums.realTime = true;
    steps(one, lane, 3);
    c.scanAll();
    stepAt(one, other, 5, nowNs() + kHourNs);
    one.destroy(other, writers::tsOf(6));
    c.scanAll();
    CHECK_EQUAL(c.streamSums.captured, 4u);
    CHECK_EQUAL(c.streamSums.deaths, 1u);
    c.end();
    CHECK_EQUAL(c.loop->accounting().lost, 2u);
    c.checkTotals(6);
}
