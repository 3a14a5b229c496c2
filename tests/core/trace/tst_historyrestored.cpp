// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Evicted and restored events equal those of a History without a budget. Eviction, restoring and writing may be
// concurrent.
#include "core/trace/historyrestored.h"
#include "tests/core/trace/historytest.h"
#include "tests/support/concurrently.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <random>

using namespace ct;
using namespace ct::test;

namespace {

constexpr std::uint64_t kSmallBudget = 18U << 20;  ///< sixteen slabs for events
constexpr std::uint64_t kRoomy = 48U << 20;
constexpr std::uint64_t kRestored = 8U << 20;  ///< eight slabs
constexpr std::uint64_t kBase = 1'000'000'000;
constexpr CoroutineId kCoroutines = 300;

/// A run whose events are functions of their position in the stream, so each thread can compute them. Small slabs:
/// thread sanitizer needs some hundred bytes per atomic word, and a slab has hundreds of thousands.
struct KnownRun {
    static constexpr std::uint64_t kStep = 50;  ///< ns between two events
    static constexpr std::uint64_t kSlabNs = 2048 * kStep;
    static constexpr std::uint64_t kPastNs = 40 * kSlabNs;  ///< period that is read and restored
    static constexpr std::uint64_t kLeast = 400'000;        ///< events until all coroutines have a usual address
    static constexpr std::uint64_t kEnough = 1000;

    History history{kSmallBudget, 8 * kSlabNs, 1U << 16, kRestored};
    std::atomic<std::uint64_t> restored{0};  ///< restored pieces
    std::atomic<std::uint64_t> checked{0};   ///< checked events that had been evicted

    static Transition at(std::uint64_t number)
    {
        const CoroutineId id = number % kCoroutines;
        const std::uint64_t n = number / kCoroutines;
        Transition event = transition(id, n, kBase + number * kStep);
        // The coroutines get their usual addresses one after the other, while older events of all of them are restored.
        event.addr = event.active || n < std::uint64_t{4} * id ? 0 : 0x1000 + id + n % 3;
        return event;
    }
    /// Writes until enough of the run has been restored and read.
    void write()
    {
        CoroutineId born = 0;
        Batch batch;
        for (; born < kCoroutines; ++born)
            batch.births.push_back(birth(born));
        for (std::uint64_t number = 0; number < kLeast || restored.load() < kEnough || checked.load() < kEnough;) {
            for (int i = 0; i < 500; ++i)
                batch.transitions.push_back(at(number++));
            batch.births.push_back(birth(born++));
            batch.now = batch.transitions.back().ts;
            feed(history, batch);
            batch.clear();
        }
    }
    /// Returns a random time of the latest kPastNs.
    std::uint64_t somewhere(std::mt19937 &random) const
    {
        const std::uint64_t last = history.lastTs();
        return last - std::min(last, random() % kPastNs);
    }
    void restorePast(std::mt19937 &random)
    {
        const std::uint64_t from = somewhere(random);
        const History::Needed needed = history.neededFor(from, from + 2 * kSlabNs);
        for (const History::Missing &piece : needed.missing) {
            Transitions events;
            for (std::uint64_t number = piece.firstEvent; number < piece.endEvent; ++number)
                events.push_back(at(number));
            CHECK(history.restore(piece, events, needed));
            restored.fetch_add(1);
        }
    }
    void check(CoroutineId id, const HistoryEvent &event) const
    {
        if (event.type == HistoryEvent::Type::Absent)
            return;
        const Transition expected = at(event.n * kCoroutines + id);
        CHECK(event.type == (expected.active ? HistoryEvent::Type::Resume : HistoryEvent::Type::Suspend));
        CHECK_EQUAL(event.ts, expected.ts);
        CHECK_EQUAL(event.addr, expected.addr);
        CHECK_EQUAL(event.tid, expected.tid);
        CHECK_EQUAL(event.site, expected.site);
    }
    void readPast(std::mt19937 &random)
    {
        const CoroutineId id = random() % kCoroutines;
        const std::uint64_t evicted = history.evictedBefore();
        const std::uint64_t from = somewhere(random);
        std::uint64_t nextN = 0;
        for (const HistoryEvent &event : history.events(id, from, from + 4 * kSlabNs, 200)) {
            check(id, event);
            CHECK(event.n >= nextN);
            nextN = event.n + 1;
            if (event.type != HistoryEvent::Type::Absent && event.ts < evicted)
                checked.fetch_add(1);
        }
        std::vector<History::Column> columns(10);
        history.columns(id, from, kSlabNs, columns);
        for (const History::Column &column : columns)
            CHECK(!column.gap && column.running + column.suspended < 1.01F);
    }
};

#if !CT_THREAD_SANITIZER
/// A run of coroutines that take turns: in a history with a small budget, in one without eviction, and as the stream
/// itself.
struct Run {
    History history{kSmallBudget, 0, kCoroutines, kRestored};
    History whole{kRoomy, 0, kCoroutines};
    std::vector<Transition> stream;
    std::vector<std::uint64_t> next = std::vector<std::uint64_t>(kCoroutines);
    std::mt19937 random{7};
    std::uint64_t now = kBase;

