// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The documented offsets, and the refusal of invalid headers.
#include "core/protocol/layoutcheck.h"
#include "corotracer/layout.h"
#include "tests/support/check.h"

#include <array>
#include <cstring>
#include <random>
#include <vector>

using namespace corotracer;

namespace {

constexpr std::uint64_t kV1Size = 1024 + 16 * 1024;

using HeaderBytes = std::array<std::byte, kHeaderSize>;

template <class T>
void put(HeaderBytes &bytes, std::size_t offset, T value)
{
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

HeaderBytes v1Header(std::uint32_t stations = 16)
{
    HeaderBytes bytes{};
    put(bytes, 0x00, std::uint64_t{0x434F524F54524352});
    put(bytes, 0x08, std::uint32_t{1});
    put(bytes, 0x0C, stations);
    return bytes;
}

constexpr std::uint64_t kStationsEnd = 1024 + 32 * 1024;
constexpr std::uint64_t kTable = 0x9000;
constexpr std::uint64_t kStrings = kTable + 100 * 64;
constexpr std::uint64_t kProcesses = 0xC000;
constexpr std::uint64_t kLanes = 0xD000;
constexpr std::uint64_t kLines = 0xE000;
constexpr std::uint64_t kBirths = 0xF000;
constexpr std::uint64_t kPool = 0x10000;
constexpr std::uint64_t kPoolSize = 0x40000;
constexpr std::uint64_t kExtendedSize = kPool + kPoolSize;
static_assert(kTable >= kStationsEnd);

HeaderBytes extendedHeader()
{
    HeaderBytes bytes = v1Header();
    put(bytes, 0x40, kExtensionMagic);
    put(bytes, 0x48, std::uint32_t{2});
    put(bytes, 0x4C, std::uint32_t{sizeof(ExtensionHeader)});
    put(bytes, 0x50, kExtendedSize);
    put(bytes, 0x58, std::uint64_t{32});
    put(bytes, 0x60, kTable);
    put(bytes, 0x68, std::uint32_t{100});
    put(bytes, 0x6C, std::uint32_t{64});
    put(bytes, 0x70, kStrings);
    put(bytes, 0x78, std::uint64_t{4096});
    put(bytes, 0x100, kProcesses);
    put(bytes, 0x108, kLanes);
    put(bytes, 0x110, kLines);
    put(bytes, 0x118, kBirths);
    put(bytes, 0x120, kPool);
    put(bytes, 0x128, kPoolSize);
    put(bytes, 0x130, std::uint32_t{16});  // processes
    put(bytes, 0x134, std::uint32_t{16});  // lanes
    put(bytes, 0x138, std::uint32_t{64});  // compact stations
    put(bytes, 0x13C, std::uint32_t{kLanesDiscard});
    put(bytes, 0x140, std::uint32_t{2048});
    return bytes;
}

/// Returns the message with which `bytes` are refused; empty if they are accepted.
std::string refusal(const HeaderBytes &bytes, std::uint64_t fileSize)
{
    const auto layout = ct::checkLayout(bytes, fileSize);
    return layout ? std::string() : layout.error().message;
}

bool contains(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

/// Returns true if no two areas share 64 bytes, and no area leaves [begin, size).
bool areApart(const ct::ExtensionAreas &areas, std::uint64_t begin, std::uint64_t size)
{
    std::vector<bool> occupied((size + 63) / 64);
    bool good = true;
    const auto occupy = [&](std::uint64_t offset, std::uint64_t bytes) {
        good = good && (bytes == 0 || (offset >= begin && offset <= size && bytes <= size - offset));
        for (std::uint64_t at = offset / 64; good && bytes != 0 && at < (offset + bytes) / 64; ++at) {
            good = !occupied[at];
            occupied[at] = true;
        }
    };
    occupy(areas.siteTableOffset, areas.siteCapacity * std::uint64_t{64});
    occupy((areas.stringsOffset + 63) / 64 * 64, areas.stringsCapacity < 64 ? 0 : areas.stringsCapacity - 63);
    occupy(areas.processTableOffset, areas.processCapacity * std::uint64_t{256});
    occupy(areas.laneDirectoryOffset, areas.laneCapacity * std::uint64_t{256});
    occupy(areas.statesOffset, areas.compactCapacity * std::uint64_t{64});
    occupy(areas.birthsOffset, areas.compactCapacity * std::uint64_t{64});
    occupy(areas.lanePoolOffset, areas.lanePoolSize);
    return good;
}

}  // namespace

CT_CASE(offsetsMatchThePublishedProtocol)
{
    CHECK_EQUAL(sizeof(GlobalHeader), 1024u);
    CHECK_EQUAL(offsetof(GlobalHeader, magic_number), 0x00u);
    CHECK_EQUAL(offsetof(GlobalHeader, version), 0x08u);
    CHECK_EQUAL(offsetof(GlobalHeader, max_stations), 0x0Cu);
    CHECK_EQUAL(offsetof(GlobalHeader, allocated_count), 0x10u);
    CHECK_EQUAL(offsetof(GlobalHeader, tracer_sleeping), 0x14u);
    CHECK_EQUAL(sizeof(StationData), 1024u);
    CHECK_EQUAL(offsetof(StationHeader, birth_ts), 0x08u);
    CHECK_EQUAL(offsetof(StationHeader, is_dead), 0x10u);
    CHECK_EQUAL(offsetof(StationData, extension), 0x240u);
    CHECK_EQUAL(sizeof(Epoch), 64u);
    CHECK_EQUAL(offsetof(Epoch, timestamp), 0x00u);
    CHECK_EQUAL(offsetof(Epoch, tid), 0x08u);
    CHECK_EQUAL(offsetof(Epoch, addr), 0x10u);
    CHECK_EQUAL(offsetof(Epoch, seq), 0x18u);
    CHECK_EQUAL(offsetof(Epoch, site), 0x20u);
    CHECK_EQUAL(offsetof(Epoch, kind), 0x24u);
    CHECK_EQUAL(offsetof(Epoch, is_active), 0x3Fu);
    CHECK_EQUAL(kMagic, 0x434F524F54524352u);
}

/// The offsets of the extension in docs/ctp.md. Probes in other languages follow that document.
CT_CASE(offsetsMatchTheDocument)
{
    constexpr std::size_t kBase = offsetof(GlobalHeader, extension);
    CHECK_EQUAL(kBase, 0x40u);
    CHECK_EQUAL(sizeof(ExtensionHeader), 0x1C0u);
    CHECK_EQUAL(kBase + offsetof(ExtensionHeader, engine_fences), 0xDCu);
    CHECK_EQUAL(kBase + offsetof(ExtensionHeader, lane_pool_size), 0x128u);
    CHECK_EQUAL(kBase + offsetof(ExtensionHeader, lane_mode), 0x13Cu);
    CHECK_EQUAL(kBase + offsetof(ExtensionHeader, lane_retention_ms), 0x144u);
    CHECK_EQUAL(kBase + offsetof(ExtensionHeader, compact_station_count), 0x180u);
    CHECK_EQUAL(kBase + offsetof(ExtensionHeader, compact_stations_committed), 0x184u);
    CHECK_EQUAL(kBase + offsetof(ExtensionHeader, free_compact_stations), 0x188u);
    CHECK_EQUAL(kBase + offsetof(ExtensionHeader, lane_pool_used), 0x1A0u);
    CHECK_EQUAL(kBase + offsetof(ExtensionHeader, lane_count), 0x1A8u);
    CHECK_EQUAL(kBase + offsetof(ExtensionHeader, names_dropped), 0x1B8u);
    CHECK_EQUAL(kBase + offsetof(ExtensionHeader, free_stations), 0x1C0u);
    CHECK_EQUAL(kBase + offsetof(ExtensionHeader, pair_realtime_ns), 0x1E0u);
    CHECK_EQUAL(offsetof(CompactState, what), 0x18u);
    CHECK_EQUAL(offsetof(CompactState, death_ts), 0x30u);
    CHECK_EQUAL(offsetof(CompactBirth, process), 0x20u);
    CHECK_EQUAL(offsetof(CompactBirth, next_free), 0x24u);
    CHECK_EQUAL(offsetof(LaneRecord, commit), 0x18u);
    CHECK_EQUAL(offsetof(LaneHeader, block_numbers_offset), 0x20u);
    CHECK_EQUAL(offsetof(LaneHeader, committed), 0x48u);
    CHECK_EQUAL(offsetof(LaneHeader, tail), 0x80u);
    CHECK_EQUAL(offsetof(ProcessEntry, mult), 0x28u);
    CHECK_EQUAL(offsetof(ProcessEntry, name_length), 0x48u);
    CHECK_EQUAL(offsetof(StationExtension, next_free), 0x20u);
    CHECK_EQUAL(lane_commit(3, 2, 0x31, 15), 0x0000'0003'0000'231Fu);
    CHECK_EQUAL(lane_lap(0, 2048), 1u);
    CHECK_EQUAL(lane_lap(15 * 2048 - 1, 2048), 15u);
    CHECK_EQUAL(lane_lap(15 * 2048, 2048), 1u);
}

CT_CASE(acceptsVersionOne)
{
    const auto layout = ct::checkLayout(v1Header(), kV1Size);
    REQUIRE(layout);
    CHECK_EQUAL(layout->stationCapacity, 16u);
    CHECK_EQUAL(layout->fileSize, kV1Size);
    CHECK(!layout->extension);
    CHECK_EQUAL(refusal(v1Header(), kV1Size + 5000), "");
}

CT_CASE(acceptsTheExtension)
{
    const auto layout = ct::checkLayout(extendedHeader(), kExtendedSize);
    REQUIRE(layout);
    REQUIRE(layout->extension);
    CHECK_EQUAL(layout->stationCapacity, 32u);
    CHECK_EQUAL(layout->extension->siteTableOffset, kTable);
    CHECK_EQUAL(layout->extension->siteCapacity, 100u);
    CHECK_EQUAL(layout->extension->stringsOffset, kStrings);
    CHECK_EQUAL(layout->extension->stringsCapacity, 4096u);
    CHECK_EQUAL(layout->extension->processTableOffset, kProcesses);
    CHECK_EQUAL(layout->extension->processCapacity, 16u);
    CHECK_EQUAL(layout->extension->laneDirectoryOffset, kLanes);
    CHECK_EQUAL(layout->extension->laneCapacity, 16u);
    CHECK_EQUAL(layout->extension->statesOffset, kLines);
    CHECK_EQUAL(layout->extension->birthsOffset, kBirths);
    CHECK_EQUAL(layout->extension->compactCapacity, 64u);
    CHECK_EQUAL(layout->extension->lanePoolOffset, kPool);
    CHECK_EQUAL(layout->extension->lanePoolSize, kPoolSize);
    CHECK_EQUAL(layout->extension->laneMode, std::uint32_t{kLanesDiscard});
    CHECK_EQUAL(layout->extension->laneRecords, 2048u);
}

/// A region without lanes may leave their areas empty.
CT_CASE(emptyAreasNeedNoOffset)
{
    HeaderBytes bytes = extendedHeader();
    for (const std::size_t offset : {0x108, 0x110, 0x118, 0x120, 0x128})
        put(bytes, offset, std::uint64_t{0});
    for (const std::size_t count : {0x134, 0x138, 0x13C, 0x140})
        put(bytes, count, std::uint32_t{0});
    CHECK_EQUAL(refusal(bytes, kExtendedSize), "");
    put(bytes, 0x0C, std::uint32_t{0});
    put(bytes, 0x58, std::uint64_t{0});
    CHECK_EQUAL(refusal(bytes, kExtendedSize), "");  // the flight recorder of a program without version-1 coroutines
}

CT_CASE(laterExtensionIsReadAsVersionOne)
{
    HeaderBytes bytes = extendedHeader();
    put(bytes, 0x48, std::uint32_t{3});
    const auto layout = ct::checkLayout(bytes, kExtendedSize);
    REQUIRE(layout);
    CHECK(!layout->extension);
    CHECK_EQUAL(layout->stationCapacity, 16u);
}

CT_CASE(refusesFilesThatAreNoRegion)
{
    CHECK(contains(refusal(v1Header(), 1023), "1024"));
    const HeaderBytes bytes = v1Header();
    CHECK(!ct::checkLayout(std::span(bytes).first(100), 100));
    CHECK(!ct::checkLayout({}, 0));
    HeaderBytes wrongMagic = v1Header();
    put(wrongMagic, 0, std::uint64_t{42});
    CHECK(contains(refusal(wrongMagic, kV1Size), "0x0"));
    HeaderBytes wrongVersion = v1Header();
    put(wrongVersion, 8, std::uint32_t{2});
    CHECK(contains(refusal(wrongVersion, kV1Size), "0x8"));
}

CT_CASE(refusesMoreStationsThanTheFileHolds)
{
    CHECK(contains(refusal(v1Header(17), kV1Size), "0xc"));
    CHECK(contains(refusal(v1Header(0xFFFFFFFF), kV1Size), "0xc"));
    CHECK_EQUAL(refusal(v1Header(0), kV1Size), "");
}

/// A sparse file may have any size without using memory. But a reader needs memory for each entry, so the counts are
/// limited.
CT_CASE(refusesExcessiveCounts)
{
    constexpr std::uint64_t kHuge = std::uint64_t{1} << 42;
    CHECK_EQUAL(refusal(v1Header(kMaxStations), kHuge), "");
    CHECK(contains(refusal(v1Header(kMaxStations + 1), kHuge), "0xc"));
    const auto withMany = [](std::size_t count, std::uint32_t value) {
        HeaderBytes bytes = extendedHeader();
        // Far from each other, each with more room than it can fill.
        std::uint64_t at = std::uint64_t{1} << 36;
        for (const std::size_t offset : {0x60, 0x70, 0x100, 0x108, 0x110, 0x118, 0x120}) {
            put(bytes, offset, at);
            at += std::uint64_t{1} << 38;
        }
        put(bytes, 0x50, kHuge);
        put(bytes, count, value);
        return refusal(bytes, kHuge);
    };
    struct Limit {
        std::size_t offset;
        const char *name;
        std::uint32_t most;
    };
    for (const Limit &limit : {Limit{0x68, "0x68", kMaxSites}, Limit{0x130, "0x130", kMaxProcesses},
                               Limit{0x134, "0x134", kMaxLanes}, Limit{0x138, "0x138", kMaxStations}}) {
        CHECK_EQUAL(withMany(limit.offset, limit.most), "");
        CHECK(contains(withMany(limit.offset, limit.most + 1), limit.name));
        CHECK(contains(withMany(limit.offset, ~std::uint32_t{0}), limit.name));
    }
    // Also if only the table is used.
    HeaderBytes bytes = extendedHeader();
    put(bytes, 0x13C, std::uint32_t{kLanesNone});
    put(bytes, 0x130, kMaxProcesses + 1);
    CHECK(contains(refusal(bytes, kHuge), "0x130"));
}

CT_CASE(refusesInconsistentExtensions)
{
    const auto broken = [](std::size_t offset, auto value) {
        HeaderBytes bytes = extendedHeader();
        put(bytes, offset, value);
        return refusal(bytes, kExtendedSize);
    };
    CHECK(contains(broken(0x4C, std::uint32_t{8}), "0x4c"));
    CHECK(contains(broken(0x4C, std::uint32_t{4096}), "0x4c"));
    CHECK(contains(broken(0x50, kExtendedSize + 1), "0x50"));
    CHECK(contains(broken(0x58, std::uint64_t{15}), "0x58"));
    CHECK(contains(broken(0x58, std::uint64_t{1000}), "0x58"));
    CHECK(contains(broken(0x58, ~std::uint64_t{0}), "0x58"));
    CHECK(contains(broken(0x58, std::uint64_t{36}), "0x60"));  // stations overlap the table
    CHECK(contains(broken(0x60, kTable + 8), "0x60"));
    CHECK(contains(broken(0x60, std::uint64_t{1024}), "0x60"));
    CHECK(contains(broken(0x60, ~std::uint64_t{63}), "0x60"));
    CHECK(contains(broken(0x68, kMaxSites), "0x60"));
    CHECK(contains(broken(0x68, std::uint32_t{101}), "0x70"));
    CHECK(contains(broken(0x6C, std::uint32_t{0}), "0x6c"));
    CHECK(contains(broken(0x70, kTable), "overlap"));
    CHECK(contains(broken(0x70, ~std::uint64_t{0}), "0x70"));
    CHECK(contains(broken(0x78, kExtendedSize - kStrings + 1), "0x70"));
    CHECK(contains(broken(0x78, ~std::uint64_t{0}), "0x70"));
}

CT_CASE(refusesInconsistentAreas)
{
    const auto broken = [](std::size_t offset, auto value) {
        HeaderBytes bytes = extendedHeader();
        put(bytes, offset, value);
        return refusal(bytes, kExtendedSize);
    };
    struct Field {
        std::size_t offset;
        const char *name;
    };
    for (const Field field : {Field{0x100, "0x100"}, Field{0x108, "0x108"}, Field{0x110, "0x110"},
                              Field{0x118, "0x118"}, Field{0x120, "0x120"}}) {
        CHECK(contains(broken(field.offset, std::uint64_t{0}), field.name));
        CHECK(contains(broken(field.offset, std::uint64_t{4096}), field.name));  // inside the stations
        CHECK(contains(broken(field.offset, std::uint64_t{kPool + 64}), field.name));
        CHECK(contains(broken(field.offset, kExtendedSize), field.name));
        CHECK(contains(broken(field.offset, ~std::uint64_t{4095}), field.name));
    }
    CHECK(contains(broken(0x100, kLanes), "overlap"));
    CHECK(contains(broken(0x110, kBirths), "overlap"));
    CHECK(contains(broken(0x120, kTable), "overlap"));
    CHECK(contains(broken(0x128, kPoolSize + 1), "0x120"));
    CHECK(contains(broken(0x128, ~std::uint64_t{0}), "0x120"));
    CHECK(contains(broken(0x130, std::uint32_t{17}), "overlap"));
    CHECK(contains(broken(0x130, kMaxProcesses), "0x100"));
    CHECK(contains(broken(0x134, std::uint32_t{17}), "overlap"));
    CHECK(contains(broken(0x134, kMaxLanes), "0x108"));
    CHECK(contains(broken(0x138, std::uint32_t{65}), "overlap"));
    CHECK(contains(broken(0x138, std::uint32_t{kMaxStations + 1}), "0x138"));
    CHECK(contains(broken(0x13C, std::uint32_t{3}), "0x13c"));
    for (const std::uint32_t records : {0u, 1u, 1024u, 2049u, 3000u, 1u << 23, ~0u})
        CHECK(contains(broken(0x140, records), "0x140"));
}

/// For any header, everything that is accepted lies inside the file.
CT_CASE(randomHeadersNeverLeaveTheFile)
{
    std::mt19937_64 random(1);
    int accepted = 0;
    for (int i = 0; i < 200'000; ++i) {
        HeaderBytes bytes = extendedHeader();
        for (int changes = 0; changes < 2; ++changes) {
            const std::size_t offset = random() % 2 ? 0x4C + random() % (0x80 - 0x4C) : 0x100 + random() % 0x48;
            put(bytes, offset, static_cast<std::uint8_t>(random() >> (random() % 64)));
        }
        const std::uint64_t size = kExtendedSize + random() % 3 * 4096;
        const auto layout = ct::checkLayout(bytes, size);
        if (!layout)
            continue;
        ++accepted;
        CHECK(1024 + std::uint64_t{layout->stationCapacity} * 1024 <= size);
        REQUIRE(layout->extension);
        CHECK(areApart(*layout->extension, 1024 + std::uint64_t{layout->stationCapacity} * 1024, size));
    }
    CHECK(accepted > 0);
}
