// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/compactcounts.h"

#include "core/harvest/census.h"
#include "core/region/identity.h"

namespace ct {

std::uint64_t CompactCounts::publishedBy(std::uint64_t identity) const
{
    const corotracer::CompactState &station = m_states[indexOf(identity)];
    // Acquire, both loads; partners: the release stores of a birth and of each event. The second load of `life` is
    // relaxed, because the acquire loads keep it behind them.
    const std::uint64_t life = station.life.load(std::memory_order_acquire);
    const std::uint64_t events = station.seq.load(std::memory_order_acquire) / 2;
    const bool stands = generationOf(life) == generationOf(identity) &&
                        station.life.load(std::memory_order_relaxed) == life &&
                        static_cast<std::uint32_t>(life) != corotracer::kCompactFree;
    return stands ? plausible(events) : 0;
}

std::uint64_t CompactCounts::eventsBefore(std::uint32_t index, std::uint32_t generation) const
{
    // Acquire, both loads; partner: a claim raises `life` first, then stores events_before (release).
    const std::uint64_t life = m_states[index].life.load(std::memory_order_acquire);
    const std::uint64_t before = m_births[index].events_before.load(std::memory_order_acquire);
    // Relaxed: the acquire load of the sum keeps it in order.
    const bool stands = generationOf(life) == generation &&
                        static_cast<std::uint32_t>(life) != corotracer::kCompactFree &&
                        m_states[index].life.load(std::memory_order_relaxed) >> 32 == generation;
    return stands && before < kImplausibleSum ? before : Census::kAll;
}

}  // namespace ct
