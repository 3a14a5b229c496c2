// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a region holds when we come to it, in words.
#pragma once

#include "core/harvest/region.h"

#include <QString>

namespace ct {

/// Of a region that no process uses any more.
QString whatIsLeft(std::uint32_t laneMode);
/// The date of its latest event, whose time no clock shows any more; `latestNs`: CLOCK_MONOTONIC, 0 = there was none.
/// Empty: the region does not tell.
QString whenItWas(const Region &region, std::uint64_t latestNs);
/// Whether there was ever one in it.
bool holdsCoroutines(const Region &region);

}  // namespace ct
