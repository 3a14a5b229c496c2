// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Converts between times and pixel columns in pure integer arithmetic. A column is `step` whole ns wide. So every
// column edge is an exact time, and zooming in and out does not drift.
#pragma once

#include <cstdint>
#include <vector>

namespace ct {

/// ns, CLOCK_MONOTONIC; signed, because a view may begin before time 0.
using TimelineTime = std::int64_t;

/// Times beyond this limit are clamped. Sums and differences of clamped times do not overflow.
inline constexpr TimelineTime kMaxTimelineTime = TimelineTime{1} << 61;

/// Converts a time stamp of a trace. Untrusted time stamps saturate.
constexpr TimelineTime timelineTime(std::uint64_t ns)
{
    return ns > static_cast<std::uint64_t>(kMaxTimelineTime) ? kMaxTimelineTime : static_cast<TimelineTime>(ns);
}

class TimelineCoordinates {
public:
    static constexpr int kMaxColumns = 1 << 16;
    /// Zooming out can always show this time span (ns), even if the trace is shorter.
    static constexpr TimelineTime kShortestWidestSpan = 20'000'000'000;

    bool operator==(const TimelineCoordinates &) const = default;

    TimelineTime from() const { return m_from; }              ///< time of the left edge of column 0
    TimelineTime to() const { return m_from + span(); }       ///< first time that is not visible
    TimelineTime step() const { return m_step; }              ///< width of a column in ns, at least 1
    TimelineTime span() const { return m_step * m_columns; }  ///< visible time in ns
    int columns() const { return m_columns; }                 ///< number of columns, at least 1

    TimelineTime timeAt(int column) const { return m_from + m_step * column; }
    /// The column that contains `time`. Outside the view it is negative or >= columns().
    std::int64_t columnOf(TimelineTime time) const;
    /// The column that contains `time`, clamped to -1 .. columns().
    int clampedColumnOf(TimelineTime time) const;

    /// Limits panning, so that the view always overlaps [begin, end]. Does not move the view.
    void setLimits(TimelineTime begin, TimelineTime end);
    /// Changes the number of columns; keeps the left edge and the step.
    void setColumns(int columns);
    /// Keeps the time at the left edge of `column` in place, unless a limit forbids it. A factor > 1 shows more time.
    void zoomAbout(int column, double factor);
    /// Changes the step and keeps the right edge, rounded to the new step. For a view that follows its right edge.
    void zoomAboutRightEdge(double factor);
    /// A positive number moves the view to later times.
    void panBy(std::int64_t columns);
    void panTo(TimelineTime from);
    /// Puts `time` into the last column and aligns columns to multiples of the step. So a following view moves by whole
    /// columns, and drawn columns stay valid.
    void setRightEdge(TimelineTime time);
    /// Centers [begin, end) with the smallest step that shows all of it and a margin of 1/64 on either side.
    void fit(TimelineTime begin, TimelineTime end);

    TimelineTime lowestFrom() const;   ///< leftmost from() that panning reaches
    TimelineTime highestFrom() const;  ///< rightmost from() that panning reaches

private:
    TimelineTime largestStep() const;
    TimelineTime scaledStep(double factor) const;
    void clampFrom();

    TimelineTime m_from = 0;
    TimelineTime m_step = 1'000'000;
    int m_columns = 1;
    TimelineTime m_begin = 0;
    TimelineTime m_end = 0;
};

enum class TickUnit { Nanoseconds, Microseconds, Milliseconds, Seconds, Minutes };

/// Length of one unit in ns.
TimelineTime nanosecondsIn(TickUnit unit);

struct TickStep {
    TimelineTime ns = 1;
    TickUnit unit = TickUnit::Nanoseconds;
};

/// Returns the shortest step of at least `ns` ns out of 1, 2, 5, 10 ... of a unit.
TickStep tickStepFor(TimelineTime ns);

/// One tick of the axis, without its text.
struct Tick {
    int column = 0;
    TimelineTime sinceOrigin = 0;  ///< ns
    /// ns since the last round time, if the label needs only this part; 0: it needs sinceOrigin. See ticksOf().
    TimelineTime sinceRound = 0;
};

struct Ticks {
    TickStep step;
    std::vector<Tick> ticks;  ///< left to right
};

/// Returns ticks at least `columnsApart` columns apart, at round times since `origin`. Ticks before `origin` have
/// negative values. If the unit is shorter than a second, sinceRound counts from the last multiple of 1000 units.
Ticks ticksOf(const TimelineCoordinates &coordinates, TimelineTime origin, int columnsApart);

}  // namespace ct
