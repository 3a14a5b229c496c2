// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Traces the coroutines of a library whose promise type you do not own. docs/probe/other-libraries.md is the recipe:
//
//     #include "corotracer/foreign.h"
//     COROTRACER_TRACE_TASK_TEMPLATE(their::task)      // in every file, before the first coroutine
//
// std::coroutine_traits then gives these coroutines a promise that derives from the library's promise, or contains it
// as its first member where it is final. The library's promise lies at the beginning either way, so the handles that
// the library makes from it stay valid. With -DCOROTRACER_OFF, the library's promise stays as it is.
#pragma once

#include "traced.h"

#include <concepts>
#include <coroutine>
#include <type_traits>
#include <utility>

#if !defined(COROTRACER_OFF)
#include "foreignpromise.h"
#include "frames.h"
#endif

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

// Without effect; below and in foreignpromise.h they are documented.
template <class Promise>
inline constexpr bool trace_promise = true;
template <class A>
struct wait_of {
};
template <class Promise>
class switchable : public PromiseMixin {
};
template <class Promise>
constexpr void enable(bool) noexcept
{
}
template <class Promise>
constexpr void scheduled(std::coroutine_handle<Promise>, const PromiseMixin * = nullptr) noexcept
{
}
constexpr const PromiseMixin *promise_of(std::coroutine_handle<>) noexcept
{
    return nullptr;
}

}  // namespace compiled_out
#else

/// Switches coroutines of one promise type off or on at run time, for example a generator's. Coroutines that are born
/// while it is off stay untraced for life, and are not counted. `Promise` is the library's promise type, or a type that
/// derives from switchable<Promise>. Any thread.
template <class Promise>
inline void enable(bool on) noexcept
{
    detail::promise_enabled<Promise>.store(on, std::memory_order_relaxed);  // publishes no other data
}

/// Returns the promise of a traced coroutine of a wrapped library, also from a handle without a type. Returns null if
/// the coroutine is not traced, while tracing is off, and in a region without lanes. The coroutine must not be
/// destroyed during the call. Costs some ns.
[[nodiscard]] inline const PromiseMixin *promise_of(std::coroutine_handle<> handle) noexcept
{
    return detail::promise_in(handle.address());
}

/// Reports that a coroutine was made runnable, as note_wake: call it where a scheduler puts `handle` into its queue,
/// before another thread may resume it. The handle may have any type. `by`: the coroutine that did it, null = unknown.
template <class Promise>
inline void scheduled(std::coroutine_handle<Promise> handle, const PromiseMixin *by = nullptr) noexcept
{
    if constexpr (std::is_base_of_v<PromiseMixin, Promise>)
        note_wake(handle.promise(), by);
    else if (const PromiseMixin *promise = promise_of(handle); promise != nullptr)
        note_wake(*promise, by);
}

#endif
}  // namespace v2
}  // namespace corotracer

/// COROTRACER_TRACE_TASK(their::job) traces all coroutines that return the class their::job.
/// COROTRACER_TRACE_TASK_TEMPLATE(their::task) traces all coroutines that return their::task<...>, whatever its
/// arguments are; the template may have type parameters only. The class must have a member type promise_type, and the
/// library must not specialise std::coroutine_traits for it. Use the macros in every file with such coroutines, before
/// the first one and outside of any namespace.
#if defined(COROTRACER_OFF)
#define COROTRACER_TRACE_TASK(...) static_assert(true)
#define COROTRACER_TRACE_TASK_TEMPLATE(...) static_assert(true)
#else
#define COROTRACER_TRACE_TASK(...)                                                                                     \
    template <class... Arguments>                                                                                      \
    requires ::corotracer::trace_promise<__VA_ARGS__::promise_type>                                                    \
    struct std::coroutine_traits<__VA_ARGS__, Arguments...> {                                                          \
        using promise_type = ::corotracer::traced_promise<__VA_ARGS__::promise_type>;                                  \
    }
#define COROTRACER_TRACE_TASK_TEMPLATE(...)                                                                            \
    template <class... Types, class... Arguments>                                                                      \
    requires ::corotracer::trace_promise<typename __VA_ARGS__<Types...>::promise_type>                                 \
    struct std::coroutine_traits<__VA_ARGS__<Types...>, Arguments...> {                                                \
        using promise_type = ::corotracer::traced_promise<typename __VA_ARGS__<Types...>::promise_type>;               \
    }
#endif

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
