// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cost of the adapters for other libraries. Run it once without tracing and once with it, and compare:
//     bench_peers --benchmark_repetitions=9 --benchmark_report_aggregates_only=true
//     CTP_FLIGHT_RECORDER=/tmp bench_peers ...
#include "corotracer/fiber.h"
#include "corotracer/foreign.h"
#include "tests/probe/theirlibrary.h"

#include <boost/asio.hpp>
#include <boost/fiber/all.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <thread>

#include <sys/eventfd.h>

COROTRACER_TRACE_TASK_TEMPLATE(their::task);

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;

their::task<void> waitForEver(their::gate &gate)
{
    for (;;) {
        gate.open = false;
        co_await gate;
    }
}

/// One suspension and its resumption in a coroutine of another library.
void foreignWait(benchmark::State &state)
{
    their::gate gate;
    const their::task<void> one = waitForEver(gate);
    one.native_handle().resume();
    for (auto _ : state)
        one.native_handle().resume();
}
BENCHMARK(foreignWait);

their::task<int> empty()
{
    co_return 1;
}

/// Birth and death of a coroutine of another library that never runs.
void foreignBirth(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(empty().native_handle().address());
}
BENCHMARK(foreignBirth);

void promiseOfHandle(benchmark::State &state)
{
    their::gate gate;
    const their::task<void> one = waitForEver(gate);
    const std::coroutine_handle<> handle = one.native_handle();
    for (auto _ : state)
        benchmark::DoNotOptimize(corotracer::promise_of(handle));
}
BENCHMARK(promiseOfHandle);

template <class Body>
void inAsio(benchmark::State &state, Body body)
{
    asio::io_context context(1);
    co_spawn(context, body(state), asio::detached);
    context.run();
}

/// co_await post: two events and a wake.
void asioPost(benchmark::State &state)
{
    inAsio(state, [](benchmark::State &s) -> awaitable<void> {
        for (auto _ : s)
            co_await asio::post(use_awaitable);
    });
}
BENCHMARK(asioPost);

/// co_await of a read that is ready, with a system call: two events, a wait for the descriptor, and a wake.
void asioRead(benchmark::State &state)
{
    inAsio(state, [](benchmark::State &s) -> awaitable<void> {
        asio::posix::stream_descriptor counter(co_await asio::this_coro::executor,
                                               ::eventfd(1'000'000'000, EFD_SEMAPHORE));
        std::uint64_t value = 0;
        for (auto _ : s)
            co_await counter.async_read_some(asio::buffer(&value, sizeof value), use_awaitable);
    });
}
BENCHMARK(asioRead);

awaitable<void> nothing()
{
    co_return;
}

/// co_await of a coroutine that does nothing: its birth, its death and its three events, and two events and a wait of
/// the awaiting one.
void asioCoroutine(benchmark::State &state)
{
    inAsio(state, [](benchmark::State &s) -> awaitable<void> {
        for (auto _ : s)
            co_await nothing();
    });
}
BENCHMARK(asioCoroutine);

/// Two fibers that yield to one another: for each iteration two events and a wake of each.
template <class Algorithm>
void yieldInFibers(benchmark::State &state)
{
    std::thread([&] {
        namespace fibers = boost::fibers;
        fibers::use_scheduling_algorithm<Algorithm>();
        bool stops = false;
        fibers::fiber other([&] {
            while (!stops)
                boost::this_fiber::yield();
        });
        fibers::fiber measured([&] {
            for (auto _ : state)
                boost::this_fiber::yield();
            stops = true;
        });
        measured.join();
        other.join();
    }).join();
}
void fiberYield(benchmark::State &state)
{
    yieldInFibers<corotracer::traced<boost::fibers::algo::round_robin>>(state);
}
BENCHMARK(fiberYield);
void fiberYieldWithoutAdapter(benchmark::State &state)
{
    yieldInFibers<boost::fibers::algo::round_robin>(state);
}
BENCHMARK(fiberYieldWithoutAdapter);

}  // namespace

int main(int argc, char **argv)
{
    corotracer::InitTracer();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
