// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// PromiseMixin, from which a promise type inherits, and TracedAwaiter, which stands between a coroutine and what it
// awaits.
#pragma once

#include "awaitable.h"
#include "runtime.h"
#include "types.h"

#include <chrono>
#include <concepts>
#include <coroutine>
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

class PromiseMixin;

/// Awaits `inner` and tells `tracer` about it: one suspend before inner.await_suspend is entered, one resume when the
/// coroutine goes on. An awaitable that is ready is no event. noexcept wherever the inner awaiter is.
template <class Awaitable>
struct TracedAwaiter : detail::awaiter_storage<Awaitable> {
    using storage = detail::awaiter_storage<Awaitable>;
    using storage::inner;

    template <class U>
    TracedAwaiter(U &&from, PromiseMixin *promise, location where = location::current(),
                  std::uint8_t kind = kAwaitPoint) noexcept(std::is_nothrow_constructible_v<storage, U &&>)
        : storage(static_cast<U &&>(from)), tracer(promise), where_(where), kind_(kind)
    {
    }

    bool await_ready() noexcept(noexcept(static_cast<bool>(inner.await_ready())))
    {
        return static_cast<bool>(inner.await_ready());
    }

    template <class Promise>
    auto await_suspend(std::coroutine_handle<Promise> self) noexcept(noexcept(inner.await_suspend(self)));

    decltype(auto) await_resume() noexcept(noexcept(inner.await_resume()));

    PromiseMixin *tracer;

private:
    location where_;
    std::uint32_t site_ = 0;
    std::uint8_t kind_;
    bool suspended_ = false;  ///< a resume is due
};

template <class A>
TracedAwaiter(A, PromiseMixin *) -> TracedAwaiter<A>;

namespace detail {
/// A suspension point as an Epoch carries it: site (32) | kind (4, from bit 32).
[[nodiscard]] constexpr std::uint64_t point_of(std::uint32_t site, std::uint8_t kind) noexcept
{
    return std::uint64_t{kind & 0xFU} << 32 | site;
}

/// What a transition is, as StateLine::what carries it: site (32) | kind of record (8, from bit 32).
[[nodiscard]] constexpr std::uint64_t what_of(bool is_active, std::uint64_t point) noexcept
{
    static_assert(kRecordResume == kRecordSuspend << 1);  // no branch: which of the two is not to be foreseen
    const std::uint64_t record = std::uint64_t{kRecordSuspend} << static_cast<unsigned>(is_active);
    return record << 32 | point;
}

/// The point of a transition.
[[nodiscard]] constexpr std::uint64_t point_in(std::uint64_t what) noexcept
{
    return what & 0xF'FFFF'FFFF;
}

/// For the probe's own functions about coroutines (names, wakes): what a promise keeps for itself.
struct promise_access {
    [[nodiscard]] static std::uint64_t identity(const PromiseMixin &promise) noexcept;
    [[nodiscard]] static StateLine *line(const PromiseMixin &promise) noexcept;
    [[nodiscard]] static std::uint32_t session(const PromiseMixin &promise) noexcept;
};
}  // namespace detail

/// Base of a promise type whose coroutines are to be traced.
///
/// Threads: like the promise itself, one at a time. The station belongs to the coroutine from birth to death; the
/// promise must not be used in a forked child for tracing, and is not (see detail::process_page).
class PromiseMixin {
public:
    StationData *my_station = nullptr;  ///< null: untraced, or traced by lanes; is_traced() says which
    std::uint64_t event_count = 0;      ///< the next transition's number

    PromiseMixin() noexcept
    {
        const std::uint32_t session = detail::page_v1.session.load(std::memory_order_acquire);
        if (session != 0)
            be_born(session);
        else
            detail::count_early_birth();
    }
    /// A copy is another coroutine's promise: it has a station of its own.
    PromiseMixin(const PromiseMixin &) noexcept : PromiseMixin() {}
    PromiseMixin &operator=(const PromiseMixin &) noexcept { return *this; }
    ~PromiseMixin()
    {
        if (session_ != 0)
            die();
    }

    /// Whether the coroutine has a station, of either kind. So it has when tracing is switched off for the moment; not
    /// in a forked child of the process that it was born in.
    [[nodiscard]] bool is_traced() const noexcept
    {
        return session_ != 0 && session_ == detail::page_v1.attached.load(std::memory_order_acquire);
    }

