// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Checks and maps the region file. The file is untrusted: its start is read and checked before anything is mapped.
#pragma once

#include "addressspace.h"
#include "state.h"

#include <bit>
#include <climits>
#include <cstring>
#include <type_traits>

#include <sys/stat.h>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

/// Result of map_region, before the session is published.
struct mapping {
    GlobalHeader *header = nullptr;
    StationData *stations = nullptr;
    std::uint32_t station_limit = 0;
    bool engine_fences = false;
    site_area sites;
    lane_areas lanes;
    // Offsets of the areas in the file, in bytes.
    std::uint64_t sites_offset = 0;
    std::uint64_t strings_offset = 0;
    std::uint64_t processes_offset = 0;
    std::uint64_t directory_offset = 0;
    std::uint64_t states_offset = 0;
    std::uint64_t births_offset = 0;
    char *whole = nullptr;  ///< if one mapping covers the file, else null and one part for each area
    mapped_parts mapped;
};

/// True if [offset, offset + count * size) begins at a multiple of 64, at or behind `after`, and ends within
/// `file_size`.
[[nodiscard]] inline constexpr bool fits(std::uint64_t offset, std::uint64_t count, std::uint64_t size,
                                         std::uint64_t after, std::uint64_t file_size) noexcept
{
    return offset % 64 == 0 && offset >= after && offset <= file_size && count <= (file_size - offset) / size;
}

/// Checks the areas of lanes and compact stations. Leaves map.lanes empty unless all of them are valid. `behind`: end
/// of the full stations in the file.
inline void check_lanes(mapping &map, std::uint64_t behind, std::uint64_t file_size) noexcept
{
    ExtensionHeader &untrusted = map.header->extension;
    map.processes_offset = untrusted.process_table_offset;
    map.directory_offset = untrusted.lane_directory_offset;
    map.states_offset = untrusted.states_offset;
    map.births_offset = untrusted.births_offset;
    const std::uint32_t mode = untrusted.lane_mode;
    lane_areas areas;
    areas.pool_offset = untrusted.lane_pool_offset;
    areas.pool_size = untrusted.lane_pool_size;
    areas.process_capacity = untrusted.process_capacity;
    areas.lane_capacity = untrusted.lane_capacity;
    areas.compact_stations_reserved = untrusted.compact_stations_reserved;
    areas.lane_records = untrusted.lane_records;
    areas.retention_ms = untrusted.lane_retention_ms;
    areas.overwrite = mode == kLanesOverwrite;
    areas.may_shrink = untrusted.lanes_shrink == 1;
    if (mode != kLanesDiscard && mode != kLanesOverwrite)
        return;
    constexpr std::uint64_t page = 4096;
    if (((map.processes_offset | map.directory_offset | map.states_offset | map.births_offset | areas.pool_offset) &
         (page - 1)) != 0)
        return;
    if (!fits(map.processes_offset, areas.process_capacity, sizeof(ProcessEntry), behind, file_size) ||
        !fits(map.directory_offset, areas.lane_capacity, sizeof(LaneHeader), behind, file_size) ||
        !fits(map.states_offset, areas.compact_stations_reserved, sizeof(CompactState), behind, file_size) ||
        !fits(map.births_offset, areas.compact_stations_reserved, sizeof(CompactBirth), behind, file_size) ||
        !fits(areas.pool_offset, areas.pool_size, 1, behind, file_size))
        return;
    if (!std::has_single_bit(areas.lane_records) || areas.lane_records < kLaneRecordsMin ||
        areas.lane_records > kLaneRecordsMax || areas.compact_stations_reserved > kMaxStations ||
        areas.process_capacity > kMaxProcesses || areas.lane_capacity > kMaxLanes)
        return;
    areas.extension = &untrusted;
    map.lanes = areas;
}

/// True if the header announces an extension of a version that this probe knows.
[[nodiscard]] inline bool is_extended(const ExtensionHeader &untrusted) noexcept
{
    return untrusted.magic == kExtensionMagic && untrusted.version == kExtensionVersion &&
           untrusted.size >= sizeof(ExtensionHeader) && untrusted.site_record_size == sizeof(SiteRecord);
}

