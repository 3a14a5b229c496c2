// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures the trace in memory: appending per event, its memory, and its queries with 64 million events. The floor of
// appending is a copy of 16 bytes per event.
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <random>

using namespace ct;

namespace {

constexpr std::size_t kBatch = 8192;  ///< transitions; the batch size of the lane harvest
constexpr std::uint64_t kBudget = 256U << 20;

/// Events of a scheduler that resumes and suspends coroutines in random order, at one of a few sites.
class Storm {
public:
    /// On four threads, events of other coroutines lie between a resumption and the next suspension. On one thread, the
    /// suspension follows at once.
    explicit Storm(std::uint32_t coroutines, bool oneThread = false) : m_next(coroutines), m_oneThread(oneThread)
    {
        m_batch.transitions.resize(kBatch);
        for (CoroutineId id = 0; id < coroutines; ++id) {
            Birth birth;
            birth.coroutine = id;
            birth.dialect = Dialect::Lane;
            m_births.births.push_back(birth);
        }
        for (SiteId id = 1; id <= kSites; ++id)
            m_births.sites.push_back({id, id, 1, "file.cpp", "function"});
    }

    const Batch &births() const { return m_births; }
    const Batch &next()
    {
        for (Transition &event : m_batch.transitions) {
            const bool continues = m_oneThread && m_next[m_latest] % 2 == 0 && m_next[m_latest] != 0;
            const auto id = continues ? m_latest : static_cast<CoroutineId>(m_random() % m_next.size());
            m_latest = id;
            event.ts = m_ts += 40;
            event.n = m_next[id]++;
            event.seq = slotSeq(Dialect::Lane, event.n);
            event.coroutine = id;
            event.active = event.n % 2 != 0;
            event.addr = 0x7F00'0000'0000 + std::uint64_t{id} * 256;
            event.site = event.active ? kUnknownSite : 1 + id % kSites;
            event.tid = 1000 + (m_oneThread ? 0 : static_cast<std::uint32_t>(m_random() % 4));
        }
        m_batch.now = m_ts;
        return m_batch;
    }
    std::uint64_t now() const { return m_ts; }

private:
    static constexpr SiteId kSites = 20;
    std::mt19937 m_random{1};
    std::vector<std::uint64_t> m_next;
    bool m_oneThread;
    CoroutineId m_latest = 0;
    std::uint64_t m_ts = 1'000'000'000;
    Batch m_births;
    Batch m_batch;
};

/// Measures only `consumeBatch`, because making the batch costs more.
template <class Consume>
void timeBatches(benchmark::State &state, Storm &storm, Consume &&consumeBatch)
{
    using Clock = std::chrono::steady_clock;
    for ([[maybe_unused]] auto _ : state) {
        const Batch &batch = storm.next();
        const auto begin = Clock::now();
        consumeBatch(batch);
        state.SetIterationTime(std::chrono::duration<double>(Clock::now() - begin).count());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kBatch));
    state.counters["perEvent"] = benchmark::Counter(static_cast<double>(state.iterations() * kBatch),
                                                    benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void floorOf16Bytes(benchmark::State &state)
{
    Storm storm(static_cast<std::uint32_t>(state.range(0)));
    std::vector<char> ring(kBudget);
    std::size_t at = 0;
    timeBatches(state, storm, [&](const Batch &batch) {
        for (const Transition &event : batch.transitions) {
            std::memcpy(ring.data() + at, &event, 16);
            at = (at + 16) % kBudget;
        }
        benchmark::ClobberMemory();
    });
}

/// Without `grows`, the budget is used up and memory is reused. With `grows`, memory comes from the system.
void appendToHistory(benchmark::State &state, bool grows, bool oneThread = false)
{
    Storm storm(static_cast<std::uint32_t>(state.range(0)), oneThread);
    History history(grows ? std::uint64_t{16} << 30 : kBudget);
    (void)history.consume(storm.births());
    const auto empty = static_cast<double>(history.bytesUsed());
    while (!grows && history.evictedEvents() == 0)
        (void)history.consume(storm.next());
    timeBatches(state, storm, [&](const Batch &batch) { (void)history.consume(batch); });
    const auto events = static_cast<double>(std::max<std::uint64_t>(history.eventCount(), 1));
    state.counters["bytes/event"] = (static_cast<double>(history.bytesUsed()) - empty) / events;
    state.counters["bytes/coroutine"] = empty / static_cast<double>(state.range(0));
}

void historyAppend(benchmark::State &state)
{
    appendToHistory(state, false);
}
void historyAppendOneThread(benchmark::State &state)
{
    appendToHistory(state, false, true);
}
void historyGrow(benchmark::State &state)
{
    appendToHistory(state, true);
}

void appendToPopulation(benchmark::State &state, bool oneThread)
{
    Storm storm(static_cast<std::uint32_t>(state.range(0)), oneThread);
    Population population;
    (void)population.consume(storm.births());
    timeBatches(state, storm, [&](const Batch &batch) { (void)population.consume(batch); });
}

void populationAppend(benchmark::State &state)
{
    appendToPopulation(state, false);
}
void populationAppendOneThread(benchmark::State &state)
{
    appendToPopulation(state, true);
}

void coroutineCounts(benchmark::internal::Benchmark *bench)
{
    bench->Arg(10)->Arg(1000)->Arg(100'000)->Arg(1'000'000)->UseManualTime()->Unit(benchmark::kMicrosecond);
}
BENCHMARK(floorOf16Bytes)->Apply(coroutineCounts);
BENCHMARK(historyAppend)->Apply(coroutineCounts);
BENCHMARK(historyGrow)->Apply(coroutineCounts);
BENCHMARK(populationAppend)->Apply(coroutineCounts);
BENCHMARK(historyAppendOneThread)->Apply(coroutineCounts);
BENCHMARK(populationAppendOneThread)->Apply(coroutineCounts);

// ---- Queries

struct Full {
    std::unique_ptr<History> history;
    std::uint32_t coroutines = 0;
    std::uint64_t now = 0;
    CoroutineId next = 0;
};

/// Returns a cached history if possible, because filling one takes seconds.
Full &fullHistory(std::uint32_t coroutines, bool fresh = false)
{
    constexpr std::uint64_t kEvents = 64'000'000;
    static Full full;
    if (full.coroutines == coroutines && !fresh)
        return full;
    full = Full();
    full.coroutines = coroutines;
    full.history = std::make_unique<History>(std::uint64_t{4} << 30);
    Storm storm(coroutines);
    (void)full.history->consume(storm.births());
    for (std::uint64_t i = 0; i < kEvents; i += kBatch)
        (void)full.history->consume(storm.next());
    full.now = storm.now();
    return full;
}

/// Measures the one-time cost of opening the full view: building the indexes of all slabs.
void firstColumns(benchmark::State &state)
{
    Full &full = fullHistory(static_cast<std::uint32_t>(state.range(0)), true);
    std::vector<History::Column> columns(1000);
    for ([[maybe_unused]] auto _ : state)
        full.history->columns(0, 1'000'000'000, (full.now - 1'000'000'000) / 1000 + 1, columns);
}

/// Measures one row of the timeline, 1000 columns wide, over the last `share` of the history.
void columnsOf(benchmark::State &state, double share)
{
    Full &full = fullHistory(static_cast<std::uint32_t>(state.range(0)));
    std::vector<History::Column> columns(1000);
    const auto span = static_cast<std::uint64_t>(static_cast<double>(full.now - 1'000'000'000) * share);
    for (int warm = 0; warm < 100; ++warm)
        full.history->columns(static_cast<CoroutineId>(warm) % full.coroutines, full.now - span, span / 1000 + 1,
                              columns);
    for ([[maybe_unused]] auto _ : state) {
        full.next = (full.next + 1) % std::min<CoroutineId>(full.coroutines, 100);
        full.history->columns(full.next, full.now - span, span / 1000 + 1, columns);
    }
}
void columnsOfAll(benchmark::State &state)
{
    columnsOf(state, 1);
}
void columnsOfAHundredth(benchmark::State &state)
{
    columnsOf(state, 0.01);
}

void latestEvent(benchmark::State &state)
{
    Full &full = fullHistory(static_cast<std::uint32_t>(state.range(0)));
    for ([[maybe_unused]] auto _ : state) {
        full.next = (full.next + 7919) % full.coroutines;
        benchmark::DoNotOptimize(full.history->events(full.next, full.now + 1, full.now + 2, 1));
    }
}

void readAll(benchmark::State &state)
{
    Full &full = fullHistory(static_cast<std::uint32_t>(state.range(0)));
    const std::uint32_t some = std::min<std::uint32_t>(full.coroutines, 1000);
    std::array<HistoryEvent, 256> events;
    std::uint64_t read = 0;
    for ([[maybe_unused]] auto _ : state) {
        for (CoroutineId id = 0; id < some; ++id) {
            History::Position position;
            while (const std::size_t count = full.history->read(id, position, events))
                read += count;
        }
    }
    state.counters["perEvent"] =
        benchmark::Counter(static_cast<double>(read), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void queryCounts(benchmark::internal::Benchmark *bench)
{
    bench->Unit(benchmark::kMicrosecond);
}
void addQueries(std::uint32_t coroutines)
{
    const auto add = [coroutines](const char *name, void (*run)(benchmark::State &)) {
        queryCounts(benchmark::RegisterBenchmark(name, run)->Arg(coroutines));
    };
    benchmark::RegisterBenchmark("firstColumns", firstColumns)
        ->Arg(coroutines)
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
    add("columnsOfAll", columnsOfAll);
    add("columnsOfAHundredth", columnsOfAHundredth);
    add("latestEvent", latestEvent);
    add("readAll", readAll);
}

/// Measures reading short-lived coroutines, one after the other in time, as an export does.
void readShortLived(benchmark::State &state)
{
    const auto coroutines = static_cast<CoroutineId>(state.range(0));
    History history(std::uint64_t{4} << 30);
    Batch batch;
    for (CoroutineId id = 0; id < coroutines; ++id) {
        Birth birth;
        birth.coroutine = id;
        batch.births.push_back(birth);
        for (std::uint64_t n = 0; n < 6; ++n) {
            Transition event;
            event.coroutine = id;
            event.n = n;
            event.ts = 1000 + id * 100 + n;
            event.active = n % 2 != 0;
            batch.transitions.push_back(event);
        }
        if (id % 1000 == 999) {
            (void)history.consume(batch);
            batch.clear();
        }
    }
    std::array<HistoryEvent, 256> events;
    for ([[maybe_unused]] auto _ : state) {
        for (CoroutineId id = 0; id < coroutines; ++id) {
            History::Position position;
            while (history.read(id, position, events) != 0) {
            }
        }
    }
    state.counters["perCoroutine"] = benchmark::Counter(static_cast<double>(state.iterations()) * coroutines,
                                                        benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(readShortLived)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    for (const std::uint32_t coroutines : {10U, 1000U, 100'000U, 1'000'000U})
        addQueries(coroutines);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
