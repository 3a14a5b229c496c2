// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program whose author forgot InitTracer(). It runs normally, and the engine sees no station.
#include "scheduler/scheduler.h"
#include "support/arguments.h"
#include "support/stop.h"

#include <cstdio>

namespace {

using namespace std::chrono_literals;

sched::Task<> tick(sched::Scheduler &scheduler, sched::Reactor::Clock::time_point end)
{
    while (sched::Reactor::Clock::now() < end && !targets::stopRequested())
        co_await sleepFor(scheduler, 10ms);
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("a program with traced promise types that never switches tracing on");
    arguments.number("--coroutines", 10, 1, 100'000, "coroutines")
        .number("--seconds", 1, 0, 86'400, "how long; SIGTERM ends it earlier");
    arguments.parse(argc, argv);
    targets::handleStopSignals();

    sched::Scheduler scheduler(2);
    const auto end = sched::Reactor::Clock::now() + std::chrono::seconds(arguments.value("--seconds"));
    for (std::uint64_t i = 0; i < arguments.value("--coroutines"); ++i)
        scheduler.spawn(tick(scheduler, end));
    while (!scheduler.waitUntilIdle(1h)) {
    }
    scheduler.stop();
    const targets::Truth truth = targets::collectTruth();
    std::printf("%llu coroutines ran untraced\n", static_cast<unsigned long long>(truth.untraced));
    return targets::writeReport(truth) ? 0 : 1;
}
