// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The examples of docs/probe.md, with what they leave out.
#include "example_includes.h"

#include <chrono>
#include <coroutine>
#include <mutex>

namespace start {
#include "example1.h"
}  // namespace start

namespace by_hand {
template <class T>
struct waiters {
    bool try_lock();
    void enqueue(std::coroutine_handle<> waiter, corotracer::PromiseMixin &promise);
};
corotracer::PromiseMixin &front_promise();
std::coroutine_handle<> pop_front();
void schedule(std::coroutine_handle<> next);
#define CT_OMITTED                                                                                                     \
    waiters<Mutex> &mutex;                                                                                             \
    void await_resume();
#include "example2.h"
}  // namespace by_hand

namespace my {
template <class T>
struct channel {
    explicit channel(int capacity);
    std::suspend_never receive();
};
std::suspend_never sleep_until(std::chrono::steady_clock::time_point deadline);
}  // namespace my
struct task {
    struct promise_type : corotracer::PromiseMixin {
        task get_return_object();
        auto initial_suspend() { return trace_initial_suspend(); }
        auto final_suspend() noexcept { return trace_final_suspend(); }
        void return_void();
        void unhandled_exception();
    };
};
task wrappers(std::chrono::steady_clock::time_point deadline)
{
#include "example3.h"
}

#undef CT_OMITTED
#define CT_OMITTED
namespace flight {
#include "example4.h"
}  // namespace flight

namespace off {
#include "example5.h"
}  // namespace off
