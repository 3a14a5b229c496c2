// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coroutines that the engine discovers late. They may have billions of events by then: records carry the low half of a
// number, the compact station the whole number. Or they may have ended by then.
#include "tests/support/lanecapture.h"

using namespace lanecapture;

namespace {

constexpr std::uint64_t k31 = std::uint64_t{1} << 31;
constexpr std::uint64_t k32 = std::uint64_t{1} << 32;
constexpr std::uint64_t kSteps = 1500;

/// Around the limits of the low half and of its sign, and far beyond them.
constexpr std::uint64_t kFirsts[] = {1'000'000,   2'000'000'000, 3'000'000'000,  5'000'000'000, k31 - kSteps,
                                     k31 - 700,   k31,           k31 + 1,        k32 - kSteps,  k32 - 700,
                                     k32 - 1,     k32,           k32 + 1,        k32 + k31 - 1, k32 + k31 + 700,
                                     3 * k32 - 5, 3 * k32 + 5,   200 * k32 + k31};

/// The last `captured` events were captured once each, and all earlier ones count as missed.
void checkLate(const Capture &c, std::uint64_t key, std::uint64_t first, std::uint64_t captured, std::uint64_t last)
{
    const StreamSums::One *const one = c.streamSums.byKey(key);
    REQUIRE(one);
    CHECK_EQUAL(one->captured, captured);
    CHECK_EQUAL(one->missed, first);
    CHECK_EQUAL(one->lost, 0u);
    CHECK_EQUAL(one->next, last);
    c.streamSums.checkOrder();
}

}  // namespace

/// Discovered by its compact station; its process is alive or dead.
CT_CASE(lateCoroutineIsNumberedByItsStation)
{
    for (const std::uint64_t first : kFirsts) {
        for (const bool alive : {false, true}) {
            Capture c;
            {
                const Process process = c.process(5);
                Lane lane = *process.claimLane(1);
                Coroutine one = *Coroutine::create(process, lane, 1, 1);
                c.scanAll();
                one.setEvents(first);
                steps(one, lane, kSteps);
            }
            if (!alive)
                c.dead.insert(5);
            c.restart();
            if (alive)
                c.scanAll(true);
            c.end();
            checkLate(c, 1, first, kSteps, first + kSteps);
            c.checkTotals(first + kSteps);
        }
    }
}

/// Each event is in another lane than the previous one, so most of them wait in the reorder buffer.
CT_CASE(lateHoppingCoroutineIsNumberedByItsStation)
{
    for (const std::uint64_t first : kFirsts) {
        Capture c;
        {
            const Process process = c.process(5);
            Lane birthplace = *process.claimLane(1), lane = *process.claimLane(2), other = *process.claimLane(3);
            Coroutine one = *Coroutine::create(process, birthplace, 1, 1);
            c.scanAll();
            one.setEvents(first);
            for (std::uint64_t i = 0; i < kSteps; ++i)
                one.step(i % 3 == 0 ? lane : other);
        }
        c.restart();
        c.scanAll(true);
        checkLate(c, 1, first, kSteps, first + kSteps);
        c.end();
        c.checkTotals(first + kSteps);
    }
}

/// Overwrite mode: the birth is in a quiet lane and read first, or it is overwritten, too.
CT_CASE(lateCoroutineInOverwriteModeIsNumberedByItsStation)
{
    for (const std::uint64_t first : kFirsts) {
        for (const bool quiet : {false, true}) {
            Capture c;
            c.setOverwriteMode();
            {
                const Process process = c.process(5);
                Lane birthplace = *process.claimLane(1), lane = *process.claimLane(2);
                Coroutine one = *Coroutine::create(process, quiet ? birthplace : lane, 1, 1);
                one.setEvents(first);
                steps(one, lane, 5000);
            }
            c.dead.insert(5);
            c.restart();
            c.end();
            const std::uint64_t captured = c.streamSums.captured;
            CHECK(captured >= 1024 && captured <= 2048);
            checkLate(c, 1, first + 5000 - captured, captured, first + 5000);
            c.checkTotals(first + 5000);
        }
    }
}

