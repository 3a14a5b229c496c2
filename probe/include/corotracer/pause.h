// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Switches tracing off and on at run time: by the program (enable), or by the engine (tracer_sleeping ==
// kEnginePaused).
//
// While the engine pauses tracing, the session carries paused_bit. Then no event uses the hot path, and the slow path
// checks whether the pause has ended. After the program switches tracing off, the session is 0, and no path checks.
#pragma once

#include "lane.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

/// Writes a switch record into this thread's lane.
inline void note_switch(std::uint32_t session, bool on) noexcept
{
    if ((session & lanes_bit) != 0)
        (void)write_record(session & ~paused_bit, kNoIdentity, 0, 0, 0, on ? kRecordSwitchOn : kRecordSwitchOff);
}

/// Pauses tracing, after the engine requested it.
inline void pause() noexcept
{
    std::uint32_t running = page_v2.session.load(std::memory_order_acquire) & ~paused_bit;
    if (running == 0)
        return;  // off: nothing to pause
    // The bit is set before the record is written, because writing it checks tracer_sleeping again.
    if (page_v2.session.compare_exchange_strong(running, running | paused_bit, std::memory_order_acq_rel,
                                                std::memory_order_relaxed))
        note_switch(running, false);
}

/// True if tracing continues in a session that differs from a coroutine's own. True if the engine paused it and has
/// ended the pause; then this call clears paused_bit. `session` receives the present session.
[[nodiscard, gnu::noinline, gnu::cold]] inline bool goes_on(std::uint32_t &session) noexcept
{
    if ((session & paused_bit) == 0 ||
        state_v2.header->tracer_sleeping.load(std::memory_order_acquire) == kEnginePaused)
        return false;
    std::uint32_t paused = session;
    session &= ~paused_bit;
    // Before the session is published: a birth in the new session must not trust runs from before.
    state_v2.on_since.store(raw_now(), std::memory_order_relaxed);
    if (page_v2.session.compare_exchange_strong(paused, session, std::memory_order_acq_rel,
                                                std::memory_order_acquire)) {
        note_switch(session, true);
        return true;
    }
    return paused == session;  // true if another thread has cleared the bit
}

/// Returns the session that may be written now; 0 while tracing is off or paused.
[[nodiscard]] inline std::uint32_t writing_session() noexcept
{
    std::uint32_t session = page_v2.session.load(std::memory_order_acquire);
    if ((session & paused_bit) != 0 && !goes_on(session)) [[unlikely]]
        return 0;
    return session;
}

/// Implements enable(), for the whole process.
[[gnu::noinline, gnu::cold]] inline void set_enabled(bool on) noexcept
{
    process_page &page = page_v2;
    const int saved_errno = errno;
    guard_against_fork();
    page.disabled.store(on ? 0 : 1, std::memory_order_seq_cst);
    // seq_cst, as in begin_session: either this load sees the session, or begin_session sees `disabled`.
    const std::uint32_t attached = page.attached.load(std::memory_order_seq_cst);
    if (attached != 0) {
        std::uint32_t seen = page.session.load(std::memory_order_acquire);
        if (on && seen == 0)
            state_v2.on_since.store(raw_now(), std::memory_order_relaxed);  // as in goes_on
        if (on && seen == 0 &&
            page.session.compare_exchange_strong(seen, attached, std::memory_order_acq_rel,
                                                 std::memory_order_relaxed)) {
            if (state_v2.process != nullptr)
                state_v2.process->switched_off.store(0, std::memory_order_release);
            note_switch(attached, true);
        }
        if (!on && seen != 0) {
            if (page.session.exchange(0, std::memory_order_acq_rel) != 0) {
                note_switch(attached, false);
                if (state_v2.process != nullptr)
                    state_v2.process->switched_off.store(1, std::memory_order_release);
            }
        }
    }
    errno = saved_errno;
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
