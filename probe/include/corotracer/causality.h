// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Who is called what, who made whom, who woke whom, and what is waited for: what a program says about its coroutines
// beyond their transitions. Included by promise.h. All of it needs a region with lanes, and is nothing otherwise.
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

[[nodiscard]] inline BirthLine &birth_of(std::uint64_t identity) noexcept
{
    return state_v1.lanes.births[static_cast<std::uint32_t>(identity)];
}

/// A wake is a matter of some ns, and may come as often as transitions.
inline void write_wake(std::uint32_t session, const PromiseMixin &target, const PromiseMixin *by) noexcept
{
    const StateLine *const line = promise_access::line(target);
    if (line == nullptr || promise_access::session(target) != session)
        return;
    // Acquire; partner: the target's release. An odd one is being written: that event counts.
    const std::uint64_t seq = line->seq.load(std::memory_order_acquire);
    const bool known = by != nullptr && promise_access::session(*by) == session;
    (void)write_record(session, promise_access::identity(target), known ? promise_access::identity(*by) : kNoIdentity,
                       static_cast<std::uint32_t>((seq + 1) / 2), 0, kRecordWake);
}

}  // namespace detail

inline bool PromiseMixin::tell(std::uint64_t arg, std::uint32_t n, std::uint8_t kind) noexcept
{
    const std::uint32_t session = detail::writing_session();
    if (session == 0 || session != session_ || line_ == nullptr)
        untold_ = true;
    else if (!detail::write_record(session, identity_, arg, n, 0, kind))
        untold_ = true;
    else
        return true;
    return false;
}

inline void PromiseMixin::set_name(std::string_view name) noexcept
{
    if (line_ == nullptr || !is_traced())
        return;
    const std::uint64_t string = detail::intern_name(name);
    if (string == 0)
        return;
    detail::birth_of(identity_).name.store(string, std::memory_order_release);  // partner: the engine's acquire load
    tell(string, 0, kRecordName);
}

inline void PromiseMixin::set_parent(const PromiseMixin &parent) noexcept
{
    if (line_ == nullptr || parent.line_ == nullptr || session_ != parent.session_ || !is_traced())
        return;
    // Partner: the engine's acquire load.
    detail::birth_of(identity_).parent.store(parent.identity_, std::memory_order_release);
    tell(parent.identity_, 0, kRecordParent);
}

inline void PromiseMixin::tell_wait(wait kind, std::uint64_t object) noexcept
{
    const std::uint32_t session = detail::writing_session();
    if (session == 0 || session != session_ || line_ == nullptr)
        return;
    // Suspended already, it is that suspension's; else the next one's. The line is this thread's own to read.
    const auto what = static_cast<std::uint8_t>(line_->what.load(std::memory_order_relaxed) >> 32);
    const std::uint64_t number = (what & 0xF0) == kRecordSuspend && event_count != 0 ? event_count - 1 : event_count;
    (void)detail::write_record(session, identity_, object, static_cast<std::uint32_t>(number), 0,
                               static_cast<std::uint8_t>(kRecordWaitsOn | static_cast<std::uint8_t>(kind)));
}

/// Tells that `target` was made runnable, by the coroutine `by` where one did it: call it where a lock is released, a
/// value sent, a timer fired, before the target is handed to whoever resumes it. From any thread; the target need not
/// be suspended yet, but must not be destroyed meanwhile. A suspension that was told of a wake and goes on sleeping is
/// another finding than one that nobody woke.
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
