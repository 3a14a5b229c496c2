// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks the header of a cTP file before the file is mapped. Works on a copy, because a target may change the file
// after the check. Callers use only the result, and never read a size or an offset from the file again.
#pragma once

#include "core/base/result.h"
#include "corotracer/layout.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace ct {

/// The areas of the extension. All offsets are bytes from the start of the file; those from processTableOffset on are
/// multiples of 4096. Each area was checked: it lies behind the stations, inside the file, and overlaps no other area.
struct ExtensionAreas {
    std::uint64_t siteTableOffset = 0;  ///< aligned to corotracer::SiteRecord
    std::uint32_t siteCapacity = 0;     ///< records
    std::uint64_t stringsOffset = 0;
    std::uint64_t stringsCapacity = 0;  ///< bytes
    std::uint64_t processTableOffset = 0;
    std::uint32_t processCapacity = 0;  ///< entries
    std::uint64_t laneDirectoryOffset = 0;
    std::uint32_t laneCapacity = 0;  ///< entries
    std::uint64_t statesOffset = 0;
    std::uint64_t birthsOffset = 0;
    std::uint32_t compactCapacity = 0;  ///< compact stations, at most corotracer::kMaxStations
    std::uint64_t lanePoolOffset = 0;
    std::uint64_t lanePoolSize = 0;                   ///< bytes
    std::uint32_t laneMode = corotracer::kLanesNone;  ///< one of kLanesNone, kLanesDiscard, kLanesOverwrite
    std::uint32_t laneRecords = 0;                    ///< records of a new lane, a power of two; 0 without lanes
};

struct ValidatedLayout {
    std::uint64_t fileSize = 0;         ///< bytes that may be mapped
    std::uint32_t stationCapacity = 0;  ///< full stations below this index lie inside the file
    std::optional<ExtensionAreas> extension;
};

/// `header` is a copy of the first corotracer::kHeaderSize bytes, or of the whole file if it is shorter.
Result<ValidatedLayout> checkLayout(std::span<const std::byte> header, std::uint64_t fileSize);

}  // namespace ct
