// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Computes the layout of a region with lanes. For tests and benchmarks of the probe alone, which have no engine to
// create a region. Depends on the layout header only.
#pragma once

#include "corotracer/layout.h"

#include <cstdint>

namespace lanelayout {

/// Sizes of the region's areas. With mode kLanesNone the region has the areas of lanes, but probes must not use them.
struct Sizes {
    std::uint32_t mode = corotracer::kLanesDiscard;
    std::uint32_t compactStations = 4096;
    std::uint32_t laneRecords = corotracer::kLaneRecordsMin;
    std::uint64_t poolBytes = 64ULL << 20;  ///< sparse; a lane gets at most a 32nd of the rest
    std::uint32_t lanes = 64;
    std::uint32_t processes = 8;
    std::uint32_t retentionMs = 0;
    bool engineFences = true;
    std::uint32_t stations = 16;
    std::uint32_t sites = 256;
    std::uint64_t stringBytes = 1 << 16;
    bool shrink = true;
};

/// Fills in every field that a creator writes, and returns the file size in bytes. To learn the size only, pass a
/// temporary header.
inline std::uint64_t layOut(const Sizes &sizes, corotracer::GlobalHeader &header)
{
    using namespace corotracer;
    ExtensionHeader &x = header.extension;
    std::uint64_t end = kHeaderSize + std::uint64_t{sizes.stations} * kStationSize;
    const auto append = [&end](std::uint64_t bytes, std::uint64_t alignment = 4096) {
        const std::uint64_t offset = (end + alignment - 1) / alignment * alignment;
        end = offset + bytes;
        return offset;
    };
    header.magic_number = kMagic;
    header.version = kVersion;
    header.max_stations.store(sizes.stations, std::memory_order_relaxed);
    x.magic = kExtensionMagic;
    x.version = kExtensionVersion;
    x.size = sizeof(ExtensionHeader);
    x.stations_reserved = sizes.stations;
    x.engine_fences = sizes.engineFences ? 1 : 0;
    x.site_capacity = sizes.sites;
    x.site_record_size = sizeof(SiteRecord);
    x.site_table_offset = append(sizes.sites * sizeof(SiteRecord), alignof(SiteRecord));
    x.strings_capacity = sizes.stringBytes;
    x.strings_offset = append(sizes.stringBytes, alignof(SiteRecord));
    x.process_capacity = sizes.processes;
    x.process_table_offset = append(sizes.processes * sizeof(ProcessEntry));
    x.lane_capacity = sizes.lanes;
    x.lane_directory_offset = append(sizes.lanes * sizeof(LaneHeader));
    x.compact_stations_reserved = sizes.compactStations;
    x.states_offset = append(sizes.compactStations * sizeof(CompactState));
    x.births_offset = append(sizes.compactStations * sizeof(CompactBirth));
    x.lane_mode = sizes.mode;
    x.lane_records = sizes.laneRecords;
    x.lane_retention_ms = sizes.retentionMs;
    x.lanes_shrink = sizes.shrink ? 1 : 0;
    x.lane_pool_size = (sizes.poolBytes + 4095) / 4096 * 4096;
    x.lane_pool_offset = append(x.lane_pool_size);
    x.file_size = end;
    return end;
}

}  // namespace lanelayout
