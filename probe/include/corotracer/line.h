// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Compact stations: where they come from and where they go. A thread keeps a few free ones; the region's stack of free
// ones, free_lines, is shared by all processes and the engine; what never was used lies beyond line_count.
#pragma once

#include "process.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer::detail {

inline constexpr std::uint32_t line_chunk = 1024;         ///< compact stations committed at a time
inline constexpr std::uint64_t no_room_ns = 100'000'000;  ///< time between two attempts to get memory
inline constexpr std::uint32_t no_line = ~std::uint32_t{0};
/// A compact station is retired after it, for identities never come twice.
inline constexpr std::uint32_t last_generation = ~std::uint32_t{0};

[[nodiscard]] inline constexpr std::uint64_t identity_of(std::uint32_t generation, std::uint32_t index) noexcept
{
    return std::uint64_t{generation} << 32 | index;
}

/// Compact stations that have memory, as far as this process's mapping goes.
[[nodiscard]] inline std::uint32_t usable_lines(const lane_areas &areas) noexcept
{
    // Partner: the release of whoever committed them.
    const std::uint32_t committed = areas.extension->lines_committed.load(std::memory_order_acquire);
    return committed < areas.lines_reserved ? committed : areas.lines_reserved;
}

/// Takes one off the region's stack. no_line: it is empty, or what lies on it is no compact station.
[[nodiscard]] inline std::uint32_t pop_free_line(const lane_areas &areas) noexcept
{
    std::atomic<std::uint64_t> &top = areas.extension->free_lines;
    // Acquire here and on failure; partner: the release of whoever pushed, so that next_free is the pushed one's.
    std::uint64_t head = top.load(std::memory_order_acquire);
    for (;;) {
        const std::uint32_t untrusted_index = static_cast<std::uint32_t>(head) - 1;
        if (static_cast<std::uint32_t>(head) == 0 || untrusted_index >= usable_lines(areas))
            return no_line;
        const std::uint32_t next = areas.births[untrusted_index].next_free.load(std::memory_order_relaxed);
        // The tag makes a stale `next` fail: it changes with every push and pop.
        const std::uint64_t after = ((head >> 32) + 1) << 32 | next;
        if (top.compare_exchange_weak(head, after, std::memory_order_acq_rel, std::memory_order_acquire))
            return untrusted_index;
    }
}

/// Puts `count` compact stations of this thread on the region's stack, in one step.
inline void push_free_lines(const lane_areas &areas, const std::uint32_t *indices, std::uint32_t count) noexcept
{
    if (count == 0)
        return;
    for (std::uint32_t i = 0; i + 1 < count; ++i)
        areas.births[indices[i]].next_free.store(indices[i + 1] + 1, std::memory_order_relaxed);
    std::atomic<std::uint32_t> &last = areas.births[indices[count - 1]].next_free;
    std::atomic<std::uint64_t> &top = areas.extension->free_lines;
    std::uint64_t head = top.load(std::memory_order_relaxed);
    std::uint64_t after = 0;
    do {
        last.store(static_cast<std::uint32_t>(head), std::memory_order_relaxed);
        after = ((head >> 32) + 1) << 32 | (indices[0] + 1);
        // Release; partner: the acquire of whoever pops.
    } while (!top.compare_exchange_weak(head, after, std::memory_order_release, std::memory_order_relaxed));
}

/// Gives the lines up to and with the chunk of `index` memory. False: there is none, or there was none just now.
[[nodiscard, gnu::noinline, gnu::cold]] inline bool commit_lines(const lane_areas &areas, std::uint32_t index) noexcept
{
    process_state &state = state_v1;
    const std::uint64_t now = monotonic_ns();
    if (now < state.no_line_before_ns.load(std::memory_order_relaxed))
        return false;
    const std::uint32_t begin = usable_lines(areas);
    const std::uint32_t rounded = (index / line_chunk + 1) * line_chunk;
    const std::uint32_t end = rounded < areas.lines_reserved ? rounded : areas.lines_reserved;
    if (begin >= end)
        return true;
    const int saved_errno = errno;
    const std::size_t count = end - begin;
    const bool backed = back_with_memory(areas.births + begin, count * sizeof(BirthLine)) &&
                        back_with_memory(areas.lines + begin, count * sizeof(StateLine));
    errno = saved_errno;
    if (!backed) {
        state.no_line_before_ns.store(now + no_room_ns, std::memory_order_relaxed);
        return false;
    }
    std::atomic<std::uint32_t> &committed = areas.extension->lines_committed;
    std::uint32_t seen = committed.load(std::memory_order_relaxed);
    // Release; partner: the acquire in usable_lines, and the engine's.
    while (seen < end &&
           !committed.compare_exchange_weak(seen, end, std::memory_order_release, std::memory_order_relaxed)) {
    }
    return true;
}

