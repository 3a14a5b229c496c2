// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Whether the probe sees all suspensions of a promise type. Otherwise a coroutine may have stopped without an event,
// and the probe does not know what runs on the thread. Included by promise.h.
#pragma once

#include <concepts>
#include <coroutine>
#include <type_traits>

namespace corotracer {
inline namespace v2 {

template <class Awaitable>
struct TracedAwaiter;

namespace detail {

template <class T>
inline constexpr bool is_traced_awaiter = false;
template <class Awaitable>
inline constexpr bool is_traced_awaiter<TracedAwaiter<Awaitable>> = true;

template <class Promise>
concept declares_finish = requires
{
    requires Promise::reports_finish;
};
/// A coroutine that never stays at its final suspension is destroyed there, which the probe sees.
template <class Promise>
concept shows_its_end = declares_finish<Promise> || requires(Promise &promise)
{
    requires is_traced_awaiter<decltype(promise.final_suspend())> ||
        std::same_as<decltype(promise.final_suspend()), std::suspend_never>;
};

template <class Function>
inline constexpr bool returns_traced_awaiter = false;
template <class Result, class Promise, class... Arguments>
inline constexpr bool returns_traced_awaiter<Result (Promise::*)(Arguments...)> = is_traced_awaiter<Result>;
template <class Result, class Promise, class... Arguments>
inline constexpr bool returns_traced_awaiter<Result (Promise::*)(Arguments...) noexcept> = is_traced_awaiter<Result>;

struct has_the_name {
    int yield_value;
};
template <class Promise>
struct promise_with_the_name : Promise, has_the_name {
};
/// True if the promise has no member yield_value. Otherwise the name would be ambiguous.
template <class Promise>
concept yields_nothing = !std::is_final_v<Promise> && requires
{
    &promise_with_the_name<Promise>::yield_value;
};
/// Overloads and templates of yield_value have no type that could be examined: they count as untraced.
template <class Promise>
concept shows_its_yields = yields_nothing<Promise> || requires
{
    requires returns_traced_awaiter<decltype(&Promise::yield_value)>;
};

/// True if every suspension of the promise type writes an event, save for its start, and for awaitables that its own
/// await_transform returns untraced.
template <class Promise>
inline constexpr bool shows_all_suspensions = shows_its_end<Promise> &&shows_its_yields<Promise>;
template <>
inline constexpr bool shows_all_suspensions<void> = false;

}  // namespace detail
}  // namespace v2
}  // namespace corotracer
