// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lanes and compact stations, one pass at a time, against known numbers: order, holes, drops, generations.
#include "core/collect/lanecollector.h"
#include "tests/support/lanecapture.h"

using namespace lanecapture;

CT_CASE(anEmptyRegionAllowsSleep)
{
    Capture c;
    CHECK(!c.pass());
    CHECK(!c.loop->hasMore());
    CHECK(c.loop->prepareSleep(c.batch));
    c.loop->cancelSleep();
    c.end();
    c.checkTotals(0);
}

/// isQuiet(), the last check before an engine sleeps, notices records and lanes that came after the pass.
CT_CASE(newRecordsAndLanesPreventSleep)
{
    Capture c;
    ct::RawQueue queue({0, {}}, c.region->laneDirectory().size(), c.region->processes().size());
    ct::LaneCollector lanes(*c.region, queue);
    const auto pass = [&] {
        lanes.refresh(true, corotracer::detail::monotonic_ns());
        lanes.collect();
    };
    pass();
    CHECK(lanes.isQuiet());
    const Process process = c.process(77);
    Lane lane = *process.claimLane(5);
    CHECK(!lanes.isQuiet());
    pass();
    CHECK(lanes.isQuiet());
    Coroutine one = *Coroutine::create(process, lane, 9, 123);
    CHECK(!lanes.isQuiet());
    pass();
    CHECK(lanes.isQuiet());
    one.step(lane);
    CHECK(!lanes.isQuiet());
    pass();
    // A lane of a thread that was killed while making it keeps no engine awake.
    const Lane made = *process.claimLane(6);
    made.ring().header->state.store(corotracer::kLaneMaking);
    CHECK(lanes.isQuiet());
    made.ring().header->state.store(corotracer::kLaneActive);
    CHECK(!lanes.isQuiet());
}

CT_CASE(capturesACoroutineInOneLane)
{
    Capture c;
    const Process process = c.process(77);
    Lane lane = *process.claimLane(5);
    Coroutine one = *Coroutine::create(process, lane, 9, 123);
    steps(one, lane, 7);
    c.pass();
    REQUIRE(c.streamSums.coroutines.size() == 1);
    CHECK_EQUAL(c.streamSums.coroutines[0].key, 9u);
    CHECK_EQUAL(c.streamSums.coroutines[0].birthTs, 123u);
    CHECK_EQUAL(c.streamSums.coroutines[0].pid, 77u);
    CHECK_EQUAL(c.streamSums.coroutines[0].lastTid, 5u);
    CHECK_EQUAL(c.streamSums.coroutines[0].generation, 1u);
    CHECK_EQUAL(c.streamSums.captured, 7u);
    CHECK_EQUAL(lane.ring().header->tail.load(), lane.position());
    CHECK_EQUAL(c.streamSums.notes.processes.size(), 1u);
    steps(one, lane, 2);
    one.destroy(lane, 5000);
    c.pass();
    CHECK_EQUAL(c.streamSums.coroutines[0].deaths, 1u);
    CHECK_EQUAL(c.streamSums.coroutines[0].deathTs, 5000u);
    CHECK(!c.pass());
    c.end();
    c.checkTotals(9);
    CHECK_EQUAL(c.loop->accounting().lost, 0u);
}

/// Each event is in another lane, and the lanes are read in any order.
CT_CASE(emitsHoppingCoroutineInOrder)
{
    for (int lanes = 2; lanes <= 5; ++lanes) {
        Capture c;
        const Process process = c.process();
        std::vector<Lane> all;
        for (int i = 0; i < lanes; ++i)
            all.push_back(*process.claimLane(static_cast<std::uint64_t>(i) + 1));
        Coroutine one = *Coroutine::create(process, all[1], 9, 1);
        Coroutine other = *Coroutine::create(process, all[0], 8, 1);
        for (int i = 0; i < 1000; ++i) {
            one.step(all[static_cast<std::size_t>(lanes - 1 - i % lanes)]);
            other.step(all[static_cast<std::size_t>(i * 7 % lanes)]);
            if (i % 97 == 0)
                c.pass();
        }
        one.destroy(all[0], writers::tsOf(1000));
        c.scanAll();
        CHECK_EQUAL(c.streamSums.lost, 0u);
        CHECK_EQUAL(c.streamSums.captured, 2000u);
        CHECK_EQUAL(c.streamSums.deaths, 1u);
        c.end();
        c.checkTotals(2000);
    }
}

