// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The room for a region: free space of its file system, and address space of this process.
// See docs/decisions/0018-lanes-follow-the-space.md.
#pragma once

#include "core/region/region.h"

#include <cstdint>
#include <string>

namespace ct {

struct RegionSpace {
    static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

    std::uint64_t freeBytes = kUnlimited;      ///< free space of the file system
    std::uint64_t mappableBytes = kUnlimited;  ///< address space that a region may use: a quarter of the remaining part

    /// The room for a region in the open file `fd`.
    static RegionSpace of(int fd);
};

/// Returns the free bytes of the file system of an open file, or kUnlimited for a tmpfs without a limit.
std::uint64_t freeBytesAround(int fd);

/// Returns the number of stations to keep free for version-1 probes: max(32,768, half of `allocated`), but no more than
/// a sixteenth of the free space (and at least 256).
std::uint32_t stationHeadroom(std::uint64_t freeBytes, std::uint64_t allocated);

/// Returns the bytes for strings in a region with this room.
std::uint64_t stringsCapacityIn(const RegionSpace &room);

/// Reduces `spec` to the room. A limited address space reduces the stations and the lane pool, a small file system only
/// the lane pool. Appends each notable reduction and its remedy to `warning`. Returns an error if no region fits.
Result<RegionSpec> fittedTo(const RegionSpace &room, const RegionSpec &spec, std::string &warning);

/// Makes the error for a failed mmap(2) of a region. `error`: errno.
Error cannotMap(int error, const std::string &path, std::uint64_t bytes);

}  // namespace ct
