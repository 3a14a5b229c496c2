// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// History returns exactly the events that it consumed.
#include "tests/core/trace/historytest.h"

#include <array>
#include <random>

using namespace ct;
using namespace ct::test;

CT_CASE(computesTheSlotSeqOfBothDialects)
{
    CHECK_EQUAL(slotSeq(Dialect::Seqlock, 0), 2U);
    CHECK_EQUAL(slotSeq(Dialect::Seqlock, 7), 2U);
    CHECK_EQUAL(slotSeq(Dialect::Seqlock, 8), 4U);
    CHECK_EQUAL(slotSeq(Dialect::Monotonic, 9), 9U);
}

namespace {

void checkEvents(const std::vector<HistoryEvent> &events, const Transitions &expected)
{
    REQUIRE(events.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK_EQUAL(events[i].n, expected[i].n);
        CHECK_EQUAL(events[i].ts, expected[i].ts);
        CHECK_EQUAL(events[i].addr, expected[i].addr);
        CHECK_EQUAL(events[i].tid, expected[i].tid);
        CHECK_EQUAL(events[i].site, expected[i].site);
        CHECK(events[i].kind == expected[i].kind);
        CHECK((events[i].type == HistoryEvent::Type::Resume) == expected[i].active);
    }
}

}  // namespace

CT_CASE(everyFieldRoundTrips)
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
    checkEvents(all(history, 0), batch.transitions);
    CHECK_EQUAL(history.eventCount(), kEvents);
    CHECK_EQUAL(history.evictedEvents(), 0U);
    CHECK_EQUAL(history.evictedBefore(), 0U);
    CHECK_EQUAL(history.firstKept(0), 1'000'000U);
    CHECK(all(history, 1).empty());
}

/// Pairs as of a single busy thread: a resumption, then at once a suspension. Some pairs are unusual.
CT_CASE(everyFieldOfPairsRoundTrips)
{
    constexpr std::uint64_t kPairs = 20'000;
    constexpr CoroutineId kCoroutines = 3;
    History history(kSmallest);
    std::mt19937_64 random(11);
    std::array<Transitions, kCoroutines> expected;
    std::array<std::uint64_t, kCoroutines> next{};
    Batch batch;
    for (CoroutineId id = 0; id < kCoroutines; ++id)
        batch.births.push_back(birth(id));
    for (std::uint64_t pair = 0; pair < kPairs; ++pair) {
        const auto id = static_cast<CoroutineId>(random() % kCoroutines);
        if (pair % 5'000 == 3'000)
            next[id] += std::uint64_t{1} << 30;  // more than the bits of a row can represent
        for (const bool active : {true, false}) {
            Transition event = transition(id, next[id]++, 1'000'000 + pair * 20 + (active ? 0 : 9));
            event.active = active;
            event.tid = 40 + static_cast<std::uint32_t>(pair / 1'000);
            event.kind = static_cast<PointKind>(random() % 50 == 0 ? 3 : 0);
            event.site = active ? kUnknownSite : static_cast<SiteId>(5 + random() % 3);
            event.addr = active ? 0 : random() % 10 == 0 ? random() % 4 : 0x1000 + id;
            if (random() % 1'000 == 0)
                event.ts = random();
            batch.transitions.push_back(event);
            expected[id].push_back(event);
        }
        if (pair % 700 == 699) {
            feed(history, batch);
            batch.clear();
        }
    }
    feed(history, batch);
    for (CoroutineId id = 0; id < kCoroutines; ++id) {
        std::vector<HistoryEvent> events = all(history, id);
        std::erase_if(events, [](const HistoryEvent &event) { return event.type == HistoryEvent::Type::Gap; });
        checkEvents(events, expected[id]);
    }
}

CT_CASE(storesMoreThreadsThanTheTableHolds)
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

CT_CASE(missingNumbersBecomeGaps)
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
    CHECK_EQUAL(all(history, 1).size(), 1U);  // monotonic numbers start at 1
    CHECK_EQUAL(all(history, 2).size(), 1U);
    CHECK_EQUAL(history.eventCount(), 5U);  // gaps are not events
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
    // Together with the event that the jump implies, it has become one gap ...
    const std::vector<HistoryEvent> events = all(history, 0);
    REQUIRE(events.size() == 3);
    CHECK(events[1].type == HistoryEvent::Type::Gap);
    CHECK_EQUAL(events[1].ts, 300U);
    CHECK_EQUAL(events[1].n, 1U);
    CHECK_EQUAL(events[1].count, 3U);
    CHECK_EQUAL(events[2].n, 4U);
    // ... except for a reader that has already read the first part.
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

CT_CASE(storesDecreasingNumbers)
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

CT_CASE(readsTheEventsOfATimeRange)
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

CT_CASE(readingContinuesAtItsPosition)
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

CT_CASE(storesNumbersAndTimesBeyondTheirBits)
{
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0), birth(1)};
    std::uint64_t ts = 5;  // before the first possible base of the first slab
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

CT_CASE(storesEventsThatShareNoCell)
{
    // Every event needs its own cell: the slabs are full long before all their rows are used.
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0), birth(1)};
    constexpr std::uint64_t kEvents = 70'000;
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

CT_CASE(distinguishesMoreThanAMillionCoroutines)
{
    // The ids do not fit into a row. Two ids that differ by 2^20 must not be confused.
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
