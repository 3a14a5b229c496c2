// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/history.h"
#include "tests/support/check.h"

#include <atomic>
#include <cmath>
#include <random>
#include <thread>

using namespace ct;

namespace {

constexpr std::uint64_t kSmallest = 1;  ///< budget: the smallest there is, 16 MiB

Birth birth(CoroutineId id, Dialect dialect = Dialect::Seqlock)
{
    Birth born;
    born.coroutine = id;
    born.dialect = dialect;
    return born;
}

Transition transition(CoroutineId id, std::uint64_t n, std::uint64_t ts)
{
    Transition event;
    event.coroutine = id;
    event.n = n;
    event.seq = slotSeq(Dialect::Seqlock, n);
    event.active = n % 2 != 0;
    event.ts = ts;
    event.site = event.active ? kUnknownSite : 5;
    event.addr = event.active ? 0 : 0x1000 + id;
    event.tid = 40 + id % 3;
    return event;
}

void feed(History &history, const Batch &batch)
{
    CHECK(static_cast<bool>(history.consume(batch)));
}

std::vector<HistoryEvent> all(const History &history, CoroutineId id)
{
    std::vector<HistoryEvent> events;
    history.forEach(id, [&](const HistoryEvent &event) {
        events.push_back(event);
        return true;
    });
    return events;
}

}  // namespace

CT_CASE(slotSeqOfBothDialects)
{
    CHECK_EQUAL(slotSeq(Dialect::Seqlock, 0), 2U);
    CHECK_EQUAL(slotSeq(Dialect::Seqlock, 7), 2U);
    CHECK_EQUAL(slotSeq(Dialect::Seqlock, 8), 4U);
    CHECK_EQUAL(slotSeq(Dialect::Monotonic, 9), 9U);
}

CT_CASE(everyFieldComesBack)
{
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0)};
    std::mt19937_64 random(7);
    constexpr std::uint64_t kEvents = 5000;
    for (std::uint64_t n = 0; n < kEvents; ++n) {
        Transition event = transition(0, n, 1'000'000 + n * 17);
        event.kind = static_cast<PointKind>(random() % 4);
        event.active = random() % 2;
        event.tid = static_cast<std::uint32_t>(random());
        event.site = static_cast<SiteId>(n % 7 == 0 ? random() : random() % 1000);
        event.addr = n % 3 == 0 ? 0 : n % 3 == 1 ? 0xBEEF : random();
        if (n % 1000 == 500)
            event.ts = random();  // far away, also backwards
        batch.transitions.push_back(event);
    }
    feed(history, batch);
    const std::vector<HistoryEvent> events = all(history, 0);
    REQUIRE(events.size() == kEvents);
    for (std::size_t i = 0; i < kEvents; ++i) {
        const Transition &expected = batch.transitions[i];
        CHECK_EQUAL(events[i].n, expected.n);
        CHECK_EQUAL(events[i].ts, expected.ts);
        CHECK_EQUAL(events[i].addr, expected.addr);
        CHECK_EQUAL(events[i].tid, expected.tid);
        CHECK_EQUAL(events[i].site, expected.site);
        CHECK(events[i].kind == expected.kind);
        CHECK((events[i].type == HistoryEvent::Type::Resume) == expected.active);
    }
    CHECK_EQUAL(history.eventCount(), kEvents);
    CHECK_EQUAL(history.droppedEvents(), 0U);
    CHECK_EQUAL(history.droppedBefore(), 0U);
    CHECK_EQUAL(history.firstKept(0), 1'000'000U);
    CHECK(all(history, 1).empty());
}

