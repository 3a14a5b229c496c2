// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One writer and many readers of a History.
#include "core/trace/historydata.h"
#include "tests/core/trace/historytest.h"
#include "tests/support/concurrently.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <thread>

using namespace ct;
using namespace ct::test;

namespace {

/// A small history whose coroutines are written while other threads read.
struct Storm {
    using TsOf = std::uint64_t (*)(CoroutineId id, std::uint64_t n);

    Storm(CoroutineId number, TsOf ts) : coroutines(number), tsOf(ts)
    {
        Batch batch;
        for (CoroutineId id = 0; id < coroutines; ++id)
            batch.births.push_back(birth(id));
        feed(history, batch);
    }
    /// Writes events 0 to `count` - 1 of each coroutine, in batches of `atOnce` numbers. Waits until the readers have
    /// checked some.
    void write(std::uint64_t count, std::uint64_t atOnce)
    {
        Batch batch;
        for (std::uint64_t n = 0; n < count; ++n) {
            for (CoroutineId id = 0; id < coroutines; ++id)
                batch.transitions.push_back(transition(id, n, tsOf(id, n)));
            if ((n + 1) % atOnce == 0) {
                feed(history, batch);
                batch.clear();
            }
        }
        // On a busy machine, the readers may not have run yet.
        while (checked.load(std::memory_order_relaxed) == 0)
            std::this_thread::yield();
        CHECK(history.evictedEvents() > 0);
        CHECK_EQUAL(history.eventCount() + history.evictedEvents(), count * coroutines);
    }
    /// Every field of an event must follow from its coroutine and number.
    void checkEvent(CoroutineId id, const HistoryEvent &event) const
    {
        if (event.type == HistoryEvent::Type::Absent)
            return;  // evicted while we read, and reported as such
        const Transition expected = transition(id, event.n, tsOf(id, event.n));
        CHECK(event.type != HistoryEvent::Type::Gap);
        CHECK_EQUAL(event.ts, expected.ts);
        CHECK_EQUAL(event.addr, expected.addr);
        CHECK_EQUAL(event.tid, expected.tid);
        CHECK_EQUAL(event.site, expected.site);
    }
    /// Reads the next events behind `position`; none may come before `next`. Returns their number.
    std::size_t readOn(CoroutineId id, History::Position &position, std::uint64_t &next)
    {
        std::array<HistoryEvent, 300> events;
        const std::size_t count = history.read(id, position, events);
        for (std::size_t i = 0; i < count; ++i) {
            checkEvent(id, events[i]);
            CHECK(events[i].n >= next);
            next = events[i].n + 1;
        }
        checked.fetch_add(count, std::memory_order_relaxed);
        return count;
    }
    /// Reads the time from `from` on, as `count` columns and as at most `most` events.
    void readRange(CoroutineId id, std::uint64_t from, std::size_t count, std::size_t most)
    {
        const std::uint64_t last = history.lastTs();
        std::vector<History::Column> columns(count);
        history.columns(id, from, (last - std::min(from, last)) / count + 1, columns);
        for (const History::Column &column : columns)
            CHECK(!column.gap && column.running + column.suspended < 1.01F);
        for (const HistoryEvent &event : history.events(id, last / 2, last, most))
            checkEvent(id, event);
    }

    const CoroutineId coroutines;
    const TsOf tsOf;
    History history{kSmallest};
    std::atomic<std::uint64_t> checked{0};
};

}  // namespace

CT_CASE(readersContinueDuringEviction)
{
    Storm storm(20, [](CoroutineId id, std::uint64_t n) { return 100 + n * 50 + id; });
    std::vector<History::Position> positions(storm.coroutines);
    std::vector<std::uint64_t> next(storm.coroutines);
    const auto goOn = [&] {
        for (CoroutineId id = 0; id < storm.coroutines; ++id)
            storm.readOn(id, positions[id], next[id]);
    };
    const auto readTheLatest = [&, random = std::mt19937(5)]() mutable {
        storm.readRange(random() % storm.coroutines, storm.history.lastTs() / 2, 100, 500);
    };
    runConcurrently({goOn, readTheLatest}, [&] { storm.write(20'000, 50); });
}

CT_CASE(manyReadersBuildTheIndexes)
{
    // Several readers request the index of every slab at once, while the writer fills and evicts slabs.
    Storm storm(3000, [](CoroutineId id, std::uint64_t n) { return 1000 + n * 3000 + id; });
    const auto readAny = [&](std::mt19937 &random) {
        const CoroutineId id = random() % storm.coroutines;
        History::Position position;
        std::uint64_t next = 0;
        while (storm.readOn(id, position, next) != 0) {
        }
        storm.readRange(id, 0, 10, 50);
    };
    const auto write = [&storm] { storm.write(500, 1); };
    readConcurrently(readAny, write, 3);
}

CT_CASE(readsWithAnIndexNewerThanItsView)
{
    // A reader has read a slab. Before it continues, more rows arrive and another thread renews the index.
    History::Data data(kSmallest, 0, History::kMostCoroutines, 0);
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
    data.index.prepare(after, data.isBusy());

    std::vector<HistoryEvent> events(30'000);
    std::vector<std::uint32_t> rows(events.size());
    history::Copied copied;
    REQUIRE(history::copyEvents(data, before, 0, 10, events, rows, copied));
    // However many events it read, it continues behind them.
    REQUIRE(copied.count >= 290);
    CHECK_EQUAL(events[copied.count - 1].n + 1, std::uint64_t{copied.nextRow});
}
