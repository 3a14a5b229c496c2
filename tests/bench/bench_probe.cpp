// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures the cost of one event in the target: this probe without and with lanes, in one coroutine and in random order
// over many. The floor reads the counter and stores one 64-byte cache line per event, with as many lines in the same
// order. The peer is a plain version-1 write, with the thread id from the kernel and the time from clock_gettime.
// bench_probe --benchmark_repetitions=9 --benchmark_report_aggregates_only=true --benchmark_enable_random_interleaving
#include "coroTracer.h"
#include "tests/bench/proberegion.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include <sys/syscall.h>

namespace {

using namespace corotracer;
using namespace probebench;

/// A coroutine that never ends and suspends at one site. Loop<Plain> has no probe.
template <class Base>
struct Loop {
    struct promise_type : Base {
        Loop get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::abort(); }
    };
    std::coroutine_handle<promise_type> handle;
};
struct Plain {};

template <class Base>
Loop<Base> forever()
{
    for (;;)
        co_await std::suspend_always{};
}

/// One resume and suspend of a coroutine: two events if it is traced.
template <class Base>
void roundTrip(benchmark::State &state)
{
    const Loop<Base> loop = forever<Base>();
    for (auto _ : state)
        loop.handle.resume();
    loop.handle.destroy();
    state.SetItemsProcessed(state.iterations() * 2);
}
BENCHMARK_TEMPLATE(roundTrip, Plain)->Name("coroutine_untraced_pair");
BENCHMARK_TEMPLATE(roundTrip, PromiseMixin)->Name("coroutine_no_engine_pair")->Setup(noEngine);
BENCHMARK_TEMPLATE(roundTrip, PromiseMixin)->Name("coroutine_stations_pair")->Setup(withStations);
BENCHMARK_TEMPLATE(roundTrip, PromiseMixin)->Name("coroutine_lanes_pair")->Setup(withLanes);

/// Measures write_trace alone, with alternating states.
void probeWrite(benchmark::State &state)
{
    PromiseMixin promise;
    bool active = false;
    for (auto _ : state) {
        promise.write_trace(0x1234, active, 7);
        active = !active;
    }
}
BENCHMARK(probeWrite)->Name("transition_no_engine")->Setup(noEngine);
BENCHMARK(probeWrite)->Name("transition_off")->Setup(switchedOff)->Teardown(switchedOn);
BENCHMARK(probeWrite)->Name("transition_without_lanes")->Setup(withStations);
BENCHMARK(probeWrite)->Name("transition_with_lane")->Setup(withLanes);

struct alignas(64) Line {
    std::uint64_t words[8];
};
[[gnu::always_inline]] inline void writeLine(Line &line)
{
    const std::uint64_t now = detail::read_counter();
    for (std::uint64_t &word : line.words)
        word = now;
    benchmark::DoNotOptimize(line);
}

/// Reads the counter and stores one 64-byte cache line, in turn one of eight.
void floorWrite(benchmark::State &state)
{
    static Line lines[8];
    std::uint64_t number = 0;
    for (auto _ : state)
        writeLine(lines[number++ % 8]);
}
BENCHMARK(floorWrite)->Name("floor");

constexpr std::size_t kSteps = 1 << 20;

/// The order of the coroutines, equal in all benchmarks.
std::vector<std::uint32_t> randomOrder(std::int64_t coroutines)
{
    std::mt19937 random(1);
    std::vector<std::uint32_t> order(kSteps);
    for (std::uint32_t &index : order)
        index = static_cast<std::uint32_t>(random() % static_cast<std::uint64_t>(coroutines));
    return order;
}