CT_CASE(moreThreadsThanTheTableHolds)
{
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0)};
    constexpr std::uint32_t kEvents = 70'000;
    for (std::uint32_t n = 0; n < kEvents; ++n) {
        batch.transitions.push_back(transition(0, n, n));
        batch.transitions.back().tid = n * 3;
    }
    feed(history, batch);
    const std::vector<HistoryEvent> events = all(history, 0);
    REQUIRE(events.size() == kEvents);
    for (std::uint32_t n = 0; n < kEvents; ++n)
        CHECK_EQUAL(events[n].tid, n * 3);
    CHECK_EQUAL(events[69'998].addr, 0x1000U);
}

CT_CASE(gapsStandWhereNumbersAreMissing)
{
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0), birth(1, Dialect::Monotonic), birth(2, Dialect::Unknown)};
    batch.transitions = {transition(0, 3, 100), transition(0, 4, 110), transition(0, 10, 200), transition(1, 1, 100),
                         transition(2, 1, 100)};
    batch.transitions[4].seq = 1;
    feed(history, batch);
    const std::vector<HistoryEvent> events = all(history, 0);
    REQUIRE(events.size() == 5);
    CHECK(events[0].type == HistoryEvent::Type::Gap);
    CHECK_EQUAL(events[0].n, 0U);
    CHECK_EQUAL(events[0].count, 3U);
    CHECK_EQUAL(events[0].ts, 100U);
    CHECK_EQUAL(events[2].n, 4U);
    CHECK(events[3].type == HistoryEvent::Type::Gap);
    CHECK_EQUAL(events[3].n, 5U);
    CHECK_EQUAL(events[3].count, 5U);
    CHECK_EQUAL(events[4].n, 10U);
    CHECK_EQUAL(all(history, 1).size(), 1U);  // monotonic numbers begin at 1
    CHECK_EQUAL(all(history, 2).size(), 1U);
    CHECK_EQUAL(history.eventCount(), 5U);  // gaps are no events
}

CT_CASE(aLossAtTheEndIsAGap)
{
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0), birth(1)};
    batch.transitions = {transition(0, 0, 100)};
    batch.losses = {{0, 1, 2, false}, {1, 0, 2, false}, {7, 0, 2, false}};
    batch.now = 200;
    feed(history, batch);
    History::Position position;
    std::array<HistoryEvent, 8> some;
    REQUIRE(history.read(0, position, some) == 2);
    CHECK(some[1].type == HistoryEvent::Type::Gap);
    CHECK_EQUAL(some[1].ts, 200U);
    CHECK_EQUAL(some[1].n, 1U);
    CHECK_EQUAL(some[1].count, 2U);
    CHECK_EQUAL(position.nextN, 3U);
    CHECK_EQUAL(history.read(0, position, some), 0U);
    batch.clear();
    batch.transitions = {transition(0, 4, 300), transition(1, 2, 300)};
    batch.now = 400;
    feed(history, batch);
    // With the one more that the jump tells of, it has become one gap ...
    const std::vector<HistoryEvent> events = all(history, 0);
    REQUIRE(events.size() == 3);
    CHECK(events[1].type == HistoryEvent::Type::Gap);
    CHECK_EQUAL(events[1].ts, 300U);
    CHECK_EQUAL(events[1].n, 1U);
    CHECK_EQUAL(events[1].count, 3U);
    CHECK_EQUAL(events[2].n, 4U);
    // ... but for a reader who has seen the first part of it already.
    REQUIRE(history.read(0, position, some) == 2);
    CHECK(some[0].type == HistoryEvent::Type::Gap);
    CHECK_EQUAL(some[0].n, 3U);
    CHECK_EQUAL(some[0].count, 1U);
    CHECK_EQUAL(some[1].n, 4U);
    CHECK_EQUAL(all(history, 1).size(), 2U);
    std::vector<History::Column> columns(4);
    history.columns(0, 100, 100, columns);
    CHECK(columns[0].gap && columns[0].suspended == 0);
    CHECK(columns[1].gap && columns[1].suspended == 0);
    CHECK(columns[2].suspended == 1);
}

CT_CASE(numbersThatRunBackwardsAreKept)
{
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0)};
    batch.transitions = {transition(0, 0, 10), transition(0, 1, 20), transition(0, 0, 15), transition(0, 1, 25)};
    feed(history, batch);
    const std::vector<HistoryEvent> events = all(history, 0);
    REQUIRE(events.size() == 4);
    CHECK_EQUAL(events[2].n, 0U);
    CHECK_EQUAL(events[3].n, 1U);
}

