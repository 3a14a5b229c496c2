// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "demo.h"

#include "client.h"
#include "server.h"
#include "support/arguments.h"
#include "support/report.h"
#include "support/stop.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace server {

namespace {

using namespace std::chrono_literals;

/// Two thirds of the clients stay connected; the others come, go and hang up. Visitors start at different times. If all
/// of them left at once, the accept loop would wait longer than usual.
constexpr Habit kResident{UINT64_MAX, 200ms, 100ms, 0ms};
constexpr Habit kVisitor{45, 20ms, 100ms, 900ms};

std::vector<std::unique_ptr<Client>> makeClients(Context &context, const std::string &address, std::size_t count)
{
    std::vector<std::unique_ptr<Client>> clients;
    for (std::size_t i = 0; i < count; ++i)
        clients.push_back(std::make_unique<Client>(context, address, i % 3 == 2 ? kVisitor : kResident, i + 1));
    return clients;
}

/// Prints one line per second until the time is over or a stop is requested.
void reportStatus(Context &context, std::uint64_t seconds)
{
    std::uint64_t answered = 0;
    for (std::uint64_t second = 1; second <= seconds; ++second) {
        if (!targets::sleepUnlessStopped(1s))
            return;
        const std::uint64_t now = context.requests.load(std::memory_order_relaxed);
        std::printf("%4llu s  %6llu requests/s  %4d connections open  %4zu tasks\n",
                    static_cast<unsigned long long>(second), static_cast<unsigned long long>(now - answered),
                    context.open.load(std::memory_order_relaxed), context.scheduler.tasksAlive());
        std::fflush(stdout);
        answered = now;
    }
}

/// Waits until all tasks have ended and returns true. Returns false if nothing was scheduled within one second: the
/// remaining tasks wait for resumptions that were lost.
bool drain(sched::Scheduler &scheduler)
{
    std::uint64_t before = 0;
    while (!scheduler.waitUntilIdle(1s)) {
        const std::uint64_t scheduled = scheduler.scheduled();
        if (scheduled == before && scheduler.queued() == 0)
            return false;
        before = scheduled;
    }
    return true;
}

}  // namespace

int runDemo(int argc, char **argv, sched::Registration registration, unsigned seconds)
{
    targets::Arguments arguments("a server and its clients on one scheduler");
    arguments.number("--connections", 168, 3, 10'000, "clients, and connections served at a time")
        .number("--threads", 4, 1, 256, "workers of the scheduler")
        .number("--seconds", seconds, 0, 86'400, "how long; SIGTERM ends it earlier");
    arguments.parse(argc, argv);
    targets::handleStopSignals();
    corotracer::InitTracer();

    const std::size_t connections = arguments.value("--connections");
    sched::Scheduler scheduler(static_cast<unsigned>(arguments.value("--threads")), registration);
    Context context(scheduler, connections);
    Acceptor acceptor(context);
    const auto clients = makeClients(context, acceptor.address(), connections);
    scheduler.spawn(acceptor.run());
    for (const std::unique_ptr<Client> &client : clients)
        scheduler.spawn(client->run());
    reportStatus(context, arguments.value("--seconds"));

    context.stopping.store(true, std::memory_order_relaxed);
    acceptor.close();
    const bool allEnded = drain(scheduler);
    scheduler.stop();
    targets::Truth truth = targets::collectTruth();
    const std::uint64_t answered = context.requests.load(std::memory_order_relaxed);
    std::uint64_t wrong = 0;
    for (const std::unique_ptr<Client> &client : clients)
        wrong += client->wrongAnswers();
    truth.more = {{"requests", answered}, {"wrong_answers", wrong}};
    std::printf("%llu requests answered, %zu tasks never ended\n", static_cast<unsigned long long>(answered),
                scheduler.tasksAlive());
    const bool written = targets::writeReport(truth);
    std::fflush(stdout);
    if (!allEnded)
        std::_Exit(written && registration == sched::Registration::TrustEdges ? 0 : 1);
    return written && wrong == 0 ? 0 : 1;
}

}  // namespace server
