// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures a pass per idle full station, and per captured event. Stations get a random number of events, so the pass
// reads a different cache line in each station.
#include "tests/support/harvestloop.h"
#include "tests/support/writers.h"

#include <benchmark/benchmark.h>

#include <random>
#include <sys/mman.h>
#include <vector>

namespace {

struct Capture {
    explicit Capture(std::uint32_t stations) : region(std::move(*ct::Region::create({{}, stations}))), loop(region)
    {
        // Unlink the file now, so an interrupted benchmark leaves nothing behind.
        [[maybe_unused]] const auto removed = region.remove();
        std::mt19937 random(1);
        for (std::uint32_t i = 0; i < stations; ++i) {
            writers.emplace_back(*writers::allocateFullStation(*region.writableHeader()), writers::Style::Ours, i + 1);
            writers.back().create();
            writers.back().write(1 + random() % 16);
        }
        for (int i = 0; i < 10; ++i) {
            batch.clear();
            loop.pass(batch);
        }
    }
    ct::Region region;
    HarvestLoop loop;
    ct::Batch batch;
    std::vector<writers::Writer> writers;
};

void idleStation(benchmark::State &state)
{
    Capture capture(static_cast<std::uint32_t>(state.range(0)));
    for (auto _ : state) {
        capture.batch.clear();
        capture.loop.pass(capture.batch);
        benchmark::DoNotOptimize(capture.batch.transitions.size());
    }
    state.counters["ns/station"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(state.range(0)) * 1e-9,
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(idleStation)->Arg(1000)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

void capturedEvent(benchmark::State &state)
{
    Capture capture(static_cast<std::uint32_t>(state.range(0)));
    std::size_t events = 0;
    for (auto _ : state) {
        state.PauseTiming();
        for (writers::Writer &writer : capture.writers)
            writer.write(4);
        state.ResumeTiming();
        capture.batch.clear();
        capture.loop.pass(capture.batch);
        events += capture.batch.transitions.size();
    }
    state.counters["ns/event"] = benchmark::Counter(static_cast<double>(events) * 1e-9,
                                                    benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(capturedEvent)->Arg(1000)->Arg(50'000)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
