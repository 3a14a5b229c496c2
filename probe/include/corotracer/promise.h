// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// PromiseMixin, the base class of a traced promise type, and TracedAwaiter, which writes the events of one co_await.
#pragma once

#include "awaitable.h"
#include "control.h"
#include "suspensions.h"
#include "types.h"

#include <chrono>
#include <concepts>
#include <coroutine>
#include <initializer_list>
#include <string_view>
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

class PromiseMixin;

namespace detail {

/// The state of a thread around a call of await_suspend.
struct await_suspend_scope {
    std::uint64_t running = 0;  ///< thread_state::running during the call; 0: no event was written
    std::uint64_t outer = 0;    ///< thread_state::running after it
};

template <class Handle>
inline constexpr bool is_traced_handle = false;
template <class Promise>
inline constexpr bool is_traced_handle<std::coroutine_handle<Promise>> = std::is_base_of_v<PromiseMixin, Promise>;

// noexcept and const: finding the coroutine must not change what the program does.
template <class A>
concept names_awaited_promise = requires(const A &awaitable)
{
    {
        awaited_promise(awaitable)
    }
    noexcept->std::convertible_to<const PromiseMixin *>;
};
template <class A>
concept has_traced_handle = requires(const A &awaitable)
{
    {
        awaitable.handle()
    }
    noexcept;
    requires is_traced_handle<std::remove_cvref_t<decltype(awaitable.handle())>>;
};

/// The coroutine that an awaitable stands for: awaited_promise(awaitable), or the one of its handle(). Empty for
/// awaitables that give none.
template <class A>
struct awaited_coroutine {
    explicit awaited_coroutine(const A &) noexcept {}
    [[nodiscard]] static constexpr const PromiseMixin *promise() noexcept { return nullptr; }
};
template <class A>
requires names_awaited_promise<A> || has_traced_handle<A>
class awaited_coroutine<A> {
public:
    explicit awaited_coroutine(const A &awaitable) noexcept
    {
        if constexpr (names_awaited_promise<A>) {
            promise_ = awaited_promise(awaitable);
        } else if (const auto handle = awaitable.handle(); handle != nullptr) {
            promise_ = &handle.promise();
        }
    }
    [[nodiscard]] const PromiseMixin *promise() const noexcept { return promise_; }

private:
    const PromiseMixin *promise_ = nullptr;
};

}  // namespace detail

/// Awaits `inner`, and writes its events for `tracer`. The suspension is written before inner.await_suspend is called,
/// the resumption in await_resume. An awaitable that is ready causes no event. noexcept wherever the inner awaiter is.
///
/// If the awaitable stands for a traced coroutine, the suspension waits on that coroutine. It does if it has a function
/// handle() const noexcept that returns the std::coroutine_handle of a promise derived from PromiseMixin, or if
/// `awaited_promise(awaitable)` finds a noexcept function by its argument, a const reference, that returns a pointer to
/// the promise (null: none).
template <class Awaitable>
struct TracedAwaiter : private detail::awaited_coroutine<std::remove_reference_t<Awaitable>>,
                       detail::awaiter_storage<Awaitable> {
    using awaited = detail::awaited_coroutine<std::remove_reference_t<Awaitable>>;
    using storage = detail::awaiter_storage<Awaitable>;
    using storage::inner;

    template <class U>
    TracedAwaiter(U &&from, PromiseMixin *promise, location where = location::current(),
                  std::uint8_t kind = kAwaitPoint) noexcept(std::is_nothrow_constructible_v<storage, U &&>)
        : awaited(from), storage(static_cast<U &&>(from)), tracer(promise), where_(where), kind_(kind)
    {
    }

    bool await_ready() noexcept(noexcept(static_cast<bool>(inner.await_ready())))
    {
        return static_cast<bool>(inner.await_ready());
    }

    template <class Promise>
    auto await_suspend(std::coroutine_handle<Promise> self) noexcept(noexcept(inner.await_suspend(self)));

    decltype(auto) await_resume() noexcept(noexcept(inner.await_resume()));

    /// Promise of the awaiting coroutine; must not be null.
    PromiseMixin *tracer;

private:
    /// Writes the suspension and what it waits for.
    template <class Promise>
    detail::await_suspend_scope enter_suspend(std::uint32_t session, std::coroutine_handle<Promise> self) noexcept;

    location where_;
    std::uint32_t site_ = 0;
    std::uint8_t kind_;
    bool suspended_ = false;  ///< await_resume has a resumption to write
};

