// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Traces the fibers of Boost.Fiber 1.81, with one line in each thread that runs fibers, before its first fiber:
//
//     boost::fibers::use_scheduling_algorithm<corotracer::traced<boost::fibers::algo::round_robin>>();
//
// with any scheduling algorithm, with or without properties, and its arguments. docs/probe/fiber.md is the manual.
//
// A scheduler asks its algorithm for the next fiber whenever the running one stops (pick_next), and hands it each fiber
// that becomes ready (awakened). From these two calls follow all events. A fiber that is launched with launch::dispatch
// begins without either; it is discovered when its creator becomes ready again, at the beginning of its run.
#pragma once

#include "foreign.h"
#include "selftraced.h"

#include <boost/version.hpp>

#if BOOST_VERSION != 108100
#error                                                                                                                 \
    "corotracer/fiber.h depends on internals of Boost.Fiber, and knows those of Boost 1.81 only (BOOST_VERSION 108100)"
#endif

#if defined(BOOST_FIBERS_NO_ATOMICS)
#error "corotracer/fiber.h needs a Boost.Fiber with atomics: build without BOOST_FIBERS_NO_ATOMICS"
#endif

#include <boost/fiber/algo/algorithm.hpp>
#include <boost/fiber/context.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <new>

namespace corotracer {
inline namespace v2 {
namespace detail {
struct fiber_peek {};
}  // namespace detail
}  // namespace v2
}  // namespace corotracer

/// Boost.Fiber declares this class template as a friend of context.
template <>
class boost::fibers::worker_context<corotracer::detail::fiber_peek> {
public:
    [[nodiscard]] static std::chrono::steady_clock::time_point deadline_of(const context &of) noexcept
    {
        return of.tp_;
    }
};