CT_CASE(eventsOfATimeRange)
{
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0)};
    for (std::uint64_t n = 0; n < 3000; ++n)
        batch.transitions.push_back(transition(0, n, 1000 + n * 10));
    feed(history, batch);
    const std::vector<HistoryEvent> some = history.events(0, 11'000, 11'050, 100);
    REQUIRE(some.size() == 6);
    CHECK_EQUAL(some[0].ts, 10'990U);
    CHECK_EQUAL(some[5].ts, 11'040U);
    CHECK_EQUAL(history.events(0, 11'000, 11'050, 3).size(), 3U);
    CHECK_EQUAL(history.events(0, 0, 2000, 1000).size(), 100U);
    const std::vector<HistoryEvent> last = history.events(0, 900'000, 910'000, 100);
    REQUIRE(last.size() == 1);
    CHECK_EQUAL(last[0].n, 2999U);
    CHECK_EQUAL(history.events(0, 0, 1000, 100).size(), 0U);
    CHECK_EQUAL(history.firstTs(), 1000U);
    CHECK_EQUAL(history.lastTs(), 1000U + 29'990U);
}

CT_CASE(readingGoesOnWhereItEnded)
{
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0)};
    History::Position position;
    std::array<HistoryEvent, 7> some;
    CHECK_EQUAL(history.read(0, position, some), 0U);
    std::uint64_t n = 0;
    std::uint64_t expected = 0;
    for (int round = 0; round < 200; ++round) {
        batch.transitions.clear();
        for (int i = 0; i < round % 30; ++i, ++n)
            batch.transitions.push_back(transition(0, n, n));
        feed(history, batch);
        batch.births.clear();
        while (const std::size_t got = history.read(0, position, some))
            for (std::size_t i = 0; i < got; ++i)
                CHECK_EQUAL(some[i].n, expected++);
        CHECK_EQUAL(expected, n);
        CHECK(n == 0 || position.nextN == n);
    }
}

namespace {

/// Columns computed from every single event.
std::vector<History::Column> slowColumns(const History &history, CoroutineId id, std::uint64_t from, std::uint64_t step,
                                         std::size_t count)
{
    std::vector<History::Column> columns(count);
    const std::vector<HistoryEvent> events = all(history, id);
    const std::uint64_t to = from + step * count;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const std::uint64_t end = i + 1 < events.size() ? events[i + 1].ts : history.lastTs();
        if (events[i].type != HistoryEvent::Type::Gap && events[i].ts >= from && events[i].ts < to)
            ++columns[(events[i].ts - from) / step].transitions;
        const bool lasts = events[i].type != HistoryEvent::Type::Gap &&
                           !(i + 1 < events.size() && events[i + 1].type == HistoryEvent::Type::Gap);
        for (std::uint64_t ts = std::max(from, events[i].ts); lasts && ts < std::min(end, to); ++ts) {
            History::Column &column = columns[(ts - from) / step];
            (events[i].type == HistoryEvent::Type::Resume ? column.running : column.suspended) +=
                1.0F / static_cast<float>(step);
        }
    }
    return columns;
}

}  // namespace

CT_CASE(columnsAgreeWithEveryEvent)
{
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0)};
    std::mt19937 random(3);
    std::uint64_t ts = 100;
    std::uint64_t n = 0;
    for (int i = 0; i < 3000; ++i, ++n) {
        ts += random() % (n % 2 != 0 ? 60 : 10);  // suspended for much longer than running
        if (i % 500 == 499)
            n += 3;
        batch.transitions.push_back(transition(0, n, ts));
    }
    feed(history, batch);
    for (const std::uint64_t step : {1U, 13U, 29U}) {
        std::vector<History::Column> columns(200);
        history.columns(0, 90, step, columns);
        const std::vector<History::Column> expected = slowColumns(history, 0, 90, step, 200);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            CHECK(std::abs(columns[i].running - expected[i].running) < 0.02F);
            CHECK(std::abs(columns[i].suspended - expected[i].suspended) < 0.02F);
            CHECK_EQUAL(columns[i].transitions, expected[i].transitions);
        }
    }
    // So coarse that whole blocks are summed up: the sums stay, the places are right within a column.
    std::vector<History::Column> coarse(8);
    const std::uint64_t step = (ts - 90) / 8 + 1;
    history.columns(0, 90, step, coarse);
    const std::vector<History::Column> expected = slowColumns(history, 0, 90, step, 8);
    double sums[2] = {0, 0};
    std::uint32_t transitions = 0;
    bool gap = false;
    for (std::size_t i = 0; i < coarse.size(); ++i) {
        sums[0] += coarse[i].running + coarse[i].suspended;
        sums[1] += expected[i].running + expected[i].suspended;
        transitions += coarse[i].transitions;
        gap = gap || coarse[i].gap;
        CHECK_EQUAL(coarse[i].site, 5U);
        CHECK(std::abs(coarse[i].running - expected[i].running) < 0.1F);
    }
    CHECK(std::abs(sums[0] - sums[1]) < 0.02);
    CHECK_EQUAL(transitions, 3000U);
    CHECK(gap);
}