/// A record that will never be committed. Later events of the coroutine wait in the reorder buffer until all lanes were
/// read, and no longer.
CT_CASE(numbersWithoutRecordAreLostAfterABarrier)
{
    auto [c, process, lane, other, one] = TwoThreads();
    steps(one, lane, 3);
    one.setEvents(5);  // 3 and 4 got lost without a record
    steps(one, other, 4);
    c.scanAll();
    CHECK_EQUAL(c.streamSums.captured, 7u);
    CHECK_EQUAL(c.streamSums.lost, 2u);
    c.end();
    c.checkTotals(9);
}

CT_CASE(discoversBirthInUnreadLaneByStation)
{
    Capture c;
    const Process process = c.process();
    Lane a = *process.claimLane(1), b = *process.claimLane(2);
    Coroutine one = *Coroutine::create(process, b, 9, writers::tsOf(50'000));  // read last, because of its time
    steps(one, a, 3);
    c.pass();
    CHECK_EQUAL(c.streamSums.captured, 3u);
    REQUIRE(c.streamSums.coroutines.size() == 1);
    CHECK_EQUAL(c.streamSums.coroutines[0].key, 9u);
    c.scanAll();
    CHECK_EQUAL(c.streamSums.coroutines.size(), 1u);
    c.end();
    c.checkTotals(3);
}

/// The station already has its third coroutine when the first one's records are read.
CT_CASE(distinguishesCoroutinesOfRecycledStations)
{
    Capture c;
    const Process process = c.process();
    Lane a = *process.claimLane(1), b = *process.claimLane(2);
    c.streamSums.realTime = true;
    for (std::uint64_t key = 1; key <= 100; ++key) {
        Lane &birthplace = key % 2 ? a : b;
        Lane &elsewhere = key % 3 ? b : a;
        Coroutine one = *Coroutine::create(process, birthplace, key, 1000 * key);
        CHECK_EQUAL(one.index(), 0u);
        for (std::uint64_t n = 0; n < 4; ++n)
            one.transition(elsewhere, {writers::activeOf(n) ? corotracer::kRecordResume : corotracer::kRecordSuspend,
                                       1000 * key + 100 + n, one.identity(),
                                       writers::activeOf(n) ? 0 : writers::addrOf(key, n), n});
        one.destroy(key % 5 ? birthplace : elsewhere, 1000 * key + 500);
        if (key % 10 == 0)
            c.pass();
    }
    c.scanAll();
    CHECK_EQUAL(c.streamSums.coroutines.size(), 100u);
    CHECK_EQUAL(c.streamSums.deaths, 100u);
    CHECK_EQUAL(c.streamSums.captured, 400u);
    CHECK_EQUAL(c.streamSums.lost, 0u);
    for (const StreamSums::One &one : c.streamSums.coroutines) {
        CHECK_EQUAL(one.captured, 4u);
        CHECK_EQUAL(one.birthTs, 1000 * one.key);
        CHECK_EQUAL(one.deathTs, 1000 * one.key + 500);
        CHECK_EQUAL(one.generation, one.key);
    }
    c.end();
    c.checkTotals(400);
}

/// A full lane drops new records. The present state and the sums are right nevertheless.
CT_CASE(droppedRecordsAreLostAndCounted)
{
    auto [c, process, lane, one] = OneThread();
    Coroutine other = *Coroutine::create(process, lane, 2, 1);
    steps(one, lane, 2040);
    steps(other, lane, 100);  // most of them find no room
    c.scanAll(true);
    CHECK_EQUAL(c.streamSums.byKey(1)->captured, 2040u);
    const StreamSums::One &dropped = *c.streamSums.byKey(2);
    CHECK_EQUAL(dropped.sum(), 100u);
    CHECK_EQUAL(dropped.next, 100u);  // the latest event, from the CompactState
    CHECK_EQUAL(dropped.captured, 7u);
    CHECK_EQUAL(c.loop->accounting().recordsDropped, 94u);
    steps(other, lane, 10);
    c.scanAll();
    REQUIRE(c.streamSums.notes.drops.size() == 1);
    CHECK_EQUAL(c.streamSums.notes.drops[0].records, 94u);
    CHECK_EQUAL(c.streamSums.notes.drops[0].tid, 1u);
    CHECK_EQUAL(c.streamSums.notes.drops[0].firstTs, writers::tsOf(6));
    CHECK_EQUAL(c.streamSums.notes.drops[0].lastTs, writers::tsOf(99));
    c.end();
    c.checkTotals(2150);
}

/// The birth found no room, the death did. The compact station gives everything, but only the engine can free it.
CT_CASE(freesStationAfterEmittedDeath)
{
    Capture c;
    const Process process = c.process();
    Lane lane = *process.claimLane(1);
    Coroutine filler = *Coroutine::create(process, lane, 1, 1);
    steps(filler, lane, 2047);
    Coroutine one = *Coroutine::create(process, lane, 2, 2);
    c.scanAll(true);
    steps(one, lane, 3);
    one.destroy(lane, 7000);
    CHECK_EQUAL(static_cast<std::uint32_t>(process.state(one.index()).life.load()), corotracer::kCompactDead);
    c.scanAll(true);
    CHECK_EQUAL(c.streamSums.byKey(2)->captured, 3u);
    CHECK_EQUAL(c.streamSums.deaths, 1u);
    // There were no recent drops, so the engine sweeps only now and then.
    scanUntil(c, [&] {
        return static_cast<std::uint32_t>(process.state(one.index()).life.load()) == corotracer::kCompactFree;
    });
    CHECK_EQUAL(Coroutine::create(process, lane, 3, 1)->index(), one.index());
    c.end();
    c.checkTotals(2050);
}

/// Births and deaths without records: only the compact stations show them, and the engine frees the stations.
CT_CASE(discoversCoroutinesWithoutRecords)
{
    Capture c;
    const Process process = c.process();
    Lane lane = *process.claimLane(1);
    Coroutine filler = *Coroutine::create(process, lane, 1, 1);
    steps(filler, lane, 2047);
    std::vector<Coroutine> all;
    for (std::uint64_t key = 2; key < 20; ++key) {
        all.push_back(*Coroutine::create(process, lane, key, key));
        steps(all.back(), lane, 3);
        if (key % 2)
            all.back().destroy(lane, 7000 + key);
    }
    c.scanAll(true);
    CHECK_EQUAL(c.streamSums.coroutines.size(), 19u);
    CHECK_EQUAL(c.streamSums.deaths, 9u);
    for (std::uint64_t key = 2; key < 20; ++key) {
        CHECK_EQUAL(c.streamSums.byKey(key)->sum(), 3u);
        CHECK_EQUAL(c.streamSums.byKey(key)->captured, 1u);
        CHECK_EQUAL(c.streamSums.byKey(key)->birthTs, key);
        CHECK_EQUAL(c.streamSums.byKey(key)->deathTs, key % 2 ? 7000 + key : 0);
    }
    // Nine stations are free again, each once.
    std::set<std::uint32_t> again;
    for (int i = 0; i < 9; ++i) {
        const Coroutine next = *Coroutine::create(process, lane, 100, 1);
        again.insert(next.index());
        CHECK(next.index() < 20);
    }
    CHECK_EQUAL(again.size(), 9u);
    CHECK_EQUAL(Coroutine::create(process, lane, 100, 1)->index(), 19u);
    c.end();
    c.checkTotals(2047 + 18 * 3);
}

CT_CASE(capturesThreadWithoutLaneByStations)
{
    auto [c, process, lane, one] = OneThread();
    steps(one, lane, 2);
    c.scanAll();
    // The other thread found no room in the pool, and writes only the CompactState.
    corotracer::CompactState &state = process.state(one.index());
    state.ts.store(writers::tsOf(9));
    state.addr.store(0);
    state.what.store(std::uint64_t{corotracer::kRecordResume} << 32);
    state.tid.store(66);
    state.seq.store(20);
    c.header().extension.records_without_lane.store(8);
    c.header().extension.threads_without_lane.store(1);
    c.scanAll(true);
    CHECK_EQUAL(c.streamSums.byKey(1)->captured, 3u);
    CHECK_EQUAL(c.streamSums.byKey(1)->lost, 7u);
    CHECK_EQUAL(c.streamSums.byKey(1)->lastTid, 66u);
    CHECK_EQUAL(c.loop->accounting().threadsWithoutLane, 1u);
    CHECK_EQUAL(c.loop->accounting().recordsDropped, 8u);
    c.end();
    c.checkTotals(10);
}

/// A full file system is reported when probes got no memory although the reserved areas had room.
CT_CASE(reportsMissingMemory)
{
    Capture c;
    const Process process = c.process();
    Lane lane = *process.claimLane(1);
    Coroutine one = *Coroutine::create(process, lane, 1, 1);
    steps(one, lane, 4);
    corotracer::ExtensionHeader &extension = c.header().extension;
    corotracer::LaneHeader &header = *lane.ring().header;
    const auto isStopped = [&c] {
        c.pass(true);
        return c.loop->accounting().growthStopped;
    };
    CHECK(!isStopped());
    extension.births_without_station.fetch_add(2);
    CHECK(isStopped() && isStopped());
    extension.compact_stations_committed.fetch_add(1);  // there is some again
    CHECK(!isStopped());
    // A burst between two checks that used up the available memory.
    extension.compact_stations_committed.fetch_add(1);
    extension.births_without_station.fetch_add(1);
    CHECK(isStopped() && isStopped());
    extension.compact_stations_committed.fetch_add(1);
    CHECK(!isStopped());
    extension.threads_without_lane.fetch_add(1);
    CHECK(isStopped() && isStopped());
    extension.lane_pool_used.fetch_add(4096);
    CHECK(!isStopped());
    header.committed.store(1024);
    CHECK(!isStopped());
    header.dropped.fetch_add(5);
    CHECK(isStopped() && isStopped());
    header.committed.store(1280);
    CHECK(!isStopped());
    header.committed.store(1536);
    header.dropped.fetch_add(5);
    CHECK(isStopped() && isStopped());
    header.committed.store(2048);
    CHECK(!isStopped());
    // Full lanes, a used-up pool and used-up stations are different conditions.
    header.dropped.fetch_add(5);
    extension.lane_pool_used.store(extension.lane_pool_size);
    CHECK(!isStopped());
    extension.threads_without_lane.fetch_add(1);
    extension.compact_station_count.store(extension.compact_stations_reserved);
    CHECK(!isStopped());
    extension.births_without_station.fetch_add(1);
    CHECK(!isStopped());
    CHECK_EQUAL(c.loop->accounting().untraced, 4u);
    CHECK_EQUAL(c.loop->accounting().threadsWithoutLane, 2u);
    c.end();
}

/// The number in a record has 32 bits.
CT_CASE(numbersContinueBeyondThirtyTwoBits)
{
    auto [c, process, lane, one] = OneThread();
    constexpr std::uint64_t kNearWrap = 0xFFFF'FFF0;
    std::uint64_t n = 0;
    // Forward jumps of less than 2^31 are distinguished from steps back.
    for (; n < kNearWrap; n += 0x7000'0000) {
        one.setEvents(n);
        one.step(lane);
        c.scanAll();
    }
    one.setEvents(kNearWrap);
    steps(one, lane, 40);
    c.scanAll();
    CHECK_EQUAL(c.streamSums.byKey(1)->next, kNearWrap + 40);
    c.end();
    c.checkTotals(kNearWrap + 40);
}

CT_CASE(closedLanesAreFreedOnceDrained)
{
    auto [c, process, lane, one] = OneThread();
    steps(one, lane, 10);
    lane.close(1);
    CHECK_EQUAL(lane.ring().header->state.load(), corotracer::kLaneClosed);
    c.pass();
    c.pass(true);
    CHECK_EQUAL(lane.ring().header->state.load(), corotracer::kLaneFree);
    Lane again = *process.claimLane(2);
    CHECK(again.ring().header == lane.ring().header);
    CHECK_EQUAL(again.position(), 11u);
    steps(one, again, 10);
    c.scanAll(true);
    CHECK_EQUAL(c.streamSums.byKey(1)->captured, 20u);
    CHECK_EQUAL(c.streamSums.byKey(1)->lastTid, 2u);
    CHECK_EQUAL(c.loop->accounting().lanes, 1u);
    CHECK_EQUAL(c.loop->accounting().lanesInUse, 1u);
    c.end();
    c.checkTotals(20);
}

CT_CASE(notesNameTheirCoroutines)
{
    Capture c;
    const Process process = c.process(321);
    Lane a = *process.claimLane(1), b = *process.claimLane(2);
    Coroutine parent = *Coroutine::create(process, b, 1, 900'000'000);
    Coroutine child = *Coroutine::create(process, a, 2, 20);
    using namespace corotracer;
    child.writeNote(a, {kRecordName, 30, child.identity(), process.intern("worker"), 0, 0});
    child.writeNote(a, {kRecordParent, 30, child.identity(), parent.identity(), 0, 0});
    child.writeNote(a, {kRecordThreadName, 30, 0, process.intern("pool 1"), 0, 0});
    child.writeNote(a, {0x75, 31, child.identity(), parent.identity(), 0, 0});
    child.step(a);
    child.writeNote(b, {kRecordWake, 40, child.identity(), parent.identity(), 1, 0});
    child.writeNote(b, {kRecordWake, 41, child.identity(), kNoIdentity, 1, 0});
    child.writeNote(b, {kRecordWake, 42, 4000, kNoIdentity, 1, 0});  // unknown identity
    child.writeNote(b, {0xF3, 42, child.identity(), 0, 0, 0});       // a kind of a later version
    c.scanAll();
    CHECK_EQUAL(c.streamSums.broken, 0u);
    const auto idOf = [&](std::uint64_t key) {
        return static_cast<ct::CoroutineId>(c.streamSums.byKey(key) - c.streamSums.coroutines.data());
    };
    const ct::Notes &notes = c.streamSums.notes;
    REQUIRE(notes.names.size() == 1 && notes.parents.size() == 1 && notes.threadNames.size() == 1);
    CHECK_EQUAL(notes.names[0].name, "worker");
    CHECK_EQUAL(notes.names[0].coroutine, idOf(2));
    CHECK_EQUAL(notes.parents[0].coroutine, idOf(2));
    CHECK_EQUAL(notes.parents[0].parent, idOf(1));
    CHECK_EQUAL(notes.threadNames[0].name, "pool 1");
    CHECK_EQUAL(notes.threadNames[0].pid, 321u);
    CHECK_EQUAL(notes.threadNames[0].tid, 1u);
    REQUIRE(notes.waits.size() == 1 && notes.wakes.size() == 2);
    CHECK(notes.waits[0].kind == ct::WaitKind::Coroutine);
    CHECK_EQUAL(notes.waits[0].target, idOf(1));
    CHECK_EQUAL(notes.waits[0].n, 0u);
    CHECK_EQUAL(notes.wakes[0].by, idOf(1));
    CHECK_EQUAL(notes.wakes[0].coroutine, idOf(2));
    CHECK_EQUAL(notes.wakes[0].n, 1u);
    CHECK_EQUAL(notes.wakes[0].tid, 2u);
    CHECK_EQUAL(notes.wakes[1].by, ct::kNoCoroutine);
    CHECK(!c.loop->hasMore());
    c.end();
    c.checkTotals(1);
}

/// Deaths while tracing is off are only in compact stations. The engine finds them when tracing comes on again.
CT_CASE(emitsSwitches)
{
    auto [c, process, lane, one] = OneThread();
    steps(one, lane, 4);
    one.writeNote(lane, {corotracer::kRecordSwitchOff, 50, 0, 0, 0, 0});
    c.scanAll();
    process.state(one.index()).death_ts.store(777);
    process.state(one.index()).life.store(one.identity() >> 32 << 32 | corotracer::kCompactDead);
    lane.put({corotracer::kRecordSwitchOn, 60, 0, 0, 0, 0});
    c.scanAll();
    c.scanAll(true);
    REQUIRE(c.streamSums.notes.switches.size() == 2);
    CHECK(!c.streamSums.notes.switches[0].on && c.streamSums.notes.switches[1].on);
    CHECK_EQUAL(c.streamSums.notes.switches[1].ts, 60u);
    CHECK_EQUAL(c.streamSums.byKey(1)->deathTs, 777u);
    c.end();
    c.checkTotals(4);
}

/// A full batch ends the pass, and the next pass continues.
CT_CASE(nextPassContinuesAfterAFullBatch)
{
    auto [c, process, lane, one] = OneThread{.c = Capture(4096, 65'536)};
    steps(one, lane, 60'000);
    c.pass();
    CHECK(c.loop->hasMore());
    CHECK(c.streamSums.captured < 10'000);
    c.batch.clear();
    CHECK(!c.loop->prepareSleep(c.batch));
    c.streamSums.add(c.batch);
    c.scanAll();
    CHECK_EQUAL(c.streamSums.captured, 60'000u);
    CHECK(c.streamSums.largest < 10'000);
    c.end();
    c.checkTotals(60'000);
}