template <class A>
TracedAwaiter(A, PromiseMixin *) -> TracedAwaiter<A>;

namespace detail {
/// Returns a suspension point as an Epoch carries it: site (32 bits) | kind (4 bits, from bit 32).
[[nodiscard]] constexpr std::uint64_t point_of(std::uint32_t site, std::uint8_t kind) noexcept
{
    return std::uint64_t{kind & 0xFU} << 32 | site;
}

/// Returns an event as CompactState::what carries it: site (32 bits) | kind of record (8 bits, from bit 32).
[[nodiscard]] constexpr std::uint64_t what_of(bool is_active, std::uint64_t point) noexcept
{
    // No branch, because the processor could not predict it.
    static_assert(kRecordResume == kRecordSuspend << 1);
    const std::uint64_t record = std::uint64_t{kRecordSuspend} << static_cast<unsigned>(is_active);
    return record << 32 | point;
}

/// Returns the suspension point of an event, as point_of.
[[nodiscard]] constexpr std::uint64_t point_in(std::uint64_t what) noexcept
{
    return what & 0xF'FFFF'FFFF;
}

/// Access to private members of a promise, for the probe's other functions (names, wakes).
struct promise_access {
    [[nodiscard]] static std::uint64_t identity(const PromiseMixin &promise) noexcept;
    [[nodiscard]] static CompactState *compact_state(const PromiseMixin &promise) noexcept;
    [[nodiscard]] static std::uint32_t session(const PromiseMixin &promise) noexcept;
    static void write_wait(PromiseMixin &promise, waited object, std::uint32_t part) noexcept;
    static void write_finish(PromiseMixin &promise, std::uint32_t session, std::uint32_t site) noexcept;
    /// Declares that every further suspension of the coroutine writes an event. Only then can the coroutine be the
    /// creator of others and the user of objects. Call it after the coroutine's first event. TracedAwaiter does so
    /// where shows_all_suspensions.
    static void shows_all_suspensions(PromiseMixin &promise) noexcept;
    /// True if the program has reported what the next suspension waits for.
    [[nodiscard]] static bool has_wait(const PromiseMixin &promise) noexcept;
    /// For a suspension that is written without a TracedAwaiter: the next one has no wait so far.
    static void forget_wait(PromiseMixin &promise) noexcept;
};

}  // namespace detail

/// Base class of a promise type whose coroutines are traced.
///
/// Threads: as with the promise itself, one thread at a time. The station belongs to the coroutine from birth to death.
/// In a forked child, an inherited promise never writes (see detail::process_page). Member functions throw only if
/// moving an awaitable throws.
class PromiseMixin {
public:
    StationData *my_station = nullptr;  ///< the full station; null: a compact station or none, see is_traced()
    std::uint64_t event_count = 0;      ///< number of the next event

    /// Gives the coroutine a station, if tracing is on and one is free. Otherwise the coroutine stays untraced for
    /// life.
    PromiseMixin() noexcept : PromiseMixin(true) {}
    /// As the default constructor if `traced`. Otherwise the coroutine stays untraced for life, and is not counted.
    explicit PromiseMixin(bool traced) noexcept
    {
        if (!traced)
            return;
        const std::uint32_t session = detail::page_v2.session.load(std::memory_order_acquire);
        if (session != 0)
            be_born(session);
        else
            detail::count_early_birth();
    }
    /// A copied promise belongs to another coroutine, with its own station.
    PromiseMixin(const PromiseMixin &) noexcept : PromiseMixin() {}
    PromiseMixin &operator=(const PromiseMixin &) noexcept { return *this; }
    ~PromiseMixin()
    {
        if (session_ != 0)
            die();
    }

    /// True if the coroutine has a station, of either kind. Also true while tracing is off or paused. False in a forked
    /// child, for a coroutine that the child inherited.
    [[nodiscard]] bool is_traced() const noexcept
    {
        return session_ != 0 && session_ == detail::page_v2.attached.load(std::memory_order_acquire);
    }

    /// Traces every co_await of the coroutine. `where` is the location of the co_await. Returns a TracedAwaiter.
    template <class Awaitable>
    auto await_transform(Awaitable &&awaitable, location where = location::current()) noexcept(
        std::is_nothrow_constructible_v<TracedAwaiter<Awaitable>, Awaitable &&, PromiseMixin *, location, std::uint8_t>)
    {
        return TracedAwaiter<Awaitable>(static_cast<Awaitable &&>(awaitable), this, where, kAwaitPoint);
    }

