// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/countedpromise.h"

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace sched {

template <class T>
class Task;

namespace detail {

/// Resumes the awaiting coroutine when a task ends, by symmetric transfer. This needs no run queue, and the stack does
/// not grow.
struct ResumeContinuation {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept
    {
        return ended.promise().continuation;
    }
    void await_resume() const noexcept {}
};

/// The code that tracing adds to a promise type: the base class, and two lines for initial and final suspension.
struct TaskPromiseBase : targets::CountedPromise {
    auto initial_suspend() { return trace_initial_suspend(); }
    auto final_suspend() noexcept { return trace_final_suspend(ResumeContinuation{}); }
    void unhandled_exception() noexcept { exception = std::current_exception(); }

    std::coroutine_handle<> continuation = std::noop_coroutine();
    std::exception_ptr exception;
};

template <class T>
struct TaskPromise : TaskPromiseBase {
    Task<T> get_return_object();
    template <class U>
    void return_value(U &&result)
    {
        value.emplace(std::forward<U>(result));
    }
    T take()
    {
        if (exception)
            std::rethrow_exception(exception);
        return std::move(*value);
    }

    std::optional<T> value;
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
    Task<void> get_return_object();
    void return_void() const noexcept {}
    void take() const
    {
        if (exception)
            std::rethrow_exception(exception);
    }
};

}  // namespace detail

/// A lazy coroutine. It starts on the awaiting thread when it is awaited, and returns a T or rethrows its exception.
/// Await it at most once. Destroying a suspended Task destroys everything that its frame owns.
template <class T = void>
class [[nodiscard]] Task {
public:
    using promise_type = detail::TaskPromise<T>;

    explicit Task(std::coroutine_handle<promise_type> handle) : m_handle(handle) {}
    Task(Task &&other) noexcept : m_handle(std::exchange(other.m_handle, nullptr)) {}
    Task &operator=(Task &&other) noexcept
    {
        std::swap(m_handle, other.m_handle);
        return *this;
    }
    ~Task()
    {
        if (m_handle)
            m_handle.destroy();
    }

    /// Tells the tracer which coroutine is awaited.
    [[nodiscard]] std::coroutine_handle<promise_type> handle() const noexcept { return m_handle; }

    auto operator co_await() &&noexcept
    {
        struct Awaiter {
            std::coroutine_handle<promise_type> task;
            [[nodiscard]] bool await_ready() const noexcept { return false; }
            [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept
            {
                task.promise().continuation = awaiting;
                return task;
            }
            T await_resume() const { return task.promise().take(); }
        };
        return Awaiter{m_handle};
    }

private:
    std::coroutine_handle<promise_type> m_handle;
};

template <class T>
Task<T> detail::TaskPromise<T>::get_return_object()
{
    return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

inline Task<void> detail::TaskPromise<void>::get_return_object()
{
    return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

}  // namespace sched
