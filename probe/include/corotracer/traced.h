// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Traced, a wrapper that reports how a program uses its locks, semaphores, events and channels, and awaiting(), which
// reports what one co_await waits for. Both work with every kind of build, also with -DCOROTRACER_OFF.
#pragma once

#include "coroTracer.h"

#include <concepts>
#include <coroutine>
#include <type_traits>
#include <utility>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
#if defined(COROTRACER_OFF)
inline namespace compiled_out {
#endif

/// Awaits `inner`. Its suspension waits for `object`. With `acquires`, the coroutine has acquired the object when it
/// continues, also if it did not wait. The coroutine's promise has to derive from PromiseMixin; otherwise nothing is
/// reported of the wait.
template <class Awaitable, bool acquires>
struct ReportingAwaiter : detail::awaiter_storage<Awaitable> {
    using storage = detail::awaiter_storage<Awaitable>;
    using storage::inner;

    template <class U>
    ReportingAwaiter(U &&from, waited what,
                     location where = location::current()) noexcept(std::is_nothrow_constructible_v<storage, U &&>)
        : storage(static_cast<U &&>(from)), object(what), where_(where)
    {
    }

    bool await_ready() noexcept(noexcept(static_cast<bool>(inner.await_ready())))
    {
        return static_cast<bool>(inner.await_ready());
    }

    template <class Promise>
    auto await_suspend(std::coroutine_handle<Promise> self) noexcept(noexcept(inner.await_suspend(self)))
    {
        // Before another thread may resume the coroutine.
        if constexpr (std::derived_from<Promise, PromiseMixin>)
            static_cast<PromiseMixin &>(self.promise()).waits_on(object);
        return inner.await_suspend(self);
    }

    decltype(auto) await_resume() noexcept(noexcept(inner.await_resume()))
    {
        using Result = decltype(inner.await_resume());
        if constexpr (!acquires) {
            return inner.await_resume();
        } else if constexpr (std::is_void_v<Result>) {
            inner.await_resume();
            note();
        } else if constexpr (std::is_reference_v<Result>) {
            Result result = inner.await_resume();
            note();
            return static_cast<Result>(result);
        } else {
            Result result = inner.await_resume();
            note();
            return result;
        }
    }

    waited object;

private:
    void note() const noexcept
    {
        note_acquired(reinterpret_cast<const void *>(static_cast<std::uintptr_t>(object.object)), where_);
    }

    location where_;
};

/// Returns an awaitable that awaits `awaitable`, and reports what it waits for:
/// `co_await corotracer::awaiting({corotracer::wait::descriptor, fd}, readable(fd));`
/// An awaitable that cannot move must be an lvalue that outlives the co_await.
template <class Awaitable>
[[nodiscard]] auto awaiting(waited object, Awaitable &&awaitable) noexcept(
    std::is_nothrow_constructible_v<ReportingAwaiter<Awaitable, false>, Awaitable &&, waited>)
{
    static_assert(detail::may_be_returned<Awaitable>,
                  "an awaitable that cannot move must outlive this call: pass an lvalue");
    return ReportingAwaiter<Awaitable, false>(static_cast<Awaitable &&>(awaitable), object);
}

/// Owns an object of type T, and has those of its functions that are listed below, with the same results. A call
/// reports what it does with the object: as note_acquired, note_released and note_signalled, with the location of the
/// caller. If the function of T returns an awaitable, its suspension waits on the object. Every acquisition and release
/// costs as much as an event, also if nobody waits for the object.
///
/// - mutexes and semaphores: lock, try_lock, unlock; acquire, try_acquire, release
/// - events and conditions: set, signal, notify_one, notify_all; wait
/// - channels: send, push; receive, pop
///
/// All other functions are reached by `*` and `->`, without a report. A guard that unlocks the object of type T itself,
/// instead of calling unlock() of this wrapper, hides the release. Threads: as T.
template <class T>
class Traced {
public:
    template <class... Arguments>
    requires std::constructible_from<T, Arguments...>
    explicit Traced(Arguments &&...arguments) noexcept(std::is_nothrow_constructible_v<T, Arguments...>)
        : object_(static_cast<Arguments &&>(arguments)...)
    {
    }
    Traced(const Traced &) = delete;
    Traced &operator=(const Traced &) = delete;

    T &operator*() noexcept { return object_; }
    const T &operator*() const noexcept { return object_; }
    T *operator->() noexcept { return &object_; }
    const T *operator->() const noexcept { return &object_; }

    decltype(auto) lock(location where = location::current()) requires requires(T &object) { object.lock(); }
    {
        return acquire_by([](T &object) -> decltype(auto) { return object.lock(); }, where);
    }
    decltype(auto) acquire(location where = location::current()) requires requires(T &object) { object.acquire(); }
    {
        return acquire_by([](T &object) -> decltype(auto) { return object.acquire(); }, where);
    }
    bool try_lock(location where = location::current()) requires requires(T &object) { object.try_lock(); }
    {
        return acquired_if(object_.try_lock(), where);
    }
    bool try_acquire(location where = location::current()) requires requires(T &object) { object.try_acquire(); }
    {
        return acquired_if(object_.try_acquire(), where);
    }
    decltype(auto) unlock(location where = location::current()) requires requires(T &object) { object.unlock(); }
    {
        note_released(&object_, where);
        return object_.unlock();
    }
    decltype(auto) release(location where = location::current()) requires requires(T &object) { object.release(); }
    {
        note_released(&object_, where);
        return object_.release();
    }

    decltype(auto) set(location where = location::current()) requires requires(T &object) { object.set(); }
    {
        note_signalled(&object_, where);
        return object_.set();
    }
    decltype(auto) signal(location where = location::current()) requires requires(T &object) { object.signal(); }
    {
        note_signalled(&object_, where);
        return object_.signal();
    }
    decltype(auto) notify_one(location where = location::current()) requires requires(T &object)
    {
        object.notify_one();
    }
    {
        note_signalled(&object_, where);
        return object_.notify_one();
    }
    decltype(auto) notify_all(location where = location::current()) requires requires(T &object)
    {
        object.notify_all();
    }
    {
        note_signalled(&object_, where);
        return object_.notify_all();
    }
    decltype(auto) wait() requires requires(T &object) { object.wait(); }
    {
        return wait_by([](T &object) -> decltype(auto) { return object.wait(); }, corotracer::wait::other);
    }

    template <class Value>
    decltype(auto) send(Value &&value, location where = location::current()) requires requires(T &object)
    {
        object.send(static_cast<Value &&>(value));
    }
    {
        note_signalled(&object_, where);
        return wait_by([&](T &object) -> decltype(auto) { return object.send(static_cast<Value &&>(value)); },
                       corotracer::wait::channel);
    }
    template <class Value>
    decltype(auto) push(Value &&value, location where = location::current()) requires requires(T &object)
    {
        object.push(static_cast<Value &&>(value));
    }
    {
        note_signalled(&object_, where);
        return wait_by([&](T &object) -> decltype(auto) { return object.push(static_cast<Value &&>(value)); },
                       corotracer::wait::channel);
    }
    decltype(auto) receive() requires requires(T &object) { object.receive(); }
    {
        return wait_by([](T &object) -> decltype(auto) { return object.receive(); }, corotracer::wait::channel);
    }
    decltype(auto) pop() requires requires(T &object) { object.pop(); }
    {
        return wait_by([](T &object) -> decltype(auto) { return object.pop(); }, corotracer::wait::channel);
    }

private:
    /// Calls a function that acquires the object at once, or by its awaitable.
    template <class Call>
    decltype(auto) acquire_by(Call &&call, location where)
    {
        using Result = decltype(call(object_));
        if constexpr (detail::is_awaitable<Result>) {
            static_assert(detail::may_be_returned<Result>, "an awaitable that cannot move: use awaiting() instead");
            return ReportingAwaiter<Result, true>(call(object_), {wait::lock, &object_}, where);
        } else if constexpr (std::is_void_v<Result>) {
            call(object_);
            note_acquired(&object_, where);
        } else if constexpr (std::is_reference_v<Result>) {
            Result result = call(object_);
            note_acquired(&object_, where);
            return static_cast<Result>(result);
        } else {
            Result result = call(object_);
            note_acquired(&object_, where);
            return result;
        }
    }
    /// Calls a function that may return an awaitable which waits for the object.
    template <class Call>
    decltype(auto) wait_by(Call &&call, corotracer::wait kind)
    {
        using Result = decltype(call(object_));
        if constexpr (detail::is_awaitable<Result>) {
            static_assert(detail::may_be_returned<Result>, "an awaitable that cannot move: use awaiting() instead");
            return ReportingAwaiter<Result, false>(call(object_), {kind, &object_});
        } else {
            return call(object_);
        }
    }
    bool acquired_if(bool acquired, location where) noexcept
    {
        if (acquired)
            note_acquired(&object_, where);
        return acquired;
    }

    T object_;
};

#if defined(COROTRACER_OFF)
}  // namespace compiled_out
#endif
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