/// The coroutine has ended, and its compact station has another one. Then only the low half is known, and no event is
/// emitted twice.
CT_CASE(lateCoroutineWithoutStationKeepsItsOrder)
{
    for (const std::uint64_t first : kFirsts) {
        Capture c;
        c.streamSums.realTime = true;
        std::uint64_t end = 0;
        {
            const Process process = c.process(5);
            Lane birthplace = *process.claimLane(1), lane = *process.claimLane(2);
            Coroutine one = *Coroutine::create(process, birthplace, 1, 1);
            c.scanAll();
            one.setEvents(first);
            steps(one, lane, kSteps);
            one.destroy(lane, writers::tsOf(one.events()));
            end = one.events() % k32;
            CHECK_EQUAL(Coroutine::create(process, lane, 2, writers::tsOf(one.events()))->index(), one.index());
        }
        c.restart();
        c.streamSums.realTime = true;
        c.scanAll(true);
        c.end();
        REQUIRE(c.streamSums.coroutines.size() == 2);
        const StreamSums::One &one = c.streamSums.coroutines[c.streamSums.coroutines[0].generation == 1 ? 0 : 1];
        CHECK_EQUAL(one.captured, kSteps);
        CHECK_EQUAL(one.next % k32, end);
        CHECK_EQUAL(one.sum() % k32, end);
        CHECK_EQUAL(one.deaths, 1u);
        CHECK_EQUAL(c.streamSums.inversions + c.streamSums.broken, 0u);
    }
}

/// The engine was stopped for days while lanes were full. It knew the coroutine before.
CT_CASE(knownCoroutineIsNumberedByItsStationAfterLongTime)
{
    for (const std::uint64_t first : kFirsts) {
        for (const bool overwrites : {false, true}) {
            Capture c;
            if (overwrites) {
                c.setOverwriteMode();
                c.restart();
            }
            const Process process = c.process(5);
            Lane lane = *process.claimLane(1);
            Coroutine one = *Coroutine::create(process, lane, 1, 1);
            steps(one, lane, 10);
            c.scanAll(true);
            one.setEvents(first);
            steps(one, lane, kSteps);
            c.scanAll();
            c.end();
            const StreamSums::One &found = *c.streamSums.byKey(1);
            CHECK_EQUAL(found.captured, 10 + kSteps);
            CHECK_EQUAL(found.next, first + kSteps);
            CHECK_EQUAL(found.sum(), first + kSteps);
            c.streamSums.checkOrder();
        }
    }
}

CT_CASE(observersReadTheWholeNumber)
{
    for (const std::uint64_t first : kFirsts) {
        auto [c, process, lane, one] = OneThread();
        one.setEvents(first);
        one.step(lane);
        auto observed = ct::Region::open(c.region->path());
        REQUIRE(observed && observed->access() == ct::RegionAccess::Observer);
        HarvestLoop observer(*observed, c.isAlive());
        StreamSums streamSums;
        ct::Batch batch;
        observer.pass(batch);
        streamSums.add(batch);
        REQUIRE(streamSums.coroutines.size() == 1);
        CHECK_EQUAL(streamSums.coroutines[0].missed, first);
        CHECK_EQUAL(streamSums.coroutines[0].next, first + 1);
        CHECK_EQUAL(streamSums.captured, 1u);
        sums::check(streamSums, observer.accounting());
        c.end();
    }
}