    Run()
    {
        Batch batch;
        for (CoroutineId id = 0; id < kCoroutines; ++id)
            batch.births.push_back(birth(id));
        consume(batch);
    }
    void consume(const Batch &batch)
    {
        feed(history, batch);
        feed(whole, batch);
        stream.insert(stream.end(), batch.transitions.begin(), batch.transitions.end());
    }
    /// Runs the coroutines. Coroutine 0 has events only at the beginning, coroutine 1 rarely. Sometimes a number is
    /// lost.
    void run(std::size_t events)
    {
        Batch batch;
        for (std::size_t i = 0; i < events; ++i) {
            CoroutineId id = 2 + random() % (kCoroutines - 2);
            if (stream.size() + batch.transitions.size() < 20)
                id = 0;
            else if (random() % 20'000 == 0)
                id = 1;
            if (random() % 1000 == 0)
                ++next[id];
            now += random() % 100;
            Transition event = transition(id, next[id]++, now);
            event.addr = event.active ? 0 : 0x1000 + id + random() % 3;
            batch.transitions.push_back(event);
            if (batch.transitions.size() == 4096 || i + 1 == events) {
                batch.now = now;
                consume(batch);
                batch.clear();
            }
        }
    }
    /// Feeds one event. The present time advances only if the event is later.
    void act(CoroutineId id, std::uint64_t ts, std::uint64_t addr = 0x1000)
    {
        Batch batch;
        now = std::max(now, ts);
        batch.now = now;
        batch.transitions.push_back(transition(id, next[id]++, ts));
        batch.transitions.back().addr = addr;
        consume(batch);
    }
    /// Restores everything that is missing in [from, to). Returns the number of pieces.
    std::size_t restore(std::uint64_t from, std::uint64_t to)
    {
        const History::Needed needed = history.neededFor(from, to);
        for (const History::Missing &piece : needed.missing)
            CHECK(history.restore(piece, eventsOf(piece), needed));
        return needed.missing.size();
    }
    std::span<const Transition> eventsOf(const History::Missing &piece) const
    {
        return std::span(stream).subspan(piece.firstEvent, piece.endEvent - piece.firstEvent);
    }
};

/// Coroutine 0 has its first events restored and a later one evicted, and no events after that.
struct Interrupted : Run {
    Interrupted()
    {
        run(300'000);
        act(0, now);
        run(1'600'000);
        restore(kBase, kBase + 1000);
    }
};

bool isSame(const HistoryEvent &a, const HistoryEvent &b)
{
    return a.ts == b.ts && a.n == b.n && a.addr == b.addr && a.count == b.count && a.tid == b.tid && a.site == b.site &&
           a.kind == b.kind && a.type == b.type;
}

/// Compares [from, to), which must be in memory.
void checkSame(const Run &run, CoroutineId id, std::uint64_t from, std::uint64_t to)
{
    const auto in = [&](std::vector<HistoryEvent> events) {
        std::erase_if(events, [&](const HistoryEvent &event) { return event.ts < from || event.ts >= to; });
        return events;
    };
    const std::vector<HistoryEvent> got = in(run.history.events(id, from, to, 1U << 20));
    const std::vector<HistoryEvent> expected = in(run.whole.events(id, from, to, 1U << 20));
    CHECK_EQUAL(got.size(), expected.size());
    CHECK(std::equal(got.begin(), got.end(), expected.begin(), expected.end(), isSame));
}

/// Returns the share of [from, to) for which the column has a state.
float shareKnown(const History &history, CoroutineId id, std::uint64_t from, std::uint64_t to)
{
    std::vector<History::Column> column(1);
    history.columns(id, from, to - from, column);
    return column[0].running + column[0].suspended;
}

void checkSameColumns(const Run &run, CoroutineId id, std::uint64_t from, std::uint64_t to)
{
    const std::uint64_t step = (to - from) / 100;
    std::vector<History::Column> got(100);
    std::vector<History::Column> expected(100);
    run.history.columns(id, from, step, got);
    run.whole.columns(id, from, step, expected);
    for (std::size_t i = 0; i < got.size(); ++i) {
        CHECK_EQUAL(got[i].transitions, expected[i].transitions);
        CHECK(std::abs(got[i].running - expected[i].running) < 1e-3F);
        CHECK(std::abs(got[i].suspended - expected[i].suspended) < 1e-3F);
        CHECK_EQUAL(got[i].gap, expected[i].gap);
        CHECK_EQUAL(got[i].site, expected[i].site);
    }
}
#endif

}  // namespace

#if !CT_THREAD_SANITIZER
CT_CASE(eventsInMemoryNeedNoRestoring)
{
    Run run;
    CHECK(run.history.neededFor(0, ~std::uint64_t{0}).missing.empty());
    run.run(500'000);
    CHECK_EQUAL(run.history.evictedEvents(), 0U);
    CHECK(run.history.neededFor(0, ~std::uint64_t{0}).missing.empty());
    CHECK(run.history.isInMemory(0, ~std::uint64_t{0}));
    CHECK_EQUAL(run.history.streamed(), 500'000U);
}

CT_CASE(restoredEventsEqualTheEvictedEvents)
{
    Run run;
    run.run(1'900'000);
    REQUIRE(run.history.evictedEvents() > 700'000);
    const std::uint64_t span = (run.history.evictedBefore() - kBase) / 8;
    for (const unsigned part : {5U, 0U, 6U, 2U, 3U}) {
        const std::uint64_t from = kBase + part * span;
        const std::uint64_t to = from + span;
        CHECK(!run.history.isInMemory(from, to));
        const std::uint64_t version = run.history.restoredVersion();
        const std::size_t pieces = run.restore(from, to);
        CHECK(pieces > 1);
        CHECK_EQUAL(run.history.restoredVersion(), version + pieces);
        CHECK(run.history.isInMemory(from, to));
        CHECK_EQUAL(run.restore(from, to), 0U);
        for (CoroutineId id = 0; id < kCoroutines; ++id)
            checkSame(run, id, from, to);
    }
}

CT_CASE(restoresAnInvalidAddressBeforeTheUsualAddress)
{
    Run run;
    for (int i = 0; i < 20; ++i)
        run.act(0, run.now, ~std::uint64_t{0});
    run.run(1'300'000);
    CHECK(run.restore(kBase, kBase + 1000) > 0);
    run.act(0, run.now);
    const std::vector<HistoryEvent> events = all(run.history, 0);
    REQUIRE(events.size() > 20);
    CHECK_EQUAL(events.front().addr, ~std::uint64_t{0});
    checkSame(run, 0, kBase, kBase + 1000);
}

CT_CASE(columnsIncludeRestoredEvents)
{
    Run run;
    run.run(1'900'000);
    const std::uint64_t from = kBase + (run.history.evictedBefore() - kBase) / 3;
    const std::uint64_t to = from + (run.history.evictedBefore() - kBase) / 10;
    run.restore(from - (to - from), to);
    for (CoroutineId id = 2; id < kCoroutines; ++id)
        checkSameColumns(run, id, from, to);
    // The sums are cached now, and must equal those of the slab.
    for (CoroutineId id = 2; id < kCoroutines; ++id)
        checkSameColumns(run, id, from, to);
}

CT_CASE(eventsNotRestoredAreAbsentNotLost)
{
    Run run;
    run.run(1'900'000);
    const std::uint64_t to = kBase + (run.history.evictedBefore() - kBase) / 4;
    run.restore(kBase, to);
    const std::vector<HistoryEvent> events = all(run.history, 5);
    const std::vector<HistoryEvent> expected = all(run.whole, 5);
    std::size_t absents = 0;
    std::size_t at = 0;
    for (const HistoryEvent &event : events) {
        if (event.type == HistoryEvent::Type::Absent) {
            ++absents;
            CHECK(event.ts >= expected[at - 1].ts);
            CHECK_EQUAL(event.n, expected[at - 1].n + 1);
            while (at < expected.size() && expected[at].n < event.n + event.count)
                ++at;
            continue;
        }
        REQUIRE(at < expected.size());
        CHECK(isSame(event, expected[at]));
        ++at;
    }
    CHECK_EQUAL(absents, 1U);
    CHECK_EQUAL(at, expected.size());
    // An idle coroutine's history is known.
    const std::vector<HistoryEvent> idle = all(run.history, 0);
    REQUIRE(!idle.empty());
    CHECK_EQUAL(run.history.veryFirst(0), idle.front().ts);
    CHECK_EQUAL(run.history.firstKept(0), idle.front().ts);
    CHECK(shareKnown(run.history, 0, idle.back().ts, run.now) > 0.99F);
}

CT_CASE(theStateIsUnknownBehindTheRestoredEvents)
{
    const Interrupted run;
    const std::vector<HistoryEvent> events = all(run.history, 0);
    REQUIRE(events.size() > 1 && events.back().type == HistoryEvent::Type::Absent);
    const std::uint64_t latest = events[events.size() - 2].ts;
    const std::uint64_t known = events.back().ts;
    CHECK(shareKnown(run.history, 0, latest, known) > 0.99F);
    CHECK_EQUAL(shareKnown(run.history, 0, known, run.now), 0.0F);
}

CT_CASE(readingBehindAbsentEventsReportsNoLoss)
{
    Interrupted run;
    History::Position position;
    std::array<HistoryEvent, 64> events;
    const std::size_t count = run.history.read(0, position, events);
    REQUIRE(count > 1 && count < events.size());
    CHECK(events[count - 1].type == HistoryEvent::Type::Absent);
    CHECK_EQUAL(run.history.read(0, position, events), 0U);
    run.act(0, run.now);
    CHECK_EQUAL(run.history.read(0, position, events), 1U);
    CHECK(isSame(events[0], all(run.whole, 0).back()));
    // From there on, a lost event is a gap.
    ++run.next[0];
    run.act(0, run.now);
    CHECK_EQUAL(run.history.read(0, position, events), 2U);
    CHECK(events[0].type == HistoryEvent::Type::Gap);
    CHECK_EQUAL(run.history.read(0, position, events), 0U);
}

CT_CASE(aLateEventIsRestored)
{
    // An event that arrives long after others of its time: more slabs lie behind them than are restored at once.
    Run run;
    run.run(200'000);
    const std::uint64_t late = run.now;
    run.run(800'000);
    run.act(0, late);
    run.run(1'900'000);
    run.restore(0, ~std::uint64_t{0});  // there is room only where other slabs are evicted
    const std::uint64_t from = late - 1000;
    const std::uint64_t to = late + 1000;
    const History::Needed needed = run.history.neededFor(from, to);
    REQUIRE(needed.missing.size() > 1 && needed.missing.size() <= 4);
    CHECK(needed.missing.back().slab > needed.missing.front().slab + kRestored / 983'040);
    for (const History::Missing &piece : needed.missing) {
        CHECK(!run.history.isInMemory(from, to));
        CHECK(run.history.restore(piece, run.eventsOf(piece), needed));
    }
    CHECK(run.history.isInMemory(from, to));
    for (CoroutineId id = 0; id < kCoroutines; ++id)
        checkSame(run, id, from, to);
    const std::vector<HistoryEvent> events = run.history.events(0, from, to, 100);
    REQUIRE(!events.empty());
    CHECK_EQUAL(events.back().ts, late);
}

CT_CASE(findsSlabsWithLateEventsByTime)
{
    std::mt19937 random(11);
    history::Restored restored(0);
    for (std::uint32_t number = 1; number <= 300; ++number) {
        const std::uint64_t maxTs = 100 * number + random() % 300;
        const std::uint64_t minTs = maxTs - std::min<std::uint64_t>(maxTs, random() % 10 == 0 ? random() % 30'000 : 90);
        restored.addSlab(number, {0, 1, 0, minTs, maxTs, 1});
        for (int i = 0; i < 50; ++i) {
            const std::uint64_t ts = random() % 30'000;
            std::uint32_t first = 1;
            while (first <= number && restored.sealed(first).maxTs < ts)
                ++first;
            CHECK_EQUAL(restored.firstAt(ts), first);
            const std::uint32_t upTo = random() % (number + 1);
            std::uint32_t last = upTo;
            while (last != 0 && restored.sealed(last).minTs >= ts)
                --last;
            CHECK_EQUAL(restored.lastBefore(ts, upTo), last);
        }
    }
}

CT_CASE(refusesEventsOfAnotherPiece)
{
    Run run;
    run.run(1'700'000);
    const History::Needed needed = run.history.neededFor(kBase, run.history.evictedBefore());
    REQUIRE(needed.missing.size() > 1);
    const History::Missing &piece = needed.missing.front();
    CHECK(!run.history.restore(piece, run.eventsOf(piece).first(10), needed));
    CHECK(!run.history.restore({}, {}, needed));
    CHECK(!run.history.restore({1'000'000, 0, 10}, run.eventsOf(piece).first(10), needed));
    CHECK_EQUAL(run.history.neededFor(kBase, run.history.evictedBefore()).missing.size(), needed.missing.size());
    CHECK(run.history.restore(piece, run.eventsOf(piece), needed));
    CHECK(!run.history.restore(piece, run.eventsOf(piece), needed));  // it is in memory already
    History without(kSmallest);
    CHECK(!without.restore(piece, run.eventsOf(piece), needed));
}

CT_CASE(aRangeThatIsTooLargeRestoresItsEnd)
{
    Run run;
    run.run(1'900'000);
    const History::Needed needed = run.history.neededFor(0, ~std::uint64_t{0});
    CHECK_EQUAL(needed.missing.size(), kRestored / 983'040);
    CHECK_EQUAL(needed.slabs.size(), needed.missing.size());
    CHECK(run.restore(0, ~std::uint64_t{0}) > 0);
    CHECK(run.history.isInMemory(run.history.evictedBefore() - 1, ~std::uint64_t{0}));
    CHECK(!run.history.isInMemory(0, ~std::uint64_t{0}));
    CHECK(run.history.bytesUsed() <= (17U << 20) + kRestored);
}

CT_CASE(stretchesCoverTheWholeRun)
{
    Run run;
    run.run(1'900'000);
    std::uint64_t events = 0;
    std::uint64_t inMemory = 0;
    std::uint64_t latest = 0;
    for (const History::Stretch &stretch : run.history.stretches()) {
        CHECK(stretch.minTs <= stretch.maxTs);
        CHECK(stretch.maxTs >= latest);
        latest = stretch.maxTs;
        events += stretch.events;
        inMemory += stretch.inMemory ? stretch.events : 0;
    }
    CHECK(events > 1'800'000);
    CHECK_EQUAL(events - inMemory, run.history.evictedEvents());
}
#endif

CT_CASE(restoresDuringWritesAndReads)
{
    KnownRun run;
    const auto read = [&run, random = std::mt19937(5)]() mutable { run.readPast(random); };
    const auto restore = [&run, random = std::mt19937(3)]() mutable { run.restorePast(random); };
    runConcurrently({read, restore}, [&run] { run.write(); });
}
