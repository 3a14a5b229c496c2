// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Detects a full file system: probes were refused stations or lanes although the limits of the region were not reached.
// Harvest thread only.
#pragma once

#include "core/region/region.h"

#include <cstdint>

namespace ct {

class RegionShortage {
public:
    /// Compares the sums of the region with those of the previous call.
    void check(const Region &region);
    /// True while stations or lanes are refused.
    bool lasts() const { return m_stations.lasts || m_lanes.lasts; }

private:
    struct Refusals {
        std::uint64_t without = 0;
        std::uint64_t made = 0;
        bool lasts = false;

        void check(std::uint64_t withoutNow, std::uint64_t madeNow, bool isThereMore);
    };

    Refusals m_stations;
    Refusals m_lanes;
};

}  // namespace ct
