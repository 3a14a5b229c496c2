// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Names, parents, wakes, waits and the use of objects: reports of the program about its coroutines, besides their
// events. They need a region with lanes; otherwise they do nothing. Included by promise.h.
#pragma once

#include "names.h"
#include "promise.h"
#include "running.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

/// Returns the birth record of a coroutine in a region with lanes.
[[nodiscard]] inline CompactBirth &birth_of(std::uint64_t identity) noexcept
{
    return state_v2.lanes.births[static_cast<std::uint32_t>(identity)];
}

/// Writes a wake record. Costs some ns, because wakes may be as frequent as events.
inline void write_wake(std::uint32_t session, const PromiseMixin &target, const PromiseMixin *by) noexcept
{
    const CompactState *const compact = promise_access::compact_state(target);
    if (compact == nullptr || promise_access::session(target) != session)
        return;
    // Acquire; partner: the target's release. An odd value: the event that is being written counts.
    const std::uint64_t seq = compact->seq.load(std::memory_order_acquire);
    const bool known = by != nullptr && promise_access::session(*by) == session;
    (void)write_record(session, promise_access::identity(target), known ? promise_access::identity(*by) : kNoIdentity,
                       static_cast<std::uint32_t>((seq + 1) / 2), 0, kRecordWake);
}

/// Writes a record of the wakers that `target` has left.
inline void write_wakers_left(std::uint32_t session, const PromiseMixin &target, std::uint64_t count) noexcept
{
    const CompactState *const compact = promise_access::compact_state(target);
    if (compact == nullptr || promise_access::session(target) != session)
        return;
    const std::uint64_t seq = compact->seq.load(std::memory_order_acquire);  // as in write_wake
    (void)write_record(session, promise_access::identity(target), count, static_cast<std::uint32_t>((seq + 1) / 2), 0,
                       kRecordWakersLeft);
}

/// Writes a record about an object that the running coroutine uses, at a site.
inline void write_use_at(std::uint32_t session, const void *object, std::uint32_t site, std::uint8_t kind) noexcept
{
    const std::uint64_t user = running_coroutine(thread_v2, session);
    std::uint64_t events = 0;
    if (user != kNoIdentity) {
        const CompactState &compact = state_v2.lanes.states[static_cast<std::uint32_t>(user)];
        events = compact.seq.load(std::memory_order_relaxed) / 2;  // stored by this thread
    }
    (void)write_record(session, user, reinterpret_cast<std::uintptr_t>(object), static_cast<std::uint32_t>(events),
                       site, kind);
}

/// As write_use_at.
inline void write_use(std::uint32_t session, const void *object, const location &where, std::uint8_t kind) noexcept
{
    write_use_at(session, object, site_id(sites_v2, state_v2.sites, where), kind);
}

inline void promise_access::write_finish(PromiseMixin &promise, std::uint32_t session, std::uint32_t site) noexcept
{
    promise.write_finish(session, site);
}

}  // namespace detail

inline bool PromiseMixin::publish_record(std::uint64_t arg, std::uint32_t n, std::uint8_t kind) noexcept
{
    const std::uint32_t session = detail::writing_session();
    if (session == 0 || session != session_ || compact_ == nullptr)
        record_missing_ = true;
    else if (!detail::write_record(session, identity_, arg, n, 0, kind))
        record_missing_ = true;
    else
        return true;
    return false;
}

inline void PromiseMixin::set_name(std::string_view name) noexcept
{
    if (compact_ == nullptr || !is_traced())
        return;
    const std::uint64_t string = detail::intern_name(name);
    if (string == 0)
        return;
    detail::birth_of(identity_).name.store(string, std::memory_order_release);  // partner: the engine's acquire load
    publish_record(string, 0, kRecordName);
}

inline void PromiseMixin::set_parent(const PromiseMixin &parent) noexcept
{
    if (compact_ == nullptr || parent.compact_ == nullptr || session_ != parent.session_ || !is_traced())
        return;
    // Release; partner: the engine's acquire load.
    detail::birth_of(identity_).parent.store(parent.identity_, std::memory_order_release);
    publish_record(parent.identity_, 0, kRecordParent);
}

