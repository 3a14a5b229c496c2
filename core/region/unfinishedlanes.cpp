// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/region/unfinishedlanes.h"

#include <algorithm>

namespace ct {

using corotracer::LaneHeader;

std::vector<std::uint32_t> unfinishedLanes(const Region &region)
{
    std::vector<std::uint32_t> found;
    const std::span<const LaneHeader> headers = region.laneDirectory();
    // Acquire; partner: the probes' compare-exchange of lane_count (release or stronger).
    const std::size_t count =
        std::min<std::size_t>(region.header().extension.lane_count.load(std::memory_order_acquire), headers.size());
    for (std::uint32_t index = 0; index < count; ++index) {
        // Acquire; partner: the release with which a thread claims the lane. The entry of its process is then visible.
        if (headers[index].state.load(std::memory_order_acquire) == corotracer::kLaneMaking)
            found.push_back(index);
    }
    return found;
}

/// The claiming threads have written no records yet, so the next thread continues at the tail.
void freeUnfinishedLanes(Region &region, const std::vector<std::uint32_t> &lanes)
{
    const std::span<LaneHeader> headers = region.writableLanes();
    for (const std::uint32_t index : lanes) {
        std::uint32_t state = corotracer::kLaneMaking;
        // Release; partner: the acquire compare-exchange of the thread that claims the lane next.
        if (index < headers.size() && headers[index].records.load(std::memory_order_acquire) != 0)
            headers[index].state.compare_exchange_strong(state, corotracer::kLaneFree, std::memory_order_release,
                                                         std::memory_order_relaxed);
    }
}

}  // namespace ct