    /// Traces every co_await of the coroutine.
    template <class Awaitable>
    auto await_transform(Awaitable &&awaitable, location where = location::current()) noexcept(
        std::is_nothrow_constructible_v<TracedAwaiter<Awaitable>, Awaitable &&, PromiseMixin *, location, std::uint8_t>)
    {
        return TracedAwaiter<Awaitable>(static_cast<Awaitable &&>(awaitable), this, where, kAwaitPoint);
    }

    /// For promises with an await_transform of their own: `return trace(what it would have returned, where);`
    template <class Awaitable>
    auto trace(Awaitable &&awaitable, location where = location::current()) noexcept(
        std::is_nothrow_constructible_v<TracedAwaiter<Awaitable>, Awaitable &&, PromiseMixin *, location, std::uint8_t>)
    {
        static_assert(detail::may_be_returned<Awaitable>,
                      "an awaitable that cannot move must outlive this call: pass an lvalue");
        return TracedAwaiter<Awaitable>(static_cast<Awaitable &&>(awaitable), this, where, kAwaitPoint);
    }

    /// `auto initial_suspend() { return trace_initial_suspend(); }`, or with the awaiter that it returned before.
    template <class Awaitable = std::suspend_always>
    auto trace_initial_suspend(Awaitable &&awaitable = Awaitable{}, location where = location::current()) noexcept(
        std::is_nothrow_constructible_v<TracedAwaiter<Awaitable>, Awaitable &&, PromiseMixin *, location, std::uint8_t>)
    {
        static_assert(detail::may_be_returned<Awaitable>,
                      "an awaitable that cannot move must outlive this call: pass an lvalue");
        return TracedAwaiter<Awaitable>(static_cast<Awaitable &&>(awaitable), this, where, kInitialSuspend);
    }

    /// `auto final_suspend() noexcept { return trace_final_suspend(); }`, or with the awaiter that it returned before.
    template <class Awaitable = std::suspend_always>
    auto trace_final_suspend(Awaitable &&awaitable = Awaitable{}, location where = location::current()) noexcept
    {
        static_assert(detail::may_be_returned<Awaitable>,
                      "an awaitable that cannot move must outlive this call: pass an lvalue");
        return TracedAwaiter<Awaitable>(static_cast<Awaitable &&>(awaitable), this, where, kFinalSuspend);
    }

    /// In yield_value: `return trace_yield({}, where);`, with `location where = location::current()` a parameter of
    /// yield_value to name the co_yield itself.
    template <class Awaitable = std::suspend_always>
    auto trace_yield(Awaitable &&awaitable = Awaitable{}, location where = location::current()) noexcept(
        std::is_nothrow_constructible_v<TracedAwaiter<Awaitable>, Awaitable &&, PromiseMixin *, location, std::uint8_t>)
    {
        static_assert(detail::may_be_returned<Awaitable>,
                      "an awaitable that cannot move must outlive this call: pass an lvalue");
        return TracedAwaiter<Awaitable>(static_cast<Awaitable &&>(awaitable), this, where, kYieldPoint);
    }

    /// Writes one transition. Off: one load, one branch.
    void write_trace(std::uint64_t addr, bool is_active, std::uint32_t site = 0,
                     std::uint8_t kind = kAwaitPoint) noexcept
    {
        const std::uint32_t session = detail::page_v1.session.load(std::memory_order_acquire);
        if (session == 0) [[likely]]
            return;
        write_trace_in(session, addr, is_active, site, kind);
    }

    /// The suspend of a TracedAwaiter. Returns whether it was written; `site` receives the id of `where`.
    bool record_suspend(std::uint32_t session, const void *frame, const location &where, std::uint8_t kind,
                        std::uint32_t &site) noexcept;

    /// Names the coroutine from now on, in UTF-8; at most 4,096 bytes count. Cheapest are names that many share.
    void set_name(std::string_view name) noexcept;

    /// Tells which coroutine made this one, or waits for it: the creation tree. The parent must be alive.
    void set_parent(const PromiseMixin &parent) noexcept;

