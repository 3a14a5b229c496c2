// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Allocates and frees compact stations. Each thread keeps a few free ones. The region's stack of free stations,
// free_compact_stations, is shared by all processes and the engine. Stations from compact_station_count on were never
// used. See docs/decisions/0007-lanes-and-compact-stations.md.
#pragma once

#include "state.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

inline constexpr std::uint32_t station_chunk = 1024;           ///< compact stations that get memory in one step
inline constexpr std::uint64_t memory_retry_ns = 100'000'000;  ///< ns between two attempts to get memory
/// Not an index: there is no compact station.
inline constexpr std::uint32_t no_station = ~std::uint32_t{0};
/// A compact station is retired after this generation, because identities never repeat.
inline constexpr std::uint32_t last_generation = ~std::uint32_t{0};

[[nodiscard]] inline constexpr std::uint64_t identity_of(std::uint32_t generation, std::uint32_t index) noexcept
{
    return std::uint64_t{generation} << 32 | index;
}

/// Returns the number of compact stations that have memory and are mapped by this process.
[[nodiscard]] inline std::uint32_t usable_compact(const lane_areas &areas) noexcept
{
    // Acquire; partner: the release in commit_compact.
    const std::uint32_t committed = areas.extension->compact_stations_committed.load(std::memory_order_acquire);
    return committed < areas.compact_stations_reserved ? committed : areas.compact_stations_reserved;
}

/// Pops a compact station from the region's stack. Returns no_station when the stack is empty, or its top is not valid.
[[nodiscard]] inline std::uint32_t pop_free_compact(const lane_areas &areas) noexcept
{
    std::atomic<std::uint64_t> &top = areas.extension->free_compact_stations;
    // Acquire here and on failure; partner: the release in push_free_compact and in the engine's push, which makes
    // next_free visible.
    std::uint64_t head = top.load(std::memory_order_acquire);
    for (;;) {
        const std::uint32_t untrusted_index = static_cast<std::uint32_t>(head) - 1;
        if (static_cast<std::uint32_t>(head) == 0 || untrusted_index >= usable_compact(areas))
            return no_station;
        const std::uint32_t next = areas.births[untrusted_index].next_free.load(std::memory_order_relaxed);
        // Each push and pop raises the tag, so a stale `next` makes the exchange fail.
        const std::uint64_t after = ((head >> 32) + 1) << 32 | next;
        if (top.compare_exchange_weak(head, after, std::memory_order_acq_rel, std::memory_order_acquire))
            return untrusted_index;
    }
}

/// Pushes `count` compact stations of this thread on the region's stack, in one step.
inline void push_free_compact(const lane_areas &areas, const std::uint32_t *indices, std::uint32_t count) noexcept
{
    if (count == 0)
        return;
    for (std::uint32_t i = 0; i + 1 < count; ++i)
        areas.births[indices[i]].next_free.store(indices[i + 1] + 1, std::memory_order_relaxed);
    std::atomic<std::uint32_t> &last = areas.births[indices[count - 1]].next_free;
    std::atomic<std::uint64_t> &top = areas.extension->free_compact_stations;
    std::uint64_t head = top.load(std::memory_order_relaxed);
    std::uint64_t after = 0;
    do {
        last.store(static_cast<std::uint32_t>(head), std::memory_order_relaxed);
        after = ((head >> 32) + 1) << 32 | (indices[0] + 1);
        // Release; partner: the acquire in pop_free_compact.
    } while (!top.compare_exchange_weak(head, after, std::memory_order_release, std::memory_order_relaxed));
}

/// Gives memory to all compact stations up to the chunk that contains `index`. Returns false when there is none; then
/// no call asks again for memory_retry_ns. Preserves errno.
[[nodiscard, gnu::noinline, gnu::cold]] inline bool commit_compact(const lane_areas &areas,
                                                                   std::uint32_t index) noexcept
{
    process_state &state = state_v2;
    const std::uint64_t now = monotonic_ns();
    if (now < state.no_memory_before_ns.load(std::memory_order_relaxed))
        return false;
    const std::uint32_t begin = usable_compact(areas);
    const std::uint32_t rounded = (index / station_chunk + 1) * station_chunk;
    const std::uint32_t end = rounded < areas.compact_stations_reserved ? rounded : areas.compact_stations_reserved;
    if (begin >= end)
        return true;
    const int saved_errno = errno;
    const std::size_t count = end - begin;
    const bool backed = back_with_memory(areas.births + begin, count * sizeof(CompactBirth)) &&
                        back_with_memory(areas.states + begin, count * sizeof(CompactState));
    errno = saved_errno;
    if (!backed) {
        state.no_memory_before_ns.store(now + memory_retry_ns, std::memory_order_relaxed);
        return false;
    }
    std::atomic<std::uint32_t> &committed = areas.extension->compact_stations_committed;
    std::uint32_t seen = committed.load(std::memory_order_relaxed);
    // Release; partners: the acquire in usable_compact, and the engine's.
    while (seen < end &&
           !committed.compare_exchange_weak(seen, end, std::memory_order_release, std::memory_order_relaxed)) {
    }
    return true;
}

