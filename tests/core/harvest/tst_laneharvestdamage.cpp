// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lanes, compact stations and tables that a target damaged: bounded work, no crash, and right sums.
#include "core/base/monotonic.h"
#include "tests/support/lanecapture.h"

#include <cstring>
#include <random>

using namespace lanecapture;

/// Whatever a target writes: bounded work, no crash, no event out of order, sums that agree with the stream.
CT_CASE(survivesHostileRecords)
{
    std::mt19937_64 random(17);
    const std::uint8_t kinds[] = {0x10, 0x13, 0x20, 0x30, 0x31, 0x40, 0x50, 0x51, 0x52, 0x60, 0x75, 0x80, 0x81, 0xFF};
    for (int round = 0; round < 60; ++round) {
        Capture c(64);
        const Process process = c.process();
        std::vector<Lane> lanes;
        for (std::uint64_t i = 0; i < 3; ++i)
            lanes.push_back(*process.claimLane(i + 1));
        std::vector<Coroutine> all;
        for (std::uint64_t key = 0; key < 16; ++key)
            all.push_back(*Coroutine::create(process, lanes[key % 3], key, 1));
        const auto any = [&] { return random() >> (random() % 64); };
        for (int pass = 0; pass < 20; ++pass) {
            for (int i = 0; i < 300; ++i) {
                lanewriter::Record record;
                record.kind = random() % 8 ? kinds[random() % std::size(kinds)] : static_cast<std::uint8_t>(random());
                record.ts = any();
                record.identity = random() % 4 ? lanewriter::identityOf(static_cast<std::uint32_t>(random() % 20),
                                                                        static_cast<std::uint32_t>(random() % 4))
                                               : any();
                record.arg =
                    random() % 4 ? lanewriter::identityOf(static_cast<std::uint32_t>(random() % 20), 1) : any();
                record.n = random() % 4 ? random() % 30 : any();
                record.site = static_cast<std::uint32_t>(random());
                lanes[random() % 3].put(record);
            }
            auto *const state =
                reinterpret_cast<std::byte *>(&process.state(static_cast<std::uint32_t>(random() % 64)));
            auto *const birth =
                reinterpret_cast<std::byte *>(&process.birth(static_cast<std::uint32_t>(random() % 64)));
            for (std::byte *const bytes : {state, birth}) {
                const std::uint64_t value = any();
                std::memcpy(bytes + random() % 8 * 8, &value, sizeof value);
            }
            c.header().extension.compact_station_count.store(static_cast<std::uint32_t>(any()));
            c.header().extension.compact_stations_committed.store(static_cast<std::uint32_t>(any()));
            c.header().extension.records_without_lane.store(any());
            c.header().extension.lane_count.store(random() % 2 ? 3 : static_cast<std::uint32_t>(any()));
            c.header().extension.free_compact_stations.store(any());
            c.pass(random() % 2);
        }
        c.end();
        const ct::Accounting sums = c.loop->accounting();
        CHECK_EQUAL(sums.captured, c.streamSums.captured);
        CHECK_EQUAL(sums.lost, c.streamSums.lost);
        CHECK_EQUAL(c.streamSums.inversions, 0u);
        CHECK_EQUAL(c.streamSums.coroutines.size(), sums.coroutines);
    }
}

/// A number that was written twice is emitted once, even if the second record is old enough to settle the first one,
/// which waits.
CT_CASE(aNumberWrittenTwiceIsEmittedOnce)
{
    auto [c, process, lane, one] = OneThread();
    c.scanAll();
    const std::uint64_t future = ct::monotonicNow() + 1'000'000'000'000;
    const auto put = [&](std::uint64_t n, std::uint64_t ts) {
        lanewriter::Record record = lanewriter::genuineRecord(one.identity(), 1, n);
        record.ts = ts;
        lane.put(record);
    };
    put(1, future);  // waits for number 0
    put(2, future);
    put(2, 1);
    c.scanAll();
    c.end();
    CHECK_EQUAL(c.streamSums.inversions, 0u);
    CHECK_EQUAL(c.streamSums.captured, 2u);
    CHECK_EQUAL(c.streamSums.lost, 1u);
}