namespace corotracer {
inline namespace v2 {
#if defined(COROTRACER_OFF)
inline namespace compiled_out {
#endif

/// The promise of a fiber: it stands for the fiber as the promise of a coroutine does.
class fiber_promise : public PromiseMixin {
public:
    bool runs = false;      ///< the latest event is a resumption
    std::size_t epoch = 0;  ///< waker_epoch_ of the fiber at its latest suspension
};

namespace detail {

using fiber_context = boost::fibers::context;

/// Only its address matters: it is the key of the fiber-specific pointer to the promise.
inline constexpr char fiber_key = 0;

/// Deletes the promise when its fiber ends.
struct fiber_end : boost::fibers::detail::fss_cleanup_function {
    void operator()(void *promise) override { delete static_cast<fiber_promise *>(promise); }
};

[[nodiscard]] inline bool is_fiber(const fiber_context &context) noexcept
{
    return context.is_context(boost::fibers::type::worker_context) && !context.terminated_is_linked();
}

[[nodiscard]] inline fiber_promise *promise_of_fiber(const fiber_context &context) noexcept
{
    return static_cast<fiber_promise *>(context.get_fss_data(&fiber_key));
}

#if !defined(COROTRACER_OFF)

/// Gives a fiber a promise. Returns null without memory; the fiber is then untraced.
inline fiber_promise *discover_fiber(fiber_context &context) noexcept
{
    fiber_promise *promise = nullptr;
    const std::uint32_t session = thread_v2.session;
    const std::uint64_t running = thread_v2.running;
#if defined(__cpp_exceptions)
    try {
#endif
        promise = new (std::nothrow) fiber_promise;
        if (promise != nullptr)
            context.set_fss_data(&fiber_key, new fiber_end, promise, false);
#if defined(__cpp_exceptions)
    } catch (const std::bad_alloc &) {
        delete promise;
        promise = nullptr;
    }
#endif
    // The birth of a coroutine may start it. That of a fiber does not.
    if (thread_v2.session == session)
        thread_v2.running = running;
    return promise;
}

inline void resume_fiber(fiber_promise &promise) noexcept
{
    promise.runs = true;
    promise.write_trace(0, true);
    if (promise.event_count == 1)
        trust_after_start(promise);
}

inline void suspend_fiber(fiber_context &context, fiber_promise &promise) noexcept
{
    promise.runs = false;
    promise.epoch = context.waker_epoch_.load(std::memory_order_relaxed);  // the fiber itself stores it before it waits
    if (context.sleep_is_linked()) {
        // The timeout of the object that the program has reported, if it has.
        const std::uint32_t part = promise_access::has_wait(promise) ? wait_part(1, false) : 0;
        promise_access::write_wait(promise, boost::fibers::worker_context<fiber_peek>::deadline_of(context), part);
    }
    promise.write_trace(0, false);  // no address: a view would read it as that of a coroutine frame
    promise_access::forget_wait(promise);
}

/// Before the algorithm gets a fiber that has become ready: afterwards another thread may run it.
inline void before_awakened(fiber_context &context) noexcept
{
    fiber_context &active = *fiber_context::active();
    fiber_promise *running = is_fiber(active) ? promise_of_fiber(active) : nullptr;
    if (running == nullptr && is_fiber(active) && &active != &context) {
        // Launched with launch::dispatch: the parent is `context`, which still counts as running.
        running = discover_fiber(active);
    }
    if (!is_fiber(context)) {
        if (running != nullptr && !running->runs)
            resume_fiber(*running);
        return;
    }
    fiber_promise *const promise = promise_of_fiber(context);
    if (promise == nullptr) {
        discover_fiber(context);
        return;
    }
    const bool is_preempted = promise->runs;
    if (is_preempted)
        suspend_fiber(context, *promise);
    if (running != nullptr && !running->runs)
        resume_fiber(*running);
    // A fiber that yielded, or was preempted by one that it launched, was woken by none.
    const bool waited = promise->epoch != context.waker_epoch_.load(std::memory_order_relaxed);
    note_wake(*promise, waited && !is_preempted ? running : nullptr);
}

/// Before the active fiber stops.
inline void before_pick() noexcept
{
    fiber_context &active = *fiber_context::active();
    if (!is_fiber(active))
        return;
    if (fiber_promise *const promise = promise_of_fiber(active); promise != nullptr && promise->runs)
        suspend_fiber(active, *promise);
}

/// The scheduler resumes `next` at once.
inline void after_pick(fiber_context *next) noexcept
{
    if (next == nullptr || !is_fiber(*next))
        return;
    fiber_promise *promise = promise_of_fiber(*next);
    if (promise == nullptr)
        promise = discover_fiber(*next);  // it became ready under another algorithm
    if (promise != nullptr)
        resume_fiber(*promise);
}

#endif
}  // namespace detail

/// Returns the promise of the running fiber, for example to name it: `this_fiber()->set_name("parser");`. Null outside
/// of fibers, in a fiber of an untraced algorithm, and with -DCOROTRACER_OFF.
[[nodiscard]] inline fiber_promise *this_fiber() noexcept
{
    const detail::fiber_context &active = *detail::fiber_context::active();
    return detail::is_fiber(active) ? detail::promise_of_fiber(active) : nullptr;
}

/// A mutex of Boost.Fiber that reports who waits for it, holds it and releases it: Boost.Fiber has no hook for that.
/// Use it in place of `Mutex`, with boost::fibers::condition_variable_any in place of condition_variable. Not for
/// recursive mutexes, which a fiber acquires several times.
template <class Mutex>
class traced_mutex {
public:
    traced_mutex() = default;
    traced_mutex(const traced_mutex &) = delete;
    traced_mutex &operator=(const traced_mutex &) = delete;

    void lock(location where = location::current())
    {
        if (!mutex_.try_lock()) {
            report_wait();
            mutex_.lock();
        }
        note_acquired(this, where);
    }
    bool try_lock(location where = location::current())
    {
        const bool is_locked = mutex_.try_lock();
        if (is_locked)
            note_acquired(this, where);
        return is_locked;
    }
    void unlock(location where = location::current())
    {
        note_released(this, where);
        mutex_.unlock();
    }

private:
    void report_wait() noexcept
    {
        if (fiber_promise *const self = this_fiber(); self != nullptr)
            self->waits_on(wait::lock, this);
    }

    Mutex mutex_;
};

#if defined(COROTRACER_OFF)

template <std::derived_from<boost::fibers::algo::algorithm> Algorithm>
class traced<Algorithm> final : public Algorithm {
public:
    using Algorithm::Algorithm;
};

#else

/// A scheduling algorithm of Boost.Fiber that traces its fibers. Its constructor calls InitTracer.
template <std::derived_from<boost::fibers::algo::algorithm> Algorithm>
class traced<Algorithm> final : public Algorithm {
public:
    template <class... Arguments>
    requires std::constructible_from<Algorithm, Arguments...>
    explicit traced(Arguments &&...arguments) : Algorithm(static_cast<Arguments &&>(arguments)...) { InitTracer(); }

    void awakened(detail::fiber_context *context) noexcept override
    {
        detail::before_awakened(*context);
        Algorithm::awakened(context);
    }
    detail::fiber_context *pick_next() noexcept override
    {
        detail::before_pick();
        detail::fiber_context *const next = Algorithm::pick_next();
        detail::after_pick(next);
        return next;
    }
};

namespace detail {
template <class Properties>
Properties properties_of(const boost::fibers::algo::algorithm_with_properties<Properties> *);
}  // namespace detail

/// As above, for an algorithm with properties.
template <std::derived_from<boost::fibers::algo::algorithm> Algorithm>
requires std::derived_from<Algorithm, boost::fibers::algo::algorithm_with_properties_base>
class traced<Algorithm> final : public Algorithm {
    using properties_type = decltype(detail::properties_of(static_cast<const Algorithm *>(nullptr)));

public:
    template <class... Arguments>
    requires std::constructible_from<Algorithm, Arguments...>
    explicit traced(Arguments &&...arguments) : Algorithm(static_cast<Arguments &&>(arguments)...) { InitTracer(); }

    void awakened(detail::fiber_context *context, properties_type &properties) noexcept override
    {
        detail::before_awakened(*context);
        Algorithm::awakened(context, properties);
    }
    detail::fiber_context *pick_next() noexcept override
    {
        detail::before_pick();
        detail::fiber_context *const next = Algorithm::pick_next();
        detail::after_pick(next);
        return next;
    }
};

#endif

#if defined(COROTRACER_OFF)
}  // namespace compiled_out
#endif
}  // namespace v2
}  // namespace corotracer
