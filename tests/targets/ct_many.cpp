// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Keeps many coroutines alive, all suspended at the same site, until SIGTERM.
#include "support/arguments.h"
#include "support/job.h"
#include "support/stop.h"

#include <chrono>
#include <cstdio>

namespace {

/// Suspends until the end of the program resumes the handle.
targets::Job waitForTheEnd()
{
    co_await std::suspend_always{};
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("many suspended coroutines, until SIGTERM");
    arguments.number("--coroutines", 100'000, 1, 10'000'000, "coroutines alive at once")
        .number("--seconds", 0, 0, 86'400, "end by itself after so long, 0 = only on SIGTERM");
    arguments.parse(argc, argv);
    targets::handleStopSignals();
    corotracer::InitTracer();

    const std::uint64_t count = arguments.value("--coroutines");
    std::vector<targets::Job> jobs;
    jobs.reserve(count);
    for (std::uint64_t i = 0; i < count && !targets::stopRequested(); ++i) {
        jobs.push_back(waitForTheEnd());
        jobs.back().handle().resume();
    }
    std::printf("%zu coroutines suspended\n", jobs.size());
    std::fflush(stdout);
    const std::uint64_t seconds = arguments.value("--seconds");
    while (targets::sleepUnlessStopped(std::chrono::seconds(seconds == 0 ? 3600 : seconds)) && seconds == 0) {
    }

    for (const targets::Job &job : jobs)
        job.handle().resume();
    jobs.clear();
    const targets::Truth truth = targets::collectTruth();
    return targets::writeReport(truth) ? 0 : 1;
}
