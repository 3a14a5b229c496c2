// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/timelinecoordinates.h"

namespace ct::test {

/// A view of `columns` columns, `step` ns each, that begins at `from`.
inline TimelineCoordinates viewOf(TimelineTime from, TimelineTime step, int columns)
{
    TimelineCoordinates view;
    view.setLimits(0, kMaxTimelineTime);
    view.setColumns(columns);
    view.fit(0, step * columns);
    view.zoomAbout(0, static_cast<double>(step) / static_cast<double>(view.step()));
    view.panTo(from);
    return view;
}

}  // namespace ct::test
