// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures decoding and merging of lanes per event, compared with a memcpy of the same records. The lanes are filled by
// hand, outside of the measured time.
#include "core/protocol/lanereader.h"
#include "tests/support/harvestloop.h"
#include "tests/support/lanewriter.h"
#include "tests/support/regions.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <vector>

namespace {

using lanewriter::Coroutine;
using lanewriter::Lane;
using lanewriter::Process;

constexpr std::uint32_t kRecords = 1U << 19;

struct Bench {
    Bench(std::uint32_t coroutines, std::size_t lanes, bool hops, bool turns = false) : m_hops(hops), m_turns(turns)
    {
        ct::RegionSpec spec;
        spec.path = dir.file("r.shm");
        spec.laneBytes = std::uint64_t{kRecords} * 32 / lanes;
        auto created = ct::Region::create(spec);
        if (!created)
            std::abort();
        region = std::make_unique<ct::Region>(std::move(*created));
        process = std::make_unique<Process>(*region->writableHeader(), 1, 1);
        loop = std::make_unique<HarvestLoop>(*region, [](std::uint32_t, std::uint64_t) { return true; });
        for (std::size_t i = 0; i < lanes; ++i)
            all.push_back(*process->claimLane(i + 1));
        for (std::uint32_t i = 0; i < coroutines; ++i) {
            coroutineList.push_back(*Coroutine::create(*process, all[i % lanes], i + 1, 1));
            if (i % 1000 == 0)
                drain();
        }
        drain();
    }
    /// Writes records in order of time. Each coroutine writes into its own lane, or with `hops` into a random one. With
    /// `turns`, a coroutine suspends before another is resumed.
    void fill(std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t who = m_turns && i % 2 != 0 ? m_latest : random() % coroutineList.size();
            m_latest = who;
            Coroutine &coroutine = coroutineList[who];
            Lane &lane = all[(m_hops ? random() : who) % all.size()];
            const std::uint64_t n = coroutine.events();
            const auto kind = static_cast<std::uint8_t>(n % 2 ? corotracer::kRecordResume : corotracer::kRecordSuspend);
            lane.put({kind, m_now += 20, coroutine.identity(), n, n, 0});
            coroutine.setEvents(n + 1);
        }
    }
    std::size_t drain()
    {
        std::size_t events = 0;
        do {
            batch.clear();
            loop->pass(batch);
            events += batch.transitions.size();
            benchmark::DoNotOptimize(batch.transitions.data());
        } while (loop->hasMore() || !batch.empty());
        return events;
    }

    regions::TempDir dir;
    std::unique_ptr<ct::Region> region;
    std::unique_ptr<Process> process;
    std::unique_ptr<HarvestLoop> loop;
    std::vector<Lane> all;
    std::vector<Coroutine> coroutineList;
    ct::Batch batch;
    std::mt19937_64 random{1};

private:
    bool m_hops;
    bool m_turns;
    std::size_t m_latest = 0;
    std::uint64_t m_now = 1000;
};

void report(benchmark::State &state, std::size_t events)
{
    state.counters["ns/event"] = benchmark::Counter(static_cast<double>(events) * 1e-9,
                                                    benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// Arguments: coroutines, lanes, hops, turns.
void harvest(benchmark::State &state)
{
    Bench bench(static_cast<std::uint32_t>(state.range(0)), static_cast<std::size_t>(state.range(1)), state.range(2),
                state.range(3));
    std::size_t events = 0;
    for (auto _ : state) {
        state.PauseTiming();
        bench.fill(kRecords / 2);
        state.ResumeTiming();
        events += bench.drain();
    }
    if (bench.loop->accounting().lost != 0)
        state.SkipWithError("events were lost");
    report(state, events);
}
BENCHMARK(harvest)
    ->ArgNames({"coroutines", "lanes", "hops", "turns"})
    ->Args({10, 1, 0, 0})
    ->Args({1000, 1, 0, 0})
    ->Args({100'000, 1, 0, 0})
    ->Args({1'000'000, 1, 0, 0})
    ->Args({1000, 8, 0, 0})
    ->Args({100'000, 8, 0, 0})
    ->Args({1000, 8, 1, 0})
    ->Args({100'000, 8, 1, 0})
    ->Args({1000, 1, 0, 1})
    ->Args({100'000, 1, 0, 1});

/// The floor: a copy of as many records.
void copyRecords(benchmark::State &state)
{
    std::vector<std::byte> from(std::size_t{kRecords} / 2 * 32, std::byte{1}), to(8192 * 32);
    std::size_t events = 0;
    for (auto _ : state) {
        for (std::size_t at = 0; at < from.size(); at += to.size()) {
            std::memcpy(to.data(), from.data() + at, to.size());
            benchmark::DoNotOptimize(to.data());
            benchmark::ClobberMemory();
        }
        events += kRecords / 2;
    }
    report(state, events);
}
BENCHMARK(copyRecords);

/// Only reads a lane.
void readRecords(benchmark::State &state)
{
    Bench bench(1000, 1, false);
    bench.fill(kRecords / 2);
    const ct::LaneView view = *bench.region->lane(0);
    const std::uint64_t begin = bench.all[0].position() - kRecords / 2;
    std::vector<ct::RecordCopy> copies(256);
    std::size_t events = 0;
    for (auto _ : state) {
        std::uint64_t at = begin;
        while (const std::size_t count = ct::readLane(view, at, copies).count) {
            at += count;
            benchmark::DoNotOptimize(copies.data());
        }
        events += at - begin;
    }
    report(state, events);
}
BENCHMARK(readRecords);

}  // namespace

BENCHMARK_MAIN();
