// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lists the regions on this machine, live and left over, and deletes them. For the Attach dialog and clean-up.
#pragma once

#include "core/base/result.h"
#include "core/target/regionusers.h"

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ct {

struct RegionInfo {
    std::string path;
    std::uint64_t bytesUsed = 0;  ///< bytes that the file system has allocated
    std::uint32_t stationsAllocated = 0;
    std::uint32_t stationsMax = 0;
    bool hasExtension = false;  ///< has this project's extension
    /// In overwrite mode: a target made the region itself, as its flight recorder. Live while `targets` is not empty.
    bool flightRecorder = false;
    std::uint32_t compactStations = 0;  ///< ever allocated: the most coroutines with lanes that were alive at once
    pid_t owner = 0;                    ///< engine that holds the lock; 0 = none; -1 = unknown process
    std::vector<pid_t> targets;         ///< processes that map the region, without engines
    std::vector<std::string> targetNames;
    /// Processes of another user or a container that may still run. While there are any, the region must be kept.
    std::vector<RegionUser> unknownUsers;
    std::uint64_t modifiedRealtimeNs = 0;
};

/// Searches regionDirectories() and /tmp/corotracer.shm. Omits unreadable files.
std::vector<RegionInfo> listRegions();
/// True if the file has the content of a region, whatever its name.
bool isRegion(const std::string &path);
/// Fails while a process maps the region or may map it, or while an engine owns it.
Result<void> deleteRegion(const std::string &path);

}  // namespace ct
