// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// PromiseMixin, from which a promise type inherits, and TracedAwaiter, which stands between a coroutine and what it
// awaits.
#pragma once

#include "awaitable.h"
#include "runtime.h"

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
    bool suspended_ = false;  ///< a suspend was written, a resume is due
};

template <class A>
TracedAwaiter(A, PromiseMixin *) -> TracedAwaiter<A>;

/// Base of a promise type whose coroutines are to be traced.
///
/// Threads: like the promise itself, one at a time. The station belongs to the coroutine from birth to death; the
/// promise must not be used in a forked child for tracing, and is not (see detail::process_page).
class PromiseMixin {
public:
    StationData *my_station = nullptr;  ///< null: untraced
    std::uint64_t event_count = 0;      ///< transitions written so far; the next one's number

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
        if (my_station != nullptr)
            die();
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
        record(session, addr, is_active, site, kind);
    }

    /// The suspend of a TracedAwaiter. Returns whether it was written; `site` receives the id of `where`.
    bool record_suspend(std::uint32_t session, const void *frame, const location &where, std::uint8_t kind,
                        std::uint32_t &site) noexcept
    {
        if (session_ != session || my_station == nullptr)
            return false;
        if (detail::state_v1.sites.extension != nullptr)
            site = detail::site_id(detail::sites_v1, detail::state_v1.sites, where);
        record(session, reinterpret_cast<std::uintptr_t>(frame), false, site, kind);
        return true;
    }

private:
    void be_born(std::uint32_t session) noexcept;
    void die() noexcept;
    void record(std::uint32_t session, std::uint64_t addr, bool is_active, std::uint32_t site,
                std::uint8_t kind) noexcept;
    void record_late(std::uint32_t session, std::uint64_t addr, bool is_active, std::uint32_t site,
                     std::uint8_t kind) noexcept;
    void store_event(StationData *station, std::uint32_t session, std::uint64_t now, std::uint64_t addr, bool is_active,
                     std::uint32_t site, std::uint8_t kind) noexcept;

    std::uint32_t session_ = 0;  ///< the session the station belongs to; another one (a forked child's) must not write
};

/// Takes the next station, if there is one. birth_ts goes last: it says that the rest is there.
[[gnu::noinline]] inline void PromiseMixin::be_born(std::uint32_t session) noexcept
{
    detail::process_state &state = detail::state_v1;
    const std::uint32_t max = state.header->max_stations.load(std::memory_order_acquire);  // partner: engine, release
    const std::uint32_t index = state.header->allocated_count.fetch_add(1, std::memory_order_relaxed);
    if (index >= max || index >= state.station_limit)
        return;
    StationData &station = state.stations[index];
    // The file is sparse: on a full file system the first store would raise SIGBUS. Without memory, without a station.
    const int saved_errno = errno;
    const bool backed = detail::back_with_memory(&station, sizeof station);
    errno = saved_errno;
    if (!backed)
        return;
    station.header.probe_id.store(reinterpret_cast<std::uintptr_t>(this), std::memory_order_relaxed);
    if (state.sites.extension != nullptr) {
        station.extension.dialect.store(kDialectSeqlock, std::memory_order_relaxed);
        station.extension.pid.store(state.pid, std::memory_order_relaxed);
        station.extension.generation.store(0, std::memory_order_relaxed);
        station.extension.mark.store(kStationMark, std::memory_order_relaxed);
    }
    station.header.is_dead.store(0, std::memory_order_relaxed);
    station.header.birth_ts.store(detail::now_in(session),
                                  std::memory_order_release);  // partner: the engine's acquire load
    session_ = session;
    my_station = &station;
}

[[gnu::noinline]] inline void PromiseMixin::die() noexcept
{
    const std::uint32_t session = detail::page_v1.session.load(std::memory_order_acquire);
    if (session == 0 || session_ != session)
        return;
    if (detail::state_v1.sites.extension != nullptr)
        my_station->extension.death_ts.store(detail::now_in(session), std::memory_order_relaxed);
    my_station->header.is_dead.store(1, std::memory_order_release);  // partner: the engine's acquire load
}

