// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Calendar time of a region. Its events have times of CLOCK_MONOTONIC, which starts anew with each boot and stands
// still while the machine sleeps. Readings of CLOCK_MONOTONIC and CLOCK_REALTIME, stored in the region, relate the two.
#pragma once

#include "core/region/region.h"

#include <cstdint>
#include <optional>

namespace ct {

/// Writes the readings into the region, about once a second. Harvest thread only.
class RegionTime {
public:
    explicit RegionTime(Region &region) : m_region(region) {}
    bool isDue(std::uint64_t nowNs) const { return m_keptNs == 0 || nowNs - m_keptNs >= kEveryNs; }
    /// Call it when isDue(). `nowNs`: CLOCK_MONOTONIC of this pass. Writes nothing as an observer. In an adopted
    /// region, writes only if one of its processes was seen alive: otherwise the last reading shows when its processes
    /// lived.
    void keep(std::uint64_t nowNs, bool anyAlive);

private:
    static constexpr std::uint64_t kEveryNs = 1'000'000'000;

    Region &m_region;
    std::uint64_t m_keptNs = 0;
};

/// Converts a time of CLOCK_MONOTONIC to CLOCK_REALTIME, both in ns. Uses the latest reading in the region, else the
/// one of its creation. Returns nullopt if there is none, or if it is implausible.
std::optional<std::uint64_t> realtimeOf(const Region &region, std::uint64_t monotonicNs);

}  // namespace ct