/// Checks the areas of the extension. Leaves map.sites empty unless all of them are valid.
inline void check_extension(mapping &map, std::uint64_t file_size) noexcept
{
    ExtensionHeader &untrusted = map.header->extension;
    if (!is_extended(untrusted))
        return;
    const std::uint64_t reserved = untrusted.stations_reserved;
    map.sites_offset = untrusted.site_table_offset;
    map.strings_offset = untrusted.strings_offset;
    const std::uint32_t capacity = untrusted.site_capacity;
    const std::uint64_t strings_capacity = untrusted.strings_capacity;
    if (reserved > kMaxStations || capacity > kMaxSites ||
        !fits(kHeaderSize, reserved, kStationSize, kHeaderSize, file_size))
        return;
    const std::uint64_t behind = kHeaderSize + reserved * kStationSize;
    if (!fits(map.sites_offset, capacity, sizeof(SiteRecord), behind, file_size) ||
        !fits(map.strings_offset, strings_capacity, 1, behind, file_size))
        return;
    map.station_limit = static_cast<std::uint32_t>(reserved);
    map.engine_fences = untrusted.engine_fences == 1;
    map.sites.extension = &untrusted;
    map.sites.capacity = capacity;
    map.sites.strings_capacity = strings_capacity;
    check_lanes(map, behind, file_size);
}

/// Limits the pool to `most` bytes: the part that is allocated next, or the end of the pool.
inline void cut_pool(lane_areas &lanes, std::uint64_t most) noexcept
{
    if (lanes.extension == nullptr || lanes.pool_size <= most)
        return;
    const std::uint64_t untrusted_used = lanes.extension->lane_pool_used.load(std::memory_order_relaxed) / 4096 * 4096;
    const std::uint64_t last = (lanes.pool_size - most) / 4096 * 4096;
    lanes.pool_skipped = untrusted_used < last ? untrusted_used : last;
    lanes.pool_offset += lanes.pool_skipped;
    lanes.pool_size = most;
}

/// Limits the areas to `budget` bytes together. Areas that are cut off count as used up, which probes and engines can
/// handle: lanes are shorter, and fewer coroutines are traced; the untraced ones are counted. With lanes, full stations
/// get no space. Returns false when the budget is too small for a session.
[[nodiscard]] inline bool cut_areas(mapping &map, std::uint64_t budget) noexcept
{
    constexpr std::uint64_t least = 1 << 20;
    const bool has_lanes = map.lanes.extension != nullptr;
    const std::uint64_t tables = has_lanes ? std::uint64_t{map.lanes.process_capacity} * sizeof(ProcessEntry) +
                                                 std::uint64_t{map.lanes.lane_capacity} * sizeof(LaneHeader)
                                           : 0;
    if (budget < tables + least)
        return false;
    const std::uint64_t rest = budget - tables;
    const auto cut = [](auto &count, std::uint64_t most) {
        if (count > most)
            count = static_cast<std::remove_reference_t<decltype(count)>>(most);
    };
    cut(map.sites.capacity, rest / 16 / sizeof(SiteRecord));
    cut(map.sites.strings_capacity, rest / 8);
    cut(map.station_limit, has_lanes ? 0 : rest / 2 / kStationSize);
    cut(map.lanes.compact_stations_reserved, rest / 8 / sizeof(CompactState));
    cut_pool(map.lanes, rest / 2 / 4096 * 4096);
    return true;
}

/// Returns a range of the file in memory, and maps it if the file is not mapped as a whole. Null on failure.
[[nodiscard]] inline char *map_part(mapping &map, int fd, std::uint64_t offset, std::uint64_t bytes) noexcept
{
    if (map.whole != nullptr)
        return map.whole + offset;
    const std::uint64_t begin = offset & ~(static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) - 1);
    const std::size_t size = offset - begin + (bytes == 0 ? 1 : bytes);
    void *const mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(begin));
    if (mapped == MAP_FAILED)
        return nullptr;
#if defined(MADV_DONTDUMP)
    (void)::madvise(mapped, size, MADV_DONTDUMP);  // core files need no copy of the region
#endif
    map.mapped.parts[map.mapped.count++] = {static_cast<char *>(mapped), size};
    return static_cast<char *>(mapped) + (offset - begin);
}

/// Removes all mappings.
inline void unmap(mapped_parts &mapped) noexcept
{
    for (std::uint32_t i = 0; i < mapped.count; ++i)
        ::munmap(mapped.parts[i].begin, mapped.parts[i].size);
    mapped.count = 0;
}

