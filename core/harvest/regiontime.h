// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// When it was: the events of a region bear the time of a clock that begins anew with each boot and stands still while
// the machine sleeps. Readings of it beside the wall clock, left in the region now and then, tell the rest.
#pragma once

#include "core/harvest/region.h"

#include <cstdint>
#include <optional>

namespace ct {

/// Writes the readings, about once a second. Harvest thread only.
class RegionTime {
public:
    explicit RegionTime(Region &region) : m_region(region) {}
    bool isDue(std::uint64_t nowNs) const { return m_keptNs == 0 || nowNs - m_keptNs >= kEveryNs; }
    /// When it is due. `nowNs`: CLOCK_MONOTONIC, of this pass. Does nothing for an observer, and where nobody of our
    /// probe lives in a region that was there before us: what the dead left says when they lived.
    void keep(std::uint64_t nowNs, bool anybodyLives);

private:
    static constexpr std::uint64_t kEveryNs = 1'000'000'000;

    Region &m_region;
    std::uint64_t m_keptNs = 0;
};

/// CLOCK_REALTIME of a time of CLOCK_MONOTONIC, in ns, by the latest readings in the region, else by those of its
/// creation. nullopt: there are none, or they are nonsense.
std::optional<std::uint64_t> realtimeOf(const Region &region, std::uint64_t monotonicNs);

}  // namespace ct
