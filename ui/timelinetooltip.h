// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the timeline says about the place under the cursor.
#pragma once

#include "core/session/places.h"
#include "models/timelinebar.h"
#include "models/timelinestuck.h"

#include <QString>

namespace ct {

struct TimelinePlace {
    CoroutineId coroutine = kNoCoroutine;
    TimelineTime from = 0;  ///< of the pixel column
    TimelineTime step = 1;
    TimelineTime origin = 0;
    std::uint64_t now = 0;
    Places *places = nullptr;  ///< may be null
};

/// Rich text; target-made names are escaped.
QString timelineToolTip(const Population &population, const History &history, const ProcessLives &lives,
                        StuckThresholds &thresholds, const TimelinePlace &place);

/// "Suspended", "Running", ...
QString markName(MarkKind kind);

}  // namespace ct