CT_CASE(theLatestStateLastsUntilNowOrDeath)
{
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0), birth(1), birth(2)};
    batch.transitions = {transition(0, 0, 100), transition(1, 0, 100), transition(2, 0, 100)};
    batch.transitions[2].kind = PointKind::Final;
    batch.deaths = {{1, 150}};
    batch.now = 300;
    feed(history, batch);
    std::vector<History::Column> columns(4);
    const auto suspendedAt = [&](CoroutineId id, std::size_t column) {
        history.columns(id, 0, 100, columns);
        return columns[column].suspended;
    };
    CHECK_EQUAL(suspendedAt(0, 0), 0.0F);
    CHECK_EQUAL(suspendedAt(0, 1), 1.0F);
    CHECK_EQUAL(suspendedAt(0, 2), 1.0F);
    CHECK_EQUAL(suspendedAt(0, 3), 0.0F);
    CHECK_EQUAL(suspendedAt(1, 1), 0.5F);
    CHECK_EQUAL(suspendedAt(1, 2), 0.0F);
    CHECK_EQUAL(suspendedAt(2, 1), 0.0F);  // finished: it waits for nothing
    history.columns(9, 0, 100, columns);
    history.columns(0, 0, 0, columns);
    history.columns(0, ~0ULL - 5, 100, columns);
}