namespace {

std::uint64_t monotonicNow()
{
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

void waitUntil(std::uint64_t ns)
{
    while (monotonicNow() < ns) {
    }
}

/// A coroutine that was discovered by its compact station. The record of its birth is in a lane that was not read yet.
struct BirthReadLast {
    explicit BirthReadLast(Capture &capture, const Process &owner) : c(capture), process(owner)
    {
        lanewriter::LooseRing unread(1024, false);
        Lane untilLater(unread.ring(), 0);
        first = Coroutine::create(process, untilLater, 1, 1);
        steps(*first, lane, 4);
        c.pass(true);
        CHECK_EQUAL(c.streamSums.coroutines.size(), 1u);
    }
    /// Ends the coroutine. Another one follows in its compact station.
    void end(std::uint64_t ns)
    {
        first->destroy(lane, ns);
        CHECK_EQUAL(Coroutine::create(process, lane, 2, ns)->index(), first->index());
    }
    void readBirth(std::uint64_t ns)
    {
        CHECK_EQUAL(c.streamSums.coroutines.size(), 2u);
        late.put({corotracer::kRecordBirth, ns, first->identity(), first->key(), 0, 0});
        c.scanAll();
        CHECK_EQUAL(c.streamSums.coroutines.size(), 2u);
        CHECK_EQUAL(c.streamSums.broken, 0u);
        c.end();
        CHECK_EQUAL(c.streamSums.byKey(1)->deaths, 1u);
        c.checkTotals(4);
    }

    Capture &c;
    const Process &process;
    Lane late = *process.claimLane(1), lane = *process.claimLane(2), other = *process.claimLane(3);
    std::optional<Coroutine> first;
};

}  // namespace

CT_CASE(aBirthReadLastIsNoSecondCoroutine)
{
    Capture c;
    const Process process = c.process();
    BirthReadLast scene(c, process);
    scene.end(monotonicNow() + 1'000'000'000);
    c.pass();
    scene.readBirth(1);
}

/// The clock of the death may be wrong by any amount.
CT_CASE(aBirthReadLastIsNoSecondCoroutineWithoutAClock)
{
    Capture c;
    const Process process = c.process();
    process.entry().init_counter.store(writers::kTsBase);
    process.entry().mult.store(std::uint64_t{1} << 32);
    process.entry().clock_kind.store(corotracer::kClockGivenUp);
    BirthReadLast scene(c, process);
    scene.end(writers::kTsBase + 10);
    c.pass();
    scene.readBirth(1);
    CHECK(c.loop->accounting().timesApproximate);
}

/// Birth and death are later than the pass that reads the death. The next pass first reads another lane, whose record
/// lies between that pass and the birth.
CT_CASE(aDeathYoungerThanItsPassWaitsForAnOlderBirth)
{
    Capture c;
    const Process process = c.process();
    BirthReadLast scene(c, process);
    const std::uint64_t passNs = monotonicNow();
    waitUntil(passNs + 2'000'000);
    scene.end(passNs + 2'000'000);
    c.passBegunAt(passNs);
    scene.other.put({corotracer::kRecordThreadName, passNs + 500'000, 0, 0, 0, 0});
    scene.readBirth(passNs + 1'000'000);
}

/// A note, too, may concern an ended coroutine whose records were not read yet.
CT_CASE(aNoteYoungerThanItsPassWaitsForAnOlderBirth)
{
    Capture c;
    const Process process = c.process();
    Lane late = *process.claimLane(1), lane = *process.claimLane(2), other = *process.claimLane(3);
    lanewriter::LooseRing unread(1024, false);
    Lane untilLater(unread.ring(), 0);
    Coroutine first = *Coroutine::create(process, untilLater, 1, 1);
    first.destroy(untilLater, 2);
    CHECK_EQUAL(Coroutine::create(process, lane, 2, 3)->index(), first.index());
    c.pass(true);
    CHECK_EQUAL(c.streamSums.coroutines.size(), 1u);
    const std::uint64_t passNs = monotonicNow();
    waitUntil(passNs + 2'000'000);
    first.writeNote(lane, {corotracer::kRecordName, passNs + 2'000'000, first.identity(), 0, 0, 0});
    c.passBegunAt(passNs);
    CHECK(c.streamSums.notes.names.empty());
    other.put({corotracer::kRecordThreadName, passNs + 500'000, 0, 0, 0, 0});
    late.put({corotracer::kRecordBirth, passNs + 1'000'000, first.identity(), first.key(), 0, 0});
    c.scanAll();
    CHECK_EQUAL(c.streamSums.notes.names.size(), 1u);
    c.end();
    CHECK_EQUAL(c.loop->accounting().notesLost, 0u);
    CHECK_EQUAL(c.streamSums.coroutines.size(), 2u);
}
