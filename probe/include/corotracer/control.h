// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Functions for the program: InitTracer, enable, get_ns, get_tid.
#pragma once

#if defined(COROTRACER_EXTERN)
#include "extern.h"
#else
#include "flightrecorder.h"
#include "names.h"
#include "start.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {

/// Returns CLOCK_MONOTONIC in ns. While tracing is on, computes it from the counter; clock.h states the error.
inline std::uint64_t get_ns() noexcept
{
    const std::uint32_t session = detail::page_v2.session.load(std::memory_order_acquire);
    return session == 0 ? detail::monotonic_ns() : detail::now_in(session);
}

/// Returns the operating system's id of the calling thread.
inline std::uint64_t get_tid() noexcept
{
    const std::uint32_t session = detail::page_v2.session.load(std::memory_order_acquire);
    if (session == 0)
        return detail::ask_tid();
    if (detail::thread_v2.session != (session & ~detail::paused_bit))
        (void)detail::renew_thread(session);
    return detail::thread_v2.tid;
}

/// Switches tracing on. With CTP_SHM_PATH in the environment, the process joins the region of an engine; this also
/// needs CTP_SOCK_PATH and CTP_MAX_STATIONS. Otherwise CTP_FLIGHT_RECORDER starts the flight recorder. Without these
/// variables, InitTracer does nothing.
///
/// Call it once, before the first coroutine is born. Any thread may call it; further calls do nothing. A forked child
/// is untraced until it calls InitTracer itself. Takes about 0.2 ms, and never throws. On an error it prints one line
/// to stderr, and the process stays untraced.
inline void InitTracer() noexcept
{
    detail::init_once([]() noexcept {
        if (detail::environment("CTP_SHM_PATH") != nullptr)
            detail::init_from_environment();
        else
            detail::start_flight_from_environment();
    });
}

/// Switches tracing off or on at run time, for all threads of the process. Any thread may call it. While tracing is
/// off, an event costs one load and one branch. A coroutine born while tracing is off is counted, and stays untraced
/// for life. Other coroutines publish no events until tracing is on again. A call before InitTracer sets the initial
/// state. In a forked child the initial state is on.
inline void enable(bool on) noexcept
{
    detail::set_enabled(on);
}

}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")

#endif
