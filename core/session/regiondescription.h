// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sentences about what a region contains when we attach to it.
#pragma once

#include "core/region/region.h"

#include <QString>

namespace ct {

/// For a region that no process uses any more.
QString leftoverNotice(std::uint32_t laneMode);
/// Returns a sentence with the date of the latest event. `latestNs`: time of that event, ns, CLOCK_MONOTONIC; 0 = the
/// region has no event. Empty: the region does not relate this clock to a date.
QString dateNotice(const Region &region, std::uint64_t latestNs);
/// Returns true if any coroutine was ever allocated a station in the region.
bool hasCoroutines(const Region &region);

}  // namespace ct
