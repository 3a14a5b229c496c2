// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/lanelist.h"

#include <algorithm>

namespace ct {

bool LaneList::isQuiet() const
{
    const std::span<const corotracer::LaneHeader> headers = m_region.laneDirectory();
    const std::uint32_t count_untrusted = m_region.header().extension.lane_count.load(std::memory_order_seq_cst);
    const std::size_t count = std::min<std::size_t>(count_untrusted, m_known.size());
    for (std::size_t index = 0; index < count && m_lanes.size() < count; ++index) {
        const corotracer::LaneHeader &header = headers[index];
        // A lane in state 3 has no record yet: a thread makes it, or was killed while making it.
        if (!m_known[index] && header.state.load(std::memory_order_seq_cst) != corotracer::kLaneMaking &&
            header.records.load(std::memory_order_seq_cst) != 0)
            return false;
    }
    return std::ranges::none_of(m_lanes, [](const Lane &lane) { return hasRecordAt(lane.view, lane.position); });
}

}  // namespace ct
