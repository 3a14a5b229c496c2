// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lanes of discard mode that a thread is taking, or was killed while it took them. They do not say which thread.
#pragma once

#include "core/harvest/region.h"

#include <cstdint>
#include <vector>

namespace ct {

/// By index in the directory.
std::vector<std::uint32_t> unfinishedLanes(const Region &region);
/// Frees those of `lanes` that are unfinished still. Only if no process lives that could be taking one.
void freeUnfinishedLanes(Region &region, const std::vector<std::uint32_t> &lanes);

}  // namespace ct