/// Finds all areas in memory. Returns false when one cannot be mapped.
[[nodiscard]] inline bool map_areas(mapping &map, int fd) noexcept
{
    lane_areas &lanes = map.lanes;
    const auto map_area = [&map, fd](auto *&area, std::uint64_t offset, std::uint64_t count, std::size_t size) {
        area = reinterpret_cast<std::remove_reference_t<decltype(area)>>(map_part(map, fd, offset, count * size));
        return area != nullptr;
    };
    if (!map_area(map.stations, kHeaderSize, map.station_limit, kStationSize))
        return false;
    if (map.sites.extension != nullptr &&
        (!map_area(map.sites.records, map.sites_offset, map.sites.capacity, sizeof(SiteRecord)) ||
         !map_area(map.sites.strings, map.strings_offset, map.sites.strings_capacity, 1)))
        return false;
    return lanes.extension == nullptr ||
           (map_area(lanes.processes, map.processes_offset, lanes.process_capacity, sizeof(ProcessEntry)) &&
            map_area(lanes.directory, map.directory_offset, lanes.lane_capacity, sizeof(LaneHeader)) &&
            map_area(lanes.states, map.states_offset, lanes.compact_stations_reserved, sizeof(CompactState)) &&
            map_area(lanes.births, map.births_offset, lanes.compact_stations_reserved, sizeof(CompactBirth)) &&
            map_area(lanes.pool, lanes.pool_offset, lanes.pool_size, 1));
}

/// Counts this process as untraced because it cannot map the region. Maps only the header, for a moment.
inline void count_unmapped(int fd) noexcept
{
    void *const page = ::mmap(nullptr, sizeof(GlobalHeader), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return;
    ExtensionHeader &extension = static_cast<GlobalHeader *>(page)->extension;
    if (is_extended(extension))
        extension.processes_unmapped.fetch_add(1, std::memory_order_relaxed);  // relaxed: only a sum for display
    ::munmap(page, sizeof(GlobalHeader));
}

/// Maps a checked file, as much of it as the process's address space allows. `stations`: limit of full stations for a
/// version-1 region. Returns null, or the error as text. The caller unmaps on an error.
[[nodiscard]] inline const char *map_file(int fd, std::uint64_t file_size, std::uint32_t stations,
                                          mapping &map) noexcept
{
    constexpr const char *no_space =
        "too little address space for the region (raise the limit on the address space, ulimit -v)";
    const std::uint64_t budget = mapping_budget();
    char *const first = map_part(map, fd, 0, file_size <= budget ? file_size : kHeaderSize);
    if (first == nullptr)
        return budget == unlimited ? "the region cannot be mapped" : no_space;
    map.header = reinterpret_cast<GlobalHeader *>(first);
    map.whole = file_size <= budget ? first : nullptr;
    map.station_limit = stations;
    check_extension(map, file_size);
    if ((map.whole == nullptr && !cut_areas(map, budget)) || !map_areas(map, fd))
        return no_space;
    if (map.whole == nullptr && map.sites.extension != nullptr)  // relaxed: only a sum for display
        map.header->extension.processes_partly_mapped.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
}

/// Checks an open file, and maps it if it is a region; never beyond its end. `stations_announced`: number of stations
/// by CTP_MAX_STATIONS. Returns null, or the error as text; then nothing is mapped.
[[nodiscard]] inline const char *map_region(int fd, std::uint32_t stations_announced, mapping &map) noexcept
{
    struct stat status {};
    if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return "the region is not a regular file";
    if (status.st_size < static_cast<off_t>(kHeaderSize))
        return "the file is too short for a region";
    const auto file_size = static_cast<std::uint64_t>(status.st_size);
    unsigned char start[16];
    std::uint64_t magic = 0;
    std::uint32_t version = 0;
    std::uint32_t max_stations = 0;
    if (::pread(fd, start, sizeof start, 0) != static_cast<ssize_t>(sizeof start))
        return "the region cannot be read";
    std::memcpy(&magic, start, sizeof magic);
    std::memcpy(&version, start + 8, sizeof version);
    std::memcpy(&max_stations, start + 12, sizeof max_stations);
    if (magic != kMagic)
        return "the file is no region (wrong magic number)";
    if (version != kVersion)
        return "the region has an unknown cTP version (build the target with the current probe)";
    const std::uint64_t stations_in_file = (file_size - kHeaderSize) / kStationSize;
    if (max_stations > stations_in_file)
        return "the region is shorter than its header says";
    const std::uint64_t stations = stations_announced < stations_in_file ? stations_announced : stations_in_file;
    const char *const wrong = map_file(fd, file_size, static_cast<std::uint32_t>(stations), map);
    if (wrong != nullptr) {
        unmap(map.mapped);
        map = {};
        count_unmapped(fd);
    }
    return wrong;
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
