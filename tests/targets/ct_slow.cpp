// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A few coroutines with one event every 100 to 500 ms. A sleeping engine must show each of them at once.
#include "scheduler/scheduler.h"
#include "support/arguments.h"
#include "support/stop.h"

#include <cstdio>
#include <random>

namespace {

using namespace std::chrono_literals;

/// Sleeps and wakes up repeatedly until `end`.
sched::Task<> tick(sched::Scheduler &scheduler, sched::Reactor::Clock::time_point end, std::uint64_t seed)
{
    std::minstd_rand random(static_cast<std::minstd_rand::result_type>(seed));
    while (sched::Reactor::Clock::now() < end && !targets::stopRequested())
        co_await sleepFor(scheduler, std::chrono::milliseconds(100 + random() % 401));
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("a few coroutines that seldom do anything");
    arguments.number("--coroutines", 5, 1, 100'000, "coroutines")
        .number("--seconds", 5, 0, 86'400, "how long; SIGTERM ends it earlier");
    arguments.parse(argc, argv);
    targets::handleStopSignals();
    corotracer::InitTracer();

    sched::Scheduler scheduler(2);
    const auto end = sched::Reactor::Clock::now() + std::chrono::seconds(arguments.value("--seconds"));
    for (std::uint64_t i = 1; i <= arguments.value("--coroutines"); ++i)
        scheduler.spawn(tick(scheduler, end, i));
    while (!scheduler.waitUntilIdle(1h)) {
    }
    scheduler.stop();
    const targets::Truth truth = targets::collectTruth();
    std::printf("%llu coroutines ticked\n", static_cast<unsigned long long>(arguments.value("--coroutines")));
    return targets::writeReport(truth) ? 0 : 1;
}
