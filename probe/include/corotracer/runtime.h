// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// What a program calls: InitTracer, enable, and the probe's clock.
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

/// CLOCK_MONOTONIC in ns; from the counter once tracing is on (clock.h states the error).
inline std::uint64_t get_ns() noexcept
{
    const std::uint32_t session = detail::page_v1.session.load(std::memory_order_acquire);
    return session == 0 ? detail::monotonic_ns() : detail::now_in(session);
}

/// The operating system's id of this thread.
inline std::uint64_t get_tid() noexcept
{
    const std::uint32_t session = detail::page_v1.session.load(std::memory_order_acquire);
    if (session == 0)
        return detail::ask_tid();
    if (detail::thread_v1.session != (session & ~detail::paused_bit))
        (void)detail::renew_thread(session);
    return detail::thread_v1.tid;
}

/// Switches tracing on when the environment has CTP_SHM_PATH, CTP_SOCK_PATH and CTP_MAX_STATIONS; else, when it has
/// CTP_FLIGHT_RECORDER, starts the flight recorder; otherwise does nothing. Call it once, before the first coroutine;
/// further calls, from any thread, do nothing. A forked child that is to be traced calls it again. Takes about 0.2 ms;
/// never throws. What is wrong with the region, if anything, is one line on stderr.
inline void InitTracer() noexcept
{
    detail::init_once([]() noexcept {
        if (detail::environment("CTP_SHM_PATH") != nullptr)
            detail::init_from_environment();
        else
            detail::start_recording_from_environment();
    });
}

/// Switches tracing off and on again while the program runs, for all threads. Off, an event costs one load and one
/// branch, and coroutines that are born stay untraced, counted, for life; others are silent until it is on again.
/// Called before InitTracer it decides whether tracing begins switched on. A forked child begins switched on.
inline void enable(bool on) noexcept
{
    detail::set_enabled(on);
}

}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")

#endif