/// A record makes another process known. Later records in the lane are still converted by the clock of the lane's
/// process.
CT_CASE(discoveringAProcessKeepsTheClockOfTheLane)
{
    Capture c;
    const Process first = c.process(1);
    Lane lane = *first.claimLane(1);
    Coroutine one = *Coroutine::create(first, lane, 1, 1);
    c.scanAll();
    std::vector<Process> others;
    for (std::uint32_t pid = 2; pid < 40; ++pid)
        others.push_back(c.process(pid));
    lanewriter::LooseRing nowhere(2048, false);  // the thread has no lane in the region
    Lane elsewhere(nowhere.ring(), 0);
    Coroutine other = *Coroutine::create(others.back(), elsewhere, 2, 1);
    one.writeNote(lane, {corotracer::kRecordParent, 2, one.identity(), other.identity(), 0, 0});
    steps(one, lane, 50);
    c.scanAll();
    CHECK_EQUAL(c.streamSums.captured, 50u);
    CHECK_EQUAL(c.streamSums.notes.parents.size(), 1u);
    c.end();
    c.checkTotals(50);
}

/// Damages the lane directory and the table of processes.
CT_CASE(survivesHostileTables)
{
    std::mt19937_64 random(23);
    for (int round = 0; round < 40; ++round) {
        auto [c, process, lane, other, one] = TwoThreads{.c = Capture(64)};
        for (int pass = 0; pass < 30; ++pass) {
            steps(one, random() % 2 ? lane : other, 20);
            auto *const header =
                reinterpret_cast<std::byte *>(&process.laneHeader(static_cast<std::uint32_t>(random() % 3)));
            auto *const entry = reinterpret_cast<std::byte *>(&process.entry());
            for (int i = 0; i < 4; ++i) {
                const std::uint64_t value = random() >> (random() % 64);
                std::memcpy(header + random() % 18 * 8, &value, sizeof value);
                std::memcpy(entry + random() % 18 * 8, &value, sizeof value);
            }
            c.pass(random() % 2);
        }
        c.end();
        const ct::Accounting sums = c.loop->accounting();
        CHECK_EQUAL(sums.captured, c.streamSums.captured);
        CHECK_EQUAL(c.streamSums.inversions, 0u);
    }
}

/// A damaged commit: the records behind it are emitted, and one event is lost.
CT_CASE(losesOnlyTheRecordInAHole)
{
    for (const int hole : {5, 7, 500}) {
        auto [c, process, lane, other, one] = TwoThreads{.c = Capture(64)};
        Coroutine two = *Coroutine::create(process, other, 2, 1);
        steps(one, lane, 500);
        steps(two, lane, 500);
        steps(one, other, 500);
        lane.ring().records[hole].commit.store(0);
        c.end();
        CHECK_EQUAL(c.streamSums.captured, 1499u);
        CHECK_EQUAL(c.streamSums.lost, 1u);
        CHECK_EQUAL(c.loop->accounting().recordsDropped, 1u);
        CHECK_EQUAL(c.loop->accounting().recordsInHoles, 1u);
        c.checkTotals(1500);
    }
}

/// A search finds the end of a lane, while records are read one by one. A hole makes the two differ. Events that wait
/// because of other lanes are emitted even if the lane's thread is idle.
CT_CASE(holeDelaysNoOtherLane)
{
    auto [c, process, lane, other, one] = TwoThreads();
    Coroutine two = *Coroutine::create(process, other, 2, 1);
    steps(one, lane, 500);
    steps(two, other, 2);
    lane.ring().records[5].commit.store(0);
    // A thread without a lane continues the coroutine. It writes only the CompactState, which a sweep reads.
    corotracer::CompactState &state = process.state(two.index());
    state.ts.store(writers::tsOf(9));
    state.addr.store(0);
    state.what.store(std::uint64_t{corotracer::kRecordResume} << 32);
    state.seq.store(20);
    c.header().extension.records_without_lane.store(8);
    c.scanAll(true);
    CHECK_EQUAL(c.streamSums.byKey(2)->captured, 3u);
    CHECK_EQUAL(c.streamSums.byKey(2)->lost, 7u);
    two.setEvents(10);
    steps(two, other, 3);
    c.scanAll();
    CHECK_EQUAL(c.streamSums.byKey(2)->captured, 6u);
    c.end();
    c.checkTotals(513);
}

