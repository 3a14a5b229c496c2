// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tooltip of the timeline.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/suspects.h"
#include "models/timelinebar.h"

#include <QString>

namespace ct {

struct TimelineHit {
    CoroutineId coroutine = kNoCoroutine;
    TimelineTime from = 0;  ///< start of the pixel column, ns
    TimelineTime step = 1;
    TimelineTime origin = 0;
    std::uint64_t now = 0;
    AddressResolver *resolver = nullptr;  ///< may be null
};

/// Returns rich text; names from the target are escaped.
QString timelineToolTip(const Population &population, const History &history, const ProcessLives &lives,
                        const Suspects *suspects, const TimelineHit &hit);

/// "Suspended", "Running", ...
QString markName(MarkKind kind);

}  // namespace ct