/// One that nobody had before; no_line when all are in use or there is no memory. An index is taken only once it has
/// memory, so that a full file system costs none.
[[nodiscard]] inline std::uint32_t take_new_line(const lane_areas &areas) noexcept
{
    std::atomic<std::uint32_t> &counter = areas.extension->line_count;
    std::uint32_t index = counter.load(std::memory_order_relaxed);
    for (;;) {
        if (index >= areas.lines_reserved || (index >= usable_lines(areas) && !commit_lines(areas, index)))
            return no_line;
        if (counter.compare_exchange_weak(index, index + 1, std::memory_order_relaxed, std::memory_order_relaxed))
            return index;
    }
}

/// Makes a free compact station this thread's: the identity of its next coroutine, in state kLineFree until the birth
/// is written. kNoIdentity: it is somebody's, and lay in a stack by mistake; or it is retired.
[[nodiscard]] inline std::uint64_t claim_line(const lane_areas &areas, std::uint32_t index) noexcept
{
    StateLine &line = areas.lines[index];
    std::atomic<std::uint64_t> &events_before = areas.births[index].events_before;
    // Acquire; partner: the release of the last owner's death, so that seq is its last one. Both are read before the
    // claim: what follows it is two stores in a row.
    std::uint64_t seen = line.life.load(std::memory_order_acquire);
    const std::uint64_t events =
        events_before.load(std::memory_order_relaxed) + line.seq.load(std::memory_order_relaxed) / 2;
    const auto state = static_cast<std::uint32_t>(seen);
    const auto generation = static_cast<std::uint32_t>(seen >> 32);
    if ((state != kLineFree && state != kLineRecycled) || generation == last_generation)
        return kNoIdentity;
    // The generation moves on here already, so that whoever meant to free or to claim what we saw fails. Acquire;
    // partner: the release of the last owner's death, and the engine's when it freed it.
    if (!line.life.compare_exchange_strong(seen, identity_of(generation + 1, kLineFree), std::memory_order_acquire,
                                           std::memory_order_relaxed))
        return kNoIdentity;
    // One right after the other: a thread that is killed between them has the last life counted twice. Release each; a
    // reader that finds either (acquire) finds `life` changed as well.
    events_before.store(events, std::memory_order_release);
    line.seq.store(0, std::memory_order_release);
    return identity_of(generation + 1, index);
}

/// A compact station for a birth in this thread, claimed: the new coroutine's identity. kNoIdentity: there is none.
[[nodiscard]] inline std::uint64_t take_line(thread_state &self, const lane_areas &areas) noexcept
{
    while (self.free_count != 0) {
        const std::uint64_t identity = claim_line(areas, self.free_lines[--self.free_count]);
        if (identity != kNoIdentity) [[likely]]
            return identity;
    }
    for (int attempt = 0; attempt < 8; ++attempt) {
        const std::uint32_t index = pop_free_line(areas);
        if (index == no_line)
            break;
        const std::uint64_t identity = claim_line(areas, index);
        if (identity != kNoIdentity)
            return identity;
    }
    const std::uint32_t index = take_new_line(areas);
    return index == no_line ? kNoIdentity : claim_line(areas, index);
}

/// Keeps a compact station that this thread set to kLineRecycled; half of too many go to the region's stack.
inline void keep_line(thread_state &self, const lane_areas &areas, std::uint32_t index) noexcept
{
    if (self.free_count == kept_lines) {
        constexpr std::uint32_t half = kept_lines / 2;
        push_free_lines(areas, self.free_lines, half);
        for (std::uint32_t i = 0; i < half; ++i)
            self.free_lines[i] = self.free_lines[half + i];
        self.free_count = half;
    }
    self.free_lines[self.free_count++] = index;
}

}  // namespace corotracer::detail

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
