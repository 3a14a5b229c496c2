// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "stop.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

namespace targets {

namespace {

std::atomic<bool> stopFlag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler stores it");

void onStopSignal(int)
{
    stopFlag.store(true, std::memory_order_relaxed);
}

}  // namespace

void handleStopSignals()
{
    struct sigaction action = {};
    action.sa_handler = onStopSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, nullptr);
    sigaction(SIGINT, &action, nullptr);
    sigset_t handled;
    sigemptyset(&handled);
    sigaddset(&handled, SIGTERM);
    sigaddset(&handled, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &handled, nullptr);
}

bool stopRequested()
{
    return stopFlag.load(std::memory_order_relaxed);
}

bool sleepUnlessStopped(std::chrono::nanoseconds duration)
{
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + duration;
    while (!stopRequested()) {
        const auto left = end - Clock::now();
        if (left <= left.zero())
            return true;
        std::this_thread::sleep_for(std::min<Clock::duration>(left, std::chrono::milliseconds(5)));
    }
    return false;
}

}  // namespace targets
