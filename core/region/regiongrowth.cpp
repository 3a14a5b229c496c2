// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Allocates the memory of a region before probes may use it. A full file system then gives an error and no SIGBUS.
#include "core/region/regiondata.h"
#include "core/region/regionspace.h"

#include "corotracer/system.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

namespace ct {

namespace {

using corotracer::kHeaderSize;
using corotracer::kStationSize;

constexpr std::uint32_t kStep = 4096;            ///< stations per allocation, which takes about a millisecond
constexpr std::uint32_t kSmallestStep = 256;     ///< stations of the smallest attempt when room is short
constexpr std::uint64_t kRetryNs = 250'000'000;  ///< delay of the next attempt after the file system was full

/// A greater allocated_wrapped comes from a stray write. No engine reaches it.
constexpr std::uint64_t kMostWrapped = 1ULL << 40;

/// Returns the stations that probes have requested so far, including refused ones. Acquire: keeps a later load of
/// max_stations behind these births.
std::uint64_t allocatedIn(const corotracer::GlobalHeader &header)
{
    return std::uint64_t{header.allocated_count.load(std::memory_order_acquire)} +
           std::min<std::uint64_t>(header.extension.allocated_wrapped.load(std::memory_order_relaxed), kMostWrapped);
}

}  // namespace

Result<void> Region::Data::commit(std::uint64_t offset, std::uint64_t bytes)
{
    if (bytes == 0)
        return {};
    // Not posix_fallocate(3): without support in the file system it writes, over data that targets store.
    int error = 0;
    for (int tries = 0; tries < 3; ++tries) {  // on tmpfs, a signal interrupts the call and undoes its effect
        error = ::fallocate(file.get(), 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0 ? 0 : errno;
        if (error != EINTR)
            break;
    }
    if (error == EOPNOTSUPP || error == ENOSYS) {
        // The file system does not support fallocate(2). If populating fails, there is no space or no quota.
        error = corotracer::detail::back_with_memory(base + offset, bytes) ? 0 : ENOSPC;
    }
    if (error == 0)
        return {};
    if (error == ENOSPC || error == EDQUOT)
        return Error{ErrorCode::NoSpace, path + ": the file system is full; free some space or choose another path "
                                                "with --shm"};
    return errnoError(error, "cannot allocate memory for " + path, "choose another path with --shm");
}

void Region::Data::ignoreEarlierBirths()
{
    if (layout.extension)
        seenBirths = std::min<std::uint64_t>(allocatedIn(header()), layout.stationCapacity);
}

Result<void> Region::growStations()
{
    Data &data = *m_data;
    if (data.access != RegionAccess::Owner || !data.layout.extension)
        return {};
    corotracer::GlobalHeader &header = data.header();
    const std::uint64_t allocated = allocatedIn(header);
    if (allocated == 0)
        return {};
    const std::uint32_t reserved = data.layout.stationCapacity;
    const std::uint64_t headroom = stationHeadroom(freeBytesAround(data.file.get()), allocated);
    const std::uint64_t wanted = std::min<std::uint64_t>(reserved, allocated + headroom);
    // Relaxed: probes of the extension may raise it at any time, with memory first; see below.
    std::uint32_t offered = header.max_stations.load(std::memory_order_relaxed);
    std::uint64_t refused = 0;
    // Counts the births that found no station: those beyond `offered`.
    const auto judge = [&](std::uint64_t bornUntilNow) {
        const std::uint64_t born = std::min<std::uint64_t>(bornUntilNow, reserved);
        refused += born - std::min(born, std::max<std::uint64_t>(offered, data.seenBirths));
        data.seenBirths = std::max(data.seenBirths, born);
    };
    judge(allocated);
    if (offered >= wanted)
        return {};
    const std::uint64_t now = clockNs(CLOCK_MONOTONIC);
    if (now < data.growAgainNs)
        return data.growthFailure;
    std::uint64_t step = kStep;
    while (offered < wanted) {
        const auto fresh = static_cast<std::uint32_t>(std::min<std::uint64_t>(step, reserved - offered));
        auto committed = data.commit(kHeaderSize + offered * kStationSize, fresh * kStationSize);
        if (!committed) {
            if (committed.error().code == ErrorCode::NoSpace && step > kSmallestStep) {
                step /= 2;
                continue;
            }
            data.growAgainNs = now + kRetryNs;
            data.growthFailure = committed.error();
            return committed;
        }
        const std::uint32_t end = offered + fresh;
        const std::uint64_t bornSince = allocatedIn(header);
        // Probes of the extension may have offered more stations. Births in these stations are not refused.
        offered = std::max(offered, header.max_stations.load(std::memory_order_relaxed));
        judge(bornSince);
        // Only ever raised. Release; partner: the probes' loads at birth. All stations below it have memory.
        while (offered < end && !header.max_stations.compare_exchange_weak(offered, end, std::memory_order_release,
                                                                           std::memory_order_relaxed)) {
        }
        offered = std::max(offered, end);
    }
    data.growthFailure = {};
    // These births came too early: the memory exists only now.
    data.overtakenBirths += refused;
    return {};
}

std::uint64_t Region::overtakenBirths() const
{
    return m_data->overtakenBirths;
}

std::uint64_t Region::freeBytes() const
{
    return freeBytesAround(m_data->file.get());
}

std::uint64_t Region::committedBytes() const
{
    struct stat info;
    return ::fstat(m_data->file.get(), &info) == 0 ? static_cast<std::uint64_t>(info.st_blocks) * 512 : 0;
}

}  // namespace ct
