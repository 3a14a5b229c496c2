// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Carries a flight recorder: no engine starts it. Prints the region's path, runs, and crashes if told to.
#include "support/arguments.h"
#include "support/job.h"
#include "support/ownturns.h"
#include "support/stop.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

targets::Job takeTurns(std::uint64_t rounds)
{
    for (std::uint64_t i = 0; (rounds == 0 || i < rounds) && !targets::stopRequested(); ++i)
        co_await targets::Turn{};
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("a flight recorder; CTP_FLIGHT_RECORDER may name its file or folder");
    arguments.number("--coroutines", 100, 1, 1'000'000, "coroutines alive at once")
        .number("--threads", 2, 1, 256, "threads that resume them")
        .number("--rate", 100'000, 0, 1'000'000'000, "transitions per second, 0 = as fast as possible")
        .number("--turns", 0, 0, UINT64_MAX / 4, "suspensions of each coroutine, 0 = until SIGTERM")
        .number("--lane-kib", 64, 64, 131'072, "history of a thread")
        .flag("--crash", "end by SIGSEGV with all coroutines alive, instead of destroying them");
    arguments.parse(argc, argv);
    targets::handleStopSignals();

    const char *const place = std::getenv("CTP_FLIGHT_RECORDER");
    corotracer::flight_recorder_options options;
    options.path = place == nullptr ? "" : place;
    options.lane_bytes = arguments.value("--lane-kib") << 10;
    options.pool_bytes = 4 * options.lane_bytes * arguments.value("--threads");
    if (!corotracer::start_flight_recorder(options))
        return 1;
    std::printf("%s\n", corotracer::flight_recorder_path());
    std::fflush(stdout);

    std::vector<targets::Job> jobs;
    std::vector<std::coroutine_handle<>> handles;
    for (std::uint64_t i = 0; i < arguments.value("--coroutines"); ++i) {
        jobs.push_back(takeTurns(arguments.value("--turns")));
        handles.push_back(jobs.back().handle());
    }
    targets::resumeInOwnTurns(handles, {.threads = static_cast<unsigned>(arguments.value("--threads")),
                                        .order = targets::TurnOrder::Random,
                                        .resumptionsPerSecond = arguments.value("--rate") / 2});
    if (!arguments.isSet("--crash"))
        jobs.clear();
    const bool written = targets::writeReport(targets::collectTruth());
    if (arguments.isSet("--crash")) {
        std::signal(SIGSEGV, SIG_DFL);
        std::raise(SIGSEGV);
    }
    return written ? 0 : 1;
}
