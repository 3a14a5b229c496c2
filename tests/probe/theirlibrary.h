// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A small coroutine library that knows nothing of the probe, as a library of somebody else. Its awaiters ask for
// handles of exactly their promise types, one promise is final, and one is made from the coroutine's arguments.
#pragma once

#include <coroutine>
#include <cstdlib>
#include <deque>
#include <new>
#include <utility>

namespace their {

/// The library's run queue: handles without types.
inline std::deque<std::coroutine_handle<>> ready;

/// Called with each handle that becomes ready: the library's only hook.
inline void (*onReady)(std::coroutine_handle<>) = nullptr;

inline void schedule(std::coroutine_handle<> handle)
{
    if (onReady != nullptr)
        onReady(handle);
    ready.push_back(handle);
}

inline void run()
{
    while (!ready.empty()) {
        const std::coroutine_handle<> next = ready.front();
        ready.pop_front();
        next.resume();
    }
}

/// One coroutine waits until it opens.
struct gate {
    bool open = false;
    std::coroutine_handle<> waiter;
    void let()
    {
        open = true;
        if (waiter)
            schedule(std::exchange(waiter, nullptr));
    }
};

template <class T>
class task;

template <class T>
struct task_promise;

struct task_promise_base {
    std::coroutine_handle<> continuation = std::noop_coroutine();

    struct final_awaiter {
        bool await_ready() noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept
        {
            return static_cast<task_promise_base &>(self.promise()).continuation;
        }
        void await_resume() noexcept {}
    };
    std::suspend_always initial_suspend() noexcept { return {}; }
    final_awaiter final_suspend() noexcept { return {}; }
    void unhandled_exception() noexcept { std::abort(); }

    /// Only coroutines with a promise of exactly this family may await a task.
    template <class T>
    struct task_awaiter {
        std::coroutine_handle<task_promise<T>> callee;
        bool await_ready() noexcept { return false; }
        template <class U>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<task_promise<U>> caller) noexcept
        {
            callee.promise().continuation = caller;
            return callee;
        }
        T await_resume() { return callee.promise().result(); }
    };
    struct gate_awaiter {
        gate &at;
        bool await_ready() noexcept { return at.open; }
        void await_suspend(std::coroutine_handle<> self) noexcept { at.waiter = self; }
        void await_resume() noexcept {}
    };
    template <class T>
    task_awaiter<T> await_transform(task<T> &&callee) noexcept;
    template <class T>
    task_awaiter<T> await_transform(task<T> &callee) noexcept;
    gate_awaiter await_transform(gate &at) noexcept { return {at}; }
};

template <class T>
struct task_promise : task_promise_base {
    T value{};
    task<T> get_return_object() noexcept;
    void return_value(T returned) { value = returned; }
    T result() { return value; }
};
template <>
struct task_promise<void> : task_promise_base {
    task<void> get_return_object() noexcept;
    void return_void() noexcept {}
    void result() noexcept {}
};

/// Starts when it is awaited or resumed. Owns its coroutine.
template <class T>
class task {
public:
    using promise_type = task_promise<T>;
    explicit task(std::coroutine_handle<promise_type> from) : m_handle(from) {}
    task(task &&other) noexcept : m_handle(std::exchange(other.m_handle, nullptr)) {}
    ~task()
    {
        if (m_handle)
            m_handle.destroy();
    }
    std::coroutine_handle<promise_type> native_handle() const noexcept { return m_handle; }

private:
    std::coroutine_handle<promise_type> m_handle;
};
template <class T>
task<T> task_promise<T>::get_return_object() noexcept
{
    return task<T>(std::coroutine_handle<task_promise>::from_promise(*this));
}
inline task<void> task_promise<void>::get_return_object() noexcept
{
    return task<void>(std::coroutine_handle<task_promise>::from_promise(*this));
}
template <class T>
task_promise_base::task_awaiter<T> task_promise_base::await_transform(task<T> &&callee) noexcept
{
    return {callee.native_handle()};
}
template <class T>
task_promise_base::task_awaiter<T> task_promise_base::await_transform(task<T> &callee) noexcept
{
    return {callee.native_handle()};
}

template <class T>
struct eager;

template <class T>
class eager_promise final {
public:
    eager<T> get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void unhandled_exception() noexcept { std::abort(); }
    void return_value(T value) noexcept { eager<T>::last = value; }
    template <class A>
    A &&await_transform(A &&awaitable) noexcept
    {
        return static_cast<A &&>(awaitable);
    }
};

/// Starts at once, and destroys itself at its end. Its promise is final, and leaves every awaitable as it is.
template <class T>
struct eager {
    using promise_type = eager_promise<T>;
    static inline T last{};
};

/// Made from the coroutine's first argument, which also provides the memory of the frame. No await_transform.
struct counted {
    struct promise_type {
        explicit promise_type(int &start) noexcept : count(start) { ++count; }
        counted get_return_object() noexcept { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void unhandled_exception() noexcept { std::abort(); }
        void return_void() noexcept {}
        static void *operator new(std::size_t size, int &start)
        {
            start += 100;
            return ::operator new(size);
        }
        static void operator delete(void *frame) noexcept { ::operator delete(frame); }
        int &count;
    };
    std::coroutine_handle<promise_type> handle;
};

template <class T>
struct generator {
    struct promise_type {
        generator get_return_object() noexcept
        {
            return generator(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void unhandled_exception() noexcept { std::abort(); }
        void return_void() noexcept {}
        std::suspend_always yield_value(T next) noexcept
        {
            value = next;
            return {};
        }
        template <class A>
        void await_transform(A &&) = delete;
        T value{};
    };
    explicit generator(std::coroutine_handle<promise_type> from) noexcept : handle(from) {}
    generator(generator &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    ~generator()
    {
        if (handle)
            handle.destroy();
    }
    std::coroutine_handle<promise_type> handle;
};

}  // namespace their
