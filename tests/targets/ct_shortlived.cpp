// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Hundreds of thousands of coroutines with two suspensions each, like the request handlers of a server.
#include "support/arguments.h"
#include "support/job.h"
#include "support/stop.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <thread>

namespace {

targets::Job handleRequest()
{
    co_await targets::Turn{};
    co_await targets::Turn{};
}

constexpr std::uint64_t kStride = 16;  ///< births between two readings of the clock

/// Runs `count` coroutines on this thread. When `alive` of them exist, the oldest ends before the next starts.
/// `perSecond` limits the births per second; 0 = as fast as possible.
void serve(std::uint64_t count, std::size_t alive, double perSecond)
{
    const auto start = std::chrono::steady_clock::now();
    std::deque<targets::Job> jobs;
    const auto retire = [&jobs] {
        while (!jobs.front().done())
            jobs.front().handle().resume();
        jobs.pop_front();
    };
    for (std::uint64_t i = 0; i < count && !targets::stopRequested(); ++i) {
        if (jobs.size() == alive)
            retire();
        jobs.push_back(handleRequest());
        jobs.back().handle().resume();
        if (perSecond > 0 && i % kStride == 0)
            std::this_thread::sleep_until(start +
                                          std::chrono::duration_cast<std::chrono::nanoseconds>(
                                              std::chrono::duration<double>(static_cast<double>(i) / perSecond)));
    }
    while (!jobs.empty())
        retire();
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("many short-lived coroutines");
    arguments.number("--count", 100'000, 1, UINT64_MAX / 16, "coroutines in total, four transitions each")
        .number("--alive", 1000, 1, 10'000'000, "coroutines alive at once, at most (at least one a thread)")
        .number("--rate", 0, 0, 1'000'000'000, "births per second, all threads together; 0 = as fast as possible")
        .number("--threads", 2, 1, 256, "threads that start and resume them");
    arguments.parse(argc, argv);
    targets::handleStopSignals();
    corotracer::InitTracer();

    const std::uint64_t count = arguments.value("--count");
    const std::uint64_t threads = std::min(arguments.value("--threads"), arguments.value("--alive"));
    std::vector<std::thread> workers;
    for (std::uint64_t i = 0; i < threads; ++i)
        workers.emplace_back(serve, count / threads + (i < count % threads ? 1 : 0),
                             arguments.value("--alive") / threads,
                             static_cast<double>(arguments.value("--rate")) / static_cast<double>(threads));
    for (std::thread &worker : workers)
        worker.join();
    const targets::Truth truth = targets::collectTruth();
    std::printf("%llu coroutines came and went\n", static_cast<unsigned long long>(truth.traced + truth.untraced));
    return targets::writeReport(truth) ? 0 : 1;
}
