// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lanes whose thread was killed while claiming them, or is slow to do so. Also the threads that a lane has in turn.
#include "tests/support/lanecapture.h"

using namespace lanecapture;

namespace {

/// Leaves the lane as a thread that is killed before its last store. `begun`: the thread had filled its fields.
void leaveUnfinished(const Lane &lane, bool begun)
{
    corotracer::LaneHeader &header = *lane.ring().header;
    if (begun) {
        header.tid.store(77);
        header.claims.fetch_add(1);
        header.begin.store(lane.position());
        header.closed_ts.store(0);
    }
    header.state.store(corotracer::kLaneMaking);
}

}  // namespace

CT_CASE(freesUnfinishedLaneWithoutProcesses)
{
    for (const bool begun : {false, true}) {
        Capture c;
        const Process dying = c.process(2);
        Lane lane = *dying.claimLane(1), used = *dying.claimLane(2);
        Coroutine one = *Coroutine::create(dying, lane, 1, 1);
        steps(one, used, 9);
        used.close(1);
        scanUntil(c, [&] { return used.ring().header->state.load() == corotracer::kLaneFree; });
        leaveUnfinished(used, begun);
        Lane fresh = *dying.claimLane(3);
        if (!begun)
            fresh.ring().header->claims.store(0);
        leaveUnfinished(fresh, begun);
        const std::uint64_t tail = used.ring().header->tail.load();
        CHECK_EQUAL(tail, 9u);
        c.scanAll(true);
        CHECK_EQUAL(c.loop->accounting().lanesInUse, 3u);  // until a verdict on the process
        c.dead.insert(2);
        scanUntil(c, [&] { return dying.entry().state.load() == corotracer::kProcessFree; });
        CHECK_EQUAL(used.ring().header->state.load(), corotracer::kLaneFree);
        CHECK_EQUAL(fresh.ring().header->state.load(), corotracer::kLaneFree);
        CHECK_EQUAL(used.ring().header->tail.load(), tail);
        c.scanAll(true);
        CHECK_EQUAL(c.loop->accounting().lanesInUse, 0u);
        // All three serve the next process.
        const Process next = c.process(3);
        std::vector<Lane> lanes;
        for (std::uint64_t tid = 11; tid <= 13; ++tid)
            lanes.push_back(*next.claimLane(tid));
        CHECK_EQUAL(c.header().extension.lane_count.load(), 3u);
        for (std::uint64_t i = 0; i < lanes.size(); ++i) {
            Coroutine another = *Coroutine::create(next, lanes[i], 10 + i, 1);
            steps(another, lanes[i], 1000);
            c.scanAll();
            CHECK_EQUAL(c.streamSums.byKey(10 + i)->captured, 1000u);
            CHECK_EQUAL(c.streamSums.byKey(10 + i)->lastTid, 11 + i);
        }
        c.end();
        c.checkTotals(3009);
    }
}

/// A living process may be in the middle of claiming a lane.
CT_CASE(doesNotFreeAnUnfinishedLaneOfALivingProcess)
{
    Capture c;
    const Process living = c.process(1);
    const Process dying = c.process(2);
    Lane slow = *living.claimLane(11), theirs = *dying.claimLane(22);
    slow.ring().header->claims.store(0);
    slow.ring().header->state.store(corotracer::kLaneMaking);
    CHECK(Coroutine::create(dying, theirs, 2, 1));
    c.scanAll(true);
    c.dead.insert(2);
    scanUntil(c, [&] { return dying.entry().state.load() == corotracer::kProcessFree; });
    CHECK_EQUAL(theirs.ring().header->state.load(), corotracer::kLaneFree);
    CHECK_EQUAL(slow.ring().header->state.load(), corotracer::kLaneMaking);
    slow.ring().header->claims.store(1);
    slow.ring().header->state.store(corotracer::kLaneActive);
    Coroutine one = *Coroutine::create(living, slow, 1, 1);
    steps(one, slow, 5);
    c.scanAll();
    CHECK_EQUAL(c.streamSums.byKey(1)->captured, 5u);
    CHECK_EQUAL(c.streamSums.byKey(1)->lastTid, 11u);
    c.end();
    c.checkTotals(5);
}