    /// Traces one awaitable, for promises with their own await_transform: `return trace(awaitable, where);` with the
    /// awaitable that it returned before. An awaitable that cannot move must be an lvalue that outlives the call.
    template <class Awaitable>
    auto trace(Awaitable &&awaitable, location where = location::current()) noexcept(
        std::is_nothrow_constructible_v<TracedAwaiter<Awaitable>, Awaitable &&, PromiseMixin *, location, std::uint8_t>)
    {
        static_assert(detail::may_be_returned<Awaitable>,
                      "an awaitable that cannot move must outlive this call: pass an lvalue");
        return TracedAwaiter<Awaitable>(static_cast<Awaitable &&>(awaitable), this, where, kAwaitPoint);
    }

    /// Traces the initial suspension: `auto initial_suspend() { return trace_initial_suspend(); }`. To keep another
    /// awaiter than std::suspend_always, pass it.
    template <class Awaitable = std::suspend_always>
    auto trace_initial_suspend(Awaitable &&awaitable = Awaitable{}, location where = location::current()) noexcept(
        std::is_nothrow_constructible_v<TracedAwaiter<Awaitable>, Awaitable &&, PromiseMixin *, location, std::uint8_t>)
    {
        static_assert(detail::may_be_returned<Awaitable>,
                      "an awaitable that cannot move must outlive this call: pass an lvalue");
        return TracedAwaiter<Awaitable>(static_cast<Awaitable &&>(awaitable), this, where, kInitialSuspend);
    }

    /// Traces the final suspension: `auto final_suspend() noexcept { return trace_final_suspend(); }`. To keep another
    /// awaiter than std::suspend_always, pass it.
    template <class Awaitable = std::suspend_always>
    auto trace_final_suspend(Awaitable &&awaitable = Awaitable{}, location where = location::current()) noexcept
    {
        static_assert(detail::may_be_returned<Awaitable>,
                      "an awaitable that cannot move must outlive this call: pass an lvalue");
        return TracedAwaiter<Awaitable>(static_cast<Awaitable &&>(awaitable), this, where, kFinalSuspend);
    }

    /// Traces a co_yield, in yield_value: `return trace_yield({}, where);`. To make `where` the location of the
    /// co_yield, add the parameter `location where = location::current()` to yield_value.
    template <class Awaitable = std::suspend_always>
    auto trace_yield(Awaitable &&awaitable = Awaitable{}, location where = location::current()) noexcept(
        std::is_nothrow_constructible_v<TracedAwaiter<Awaitable>, Awaitable &&, PromiseMixin *, location, std::uint8_t>)
    {
        static_assert(detail::may_be_returned<Awaitable>,
                      "an awaitable that cannot move must outlive this call: pass an lvalue");
        return TracedAwaiter<Awaitable>(static_cast<Awaitable &&>(awaitable), this, where, kYieldPoint);
    }

    /// Writes one event: a resumption if `is_active`, else a suspension. `addr`: instruction address or frame pointer.
    /// `site`: id of the suspension point, 0 = unknown. `kind`: kAwaitPoint ... While tracing is off, costs one load
    /// and one branch.
    void write_trace(std::uint64_t addr, bool is_active, std::uint32_t site = 0,
                     std::uint8_t kind = kAwaitPoint) noexcept
    {
        const std::uint32_t session = detail::page_v2.session.load(std::memory_order_acquire);
        if (session == 0) [[likely]]
            return;
        write_trace_in(session, addr, is_active, site, kind);
    }

    /// Writes the suspension of a TracedAwaiter. `session` is not 0. If it is written, `site` receives the id of
    /// `where`. What the thread does until leave_suspend belongs to the coroutine: it is in its await_suspend.
    [[nodiscard]] detail::await_suspend_scope record_suspend(std::uint32_t session, const void *frame,
                                                             const location &where, std::uint8_t kind,
                                                             std::uint32_t &site) noexcept;
    /// The coroutine's await_suspend returns. The coroutine may run on another thread by now, or be destroyed.
    static void leave_suspend(const detail::await_suspend_scope &scope) noexcept;

