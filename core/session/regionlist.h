// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Regions on this machine: live, left over, owned or free; for the Attach dialog and clean-up.
#pragma once

#include "core/result.h"
#include "core/session/regionusers.h"

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ct {

struct RegionInfo {
    std::string path;
    std::uint64_t bytesUsed = 0;  ///< allocated on its file system
    std::uint32_t stationsAllocated = 0;
    std::uint32_t stationsMax = 0;
    bool ours = false;  ///< carries our extension
    /// The target made it by itself and keeps its latest history in it; alive while `targets` names it.
    bool flightRecorder = false;
    std::uint32_t compactStations = 0;  ///< coroutines alive at once so far, of our probe with lanes
    pid_t owner = 0;                    ///< engine that holds the lock; 0 = nobody; -1 = somebody unknown
    std::vector<pid_t> targets;         ///< processes that map it, without engines
    std::vector<std::string> targetNames;
    /// Processes of another user or a container, which may still run. The region is kept while there are any.
    std::vector<RegionUser> unknownUsers;
    std::uint64_t modifiedRealtimeNs = 0;
};

/// Looks in the places of chooseRegionPlace() and at /tmp/corotracer.shm. Unreadable files are left out.
std::vector<RegionInfo> listRegions();
/// Refuses while a process maps it or may do so, or an engine owns it.
Result<void> deleteRegion(const std::string &path);

}  // namespace ct
