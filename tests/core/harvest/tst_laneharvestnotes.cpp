// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Names, parents, wakes and waits in other lanes than the births and deaths of their coroutines. Each note is emitted
// once, while its coroutine lives, or it is counted.
#include "tests/support/lanecapture.h"

#include <array>
#include <atomic>
#include <thread>

using namespace lanecapture;

namespace {

constexpr std::uint8_t kName = corotracer::kRecordName;
constexpr std::uint8_t kWake = corotracer::kRecordWake;
constexpr std::uint8_t kWaitsOnLock = std::uint8_t{corotracer::kRecordWaitsOn} + std::uint8_t{corotracer::kWaitLock};
constexpr std::uint8_t kWaitsOnCoroutine =
    std::uint8_t{corotracer::kRecordWaitsOn} + std::uint8_t{corotracer::kWaitCoroutine};

/// A record older than all others: its lane is read first, and ahead of the other lanes.
constexpr std::uint64_t kTime = 1'000'000'000;
lanewriter::Record earliest()
{
    return {corotracer::kRecordThreadName, kTime, corotracer::kNoIdentity, 0, 0, 0};
}

lanewriter::Record eventOf(const Coroutine &coroutine, std::uint64_t ts)
{
    const std::uint64_t n = coroutine.events();
    const bool active = writers::activeOf(n);
    return {active ? corotracer::kRecordResume : corotracer::kRecordSuspend,
            ts,
            coroutine.identity(),
            active ? 0 : writers::addrOf(coroutine.key(), n),
            n,
            0};
}

corotracer::CompactState &stateOf(const Process &process, const Coroutine &coroutine)
{
    return process.state(static_cast<std::uint32_t>(coroutine.identity()));
}

std::uint64_t nowNs()
{
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

void checkNotes(const Capture &c, std::size_t names, std::size_t wakes, std::size_t waits, std::uint64_t lost = 0)
{
    CHECK_EQUAL(c.streamSums.notes.names.size(), names);
    CHECK_EQUAL(c.streamSums.notes.wakes.size(), wakes);
    CHECK_EQUAL(c.streamSums.notes.waits.size(), waits);
    CHECK_EQUAL(c.loop->accounting().notesLost, lost);
}

}  // namespace

/// One thread starts the coroutines, another does all the rest. Each compact station serves many coroutines in turn.
CT_CASE(emitsNotesFromBeforeTheBirth)
{
    Capture c;
    c.streamSums.realTime = true;
    const Process process = c.process();
    Lane maker = *process.claimLane(1), user = *process.claimLane(2);
    const std::uint64_t name = process.intern("worker");
    user.put(earliest());
    std::uint64_t ts = kTime;
    for (std::uint64_t key = 1; key <= 100; ++key) {
        Coroutine one = *Coroutine::create(process, maker, key, ++ts);
        one.transition(maker, eventOf(one, ++ts));
        one.writeNote(user, {kName, ++ts, one.identity(), name, 0, 0});
        one.writeNote(user, {kWaitsOnLock, ++ts, one.identity(), 5, 0, 0});
        one.writeNote(user, {kWake, ++ts, one.identity(), corotracer::kNoIdentity, one.events(), 0});
        one.transition(user, eventOf(one, ++ts));
        one.destroy(user, ++ts);
    }
    c.scanAll();
    checkNotes(c, 100, 100, 100);
    CHECK_EQUAL(c.streamSums.deaths, 100u);
    for (const ct::Wake &wake : c.streamSums.notes.wakes)
        CHECK_EQUAL(wake.n, 1u);
    for (ct::CoroutineId id = 0; id < c.streamSums.notes.names.size(); ++id)
        CHECK_EQUAL(c.streamSums.notes.names[id].coroutine, id);
    c.end();
    c.checkTotals(200);
}

/// The wake is in a third thread's lane, which is read last. The woken coroutines are dead by then.
CT_CASE(emitsNotesFromAfterTheDeath)
{
    Capture c;
    c.streamSums.realTime = true;
    const Process process = c.process();
    Lane waker = *process.claimLane(1), user = *process.claimLane(2);
    user.put(earliest());
    std::uint64_t ts = kTime;
    for (std::uint64_t key = 1; key <= 100; ++key) {
        Coroutine one = *Coroutine::create(process, user, key, ++ts);
        one.transition(user, eventOf(one, ++ts));
        one.writeNote(waker, {kWake, ++ts, one.identity(), corotracer::kNoIdentity, one.events(), 0});
        one.transition(user, eventOf(one, ++ts));
        one.destroy(user, ++ts);
    }
    c.scanAll();
    checkNotes(c, 0, 100, 0);
    CHECK_EQUAL(c.streamSums.deaths, 100u);
    std::set<ct::CoroutineId> woken;
    for (const ct::Wake &wake : c.streamSums.notes.wakes)
        CHECK(woken.insert(wake.coroutine).second && wake.n == 1);
    c.end();
    c.checkTotals(200);
}

/// The target wakes coroutines that it destroyed long ago. Their compact station has another coroutine by then.
CT_CASE(emitsWakesOfCoroutinesWhoseDeathWasEmitted)
{
    Capture c;
    c.streamSums.realTime = true;
    const Process process = c.process();
    Lane user = *process.claimLane(1);
    std::uint64_t ts = kTime;
    std::vector<std::uint64_t> identities;
    for (std::uint64_t key = 1; key <= 3; ++key) {
        Coroutine one = *Coroutine::create(process, user, key, ++ts);
        one.transition(user, eventOf(one, ++ts));
        one.transition(user, eventOf(one, ++ts));
        one.destroy(user, ++ts);
        identities.push_back(one.identity());
        c.scanAll();
    }
    CHECK_EQUAL(c.streamSums.deaths, 3u);
    for (const std::uint64_t identity : identities) {
        user.put({kWake, ++ts, identity, corotracer::kNoIdentity, 2, 0});
        user.put({kWaitsOnLock, ++ts, identity, 5, 2, 0});
    }
    c.scanAll();
    checkNotes(c, 0, 3, 0, 3);  // only wakes may follow a death
    REQUIRE(c.streamSums.notes.wakes.size() == 3);
    for (ct::CoroutineId id = 0; id < 3; ++id)
        CHECK(c.streamSums.notes.wakes[id].coroutine == id && c.streamSums.notes.wakes[id].n == 2);
    CHECK_EQUAL(c.streamSums.notes.wakes[2].ts, ts - 1);
    c.end();
    c.checkTotals(6);
}

/// The waker, the awaited coroutine and the parent may be discovered only after the note's own coroutine has died.
CT_CASE(notesWaitForTheCoroutinesTheyName)
{
    Capture c;
    c.streamSums.realTime = true;
    const Process process = c.process();
    Lane maker = *process.claimLane(1), user = *process.claimLane(2);
    user.put(earliest());
    std::uint64_t ts = kTime;
    for (std::uint64_t key = 1; key <= 50; ++key) {
        Coroutine other = *Coroutine::create(process, maker, 1000 + key, ++ts);
        Coroutine one = *Coroutine::create(process, user, key, ++ts);
        one.writeNote(user, {corotracer::kRecordParent, ++ts, one.identity(), other.identity(), 0, 0});
        one.writeNote(user, {kWaitsOnCoroutine, ++ts, one.identity(), other.identity(), 0, 0});
        one.writeNote(user, {kWake, ++ts, one.identity(), other.identity(), 0, 0});
        one.destroy(user, ++ts);
        other.destroy(maker, ++ts);
    }
    c.scanAll();
    checkNotes(c, 0, 50, 50);
    CHECK_EQUAL(c.streamSums.notes.parents.size(), 50u);
    const auto keyOf = [&c](ct::CoroutineId id) {
        return id < c.streamSums.coroutines.size() ? c.streamSums.coroutines[id].key : 0;
    };
    for (const ct::Wake &wake : c.streamSums.notes.wakes)
        CHECK_EQUAL(keyOf(wake.by), 1000 + keyOf(wake.coroutine));
    for (const ct::WaitsOn &waits : c.streamSums.notes.waits)
        CHECK_EQUAL(keyOf(waits.target), 1000 + keyOf(waits.coroutine));
    for (const ct::Parent &parent : c.streamSums.notes.parents)
        CHECK_EQUAL(keyOf(parent.parent), 1000 + keyOf(parent.coroutine));
    c.end();
    c.checkTotals(0);
}

/// The lane with the notes is read before the lane with the births.
CT_CASE(usesFinishesAndWakersNameTheirCoroutines)
{
    Capture c;
    c.streamSums.realTime = true;
    const Process process = c.process();
    Lane maker = *process.claimLane(1), user = *process.claimLane(2);
    user.put(earliest());
    std::uint64_t ts = kTime;
    for (std::uint64_t key = 1; key <= 50; ++key) {
        Coroutine one = *Coroutine::create(process, maker, key, ++ts);
        one.transition(maker, eventOf(one, ++ts));
        one.transition(user, eventOf(one, ++ts));
        for (const std::uint8_t kind :
             {corotracer::kRecordAcquired, corotracer::kRecordReleased, corotracer::kRecordSignalled})
            one.writeNote(user, {kind, ++ts, one.identity(), 0x77, one.events(), 0});
        one.writeNote(user, {corotracer::kRecordWakersLeft, ++ts, one.identity(), 3, one.events(), 0});
        one.writeNote(user, {corotracer::kRecordFinished, ++ts, one.identity(), 0, one.events(), 0});
        one.destroy(user, ++ts);
    }
    c.scanAll();
    const ct::Notes &notes = c.streamSums.notes;
    REQUIRE(notes.uses.size() == 150 && notes.wakersLeft.size() == 50 && notes.finishes.size() == 50);
    for (std::size_t i = 0; i < notes.uses.size(); ++i) {
        CHECK_EQUAL(notes.uses[i].by, i / 3);
        CHECK_EQUAL(static_cast<std::size_t>(notes.uses[i].kind), i % 3);
        CHECK_EQUAL(notes.uses[i].n, 2u);
        CHECK_EQUAL(notes.uses[i].object, 0x77u);
        CHECK_EQUAL(notes.uses[i].tid, 2u);
        CHECK(notes.uses[i].ts > kTime);
    }
    for (const ct::WakersLeft &left : notes.wakersLeft)
        CHECK(left.count == 3 && left.n == 2);
    c.end();
    c.checkTotals(100);
}

/// The lane with the finish is read in an earlier pass than the lane with the events before it.
CT_CASE(aFinishComesBehindTheEventsBeforeIt)
{
    Capture c;
    c.streamSums.realTime = true;
    const Process process = c.process();
    Lane late = *process.claimLane(1), early = *process.claimLane(2);
    std::uint64_t ts = kTime;
    std::vector<Coroutine> coroutines;
    for (std::uint64_t key = 1; key <= 20; ++key)
        coroutines.push_back(*Coroutine::create(process, early, key, ++ts));
    c.scanAll();
    // Both lanes contain their records when the pass begins, but it reads only one of them.
    std::vector<lanewriter::Record> unread;
    for (Coroutine &one : coroutines) {
        for (int i = 0; i < 2; ++i) {
            unread.push_back(eventOf(one, ++ts));
            one.setEvents(one.events() + 1);
        }
        one.transition(early, eventOf(one, ++ts));
        one.transition(early, eventOf(one, ++ts));
        one.writeNote(early, {corotracer::kRecordFinished, ++ts, one.identity(), 0, one.events(), 0});
    }
    c.passBegunAt(kTime);
    CHECK(c.streamSums.notes.finishes.empty());
    for (const lanewriter::Record &record : unread)
        late.put(record);
    c.scanAll();
    CHECK_EQUAL(c.streamSums.notes.finishes.size(), coroutines.size());
    c.end();
    c.checkTotals(80);
}

/// A lane was full, or tracing was off: only the compact station has the finish.
CT_CASE(theSweepFindsAFinishWithoutARecord)
{
    Capture c;
    const Process process = c.process();
    Lane lane = *process.claimLane(1);
    Coroutine one = *Coroutine::create(process, lane, 1, kTime);
    Coroutine two = *Coroutine::create(process, lane, 2, kTime + 1);
    c.scanAll();
    stateOf(process, one).finished_ts.store(kTime + 5);
    lane.put({corotracer::kRecordSwitchOff, kTime + 6, corotracer::kNoIdentity, 0, 0, 0});
    c.scanAll();
    REQUIRE(c.streamSums.notes.finishes.size() == 1);
    CHECK_EQUAL(c.streamSums.notes.finishes[0].ts, kTime + 5);
    // A later record of it, and the death of a coroutine whose finish no lane has.
    one.writeNote(lane, {corotracer::kRecordFinished, kTime + 5, one.identity(), 0, 0, 0});
    corotracer::CompactState &state = stateOf(process, two);
    state.finished_ts.store(kTime + 7);
    state.death_ts.store(kTime + 8);
    state.life.store((two.identity() & ~std::uint64_t{0xFFFF'FFFF}) | corotracer::kCompactDead);
    lane.put({corotracer::kRecordSwitchOn, kTime + 9, corotracer::kNoIdentity, 0, 0, 0});
    c.scanAll();
    c.scanAll(true);  // sweeps are not repeated at once otherwise
    CHECK_EQUAL(c.streamSums.deaths, 1U);
    CHECK_EQUAL(c.streamSums.notes.finishes.size(), 2U);
    c.end();
}

/// A thread without a coroutine uses an object. So does a coroutine that the engine never discovers.
CT_CASE(usesNeedNoCoroutine)
{
    Capture c;
    const Process process = c.process();
    Lane lane = *process.claimLane(1);
    lane.put({corotracer::kRecordSignalled, kTime, corotracer::kNoIdentity, 5, 0, 0});
    lane.put({corotracer::kRecordAcquired, kTime, lanewriter::identityOf(9, 4), 6, 8, 0});
    lane.put(
        {corotracer::kRecordAcquired, kTime, lanewriter::identityOf(1'000'000'000, 4), 7, 0, 0});  // no such station
    c.scanAll();
    const std::vector<ct::Use> &uses = c.streamSums.notes.uses;
    REQUIRE(uses.size() == 2);
    CHECK(uses[0].by == ct::kNoCoroutine && uses[0].object == 5);
    CHECK(uses[1].by == ct::kNoCoroutine && uses[1].object == 6);
    checkNotes(c, 0, 0, 0, 1);
    c.end();
}

CT_CASE(aWaitForSeveralObjectsHasParts)
{
    Capture c;
    const Process process = c.process();
    Lane lane = *process.claimLane(1);
    Coroutine one = *Coroutine::create(process, lane, 1, kTime);
    one.writeNote(lane, {kWaitsOnLock, kTime, one.identity(), 5, 0, 0});
    one.writeNote(lane, {kWaitsOnLock, kTime, one.identity(), 6, 0, corotracer::wait_part(0, false)});
    one.writeNote(lane, {kWaitsOnLock, kTime, one.identity(), 7, 0, corotracer::wait_part(262'143, true)});
    c.scanAll();
    const std::vector<ct::WaitsOn> &waits = c.streamSums.notes.waits;
    REQUIRE(waits.size() == 3);
    CHECK(waits[0].part == 0 && !waits[0].isForAll());
    CHECK(waits[1].part == 1 && !waits[1].isForAll() && waits[1].indexOfPart() == 0);
    CHECK(waits[2].isForAll() && waits[2].indexOfPart() == 262'143);
    c.end();
}

/// The birth was dropped. The first event makes the coroutine known, and then its name is emitted, too.
CT_CASE(nameWaitsForCoroutineWithoutBirth)
{
    Capture c;
    c.streamSums.realTime = true;
    const Process process = c.process();
    Lane lane = *process.claimLane(1);
    const std::uint64_t identity = lanewriter::identityOf(3, 7);
    lane.put({kName, kTime, identity, process.intern("late"), 0, 0});
    lane.put({corotracer::kRecordSuspend, kTime + 1, identity, writers::addrOf(0, 0), 0, 0});
    c.scanAll();
    checkNotes(c, 1, 0, 0);
    CHECK_EQUAL(c.streamSums.coroutines.size(), 1u);
    c.end();
}

/// The coroutine of these notes never becomes known.
CT_CASE(countsNotesOfUnknownCoroutines)
{
    Capture c;
    const Process process = c.process();
    Lane lane = *process.claimLane(1);
    Coroutine one = *Coroutine::create(process, lane, 1, kTime);
    const std::uint64_t unknown = lanewriter::identityOf(9, 4);
    lane.put({kName, kTime, unknown, process.intern("x"), 0, 0});
    lane.put({kWake, kTime, unknown, corotracer::kNoIdentity, 1, 0});
    lane.put({kWaitsOnLock, kTime, lanewriter::identityOf(1'000'000'000, 4), 1, 0, 0});  // no such station
    lane.put({corotracer::kRecordParent, kTime, one.identity(), unknown, 0, 0});
    // These are emitted nevertheless.
    lane.put({kWake, kTime, one.identity(), unknown, 0, 0});
    lane.put({kWaitsOnCoroutine, kTime, one.identity(), unknown, 0, 0});
    c.scanAll();
    checkNotes(c, 0, 1, 1, 4);
    CHECK_EQUAL(c.streamSums.notes.parents.size(), 0u);
    CHECK(c.loop->prepareSleep(c.batch));  // and nothing waits for them
    c.end();
    checkNotes(c, 0, 1, 1, 4);
}

namespace {

struct Slot {
    std::atomic<Coroutine *> full{nullptr};
};

/// The user's half: names, waits, wakes, resumptions, deaths.
void use(const Process &process, Lane lane, std::array<Slot, 64> &slots, std::uint64_t total)
{
    const std::uint64_t name = process.intern("worker");
    for (std::uint64_t i = 0; i < total; ++i) {
        std::atomic<Coroutine *> &slot = slots[i % slots.size()].full;
        Coroutine *one = nullptr;
        while (!(one = slot.load(std::memory_order_acquire)))  // partner: the maker's release
            std::this_thread::yield();
        while (!lane.ring().overwrite &&
               lane.position() + 64 > lane.ring().header->tail.load(std::memory_order_acquire) + lane.ring().capacity)
            std::this_thread::yield();
        one->writeNote(lane, {kName, nowNs(), one->identity(), name, 0, 0});
        one->writeNote(lane, {kWaitsOnLock, nowNs(), one->identity(), 1, 0, 0});
        for (int turn = 0; turn < 2; ++turn) {
            one->writeNote(lane, {kWake, nowNs(), one->identity(), corotracer::kNoIdentity, one->events(), 0});
            one->transition(lane, eventOf(*one, nowNs()));
            one->transition(lane, eventOf(*one, nowNs()));
        }
        one->destroy(lane, nowNs());
        slot.store(nullptr, std::memory_order_release);  // partner: the maker's acquire
        delete one;
    }
}

void make(const Process &process, Lane lane, std::array<Slot, 64> &slots, std::uint64_t total)
{
    for (std::uint64_t i = 0; i < total; ++i) {
        std::atomic<Coroutine *> &slot = slots[i % slots.size()].full;
        while (slot.load(std::memory_order_acquire))
            std::this_thread::yield();
        while (!lane.ring().overwrite &&
               lane.position() + 64 > lane.ring().header->tail.load(std::memory_order_acquire) + lane.ring().capacity)
            std::this_thread::yield();
        slot.store(new Coroutine(*Coroutine::create(process, lane, i + 1, 0, &nowNs)), std::memory_order_release);
    }
}

constexpr std::uint64_t kMany = 40'000;

/// Runs both threads, and `action` in a loop until they end.
template <class Action>
void run(Capture &c, Action action)
{
    const Process process = c.process(5);
    Lane a = *process.claimLane(1), b = *process.claimLane(2);
    std::array<Slot, 64> slots;
    std::atomic<int> finished{0};
    std::thread maker([&] {
        make(process, a, slots, kMany);
        finished.fetch_add(1, std::memory_order_release);
    });
    std::thread user([&] {
        use(process, b, slots, kMany);
        finished.fetch_add(1, std::memory_order_release);
    });
    while (finished.load(std::memory_order_acquire) < 2)
        action();
    maker.join();
    user.join();
}

}  // namespace

CT_CASE(emitsAllNotesWhileTheyAreWritten)
{
    Capture c(4096, 8192);
    c.streamSums.realTime = true;
    run(c, [&c] {
        if (!c.pass())
            std::this_thread::yield();
    });
    c.end();
    checkNotes(c, kMany, 2 * kMany, kMany);
    CHECK_EQUAL(c.streamSums.deaths, kMany);
    c.checkTotals(4 * kMany);
    CHECK_EQUAL(c.streamSums.captured, 4 * kMany);
}

CT_CASE(emitsAllNotesInOverwriteMode)
{
    Capture c(4096, 1 << 20, 128ULL << 20);
    c.setOverwriteMode();
    c.restart();
    run(c, [] { std::this_thread::yield(); });
    c.dead.insert(5);
    c.restart();
    c.streamSums.realTime = true;
    c.end();
    checkNotes(c, kMany, 2 * kMany, kMany);
    CHECK_EQUAL(c.streamSums.deaths, kMany);
    c.checkTotals(4 * kMany);
    CHECK_EQUAL(c.streamSums.captured, 4 * kMany);
}
