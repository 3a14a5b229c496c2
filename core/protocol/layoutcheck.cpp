// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/layoutcheck.h"

#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>

namespace ct {

namespace {

using corotracer::ExtensionHeader;
using corotracer::GlobalHeader;
using corotracer::kHeaderSize;
using corotracer::kStationSize;

constexpr std::uint64_t kExtensionStart = offsetof(GlobalHeader, extension);

std::string hex(std::uint64_t value)
{
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

Error badFormat(std::uint64_t offset, const std::string &what, const std::string &remedy)
{
    return {ErrorCode::BadFormat, "at offset " + hex(offset) + ": " + what + "; " + remedy};
}

template <class T>
T fieldAt(std::span<const std::byte> header, std::uint64_t offset)
{
    T value;
    std::memcpy(&value, header.data() + offset, sizeof value);
    return value;
}

/// The fields of the extension that the areas depend on, as the file claims them.
struct UntrustedExtension {
    std::uint32_t version, size;
    std::uint64_t fileSize, stationsReserved;
    std::uint32_t siteRecordSize;
    ExtensionAreas areas;
};

UntrustedExtension copyExtension(std::span<const std::byte> header)
{
    const auto copy = [header](auto &value, std::size_t member) {
        std::memcpy(&value, header.data() + kExtensionStart + member, sizeof value);
    };
    UntrustedExtension untrusted{};
    copy(untrusted.version, offsetof(ExtensionHeader, version));
    copy(untrusted.size, offsetof(ExtensionHeader, size));
    copy(untrusted.fileSize, offsetof(ExtensionHeader, file_size));
    copy(untrusted.stationsReserved, offsetof(ExtensionHeader, stations_reserved));
    copy(untrusted.siteRecordSize, offsetof(ExtensionHeader, site_record_size));
    ExtensionAreas &areas = untrusted.areas;
    copy(areas.siteTableOffset, offsetof(ExtensionHeader, site_table_offset));
    copy(areas.siteCapacity, offsetof(ExtensionHeader, site_capacity));
    copy(areas.stringsOffset, offsetof(ExtensionHeader, strings_offset));
    copy(areas.stringsCapacity, offsetof(ExtensionHeader, strings_capacity));
    copy(areas.processTableOffset, offsetof(ExtensionHeader, process_table_offset));
    copy(areas.processCapacity, offsetof(ExtensionHeader, process_capacity));
    copy(areas.laneDirectoryOffset, offsetof(ExtensionHeader, lane_directory_offset));
    copy(areas.laneCapacity, offsetof(ExtensionHeader, lane_capacity));
    copy(areas.statesOffset, offsetof(ExtensionHeader, states_offset));
    copy(areas.birthsOffset, offsetof(ExtensionHeader, births_offset));
    copy(areas.compactCapacity, offsetof(ExtensionHeader, compact_stations_reserved));
    copy(areas.lanePoolOffset, offsetof(ExtensionHeader, lane_pool_offset));
    copy(areas.lanePoolSize, offsetof(ExtensionHeader, lane_pool_size));
    copy(areas.laneMode, offsetof(ExtensionHeader, lane_mode));
    copy(areas.laneRecords, offsetof(ExtensionHeader, lane_records));
    return untrusted;
}

/// Returns true if [offset, offset + bytes) lies in [from, to). No sum can overflow.
bool inside(std::uint64_t offset, std::uint64_t bytes, std::uint64_t from, std::uint64_t to)
{
    return offset >= from && offset <= to && bytes <= to - offset;
}

constexpr const char *kDamaged = "the file is damaged; delete it";

Error badField(std::size_t member, const std::string &what)
{
    return badFormat(kExtensionStart + member, what, kDamaged);
}

struct Area {
    const char *name;
    std::size_t member;  ///< the member of ExtensionHeader that has the area's offset
    std::uint64_t offset, bytes, alignment;
};

/// Checks that each area lies in the file, behind the stations, is aligned, and overlaps no other area.
Result<void> checkAreas(const ExtensionAreas &areas, std::uint64_t stationsEnd, std::uint64_t fileSize)
{
    constexpr std::uint64_t kPage = 4096;
    const std::uint64_t stationBytes = std::uint64_t{areas.compactCapacity} * sizeof(corotracer::CompactState);
    const std::array<Area, 7> all{{
        {"the site table", offsetof(ExtensionHeader, site_table_offset), areas.siteTableOffset,
         std::uint64_t{areas.siteCapacity} * sizeof(corotracer::SiteRecord), alignof(corotracer::SiteRecord)},
        {"the strings", offsetof(ExtensionHeader, strings_offset), areas.stringsOffset, areas.stringsCapacity, 1},
        {"the process table", offsetof(ExtensionHeader, process_table_offset), areas.processTableOffset,
         std::uint64_t{areas.processCapacity} * sizeof(corotracer::ProcessEntry), kPage},
        {"the lane directory", offsetof(ExtensionHeader, lane_directory_offset), areas.laneDirectoryOffset,
         std::uint64_t{areas.laneCapacity} * sizeof(corotracer::LaneHeader), kPage},
        {"the state records", offsetof(ExtensionHeader, states_offset), areas.statesOffset, stationBytes, kPage},
        {"the birth records", offsetof(ExtensionHeader, births_offset), areas.birthsOffset, stationBytes, kPage},
        {"the lane pool", offsetof(ExtensionHeader, lane_pool_offset), areas.lanePoolOffset, areas.lanePoolSize, kPage},
    }};
    for (const Area &area : all) {
        if (area.bytes != 0 &&
            (area.offset % area.alignment != 0 || !inside(area.offset, area.bytes, stationsEnd, fileSize)))
            return badField(area.member, std::string(area.name) + ", " + std::to_string(area.bytes) + " bytes at " +
                                             hex(area.offset) +
                                             ", are misaligned, overlap the stations or leave the file");
    }
    for (const Area &area : all) {
        for (const Area &other : all) {
            // An empty area overlaps nothing. If two areas overlap, the one with the greater offset begins in the
            // other.
            if (&area != &other && area.bytes != 0 && area.offset >= other.offset &&
                area.offset - other.offset < other.bytes)
                return badField(area.member,
                                std::string(area.name) + " at " + hex(area.offset) + " overlap " + other.name);
        }
    }
    return {};
}

/// Limits the counts. A sparse file has room for any count, but the engine allocates memory for each entry.
Result<void> checkCounts(const ExtensionAreas &areas)
{
    struct Count {
        const char *name;
        std::size_t member;
        std::uint32_t value, most;
    };
    const std::array<Count, 4> all{{
        {"sites", offsetof(ExtensionHeader, site_capacity), areas.siteCapacity, corotracer::kMaxSites},
        {"processes", offsetof(ExtensionHeader, process_capacity), areas.processCapacity, corotracer::kMaxProcesses},
        {"lanes", offsetof(ExtensionHeader, lane_capacity), areas.laneCapacity, corotracer::kMaxLanes},
        {"compact stations", offsetof(ExtensionHeader, compact_stations_reserved), areas.compactCapacity,
         corotracer::kMaxStations},
    }};
    for (const Count &count : all) {
        if (count.value > count.most)
            return badField(count.member, "room for " + std::to_string(count.value) + " " + count.name +
                                              ", more than " + std::to_string(count.most));
    }
    return {};
}

Result<void> checkLanes(const ExtensionAreas &areas)
{
    if (areas.laneMode > corotracer::kLanesOverwrite)
        return badField(offsetof(ExtensionHeader, lane_mode), "lane mode " + std::to_string(areas.laneMode));
    if (areas.laneMode == corotracer::kLanesNone)
        return {};
    if (!std::has_single_bit(areas.laneRecords) || areas.laneRecords < corotracer::kLaneRecordsMin ||
        areas.laneRecords > corotracer::kLaneRecordsMax)
        return badField(offsetof(ExtensionHeader, lane_records),
                        "lanes of " + std::to_string(areas.laneRecords) + " records");
    return {};
}

Result<ValidatedLayout> checkExtension(UntrustedExtension &untrusted, std::uint32_t maxStations, std::uint64_t fileSize)
{
    if (untrusted.size < sizeof(ExtensionHeader) || untrusted.size > kHeaderSize - kExtensionStart)
        return badField(offsetof(ExtensionHeader, size),
                        "an extension header of " + std::to_string(untrusted.size) + " bytes");
    if (untrusted.fileSize > fileSize)
        return badFormat(kExtensionStart + offsetof(ExtensionHeader, file_size),
                         "claims " + std::to_string(untrusted.fileSize) + " bytes, but the file has " +
                             std::to_string(fileSize),
                         "the file was cut short; make a complete copy or delete it");
    const std::uint64_t reserved = untrusted.stationsReserved;
    if (reserved < maxStations || reserved > corotracer::kMaxStations ||
        !inside(kHeaderSize, reserved * kStationSize, kHeaderSize, fileSize))
        return badField(offsetof(ExtensionHeader, stations_reserved),
                        "room for " + std::to_string(reserved) + " stations, " + std::to_string(maxStations) +
                            " in use, does not fit a file of " + std::to_string(fileSize) + " bytes");
    if (untrusted.siteRecordSize != sizeof(corotracer::SiteRecord))
        return badField(offsetof(ExtensionHeader, site_record_size),
                        "site records of " + std::to_string(untrusted.siteRecordSize) + " bytes");
    if (auto counts = checkCounts(untrusted.areas); !counts)
        return counts.error();
    if (auto lanes = checkLanes(untrusted.areas); !lanes)
        return lanes.error();
    if (auto checked = checkAreas(untrusted.areas, kHeaderSize + reserved * kStationSize, fileSize); !checked)
        return checked.error();
    if (untrusted.areas.laneMode == corotracer::kLanesNone)
        untrusted.areas.laneRecords = 0;
    return ValidatedLayout{fileSize, static_cast<std::uint32_t>(reserved), untrusted.areas};
}

}  // namespace

Result<ValidatedLayout> checkLayout(std::span<const std::byte> header, std::uint64_t fileSize)
{
    if (header.size() < kHeaderSize || fileSize < kHeaderSize)
        return badFormat(0, "only " + std::to_string(fileSize) + " bytes; a cTP header has 1024",
                         "choose a shared-memory file of a coroTracer target");
    const auto magic = fieldAt<std::uint64_t>(header, offsetof(GlobalHeader, magic_number));
    if (magic != corotracer::kMagic)
        return badFormat(0, "magic number " + hex(magic) + " instead of " + hex(corotracer::kMagic),
                         "this is not a cTP file; choose another one");
    const auto version = fieldAt<std::uint32_t>(header, offsetof(GlobalHeader, version));
    if (version != corotracer::kVersion)
        return Error{ErrorCode::Unsupported, "at offset " + hex(offsetof(GlobalHeader, version)) + ": cTP version " +
                                                 std::to_string(version) +
                                                 "; this program reads version 1; use a newer corotracer-gui"};
    const auto maxStations = fieldAt<std::uint32_t>(header, offsetof(GlobalHeader, max_stations));
    const auto extensionMagic = fieldAt<std::uint64_t>(header, kExtensionStart);
    if (extensionMagic == corotracer::kExtensionMagic) {
        UntrustedExtension untrusted = copyExtension(header);
        // An extension of another version may have other rules for its areas. The stations are still version 1.
        if (untrusted.version == corotracer::kExtensionVersion)
            return checkExtension(untrusted, maxStations, fileSize);
    }
    if (maxStations > (fileSize - kHeaderSize) / kStationSize)
        return badFormat(offsetof(GlobalHeader, max_stations),
                         "claims " + std::to_string(maxStations) + " stations, which need " +
                             std::to_string(kHeaderSize + std::uint64_t{maxStations} * kStationSize) +
                             " bytes, but the file has " + std::to_string(fileSize),
                         "the file was cut short; make a complete copy or delete it");
    if (maxStations > corotracer::kMaxStations)
        return badFormat(offsetof(GlobalHeader, max_stations),
                         "claims " + std::to_string(maxStations) + " stations, more than " +
                             std::to_string(corotracer::kMaxStations),
                         kDamaged);
    return ValidatedLayout{fileSize, maxStations, std::nullopt};
}

}  // namespace ct