/// In overwrite mode, a claimed lane retains all records of the previous thread.
CT_CASE(anUnfinishedLaneRetainsItsRecords)
{
    for (const bool begun : {false, true}) {
        Capture c;
        c.setOverwriteMode();
        {
            const Process process = c.process(5);
            Lane lane = *process.claimLane(1), other = *process.claimLane(2);
            Coroutine one = *Coroutine::create(process, lane, 1, 1);
            steps(one, lane, 500);
            lane.close(1);
            leaveUnfinished(lane, begun);
            Coroutine two = *Coroutine::create(process, other, 2, 1);
            steps(two, other, 3);
            Lane fresh = *process.claimLane(3);
            leaveUnfinished(fresh, begun);
        }
        readLeftovers(c, 5, [&] {
            CHECK_EQUAL(c.streamSums.captured, 503u);
            CHECK_EQUAL(c.streamSums.byKey(1)->lastTid, 0u);  // either thread is possible
            CHECK_EQUAL(c.streamSums.byKey(2)->lastTid, 2u);
            c.checkTotals(503);
        });
    }
}

/// While the claim is unfinished, the engine does not guess the thread. Later records belong to the new thread.
CT_CASE(aSlowlyClaimedLaneBelongsToItsNewThread)
{
    Capture c;
    c.setOverwriteMode();
    c.restart();
    const Process process = c.process(5);
    Lane lane = *process.claimLane(1);
    Coroutine one = *Coroutine::create(process, lane, 1, 1);
    steps(one, lane, 5);
    lane.close(1);
    leaveUnfinished(lane, true);
    c.loop.emplace(*c.region, c.isAlive());
    c.scanAll(true);
    CHECK_EQUAL(c.streamSums.byKey(1)->captured, 5u);
    CHECK_EQUAL(c.streamSums.byKey(1)->lastTid, 0u);
    lane.ring().header->thread_name.store(process.intern("late"));
    lane.ring().header->state.store(corotracer::kLaneActive);
    steps(one, lane, 5);
    c.scanAll();
    CHECK_EQUAL(c.streamSums.byKey(1)->captured, 10u);
    CHECK_EQUAL(c.streamSums.byKey(1)->lastTid, 77u);
    REQUIRE(c.streamSums.notes.threadNames.size() == 1);
    CHECK_EQUAL(c.streamSums.notes.threadNames[0].name, "late");
    CHECK_EQUAL(c.streamSums.notes.threadNames[0].tid, 77u);
    c.end();
    c.checkTotals(10);
}

/// The system's name of a thread is only in the header of its lane.
CT_CASE(eachThreadOfALaneIsNamed)
{
    Capture c;
    const Process process = c.process();
    std::vector<std::string> names;
    for (const char *const name : {"first", "", "third"}) {
        const std::uint64_t tid = 21 + names.size();
        Lane lane = *process.claimLane(tid);
        CHECK_EQUAL(c.header().extension.lane_count.load(), 1u);
        lane.ring().header->thread_name.store(*name ? process.intern(name) : 0);
        Coroutine one = *Coroutine::create(process, lane, tid, 1);
        steps(one, lane, 4);
        c.scanAll();
        CHECK_EQUAL(c.streamSums.byKey(tid)->lastTid, tid);
        lane.close(1);
        scanUntil(c, [&] { return lane.ring().header->state.load() == corotracer::kLaneFree; });
        names.emplace_back(name);
    }
    REQUIRE(c.streamSums.notes.threadNames.size() == 2);
    CHECK_EQUAL(c.streamSums.notes.threadNames[0].name, "first");
    CHECK_EQUAL(c.streamSums.notes.threadNames[0].tid, 21u);
    CHECK_EQUAL(c.streamSums.notes.threadNames[1].name, "third");
    CHECK_EQUAL(c.streamSums.notes.threadNames[1].tid, 23u);
    c.end();
    c.checkTotals(12);
}
