// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program written for the existing C++ SDK compiles unchanged. The program between the two separators uses only
// "coroTracer.h" and names of that SDK. The code behind it checks the published events.

// ---------------------------------------------------------------- the program
#include "coroTracer.h"

namespace program {

struct Job {
    struct promise_type : public corotracer::PromiseMixin {
        int result = 0;

        Job get_return_object() { return Job{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_value(int value) { result = value; }
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
};

// Wraps the mixin's await_transform and builds a TracedAwaiter by hand.
struct Manual {
    struct promise_type : public corotracer::PromiseMixin {
        Manual get_return_object() { return Manual{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        auto initial_suspend() { return corotracer::TracedAwaiter<std::suspend_always>{std::suspend_always{}, this}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        template <typename T>
        auto await_transform(T &&awaitable)
        {
            return corotracer::PromiseMixin::await_transform(std::forward<T>(awaitable));
        }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
};

struct Sleep {
    int rounds;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<>) { --rounds; }
    int await_resume() { return rounds; }
};

inline Job work(int n)
{
    Sleep nap{n};
    while (co_await nap > 0) {
    }
    co_await std::suspend_always{};
    co_return 42;
}

inline Manual manual()
{
    co_await Sleep{1};
}

// A promise that is copied, as some schedulers do for their own data.
struct Tracked : corotracer::PromiseMixin {
    int id = 0;
};

inline int run()
{
    corotracer::InitTracer();
    Job job = work(3);
    while (!job.handle.done())
        job.handle.resume();
    const int result = job.handle.promise().result;
    Manual other = manual();
    other.handle.resume();
    other.handle.resume();
    Tracked tracked;
    tracked.id = 7;
    Tracked copy = tracked;
    copy.write_trace(0x1234, false);
    copy.write_trace(0, true);
    if (copy.my_station)
        std::cerr << "station " << copy.my_station->header.probe_id << ", " << copy.event_count << " events, thread "
                  << corotracer::get_tid() << " at " << corotracer::get_ns() << "\n";
    corotracer::StationData *station = job.handle.promise().my_station;
    job.handle.destroy();
    other.handle.destroy();
    return station != nullptr ? result : -result;
}

}  // namespace program
// ---------------------------------------------------------------- end of the program

#include "probetest.h"

namespace {

using namespace probetest;

CT_CASE(tracesAProgramOfTheOldSdk)
{
    const Region region;
    inChild([&] {
        CHECK_EQUAL(program::run(), 42);
        CHECK_EQUAL(region.pattern(0), "SRSRSRSR");
        CHECK_EQUAL(region.station(0).header.is_dead.load(), 1);
        CHECK_EQUAL(region.pattern(1), "SRSR");
        CHECK_EQUAL(region.allocated(), 4U);
        CHECK_EQUAL(region.pattern(2), "");
        CHECK_EQUAL(region.pattern(3), "SR");
        CHECK_EQUAL(region.events(3)[0].addr, 0x1234U);
    });
}

CT_CASE(runsAnUntracedProgramOfTheOldSdk)
{
    inChild([] { CHECK_EQUAL(program::run(), -42); });
}

}  // namespace
