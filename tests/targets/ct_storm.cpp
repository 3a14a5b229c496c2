// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Publishes events as fast as possible, or at a steady rate, from coroutines that only suspend and resume. The
// coroutines either move between threads through a ready queue, or stay on one thread. In the second case, nothing but
// their events costs time.
#include "support/arguments.h"
#include "support/job.h"
#include "support/pinnedresumption.h"
#include "support/stop.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> over{false};  // relaxed: only a hint to end

targets::Job suspendRepeatedly(std::uint64_t rounds)
{
    for (std::uint64_t i = 0; i < rounds && !targets::stopRequested(); ++i)
        co_await targets::Turn{};
}

targets::Job suspendUntilOver()
{
    while (!over.load(std::memory_order_relaxed) && !targets::stopRequested())
        co_await targets::Turn{};
}

/// Starts a thread that sets `over` after the given seconds, or earlier at a stop.
std::thread timekeeper(std::uint64_t seconds)
{
    return std::thread([seconds] {
        targets::sleepUnlessStopped(std::chrono::seconds(seconds));
        over.store(true, std::memory_order_relaxed);
    });
}

void resumeAll(const std::vector<std::coroutine_handle<>> &handles, const targets::Arguments &arguments)
{
    const auto threads = static_cast<unsigned>(arguments.value("--threads"));
    const std::uint64_t pairsPerSecond = (arguments.value("--rate") + 1) / 2;
    const std::string order = arguments.word("--order");
    if (order == "wander") {
        targets::SimpleScheduler queue(handles, threads);
        queue.pace(pairsPerSecond);
        queue.run();
        return;
    }
    targets::resumePinned(handles,
                          {.threads = threads,
                           .order = order == "random" ? targets::ResumeOrder::Random : targets::ResumeOrder::Round,
                           .resumptionsPerSecond = pairsPerSecond,
                           .hurry = &over});
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("a storm of transitions");
    arguments.number("--coroutines", 1000, 1, 10'000'000, "coroutines alive at once")
        .number("--threads", 2, 1, 256, "threads that resume them")
        .number("--transitions", 1'000'000, 0, UINT64_MAX / 4, "suspends plus resumes in total, rounded to pairs")
        .number("--seconds", 0, 0, 86'400, "run so long instead of counting, 0 = count")
        .number("--rate", 0, 0, 1'000'000'000, "transitions per second, all threads together; 0 = as fast as possible")
        .choice("--order", {"wander", "round", "random"},
                "from thread to thread by a queue; or each thread its own, in turn or at random");
    arguments.parse(argc, argv);
    targets::handleStopSignals();
    corotracer::InitTracer();

    const std::uint64_t count = arguments.value("--coroutines");
    const std::uint64_t pairs = arguments.value("--transitions") / 2;
    const std::uint64_t seconds = arguments.value("--seconds");
    std::vector<targets::Job> jobs;
    std::vector<std::coroutine_handle<>> handles;
    jobs.reserve(count);
    handles.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        jobs.push_back(seconds == 0 ? suspendRepeatedly(pairs / count + (i < pairs % count ? 1 : 0))
                                    : suspendUntilOver());
        handles.push_back(jobs.back().handle());
    }
    const Clock::time_point start = Clock::now();
    std::thread timer = seconds == 0 ? std::thread() : timekeeper(seconds);
    resumeAll(handles, arguments);
    const auto duration = Clock::now() - start;
    if (timer.joinable())
        timer.join();

    jobs.clear();
    targets::Truth truth = targets::collectTruth();
    truth.more = {{"storm_ns", static_cast<std::uint64_t>(std::chrono::nanoseconds(duration).count())}};
    std::printf("%llu coroutines, %llu transitions traced, %.3f s\n", static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(truth.emitted), std::chrono::duration<double>(duration).count());
    return targets::writeReport(truth) ? 0 : 1;
}
