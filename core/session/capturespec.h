// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The settings of a capture, and the region that follows from them.
#pragma once

#include "core/base/result.h"
#include "core/region/region.h"

#include <cstdint>
#include <string>

namespace ct {

struct CaptureSpec {
    std::uint32_t stations = corotracer::kMostStations;  ///< see RegionSpec, also for the lanes
    bool stationsAtStart = false;  ///< on request: so many version-1 stations get their memory before a target comes
    bool lanes = true;
    std::uint64_t laneBytes = kUsualLaneBytes;
    std::uint64_t lanePoolBytes = kUsualLanePoolBytes;
    std::uint32_t laneRetentionMs = 0;
    std::string regionPath;  ///< empty: chosen by Region::create()
    /// Deletes a region at regionPath that no process uses. Without this, an existing file is an error.
    bool replacesUnused = false;
    std::string socketPath;  ///< empty: next to the region
    /// Listening ends when no target uses the region any more, after at least one has used it. A process of another
    /// user or of a container counts as a target as long as it may use the region.
    bool untilIdle = false;
};

/// Makes the paths absolute, because a target may start in another directory than ours.
CaptureSpec independentOfDirectory(CaptureSpec capture);
RegionSpec regionSpecOf(const CaptureSpec &capture);
/// Returns the requested path, or one next to the region. Fails if the path is too long for a target.
Result<std::string> socketPathOf(const CaptureSpec &capture, const std::string &regionPath);

}  // namespace ct
