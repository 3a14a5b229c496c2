// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A traced shared object with hidden visibility. tst_probe_modules loads two objects built from this source.
#include "coroTracer.h"

namespace {

struct Task {
    struct promise_type : corotracer::PromiseMixin {
        Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept {}
    };
    explicit Task(std::coroutine_handle<promise_type> from) : handle(from) {}
    std::coroutine_handle<promise_type> handle;
};

Task waitHere()
{
    co_await std::suspend_always{};
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void module_init()
{
    corotracer::InitTracer();
}

/// Suspends, resumes and destroys one coroutine. Returns whether it had a station.
extern "C" __attribute__((visibility("default"))) int module_run()
{
    const Task task = waitHere();
    task.handle.resume();
    const bool traced = task.handle.promise().my_station != nullptr;
    task.handle.destroy();
    return traced ? 1 : 0;
}

/// Publishes `count` events of a new coroutine. Returns whether it was traced.
extern "C" __attribute__((visibility("default"))) int module_events(int count)
{
    corotracer::PromiseMixin promise;
    for (int i = 0; i < count; ++i)
        promise.write_trace(static_cast<std::uint64_t>(i) + 1, i % 2 == 1);
    return promise.is_traced() ? 1 : 0;
}

extern "C" __attribute__((visibility("default"))) const void *module_state()
{
    return &corotracer::detail::page_v2;
}
