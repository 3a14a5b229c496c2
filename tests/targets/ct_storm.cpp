// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transitions as fast as possible: coroutines that only suspend and resume, through a ready queue.
#include "support/arguments.h"
#include "support/job.h"
#include "support/stop.h"

#include <chrono>
#include <cstdio>

namespace {

targets::Job takeTurns(std::uint64_t rounds)
{
    for (std::uint64_t i = 0; i < rounds && !targets::stopRequested(); ++i)
        co_await targets::Turn{};
}

targets::Job takeTurnsUntil(std::chrono::steady_clock::time_point end)
{
    // The clock costs more than a transition: look at it now and then.
    for (unsigned i = 0; (i % 16 != 0 || std::chrono::steady_clock::now() < end) && !targets::stopRequested(); ++i)
        co_await targets::Turn{};
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("a storm of transitions");
    arguments.number("--coroutines", 1000, 1, 10'000'000, "coroutines alive at once")
        .number("--threads", 2, 1, 256, "threads that resume them")
        .number("--transitions", 1'000'000, 0, UINT64_MAX / 4, "suspends plus resumes in total, rounded to pairs")
        .number("--seconds", 0, 0, 86'400, "run so long instead of counting, 0 = count")
        .number("--paced", 0, 0, 1'000'000'000, "transitions per second at most, 0 = as fast as possible");
    arguments.parse(argc, argv);
    targets::handleStopSignals();
    corotracer::InitTracer();

    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    const std::uint64_t count = arguments.value("--coroutines");
    const std::uint64_t pairs = arguments.value("--transitions") / 2;
    const std::uint64_t seconds = arguments.value("--seconds");
    std::vector<targets::Job> jobs;
    std::vector<std::coroutine_handle<>> handles;
    jobs.reserve(count);
    handles.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        jobs.push_back(seconds == 0 ? takeTurns(pairs / count + (i < pairs % count ? 1 : 0))
                                    : takeTurnsUntil(start + std::chrono::seconds(seconds)));
        handles.push_back(jobs.back().handle());
    }
    targets::TurnQueue queue(handles, static_cast<unsigned>(arguments.value("--threads")));
    queue.pace(arguments.value("--paced") == 0 ? 0 : arguments.value("--paced") / 2 + 1);
    queue.run();

    jobs.clear();
    const targets::Truth truth = targets::collectTruth();
    std::printf("%llu coroutines, %.3f s\n", static_cast<unsigned long long>(count),
                std::chrono::duration<double>(Clock::now() - start).count());
    return targets::writeReport(truth) ? 0 : 1;
}
