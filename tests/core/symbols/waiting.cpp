// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A target built with an existing SDK: it publishes only the addresses of its coroutines' frames. Some coroutines wait
// forever, others are resumed in turns. Ends after TENTHS tenths of a second, or on SIGTERM.
//   waiting [TENTHS [COROUTINES OF EACH SORT]]
// With 0 tenths, the coroutines stop taking turns after 0.6 s. The only thread then waits on a semaphore until SIGTERM
// comes. Seen from outside, this is a stall: nothing that the thread waits for can come from another process.
// Prints "waited long enough" when the coroutines that are never resumed have waited for 6 s, and ten times longer than
// any other wait. Then they are stuck by any measure, however slow the machine is.
#include "support/oldsdkwriter.h"

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>
#include <vector>

#include <semaphore.h>
#include <time.h>

namespace {

std::vector<std::coroutine_handle<>> ready;
volatile std::sig_atomic_t stopped = 0;
sem_t stopRequested;
const targets::RawRegion *region = nullptr;

}  // namespace

struct Task {
    struct promise_type {
        promise_type() : writer(region, reinterpret_cast<std::uint64_t>(this)) {}
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }

        template <class Awaitable>
        struct Traced {
            targets::OldSdkWriter &writer;
            Awaitable awaitable;
            bool await_ready() const noexcept { return false; }
            void await_suspend(std::coroutine_handle<> self)
            {
                writer.write(reinterpret_cast<std::uint64_t>(self.address()), false);
                awaitable.wait(self);
            }
            void await_resume() { writer.write(0, true); }
        };
        template <class Awaitable>
        Traced<Awaitable> await_transform(Awaitable awaitable)
        {
            return {writer, awaitable};
        }

        targets::OldSdkWriter writer;
    };

    std::coroutine_handle<promise_type> handle;
};

struct Turn {
    void wait(std::coroutine_handle<> self) const { ready.push_back(self); }
};

/// A wait that never ends.
struct LostWake {
    void wait(std::coroutine_handle<>) const {}
};

namespace work {

template <class Key, class Value>
struct Request {
    Key key;
    Value value;
};

Task taker()
{
    for (;;)
        co_await Turn{};  // MARK taker
}

Task fetch_from_the_far_side(Request<std::pair<int, long>, std::vector<std::pair<unsigned, double>>> request)
{
    co_await Turn{};
    if (request.key.first >= 0)
        co_await LostWake{};  // MARK fetch
    request.value.clear();
}

}  // namespace work

int main(int argc, char **argv)
{
    ::sem_init(&stopRequested, 0, 0);
    std::signal(SIGTERM, [](int) {
        stopped = 1;
        ::sem_post(&stopRequested);
    });
    const auto mapped = targets::RawRegion::fromEnvironment(true);
    region = mapped ? &*mapped : nullptr;
    const long tenths = argc > 1 ? std::atol(argv[1]) : 600;
    const long steps = tenths > 0 ? tenths * 10 : 60;
    const int count = argc > 2 ? std::atoi(argv[2]) : 3;
    std::vector<Task> tasks;
    for (int i = 0; i < count; ++i) {
        tasks.push_back(work::taker());
        tasks.push_back(work::fetch_from_the_far_side({{i, i}, {{1U, 2.0}}}));
    }
    // The first takers get their turn slowly, so they wait most of the time.
    const timespec pause{0, 10'000'000};
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    Clock::time_point latestTurn = start;
    Clock::duration longestTurn = std::chrono::milliseconds(600);
    bool isReported = false;
    for (long step = 0; step < steps && stopped == 0; ++step) {
        ::nanosleep(&pause, nullptr);
        const Clock::time_point now = Clock::now();
        longestTurn = std::max(longestTurn, now - latestTurn);
        if (!isReported && now - start >= 10 * longestTurn) {
            isReported = true;
            std::puts("waited long enough");
            std::fflush(stdout);
        }
        if (step % 20 != 0)
            continue;
        latestTurn = now;
        for (const std::coroutine_handle<> handle : std::exchange(ready, {}))
            handle.resume();
    }
    while (tenths == 0 && stopped == 0)
        ::sem_wait(&stopRequested);
    for (const Task &task : tasks)
        task.handle.destroy();
    return 0;
}
