// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The probe's API without function, for -DCOROTRACER_OFF: no state, no size, no instructions. It lies in its own inline
// namespace. So objects that are compiled with and without it can be linked together, if they exchange no promises.
#pragma once

#include "awaitable.h"
#include "location.h"
#include "types.h"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include <time.h>
#include <unistd.h>

#include <sys/syscall.h>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
inline namespace compiled_out {

class PromiseMixin;

/// Awaits `inner` without tracing it.
template <class Awaitable>
struct TracedAwaiter : detail::awaiter_storage<Awaitable> {
    using storage = detail::awaiter_storage<Awaitable>;
    using storage::inner;

    template <class U>
    constexpr TracedAwaiter(U &&from, PromiseMixin *, location = location::current(),
                            std::uint8_t = kAwaitPoint) noexcept(std::is_nothrow_constructible_v<storage, U &&>)
        : storage(static_cast<U &&>(from))
    {
    }
    constexpr bool await_ready() noexcept(noexcept(static_cast<bool>(inner.await_ready())))
    {
        return static_cast<bool>(inner.await_ready());
    }
    template <class Promise>
    constexpr auto await_suspend(std::coroutine_handle<Promise> self) noexcept(noexcept(inner.await_suspend(self)))
    {
        return inner.await_suspend(self);
    }
    constexpr decltype(auto) await_resume() noexcept(noexcept(inner.await_resume())) { return inner.await_resume(); }
};

template <class A>
TracedAwaiter(A, PromiseMixin *) -> TracedAwaiter<A>;

/// True if an awaitable is returned by value: a movable rvalue is. Any other awaitable is returned as a TracedAwaiter
/// that refers to it, because a caller may return the result as `auto`.
template <class A>
inline constexpr bool passed_by_value = !std::is_reference_v<A> && std::is_constructible_v<A, A &&>;
/// Result type of `pass`.
template <class A>
using passed = std::conditional_t<passed_by_value<A>, A, TracedAwaiter<A>>;

/// Returns the awaitable, moved or by reference, without tracing it.
template <class A>
constexpr passed<A>
pass(A &&awaitable) noexcept(std::is_nothrow_constructible_v<TracedAwaiter<A>, A &&, PromiseMixin *>)
{
    if constexpr (passed_by_value<A>)
        return static_cast<A &&>(awaitable);
    else
        return TracedAwaiter<A>(static_cast<A &&>(awaitable), nullptr);
}
template <class A>
inline constexpr bool passes_quietly = noexcept(pass<A>(std::declval<A>()));

/// Base of a promise type, empty. promise.h documents its members.
class PromiseMixin {
public:
    PromiseMixin() = default;
    explicit constexpr PromiseMixin(bool) noexcept {}

    static constexpr StationData *my_station = nullptr;
    static constexpr std::uint64_t event_count = 0;

    [[nodiscard]] static constexpr bool is_traced() noexcept { return false; }

    template <class A>
    static constexpr passed<A> await_transform(A &&awaitable,
                                               const location & = location::current()) noexcept(passes_quietly<A>)
    {
        return pass<A>(static_cast<A &&>(awaitable));
    }
    template <class A>
    static constexpr passed<A> trace(A &&awaitable, const location & = location::current()) noexcept(passes_quietly<A>)
    {
        static_assert(detail::may_be_returned<A>,
                      "an awaitable that cannot move must outlive this call: pass an lvalue");
        return pass<A>(static_cast<A &&>(awaitable));
    }
    template <class A = std::suspend_always>
    static constexpr passed<A> trace_initial_suspend(A &&awaitable = A{},
                                                     const location & = location::current()) noexcept(passes_quietly<A>)
    {
        return trace(static_cast<A &&>(awaitable));
    }
    template <class A = std::suspend_always>
    static constexpr passed<A> trace_final_suspend(A &&awaitable = A{},
                                                   const location & = location::current()) noexcept(passes_quietly<A>)
    {
        return trace(static_cast<A &&>(awaitable));
    }
    template <class A = std::suspend_always>
    static constexpr passed<A> trace_yield(A &&awaitable = A{},
                                           const location & = location::current()) noexcept(passes_quietly<A>)
    {
        return trace(static_cast<A &&>(awaitable));
    }
    static constexpr void write_trace(std::uint64_t, bool, std::uint32_t = 0, std::uint8_t = kAwaitPoint) noexcept {}
    static constexpr void set_name(std::string_view) noexcept {}
    static constexpr void set_parent(const PromiseMixin &) noexcept {}
    static constexpr void waits_on(wait, const void *) noexcept {}
    static constexpr void waits_on(wait, std::integral auto) noexcept {}
    template <class Duration>
    static constexpr void waits_on(std::chrono::time_point<std::chrono::steady_clock, Duration>) noexcept
    {
    }
    static constexpr void waits_on(const PromiseMixin &) noexcept {}
    template <class Clock, class Duration>
    static constexpr void waits_on(wait, const void *, std::chrono::time_point<Clock, Duration>) noexcept
    {
    }
    static constexpr void waits_on(waited) noexcept {}
    static constexpr void waits_for_any(std::initializer_list<waited>) noexcept {}
    static constexpr void waits_for_all(std::initializer_list<waited>) noexcept {}
    static constexpr void finished(const location & = location::current()) noexcept {}
};

/// Functions without effect. control.h, names.h, causality.h and flightrecorder.h document them.
constexpr void InitTracer() noexcept {}
constexpr void enable(bool) noexcept {}
constexpr void name_thread(std::string_view) noexcept {}
constexpr void note_wake(const PromiseMixin &, const PromiseMixin * = nullptr) noexcept {}
constexpr void note_wakers_left(const PromiseMixin &, std::uint64_t) noexcept {}
constexpr void note_acquired(const void *, const location & = location::current()) noexcept {}
constexpr void note_released(const void *, const location & = location::current()) noexcept {}
constexpr void note_signalled(const void *, const location & = location::current()) noexcept {}
constexpr bool start_flight_recorder(const flight_recorder_options & = {}) noexcept
{
    return false;
}
constexpr const char *flight_recorder_path() noexcept
{
    return "";
}

/// Returns CLOCK_MONOTONIC in ns.
inline std::uint64_t get_ns() noexcept
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// Returns the operating system's id of the calling thread.
inline std::uint64_t get_tid() noexcept
{
    return static_cast<std::uint64_t>(::syscall(SYS_gettid));
}

}  // namespace compiled_out
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
