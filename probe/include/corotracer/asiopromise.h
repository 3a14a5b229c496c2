// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The promises of coroutines of Boost.Asio 1.81. Included by asio.h.
//
// `co_await socket.async_receive(buffer, use_awaitable)` awaits a small coroutine of Asio, which initiates the
// operation and never continues. Such operation frames are not traced. They and the traced coroutines have the same
// base class, asio_frame, so the awaiting coroutine can tell them apart.
#pragma once

#include "foreign.h"

#include <coroutine>
#include <cstddef>
#include <type_traits>
#include <utility>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace boost::asio {

template <class T, class Executor>
class awaitable;
template <class Executor>
struct use_awaitable_t;
template <class Signature, class Initiation, class... Arguments>
class deferred_async_operation;

namespace detail {
template <class T, class Executor>
class awaitable_frame;
template <class Executor>
class awaitable_frame_base;
template <class Executor>
class awaitable_thread;
template <class Executor, class... Ts>
class awaitable_handler;
template <class Signature, class Executor>
class awaitable_async_op_handler;
template <class Signature, class Operation, class Executor>
class awaitable_async_op;
template <class Handler>
class as_tuple_handler;
template <class Handler>
class redirect_error_handler;
class initiate_post;
class initiate_dispatch;
class initiate_defer;
template <class Executor>
class initiate_post_with_executor;
template <class Executor>
class initiate_dispatch_with_executor;
template <class Executor>
class initiate_defer_with_executor;
template <class Executor>
class initiate_co_spawn;
}  // namespace detail

}  // namespace boost::asio

