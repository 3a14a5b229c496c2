// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The published offsets, and headers that lie.
#include "core/protocol/layoutcheck.h"
#include "corotracer/layout.h"
#include "tests/support/check.h"

#include <array>
#include <cstring>
#include <random>

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

constexpr std::uint64_t kTable = 1024 + 32 * 1024;
constexpr std::uint64_t kStrings = kTable + 100 * 64;
constexpr std::uint64_t kExtendedSize = kStrings + 4096;

HeaderBytes extendedHeader()
{
    HeaderBytes bytes = v1Header();
    put(bytes, 0x40, kExtensionMagic);
    put(bytes, 0x48, std::uint32_t{1});
    put(bytes, 0x4C, std::uint32_t{sizeof(ExtensionHeader)});
    put(bytes, 0x50, kExtendedSize);
    put(bytes, 0x58, std::uint64_t{32});
    put(bytes, 0x60, kTable);
    put(bytes, 0x68, std::uint32_t{100});
    put(bytes, 0x6C, std::uint32_t{64});
    put(bytes, 0x70, kStrings);
    put(bytes, 0x78, std::uint64_t{4096});
    return bytes;
}

/// The message with which `bytes` are refused; empty = accepted.
std::string refusal(const HeaderBytes &bytes, std::uint64_t fileSize)
{
    const auto layout = ct::checkLayout(bytes, fileSize);
    return layout ? std::string() : layout.error().message;
}

bool contains(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace

CT_CASE(publishedOffsets)
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
}

CT_CASE(laterExtensionIsReadAsVersionOne)
{
    HeaderBytes bytes = extendedHeader();
    put(bytes, 0x48, std::uint32_t{2});
    const auto layout = ct::checkLayout(bytes, kExtendedSize);
    REQUIRE(layout);
    CHECK(!layout->extension);
    CHECK_EQUAL(layout->stationCapacity, 16u);
}

CT_CASE(refusesWhatIsNoRegion)
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

CT_CASE(refusesExtensionsThatLie)
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
    CHECK(contains(broken(0x58, std::uint64_t{33}), "0x60"));  // stations run into the table
    CHECK(contains(broken(0x60, kTable + 8), "0x60"));
    CHECK(contains(broken(0x60, std::uint64_t{1024}), "0x60"));
    CHECK(contains(broken(0x60, ~std::uint64_t{63}), "0x60"));
    CHECK(contains(broken(0x68, std::uint32_t{0xFFFFFFFF}), "0x60"));
    CHECK(contains(broken(0x68, std::uint32_t{101}), "0x70"));
    CHECK(contains(broken(0x6C, std::uint32_t{0}), "0x6c"));
    CHECK(contains(broken(0x70, kTable), "0x70"));
    CHECK(contains(broken(0x70, ~std::uint64_t{0}), "0x70"));
    CHECK(contains(broken(0x78, std::uint64_t{4097}), "0x70"));
    CHECK(contains(broken(0x78, ~std::uint64_t{0}), "0x70"));
}

/// Whatever the header says: what is accepted lies inside the file.
CT_CASE(randomHeadersNeverLeaveTheFile)
{
    std::mt19937_64 random(1);
    int accepted = 0;
    for (int i = 0; i < 200'000; ++i) {
        HeaderBytes bytes = extendedHeader();
        for (int changes = 0; changes < 2; ++changes) {
            const std::size_t offset = 0x0C + random() % (0x80 - 0x0C);
            put(bytes, offset, static_cast<std::uint8_t>(random() >> (random() % 64)));
        }
        const std::uint64_t size = kExtendedSize - random() % 3 * 1024;
        const auto layout = ct::checkLayout(bytes, size);
        if (!layout)
            continue;
        ++accepted;
        CHECK(1024 + std::uint64_t{layout->stationCapacity} * 1024 <= size);
        if (!layout->extension)
            continue;
        const ct::ExtensionAreas &areas = *layout->extension;
        CHECK(areas.siteTableOffset + std::uint64_t{areas.siteCapacity} * 64 <= areas.stringsOffset);
        CHECK(areas.stringsOffset + areas.stringsCapacity <= size);
    }
    CHECK(accepted > 0);
}