/// A number beyond any possible count: the compact station gives no events, however often it is read, but still its
/// death.
CT_CASE(ignoresImplausibleCountInStation)
{
    for (const std::uint64_t seq :
         {std::uint64_t{1} << 49, std::uint64_t{1} << 63, ~std::uint64_t{1}, ~std::uint64_t{0}}) {
        auto [c, process, lane, one] = OneThread();
        steps(one, lane, 6);
        c.scanAll(true);
        process.state(one.index()).seq.store(seq);
        for (int sweep = 0; sweep < 5; ++sweep) {
            c.header().extension.records_without_lane.fetch_add(1);
            c.scanAll(true);
            c.checkSums();
            CHECK_EQUAL(c.loop->accounting().captured, 6u);
            CHECK_EQUAL(c.loop->accounting().lost, 0u);
        }
        one.destroy(lane, 2);
        c.scanAll(true);
        CHECK_EQUAL(c.streamSums.deaths, 1u);
        c.end();
        c.checkTotals(6);
    }
}

/// The producer finds the lane full where the reader finds nothing new. This proves a hole.
CT_CASE(continuesBehindAHole)
{
    Capture c;
    const Process process = c.process();
    Lane lane = *process.claimLane(1);
    Coroutine one = *Coroutine::create(process, lane, 1, 1);
    steps(one, lane, 500);
    lane.ring().records[5].commit.store(0);
    c.scanAll();
    steps(one, lane, 3000);
    scanUntil(c, [&] {
        steps(one, lane, 1);
        return lane.ring().header->tail.load() > 1000;
    });
    const std::uint64_t dropped = lane.ring().header->dropped.load();
    CHECK(dropped > 1000);
    steps(one, lane, 1000);
    c.scanAll(true);
    CHECK_EQUAL(lane.ring().header->dropped.load(), dropped);
    CHECK_EQUAL(lane.ring().header->tail.load(), lane.position());
    CHECK_EQUAL(c.loop->accounting().recordsDropped, dropped + 1);
    CHECK_EQUAL(c.loop->accounting().recordsInHoles, 1u);
    c.end();
    c.checkTotals(one.events());
}

/// No record will fill the hole of an ended thread. One record is lost, and the next thread's records start behind all
/// others.
CT_CASE(aHoleOfAnEndedThreadIsOneLostRecord)
{
    for (const int hole : {5, 499, 500}) {
        auto [c, process, lane, one] = OneThread();
        steps(one, lane, 500);
        lane.ring().records[hole].commit.store(0);
        lane.close(1);
        scanUntil(c, [&] { return lane.ring().header->state.load() == corotracer::kLaneFree; });
        const bool isLast = hole == 500;  // no hole: nothing was committed behind it
        CHECK_EQUAL(lane.ring().header->tail.load(), isLast ? 500u : 501u);
        CHECK_EQUAL(c.loop->accounting().lanesDamaged, isLast ? 0u : 1u);
        CHECK_EQUAL(c.loop->accounting().recordsDropped, isLast ? 0u : 1u);
        Lane next = *process.claimLane(2);
        CHECK_EQUAL(next.ring().header, lane.ring().header);
        steps(one, next, 100);
        c.scanAll(true);
        c.end();
        // The event of the last record is in the CompactState, but other events came after it.
        CHECK_EQUAL(c.streamSums.captured, 599u);
        CHECK_EQUAL(c.streamSums.lost, 1u);
        c.checkTotals(600);
    }
}

namespace {

struct Hole {
    int begin;
    int slots;
};
/// Holes with fewer records behind them than they have slots.
constexpr Hole kHolesOfFewFollowers[] = {{497, 3}, {493, 5}, {300, 130}};

void makeHole(const Lane &lane, Hole hole)
{
    for (int i = 0; i < hole.slots; ++i)
        lane.ring().records[hole.begin + i].commit.store(0);
}

}  // namespace

/// The next thread of a lane starts behind all records of the previous thread, and loses none of its own.
CT_CASE(theNextThreadStartsBehindAllRecords)
{
    for (const Hole hole : kHolesOfFewFollowers) {
        auto [c, process, lane, one] = OneThread();
        Lane other = *process.claimLane(3);
        Coroutine two = *Coroutine::create(process, other, 2, 1);
        steps(one, lane, 500);
        makeHole(lane, hole);
        lane.close(1);
        scanUntil(c, [&] { return lane.ring().header->state.load() == corotracer::kLaneFree; });
        CHECK_EQUAL(lane.ring().header->tail.load(), 501u);
        CHECK_EQUAL(c.loop->accounting().lanesDamaged, 1u);
        CHECK_EQUAL(c.loop->accounting().recordsDropped, static_cast<std::uint64_t>(hole.slots));
        Lane next = *process.claimLane(2);
        REQUIRE(next.ring().header == lane.ring().header);
        CHECK_EQUAL(next.position(), 501u);
        steps(two, next, hole.slots);
        c.scanAll(true);
        CHECK_EQUAL(c.streamSums.byKey(2)->captured, static_cast<std::uint64_t>(hole.slots));
        c.end();
        CHECK_EQUAL(c.streamSums.byKey(1)->captured, static_cast<std::uint64_t>(500 - hole.slots));
        CHECK_EQUAL(c.streamSums.byKey(1)->lost, static_cast<std::uint64_t>(hole.slots));
        c.checkTotals(500 + hole.slots);
    }
}

