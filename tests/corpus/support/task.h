// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The coroutine type of the corpus: a lazy task, traced by the probe or as version 1 does.
#pragma once

#include "coroTracer.h"
#include "setting.h"
#include "support/oldsdkwriter.h"

#include <coroutine>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace corpus {

class Pool;

/// Writes the events of one suspension as version 1 does, around an awaitable that the probe traces or leaves alone.
template <class Inner>
struct Version1Awaiter {
    Inner inner;
    targets::OldSdkWriter *writer;  ///< null: not version 1
    bool isSuspended = false;

    bool await_ready() { return inner.await_ready(); }
    template <class Promise>
    auto await_suspend(std::coroutine_handle<Promise> self)
    {
        if (writer != nullptr) {
            isSuspended = true;
            writer->write(reinterpret_cast<std::uint64_t>(self.address()), false);
        }
        return inner.await_suspend(self);  // another thread may run the coroutine from here on
    }
    decltype(auto) await_resume()
    {
        if (isSuspended)
            writer->write(0, true);
        return inner.await_resume();
    }
};

/// The promise of all tasks: what a program adds to its own promise to be traced.
class Promise : public corotracer::PromiseMixin {
public:
    Promise() : PromiseMixin(!isVersion1())
    {
        if (isVersion1())
            m_writer.emplace(version1Region(), reinterpret_cast<std::uint64_t>(this));
    }

    auto initial_suspend(corotracer::location where = corotracer::location::current())
    {
        return trace_initial_suspend(std::suspend_always{}, where);
    }
    void unhandled_exception() noexcept { exception = std::current_exception(); }
    template <class Awaitable>
    auto await_transform(Awaitable &&awaitable, corotracer::location where = corotracer::location::current())
    {
        using Inner = decltype(trace(std::forward<Awaitable>(awaitable), where));
        return Version1Awaiter<Inner>{trace(std::forward<Awaitable>(awaitable), where),
                                      m_writer ? &*m_writer : nullptr};
    }

    /// The event of a task that is no coroutine: it runs, or it has stopped.
    void writeByHand(bool isActive)
    {
        const std::uint64_t address = isActive ? 0 : reinterpret_cast<std::uint64_t>(this);
        if (m_writer)
            m_writer->write(address, isActive);
        else
            write_trace(address, isActive);
    }

    std::coroutine_handle<> continuation = std::noop_coroutine();
    std::exception_ptr exception;
    Pool *owner = nullptr;  ///< the pool that started the task; null for an awaited one

private:
    std::optional<targets::OldSdkWriter> m_writer;
};

/// A suspended coroutine that somebody has to wake.
struct Waiter {
    std::coroutine_handle<> handle;
    Promise *promise = nullptr;

    explicit operator bool() const { return static_cast<bool>(handle); }
    bool operator==(const Waiter &other) const { return handle == other.handle; }
};

/// Ends a task: resumes the coroutine that awaits it, or destroys a task that a pool started.
struct EndOfTask {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class P>
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<P> ended) const noexcept
    {
        if (ended.promise().owner == nullptr)
            return ended.promise().continuation;
        retire(ended, ended.promise());
        return std::noop_coroutine();
    }
    void await_resume() const noexcept {}

private:
    static void retire(std::coroutine_handle<> ended, Promise &promise) noexcept;
};

template <class T>
struct TaskPromise;

/// A coroutine that starts when it is awaited or given to a pool, and gives a T.
template <class T = void>
class [[nodiscard]] Task {
public:
    using promise_type = TaskPromise<T>;

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

    class Awaiter {
    public:
        explicit Awaiter(std::coroutine_handle<promise_type> task) : m_task(task) {}
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        template <class P>
        [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<P> awaiting) const noexcept
        {
            if (reportsCauses())
                awaiting.promise().waits_on(m_task.promise());
            m_task.promise().continuation = awaiting;
            return m_task;
        }
        T await_resume() const { return m_task.promise().take(); }

    private:
        std::coroutine_handle<promise_type> m_task;
    };
    [[nodiscard]] Awaiter operator co_await() &&noexcept { return Awaiter(m_handle); }

    /// Gives the frame away, to be resumed by somebody else.
    [[nodiscard]] Waiter release()
    {
        const auto handle = std::exchange(m_handle, nullptr);
        return {handle, &handle.promise()};
    }
    [[nodiscard]] bool isDone() const { return m_handle.done(); }

private:
    std::coroutine_handle<promise_type> m_handle;
};

template <class T>
struct TaskPromise : Promise {
    Task<T> get_return_object() { return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this)); }
    auto final_suspend() noexcept { return trace_final_suspend(EndOfTask{}); }
    void return_value(T result) { value.emplace(std::move(result)); }
    T take()
    {
        if (exception)
            std::rethrow_exception(exception);
        return std::move(*value);
    }

    std::optional<T> value;
};

template <>
struct TaskPromise<void> : Promise {
    Task<void> get_return_object() { return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this)); }
    auto final_suspend() noexcept { return trace_final_suspend(EndOfTask{}); }
    void return_void() const noexcept {}
    void take() const
    {
        if (exception)
            std::rethrow_exception(exception);
    }
};

/// Suspends, and calls `enqueue` with the suspended coroutine. If that returns false, the coroutine goes on at once.
/// Reports the wait, if it is for an object.
template <class Enqueue>
class Park {
public:
    Park(std::optional<corotracer::waited> object, Enqueue enqueue) : m_object(object), m_enqueue(std::move(enqueue)) {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class P>
    [[nodiscard]] bool await_suspend(std::coroutine_handle<P> self)
    {
        if (m_object && reportsCauses())
            self.promise().waits_on(*m_object);
        return m_enqueue(Waiter{self, &self.promise()});
    }
    void await_resume() const noexcept {}

private:
    std::optional<corotracer::waited> m_object;
    Enqueue m_enqueue;
};
template <class Enqueue>
[[nodiscard]] auto park(std::optional<corotracer::waited> object, Enqueue enqueue)
{
    return Park<Enqueue>(object, std::move(enqueue));
}

// What the program reports about objects, in the variant with causes.
inline void reportSignal(const void *object, corotracer::location where = corotracer::location::current())
{
    if (reportsCauses())
        corotracer::note_signalled(object, where);
}
inline void reportAcquired(const void *object, corotracer::location where = corotracer::location::current())
{
    if (reportsCauses())
        corotracer::note_acquired(object, where);
}
inline void reportReleased(const void *object, corotracer::location where = corotracer::location::current())
{
    if (reportsCauses())
        corotracer::note_released(object, where);
}
/// Nothing is left that could wake the coroutine.
inline void reportNoWaker(const Waiter &waiter)
{
    if (reportsCauses() && waiter)
        corotracer::note_wakers_left(*waiter.promise, 0);
}

}  // namespace corpus
