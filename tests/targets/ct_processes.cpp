// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Several processes write into one region, each with its own threads and coroutines. The parent is not traced.
#include "support/simplecoroutines.h"
#include "support/stop.h"

#include <array>
#include <cstdio>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Figures = std::array<std::uint64_t, 4>;

/// Switches tracing on in the child. The child writes its counts into the pipe `counts`.
int runAsChild(const targets::Arguments &arguments, int counts)
{
    corotracer::InitTracer();
    std::vector<targets::Job> jobs = targets::runCoroutines(arguments);
    if (!arguments.isSet("--leave"))
        jobs.clear();
    const targets::Truth truth = targets::collectTruth();
    const Figures figures{truth.emitted, truth.traced, truth.untraced, truth.unfinished};
    const bool isWritten = ::write(counts, figures.data(), sizeof figures) == static_cast<ssize_t>(sizeof figures);
    ::_exit(isWritten ? 0 : 1);
}

/// Adds up the counts of the children until all have closed their end of the pipe.
targets::Truth readCounts(int counts)
{
    targets::Truth truth;
    Figures figures{};
    while (::read(counts, figures.data(), sizeof figures) == static_cast<ssize_t>(sizeof figures)) {
        truth.emitted += figures[0];
        truth.traced += figures[1];
        truth.untraced += figures[2];
        truth.unfinished += figures[3];
    }
    return truth;
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("processes that write into one region side by side");
    targets::addCoroutineOptions(arguments, {.turns = 100});
    arguments.number("--processes", 4, 1, 500, "processes at a time, each with coroutines and threads of its own")
        .flag("--leave", "processes end with their coroutines alive");
    arguments.parse(argc, argv);
    targets::handleStopSignals();

    int counts[2] = {-1, -1};
    if (::pipe2(counts, O_CLOEXEC) != 0) {
        std::perror("pipe");
        return 1;
    }
    std::vector<pid_t> children;
    for (std::uint64_t i = 0; i < arguments.value("--processes"); ++i) {
        const pid_t child = ::fork();
        if (child == 0)
            return runAsChild(arguments, counts[1]);
        children.push_back(child);
    }
    ::close(counts[1]);
    targets::Truth truth = readCounts(counts[0]);
    std::uint64_t failures = 0;
    for (const pid_t child : children) {
        int status = 0;
        const bool well = child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status);
        failures += well && WEXITSTATUS(status) == 0 ? 0 : 1;
    }
    truth.more = {{"failed_children", failures}};
    std::printf("%zu processes, %llu failed\n", children.size(), static_cast<unsigned long long>(failures));
    return targets::writeReport(truth) && failures == 0 ? 0 : 1;
}
