// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/region/regionspace.h"

#include "corotracer/addressspace.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <sys/statvfs.h>

namespace ct {

namespace {

using corotracer::kStationSize;

constexpr std::uint64_t kHeadroom = 32'768;          ///< stations
constexpr std::uint64_t kLeastHeadroom = 256;        ///< stations, even if the file system is almost full
constexpr std::uint64_t kMostStrings = 64ULL << 20;  ///< bytes
/// Bytes of address space that a useful region needs: tables, strings, a few thousand coroutines, a few lanes.
constexpr std::uint64_t kLeastMappable = 32ULL << 20;
/// Bytes for the tables of sites, processes and lanes, and for rounding to pages.
constexpr std::uint64_t kTables = 6ULL << 20;
constexpr std::uint64_t kCompactBytes = sizeof(corotracer::CompactState) + sizeof(corotracer::CompactBirth);
/// A lane gets at most 1/32 of the remaining pool.
constexpr std::uint64_t kLanesInPool = 32;
/// Bytes up to which a lane causes a warning. A target with millions of events per second fills it between two visits.
constexpr std::uint64_t kShortLane = 1ULL << 20;

std::string mib(std::uint64_t bytes)
{
    return std::to_string(bytes >> 20) + " MiB";
}

std::string kib(std::uint64_t bytes)
{
    return std::to_string(bytes >> 10) + " KiB";
}

void append(std::string &warning, const std::string &text)
{
    warning += (warning.empty() ? "" : "; ") + text;
}

/// Limits the lane pool to half of the free space. The rest is for coroutines and for other programs.
void fitToSpace(std::uint64_t freeBytes, RegionSpec &spec, std::string &warning)
{
    if (!spec.lanes || freeBytes / 2 >= spec.lanePoolBytes)
        return;
    spec.lanePoolBytes = std::max(freeBytes / 2, kLanePoolMin);
    const std::uint64_t lane = std::max(std::bit_floor(spec.lanePoolBytes / kLanesInPool), kLaneBytesMin);
    if (lane <= kShortLane && lane < std::bit_floor(spec.laneBytes))
        append(warning, "only " + mib(freeBytes) + " are free for shared memory, so threads get lanes of " + kib(lane) +
                            " or less; enlarge it (mount -o remount,size=1G /dev/shm, docker run --shm-size=1g) or "
                            "choose another path with --shm");
}

Result<void> fitToAddressSpace(std::uint64_t mappable, std::uint64_t strings, RegionSpec &spec, std::string &warning)
{
    if (mappable < kLeastMappable)
        return Error{ErrorCode::NoSpace, "the limit of the address space (ulimit -v) leaves " + mib(mappable) +
                                             " for shared memory; at least " + mib(kLeastMappable) +
                                             " are needed; raise the limit"};
    const std::uint64_t perStation = kStationSize + (spec.lanes ? kCompactBytes : 0);
    const auto needed = [&] {
        return kTables + strings + spec.stations * perStation + (spec.lanes ? spec.lanePoolBytes : 0);
    };
    if (needed() <= mappable)
        return {};
    if (spec.lanes)
        spec.lanePoolBytes = std::min(spec.lanePoolBytes, mappable / 4);
    const std::uint64_t others = kTables + strings + (spec.lanes ? spec.lanePoolBytes : 0);
    spec.stations =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(spec.stations, (mappable - others) / perStation));
    append(warning, "the address space is limited (ulimit -v): there is room for " + std::to_string(spec.stations) +
                        " coroutines at a time; raise the limit for more");
    return {};
}

}  // namespace

std::uint64_t freeBytesAround(int fd)
{
    struct statvfs space;
    // A tmpfs with size=0 has no limit, and reports 0 blocks.
    if (::fstatvfs(fd, &space) != 0 || space.f_blocks == 0)
        return RegionSpace::kUnlimited;
    return static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
}

RegionSpace RegionSpace::of(int fd)
{
    return {freeBytesAround(fd), corotracer::detail::mapping_budget()};
}

std::uint32_t stationHeadroom(std::uint64_t freeBytes, std::uint64_t allocated)
{
    const std::uint64_t affordable = std::max(kLeastHeadroom, freeBytes / 16 / kStationSize);
    const std::uint64_t wanted = std::min<std::uint64_t>(std::max(kHeadroom, allocated / 2), corotracer::kMaxStations);
    return static_cast<std::uint32_t>(std::min(wanted, affordable));
}

std::uint64_t stringsCapacityIn(const RegionSpace &room)
{
    return std::min(kMostStrings, room.mappableBytes / 8 / 4096 * 4096);
}

Result<RegionSpec> fittedTo(const RegionSpace &room, const RegionSpec &spec, std::string &warning)
{
    RegionSpec fitted = spec;
    fitToSpace(room.freeBytes, fitted, warning);
    if (auto fits = fitToAddressSpace(room.mappableBytes, stringsCapacityIn(room), fitted, warning); !fits)
        return fits.error();
    return fitted;
}

Error cannotMap(int error, const std::string &path, std::uint64_t bytes)
{
    const char *remedy = "check the mount options of its file system, or use another one (--shm)";
    if (error == ENOMEM)
        remedy = corotracer::detail::address_space_left() < bytes
                     ? "raise the limit on this process's address space (ulimit -v)"
                     : "close other captures and recordings, or use a smaller region (-n, --lane-pool)";
    return errnoError(error, "cannot map " + mib(bytes) + " of " + path, remedy);
}

}  // namespace ct
