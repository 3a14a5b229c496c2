// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Which coroutine runs on a thread: the creator of the coroutines that are born there, and the user of objects.
//
// A coroutine stays on one thread from its resumption to its suspension. Resumptions can be nested, because a coroutine
// may resume another one like a function: each promise remembers the coroutine that its resumption interrupted. Events
// maintain this without checks. A report checks it against the compact station.
#pragma once

#include "compactstation.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer::detail {

/// Updates the running coroutine after an event of `identity`. `outer` belongs to its promise: the coroutine that its
/// latest resumption interrupted. No branch, because the processor could not predict it.
[[gnu::always_inline]] inline void switch_running(thread_state &self, std::uint64_t identity, std::uint64_t &outer,
                                                  std::uint64_t what) noexcept
{
    const bool resumes = (what >> 32 & kRecordResume) != 0;
    const std::uint64_t before = self.running;
    const bool is_running = before == identity;
    self.running = resumes ? identity : is_running ? outer : before;
    outer = resumes && !is_running ? before : outer;
}

/// The coroutine has finished or died. Does nothing unless it runs on this thread.
inline void stop_running(thread_state &self, std::uint64_t identity, std::uint64_t outer) noexcept
{
    if (self.running == identity)
        self.running = outer;
}

/// Returns the identity of the coroutine that runs on this thread, or kNoIdentity. Also kNoIdentity if its resumption
/// was before tracing went off and on, because events are missing since. `session`: as returned by writing_session().
[[nodiscard]] inline std::uint64_t running_coroutine(const thread_state &self, std::uint32_t session) noexcept
{
    const process_state &state = state_v1;
    const std::uint64_t identity = self.running;
    if (identity == 0 || self.session != session)
        return kNoIdentity;
    // Relaxed: this thread has stored these values if the coroutine runs here.
    const CompactState &compact = state.lanes.states[static_cast<std::uint32_t>(identity)];
    const auto generation = static_cast<std::uint32_t>(identity >> 32);
    const bool lives = compact.life.load(std::memory_order_relaxed) == identity_of(generation, kCompactAlive);
    const std::uint64_t what = compact.what.load(std::memory_order_relaxed);
    const bool runs = (what >> 32 & kRecordResume) != 0 && compact.tid.load(std::memory_order_relaxed) == self.tid;
    const bool is_complete =
        compact.ts.load(std::memory_order_relaxed) >= state.on_since.load(std::memory_order_relaxed);
    return lives && runs && is_complete ? identity : kNoIdentity;
}

}  // namespace corotracer::detail

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
