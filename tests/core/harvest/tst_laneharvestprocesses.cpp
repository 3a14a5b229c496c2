// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lanes of processes that end or make false claims, and of regions that change their engine.
#include "core/harvest/laneclock.h"
#include "core/harvest/processlist.h"
#include "tests/support/lanecapture.h"

#include <chrono>
#include <fstream>

using namespace lanecapture;

/// The engine is killed and another adopts the region. Only what the first engine had read is missed.
CT_CASE(adoptionContinuesAtTheTails)
{
    Capture c;
    std::uint32_t index[3];
    {
        const Process process = c.process();
        Lane lane = *process.claimLane(1);
        Coroutine read = *Coroutine::create(process, lane, 1, 11);
        Coroutine both = *Coroutine::create(process, lane, 2, 12);
        steps(read, lane, 10);
        steps(both, lane, 20);
        c.scanAll();
        CHECK_EQUAL(c.streamSums.captured, 30u);
        steps(both, lane, 5);
        Coroutine unread = *Coroutine::create(process, lane, 3, 13);
        steps(unread, lane, 4);
        Coroutine gone = *Coroutine::create(process, lane, 4, 14);
        steps(gone, lane, 6);
        gone.destroy(lane, 15);
        index[0] = read.index();
        index[1] = both.index();
        index[2] = unread.index();
    }
    c.restart();
    c.scanAll(true);
    CHECK_EQUAL(c.streamSums.coroutines.size(), 4u);
    const StreamSums::One &read = *c.streamSums.byKey(1), &both = *c.streamSums.byKey(2);
    const StreamSums::One &unread = *c.streamSums.byKey(3), &gone = *c.streamSums.byKey(4);
    // The latest event is in the CompactState, although the previous engine had read its record.
    CHECK_EQUAL(read.missed, 9u);
    CHECK_EQUAL(read.captured, 1u);
    CHECK_EQUAL(both.missed, 20u);
    CHECK_EQUAL(both.captured, 5u);
    CHECK_EQUAL(unread.captured, 4u);
    CHECK_EQUAL(gone.captured, 6u);
    CHECK_EQUAL(gone.deaths, 1u);
    CHECK_EQUAL(read.station, corotracer::kCompactBase + index[0]);
    CHECK_EQUAL(both.station, corotracer::kCompactBase + index[1]);
    CHECK_EQUAL(unread.station, corotracer::kCompactBase + index[2]);
    CHECK_EQUAL(c.streamSums.lost, 0u);
    CHECK_EQUAL(c.streamSums.notes.processes.size(), 1u);
    c.end();
    c.checkTotals(10 + 25 + 4 + 6);
}

/// An observer reads compact stations only: the latest event at each pass.
CT_CASE(observersReadStationsOnly)
{
    auto [c, process, lane, one] = OneThread();
    steps(one, lane, 10);
    auto observed = ct::Region::open(c.region->path());
    REQUIRE(observed);
    REQUIRE(observed->access() == ct::RegionAccess::Observer);
    HarvestLoop observer(*observed, c.isAlive());
    StreamSums streamSums;
    const auto check = [&] {
        ct::Batch batch;
        observer.pass(batch);
        streamSums.add(batch);
    };
    check();
    CHECK_EQUAL(streamSums.captured, 1u);
    CHECK_EQUAL(streamSums.missed, 9u);
    steps(one, lane, 5);
    check();
    CHECK_EQUAL(streamSums.captured, 2u);
    CHECK_EQUAL(streamSums.lost, 4u);
    one.destroy(lane, 999);
    check();
    CHECK_EQUAL(streamSums.deaths, 1u);
    CHECK_EQUAL(streamSums.coroutines[0].deathTs, 999u);
    Coroutine next = *Coroutine::create(process, lane, 2, 1);
    CHECK_EQUAL(next.index(), one.index());
    steps(next, lane, 1);
    check();
    check();
    CHECK_EQUAL(streamSums.coroutines.size(), 2u);
    CHECK_EQUAL(streamSums.byKey(2)->captured, 1u);
    streamSums.checkOrder();
    c.scanAll();
    CHECK_EQUAL(c.streamSums.captured, 16u);  // the owner is not disturbed
    c.end();
    c.checkTotals(16);
}

