// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/regionshortage.h"

namespace ct {

namespace {

/// Bytes of the smallest lane, with its block numbers.
constexpr std::uint64_t kSmallestLane = corotracer::kLaneRecordsMin * sizeof(corotracer::LaneRecord) + 4096;
/// Bytes. If more than this is free in the file system, the address space of a probe that was refused memory is taken
/// to be full.
constexpr std::uint64_t kRoomForMore = 4U << 20;

}  // namespace

void RegionShortage::Refusals::check(std::uint64_t withoutNow, std::uint64_t madeNow, bool isThereMore)
{
    // If both numbers grew since the last check, a burst used up the last memory. Better one report too many than none.
    if (withoutNow != without)
        lasts = isThereMore;
    else if (madeNow != made)
        lasts = false;
    without = withoutNow;
    made = madeNow;
}

void RegionShortage::check(const Region &region)
{
    const corotracer::ExtensionHeader &extension = region.header().extension;
    const auto load = [](const auto &sum) { return sum.load(std::memory_order_relaxed); };  // for display
    if (load(extension.processes_partly_mapped) != 0 && region.freeBytes() > kRoomForMore)
        return;
    m_stations.check(load(extension.births_without_station), load(extension.compact_stations_committed),
                     load(extension.compact_station_count) < region.compactStations().size());
    const std::uint64_t used = load(extension.lane_pool_used);
    m_lanes.check(load(extension.threads_without_lane), used,
                  used < extension.lane_pool_size && extension.lane_pool_size - used >= kSmallestLane &&
                      load(extension.lane_count) < region.laneDirectory().size());
}

}  // namespace ct
