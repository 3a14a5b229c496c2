// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Traces the coroutines of QCoro 0.8, the tasks of QCoro::Task, in every file that is compiled with
//
//     -include corotracer/qcoro.h
//
// or that includes this header first. docs/probe/qcoro.md is the manual. Coroutines in QCoro's own libraries are
// compiled without it, and stay untraced: a coroutine that awaits one of them waits for an unknown object.
#pragma once

#include "foreign.h"

#if !defined(COROTRACER_OFF)

#include <chrono>
#include <concepts>
#include <coroutine>
#include <type_traits>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

class QNetworkReply;
class QTimer;

namespace QCoro {
template <class T>
class Task;
namespace detail {
template <class T>
class TaskPromise;
template <class Promise>
class TaskAwaiterBase;
}  // namespace detail
}  // namespace QCoro

namespace corotracer {
inline namespace v2 {
namespace detail {

/// True for a promise of QCoro 0.8; later versions count references.
template <class Promise>
concept is_qcoro_0_8 = std::is_final_v<Promise> && requires(Promise &promise, std::coroutine_handle<> handle)
{
    promise.addAwaitingCoroutine(handle);
    {
        promise.setDestroyHandle()
    }
    noexcept->std::same_as<bool>;
};

/// Reads a protected member of QCoro's awaiter.
template <class Promise>
struct qcoro_awaiter : QCoro::detail::TaskAwaiterBase<Promise> {
    [[nodiscard]] static std::coroutine_handle<Promise>
    awaited_by(const QCoro::detail::TaskAwaiterBase<Promise> &awaiter) noexcept
    {
        return awaiter.*(&qcoro_awaiter::mAwaitedCoroutine);
    }
};

/// Reads a protected member of the awaiter of a signal.
template <class Awaiter>
struct qcoro_signal : Awaiter {
    static auto sender_of(const Awaiter &awaiter) noexcept
        -> decltype(static_cast<const void *>((awaiter.*(&qcoro_signal::mObj)).data()))
    {
        return (awaiter.*(&qcoro_signal::mObj)).data();
    }
};
template <class Awaiter>
concept is_qcoro_signal = std::is_class_v<Awaiter> && !std::is_final_v<Awaiter> && requires(const Awaiter &awaiter)
{
    typename Awaiter::result_type;
    qcoro_signal<Awaiter>::sender_of(awaiter);
};

[[nodiscard]] inline waited object_at(const void *address) noexcept
{
    return {wait::other, address};
}

}  // namespace detail

/// A task: its coroutine if that is traced, otherwise the address of its frame.
template <class T>
struct wait_of<QCoro::Task<T>> {
    static waited of(const QCoro::Task<T> &task) noexcept
    {
        using Promise = QCoro::detail::TaskPromise<T>;
        const auto handle = detail::qcoro_awaiter<Promise>::awaited_by(task.operator co_await());
        const PromiseMixin *const promise = promise_of(handle);
        return promise != nullptr ? waited(wait::coroutine, detail::promise_access::identity(*promise))
                                  : detail::object_at(handle.address());
    }
};

// Templates, because the program may not have included the class.

/// A timer: its next timeout.
template <class Timer>
requires std::is_same_v<Timer, QTimer>
struct wait_of<Timer> {
    static waited of(const Timer &timer) noexcept
    {
        return {std::chrono::steady_clock::now() + timer.remainingTimeAsDuration()};
    }
};
template <class Timer>
requires std::is_same_v<Timer, QTimer *>
struct wait_of<Timer> {
    static waited of(Timer timer) noexcept
    {
        return timer != nullptr ? wait_of<std::remove_pointer_t<Timer>>::of(*timer) : waited(wait::unknown, 0);
    }
};
/// A reply from the network: its address.
template <>
struct wait_of<QNetworkReply *> {
    static waited of(const QNetworkReply *reply) noexcept { return detail::object_at(reply); }
};
/// A signal: the address of its sender.
template <detail::is_qcoro_signal Awaiter>
struct wait_of<Awaiter> {
    static waited of(const Awaiter &awaiter) noexcept
    {
        return detail::object_at(detail::qcoro_signal<Awaiter>::sender_of(awaiter));
    }
};

}  // namespace v2
}  // namespace corotracer

template <class T, class... Arguments>
requires corotracer::trace_promise<QCoro::detail::TaskPromise<T>>
struct std::coroutine_traits<QCoro::Task<T>, Arguments...> {
    static_assert(corotracer::detail::is_qcoro_0_8<QCoro::detail::TaskPromise<T>>,
                  "corotracer/qcoro.h depends on internals of QCoro, and knows those of QCoro 0.8 only");
    using promise_type = corotracer::traced_promise<QCoro::detail::TaskPromise<T>>;
};

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")

#endif
