// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The region's clock: readings of the counter, CLOCK_MONOTONIC and CLOCK_REALTIME at one moment. They relate the times
// of a region to calendar time. The owner engine writes them about once a second while it harvests. The processes of a
// flight recorder write them about ten times a second, as long as they write events.
#pragma once

#include "clock.h"
#include "layout.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

/// Readings of all clocks at one moment.
struct clock_moment {
    std::uint64_t counter = 0;  ///< 0: no trusted counter
    std::uint64_t monotonic_ns = 0;
    std::uint64_t realtime_ns = 0;
};

[[nodiscard]] inline std::uint64_t realtime_ns() noexcept
{
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// Reads all three clocks, as the narrowest of four attempts. So the reading is wrong only if the thread was preempted
/// in each attempt. `counts`: the counter can be trusted.
[[nodiscard]] inline clock_moment read_moment(bool counts) noexcept
{
    clock_moment moment;
    std::uint64_t best = ~std::uint64_t{0};
    for (int attempt = 0; attempt < 4; ++attempt) {
        const std::uint64_t begin = monotonic_ns();
        const std::uint64_t counter = counts ? read_counter() : 0;
        const std::uint64_t real = realtime_ns();
        const std::uint64_t width = monotonic_ns() - begin;
        if (width >= best)
            continue;
        best = width;
        moment = {counter, begin + width / 2, real};
    }
    return moment;
}

/// Publishes readings. Threads of several processes may call it at once. The one that makes pair_seq odd
/// (compare-exchange, acquire) writes the readings (release each) and then makes pair_seq even (release). Partner: the
/// reader's acquire loads. A call that finds pair_seq odd, or fails to make it odd, does nothing. `alone`: there is no
/// other writer, so an odd pair_seq was left by a writer that was killed, and is ignored.
inline void publish_moment(ExtensionHeader &extension, const clock_moment &moment, bool alone) noexcept
{
    std::uint64_t seq = extension.pair_seq.load(std::memory_order_relaxed);
    if ((seq & 1) != 0 && !alone)
        return;
    if ((seq & 1) == 0 &&
        !extension.pair_seq.compare_exchange_strong(seq, seq + 1, std::memory_order_acquire, std::memory_order_relaxed))
        return;
    extension.pair_counter.store(moment.counter, std::memory_order_release);
    extension.pair_monotonic_ns.store(moment.monotonic_ns, std::memory_order_release);
    extension.pair_realtime_ns.store(moment.realtime_ns, std::memory_order_release);
    extension.pair_seq.store((seq | 1) + 1, std::memory_order_release);
}

/// Copies the latest readings. Returns false when there are none, or when they are being written.
[[nodiscard]] inline bool read_published(const ExtensionHeader &extension, clock_moment &moment) noexcept
{
    for (int attempt = 0; attempt < 16; ++attempt) {
        // All loads acquire; partner: the release stores in publish_moment.
        const std::uint64_t seq = extension.pair_seq.load(std::memory_order_acquire);
        moment.counter = extension.pair_counter.load(std::memory_order_acquire);
        moment.monotonic_ns = extension.pair_monotonic_ns.load(std::memory_order_acquire);
        moment.realtime_ns = extension.pair_realtime_ns.load(std::memory_order_acquire);
        if (seq != 0 && (seq & 1) == 0 && extension.pair_seq.load(std::memory_order_relaxed) == seq)
            return true;
    }
    return false;
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
