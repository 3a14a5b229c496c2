// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A coroutine that is resumed every few ms, and threads that do one thing each: wait for a condition for ever, wait in
// an epoll with an armed timer for ever, and burn processor time.
#include "support/arguments.h"
#include "support/job.h"
#include "support/stop.h"

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;

targets::Job tick()
{
    while (!targets::stopRequested())
        co_await std::suspend_always{};
}

std::atomic<bool> g_mayEnd{false};

/// Starts a thread that runs until the process ends, and returns its id.
template <class Body>
int start(Body body)
{
    std::atomic<int> id{0};
    std::thread([&id, body] {
        id.store(::gettid());
        body();
    }).detach();
    while (id.load() == 0)
        std::this_thread::yield();
    return id.load();
}

void waitForACondition()
{
    static std::mutex mutex;
    static std::condition_variable condition;
    std::unique_lock lock(mutex);
    condition.wait(lock, [] { return g_mayEnd.load(); });
}

/// Waits for a timer that expires in an hour.
void waitForATimer()
{
    const int epoll = ::epoll_create1(0);
    const int timer = ::timerfd_create(CLOCK_MONOTONIC, 0);
    itimerspec hour{};
    hour.it_value.tv_sec = 3600;
    ::timerfd_settime(timer, 0, &hour, nullptr);
    epoll_event event{};
    event.events = EPOLLIN;
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event);
    while (!g_mayEnd)
        ::epoll_wait(epoll, &event, 1, -1);
}

void burn()
{
    while (!g_mayEnd) {
    }
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("threads that do one thing each, and a coroutine that is resumed every few ms");
    arguments.number("--seconds", 0, 0, 86'400, "end by itself after so long, 0 = only on SIGTERM");
    arguments.parse(argc, argv);
    targets::handleStopSignals();
    corotracer::InitTracer();

    const int waiting = start(waitForACondition);
    const int polling = start(waitForATimer);
    const int burning = start(burn);
    std::printf("{\"condition\": %d, \"epoll\": %d, \"burns\": %d}\n", waiting, polling, burning);
    std::fflush(stdout);
    {
        const auto seconds = std::chrono::seconds(arguments.value("--seconds"));
        const auto end = std::chrono::steady_clock::now() + (seconds == 0s ? 24h : seconds);
        const targets::Job job = tick();
        while (!targets::stopRequested() && std::chrono::steady_clock::now() < end) {
            job.handle().resume();
            targets::sleepUnlessStopped(5ms);
        }
    }
    const bool isWritten = targets::writeReport(targets::collectTruth());
    g_mayEnd = true;
    std::fflush(nullptr);
    ::_exit(isWritten ? 0 : 1);  // two threads never end
}
