// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Traces the coroutines of Boost.Asio 1.81. Compile every object that uses Asio with
//
//     -DBOOST_ASIO_CUSTOM_HANDLER_TRACKING='<corotracer/asio.h>'
//
// and nothing else: Asio includes this header itself, and an io_context calls InitTracer. asiopromise.h has the
// coroutines, this header has the operations that they wait for. docs/probe/asio.md is the manual.
//
// The thread-local asio_v2 connects coroutine and operation. It names the awaiting coroutine while its operation is
// initiated, and while a step of the operation completes. The creation of an operation then says what that coroutine
// waits for.
#pragma once

#if !defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
#error                                                                                                                 \
    "do not include corotracer/asio.h: define BOOST_ASIO_CUSTOM_HANDLER_TRACKING as <corotracer/asio.h> for every object"
#endif

#include <boost/version.hpp>

#if BOOST_VERSION != 108100
#error "corotracer/asio.h depends on internals of Boost.Asio, and knows those of Boost 1.81 only (BOOST_VERSION 108100)"
#endif

#include "foreign.h"

#define BOOST_ASIO_HANDLER_LOCATION(location) (void)0  // the co_await has the location
#define BOOST_ASIO_HANDLER_REACTOR_REGISTRATION(arguments) (void)0
#define BOOST_ASIO_HANDLER_REACTOR_DEREGISTRATION(arguments) (void)0
#define BOOST_ASIO_HANDLER_REACTOR_READ_EVENT 0
#define BOOST_ASIO_HANDLER_REACTOR_WRITE_EVENT 0
#define BOOST_ASIO_HANDLER_REACTOR_ERROR_EVENT 0
#define BOOST_ASIO_HANDLER_REACTOR_EVENTS(arguments) (void)0
#define BOOST_ASIO_HANDLER_REACTOR_OPERATION(arguments) (void)0

#if defined(COROTRACER_OFF)

#define BOOST_ASIO_INHERIT_TRACKED_HANDLER
#define BOOST_ASIO_ALSO_INHERIT_TRACKED_HANDLER
#define BOOST_ASIO_HANDLER_TRACKING_INIT (void)0
#define BOOST_ASIO_HANDLER_CREATION(arguments) (void)0
#define BOOST_ASIO_HANDLER_COMPLETION(arguments) (void)0
#define BOOST_ASIO_HANDLER_INVOCATION_BEGIN(arguments) (void)0
#define BOOST_ASIO_HANDLER_INVOCATION_END (void)0
#define BOOST_ASIO_HANDLER_OPERATION(arguments) (void)0

#else

#define BOOST_ASIO_INHERIT_TRACKED_HANDLER : public ::corotracer::detail::asio_tracked
#define BOOST_ASIO_ALSO_INHERIT_TRACKED_HANDLER , public ::corotracer::detail::asio_tracked
#define BOOST_ASIO_HANDLER_TRACKING_INIT ::corotracer::InitTracer()
#define BOOST_ASIO_HANDLER_CREATION(arguments) ::corotracer::detail::asio_creation arguments
#define BOOST_ASIO_HANDLER_COMPLETION(arguments) ::corotracer::detail::asio_completion tracked_completion arguments
#define BOOST_ASIO_HANDLER_INVOCATION_BEGIN(arguments) tracked_completion.invocation_begin arguments
#define BOOST_ASIO_HANDLER_INVOCATION_END (void)0
#define BOOST_ASIO_HANDLER_OPERATION(arguments) ::corotracer::detail::asio_operated arguments

#include "asiopromise.h"

#include <chrono>
#include <cstdint>
#include <optional>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

/// Base class of Asio's operations.
struct asio_tracked {
    /// The coroutine that continues when the operation completes, if the operation owns it. Otherwise null, because the
    /// coroutine may have ended by then.
    PromiseMixin *waiter = nullptr;
};

/// The handlers that resume an awaiting coroutine.
template <class T>
inline constexpr bool resumes = false;
template <class Executor, class... Ts>
inline constexpr bool resumes<boost::asio::detail::awaitable_handler<Executor, Ts...>> = true;
template <class Signature, class Executor>
inline constexpr bool resumes<boost::asio::detail::awaitable_async_op_handler<Signature, Executor>> = true;
template <class Handler>
inline constexpr bool resumes<boost::asio::detail::as_tuple_handler<Handler>> = resumes<Handler>;
template <class Handler>
inline constexpr bool resumes<boost::asio::detail::redirect_error_handler<Handler>> = resumes<Handler>;

