// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a capture is asked to be, and the region that follows from it.
#pragma once

#include "core/harvest/region.h"
#include "core/result.h"

#include <cstdint>
#include <string>

namespace ct {

struct CaptureSpec {
    std::uint32_t stations = corotracer::kMostStations;  ///< this and the lanes: see RegionSpec
    bool stationsAtStart = false;  ///< asked for: that many version-1 stations get their memory before anybody comes
    bool lanes = true;
    std::uint64_t laneBytes = 16ULL << 20;
    std::uint64_t lanePoolBytes = 512ULL << 20;
    std::uint32_t laneRetentionMs = 0;
    std::string regionPath;  ///< empty: chosen
    std::string socketPath;  ///< empty: beside the region
    /// Listening ends when all targets have gone, once one has come. A process of another user or of a container is a
    /// target as long as it may use the region.
    bool untilIdle = false;
};

/// Its paths absolute: a target may be started in another directory than ours.
CaptureSpec independentOfDirectory(CaptureSpec capture);
RegionSpec regionSpecOf(const CaptureSpec &capture);
/// As wished, or beside the region. Refused when it is too long for a target.
Result<std::string> socketPathOf(const CaptureSpec &capture, const std::string &regionPath);

}  // namespace ct