/// An observer does not read lanes, so their sums are not its own, before and after a process has ended.
CT_CASE(anObserversSumsStayWhenAProcessEnds)
{
    auto [c, process, lane, one] = OneThread();
    steps(one, lane, 5000);
    CHECK(lane.ring().header->dropped.load() > 2000);
    auto observed = ct::Region::open(c.region->path());
    REQUIRE(observed && observed->access() == ct::RegionAccess::Observer);
    HarvestLoop observer(*observed, c.isAlive());
    ct::Batch batch;
    observer.safetyPass(batch);
    const ct::Accounting before = observer.accounting();
    c.dead.insert(100);
    while (batch.notes.processEnds.empty()) {
        batch.clear();
        observer.safetyPass(batch);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const ct::Accounting after = observer.accounting();
    CHECK_EQUAL(after.recordsDropped, before.recordsDropped);
    CHECK_EQUAL(after.lanesInUse, before.lanesInUse);
    CHECK_EQUAL(after.lanesShortened, before.lanesShortened);
    CHECK_EQUAL(after.lanesDamaged, before.lanesDamaged);
}

/// A process begins to trace after the pass that discovers it, or claims so.
CT_CASE(noProcessEndsBeforeItBegins)
{
    for (const bool isLast : {false, true}) {
        Capture c;
        ct::LaneClock clock;
        ct::ProcessList processes(*c.region, clock, c.isAlive());
        ct::Batch batch;
        batch.now = corotracer::detail::monotonic_ns();
        const Process process = c.process(77);
        process.entry().init_ns.store(batch.now + 1000);
        processes.check(batch, batch.now);
        c.dead.insert(77);
        if (!isLast)
            batch.now += 1'000'000;
        processes.checkLast(batch.now);
        for (const std::uint32_t gone : processes.takeGone())
            processes.retire(gone, true, batch);
        REQUIRE(batch.notes.processes.size() == 1 && batch.notes.processEnds.size() == 1);
        CHECK(batch.notes.processEnds[0].ts >= batch.notes.processes[0].ts);
        CHECK(batch.notes.processEnds[0].ts <= batch.now);
    }
}

CT_CASE(drainsAndFreesLanesOfDeadProcess)
{
    Capture c;
    const Process living = c.process(1);
    const Process dying = c.process(2);
    Lane mine = *living.claimLane(11), theirs = *dying.claimLane(22);
    Coroutine stays = *Coroutine::create(living, mine, 1, 1);
    Coroutine left = *Coroutine::create(dying, theirs, 2, 1);
    Coroutine died = *Coroutine::create(dying, theirs, 3, 1);
    steps(stays, mine, 3);
    steps(left, theirs, 7);
    steps(died, theirs, 2);
    died.destroy(theirs, 50);
    theirs.putTorn({corotracer::kRecordSuspend, 1, left.identity(), 1, 7, 0});
    const std::uint64_t end = theirs.position();
    c.dead.insert(2);
    const auto killedAt = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    scanUntil(c, [&] { return dying.entry().state.load() == corotracer::kProcessFree; });
    CHECK_EQUAL(theirs.ring().header->state.load(), corotracer::kLaneFree);
    CHECK_EQUAL(theirs.ring().header->tail.load(), end);
    CHECK_EQUAL(mine.ring().header->state.load(), corotracer::kLaneActive);
    REQUIRE(c.streamSums.notes.processEnds.size() == 1);
    CHECK_EQUAL(c.streamSums.notes.processEnds[0].pid, 2u);
    CHECK(c.streamSums.notes.processEnds[0].ts != 0 && c.streamSums.notes.processEnds[0].ts <= killedAt);
    CHECK_EQUAL(c.streamSums.byKey(2)->captured, 7u);
    CHECK_EQUAL(c.streamSums.byKey(2)->deaths, 0u);  // as it was last read
    CHECK_EQUAL(c.streamSums.byKey(3)->deaths, 1u);
    CHECK_EQUAL(c.loop->accounting().processes, 1u);
    // Their stations and their lane serve another process.
    const Process third = c.process(3);
    CHECK_EQUAL(third.index(), dying.index());
    Lane again = *third.claimLane(33);
    CHECK(again.ring().header == theirs.ring().header);
    std::set<std::uint32_t> indices;
    std::vector<Coroutine> more;
    for (std::uint64_t key = 10; key < 12; ++key) {
        more.push_back(*Coroutine::create(third, again, key, 1));
        steps(more.back(), again, 2);
        indices.insert(more.back().index());
    }
    CHECK(indices == (std::set<std::uint32_t>{left.index(), died.index()}));
    c.scanAll();
    CHECK_EQUAL(c.streamSums.byKey(10)->pid, 3u);
    CHECK_EQUAL(c.streamSums.byKey(10)->captured, 2u);
    CHECK_EQUAL(c.streamSums.byKey(11)->captured, 2u);
    c.end();
    c.checkTotals(3 + 7 + 2 + 4);
}

/// Other processes may be so busy that the reorder buffer is never empty.
CT_CASE(retiresDeadProcessWhileOthersAreBusy)
{
    Capture c;
    c.streamSums.realTime = true;
    const Process living = c.process(1);
    const Process dying = c.process(2);
    Lane a = *living.claimLane(11), b = *living.claimLane(12), theirs = *dying.claimLane(22);
    Coroutine busy = *Coroutine::create(living, a, 1, 1);
    CHECK(Coroutine::create(dying, theirs, 2, 1));
    c.pass();
    c.dead.insert(2);
    const auto now = [] {
        return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    };
    // The verdict takes a second. Each pass in between finds an event in the reorder buffer.
    const std::uint64_t begin = now();
    while (dying.entry().state.load() != corotracer::kProcessFree && now() - begin < 95'000'000'000) {
        busy.setEvents(busy.events() + 1);  // this number never comes
        busy.transition(busy.events() % 4 == 1 ? a : b,
                        {corotracer::kRecordResume, now() + 900'000, busy.identity(), 0, busy.events()});
        c.pass();
        c.pass(true);
    }
    CHECK_EQUAL(dying.entry().state.load(), corotracer::kProcessFree);
    CHECK_EQUAL(theirs.ring().header->state.load(), corotracer::kLaneFree);
    c.end();
    c.checkTotals(busy.events());
}

/// A pid of another namespace has no meaning here. Its process is not judged dead, however silent it is.
CT_CASE(aProcessOfAnotherNamespaceIsNotDead)
{
    Capture c;
    const Process process = c.process(5);
    process.entry().pid_namespace.store(1);
    Lane lane = *process.claimLane(1);
    CHECK(Coroutine::create(process, lane, 1, 1));
    c.process(6);  // another process needs the room
    c.dead.insert(5);
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(2500)) {
        c.pass(true);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    CHECK_EQUAL(process.entry().state.load(), corotracer::kProcessActive);
    CHECK_EQUAL(lane.ring().header->state.load(), corotracer::kLaneActive);
    CHECK_EQUAL(c.streamSums.notes.processEnds.size(), 0u);
    c.end();
    c.checkTotals(0);
}

/// This pid is not in our /proc, but the process writes: it lives elsewhere.
CT_CASE(aProcessThatWritesIsNotDead)
{
    Capture c;
    const Process process = c.process(5);
    Lane lane = *process.claimLane(1);
    Coroutine one = *Coroutine::create(process, lane, 1, 1);
    c.dead.insert(5);
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(2500)) {
        steps(one, lane, 1);
        c.pass(true);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    CHECK_EQUAL(process.entry().state.load(), corotracer::kProcessActive);
    CHECK_EQUAL(lane.ring().header->state.load(), corotracer::kLaneActive);
    c.end();
    c.checkTotals(one.events());
}

/// The target was killed in the middle of an event: the record is committed, the CompactState is not finished.
CT_CASE(aKilledTargetLeavesExactSums)
{
    for (int where = 0; where < 3; ++where) {
        Capture c;
        std::uint64_t emitted = 9;
        {
            const Process process = c.process(5);
            Lane lane = *process.claimLane(1);
            Coroutine one = *Coroutine::create(process, lane, 1, 1);
            steps(one, lane, 9);
            const lanewriter::Record record{corotracer::kRecordResume, writers::tsOf(9), one.identity(), 0, 9, 0};
            if (where == 0) {
                lane.putTorn(record);
            } else {
                lane.put(record);
                emitted = 10;
                if (where == 2)
                    process.state(one.index()).seq.store(19);
            }
        }
        c.dead.insert(5);
        c.restart();
        c.end();
        CHECK_EQUAL(c.streamSums.missed + c.streamSums.lost, 0u);
        c.checkTotals(emitted);
        CHECK_EQUAL(c.streamSums.notes.processEnds.size(), 1u);
    }
}

/// The times of a dead process come from its own pairs. A counter of another boot has no meaning here.
CT_CASE(aDeadProcessHasItsOwnClock)
{
    Capture c;
    {
        const Process process = c.process(5);
        process.entry().clock_kind.store(1);
        process.entry().init_counter.store(1'000'000);
        process.entry().init_ns.store(5'000'000);
        process.entry().mult.store(std::uint64_t{1} << 31);
        Lane lane = *process.claimLane(1);
        Coroutine::create(process, lane, 1, 1'000'000 + 200);
    }
    c.dead.insert(5);
    c.end();
    REQUIRE(c.streamSums.coroutines.size() == 1);
    CHECK_EQUAL(c.streamSums.coroutines[0].birthTs, 5'000'100u);
}

/// A killed engine cannot end its pause. The next owner of the region does.
CT_CASE(aPauseEndsWithTheNextEngine)
{
    Capture c;
    c.restart([](const std::string &path) {  // SIGKILL leaves the word as it was
        const std::uint32_t paused = corotracer::kEnginePaused;
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(offsetof(corotracer::GlobalHeader, tracer_sleeping));
        file.write(reinterpret_cast<const char *>(&paused), sizeof paused);
        REQUIRE(file.flush());
    });
    CHECK_EQUAL(c.header().tracer_sleeping.load(), std::uint32_t{corotracer::kEngineAwake});
    CHECK(!c.loop->accounting().paused);
    c.end();
}

/// A flight recorder that is read after its end: overwritten events were missed.
CT_CASE(anOverwrittenLaneIsReadFromItsOldestBlock)
{
    Capture c;
    c.setOverwriteMode();
    {
        const Process process = c.process(5);
        Lane lane = *process.claimLane(1);
        Coroutine early = *Coroutine::create(process, lane, 1, 1);
        steps(early, lane, 10);
        Coroutine busy = *Coroutine::create(process, lane, 2, 1);
        steps(busy, lane, 5000);
        early.destroy(lane, 77);
        lane.close(1);
    }
    c.dead.insert(5);
    c.restart();
    c.end();
    CHECK_EQUAL(c.streamSums.lost, 0u);
    const StreamSums::One &busy = *c.streamSums.byKey(2);
    CHECK(busy.captured >= 1024 && busy.captured <= 2048);
    CHECK_EQUAL(busy.sum(), 5000u);
    REQUIRE(c.streamSums.coroutines.size() == 2);
    CHECK_EQUAL(c.streamSums.deaths, 1u);
    CHECK_EQUAL(c.streamSums.missed, 5010 - c.streamSums.captured);
    CHECK_EQUAL(c.loop->accounting().recordsDropped, 0u);
    c.checkTotals(5010);
}

/// In overwrite mode no probe could wake the engine, and none has a fence. So the engine polls.
CT_CASE(theEngineDoesNotSleepInOverwriteMode)
{
    Capture c;
    c.setOverwriteMode();
    c.restart();
    CHECK(!c.loop->mayAnnounceSleep());
    CHECK(!c.loop->prepareSleep(c.batch));
    CHECK_EQUAL(c.header().tracer_sleeping.load(), std::uint32_t{corotracer::kEngineAwake});
    c.end();
}

/// One thread's lane retains what another's has lost. Every reading finds the same.
CT_CASE(rereadsOverwriteModeWithEqualSums)
{
    Capture c;
    c.setOverwriteMode();
    std::uint64_t emitted = 0;
    {
        const Process process = c.process(5);
        Lane quiet = *process.claimLane(1), loud = *process.claimLane(2);
        Coroutine busy = *Coroutine::create(process, quiet, 1, 1);
        steps(busy, loud, 3000);  // overwritten, between a birth and an event that are not
        steps(busy, quiet, 1);
        steps(busy, loud, 3000);
        Coroutine other = *Coroutine::create(process, loud, 2, 1);
        steps(other, loud, 300);
        emitted = busy.events() + other.events();
    }
    std::uint64_t captured = 0;
    readLeftovers(c, 5, [&] {
        c.checkTotals(emitted);
        CHECK_EQUAL(c.streamSums.lost, 0u);
        CHECK(c.streamSums.missed > 3000);
        CHECK_EQUAL(c.streamSums.coroutines.size(), 2u);
        CHECK_EQUAL(c.streamSums.byKey(2)->captured, 300u);
        captured = captured == 0 ? c.streamSums.captured : captured;
        CHECK_EQUAL(c.streamSums.captured, captured);
    });
    CHECK(captured > 1024);
}

namespace {

void checkAll(Capture &c, std::uint64_t generations, std::uint64_t emitted)
{
    const ct::Accounting sums = c.loop->accounting();
    CHECK_EQUAL(sums.coroutines + sums.coroutinesMissed, generations);
    CHECK_EQUAL(sums.captured + sums.lost + sums.missedBeforeAttach, emitted);
    CHECK_EQUAL(sums.captured, c.streamSums.captured);
    CHECK_EQUAL(sums.coroutines, c.streamSums.coroutines.size());
    c.streamSums.checkOrder();
}

}  // namespace

/// Most coroutines left only the sums in their compact station.
CT_CASE(countsCoroutinesWithoutTrace)
{
    Capture c;
    c.setOverwriteMode();
    std::uint64_t emitted = 0;
    {
        const Process process = c.process(5);
        Lane lane = *process.claimLane(1), other = *process.claimLane(2);
        Coroutine early = *Coroutine::create(process, other, 100'000, 1);
        steps(early, other, 3);
        emitted = 3 + runShortLivedCoroutines(process, lane, 3000);
    }
    readLeftovers(c, 5, [&] {
        checkAll(c, 3001, emitted);
        CHECK_EQUAL(c.loop->accounting().lost, 0u);
        CHECK(c.loop->accounting().coroutinesMissed > 2600);
    });
}

/// Records overwritten after the engine attached are lost, not missed.
CT_CASE(countsCoroutinesOverwrittenAfterAttach)
{
    Capture c;
    c.setOverwriteMode();
    c.restart();
    const Process process = c.process(5);
    Lane lane = *process.claimLane(1);
    const std::uint64_t first = runShortLivedCoroutines(process, lane, 2000);
    c.loop.emplace(*c.region, c.isAlive());  // attaches to the present region
    c.scanAll(true);
    checkAll(c, 2000, first);
    CHECK_EQUAL(c.loop->accounting().lost, 0u);
    const std::uint64_t second = runShortLivedCoroutines(process, lane, 3000);
    c.scanAll(true);
    c.end();
    checkAll(c, 5000, first + second);
    CHECK(c.loop->accounting().lost > 10'000);
}