/// True if an operation resumes the coroutine when it completes. Otherwise it may be a step of a longer operation.
template <class Operation>
inline constexpr bool is_last_step = false;
template <template <class...> class Operation, class... Ts>
inline constexpr bool is_last_step<Operation<Ts...>> = (resumes<Ts> || ...);

/// True if a type is, or has as a type argument at any depth, a handler that owns the coroutine.
template <class T>
inline constexpr bool owns_coroutine = false;
template <template <class...> class Template, class... Ts>
inline constexpr bool owns_coroutine<Template<Ts...>> = resumes<Template<Ts...>> || (owns_coroutine<Ts> || ...);

template <class Object>
concept has_expiry = requires(const Object &object)
{
    object.expiry;
};
/// Returns the deadline of a timer as a time of the steady clock. Empty for a timer that is set to the end of all time:
/// its coroutine waits to be notified by cancel().
template <class Clock, class Duration>
[[nodiscard]] std::optional<std::chrono::steady_clock::time_point>
steady_deadline(std::chrono::time_point<Clock, Duration> expiry)
{
    constexpr auto kFarAway = std::chrono::hours(24 * 365 * 100);
    const auto now = Clock::now();
    if (expiry > now && expiry - now > kFarAway)
        return std::nullopt;
    using Steady = std::chrono::steady_clock;
    if constexpr (std::is_same_v<Clock, Steady>)
        return std::chrono::time_point_cast<Steady::duration>(expiry);
    else if (expiry <= now)  // the distance may be too large for a number
        return Steady::now();
    else
        return Steady::now() + std::chrono::duration_cast<Steady::duration>(expiry - now);
}
template <class Time>
[[nodiscard]] std::optional<std::chrono::steady_clock::time_point> steady_deadline(const Time &)
{
    return std::nullopt;  // a timer of Boost.Date_Time
}

/// Called when Asio has created an operation. Names of executors' operations do not begin with "async_": a coroutine
/// that was given to an executor waits for nothing.
template <class Context, class Operation, class Object>
inline void asio_creation(Context &, Operation &operation, const char *type, Object *object,
                          std::uintmax_t native_handle, const char *name)
{
    PromiseMixin *const waiter = asio_v2.waiter;
    if (waiter == nullptr || name[0] != 'a')
        return;
    if constexpr (has_expiry<Object>) {
        if (const auto deadline = steady_deadline(object->expiry))
            waiter->waits_on(*deadline);
        else
            waiter->waits_on(wait::other, object);
    } else if (native_handle != 0 || type[0] == 'd') {
        waiter->waits_on(wait::descriptor, native_handle);
    } else {
        waiter->waits_on(type[0] == 'c' ? wait::channel : wait::other, object);
    }
    // Only once: later operations may be created when the coroutine has already ended.
    asio_v2.waiter = nullptr;
    if constexpr (owns_coroutine<Operation>)
        operation.waiter = waiter;
}

/// Called for operations without a handler. The cancellation of a timer that never expires notifies its coroutines.
template <class Context, class Object>
inline void asio_operated(Context &, const char *, Object *object, std::uintmax_t, const char *name)
{
    if constexpr (has_expiry<Object>) {
        if (name[0] == 'c' && !steady_deadline(object->expiry))
            note_signalled(object);
    }
}

/// Exists while Asio calls the handler of an operation. Asio may delete the operation during that call, so this object
/// copies what it needs.
class asio_completion {
public:
    template <class Operation>
    explicit asio_completion(const Operation &operation) noexcept
        : waiter_(operation.waiter), is_last_(is_last_step<Operation>)
    {
    }
    asio_completion(const asio_completion &) = delete;
    asio_completion &operator=(const asio_completion &) = delete;
    ~asio_completion()
    {
        if (is_step_)
            asio_v2.waiter = before_;
    }

    /// Called before the handler. It is not called for an operation that is destroyed without completion.
    template <class... Results>
    void invocation_begin(const Results &...) noexcept
    {
        if (waiter_ == nullptr)
            return;
        if (is_last_)
            return note_wake(*waiter_);
        is_step_ = true;
        before_ = asio_v2.waiter;
        asio_v2.waiter = waiter_;
    }

private:
    PromiseMixin *waiter_;
    PromiseMixin *before_ = nullptr;
    bool is_last_;
    bool is_step_ = false;
};

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")

#endif
