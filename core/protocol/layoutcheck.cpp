// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/layoutcheck.h"

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

/// The fields of the extension that places depend on, as the file claims them.
struct UntrustedExtension {
    std::uint32_t version, size;
    std::uint64_t fileSize, stationsReserved, siteTableOffset;
    std::uint32_t siteCapacity, siteRecordSize;
    std::uint64_t stringsOffset, stringsCapacity;
};

UntrustedExtension copyExtension(std::span<const std::byte> header)
{
    const auto at = [](std::size_t member) { return kExtensionStart + member; };
    return {fieldAt<std::uint32_t>(header, at(offsetof(ExtensionHeader, version))),
            fieldAt<std::uint32_t>(header, at(offsetof(ExtensionHeader, size))),
            fieldAt<std::uint64_t>(header, at(offsetof(ExtensionHeader, file_size))),
            fieldAt<std::uint64_t>(header, at(offsetof(ExtensionHeader, stations_reserved))),
            fieldAt<std::uint64_t>(header, at(offsetof(ExtensionHeader, site_table_offset))),
            fieldAt<std::uint32_t>(header, at(offsetof(ExtensionHeader, site_capacity))),
            fieldAt<std::uint32_t>(header, at(offsetof(ExtensionHeader, site_record_size))),
            fieldAt<std::uint64_t>(header, at(offsetof(ExtensionHeader, strings_offset))),
            fieldAt<std::uint64_t>(header, at(offsetof(ExtensionHeader, strings_capacity)))};
}

/// True when [offset, offset + bytes) lies in [from, to); no sum can overflow.
bool inside(std::uint64_t offset, std::uint64_t bytes, std::uint64_t from, std::uint64_t to)
{
    return offset >= from && offset <= to && bytes <= to - offset;
}

Result<ValidatedLayout> checkExtension(const UntrustedExtension &untrusted, std::uint32_t maxStations,
                                       std::uint64_t fileSize)
{
    const auto offsetOf = [](std::size_t member) { return kExtensionStart + member; };
    const char *const damaged = "the file is damaged, delete it";
    if (untrusted.size < sizeof(ExtensionHeader) || untrusted.size > kHeaderSize - kExtensionStart)
        return badFormat(offsetOf(offsetof(ExtensionHeader, size)),
                         "an extension header of " + std::to_string(untrusted.size) + " bytes", damaged);
    if (untrusted.fileSize > fileSize)
        return badFormat(offsetOf(offsetof(ExtensionHeader, file_size)),
                         "claims " + std::to_string(untrusted.fileSize) + " bytes but the file has " +
                             std::to_string(fileSize),
                         "the file was cut short, make a complete copy or delete it");
    const std::uint64_t reserved = untrusted.stationsReserved;
    if (reserved < maxStations || reserved > corotracer::kMaxStations ||
        !inside(kHeaderSize, reserved * kStationSize, kHeaderSize, fileSize))
        return badFormat(offsetOf(offsetof(ExtensionHeader, stations_reserved)),
                         "room for " + std::to_string(reserved) + " stations, " + std::to_string(maxStations) +
                             " in use, does not fit a file of " + std::to_string(fileSize) + " bytes",
                         damaged);
    const std::uint64_t stationsEnd = kHeaderSize + reserved * kStationSize;
    if (untrusted.siteRecordSize != sizeof(corotracer::SiteRecord))
        return badFormat(offsetOf(offsetof(ExtensionHeader, site_record_size)),
                         "site records of " + std::to_string(untrusted.siteRecordSize) + " bytes", damaged);
    const std::uint64_t tableBytes = std::uint64_t{untrusted.siteCapacity} * sizeof(corotracer::SiteRecord);
    if (untrusted.siteTableOffset % alignof(corotracer::SiteRecord) != 0 ||
        !inside(untrusted.siteTableOffset, tableBytes, stationsEnd, fileSize))
        return badFormat(offsetOf(offsetof(ExtensionHeader, site_table_offset)),
                         "the site table at " + hex(untrusted.siteTableOffset) +
                             " is misaligned, overlaps the stations or leaves the file",
                         damaged);
    if (!inside(untrusted.stringsOffset, untrusted.stringsCapacity, untrusted.siteTableOffset + tableBytes, fileSize))
        return badFormat(offsetOf(offsetof(ExtensionHeader, strings_offset)),
                         "the strings at " + hex(untrusted.stringsOffset) + " overlap the site table or leave the file",
                         damaged);
    return ValidatedLayout{fileSize, static_cast<std::uint32_t>(reserved),
                           ExtensionAreas{untrusted.siteTableOffset, untrusted.siteCapacity, untrusted.stringsOffset,
                                          untrusted.stringsCapacity}};
}

}  // namespace

Result<ValidatedLayout> checkLayout(std::span<const std::byte> header, std::uint64_t fileSize)
{
    if (header.size() < kHeaderSize || fileSize < kHeaderSize)
        return badFormat(0, "only " + std::to_string(fileSize) + " bytes, a cTP header has 1024",
                         "choose a shared-memory file of a coroTracer target");
    const auto magic = fieldAt<std::uint64_t>(header, offsetof(GlobalHeader, magic_number));
    if (magic != corotracer::kMagic)
        return badFormat(0, "magic number " + hex(magic) + " instead of " + hex(corotracer::kMagic),
                         "this is not a cTP file, choose another");
    const auto version = fieldAt<std::uint32_t>(header, offsetof(GlobalHeader, version));
    if (version != corotracer::kVersion)
        return Error{ErrorCode::Unsupported, "at offset " + hex(offsetof(GlobalHeader, version)) + ": cTP version " +
                                                 std::to_string(version) +
                                                 ", this program reads version 1; use a newer corotracer-gui"};
    const auto maxStations = fieldAt<std::uint32_t>(header, offsetof(GlobalHeader, max_stations));
    const auto extensionMagic = fieldAt<std::uint64_t>(header, kExtensionStart);
    if (extensionMagic == corotracer::kExtensionMagic) {
        const UntrustedExtension untrusted = copyExtension(header);
        // A later extension may place its areas by other rules; its stations are still version 1.
        if (untrusted.version == corotracer::kExtensionVersion)
            return checkExtension(untrusted, maxStations, fileSize);
    }
    if (maxStations > (fileSize - kHeaderSize) / kStationSize)
        return badFormat(offsetof(GlobalHeader, max_stations),
                         "claims " + std::to_string(maxStations) + " stations, which need " +
                             std::to_string(kHeaderSize + std::uint64_t{maxStations} * kStationSize) +
                             " bytes, but the file has " + std::to_string(fileSize),
                         "the file was cut short, make a complete copy or delete it");
    return ValidatedLayout{fileSize, maxStations, std::nullopt};
}

}  // namespace ct
