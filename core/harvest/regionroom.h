// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How much room there is for a region: space in its file system, and address space of this process.
#pragma once

#include "core/harvest/region.h"

#include <cstdint>
#include <string>

namespace ct {

struct RegionRoom {
    static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

    std::uint64_t freeBytes = kUnlimited;      ///< in the file system
    std::uint64_t mappableBytes = kUnlimited;  ///< of the address space, what a region may take of it

    /// For a file that is open as `fd`.
    static RegionRoom of(int fd);
};

/// Free space of the file system of an open file; kUnlimited for a tmpfs without a limit.
std::uint64_t freeBytesAround(int fd);

/// Stations to keep free for version-1 probes when `allocated` are given out: 32,768 or half as many again, and no more
/// than a sixteenth of the free space.
std::uint32_t stationHeadroom(std::uint64_t freeBytes, std::uint64_t allocated);

/// Bytes of string space in a region of that room.
std::uint64_t stringsCapacityIn(const RegionRoom &room);

/// What fits: fewer stations where the address space is limited, a smaller pool of lanes there and where the file
/// system is small. Says in `warning` what was cut, and what to do about it. An error where nothing fits.
Result<RegionSpec> fittedTo(const RegionRoom &room, const RegionSpec &spec, std::string &warning);

/// mmap(2) of a region failed.
Error cannotMap(int error, const std::string &path, std::uint64_t bytes);

}  // namespace ct
