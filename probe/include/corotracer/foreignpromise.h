// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The promise that takes the position of a library's promise. Included by foreign.h.
#pragma once

#include "frames.h"
#include "running.h"
#include "traced.h"

#include <atomic>
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
inline namespace v2 {

/// Whether coroutines with this promise type of a library are traced. Specialise it as false for a type that is not
/// worth it, such as a generator's, before the first coroutine, and in every file:
/// `template <class T> inline constexpr bool corotracer::trace_promise<their::generator_promise<T>> = false;`
template <class Promise>
inline constexpr bool trace_promise = true;

/// What a co_await of an object of type A waits for, where the awaitable itself does not say so. A specialisation has
/// `static waited of(const A &) noexcept`; wait::unknown for nothing. It is only called for a traced coroutine.
template <class A>
struct wait_of {
};

namespace detail {
template <class Promise>
inline constinit std::atomic<bool> promise_enabled{true};

template <class A>
concept knows_wait = requires(const A &awaitable)
{
    wait_of<A>::of(awaitable);
};
}  // namespace detail

/// Base of your own promise type, instead of PromiseMixin, if enable<Promise>() shall switch it at run time, and
/// trace_promise<Promise> when compiling.
template <class Promise>
class switchable : public PromiseMixin {
protected:
    switchable() noexcept
        : PromiseMixin(trace_promise<Promise> && detail::promise_enabled<Promise>.load(std::memory_order_relaxed))
    {
    }
};

namespace detail {

struct has_transform {
    void await_transform();
};
/// The name await_transform is ambiguous here exactly if Promise has it, too.
template <class Promise>
struct transform_finder : Promise, has_transform {
};
/// True if a promise type has await_transform, for anything. A final class is taken to have it.
template <class Promise>
inline constexpr bool transforms = true;
template <class Promise>
requires(!std::is_final_v<Promise>) inline constexpr bool transforms<Promise> = !requires
{
    &transform_finder<Promise>::await_transform;
};

/// The first type argument of a promise type, which is usually its result type: for `co_return {...}`.
template <class Promise>
struct first_argument {
    using type = void;
};
template <template <class...> class Template, class First, class... Rest>
struct first_argument<Template<First, Rest...>> {
    using type = First;
};

/// A library's promise as a base class.
template <class Promise>
struct promise_holder : Promise {
    promise_holder() = default;
    template <class... Arguments>
    requires(sizeof...(Arguments) > 0 && std::is_constructible_v<Promise, Arguments &...>) explicit promise_holder(
        Arguments &...arguments) noexcept(std::is_nothrow_constructible_v<Promise, Arguments &...>)
        : Promise(arguments...)
    {
    }
    Promise &library() noexcept { return *this; }
};

/// A final promise as the first member, and the functions that the compiler calls.
template <class Promise>
struct final_promise_holder {
    Promise promise;

    final_promise_holder() = default;
    template <class... Arguments>
    requires(sizeof...(Arguments) > 0 &&
             std::is_constructible_v<Promise, Arguments &...>) explicit final_promise_holder(Arguments &...arguments)
        : promise(arguments...)
    {
    }
    Promise &library() noexcept { return promise; }
    decltype(auto) get_return_object() noexcept(noexcept(promise.get_return_object()))
    {
        return promise.get_return_object();
    }
    void unhandled_exception() noexcept(noexcept(promise.unhandled_exception())) { promise.unhandled_exception(); }
};

/// Adds return_value or return_void: a promise must not have both.
template <class Promise>
struct final_promise_results : final_promise_holder<Promise> {
    using final_promise_holder<Promise>::final_promise_holder;

    template <class Value = typename first_argument<Promise>::type>
    requires requires(Promise &inner, Value &&value) { inner.return_value(static_cast<Value &&>(value)); }
    void return_value(Value &&value) { this->promise.return_value(static_cast<Value &&>(value)); }
};
template <class Promise>
requires requires(Promise &promise)
{
    promise.return_void();
}
struct final_promise_results<Promise> : final_promise_holder<Promise> {
    using final_promise_holder<Promise>::final_promise_holder;

    void return_void() noexcept(noexcept(this->promise.return_void())) { this->promise.return_void(); }
};

template <class Promise>
requires std::is_final_v<Promise>
struct promise_holder<Promise> : final_promise_results<Promise> {
    using final_promise_results<Promise>::final_promise_results;
};

template <class A>
concept names_coroutine = names_awaited_promise<A> || has_traced_handle<A>;
/// True if what an awaitable waits for is known before await_transform, and not after it.
template <class A, class Result>
inline constexpr bool transform_hides_wait = knows_wait<A> || (names_coroutine<A> && !names_coroutine<Result>);

/// Returns what an awaitable waits for.
template <class A>
[[nodiscard]] waited object_of(const A &awaitable) noexcept
{
    if constexpr (knows_wait<A>) {
        return wait_of<A>::of(awaitable);
    } else {
        const PromiseMixin *const promise = awaited_coroutine<A>(awaitable).promise();
        return promise != nullptr ? waited(wait::coroutine, promise_access::identity(*promise))
                                  : waited(wait::unknown, 0);
    }
}

template <class A>
inline constexpr bool reports_wait = false;
template <class A, bool acquires, class Stored>
inline constexpr bool reports_wait<ReportingAwaiter<A, acquires, Stored>> = true;

/// A TracedAwaiter for a coroutine with a wrapped promise. The library's awaiter gets a handle of the library's promise
/// type, because it may ask for exactly that. `object`: what the suspension waits for, unless the awaitable itself says
/// so.
template <class Awaitable, class Library>
struct foreign_awaiter : TracedAwaiter<Awaitable> {
    using traced = TracedAwaiter<Awaitable>;

    template <class U>
    foreign_awaiter(U &&from, PromiseMixin *promise, location where, std::uint8_t kind,
                    waited object = {wait::unknown,
                                     0}) noexcept(std::is_nothrow_constructible_v<traced, U &&, PromiseMixin *>)
        : traced(static_cast<U &&>(from), promise, where, kind), object_(object)
    {
    }

    template <class Promise>
    auto await_suspend(std::coroutine_handle<Promise> self) noexcept(
        noexcept(std::declval<traced &>().await_suspend(std::declval<std::coroutine_handle<Library>>())))
    {
        // Before the suspension, because afterwards the coroutine may run elsewhere.
        if constexpr (reports_wait<std::remove_cvref_t<Awaitable>>)
            this->tracer->waits_on(this->inner.object);
        else if (object_.kind != wait::unknown)
            this->tracer->waits_on(object_);
        return traced::await_suspend(std::coroutine_handle<Library>::from_address(self.address()));
    }

private:
    waited object_;
};

/// Declares that every further suspension of the coroutine writes an event: it can be a parent. Its latest event is its
/// first one, a resumption.
inline void trust_after_start(PromiseMixin &promise) noexcept
{
    promise_access::shows_all_suspensions(promise);
    thread_state &self = thread_v2;
    if (const std::uint64_t mark = running_mark(promise_access::identity(promise), true); may_run(self, mark))
        self.running = mark;
}

/// The awaiter of the initial suspension. A coroutine that does not suspend there has its first event here: so the
/// coroutines that it creates before its first suspension have it as their parent.
template <class Awaitable, class Library>
struct initial_awaiter : foreign_awaiter<Awaitable, Library> {
    using foreign = foreign_awaiter<Awaitable, Library>;
    using foreign::foreign;

    bool await_ready() noexcept(noexcept(std::declval<foreign &>().await_ready()))
    {
        const bool starts = foreign::await_ready();
        if (starts) {
            this->tracer->write_trace(0, true, 0, kInitialSuspend);
            trust_after_start(*this->tracer);
        }
        return starts;
    }
    decltype(auto) await_resume() noexcept(noexcept(std::declval<foreign &>().await_resume()))
    {
        // A wrapped promise traces every suspension.
        promise_access::shows_all_suspensions(*this->tracer);
        return foreign::await_resume();
    }
};

}  // namespace detail

/// A traced promise in the position of a library's `Promise`. `Library` is the promise type whose handles the library's
/// awaiters expect: Promise, or a base class of it.
template <class Promise, class Library = Promise>
class traced_promise : public detail::promise_holder<Promise>, public switchable<Library> {
    using holder = detail::promise_holder<Promise>;
    template <class A>
    using awaiter = detail::foreign_awaiter<A, Library>;

public:
    traced_promise() = default;
    template <class... Arguments>
    requires(sizeof...(Arguments) > 0 && std::is_constructible_v<Promise, Arguments &...>) explicit traced_promise(
        Arguments &...arguments) noexcept(std::is_nothrow_constructible_v<Promise, Arguments &...>)
        : holder(arguments...)
    {
    }

    auto initial_suspend(location where = location::current())
    {
        // Both handles find the frame from the promise by its alignment.
        static_assert(alignof(traced_promise) <= 2 * sizeof(void *),
                      "a promise with a larger alignment cannot be traced: specialise corotracer::trace_promise as "
                      "false for it");
        detail::know_frame(std::coroutine_handle<traced_promise>::from_promise(*this).address(), this);
        using Result = decltype(this->library().initial_suspend());
        static_assert(detail::may_be_returned<Result>, "an initial awaiter that cannot move");
        return detail::initial_awaiter<Result, Library>(this->library().initial_suspend(), this, where,
                                                        kInitialSuspend);
    }

    auto final_suspend(location where = location::current()) noexcept
    {
        using Result = decltype(this->library().final_suspend());
        static_assert(detail::may_be_returned<Result>, "a final awaiter that cannot move");
        return awaiter<Result>(this->library().final_suspend(), this, where, kFinalSuspend);
    }

    template <class A>
    auto await_transform(A &&awaitable, location where = location::current())
    {
        using Result =
            std::conditional_t<detail::transforms<Promise>, decltype(transformed(static_cast<A &&>(awaitable))), A>;
        static_assert(!detail::transforms<Promise> || detail::may_be_returned<Result>,
                      "the library's await_transform returns an awaitable that cannot move");
        waited object(wait::unknown, 0);
        if constexpr (detail::transform_hides_wait<std::remove_cvref_t<A>, std::remove_cvref_t<Result>>) {
            if (this->is_traced())
                object = detail::object_of(awaitable);
        }
        return awaiter<Result>(transformed(static_cast<A &&>(awaitable)), this, where, kAwaitPoint, object);
    }

    template <class Value = typename detail::first_argument<Promise>::type>
    requires requires(Promise &inner, Value &&yielded) { inner.yield_value(static_cast<Value &&>(yielded)); }
    auto yield_value(Value &&yielded, location where = location::current())
    {
        using Result = decltype(this->library().yield_value(static_cast<Value &&>(yielded)));
        static_assert(detail::may_be_returned<Result>, "an awaiter of a co_yield that cannot move");
        return awaiter<Result>(this->library().yield_value(static_cast<Value &&>(yielded)), this, where, kYieldPoint);
    }

private:
    template <class A>
    decltype(auto) transformed(A &&awaitable)
    {
        if constexpr (detail::transforms<Promise>)
            return this->library().await_transform(static_cast<A &&>(awaitable));
        else
            return static_cast<A &&>(awaitable);
    }
};

}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
