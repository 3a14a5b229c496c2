// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Validates the header of a cTP file before anything is mapped. Works on a copy, so that what was checked cannot
// change afterwards; no caller goes back to the file for a size or an offset.
#pragma once

#include "core/result.h"
#include "corotracer/layout.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace ct {

/// Where the extension's areas lie. All offsets are bytes from the start of the file; every area is proved to lie
/// behind the stations, inside the file, and apart from all others.
struct ExtensionAreas {
    std::uint64_t siteTableOffset = 0;  ///< aligned to corotracer::SiteRecord
    std::uint32_t siteCapacity = 0;     ///< records
    std::uint64_t stringsOffset = 0;
    std::uint64_t stringsCapacity = 0;      ///< bytes
    std::uint64_t processTableOffset = 0;   ///< this and all below: multiples of 4096
    std::uint32_t processCapacity = 0;      ///< entries
    std::uint64_t laneDirectoryOffset = 0;  //
    std::uint32_t laneCapacity = 0;         ///< entries
    std::uint64_t linesOffset = 0;
    std::uint64_t birthsOffset = 0;
    std::uint32_t linesReserved = 0;  ///< of both kinds of line; at most corotracer::kMaxStations
    std::uint64_t lanePoolOffset = 0;
    std::uint64_t lanePoolSize = 0;                   ///< bytes
    std::uint32_t laneMode = corotracer::kLanesNone;  ///< one of the known ones
    std::uint32_t laneRecords = 0;                    ///< of a new lane, a power of two; 0 without lanes
};

struct ValidatedLayout {
    std::uint64_t fileSize = 0;         ///< bytes that may be mapped
    std::uint32_t stationCapacity = 0;  ///< every index below it lies inside the file
    std::optional<ExtensionAreas> extension;
};

/// `header` is a copy of the first corotracer::kHeaderSize bytes (or of the whole file if that is shorter).
Result<ValidatedLayout> checkLayout(std::span<const std::byte> header, std::uint64_t fileSize);

}  // namespace ct
