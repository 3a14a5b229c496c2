// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Computes the event density of a run over the columns of a view, and the share of it in memory. It shows where events
// are that are not in memory.
#pragma once

#include "core/trace/history.h"
#include "models/timelinecoordinates.h"

#include <span>
#include <vector>

namespace ct {

struct DensityColumn {
    float share = 0;     ///< events, relative to the column with most events, 0..1
    float inMemory = 0;  ///< share of its events that are in memory, 0..1

    bool operator==(const DensityColumn &) const = default;
};

/// Returns one entry per column of the view, or nothing if no stretch is in the view. The events of a stretch count as
/// evenly spread over its time. Cost: stretches + columns.
std::vector<DensityColumn> densityColumns(std::span<const History::Stretch> stretches, const TimelineCoordinates &view);

}  // namespace ct
