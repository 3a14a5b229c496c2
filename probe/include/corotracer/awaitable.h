// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Finds the awaiter of an awaitable, and stores both while a coroutine awaits.
#pragma once

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
inline namespace v2 {
namespace detail {

template <class A>
concept has_member_co_await = requires(A &&awaitable)
{
    static_cast<A &&>(awaitable).operator co_await();
};
template <class A>
concept has_free_co_await = requires(A &&awaitable)
{
    operator co_await(static_cast<A &&>(awaitable));
};
template <class A>
concept has_co_await = has_member_co_await<A> || has_free_co_await<A>;
template <class A>
concept is_awaiter = requires(A &&awaitable)
{
    static_cast<A &&>(awaitable).await_ready();
};
template <class A>
concept is_awaitable = has_co_await<A> || is_awaiter<A>;

/// Returns the awaiter that operator co_await returns, by copy elision where it is a value.
template <has_member_co_await A>
decltype(auto) awaiter_of(A &&awaitable) noexcept(noexcept(static_cast<A &&>(awaitable).operator co_await()))
{
    return static_cast<A &&>(awaitable).operator co_await();
}
template <class A>
requires(!has_member_co_await<A> && has_free_co_await<A>) decltype(auto)
    awaiter_of(A &&awaitable) noexcept(noexcept(operator co_await(static_cast<A &&>(awaitable))))
{
    return operator co_await(static_cast<A &&>(awaitable));
}

/// Type that stores an awaitable. An lvalue is stored by reference. A movable rvalue is stored by value, so that a
/// program's own await_transform may return it. Any other rvalue is stored by reference: it lives until the end of the
/// co_await expression.
template <class A>
using stored_awaitable = std::conditional_t<!std::is_reference_v<A> && std::is_constructible_v<A, A &&>, A, A &&>;

/// True if an awaiter made from the awaitable may outlive the function that made it. False only for an rvalue that
/// cannot move.
template <class A>
inline constexpr bool may_be_returned = std::is_reference_v<A> || std::is_constructible_v<A, A &&>;

/// Chooses the constructor of awaiter_storage that constructs the awaitable where it is stored.
struct made_by_call {};

/// Stores an awaitable that is its own awaiter, as a `Stored`.
template <class A, class Stored = stored_awaitable<A>>
struct awaiter_storage {
    template <class U>
    requires(!std::is_same_v<std::remove_cvref_t<U>, awaiter_storage>)  // else a copy of it would come here
        explicit awaiter_storage(U &&awaitable) noexcept(std::is_nothrow_constructible_v<Stored, U &&>)
        : inner(static_cast<U &&>(awaitable))
    {
    }
    /// The awaitable is the result of the call.
    template <class Call>
    awaiter_storage(made_by_call, Call &&call) noexcept(noexcept(call())) : inner(call())
    {
    }
    Stored inner;
};

/// Stores an awaitable and the awaiter that its operator co_await returns.
template <has_co_await A, class Stored>
struct awaiter_storage<A, Stored> {
    template <class U>
    requires(!std::is_same_v<std::remove_cvref_t<U>, awaiter_storage>) explicit awaiter_storage(U &&from) noexcept(
        std::is_nothrow_constructible_v<Stored, U &&> &&noexcept(awaiter_of(std::declval<A &&>())))
        : awaitable(static_cast<U &&>(from)), inner(awaiter_of(static_cast<A &&>(awaitable)))
    {
    }
    template <class Call>
    awaiter_storage(made_by_call, Call &&call) noexcept(noexcept(call()) &&noexcept(awaiter_of(std::declval<A &&>())))
        : awaitable(call()), inner(awaiter_of(static_cast<A &&>(awaitable)))
    {
    }
    // Not copyable: the awaiter may point into the awaitable.
    awaiter_storage(const awaiter_storage &) = delete;
    awaiter_storage &operator=(const awaiter_storage &) = delete;

    Stored awaitable;
    decltype(awaiter_of(std::declval<A &&>())) inner;
};

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
