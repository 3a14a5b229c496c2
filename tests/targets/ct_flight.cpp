// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs its own flight recorder, without an engine. Prints the path of the region, runs its coroutines, and crashes if
// --crash is set.
#include "support/simplecoroutines.h"
#include "support/stop.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char **argv)
{
    targets::Arguments arguments("a flight recorder; CTP_FLIGHT_RECORDER may name its file or folder");
    targets::addCoroutineOptions(arguments, {.rate = 100'000});
    arguments.number("--lane-kib", 64, 64, 131'072, "history of a thread")
        .flag("--crash", "end by SIGSEGV with all coroutines alive, instead of destroying them");
    arguments.parse(argc, argv);
    targets::handleStopSignals();

    const char *const wish = ::secure_getenv("CTP_FLIGHT_RECORDER");
    corotracer::flight_recorder_options options;
    options.path = wish == nullptr || std::strcmp(wish, "1") == 0 ? "" : wish;
    options.lane_bytes = arguments.value("--lane-kib") << 10;
    // The pool is sparse. A new lane gets at most a 32nd of the rest.
    options.pool_bytes = (32 + 2 * arguments.value("--threads")) * (options.lane_bytes + 8192);
    if (!corotracer::start_flight_recorder(options))
        return 1;
    std::printf("%s\n", corotracer::flight_recorder_path());
    std::fflush(stdout);

    std::vector<targets::Job> jobs = targets::runCoroutines(arguments);
    if (!arguments.isSet("--crash"))
        jobs.clear();
    const bool written = targets::writeReport(targets::collectTruth());
    if (arguments.isSet("--crash")) {
        std::signal(SIGSEGV, SIG_DFL);
        std::raise(SIGSEGV);
    }
    return written ? 0 : 1;
}
