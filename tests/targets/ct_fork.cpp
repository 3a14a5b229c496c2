// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Forks while it is traced. Children without exec inherit the mapping and the parent's unfinished coroutines. They run
// these and new ones, and must write nothing into the region. Children with exec start again in the same environment.
// They are traced, and the parent adds their counts to its own.
#include "support/arguments.h"
#include "support/job.h"
#include "support/stop.h"

#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

targets::Job turnUntil(const std::atomic<bool> &ended)
{
    while (!ended.load(std::memory_order_relaxed) && !targets::stopRequested())
        co_await targets::Turn{};
}

targets::Job suspendRepeatedly(int rounds)
{
    for (int i = 0; i < rounds; ++i)
        co_await targets::Turn{};
}

void runToTheEnd(targets::Job &job)
{
    while (!job.done())
        job.handle().resume();
}

/// Runs in a child without exec. Neither the inherited coroutine nor a new one may write into the region.
[[noreturn]] void misbehave(targets::Job &inherited)
{
    for (int i = 0; i < 1000 && !inherited.done(); ++i)
        inherited.handle().resume();
    targets::Job own = suspendRepeatedly(1000);
    runToTheEnd(own);
    ::_exit(0);
}

struct Pipe {
    int readEnd = -1;
    int writeEnd = -1;
};

Pipe makePipe()
{
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0)
        std::perror("pipe");
    return {ends[0], ends[1]};
}

/// Runs as an executed child, and reports its counts through the pipe at descriptor 3.
int runAsChild(int rounds)
{
    targets::Job job = suspendRepeatedly(rounds);
    runToTheEnd(job);
    const targets::Truth truth = targets::collectTruth();
    const std::uint64_t figures[] = {truth.emitted, truth.traced, truth.untraced};
    return ::write(3, figures, sizeof(figures)) == static_cast<ssize_t>(sizeof(figures)) ? 0 : 1;
}

bool endedWell(pid_t child)
{
    int status = 0;
    return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool forkWithoutExec(targets::Job &inherited)
{
    const pid_t child = ::fork();
    if (child == 0)
        misbehave(inherited);
    return endedWell(child);
}

bool forkWithExec(targets::Truth &truth)
{
    const Pipe pipe = makePipe();
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(pipe.writeEnd, 3);
        ::fcntl(3, F_SETFD, 0);
        ::execl("/proc/self/exe", "ct_fork", "--child", static_cast<char *>(nullptr));
        ::_exit(127);
    }
    ::close(pipe.writeEnd);
    std::uint64_t figures[3] = {};
    const bool complete = ::read(pipe.readEnd, figures, sizeof(figures)) == static_cast<ssize_t>(sizeof(figures));
    ::close(pipe.readEnd);
    truth.emitted += figures[0];
    truth.traced += figures[1];
    truth.untraced += figures[2];
    return endedWell(child) && complete;
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("forks children, with and without exec, while its coroutines run");
    arguments.number("--children", 10, 0, 10'000, "children of each kind, one after the other")
        .number("--threads", 2, 1, 256, "threads that resume coroutines while the children run")
        .flag("--child", "for its own use: run as an executed child");
    arguments.parse(argc, argv);
    targets::handleStopSignals();
    corotracer::InitTracer();
    if (arguments.isSet("--child"))
        return runAsChild(500);

    // All coroutines are born before the first fork. Otherwise a child could inherit a lock that another thread owns.
    std::atomic<bool> ended{false};
    std::vector<targets::Job> jobs;
    for (std::uint64_t i = 0; i <= arguments.value("--threads"); ++i)
        jobs.push_back(turnUntil(ended));
    targets::Job &inherited = jobs.front();
    inherited.handle().resume();
    std::vector<std::thread> threads;
    for (std::uint64_t i = 1; i < jobs.size(); ++i)
        threads.emplace_back(runToTheEnd, std::ref(jobs[i]));
    targets::Truth ofChildren;
    std::uint64_t failures = 0;
    for (std::uint64_t i = 0; i < arguments.value("--children") && !targets::stopRequested(); ++i) {
        failures += forkWithoutExec(inherited) ? 0 : 1;
        failures += forkWithExec(ofChildren) ? 0 : 1;
        inherited.handle().resume();
    }
    ended.store(true, std::memory_order_relaxed);
    for (std::thread &thread : threads)
        thread.join();
    runToTheEnd(inherited);
    jobs.clear();

    targets::Truth truth = targets::collectTruth();
    truth.emitted += ofChildren.emitted;
    truth.traced += ofChildren.traced;
    truth.untraced += ofChildren.untraced;
    truth.more = {{"failed_children", failures}};
    std::printf("%llu children, %llu failed\n", static_cast<unsigned long long>(2 * arguments.value("--children")),
                static_cast<unsigned long long>(failures));
    return targets::writeReport(truth) && failures == 0 ? 0 : 1;
}