    /// Names the coroutine from now on. UTF-8, cut after 4,096 bytes. Names that many coroutines share cost least.
    /// Needs a region with lanes.
    void set_name(std::string_view name) noexcept;

    /// Reports the parent of the coroutine: the coroutine that created it. Only necessary where the probe cannot see
    /// it: it takes the coroutine that runs on the thread at the birth. `parent` must be alive. Needs a region with
    /// lanes.
    void set_parent(const PromiseMixin &parent) noexcept;

    /// Reports the object that a suspension waits for. Between two suspensions the report belongs to the next one. In
    /// await_suspend it belongs to the present one; report before another thread may resume the coroutine. Needs a
    /// region with lanes.
    ///
    /// This overload is for a lock or a channel (address of the object), and for other objects with an address.
    void waits_on(wait kind, const void *object) noexcept
    {
        write_wait(kind, reinterpret_cast<std::uintptr_t>(object));
    }
    /// As above, for a file descriptor (its number) or a timer (its deadline, ns of CLOCK_MONOTONIC).
    void waits_on(wait kind, std::integral auto number) noexcept
    {
        write_wait(kind, static_cast<std::uint64_t>(number));
    }
    /// As above, for a timer (its deadline).
    template <class Duration>
    void waits_on(std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) noexcept
    {
        const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.time_since_epoch());
        write_wait(wait::timer, static_cast<std::uint64_t>(ns.count()));
    }
    /// As above, for another coroutine.
    void waits_on(const PromiseMixin &other) noexcept { write_wait(wait::coroutine, other.identity_); }
    /// As above, for an object and a deadline at which the wait ends without it.
    template <class Duration>
    void waits_on(wait kind, const void *object,
                  std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) noexcept
    {
        waits_for_any({{kind, object}, {deadline}});
    }
    /// As above, for any kind of object.
    void waits_on(waited object) noexcept { write_wait(object.kind, object.object); }
    /// As waits_on, for several objects: the wait ends with the first of them. At most kWaitPartsMax; further ones are
    /// left out.
    void waits_for_any(std::initializer_list<waited> objects) noexcept { write_waits(objects, false); }
    /// As waits_for_any, but the wait ends when all of them have come.
    void waits_for_all(std::initializer_list<waited> objects) noexcept { write_waits(objects, true); }

    /// Reports that the coroutine has finished: call it in return_void, return_value and unhandled_exception if the
    /// final suspension is not traced. Otherwise a coroutine whose frame is kept seems to run for ever. A promise type
    /// that calls it in all of these functions should say so, so that its coroutines can be parents and users of
    /// objects: `static constexpr bool reports_finish = true;`. No event: it has no number. Needs a region with lanes.
    void finished(location where = location::current()) noexcept;

protected:
    /// Returns the identity of the coroutine in a region with lanes; kNoIdentity without a compact station.
    [[nodiscard]] std::uint64_t identity() const noexcept { return identity_; }

    /// Writes a record about this coroutine into the calling thread's lane. Returns whether it was written. If it was
    /// not, in discard mode the compact station is not used again before the engine has read it.
    bool publish_record(std::uint64_t arg, std::uint32_t n, std::uint8_t kind) noexcept;

private:
    friend struct detail::promise_access;

    /// Writes one event while tracing is on.
    void write_trace_in(std::uint32_t session, std::uint64_t addr, bool is_active, std::uint32_t site,
                        std::uint8_t kind) noexcept
    {
        const std::uint64_t point = detail::point_of(site, kind);
        if ((session & detail::lanes_bit) != 0)
            publish(session, addr, detail::what_of(is_active, point));
        else
            record_full(session, addr, point, is_active);
    }

    // Defined in transition.h, except for write_wait, write_waits and write_finish (causality.h).
    void be_born(std::uint32_t session) noexcept;
    void be_born_compact(std::uint32_t session) noexcept;
    void be_born_full(std::uint32_t session) noexcept;
    void die() noexcept;
    void die_compact() noexcept;
    [[nodiscard]] bool is_mine(std::uint32_t &session) const noexcept;
    void write_wait(wait kind, std::uint64_t object, std::uint32_t part = 0) noexcept;
    void write_waits(std::initializer_list<waited> objects, bool for_all) noexcept;
    void write_finish(std::uint32_t session, std::uint32_t site) noexcept;
    void publish(std::uint32_t session, std::uint64_t addr, std::uint64_t what) noexcept;
    void record_full(std::uint32_t session, std::uint64_t addr, std::uint64_t point, bool is_active) noexcept;
    void record_full_fenced(std::uint64_t ticks, std::uint64_t addr, std::uint64_t point, bool is_active) noexcept;
    void publish_late(std::uint32_t session, std::uint64_t addr, std::uint64_t what) noexcept;

    CompactState *compact_ = nullptr;       ///< null: a full station (my_station), or untraced
    std::uint64_t identity_ = kNoIdentity;  ///< compact station and generation
    std::uint64_t outer_ = 0;               ///< thread_state::running before the latest resumption
    /// Session of the station, without paused_bit; 0 = untraced. In another session, as in a forked child, the promise
    /// writes nothing.
    std::uint32_t session_ = 0;
    bool record_missing_ = false;         ///< a record of the birth, a name or the parent is missing in the lanes
    bool shows_all_suspensions_ = false;  ///< see detail::promise_access
    bool has_wait_ = false;               ///< the program has reported what the next suspension waits for
};

