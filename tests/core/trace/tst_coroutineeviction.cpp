// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A trace with limits retains the latest ended coroutines and all living ones. Its sums are exact.
#include "core/trace/history.h"
#include "core/trace/pagedvector.h"
#include "core/trace/population.h"
#include "tests/core/trace/historytest.h"

#include <atomic>
#include <functional>
#include <set>
#include <thread>

using namespace ct;
using test::birth;
using test::transition;

namespace {

constexpr CoroutineId kAtOnce = 1000;
constexpr std::uint32_t kEach = 3;  ///< events per coroutine
constexpr RecordLimits kSmall{4096, 16'384};

bool livesOn(CoroutineId id)
{
    return id % 500 == 7;
}

/// Coroutines [first, first + count): born with names and wakes. All but a few of them die.
Batch turn(CoroutineId first, CoroutineId count, const std::function<bool(CoroutineId)> &staysAlive)
{
    Batch batch;
    batch.now = 1000 + first;
    for (CoroutineId id = first; id < first + count; ++id) {
        batch.births.push_back(birth(id));
        batch.births.back().birthTs = id + 1;
        for (std::uint64_t n = 0; n < kEach; ++n)
            batch.transitions.push_back(transition(id, n, batch.now + n));
        batch.losses.push_back({id, kEach, 2, false});
        batch.losses.push_back({id, kEach + 2, 1, true});
        batch.notes.wakes.push_back({id, kNoCoroutine, kEach, batch.now, 1, 1});
        if (id % 10 == 0 && id > 0)
            batch.notes.parents.push_back({id, id - 1});
        if (!staysAlive(id))
            batch.deaths.push_back({id, batch.now + 10});
    }
    return batch;
}

struct Trace {
    explicit Trace(const RecordLimits &limits)
        : population(Population::kMostCoroutines, limits), history(16U << 20, 0, History::kMostCoroutines, 0, limits)
    {
    }
    void run(CoroutineId count, const std::function<bool(CoroutineId)> &staysAlive)
    {
        for (CoroutineId end = born + count; born < end; born += kAtOnce)
            feed(turn(born, kAtOnce, staysAlive));
    }
    void feed(const Batch &batch)
    {
        CHECK(static_cast<bool>(population.consume(batch)));
        CHECK(static_cast<bool>(history.consume(batch)));
    }
    /// The sums of the retained coroutines and of the rest add up to the total.
    void checkSums() const
    {
        Overflow sum = population.overflow();
        std::uint64_t kept = 0;
        for (CoroutineId id = 0; id < population.size(); ++id) {
            const CoroutineSnapshot one = population.at(id);
            CHECK_EQUAL(one.id, id);
            sum.events += one.events;
            sum.lost += one.lost;
            sum.missed += one.missed;
            kept += one.kept ? 1 : 0;
        }
        CHECK_EQUAL(population.size(), born);
        CHECK_EQUAL(kept + population.overflow().coroutines, born);
        CHECK_EQUAL(sum.events, population.captured());
        CHECK_EQUAL(sum.lost, population.lost());
        CHECK_EQUAL(sum.missed, std::uint64_t{born});
        CHECK_EQUAL(history.overflow().coroutines, population.overflow().coroutines);
    }

    CoroutineId born = 0;
    Population population;
    History history;
};

}  // namespace

CT_CASE(keepsTheLatestEndedCoroutines)
{
    Trace trace(kSmall);
    trace.run(400'000, [](CoroutineId) { return false; });
    trace.checkSums();
    CHECK_EQUAL(trace.population.alive(), 0U);
    const Overflow overflow = trace.population.overflow();
    CHECK_EQUAL(overflow.ended, overflow.coroutines);
    CHECK(overflow.coroutines >= 400'000 - kSmall.dead);
    CHECK(overflow.coroutines <= 400'000 - kSmall.dead / 2);
    CHECK(!trace.population.at(0).kept);
    CHECK(trace.population.at(0).state == CoroutineState::Destroyed && trace.population.at(0).deathTs != 0);
    const CoroutineSnapshot last = trace.population.at(399'999);
    CHECK(last.kept);
    CHECK_EQUAL(last.events, std::uint64_t{kEach});
    CHECK_EQUAL(trace.population.notes(399'999).wakes, 1U);
    CHECK_EQUAL(trace.population.notes(0).wakes, 0U);
}

CT_CASE(memoryFollowsTheLimit)
{
    if (test::kThreadSanitizer)
        CHECK_SKIP("it would take minutes, and there is one thread");
    Trace trace(kSmall);
    trace.run(50'000, [](CoroutineId) { return false; });
    const std::uint64_t population = trace.population.bytesUsed();
    const std::uint64_t history = trace.history.bytesUsed();
    trace.run(1'000'000, [](CoroutineId) { return false; });
    // A page of 64 leaves only a few words.
    CHECK(trace.population.bytesUsed() < population + 1'000'000 / 64 * 40);
    CHECK(trace.history.bytesUsed() < history + (32U << 20));
    CHECK(trace.population.bytesUsed() < 4U << 20);
    Trace all({});
    all.run(50'000, [](CoroutineId) { return false; });
    CHECK(all.population.bytesUsed() > 50'000 * 128);
    CHECK_EQUAL(all.population.overflow().coroutines, 0U);
}

CT_CASE(livingCoroutinesAreNeverEvicted)
{
    Trace trace(kSmall);
    trace.run(20'000, &livesOn);
    trace.run(200'000, [](CoroutineId) { return false; });
    trace.checkSums();
    for (CoroutineId id = 0; id < 20'000; ++id) {
        const CoroutineSnapshot one = trace.population.at(id);
        CHECK_EQUAL(one.kept && one.deathTs == 0, livesOn(id));
        if (livesOn(id)) {
            CHECK_EQUAL(one.events, std::uint64_t{kEach});
            CHECK_EQUAL(trace.population.notes(id).wakes, 1U);
        }
    }
    CHECK_EQUAL(trace.population.alive(), 40U);
    // It continues as if nothing around it had been evicted.
    Batch more;
    more.now = 900'000;
    more.transitions = {transition(7, 6, 800'000), transition(7, 7, 800'010)};
    trace.feed(more);
    CHECK_EQUAL(trace.population.at(7).events, std::uint64_t{kEach} + 2);
    more = {};
    more.deaths = {{7, 900'001}};
    trace.feed(more);
    CHECK_EQUAL(trace.population.alive(), 39U);
    trace.checkSums();
}

CT_CASE(rowsOfEvictedCoroutinesAreOnlyCounted)
{
    Trace trace(kSmall);
    trace.run(100'000, [](CoroutineId) { return false; });
    const std::uint64_t bytes = trace.population.bytesUsed();
    const Overflow before = trace.population.overflow();
    Batch late;
    late.now = 200'000;
    for (CoroutineId id = 0; id < 50'000; id += 3) {
        late.transitions.push_back(transition(id, 3, 200'000));
        late.losses.push_back({id, 4, 5, false});
        late.deaths.push_back({id, 200'000});
        late.flags.push_back({id, Flag::Reason::TwoWriters});
        late.notes.names.push_back({id, "late"});
        late.notes.parents.push_back({99'999, id});
        late.notes.waits.push_back({id, 3, WaitKind::Lock, 1, id + 1});
        late.notes.wakes.push_back({99'999, id, 3, 200'000, 1, 1});
    }
    const std::uint64_t count = late.transitions.size();
    trace.feed(late);
    const Overflow after = trace.population.overflow();
    CHECK_EQUAL(after.events, before.events + count);
    CHECK_EQUAL(after.lost, before.lost + 5 * count);
    CHECK_EQUAL(after.coroutines, before.coroutines);
    CHECK_EQUAL(trace.population.bytesUsed(), bytes);
    CHECK_EQUAL(trace.population.alive(), 0U);
    CHECK(!trace.population.at(3).kept);
    CHECK_EQUAL(trace.population.parentOf(99'999), kNoCoroutine);
    History::Position position;
    std::array<HistoryEvent, 8> events;
    CHECK_EQUAL(trace.history.read(3, position, events), 0U);
    trace.checkSums();
}

CT_CASE(livingCoroutinesBeyondTheLimitAreCounted)
{
    Trace trace(kSmall);
    trace.run(100'000, [](CoroutineId) { return true; });
    trace.checkSums();
    const Overflow overflow = trace.population.overflow();
    CHECK_EQUAL(overflow.ended, 0U);
    CHECK_EQUAL(overflow.coroutines, 100'000U - kSmall.living);
    CHECK(trace.population.at(0).kept && trace.population.at(kSmall.living - 1).kept);
    CHECK(!trace.population.at(kSmall.living).kept);
    CHECK(trace.population.bytesUsed() < 6U << 20);
    // Once some have ended, there is room for new ones again.
    Batch ends;
    ends.now = 300'000;
    for (CoroutineId id = 0; id < 10'000; ++id)
        ends.deaths.push_back({id, 300'000});
    trace.feed(ends);
    trace.run(5'000, [](CoroutineId) { return true; });
    trace.checkSums();
    CHECK(trace.population.at(104'999).kept);
    CHECK_EQUAL(trace.population.at(104'999).events, std::uint64_t{kEach});
}

CT_CASE(readersSeeWholeRecordsOrNone)
{
    Population population(Population::kMostCoroutines, kSmall);
    std::atomic<bool> ends{false};
    std::atomic<int> wrong{0};
    std::thread reader([&] {
        while (!ends.load(std::memory_order_relaxed)) {
            const CoroutineId size = population.size();
            for (CoroutineId id = size - std::min<CoroutineId>(size, 8192); id < size; ++id) {
                const CoroutineSnapshot one = population.at(id);
                // A visible coroutine has its birth from the start.
                wrong += one.kept ? one.birthTs != id + 1 : one.state != CoroutineState::Destroyed;
            }
        }
    });
    constexpr CoroutineId kBirths = test::kThreadSanitizer ? 40'000 : 600'000;
    for (CoroutineId born = 0; born < kBirths; born += kAtOnce)
        CHECK(static_cast<bool>(population.consume(turn(born, kAtOnce, [](CoroutineId) { return false; }))));
    ends.store(true, std::memory_order_relaxed);
    reader.join();
    CHECK_EQUAL(wrong.load(), 0);
}

CT_CASE(pagedVectorsKeepTheirValues)
{
    PagedVector<int> values(-1);
    values.resize(1000);
    CHECK_EQUAL(values[999], -1);
    values.make(130) = 5;
    CHECK_EQUAL(values[130], 5);
    CHECK_EQUAL(values[131], -1);
    values.assign(10);
    CHECK_EQUAL(values.size(), 10U);
    CHECK_EQUAL(values[9], -1);
}
