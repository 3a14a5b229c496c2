// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Which coroutine runs on a thread: the creator of the coroutines that are born there, and the user of objects.
//
// A coroutine stays on one thread from its resumption to its suspension. Resumptions can be nested, because a coroutine
// may resume another one like a function: each promise remembers the coroutine that its resumption interrupted. A birth
// counts as a resumption, because the new coroutine may start at once. Events maintain this without checks. A report
// checks it against the compact station.
//
// thread_state::running holds an identity with two bits more. The probe never guesses: where a coroutine may have
// stopped without an event, the thread has no running coroutine.
#pragma once

#include "compactstation.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

/// The coroutine may have suspended without an event.
inline constexpr std::uint64_t incomplete_bit = std::uint64_t{1} << 31;
/// The thread executes await_suspend of the coroutine, whose suspension is already written.
inline constexpr std::uint64_t in_await_suspend_bit = std::uint64_t{1} << 30;
static_assert(kMaxStations < in_await_suspend_bit);

/// Returns the value of thread_state::running for a coroutine that runs.
[[nodiscard, gnu::always_inline]] inline std::uint64_t running_mark(std::uint64_t identity,
                                                                    bool shows_all_suspensions) noexcept
{
    return identity | static_cast<std::uint64_t>(!shows_all_suspensions) << 31;
}

/// Returns the value to which thread_state::running may return after a nested coroutine. An await_suspend that resumed
/// a coroutine may have ended by then.
[[nodiscard, gnu::always_inline]] inline std::uint64_t keep_running(std::uint64_t running) noexcept
{
    static_assert(incomplete_bit == in_await_suspend_bit << 1);
    return running | (running << 1 & incomplete_bit);
}

/// Updates the running coroutine after an event of the coroutine with this mark. `outer` belongs to its promise: the
/// coroutine that its latest resumption interrupted. No branch, because the processor could not predict it.
[[gnu::always_inline]] inline void switch_running(thread_state &self, std::uint64_t mark, std::uint64_t &outer,
                                                  std::uint64_t what) noexcept
{
    const bool resumes = (what >> 32 & kRecordResume) != 0;
    const std::uint64_t before = self.running;
    const bool is_running = before == mark;
    self.running = resumes ? mark : is_running ? outer : before;
    outer = resumes && !is_running ? keep_running(before) : outer;
}

/// Returns true if the coroutine with this mark runs on this thread, perhaps with an unseen suspension.
[[nodiscard]] inline bool may_run(const thread_state &self, std::uint64_t mark) noexcept
{
    return (self.running | incomplete_bit) == (mark | incomplete_bit);
}

/// The coroutine has died. Does nothing unless it runs on this thread.
inline void stop_running(thread_state &self, std::uint64_t mark, std::uint64_t outer) noexcept
{
    if (may_run(self, mark))
        self.running = outer;
}

/// The coroutine may stop without an event from now on. Does nothing unless it runs on this thread.
inline void doubt_running(thread_state &self, std::uint64_t mark) noexcept
{
    if (may_run(self, mark))
        self.running |= incomplete_bit;
}

/// Returns the identity of the coroutine that runs on this thread, or kNoIdentity. Also kNoIdentity if its resumption
/// was before tracing went off and on, because events are missing since. `session`: as returned by writing_session().
[[nodiscard]] inline std::uint64_t running_coroutine(const thread_state &self, std::uint32_t session) noexcept
{
    const process_state &state = state_v2;
    const std::uint64_t mark = self.running;
    if (mark == 0 || (mark & incomplete_bit) != 0 || self.session != session)
        return kNoIdentity;
    const std::uint64_t identity = mark & ~in_await_suspend_bit;
    if (mark != identity)
        return identity;
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

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