/// One transition, seqlock dialect: event n goes to slot n % 8.
[[gnu::always_inline]] inline void PromiseMixin::store_event(StationData *station, std::uint32_t session,
                                                             std::uint64_t now, std::uint64_t addr, bool is_active,
                                                             std::uint32_t site, std::uint8_t kind) noexcept
{
    const std::uint64_t number = event_count;
    event_count = number + 1;
    Epoch &epoch = station->slots[number % kSlotsPerStation];
    const std::uint64_t odd = (number / 4) | 1;  // number / 8 * 2 + 1
    // Relaxed is enough for the odd number: a reader that acquires any of the payload stores sees it.
    epoch.seq.store(odd, std::memory_order_relaxed);
    // Release each; partner: the engine's acquire loads of the payload, after which it reloads seq.
    epoch.timestamp.store(now, std::memory_order_release);
    epoch.tid.store(detail::this_thread.tid, std::memory_order_release);
    epoch.addr.store(addr, std::memory_order_release);
    epoch.site.store(site, std::memory_order_release);
    epoch.kind.store(kind, std::memory_order_release);
    epoch.is_active.store(static_cast<std::uint8_t>(is_active), std::memory_order_release);
    // Either the engine, having stored tracer_sleeping, sees this event, or this thread sees it asleep. Partners: its
    // seq_cst store to tracer_sleeping and seq_cst loads of seq; or the membarrier(2) it puts between the two, which
    // then is the fence in here as well: only the compiler must keep the order.
    if ((session & detail::engine_fences_bit) == 0) [[unlikely]]
        return detail::publish_fenced(epoch.seq, odd + 1);
    epoch.seq.store(odd + 1, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (detail::state_v1.header->tracer_sleeping.load(std::memory_order_seq_cst) == 1) [[unlikely]]
        detail::wake_engine();
}

/// Out of line, and without a call but at its ends: no register is saved on the way.
[[gnu::noinline]] inline void PromiseMixin::record(std::uint32_t session, std::uint64_t addr, bool is_active,
                                                   std::uint32_t site, std::uint8_t kind) noexcept
{
    StationData *const station = my_station;
    if (station == nullptr || session_ != session) [[unlikely]]
        return;
    const detail::thread_state &self = detail::this_thread;
    const std::uint64_t ticks = detail::read_counter() - self.line.base_counter;
    if (self.session != session || ticks >= self.line.interval) [[unlikely]]
        return record_late(session, addr, is_active, site, kind);
    store_event(station, session, self.line.base_ns + detail::scale(ticks, self.line.mult), addr, is_active, site,
                kind);
}

/// The thread's first transition, a clock due for its check, or no counter.
[[gnu::noinline, gnu::cold]] inline void PromiseMixin::record_late(std::uint32_t session, std::uint64_t addr,
                                                                   bool is_active, std::uint32_t site,
                                                                   std::uint8_t kind) noexcept
{
    store_event(my_station, session, detail::renew_thread(session), addr, is_active, site, kind);
}

template <class Awaitable>
template <class Promise>
auto TracedAwaiter<Awaitable>::await_suspend(std::coroutine_handle<Promise> self) noexcept(
    noexcept(inner.await_suspend(self)))
{
    const std::uint32_t session = detail::page_v1.session.load(std::memory_order_acquire);
    if (session != 0) [[unlikely]]
        suspended_ = tracer->record_suspend(session, self.address(), where_, kind_, site_);
        // Once inner.await_suspend has begun, the coroutine may run on another thread, or be gone: *this with it.
#if defined(__cpp_exceptions)
    if constexpr (!noexcept(inner.await_suspend(self))) {
        try {
            return inner.await_suspend(self);
        } catch (...) {
            // The language resumes the coroutine with the exception: it is still ours.
            if (suspended_)
                tracer->write_trace(0, true, site_, kind_);
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

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
