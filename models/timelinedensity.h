// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How busy a run was over the columns of a view, and which parts of it are in memory: what can be shown of events that
// are not.
#pragma once

#include "core/trace/history.h"
#include "models/timelinecoordinates.h"

#include <span>
#include <vector>

namespace ct {

struct DensityColumn {
    float share = 0;     ///< of the events of the busiest column, 0..1
    float inMemory = 0;  ///< of its events, 0..1

    bool operator==(const DensityColumn &) const = default;
};

/// One per column of the view; the events of a stretch are taken as spread evenly over its time. Empty if none of the
/// stretches is in the view. Takes stretches + columns steps.
std::vector<DensityColumn> densityColumns(std::span<const History::Stretch> stretches, const TimelineCoordinates &view);

}  // namespace ct