/// A killed process leaves such a hole. The next thread of the lane then leaves one as well.
CT_CASE(aKilledProcessIsReadToItsLastRecord)
{
    for (const Hole hole : kHolesOfFewFollowers) {
        auto [c, process, lane, one] = OneThread();
        const Process dying = c.process(2);
        Lane torn = *dying.claimLane(2);
        Coroutine two = *Coroutine::create(dying, torn, 2, 1);
        steps(two, torn, 500);
        c.scanAll(true);
        steps(two, torn, 500);
        makeHole(torn, {500 + hole.begin, hole.slots});
        c.scanAll(true);
        c.dead.insert(2);
        scanUntil(c, [&] { return dying.entry().state.load() == corotracer::kProcessFree; });
        CHECK_EQUAL(torn.ring().header->state.load(), corotracer::kLaneFree);
        CHECK_EQUAL(torn.ring().header->tail.load(), 1001u);
        CHECK_EQUAL(c.loop->accounting().recordsDropped, static_cast<std::uint64_t>(hole.slots));
        CHECK_EQUAL(c.streamSums.byKey(2)->lost, static_cast<std::uint64_t>(hole.slots));
        Lane next = *process.claimLane(3);
        REQUIRE(next.ring().header == torn.ring().header);
        steps(one, next, 4);
        makeHole(next, {1001, 3});
        next.close(1);
        scanUntil(c, [&] { return next.ring().header->state.load() == corotracer::kLaneFree; });
        CHECK_EQUAL(next.ring().header->tail.load(), 1005u);
        c.end();
        CHECK_EQUAL(c.streamSums.byKey(1)->captured, 1u);
        c.checkTotals(1004);
    }
}

/// A killed process leaves holes in its lane, and a living process claims the lane.
CT_CASE(aHoleOfAKilledProcessIsOneLostRecord)
{
    auto [c, process, lane, one] = OneThread();
    const Process dying = c.process(2);
    Lane torn = *dying.claimLane(2);
    Coroutine two = *Coroutine::create(dying, torn, 2, 1);
    steps(two, torn, 3);
    c.scanAll(true);
    steps(two, torn, 200);
    torn.ring().records[10].commit.store(0);
    torn.ring().records[50].commit.store(0);
    c.scanAll(true);
    c.dead.insert(2);
    scanUntil(c, [&] { return dying.entry().state.load() == corotracer::kProcessFree; });
    CHECK_EQUAL(torn.ring().header->tail.load(), 204u);
    CHECK_EQUAL(torn.ring().header->state.load(), corotracer::kLaneFree);
    CHECK_EQUAL(c.streamSums.byKey(2)->captured, 201u);
    CHECK_EQUAL(c.streamSums.byKey(2)->lost, 2u);
    CHECK_EQUAL(c.loop->accounting().lanesDamaged, 1u);
    Lane next = *process.claimLane(3);
    CHECK_EQUAL(next.position(), 204u);
    steps(one, next, 50);
    c.scanAll(true);
    CHECK_EQUAL(c.streamSums.byKey(1)->captured, 50u);
    c.end();
    c.checkTotals(253);
}

