// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The timeline marks of a row as text.
#pragma once

#include "models/timelinegeometry.h"
#include "tests/models/timelinetrace.h"

#include <sstream>
#include <string>
#include <vector>

namespace ct::test {

inline constexpr std::uint64_t kBase = 1'000'000;

/// A view of `columns` columns, `step` ns each, that begins at `from`.
inline TimelineCoordinates viewOf(TimelineTime step, TimelineTime from = kBase, int columns = 100)
{
    TimelineCoordinates view;
    view.setLimits(0, kMaxTimelineTime);
    view.setColumns(columns);
    view.fit(0, step * columns);
    view.zoomAbout(0, static_cast<double>(step) / static_cast<double>(view.step()));
    view.setRightEdge(from + view.span() - 1);
    return view;
}

/// "Running 10-20, Suspended 20-30@1": kind, columns, site. "%" = density of a mixed mark, "!" = events were lost.
inline std::string text(const std::vector<TimelineMark> &marks)
{
    static const char *const kNames[] = {"Created",  "Running", "Suspended", "Runnable", "Mixed",  "Stuck",
                                         "Finished", "Gap",     "Unknown",   "Evicted",  "Pending"};
    std::ostringstream out;
    for (const TimelineMark &mark : marks) {
        out << (&mark == marks.data() ? "" : ", ") << kNames[static_cast<int>(mark.kind)] << ' ' << mark.x0 << '-'
            << mark.x1;
        if (mark.site != kUnknownSite)
            out << '@' << mark.site;
        if (mark.kind == MarkKind::Mixed)
            out << '%' << int(mark.density);
        if (mark.lossy)
            out << '!';
    }
    return out.str();
}

inline std::string marksOf(const TimelineTrace &trace, const TimelineCoordinates &view, CoroutineId id,
                           std::uint64_t now, const StuckThreshold &stuckAfter = {})
{
    TimelineGeometry geometry(trace.population, trace.history);
    const std::vector<CoroutineId> rows{id};
    geometry.update(view, rows, now, stuckAfter);
    return text(geometry.marks(0));
}

}  // namespace ct::test
