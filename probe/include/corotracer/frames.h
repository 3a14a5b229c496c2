// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Finds the promise of a traced coroutine from the address of its frame, for handles that have lost their type.
//
// A frame begins with the addresses of two functions, to resume and to destroy it, on every compiler of the platforms
// that the probe supports: std::coroutine_handle<> depends on it. The second one is a constant of the coroutine's
// function. So the probe remembers, once for each such function, at which offset its frames have their PromiseMixin.
#pragma once

#include "promise.h"

#include <atomic>
#include <bit>
#include <cstdint>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

inline constexpr std::size_t frame_entries = 4096;  ///< a power of two
inline constexpr std::size_t frame_probes = 32;     ///< entries that a search checks before it gives up

/// An entry is address << 16 | offset, 0 = empty. Relaxed: an entry is one value, and publishes no other data.
struct COROTRACER_ONE_PER_PROCESS frame_table {
    std::atomic<std::uint64_t> entries[frame_entries];
};
COROTRACER_ONE_PER_PROCESS inline constinit frame_table frames_v2{};

/// Returns the address of the function that destroys a frame. `frame` is suspended, or runs its initial suspension.
[[nodiscard]] inline std::uint64_t destroyer_of(const void *frame) noexcept
{
    return reinterpret_cast<const std::uintptr_t *>(frame)[1];
}

[[nodiscard]] inline std::size_t frame_home(std::uint64_t destroyer) noexcept
{
    return static_cast<std::size_t>((destroyer * golden) >> (64 - std::countr_zero(frame_entries)));
}

/// Remembers where frames like this one have their promise. Any thread; no lock, no memory.
inline void know_frame(const void *frame, const PromiseMixin *promise) noexcept
{
    const std::uint64_t destroyer = destroyer_of(frame);
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(promise) - reinterpret_cast<std::uintptr_t>(frame);
    if (offset > 0xFFFF || destroyer >> 48 != 0)
        return;
    const std::uint64_t value = destroyer << 16 | offset;
    for (std::size_t i = 0; i < frame_probes; ++i) {
        std::atomic<std::uint64_t> &entry = frames_v2.entries[(frame_home(destroyer) + i) % frame_entries];
        std::uint64_t seen = entry.load(std::memory_order_relaxed);
        if (seen == 0 && entry.compare_exchange_strong(seen, value, std::memory_order_relaxed))
            return;
        if (seen == value)
            return;
        if (seen >> 16 == destroyer)  // a function of a plugin that was unloaded had this address
            return entry.store(value, std::memory_order_relaxed);
    }
}

/// True if `promise` is the promise of a living traced coroutine. It need not be: the address of its coroutine's
/// function may have belonged to another one, in a plugin that was unloaded.
[[nodiscard]] inline bool is_known(const PromiseMixin &promise) noexcept
{
    const lane_areas &lanes = state_v2.lanes;
    const auto index = static_cast<std::uint32_t>(promise_access::identity(promise));
    // Relaxed: the thread that calls owns the coroutine, or synchronized with its birth.
    return lanes.births != nullptr && index < lanes.compact_stations_reserved &&
           lanes.births[index].probe_id.load(std::memory_order_relaxed) == reinterpret_cast<std::uintptr_t>(&promise);
}

/// Returns the promise of the traced coroutine with this frame; null if it is not traced or not known. The coroutine
/// must not be destroyed during the call.
[[nodiscard]] inline const PromiseMixin *promise_in(const void *frame) noexcept
{
    if (frame == nullptr || page_v2.session.load(std::memory_order_acquire) == 0)
        return nullptr;
    const std::uint64_t destroyer = destroyer_of(frame);
    for (std::size_t i = 0; i < frame_probes; ++i) {
        const std::uint64_t seen =
            frames_v2.entries[(frame_home(destroyer) + i) % frame_entries].load(std::memory_order_relaxed);
        if (seen == 0)
            return nullptr;
        if (seen >> 16 == destroyer) {
            const auto *promise =
                reinterpret_cast<const PromiseMixin *>(static_cast<const char *>(frame) + (seen & 0xFFFF));
            return is_known(*promise) ? promise : nullptr;
        }
    }
    return nullptr;
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
