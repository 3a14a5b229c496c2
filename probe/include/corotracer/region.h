// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The region file: read, checked like the untrusted input it is, then mapped.
#pragma once

#include "process.h"

#include <bit>
#include <climits>
#include <cstring>

#include <sys/stat.h>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer::detail {

/// What InitTracer found out about the region before anything is published.
struct mapping {
    void *base = nullptr;
    std::size_t size = 0;
    std::uint32_t station_limit = 0;
    bool engine_fences = false;
    site_area sites;
    lane_areas lanes;
};

/// Whether [offset, offset + count * size) is a range of whole 64-byte lines behind `after` and within `file_size`.
[[nodiscard]] inline constexpr bool fits(std::uint64_t offset, std::uint64_t count, std::uint64_t size,
                                         std::uint64_t after, std::uint64_t file_size) noexcept
{
    return offset % 64 == 0 && offset >= after && offset <= file_size && count <= (file_size - offset) / size;
}

/// The areas of lanes and compact stations. Leaves `lanes` empty unless all of them are sound.
inline void check_lanes(mapping &map, std::uint64_t behind, std::uint64_t file_size) noexcept
{
    auto *header = static_cast<GlobalHeader *>(map.base);
    ExtensionHeader &untrusted = header->extension;
    char *const base = static_cast<char *>(map.base);
    const std::uint64_t processes = untrusted.process_table_offset;
    const std::uint64_t directory = untrusted.lane_directory_offset;
    const std::uint64_t lines = untrusted.lines_offset;
    const std::uint64_t births = untrusted.births_offset;
    const std::uint32_t mode = untrusted.lane_mode;
    lane_areas areas;
    areas.pool_offset = untrusted.lane_pool_offset;
    areas.pool_size = untrusted.lane_pool_size;
    areas.process_capacity = untrusted.process_capacity;
    areas.lane_capacity = untrusted.lane_capacity;
    areas.lines_reserved = untrusted.lines_reserved;
    areas.lane_records = untrusted.lane_records;
    areas.retention_ms = untrusted.lane_retention_ms;
    areas.overwrite = mode == kLanesOverwrite;
    if (mode != kLanesDiscard && mode != kLanesOverwrite)
        return;
    constexpr std::uint64_t page = 4096;
    if (((processes | directory | lines | births | areas.pool_offset) & (page - 1)) != 0)
        return;
    if (!fits(processes, areas.process_capacity, sizeof(ProcessEntry), behind, file_size) ||
        !fits(directory, areas.lane_capacity, sizeof(LaneHeader), behind, file_size) ||
        !fits(lines, areas.lines_reserved, sizeof(StateLine), behind, file_size) ||
        !fits(births, areas.lines_reserved, sizeof(BirthLine), behind, file_size) ||
        !fits(areas.pool_offset, areas.pool_size, 1, behind, file_size))
        return;
    if (!std::has_single_bit(areas.lane_records) || areas.lane_records < kLaneRecordsMin ||
        areas.lane_records > kLaneRecordsMax || areas.lines_reserved > kMaxStations ||
        areas.process_capacity > kMaxProcesses || areas.lane_capacity > kMaxLanes)
        return;
    areas.base = base;
    areas.processes = reinterpret_cast<ProcessEntry *>(base + processes);
    areas.directory = reinterpret_cast<LaneHeader *>(base + directory);
    areas.lines = reinterpret_cast<StateLine *>(base + lines);
    areas.births = reinterpret_cast<BirthLine *>(base + births);
    areas.extension = &untrusted;
    map.lanes = areas;
}

/// Checks the extension that the header announces; leaves `sites` empty unless all of it is sound.
inline void check_extension(mapping &map, std::uint64_t file_size) noexcept
{
    auto *header = static_cast<GlobalHeader *>(map.base);
    ExtensionHeader &untrusted = header->extension;
    if (untrusted.magic != kExtensionMagic || untrusted.version != kExtensionVersion ||
        untrusted.size < sizeof(ExtensionHeader) || untrusted.site_record_size != sizeof(SiteRecord))
        return;
    const std::uint64_t reserved = untrusted.stations_reserved;
    const std::uint64_t table = untrusted.site_table_offset;
    const std::uint32_t capacity = untrusted.site_capacity;
    const std::uint64_t strings = untrusted.strings_offset;
    const std::uint64_t strings_capacity = untrusted.strings_capacity;
    if (reserved > kMaxStations || capacity > kMaxSites ||
        !fits(kHeaderSize, reserved, kStationSize, kHeaderSize, file_size))
        return;
    const std::uint64_t behind = kHeaderSize + reserved * kStationSize;
    if (!fits(table, capacity, sizeof(SiteRecord), behind, file_size) ||
        !fits(strings, strings_capacity, 1, behind, file_size))
        return;
    map.station_limit = static_cast<std::uint32_t>(reserved);
    map.engine_fences = untrusted.engine_fences == 1;
    map.sites.extension = &untrusted;
    map.sites.records = reinterpret_cast<SiteRecord *>(static_cast<char *>(map.base) + table);
    map.sites.strings = static_cast<char *>(map.base) + strings;
    map.sites.capacity = capacity;
    map.sites.strings_capacity = strings_capacity;
    check_lanes(map, behind, file_size);
}

/// Reads and checks an open region, then maps it: never beyond its end, and only if it is one.
/// Returns null, or what is wrong.
[[nodiscard]] inline const char *map_region(int fd, std::uint32_t stations_told, mapping &map) noexcept
{
    struct stat status {};
    if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return "not a regular file";
    if (status.st_size < static_cast<off_t>(kHeaderSize))
        return "too short for a cTP region";
    const auto file_size = static_cast<std::uint64_t>(status.st_size);
    unsigned char start[16];
    std::uint64_t magic = 0;
    std::uint32_t version = 0;
    std::uint32_t max_stations = 0;
    if (::pread(fd, start, sizeof start, 0) != static_cast<ssize_t>(sizeof start))
        return "cannot be read";
    std::memcpy(&magic, start, sizeof magic);
    std::memcpy(&version, start + 8, sizeof version);
    std::memcpy(&max_stations, start + 12, sizeof max_stations);
    if (magic != kMagic)
        return "not a cTP region (wrong magic number)";
    if (version != kVersion)
        return "unknown cTP version";
    const std::uint64_t stations_in_file = (file_size - kHeaderSize) / kStationSize;
    if (max_stations > stations_in_file)
        return "shorter than its header says";
    map.base = ::mmap(nullptr, file_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map.base == MAP_FAILED)
        return "cannot be mapped";
    map.size = file_size;
#if defined(MADV_DONTDUMP)
    (void)::madvise(map.base, map.size, MADV_DONTDUMP);  // a core file need not hold what the region's file holds
#endif
    map.station_limit = stations_told < stations_in_file ? stations_told : static_cast<std::uint32_t>(stations_in_file);
    check_extension(map, file_size);
    return nullptr;
}

}  // namespace corotracer::detail

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
