// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One writer, many readers.
#include "core/trace/historydata.h"
#include "tests/unit/historytest.h"

#include <array>
#include <atomic>
#include <random>
#include <thread>

using namespace ct;
using namespace ct::test;

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

CT_CASE(anIndexThatKnowsMoreThanTheView)
{
    // A reader looks at a slab; before it goes on, more rows come and somebody else renews the index.
    History::Data data(kSmallest, 0);
    data.addBirth(birth(0));
    auto append = [&, n = std::uint64_t{0}](std::uint64_t count) mutable {
        std::vector<Transition> events;
        for (; events.size() < count; ++n)
            events.push_back(transition(0, n, 100 + n));
        data.log.append(events, data.coroutines);
    };
    append(300);
    history::SlabView before;
    REQUIRE(data.log.view(1, before));
    append(20'000);
    history::SlabView after;
    REQUIRE(data.log.view(1, after));
    data.index.prepare(data.log, after, data.isBusy());

    std::vector<HistoryEvent> events(30'000);
    std::vector<std::uint32_t> rows(events.size());
    history::Copied copied;
    REQUIRE(data.copyEvents(before, 0, 10, events, rows, copied));
    // However many it got, it goes on behind them.
    REQUIRE(copied.count >= 290);
    CHECK_EQUAL(events[copied.count - 1].n + 1, std::uint64_t{copied.nextRow});
}
