// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Traces single coroutines from inside, where their promise cannot be wrapped: an object in the coroutine's body, or
// one co_await. Both work with every kind of build, also with -DCOROTRACER_OFF. The library's await_transform, if it
// has one, has to let foreign awaitables pass.
#pragma once

#include "traced.h"

#include <coroutine>
#include <optional>
#include <string_view>
#include <type_traits>

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

/// Stands for the coroutine in whose body it is a local variable, from its construction, the birth, to its destruction,
/// the death. Make it the first variable: `corotracer::coroutine self("session");`, and await through it:
/// `co_await self(socket.read());`. Its first event says that the coroutine runs. It has all functions of PromiseMixin.
/// Threads: as the coroutine.
class coroutine : public PromiseMixin {
public:
    /// An empty name leaves the coroutine unnamed.
    explicit coroutine(std::string_view name = {}) noexcept
    {
        write_trace(0, true, 0, kInitialSuspend);
        if (!name.empty())
            set_name(name);
    }
    coroutine(const coroutine &) = delete;
    coroutine &operator=(const coroutine &) = delete;

    /// Returns an awaitable that awaits `awaitable` and writes its events.
    template <class Awaitable>
    [[nodiscard]] TracedAwaiter<Awaitable> operator()(Awaitable &&awaitable, location where = location::current())
    {
        return TracedAwaiter<Awaitable>(static_cast<Awaitable &&>(awaitable), this, where, kAwaitPoint);
    }
};

/// `co_await corotracer::traced(awaitable)` traces one co_await of a coroutine that is not traced otherwise: if it
/// suspends, it is a coroutine of its own until it continues. So a wait that never ends is found with its line, but
/// several waits of one coroutine do not belong together; use a corotracer::coroutine for that.
template <class Awaitable>
class traced : public TracedAwaiter<Awaitable> {
public:
    explicit traced(Awaitable &&awaitable, location where = location::current()) noexcept(
        std::is_nothrow_constructible_v<TracedAwaiter<Awaitable>, Awaitable &&, PromiseMixin *, location, std::uint8_t>)
        : TracedAwaiter<Awaitable>(static_cast<Awaitable &&>(awaitable), nullptr, where, kAwaitPoint)
    {
    }

#if !defined(COROTRACER_OFF)
    template <class Promise>
    auto await_suspend(std::coroutine_handle<Promise> self) noexcept(
        noexcept(std::declval<TracedAwaiter<Awaitable> &>().await_suspend(self)))
    {
        this->tracer = &own_.emplace();
        return TracedAwaiter<Awaitable>::await_suspend(self);
    }

private:
    std::optional<PromiseMixin> own_;  ///< empty for an awaitable that is ready
#endif
};
template <class Awaitable>
traced(Awaitable &&) -> traced<Awaitable>;

#if defined(COROTRACER_OFF)
}  // namespace compiled_out
#endif
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