void floorRandom(benchmark::State &state)
{
    std::vector<Line> lines(static_cast<std::size_t>(state.range(0)));
    const std::vector<std::uint32_t> order = randomOrder(state.range(0));
    std::size_t step = 0;
    for (auto _ : state)
        writeLine(lines[order[step++ % kSteps]]);
}
BENCHMARK(floorRandom)->Name("floor_random")->Arg(1'000)->Arg(10'000)->Arg(100'000);

struct alignas(64) Frame : PromiseMixin {
    bool active = false;
};

/// Events of coroutines in random order. Warm: the promise is prefetched a few steps ahead, because the program itself
/// loads it when it resumes the coroutine. The compact station and the lane are the probe's own cost. Cold: nothing is
/// prefetched. The program pays most of this without the probe, too, except that reading the counter prevents overlap.
template <bool Warm>
void probeRandom(benchmark::State &state)
{
    const std::vector<std::uint32_t> order = randomOrder(state.range(0));
    std::vector<Frame> promises(static_cast<std::size_t>(state.range(0)));
    const std::uint64_t dropped = g_lanes->dropped();
    std::size_t step = 0;
    for (auto _ : state) {
        if constexpr (Warm)
            __builtin_prefetch(&promises[order[(step + 16) % kSteps]], 1);
        Frame &promise = promises[order[step++ % kSteps]];
        promise.active = !promise.active;
        promise.write_trace(0x1234, promise.active, 7);
    }
    state.counters["dropped"] = static_cast<double>(g_lanes->dropped() - dropped);
}
BENCHMARK_TEMPLATE(probeRandom, true)
    ->Name("transition_with_lane_random")
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Setup(withLanes);
BENCHMARK_TEMPLATE(probeRandom, false)
    ->Name("transition_with_lane_random_cold")
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Setup(withLanes);

/// The floor with a frame per coroutine, in the same order, as the peer of the two benchmarks above. Reading the
/// counter waits for earlier loads. So the cost of a frame overlaps neither with the probe nor with the floor.
template <bool Warm>
void floorFrames(benchmark::State &state)
{
    struct alignas(64) Plain {
        Line *line = nullptr;
        std::uint64_t number = 0;
    };
    const std::vector<std::uint32_t> order = randomOrder(state.range(0));
    std::vector<Line> lines(static_cast<std::size_t>(state.range(0)));
    std::vector<Plain> frames(lines.size());
    for (std::size_t i = 0; i < frames.size(); ++i)
        frames[i].line = &lines[i];
    std::size_t step = 0;
    for (auto _ : state) {
        if constexpr (Warm)
            __builtin_prefetch(&frames[order[(step + 16) % kSteps]], 1);
        Plain &frame = frames[order[step++ % kSteps]];
        ++frame.number;
        writeLine(*frame.line);
    }
}
BENCHMARK_TEMPLATE(floorFrames, true)->Name("floor_random_warm")->Arg(1'000)->Arg(10'000)->Arg(100'000);
BENCHMARK_TEMPLATE(floorFrames, false)->Name("floor_random_cold")->Arg(1'000)->Arg(10'000)->Arg(100'000);

/// Measures birth and death.
void probeLife(benchmark::State &state)
{
    for (auto _ : state) {
        const PromiseMixin promise;
        benchmark::DoNotOptimize(&promise);
    }
}
BENCHMARK(probeLife)->Name("birth_and_death_with_lane")->Setup(withLanes);

/// As probeLife, inside of a running coroutine: with a record of the parent.
void probeNestedLife(benchmark::State &state)
{
    PromiseMixin parent;
    detail::promise_access::shows_all_suspensions(parent);  // only then it is a parent
    parent.write_trace(0, true);
    for (auto _ : state) {
        const PromiseMixin promise;
        benchmark::DoNotOptimize(&promise);
    }
}
BENCHMARK(probeNestedLife)->Name("nested_birth_and_death_with_lane")->Setup(withLanes);

/// A use of an object by a running coroutine, with its location.
void probeUse(benchmark::State &state)
{
    PromiseMixin promise;
    detail::promise_access::shows_all_suspensions(promise);  // only then it is a user
    promise.write_trace(0, true);
    for (auto _ : state)
        note_acquired(&promise);
}
BENCHMARK(probeUse)->Name("use_off")->Setup(switchedOff)->Teardown(switchedOn);
BENCHMARK(probeUse)->Name("use_with_lane")->Setup(withLanes);

void probeWait(benchmark::State &state)
{
    PromiseMixin promise;
    for (auto _ : state)
        promise.waits_on(wait::lock, &promise);
}
BENCHMARK(probeWait)->Name("wait_with_lane")->Setup(withLanes);

void probeWake(benchmark::State &state)
{
    const PromiseMixin promise;
    for (auto _ : state)
        note_wake(promise);
}
BENCHMARK(probeWake)->Name("wake_with_lane")->Setup(withLanes);

void probeFinish(benchmark::State &state)
{
    PromiseMixin promise;
    for (auto _ : state)
        promise.finished();
}
BENCHMARK(probeFinish)->Name("finish_with_lane")->Setup(withLanes);

/// A plain version-1 write: gettid from the kernel, clock_gettime, a full fence before tracer_sleeping.
void plainWrite(benchmark::State &state)
{
    static StationData station;
    static std::atomic<std::uint32_t> sleeping{0};
    std::uint64_t number = 0;
    for (auto _ : state) {
        Epoch &epoch = station.slots[number % kSlotsPerStation];
        const std::uint64_t old = epoch.seq.load(std::memory_order_relaxed);
        epoch.seq.store(old + 1, std::memory_order_release);
        epoch.addr.store(0x1234, std::memory_order_relaxed);
        epoch.tid.store(static_cast<std::uint64_t>(::syscall(SYS_gettid)), std::memory_order_relaxed);
        epoch.timestamp.store(detail::monotonic_ns(), std::memory_order_relaxed);
        epoch.is_active.store(number % 2, std::memory_order_relaxed);
        epoch.seq.store(old + 2, std::memory_order_release);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        benchmark::DoNotOptimize(sleeping.load(std::memory_order_acquire));
        ++number;
    }
}
BENCHMARK(plainWrite)->Name("plain_version_1_write");

void counterOnly(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(detail::read_counter());
}
BENCHMARK(counterOnly)->Name("counter_alone");

}  // namespace

int main(int argc, char **argv)
{
    g_stations = std::make_unique<Region>(false);
    g_lanes = std::make_unique<Region>(true);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    Region::leave();
    g_lanes.reset();
    g_stations.reset();
    return 0;
}
