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

/// Where the extension's areas lie. All offsets are bytes from the start of the file and proved to be inside it.
struct ExtensionAreas {
    std::uint64_t siteTableOffset = 0;  ///< aligned to corotracer::SiteRecord
    std::uint32_t siteCapacity = 0;     ///< records
    std::uint64_t stringsOffset = 0;
    std::uint64_t stringsCapacity = 0;  ///< bytes
};

struct ValidatedLayout {
    std::uint64_t fileSize = 0;         ///< bytes that may be mapped
    std::uint32_t stationCapacity = 0;  ///< every index below it lies inside the file
    std::optional<ExtensionAreas> extension;
};

/// `header` is a copy of the first corotracer::kHeaderSize bytes (or of the whole file if that is shorter).
Result<ValidatedLayout> checkLayout(std::span<const std::byte> header, std::uint64_t fileSize);

}  // namespace ct
