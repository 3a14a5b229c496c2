// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "countedpromise.h"
#include "simplescheduler.h"

#include <coroutine>
#include <exception>
#include <utility>

namespace targets {

/// `co_await Self{}` gives a coroutine its own promise, without a suspension.
struct Self {};

/// A minimal traced coroutine. It starts and ends suspended, and the Job owns it. Initial and final suspension are not
/// traced. So each co_await of a Turn causes exactly two events, and there are no others.
class [[nodiscard]] Job {
public:
    struct promise_type : CountedPromise {
        Job get_return_object() { return Job(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }

        using CountedPromise::await_transform;
        struct OwnPromise {
            promise_type &self;
            [[nodiscard]] bool await_ready() const noexcept { return true; }
            void await_suspend(std::coroutine_handle<>) const noexcept {}
            [[nodiscard]] promise_type &await_resume() const noexcept { return self; }
        };
        OwnPromise await_transform(Self) noexcept { return {*this}; }
    };

    Job(Job &&other) noexcept : m_handle(std::exchange(other.m_handle, nullptr)) {}
    Job &operator=(Job &&other) noexcept
    {
        std::swap(m_handle, other.m_handle);
        return *this;
    }
    ~Job()
    {
        if (m_handle)
            m_handle.destroy();
    }

    [[nodiscard]] std::coroutine_handle<> handle() const { return m_handle; }
    [[nodiscard]] promise_type &promise() const { return m_handle.promise(); }
    [[nodiscard]] bool done() const { return m_handle.done(); }

private:
    explicit Job(std::coroutine_handle<promise_type> handle) : m_handle(handle) {}

    std::coroutine_handle<promise_type> m_handle;
};

}  // namespace targets
