// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Traced, a wrapper that reports how a program uses its locks, semaphores, events and channels, and awaiting(), which
// reports what one co_await waits for. Both work with every kind of build, also with -DCOROTRACER_OFF.
#pragma once

#include "coroTracer.h"

#include <concepts>
#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
#if defined(COROTRACER_OFF)
inline namespace compiled_out {
#endif

namespace traced_detail {  // apart from detail, which does not depend on COROTRACER_OFF

/// True if a result says whether an acquisition succeeded: a bool, or an object of a class that converts to bool.
/// An integer may be an error code.
template <class Result>
concept tells_success = std::same_as < std::remove_cvref_t<Result>,
bool > || (std::is_class_v<std::remove_cvref_t<Result>> && std::is_constructible_v<bool, Result> &&
           (std::is_reference_v<Result> || std::is_move_constructible_v<Result>));

/// True for the results of functions that try to acquire an object.
template <class Result>
concept may_fail = tells_success<Result> || detail::is_awaitable<Result>;

/// Returns the result of `acquire`. Reports that the object is acquired, unless the result says that it is not, or an
/// exception does.
template <class Acquire>
decltype(auto) report_acquisition(const void *object, const location &where,
                                  Acquire &&acquire) noexcept(noexcept(acquire()))
{
    using Result = decltype(acquire());
    if constexpr (tells_success<Result>) {
        Result result = acquire();
        if (static_cast<bool>(result))
            note_acquired(object, where);
        if constexpr (std::is_reference_v<Result>)
            return static_cast<Result>(result);
        else
            return result;
    } else {
        // A destructor, because a result that cannot move must be constructed by the caller.
        struct reporter {
            const void *object;
            const location &where;
            int exceptions = std::uncaught_exceptions();
            ~reporter()
            {
                if (std::uncaught_exceptions() == exceptions)
                    note_acquired(object, where);
            }
        };
        const reporter report{object, where};
        return acquire();
    }
}

}  // namespace traced_detail

/// Awaits `inner`. Its suspension waits for `object`. With `acquires`, the coroutine has acquired the object when it
/// continues, also if it did not wait; unless the result of the co_await converts to bool and is false. The coroutine's
/// promise has to derive from PromiseMixin; otherwise nothing is reported of the wait.
template <class Awaitable, bool acquires, class Stored = detail::stored_awaitable<Awaitable>>
struct ReportingAwaiter : detail::awaiter_storage<Awaitable, Stored> {
    using storage = detail::awaiter_storage<Awaitable, Stored>;
    using storage::inner;

    template <class U>
    ReportingAwaiter(U &&from, waited what) noexcept(std::is_nothrow_constructible_v<storage, U &&>)
        : storage(static_cast<U &&>(from)), object(what)
    {
    }
    /// The awaitable is the result of the call. `where` is the location of an acquisition.
    template <class Call>
    ReportingAwaiter(detail::made_by_call made, Call &&call, waited what, const location &where) noexcept(
        std::is_nothrow_constructible_v<storage, detail::made_by_call, Call &&>)
        : storage(made, static_cast<Call &&>(call)), object(what), where_(where)
    {
    }

    bool await_ready() noexcept(noexcept(static_cast<bool>(inner.await_ready())))
    {
        return static_cast<bool>(inner.await_ready());
    }

    template <class Promise>
    auto await_suspend(std::coroutine_handle<Promise> self) noexcept(noexcept(inner.await_suspend(self)))
    {
        // Before another thread may resume the coroutine. The promise may have a waits_on of its own.
        if constexpr (std::derived_from<Promise, PromiseMixin>)
            static_cast<PromiseMixin &>(self.promise()).waits_on(object);
        return inner.await_suspend(self);
    }

    decltype(auto) await_resume() noexcept(noexcept(inner.await_resume()))
    {
        const auto result = [this]() noexcept(noexcept(inner.await_resume())) -> decltype(auto) {
            return inner.await_resume();
        };
        if constexpr (acquires)
            return traced_detail::report_acquisition(
                reinterpret_cast<const void *>(static_cast<std::uintptr_t>(object.object)), where_, result);
        else
            return result();
    }

    waited object;

private:
    location where_ = location::current();
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
/// - mutexes and semaphores: lock, try_lock, try_lock_for, try_lock_until, unlock; those of them that end in _shared;
///   acquire, try_acquire, try_acquire_for, try_acquire_until, release
/// - events and conditions: set, signal, notify_one, notify_all; wait
/// - channels: send, push; receive, pop
///
/// An acquisition whose result is false is none: a bool, or an object of a class that converts to bool.
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
        return acquire_by([this]() -> decltype(auto) { return object_.lock(); }, where);
    }
    decltype(auto) lock_shared(location where = location::current()) requires requires(T &object)
    {
        object.lock_shared();
    }
    {
        return acquire_by([this]() -> decltype(auto) { return object_.lock_shared(); }, where);
    }
    decltype(auto) acquire(location where = location::current()) requires requires(T &object) { object.acquire(); }
    {
        return acquire_by([this]() -> decltype(auto) { return object_.acquire(); }, where);
    }
    decltype(auto) try_lock(location where = location::current()) requires requires(T &object)
    {
        requires traced_detail::may_fail<decltype(object.try_lock())>;
    }
    {
        return acquire_by([this]() -> decltype(auto) { return object_.try_lock(); }, where);
    }
    decltype(auto) try_lock_shared(location where = location::current()) requires requires(T &object)
    {
        requires traced_detail::may_fail<decltype(object.try_lock_shared())>;
    }
    {
        return acquire_by([this]() -> decltype(auto) { return object_.try_lock_shared(); }, where);
    }
    decltype(auto) try_acquire(location where = location::current()) requires requires(T &object)
    {
        requires traced_detail::may_fail<decltype(object.try_acquire())>;
    }
    {
        return acquire_by([this]() -> decltype(auto) { return object_.try_acquire(); }, where);
    }
    template <class Limit>
    decltype(auto) try_lock_for(const Limit &limit, location where = location::current()) requires requires(T &object)
    {
        requires traced_detail::may_fail<decltype(object.try_lock_for(limit))>;
    }
    {
        return acquire_by([&]() -> decltype(auto) { return object_.try_lock_for(limit); }, where);
    }
    template <class Limit>
    decltype(auto) try_lock_until(const Limit &limit, location where = location::current()) requires requires(T &object)
    {
        requires traced_detail::may_fail<decltype(object.try_lock_until(limit))>;
    }
    {
        return acquire_by([&]() -> decltype(auto) { return object_.try_lock_until(limit); }, where);
    }
    template <class Limit>
    decltype(auto) try_acquire_for(const Limit &limit, location where = location::current()) requires
        requires(T &object)
    {
        requires traced_detail::may_fail<decltype(object.try_acquire_for(limit))>;
    }
    {
        return acquire_by([&]() -> decltype(auto) { return object_.try_acquire_for(limit); }, where);
    }
    template <class Limit>
    decltype(auto) try_acquire_until(const Limit &limit, location where = location::current()) requires
        requires(T &object)
    {
        requires traced_detail::may_fail<decltype(object.try_acquire_until(limit))>;
    }
    {
        return acquire_by([&]() -> decltype(auto) { return object_.try_acquire_until(limit); }, where);
    }
    decltype(auto) unlock(location where = location::current()) requires requires(T &object) { object.unlock(); }
    {
        note_released(&object_, where);
        return object_.unlock();
    }
    decltype(auto) unlock_shared(location where = location::current()) requires requires(T &object)
    {
        object.unlock_shared();
    }
    {
        note_released(&object_, where);
        return object_.unlock_shared();
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
        return wait_by([this]() -> decltype(auto) { return object_.wait(); }, corotracer::wait::other);
    }

    template <class Value>
    decltype(auto) send(Value &&value, location where = location::current()) requires requires(T &object)
    {
        object.send(static_cast<Value &&>(value));
    }
    {
        note_signalled(&object_, where);
        return wait_by([&]() -> decltype(auto) { return object_.send(static_cast<Value &&>(value)); },
                       corotracer::wait::channel);
    }
    template <class Value>
    decltype(auto) push(Value &&value, location where = location::current()) requires requires(T &object)
    {
        object.push(static_cast<Value &&>(value));
    }
    {
        note_signalled(&object_, where);
        return wait_by([&]() -> decltype(auto) { return object_.push(static_cast<Value &&>(value)); },
                       corotracer::wait::channel);
    }
    decltype(auto) receive() requires requires(T &object) { object.receive(); }
    {
        return wait_by([this]() -> decltype(auto) { return object_.receive(); }, corotracer::wait::channel);
    }
    decltype(auto) pop() requires requires(T &object) { object.pop(); }
    {
        return wait_by([this]() -> decltype(auto) { return object_.pop(); }, corotracer::wait::channel);
    }

private:
    /// Calls a function that acquires the object at once, or by its awaitable.
    template <class Call>
    decltype(auto) acquire_by(Call &&call, const location &where)
    {
        using Result = decltype(call());
        if constexpr (detail::is_awaitable<Result>)
            return ReportingAwaiter<Result, true, Result>(detail::made_by_call{}, call, {wait::lock, &object_}, where);
        else
            return traced_detail::report_acquisition(&object_, where, call);
    }
    /// Calls a function that may return an awaitable which waits for the object.
    template <class Call>
    decltype(auto) wait_by(Call &&call, corotracer::wait kind)
    {
        using Result = decltype(call());
        if constexpr (detail::is_awaitable<Result>) {
            return ReportingAwaiter<Result, false, Result>(detail::made_by_call{}, call, {kind, &object_},
                                                           location::current());
        } else {
            return call();
        }
    }

    T object_;
};

#if defined(COROTRACER_OFF)
}  // namespace compiled_out
#endif
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
