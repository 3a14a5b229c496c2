// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Names, parents, wakes and waits: reports of the program about its coroutines, besides their events. They need a
// region with lanes; otherwise they do nothing. Included by promise.h.
#pragma once

#include "names.h"
#include "promise.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
namespace detail {

/// Returns the birth record of a coroutine in a region with lanes.
[[nodiscard]] inline CompactBirth &birth_of(std::uint64_t identity) noexcept
{
    return state_v1.lanes.births[static_cast<std::uint32_t>(identity)];
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

inline void PromiseMixin::write_wait(wait kind, std::uint64_t object) noexcept
{
    const std::uint32_t session = detail::writing_session();
    if (session == 0 || session != session_ || compact_ == nullptr)
        return;
    // If the coroutine is suspended, the report belongs to that suspension, else to the next one. The calling thread
    // has exclusive access to the compact station.
    const auto what = static_cast<std::uint8_t>(compact_->what.load(std::memory_order_relaxed) >> 32);
    const std::uint64_t number = (what & 0xF0) == kRecordSuspend && event_count != 0 ? event_count - 1 : event_count;
    (void)detail::write_record(session, identity_, object, static_cast<std::uint32_t>(number), 0,
                               static_cast<std::uint8_t>(kRecordWaitsOn | static_cast<std::uint8_t>(kind)));
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

}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
