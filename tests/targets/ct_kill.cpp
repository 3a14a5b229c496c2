// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A target to be killed at a random moment: births, deaths, coroutines that move between threads, and threads that
// start and end. With --seconds it ends in order, and a test can compare its counts with the capture.
#include "support/arguments.h"
#include "support/hub.h"
#include "support/stop.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr unsigned kLongestLife = 64;   ///< suspensions
constexpr unsigned kLongestVisit = 16;  ///< resumptions before the coroutine returns to the hub
constexpr unsigned kVisitsPerThread = 2000;

targets::Job live(unsigned rounds)
{
    auto &self = co_await targets::Self{};
    if (rounds % 3 == 0)
        self.set_name("lives for " + std::to_string(rounds));
    for (unsigned i = 0; i < rounds; ++i) {
        if (i % 4 == 0)
            self.waits_on(corotracer::wait::lock, &self);
        co_await targets::Turn{};
    }
}

/// Fetches coroutines from the hub, resumes each a few times, and returns it. Replaces an ended coroutine by a new one.
/// Sleeps 1 ms after every `visitsPerRest` visits; 0 = never.
void visit(targets::Hub &hub, unsigned seed, std::uint64_t visitsPerRest)
{
    std::minstd_rand random(seed);
    corotracer::name_thread("visitor " + std::to_string(seed));
    for (unsigned visits = 0; visits < kVisitsPerThread && !targets::stopRequested(); ++visits) {
        std::optional<targets::Job> job = hub.take();
        if (!job) {
            std::this_thread::yield();
            continue;
        }
        if (visits % 2 == 0)
            corotracer::note_wake(job->promise());
        for (unsigned i = random() % kLongestVisit; i > 0 && !job->done(); --i)
            job->handle().resume();
        if (job->done()) {
            targets::Job child = live(1 + random() % kLongestLife);
            child.promise().set_parent(job->promise());
            job.emplace(std::move(child));
        }
        hub.put(std::move(*job));
        if (visitsPerRest != 0 && visits % visitsPerRest == 0)
            std::this_thread::sleep_for(1ms);
    }
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("births, deaths and hops between threads that come and go, until it is killed");
    arguments.number("--coroutines", 500, 1, 1'000'000, "coroutines alive at once")
        .number("--threads", 3, 1, 64, "threads at a time")
        .number("--visits-per-ms", 0, 0, 1'000'000, "of each thread, 0 = as many as there can be")
        .number("--seconds", 0, 0, 86'400, "end in order after so long, 0 = on SIGTERM only");
    arguments.parse(argc, argv);
    targets::handleStopSignals();
    corotracer::InitTracer();

    {
        targets::Hub hub;
        for (std::uint64_t i = 0; i < arguments.value("--coroutines"); ++i)
            hub.put(live(1 + static_cast<unsigned>(i) % kLongestLife));
        std::printf("running\n");
        std::fflush(stdout);
        const bool ends = arguments.value("--seconds") != 0;
        const auto end = Clock::now() + std::chrono::seconds(arguments.value("--seconds"));
        unsigned seed = 1;
        std::vector<std::thread> threads(arguments.value("--threads"));
        while (!targets::stopRequested() && !(ends && Clock::now() >= end)) {
            for (std::thread &thread : threads) {
                if (thread.joinable())
                    thread.join();
                thread = std::thread(visit, std::ref(hub), ++seed, arguments.value("--visits-per-ms"));
            }
        }
        for (std::thread &thread : threads)
            thread.join();
    }
    const targets::Truth truth = targets::collectTruth();
    return targets::writeReport(truth) ? 0 : 1;
}