/// A lane changes to another process. Its new thread is killed before its first record, or leaves that record torn.
CT_CASE(laneBelongsToClaimingProcess)
{
    for (const int written : {0, 20}) {
        auto [c, process, lane, one] = OneThread();
        Lane used = *process.claimLane(2);
        steps(one, used, 3);
        used.close(1);
        scanUntil(c, [&] { return used.ring().header->state.load() == corotracer::kLaneFree; });
        const Process dying = c.process(2);
        Lane claimed = *dying.claimLane(3);
        REQUIRE(claimed.ring().header == used.ring().header);
        Lane other = *dying.claimLane(4);
        Coroutine two = *Coroutine::create(dying, other, 2, 1);
        steps(two, claimed, written);
        if (written != 0)
            makeHole(claimed, {3, 1});
        c.scanAll(true);
        c.dead.insert(2);
        scanUntil(c, [&] { return dying.entry().state.load() == corotracer::kProcessFree; });
        const std::uint64_t lost = written != 0 ? 1 : 0;
        CHECK_EQUAL(claimed.ring().header->state.load(), corotracer::kLaneFree);
        CHECK_EQUAL(claimed.ring().header->tail.load(), claimed.position());
        CHECK_EQUAL(c.streamSums.byKey(2)->captured, written - lost);
        c.pass(true);
        CHECK_EQUAL(c.loop->accounting().lanesInUse, 1u);
        CHECK_EQUAL(c.loop->accounting().recordsInHoles, lost);
        c.end();
        c.checkTotals(3 + written);
    }
}

namespace {

/// Commits slots at distances at which a reader finds the next one behind each hole, through all laps, without an end.
void scribbleEndlessly(const Lane &lane, std::uint64_t position)
{
    const std::uint32_t capacity = lane.ring().capacity;
    REQUIRE(capacity == 2048);
    for (std::uint32_t slot = 0; slot < capacity; ++slot)
        lane.ring().records[slot].commit.store(0);
    std::vector<std::uint64_t> distances(29, 1025);
    distances.insert(distances.end(), {513, 257, 129, 65, 17, 9, 5});  // 15 laps in all
    for (const std::uint64_t distance : distances) {
        lane.ring().records[position % capacity].commit.store(0xFF0 | (position / capacity % 15 + 1));
        position += distance;
    }
}

}  // namespace

/// Behind each hole there is another record, lap after lap. A lane has no more records than slots.
CT_CASE(readsADeadLaneWithHolesInEveryLapOnce)
{
    for (const bool isPostMortem : {false, true}) {
        auto [c, process, lane, one] = OneThread();
        const Process dying = c.process(2);
        Lane torn = *dying.claimLane(2);
        Coroutine two = *Coroutine::create(dying, torn, 2, 1);
        steps(two, torn, 100);
        c.scanAll(true);
        scribbleEndlessly(torn, torn.position() + 1);
        c.dead.insert(2);
        if (isPostMortem) {
            c.dead.insert(100);
            c.restart({}, ct::RegionUse::PostMortem);
        } else {
            scanUntil(c, [&] { return dying.entry().state.load() == corotracer::kProcessFree; });
        }
        int passes = 0;
        while (passes < 1000 && c.pass(true))
            ++passes;
        CHECK(passes < 1000);
        CHECK_EQUAL(c.loop->accounting().lanesDamaged, 1u);
        CHECK(c.loop->accounting().recordsDropped < 2 * 2048);
        c.end();
        c.checkTotals(100);
    }
}

/// A damaged slot ahead of the producer looks committed. This is not a hole: the tail never passes the producer.
CT_CASE(aScribbledSlotAheadOfTheProducerIsNoHole)
{
    auto [c, process, lane, one] = OneThread();
    steps(one, lane, 5);
    lane.ring().records[127].commit.store(lane.ring().records[0].commit.load());
    c.header().extension.records_without_lane.store(8);
    for (int round = 0; round < 20; ++round) {
        c.scanAll(true);
        CHECK_EQUAL(lane.ring().header->tail.load(), lane.position());
        steps(one, lane, 1);
    }
    c.end();
    c.checkTotals(25);
    CHECK_EQUAL(c.streamSums.captured, 25u);
}

CT_CASE(readsToTheEndDespiteAScribbledBlockNumber)
{
    for (const std::uint64_t ahead : {1u, 2u, 2000u, 2001u}) {
        Capture c;
        c.setOverwriteMode();
        const Process process = c.process(5);
        Lane lane = *process.claimLane(1);
        Coroutine one = *Coroutine::create(process, lane, 1, 1);
        steps(one, lane, 3500);
        lane.ring().blockNumbers[0].fetch_add(ahead);
        c.restart();
        c.scanAll(true);
        CHECK(c.loop->accounting().captured > 0);
        CHECK(!c.pass());  // no barrier is pending
        c.end();
        c.checkTotals(3500);
        CHECK_EQUAL(c.streamSums.lost, 0u);
    }
}