namespace corotracer {
inline namespace v2 {
namespace detail {

/// What a thread does for an awaiting coroutine at present.
struct COROTRACER_ONE_PER_PROCESS asio_thread {
    PromiseMixin *waiter;   ///< coroutine whose operation is initiated, or has completed a step; null: none
    PromiseMixin *spawner;  ///< coroutine that awaits the coroutine that co_spawn is about to make; null: none
};
COROTRACER_ONE_PER_PROCESS inline thread_local constinit asio_thread asio_v2{};

/// Sets asio_v2 while an operation is initiated.
class asio_scope {
public:
    explicit asio_scope(asio_thread now) noexcept : m_before(std::exchange(asio_v2, now)) {}
    asio_scope(const asio_scope &) = delete;
    asio_scope &operator=(const asio_scope &) = delete;
    ~asio_scope() { asio_v2 = m_before; }

private:
    const asio_thread m_before;
};

// Kinds of initiation. An adapter, such as as_tuple, has the initiation that it wraps as a type argument. A deferred
// operation has arguments, too: in a group, these are the operations of the group.
template <class T>
inline constexpr bool is_execution = false;  ///< gives the coroutine to an executor
template <>
inline constexpr bool is_execution<boost::asio::detail::initiate_post> = true;
template <>
inline constexpr bool is_execution<boost::asio::detail::initiate_dispatch> = true;
template <>
inline constexpr bool is_execution<boost::asio::detail::initiate_defer> = true;
template <class Executor>
inline constexpr bool is_execution<boost::asio::detail::initiate_post_with_executor<Executor>> = true;
template <class Executor>
inline constexpr bool is_execution<boost::asio::detail::initiate_dispatch_with_executor<Executor>> = true;
template <class Executor>
inline constexpr bool is_execution<boost::asio::detail::initiate_defer_with_executor<Executor>> = true;
template <template <class...> class Adapter, class... Ts>
inline constexpr bool is_execution<Adapter<Ts...>> = (is_execution<Ts> || ...);
template <class Signature, class Initiation, class... Arguments>
inline constexpr bool is_execution<boost::asio::deferred_async_operation<Signature, Initiation, Arguments...>> =
    is_execution<Initiation>;

template <class T>
inline constexpr bool is_spawn = false;  ///< awaits a coroutine that co_spawn makes
template <class Executor>
inline constexpr bool is_spawn<boost::asio::detail::initiate_co_spawn<Executor>> = true;
template <template <class...> class Adapter, class... Ts>
inline constexpr bool is_spawn<Adapter<Ts...>> = (is_spawn<Ts> || ...);
template <class Signature, class Initiation, class... Arguments>
inline constexpr bool is_spawn<boost::asio::deferred_async_operation<Signature, Initiation, Arguments...>> =
    is_spawn<Initiation>;

/// Calls `initiate`, an initiation of type Initiation, for `waiter`, which is suspended; null = not traced.
template <class Initiation, class Call>
inline decltype(auto) asio_initiate(PromiseMixin *waiter, Call &&initiate)
{
    if (is_execution<Initiation> && waiter != nullptr)
        note_wake(*waiter);
    const bool waits = !is_execution<Initiation> && !is_spawn<Initiation>;
    const asio_scope scope({waits ? waiter : nullptr, is_spawn<Initiation> ? waiter : nullptr});
    return initiate();
}

/// Base class of the promises of all coroutines and operations of Asio.
template <class T, class Executor>
struct asio_frame : boost::asio::detail::awaitable_frame<T, Executor> {
    PromiseMixin *own = nullptr;     ///< this coroutine; null: an operation, or not traced
    PromiseMixin *waiter = nullptr;  ///< the traced coroutine that awaits this one; null: none
};

template <class T, class Executor>
inline constexpr bool asio_is_wrapped = trace_promise<boost::asio::detail::awaitable_frame<T, Executor>>;

struct asio_frame_finder {};

/// Returns the frame of an awaitable that has one.
template <class T, class Executor>
[[nodiscard]] asio_frame<T, Executor> *asio_frame_of(const boost::asio::awaitable<T, Executor> &awaitable) noexcept;

template <class A>
inline constexpr bool is_asio_awaitable = false;
template <class T, class Executor>
inline constexpr bool is_asio_awaitable<boost::asio::awaitable<T, Executor>> = asio_is_wrapped<T, Executor>;

template <class Awaiter>
inline constexpr bool is_deferred = false;
template <class Signature, class Operation, class Executor>
inline constexpr bool is_deferred<boost::asio::detail::awaitable_async_op<Signature, Operation, Executor>> = true;

/// An operation that is awaited by itself, without a token such as use_awaitable. Its awaiter keeps a reference to the
/// operation, so both are stored together.
template <class Operation, class Awaiter>
struct asio_deferred;
template <class Stored, class Signature, class Operation, class Executor>
struct asio_deferred<Stored, boost::asio::detail::awaitable_async_op<Signature, Operation, Executor>> {
    Stored operation;
    PromiseMixin *waiter;
    boost::asio::detail::awaitable_frame_base<Executor> *frame;

    template <class Handler>
    decltype(auto) operator()(Handler &&handler) &&
    {
        return asio_initiate<Operation>(waiter, [&]() -> decltype(auto) {
            return static_cast<Stored &&>(operation)(static_cast<Handler &&>(handler));
        });
    }
    auto operator co_await() &&
    {
        return boost::asio::detail::awaitable_async_op<Signature, asio_deferred, Executor>(
            static_cast<asio_deferred &&>(*this), frame);
    }
};

/// The awaiter of a traced coroutine. When the coroutine continues in the last step of a longer operation, nothing has
/// reported its wake so far.
template <class Awaitable, class Library>
struct asio_awaiter : foreign_awaiter<Awaitable, Library> {
    using foreign = foreign_awaiter<Awaitable, Library>;
    using foreign::foreign;

    decltype(auto) await_resume()
    {
        if (PromiseMixin *const waiter = std::exchange(asio_v2.waiter, nullptr); waiter == this->tracer)
            note_wake(*this->tracer);
        return foreign::await_resume();
    }
};

/// The promise of a traced coroutine.
template <class T, class Executor>
class asio_promise : public traced_promise<asio_frame<T, Executor>, boost::asio::detail::awaitable_frame<T, Executor>> {
    using frame = asio_frame<T, Executor>;
    using library = boost::asio::detail::awaitable_frame<T, Executor>;

public:
    asio_promise() noexcept
    {
        this->own = this->is_traced() ? this : nullptr;
        if (PromiseMixin *const spawner = std::exchange(asio_v2.spawner, nullptr); spawner != nullptr && this->own)
            spawner->waits_on(*this);
    }

    template <class A>
    auto await_transform(A &&awaitable, location where = location::current())
    {
        using Value = std::remove_cvref_t<A>;
        if constexpr (is_asio_awaitable<Value>) {
            if (auto *const awaited = asio_frame_of(awaitable); awaited != nullptr && this->is_traced())
                awaited->waiter = this;
        }
        using Result = decltype(frame::await_transform(static_cast<A &&>(awaitable)));
        if constexpr (is_deferred<Result>) {
            (void)frame::await_transform(static_cast<A &&>(awaitable));  // throws if the coroutine is cancelled
            using Deferred = asio_deferred<A, Result>;
            return asio_awaiter<Deferred, library>(
                Deferred{static_cast<A &&>(awaitable), this->is_traced() ? this : nullptr, this}, this, where,
                kAwaitPoint);
        } else {
            return asio_awaiter<Result, library>(frame::await_transform(static_cast<A &&>(awaitable)), this, where,
                                                 kAwaitPoint);
        }
    }
};

/// The promise of an operation frame.
template <class T, class Executor, class Initiation>
struct asio_operation : asio_frame<T, Executor> {
    template <class A>
    auto await_transform(A &&function)
    {
        using Base = boost::asio::detail::awaitable_frame_base<Executor>;
        if constexpr (std::is_invocable_v<A &, Base *>) {
            auto initiate = [this, function](Base *frame) mutable {
                // *this may be destroyed during the call.
                return asio_initiate<Initiation>(this->waiter, [&] { return function(frame); });
            };
            return asio_frame<T, Executor>::await_transform(std::move(initiate));
        } else {
            return asio_frame<T, Executor>::await_transform(static_cast<A &&>(function));
        }
    }
};

/// Selects the promise by the types of the coroutine's arguments: an operation has its initiation and its token.
template <class T, class Executor, class... Arguments>
struct asio_choice {
    using type = asio_promise<T, Executor>;
};
template <class T, class Executor, class Initiation, class TokenExecutor, class... Rest>
requires(!std::is_reference_v<Initiation>) struct asio_choice<T, Executor, Initiation,
                                                              boost::asio::use_awaitable_t<TokenExecutor>, Rest...> {
    using type = asio_operation<T, Executor, Initiation>;
};

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

/// Asio declares this class template as a friend of awaitable.
template <class Executor>
class boost::asio::detail::awaitable_frame<corotracer::detail::asio_frame_finder, Executor> {
public:
    template <class T>
    [[nodiscard]] static awaitable_frame<T, Executor> *of(const awaitable<T, Executor> &from) noexcept
    {
        return from.frame_;
    }
};

namespace corotracer {
inline namespace v2 {
namespace detail {

template <class T, class Executor>
[[nodiscard]] asio_frame<T, Executor> *asio_frame_of(const boost::asio::awaitable<T, Executor> &awaitable) noexcept
{
    using Finder = boost::asio::detail::awaitable_frame<asio_frame_finder, Executor>;
    return static_cast<asio_frame<T, Executor> *>(Finder::of(awaitable));
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

namespace boost::asio {

template <class T, class Executor>
requires corotracer::detail::asio_is_wrapped<T, Executor>
[[nodiscard]] const corotracer::PromiseMixin *awaited_promise(const awaitable<T, Executor> &from) noexcept
{
    const auto *const frame = corotracer::detail::asio_frame_of(from);
    return frame != nullptr ? frame->own : nullptr;
}

}  // namespace boost::asio

template <class T, class Executor, class... Arguments>
requires corotracer::detail::asio_is_wrapped<T, Executor>
struct std::coroutine_traits<boost::asio::awaitable<T, Executor>, Arguments...> {
    using promise_type = typename corotracer::detail::asio_choice<T, Executor, Arguments...>::type;
};

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
