// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "simplecoroutines.h"

#include "stop.h"

namespace targets {

namespace {

Job suspendRepeatedly(std::uint64_t rounds)
{
    for (std::uint64_t i = 0; (rounds == 0 || i < rounds) && !stopRequested(); ++i)
        co_await Turn{};
}

}  // namespace

void addCoroutineOptions(Arguments &arguments, const CoroutineDefaults &defaults)
{
    arguments.number("--coroutines", defaults.coroutines, 1, 1'000'000, "coroutines alive at once")
        .number("--threads", 2, 1, 256, "threads that resume them")
        .number("--turns", defaults.turns, 0, UINT64_MAX / 4, "suspensions of each coroutine, 0 = until SIGTERM")
        .number("--rate", defaults.rate, 0, 1'000'000'000,
                "transitions per second of a process, 0 = as fast as possible");
}

std::vector<Job> runCoroutines(const Arguments &arguments)
{
    std::vector<Job> jobs;
    std::vector<std::coroutine_handle<>> handles;
    for (std::uint64_t i = 0; i < arguments.value("--coroutines"); ++i) {
        jobs.push_back(suspendRepeatedly(arguments.value("--turns")));
        handles.push_back(jobs.back().handle());
    }
    resumePinned(handles, {.threads = static_cast<unsigned>(arguments.value("--threads")),
                           .order = ResumeOrder::Random,
                           .resumptionsPerSecond = arguments.value("--rate") / 2});
    return jobs;
}

}  // namespace targets