inline void PromiseMixin::write_wait(wait kind, std::uint64_t object, std::uint32_t part) noexcept
{
    const std::uint32_t session = detail::writing_session();
    if (session == 0 || session != session_ || compact_ == nullptr)
        return;
    // If the coroutine is suspended, the report belongs to that suspension, else to the next one. The calling thread
    // has exclusive access to the compact station.
    const auto what = static_cast<std::uint8_t>(compact_->what.load(std::memory_order_relaxed) >> 32);
    const bool is_suspended = (what & 0xF0) == kRecordSuspend && event_count != 0;
    const std::uint64_t number = is_suspended ? event_count - 1 : event_count;
    has_wait_ = !is_suspended;
    (void)detail::write_record(session, identity_, object, static_cast<std::uint32_t>(number), part,
                               static_cast<std::uint8_t>(kRecordWaitsOn | static_cast<std::uint8_t>(kind)));
}

inline void PromiseMixin::write_waits(std::initializer_list<waited> objects, bool for_all) noexcept
{
    std::uint32_t index = 0;
    for (const waited &object : objects) {
        if (index == kWaitPartsMax)
            return;
        write_wait(object.kind, object.object, wait_part(index++, for_all));
    }
}

inline void PromiseMixin::finished(location where) noexcept
{
    const std::uint32_t session = detail::writing_session();
    if (compact_ == nullptr || !is_traced())
        return;
    const bool has_site = session == session_;
    write_finish(session, has_site ? detail::site_id(detail::sites_v2, detail::state_v2.sites, where) : 0);
}

/// `session`: as returned by writing_session(). Only if the coroutine has a compact station, and is_traced().
inline void PromiseMixin::write_finish(std::uint32_t session, std::uint32_t site) noexcept
{
    const std::uint64_t now = detail::raw_now();
    compact_->finished_ts.store(now, std::memory_order_release);  // partner: the engine's acquire load
    const bool writes = session == session_;
    if (!writes || !detail::write_record_at(session, now, identity_, 0, static_cast<std::uint32_t>(event_count), site,
                                            kRecordFinished))
        record_missing_ = true;
    // Destructors of its local variables still run, then the coroutine that resumed it.
    detail::doubt_running(detail::thread_v2, detail::running_mark(identity_, shows_all_suspensions_));
}

/// Reports that `target` was made runnable; `by` is the coroutine that did it, null = unknown. Call it where a lock is
/// released, a value is sent or a timer fires, before `target` is handed over to be resumed. Any thread. `target` need
/// not be suspended yet, but must not be destroyed during the call. With these reports, the analysis separates a
/// coroutine that was woken and does not run from one that was never woken. Needs a region with lanes.
inline void note_wake(const PromiseMixin &target, const PromiseMixin *by = nullptr) noexcept
{
    const std::uint32_t session = detail::writing_session();
    if ((session & detail::lanes_bit) != 0) [[unlikely]]
        detail::write_wake(session, target, by);
}

/// Reports how many objects are left that could wake `target`: with 0, nothing will wake it any more. Any thread;
/// `target` must not be destroyed during the call. Needs a region with lanes.
inline void note_wakers_left(const PromiseMixin &target, std::uint64_t count) noexcept
{
    const std::uint32_t session = detail::writing_session();
    if ((session & detail::lanes_bit) != 0) [[unlikely]]
        detail::write_wakers_left(session, target, count);
}

/// Reports that the running coroutine has acquired `object`, a lock or a semaphore: it holds it until note_released.
/// Call it after the acquisition, also if it did not wait. Any thread, also one that runs no coroutine. `where`: the
/// location that the views show. Needs a region with lanes.
inline void note_acquired(const void *object, location where = location::current()) noexcept
{
    const std::uint32_t session = detail::writing_session();
    if ((session & detail::lanes_bit) != 0) [[unlikely]]
        detail::write_use(session, object, where, kRecordAcquired);
}

/// As note_acquired, for the release. Call it before the release, because another thread may acquire the object at
/// once.
inline void note_released(const void *object, location where = location::current()) noexcept
{
    const std::uint32_t session = detail::writing_session();
    if ((session & detail::lanes_bit) != 0) [[unlikely]]
        detail::write_use(session, object, where, kRecordReleased);
}

/// Reports that `object` was signalled: an event was set, a condition notified, a value sent. Call it also when nobody
/// waits, before any waiter can run: so a notification that came before its wait becomes visible. Otherwise as
/// note_acquired.
inline void note_signalled(const void *object, location where = location::current()) noexcept
{
    const std::uint32_t session = detail::writing_session();
    if ((session & detail::lanes_bit) != 0) [[unlikely]]
        detail::write_use(session, object, where, kRecordSignalled);
}

}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