inline std::uint64_t detail::promise_access::identity(const PromiseMixin &promise) noexcept
{
    return promise.identity_;
}
inline CompactState *detail::promise_access::compact_state(const PromiseMixin &promise) noexcept
{
    return promise.compact_;
}
inline std::uint32_t detail::promise_access::session(const PromiseMixin &promise) noexcept
{
    return promise.session_;
}

inline void detail::promise_access::shows_all_suspensions(PromiseMixin &promise) noexcept
{
    promise.shows_all_suspensions_ = true;
}
inline bool detail::promise_access::has_wait(const PromiseMixin &promise) noexcept
{
    return promise.has_wait_;
}
inline void detail::promise_access::write_wait(PromiseMixin &promise, waited object, std::uint32_t part) noexcept
{
    promise.write_wait(object.kind, object.object, part);
}
inline void detail::promise_access::forget_wait(PromiseMixin &promise) noexcept
{
    promise.has_wait_ = false;
}

template <class Awaitable>
template <class Promise>
detail::await_suspend_scope TracedAwaiter<Awaitable>::enter_suspend(std::uint32_t session,
                                                                    std::coroutine_handle<Promise> self) noexcept
{
    const bool has_wait = detail::promise_access::has_wait(*tracer);
    const detail::await_suspend_scope scope = tracer->record_suspend(session, self.address(), where_, kind_, site_);
    if (scope.running == 0)
        return scope;
    if constexpr (detail::shows_all_suspensions<Promise>)
        detail::promise_access::shows_all_suspensions(*tracer);
    if (kind_ == kAwaitPoint && awaited::promise() != nullptr && !has_wait)
        tracer->waits_on(*awaited::promise());
    return scope;
}

template <class Awaitable>
template <class Promise>
auto TracedAwaiter<Awaitable>::await_suspend(std::coroutine_handle<Promise> self) noexcept(
    noexcept(inner.await_suspend(self)))
{
    struct leaver {
        detail::await_suspend_scope scope;
        ~leaver()
        {
            if (scope.running != 0)
                PromiseMixin::leave_suspend(scope);
        }
    };
    const std::uint32_t session = detail::page_v2.session.load(std::memory_order_acquire);
    // Also while tracing is off: it may be on when the coroutine continues.
    suspended_ = true;
    detail::await_suspend_scope scope;
    if (session != 0) [[unlikely]]
        scope = enter_suspend(session, self);
        // From here on *this must not be used: the coroutine may run on another thread, or be destroyed.
#if defined(__cpp_exceptions)
    if constexpr (!noexcept(inner.await_suspend(self))) {
        try {
            const leaver leave{scope};
            return inner.await_suspend(self);
        } catch (...) {
            // The exception resumes the coroutine in this thread, so *this is still valid.
            tracer->write_trace(0, true, site_, kind_);
            suspended_ = false;
            throw;
        }
    } else
#endif
    {
        const leaver leave{scope};
        return inner.await_suspend(self);
    }
}

template <class Awaitable>
decltype(auto) TracedAwaiter<Awaitable>::await_resume() noexcept(noexcept(inner.await_resume()))
{
    if (suspended_)
        tracer->write_trace(0, true, site_, kind_);
    return inner.await_resume();
}

}  // namespace v2
}  // namespace corotracer

#if !defined(COROTRACER_EXTERN)
#include "causality.h"
#include "transition.h"
#endif

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