    /// Tells what the next suspension waits for, or the present one from within its await_suspend, before anybody may
    /// resume it: a lock or a channel by its address,
    void waits_on(wait kind, const void *object) noexcept { tell_wait(kind, reinterpret_cast<std::uintptr_t>(object)); }
    /// a file descriptor by its number, a timer by its deadline in ns of CLOCK_MONOTONIC,
    void waits_on(wait kind, std::integral auto number) noexcept
    {
        tell_wait(kind, static_cast<std::uint64_t>(number));
    }
    /// a timer by its deadline,
    template <class Duration>
    void waits_on(std::chrono::time_point<std::chrono::steady_clock, Duration> deadline) noexcept
    {
        const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.time_since_epoch());
        tell_wait(wait::timer, static_cast<std::uint64_t>(ns.count()));
    }
    /// or another coroutine.
    void waits_on(const PromiseMixin &other) noexcept { tell_wait(wait::coroutine, other.identity_); }

protected:
    /// Of the coroutine, in a region with lanes; kNoIdentity without.
    [[nodiscard]] std::uint64_t identity() const noexcept { return identity_; }

    /// Writes a record about this coroutine into the calling thread's lane. One that did not get in keeps the compact
    /// station from being used again before the engine has read it.
    bool tell(std::uint64_t arg, std::uint32_t n, std::uint8_t kind) noexcept;

private:
    friend struct detail::promise_access;

    /// One transition while tracing is on.
    void write_trace_in(std::uint32_t session, std::uint64_t addr, bool is_active, std::uint32_t site,
                        std::uint8_t kind) noexcept
    {
        const std::uint64_t point = detail::point_of(site, kind);
        if ((session & detail::lanes_bit) != 0)
            record(session, addr, detail::what_of(is_active, point));
        else
            record_full(session, addr, point, is_active);
    }

    // Out of line, in transition.h.
    void be_born(std::uint32_t session) noexcept;
    void be_born_compact(std::uint32_t session) noexcept;
    void be_born_full(std::uint32_t session) noexcept;
    void die() noexcept;
    void die_compact() noexcept;
    [[nodiscard]] bool is_mine(std::uint32_t &session) const noexcept;
    void tell_wait(wait kind, std::uint64_t object) noexcept;
    void record(std::uint32_t session, std::uint64_t addr, std::uint64_t what) noexcept;
    void record_full(std::uint32_t session, std::uint64_t addr, std::uint64_t point, bool is_active) noexcept;
    void record_full_fenced(std::uint64_t ticks, std::uint64_t addr, std::uint64_t point, bool is_active) noexcept;
    void record_late(std::uint32_t session, std::uint64_t addr, std::uint64_t what) noexcept;

    StateLine *line_ = nullptr;             ///< the compact station; null: my_station, or untraced
    std::uint64_t identity_ = kNoIdentity;  ///< of the compact station in this life
    /// The session the station belongs to, without paused_bit; another one (a forked child's) must not write. 0 =
    /// untraced.
    std::uint32_t session_ = 0;
    bool untold_ = false;  ///< birth, name or parent did not get into a lane
};

inline std::uint64_t detail::promise_access::identity(const PromiseMixin &promise) noexcept
{
    return promise.identity_;
}
inline StateLine *detail::promise_access::line(const PromiseMixin &promise) noexcept
{
    return promise.line_;
}
inline std::uint32_t detail::promise_access::session(const PromiseMixin &promise) noexcept
{
    return promise.session_;
}

template <class Awaitable>
template <class Promise>
auto TracedAwaiter<Awaitable>::await_suspend(std::coroutine_handle<Promise> self) noexcept(
    noexcept(inner.await_suspend(self)))
{
    const std::uint32_t session = detail::page_v1.session.load(std::memory_order_acquire);
    // Whether or not tracing is on now: it may be when the coroutine goes on.
    suspended_ = true;
    if (session != 0) [[unlikely]]
        (void)tracer->record_suspend(session, self.address(), where_, kind_, site_);
        // Once inner.await_suspend has begun, the coroutine may run on another thread, or be gone: *this with it.
#if defined(__cpp_exceptions)
    if constexpr (!noexcept(inner.await_suspend(self))) {
        try {
            return inner.await_suspend(self);
        } catch (...) {
            // The language resumes the coroutine with the exception: it is still ours.
            tracer->write_trace(0, true, site_, kind_);
            suspended_ = false;
            throw;
        }
    } else
#endif
        return inner.await_suspend(self);
}

template <class Awaitable>
decltype(auto) TracedAwaiter<Awaitable>::await_resume() noexcept(noexcept(inner.await_resume()))
{
    if (suspended_)
        tracer->write_trace(0, true, site_, kind_);
    return inner.await_resume();
}

}  // namespace corotracer

#if !defined(COROTRACER_EXTERN)
#include "causality.h"
#include "transition.h"
#endif

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