CT_CASE(theOldestIsDroppedAndCountedExactly)
{
    History history(kSmallest);
    constexpr CoroutineId kCoroutines = 50;
    Batch batch;
    for (CoroutineId id = 0; id <= kCoroutines; ++id)
        batch.births.push_back(birth(id));
    batch.transitions.push_back(transition(kCoroutines, 0, 1));  // an idle one
    std::uint64_t emitted = 1;
    for (std::uint64_t n = 0; n < 24'000; ++n) {
        for (CoroutineId id = 0; id < kCoroutines; ++id, ++emitted)
            batch.transitions.push_back(transition(id, n, 100 + emitted));
        if (n % 100 == 99) {
            feed(history, batch);
            batch.clear();
        }
    }
    CHECK(history.droppedEvents() > 0);
    CHECK_EQUAL(history.eventCount() + history.droppedEvents(), emitted);
    CHECK(history.bytesUsed() <= (17U << 20));
    CHECK(all(history, kCoroutines).empty());
    CHECK_EQUAL(history.firstKept(kCoroutines), 0U);
    std::uint64_t kept = 0;
    for (CoroutineId id = 0; id < kCoroutines; ++id) {
        const std::vector<HistoryEvent> events = all(history, id);
        kept += events.size();
        REQUIRE(!events.empty());
        CHECK_EQUAL(events.back().n, 23'999U);
        CHECK_EQUAL(events.front().ts, history.firstKept(id));
        for (std::size_t i = 1; i < events.size(); ++i)
            CHECK_EQUAL(events[i].n, events[i - 1].n + 1);
        // From the boundary on, nothing is missing: the event before it, or one not after it, is there.
        CHECK(history.firstKept(id) <= history.droppedBefore() + kCoroutines);
    }
    CHECK_EQUAL(kept, history.eventCount());
    // The idle one's next event begins its history anew, without a gap: nothing was lost.
    batch.clear();
    batch.transitions = {transition(kCoroutines, 1, 9'000'000)};
    feed(history, batch);
    CHECK_EQUAL(all(history, kCoroutines).size(), 1U);
}

CT_CASE(manyShortCoroutinesStayCheap)
{
    History history(std::uint64_t{1} << 30);
    constexpr CoroutineId kCoroutines = 100'000;
    Batch batch;
    for (CoroutineId id = 0; id < kCoroutines; ++id) {
        batch.births.push_back(birth(id));
        for (std::uint64_t n = 0; n < 4; ++n)
            batch.transitions.push_back(transition(id, n, id * 10 + n));
    }
    feed(history, batch);
    CHECK(history.bytesUsed() < std::uint64_t{kCoroutines} * 300);
    CHECK_EQUAL(all(history, 99'999).size(), 4U);
}

CT_CASE(readersGoOnWhileTheOldestIsDropped)
{
    History history(kSmallest);
    constexpr CoroutineId kCoroutines = 20;
    std::atomic<bool> done{false};
    std::atomic<std::uint64_t> checked{0};
    Batch batch;
    for (CoroutineId id = 0; id < kCoroutines; ++id)
        batch.births.push_back(birth(id));
    feed(history, batch);

    // What stands in an event follows from its coroutine and number.
    const auto check = [](CoroutineId id, const HistoryEvent &event) {
        const Transition expected = transition(id, event.n, 100 + event.n * 50 + id);
        CHECK(event.type != HistoryEvent::Type::Gap);
        CHECK_EQUAL(event.ts, expected.ts);
        CHECK_EQUAL(event.addr, expected.addr);
        CHECK_EQUAL(event.tid, expected.tid);
        CHECK_EQUAL(event.site, expected.site);
    };
    std::vector<std::thread> readers;
    readers.emplace_back([&] {
        std::array<HistoryEvent, 300> events;
        std::array<History::Position, kCoroutines> positions{};
        std::array<std::uint64_t, kCoroutines> next{};
        while (!done.load(std::memory_order_acquire)) {
            for (CoroutineId id = 0; id < kCoroutines; ++id) {
                const std::size_t got = history.read(id, positions[id], events);
                for (std::size_t i = 0; i < got; ++i) {
                    check(id, events[i]);
                    CHECK(events[i].n >= next[id]);
                    next[id] = events[i].n + 1;
                }
                checked.fetch_add(got, std::memory_order_relaxed);
            }
        }
    });
    readers.emplace_back([&] {
        std::vector<History::Column> columns(100);
        std::mt19937 random(5);
        while (!done.load(std::memory_order_acquire)) {
            const CoroutineId id = random() % kCoroutines;
            const std::uint64_t last = history.lastTs();
            history.columns(id, last / 2, last / 200 + 1, columns);
            for (const HistoryEvent &event : history.events(id, last / 2, last, 500))
                check(id, event);
            for (const History::Column &column : columns)
                CHECK(column.running + column.suspended < 1.01F);
        }
    });
    std::uint64_t emitted = 0;
    for (std::uint64_t n = 0; n < 54'000; ++n) {
        for (CoroutineId id = 0; id < kCoroutines; ++id, ++emitted)
            batch.transitions.push_back(transition(id, n, 100 + n * 50 + id));
        if (n % 50 == 49) {
            batch.births.clear();
            feed(history, batch);
            batch.clear();
        }
    }
    // On a busy machine the readers may not have had their turn yet.
    while (checked.load(std::memory_order_relaxed) == 0)
        std::this_thread::yield();
    done.store(true, std::memory_order_release);
    for (std::thread &reader : readers)
        reader.join();
    CHECK(history.droppedEvents() > 0);
    CHECK_EQUAL(history.eventCount() + history.droppedEvents(), emitted);
}

CT_CASE(numbersAndTimesBeyondTheirBits)
{
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0), birth(1)};
    std::uint64_t ts = 5;  // before the first slab's base could be
    std::uint64_t n = 0;
    std::mt19937_64 random(11);
    for (int i = 0; i < 3000; ++i) {
        batch.transitions.push_back(transition(0, n, ts));
        batch.transitions.push_back(transition(1, n / 2, ts + 1));
        n += i % 3 == 0 ? std::uint64_t{1} << random() % 50 : 1;
        ts += std::uint64_t{1} << random() % 50;
    }
    batch.transitions.push_back(transition(0, ~std::uint64_t{0} - 1, ~std::uint64_t{0} - 1));
    feed(history, batch);
    std::size_t i = 0;
    std::uint64_t expectedN = 0;
    history.forEach(0, [&](const HistoryEvent &event) {
        while (batch.transitions[i].coroutine != 0)
            ++i;
        const Transition &expected = batch.transitions[i];
        CHECK_EQUAL(event.ts, expected.ts);
        if (event.type == HistoryEvent::Type::Gap) {
            CHECK_EQUAL(event.n, expectedN);
            CHECK_EQUAL(event.n + event.count, expected.n);
        } else {
            CHECK_EQUAL(event.n, expected.n);
            expectedN = event.n + 1;
            ++i;
        }
        return true;
    });
    CHECK_EQUAL(i, batch.transitions.size());
}

CT_CASE(eventsWithNothingInCommon)
{
    // Every event needs a cell of its own: the slabs are full long before they have all their rows.
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0), birth(1)};
    constexpr std::uint64_t kEvents = 200'000;
    for (std::uint64_t n = 0; n < kEvents; ++n) {
        Transition event = transition(n % 2, n / 2, 1000 + n);
        event.addr = 0x1'0000'0000 + n * 24;
        event.tid = static_cast<std::uint32_t>(n % 3 == 0 ? 0xF000'0000 + n : n % 1000);  // some of them wide
        event.site = static_cast<SiteId>(n % 5 == 0 ? 0xFF00'0000 + n : n);
        batch.transitions.push_back(event);
    }
    feed(history, batch);
    CHECK_EQUAL(history.eventCount(), kEvents);
    for (const CoroutineId id : {0U, 1U}) {
        const std::vector<HistoryEvent> events = all(history, id);
        REQUIRE(events.size() == kEvents / 2);
        for (std::size_t i = 0; i < events.size(); ++i) {
            const Transition &expected = batch.transitions[2 * i + id];
            CHECK_EQUAL(events[i].addr, expected.addr);
            CHECK_EQUAL(events[i].tid, expected.tid);
            CHECK_EQUAL(events[i].site, expected.site);
            CHECK_EQUAL(events[i].n, expected.n);
        }
    }
}

CT_CASE(eventsOfUnknownCoroutinesAreLeftOut)
{
    History history(kSmallest);
    Batch batch;
    batch.transitions = {transition(0, 0, 10)};
    feed(history, batch);
    CHECK_EQUAL(history.eventCount(), 0U);
    batch.births = {birth(0)};
    batch.transitions.clear();
    for (std::uint64_t n = 0; n < 200; ++n) {
        batch.transitions.push_back(transition(0, n, 10 + n));
        batch.transitions.push_back(transition(n % 2 == 0 ? 1 : ~0U - 1, n, 10 + n));
    }
    feed(history, batch);
    CHECK_EQUAL(history.eventCount(), 200U);
    CHECK_EQUAL(all(history, 0).size(), 200U);
}

CT_CASE(moreThanAMillionCoroutines)
{
    // Their ids do not fit a row; two of them, 2^20 apart, must not be mistaken for each other.
    constexpr CoroutineId kCoroutines = (1U << 20) + 2000;
    History history(std::uint64_t{64} << 20);
    Batch batch;
    for (CoroutineId id = 0; id < kCoroutines; ++id)
        batch.births.push_back(birth(id));
    feed(history, batch);
    batch.clear();
    for (std::uint64_t n = 0; n < 100; ++n) {
        for (CoroutineId id = 0; id < 1000; ++id) {
            batch.transitions.push_back(transition(id, n, 1000 + n));
            batch.transitions.push_back(transition((1U << 20) + id, n, 500'000 + n));
        }
    }
    feed(history, batch);
    for (const CoroutineId id : {0U, 7U, 999U, 1U << 20, (1U << 20) + 7, (1U << 20) + 999}) {
        const std::vector<HistoryEvent> events = all(history, id);
        REQUIRE(events.size() == 100);
        for (std::uint64_t n = 0; n < 100; ++n) {
            CHECK_EQUAL(events[n].n, n);
            CHECK_EQUAL(events[n].ts, (id < 1000 ? 1000 : 500'000) + n);
        }
    }
    CHECK(all(history, 1500).empty());
    CHECK(all(history, (1U << 20) + 1500).empty());
}

CT_CASE(everyShortLivedCoroutineIsFound)
{
    History history(std::uint64_t{64} << 20);
    constexpr CoroutineId kCoroutines = 300'000;
    Batch batch;
    std::uint64_t emitted = 0;
    for (CoroutineId id = 0; id < kCoroutines; ++id) {
        batch.births.push_back(birth(id));
        for (std::uint64_t n = 0; n < id % 8; ++n, ++emitted)
            batch.transitions.push_back(transition(id, n, 100 + id * 10 + n));
        if (id % 1000 == 999) {
            feed(history, batch);
            batch.clear();
        }
    }
    CHECK_EQUAL(history.eventCount(), emitted);
    std::array<HistoryEvent, 256> events;
    for (CoroutineId id = 0; id < kCoroutines; ++id) {
        History::Position position;
        REQUIRE(history.read(id, position, events) == id % 8);
        for (std::uint64_t n = 0; n < id % 8; ++n)
            REQUIRE(events[n].n == n && events[n].ts == 100 + id * 10 + n);
        REQUIRE(history.read(id, position, events) == 0);
    }
}

CT_CASE(whatIsTooOldIsDropped)
{
    constexpr std::uint64_t kKeep = 1'000'000;
    History history(std::uint64_t{256} << 20, kKeep);
    Batch batch;
    batch.births = {birth(0), birth(1)};
    batch.transitions = {transition(1, 0, 1)};
    std::uint64_t n = 0;
    for (int pass = 0; pass < 500; ++pass) {
        for (int i = 0; i < 20; ++i, ++n)
            batch.transitions.push_back(transition(0, n, n * 1000));
        batch.now = n * 1000;
        feed(history, batch);
        batch.clear();
        // Not a bit less is kept than was asked for, and not much more.
        const std::uint64_t kept = n * 1000 - history.firstKept(0);
        CHECK(kept >= std::min(kKeep, n * 1000 - 1000));
        CHECK(kept <= kKeep + kKeep / 4);
        CHECK(history.droppedBefore() == 0 || history.droppedBefore() + kKeep <= n * 1000 + 1);
    }
    CHECK_EQUAL(history.eventCount() + history.droppedEvents(), n + 1);
    CHECK_EQUAL(history.firstKept(1), 0U);
    CHECK(history.bytesUsed() <= 16U << 20);
    CHECK_EQUAL(all(history, 0).front().n + all(history, 0).size(), n);  // no gap in front
}

CT_CASE(sumsOfBlocksAgreeWithSingleEvents)
{
    // Three coroutines over several slabs: the first query makes the sums, the second one uses them.
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0), birth(1), birth(2)};
    std::mt19937 random(17);
    std::uint64_t ts = 1000;
    std::array<std::uint64_t, 3> n{};
    for (int i = 0; i < 300'000; ++i) {
        const CoroutineId id = random() % 3;
        Transition event = transition(id, n[id]++, ts += random() % 30);
        event.kind = random() % 50 == 0 ? PointKind::Final : PointKind::Await;
        event.site = event.active ? kUnknownSite : 1 + random() % 9;
        n[id] += random() % 5000 == 0 ? 3 : 0;
        batch.transitions.push_back(event);
    }
    batch.now = ts;
    feed(history, batch);
    for (const std::size_t count : {1U, 7U, 64U, 500U}) {
        const std::uint64_t step = (ts - 900) / count + 1;
        for (CoroutineId id = 0; id < 3; ++id) {
            std::vector<History::Column> first(count);
            std::vector<History::Column> second(count);
            history.columns(id, 900, step, first);
            history.columns(id, 900, step, second);
            std::vector<std::uint32_t> transitions(count);
            std::vector<SiteId> sites(count, kUnknownSite);
            std::vector<double> running(count);
            std::vector<HistoryEvent> events = all(history, id);
            for (std::size_t i = 0; i < events.size(); ++i) {
                const std::size_t at = (events[i].ts - 900) / step;
                if (events[i].type == HistoryEvent::Type::Gap)
                    continue;
                ++transitions[at];
                if (events[i].type == HistoryEvent::Type::Suspend)
                    sites[at] = events[i].site;
                const bool known = i + 1 == events.size() || events[i + 1].type != HistoryEvent::Type::Gap;
                const std::uint64_t end = i + 1 < events.size() ? events[i + 1].ts : ts;
                for (std::size_t column = at; events[i].type == HistoryEvent::Type::Resume && known; ++column) {
                    const std::uint64_t begin = std::max(events[i].ts, 900 + column * step);
                    if (begin >= end)
                        break;
                    running[column] += static_cast<double>(std::min(end, 900 + (column + 1) * step) - begin);
                }
            }
            for (std::size_t i = 0; i < count; ++i) {
                for (const History::Column &column : {first[i], second[i]}) {
                    CHECK_EQUAL(column.transitions, transitions[i]);
                    CHECK(std::abs(column.running - running[i] / static_cast<double>(step)) < 0.01);
                    CHECK(sites[i] == kUnknownSite || column.site == sites[i]);
                }
                CHECK_EQUAL(first[i].gap, second[i].gap);
                CHECK(std::abs(first[i].suspended - second[i].suspended) < 0.01F);
            }
        }
    }
}

CT_CASE(manyReadersBuildTheIndexes)
{
    // Several readers want the index of every slab at once, while the writer fills and drops them.
    History history(kSmallest);
    constexpr CoroutineId kCoroutines = 3000;
    Batch batch;
    for (CoroutineId id = 0; id < kCoroutines; ++id)
        batch.births.push_back(birth(id));
    feed(history, batch);
    batch.clear();
    std::atomic<bool> done{false};
    std::atomic<std::uint64_t> checked{0};
    const auto tsOf = [](CoroutineId id, std::uint64_t n) { return 1000 + n * 3000 + id; };
    std::vector<std::thread> readers;
    for (unsigned seed = 0; seed < 3; ++seed) {
        readers.emplace_back([&, seed] {
            std::mt19937 random(seed);
            std::array<HistoryEvent, 64> events;
            std::vector<History::Column> columns(10);
            while (!done.load(std::memory_order_acquire)) {
                const CoroutineId id = random() % kCoroutines;
                const std::uint64_t last = history.lastTs();
                History::Position position;
                std::uint64_t next = 0;
                while (const std::size_t count = history.read(id, position, events)) {
                    for (std::size_t i = 0; i < count; ++i) {
                        CHECK(events[i].type != HistoryEvent::Type::Gap);
                        CHECK_EQUAL(events[i].ts, tsOf(id, events[i].n));
                        CHECK_EQUAL(events[i].addr, events[i].n % 2 != 0 ? 0 : 0x1000 + id);
                        CHECK(events[i].n >= next);
                        next = events[i].n + 1;
                    }
                    checked.fetch_add(count, std::memory_order_relaxed);
                }
                history.columns(id, 0, last / 10 + 1, columns);
                for (const History::Column &column : columns)
                    CHECK(!column.gap && column.running + column.suspended < 1.01F);
                for (const HistoryEvent &event : history.events(id, last / 2, last, 50))
                    CHECK_EQUAL(event.ts, tsOf(id, event.n));
            }
        });
    }
    std::uint64_t emitted = 0;
    for (std::uint64_t n = 0; n < 500; ++n) {
        for (CoroutineId id = 0; id < kCoroutines; ++id, ++emitted)
            batch.transitions.push_back(transition(id, n, tsOf(id, n)));
        feed(history, batch);
        batch.clear();
    }
    while (checked.load(std::memory_order_relaxed) == 0)
        std::this_thread::yield();
    done.store(true, std::memory_order_release);
    for (std::thread &reader : readers)
        reader.join();
    CHECK(history.droppedEvents() > 0);
    CHECK_EQUAL(history.eventCount() + history.droppedEvents(), emitted);
}