/// Allocates a compact station that was never used. Returns no_station when all are allocated or there is no memory.
/// Memory comes first, so a full file system uses up no index.
[[nodiscard]] inline std::uint32_t allocate_compact(const lane_areas &areas) noexcept
{
    std::atomic<std::uint32_t> &counter = areas.extension->compact_station_count;
    std::uint32_t index = counter.load(std::memory_order_relaxed);
    for (;;) {
        if (index >= areas.compact_stations_reserved ||
            (index >= usable_compact(areas) && !commit_compact(areas, index)))
            return no_station;
        if (counter.compare_exchange_weak(index, index + 1, std::memory_order_relaxed, std::memory_order_relaxed))
            return index;
    }
}

/// Claims a free compact station for a birth. Returns the identity of the new coroutine; its state stays kCompactFree
/// until the birth is written. Returns kNoIdentity if the station is in use, and was in a stack by mistake, or if it is
/// retired.
[[nodiscard]] inline std::uint64_t claim_compact(const lane_areas &areas, std::uint32_t index) noexcept
{
    CompactState &compact = areas.states[index];
    std::atomic<std::uint64_t> &events_before = areas.births[index].events_before;
    // Acquire; partner: the release of the last coroutine's death, so seq is final. events_before and seq are read
    // before the claim, so only two stores follow the claim.
    std::uint64_t seen = compact.life.load(std::memory_order_acquire);
    const std::uint64_t events =
        events_before.load(std::memory_order_relaxed) + compact.seq.load(std::memory_order_relaxed) / 2;
    const auto state = static_cast<std::uint32_t>(seen);
    const auto generation = static_cast<std::uint32_t>(seen >> 32);
    if ((state != kCompactFree && state != kCompactRecycled) || generation == last_generation)
        return kNoIdentity;
    // The claim raises the generation. So no other thread can free or claim the station by the old value. Acquire;
    // partner: the release of the last coroutine's death, or of the engine that freed the station.
    if (!compact.life.compare_exchange_strong(seen, identity_of(generation + 1, kCompactFree),
                                              std::memory_order_acquire, std::memory_order_relaxed))
        return kNoIdentity;
    // Two stores in a row: if the thread is killed between them, the events of the last generation count twice. Release
    // each; a reader that acquires either also sees the new `life`.
    events_before.store(events, std::memory_order_release);
    compact.seq.store(0, std::memory_order_release);
    return identity_of(generation + 1, index);
}

/// Allocates and claims a compact station for a birth in this thread. Returns the identity of the new coroutine;
/// kNoIdentity when there is no station.
[[nodiscard]] inline std::uint64_t acquire_compact(thread_state &self, const lane_areas &areas) noexcept
{
    while (self.free_compact_count != 0) {
        const std::uint64_t identity = claim_compact(areas, self.free_compact_stations[--self.free_compact_count]);
        if (identity != kNoIdentity) [[likely]]
            return identity;
    }
    for (int attempt = 0; attempt < 8; ++attempt) {
        const std::uint32_t index = pop_free_compact(areas);
        if (index == no_station)
            break;
        const std::uint64_t identity = claim_compact(areas, index);
        if (identity != kNoIdentity)
            return identity;
    }
    const std::uint32_t index = allocate_compact(areas);
    return index == no_station ? kNoIdentity : claim_compact(areas, index);
}

/// Keeps a compact station that this thread set to kCompactRecycled, for its next birth. If the thread has
/// kept_stations of them, half go to the region's stack.
inline void keep_compact(thread_state &self, const lane_areas &areas, std::uint32_t index) noexcept
{
    if (self.free_compact_count == kept_stations) {
        constexpr std::uint32_t half = kept_stations / 2;
        push_free_compact(areas, self.free_compact_stations, half);
        for (std::uint32_t i = 0; i < half; ++i)
            self.free_compact_stations[i] = self.free_compact_stations[half + i];
        self.free_compact_count = half;
    }
    self.free_compact_stations[self.free_compact_count++] = index;
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
