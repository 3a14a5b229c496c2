// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds and frees lanes of discard mode in state kLaneMaking: a thread is claiming such a lane, or was killed during
// the claim. The lane's header does not name this thread.
#pragma once

#include "core/region/region.h"

#include <cstdint>
#include <vector>

namespace ct {

/// Returns the indices of these lanes in the lane directory.
std::vector<std::uint32_t> unfinishedLanes(const Region &region);
/// Frees each of `lanes` that is still in this state. Call it only if no living process can be claiming a lane.
void freeUnfinishedLanes(Region &region, const std::vector<std::uint32_t> &lanes);

}  // namespace ct
