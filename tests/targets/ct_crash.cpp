// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Dies of SIGSEGV with its coroutines alive. By default one worker faults while the others continue to write. With
// --exact, all workers stop first and the program writes its own counts. A test can then compare them with the capture
// of the dead process.
#include "scheduler/scheduler.h"
#include "support/arguments.h"
#include "support/stop.h"

#include <csignal>
#include <cstdio>

#include <sys/mman.h>
#include <sys/resource.h>

namespace {

sched::Task<> turnForEver(sched::Scheduler &scheduler)
{
    while (!targets::stopRequested())
        co_await yield(scheduler);
}

/// Writes to a page without access rights. This is a real fault, which sanitizers do not interpret as another error.
void fault()
{
    void *const forbidden = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *static_cast<volatile int *>(forbidden) = 1;
}

sched::Task<> faultLater(sched::Scheduler &scheduler, std::chrono::milliseconds delay)
{
    co_await sleepFor(scheduler, delay);
    fault();
}

/// Restores the default action for SIGSEGV, which a sanitizer may have replaced, and disables core files.
void dieQuietly()
{
    std::signal(SIGSEGV, SIG_DFL);
    const rlimit none = {0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("crashes with SIGSEGV while coroutines run");
    arguments.number("--coroutines", 50, 1, 1'000'000, "coroutines")
        .number("--threads", 2, 1, 256, "workers")
        .number("--after", 1000, 0, 86'400'000, "milliseconds until it crashes")
        .flag("--exact", "stop the workers and write CT_EMITTED_FILE before");
    arguments.parse(argc, argv);
    targets::handleStopSignals();
    dieQuietly();
    corotracer::InitTracer();

    sched::Scheduler scheduler(static_cast<unsigned>(arguments.value("--threads")));
    const std::chrono::milliseconds delay(arguments.value("--after"));
    for (std::uint64_t i = 0; i < arguments.value("--coroutines"); ++i)
        scheduler.spawn(turnForEver(scheduler));
    std::printf("crashing in %lld ms\n", static_cast<long long>(delay.count()));
    std::fflush(stdout);
    if (!arguments.isSet("--exact"))
        scheduler.spawn(faultLater(scheduler, delay));
    else
        targets::sleepUnlessStopped(delay);
    while (!arguments.isSet("--exact") && !scheduler.waitUntilIdle(std::chrono::hours(1))) {
    }
    scheduler.stop();
    if (!targets::writeReport(targets::collectTruth()))
        return 1;
    fault();
}
