// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Time to pixel columns and back: pure integer arithmetic. A column is `step` whole ns wide, so every column boundary
// is an exact time and zooming there and back cannot drift.
#pragma once

#include <cstdint>
#include <vector>

namespace ct {

/// ns; signed, so that a view may begin before the clock did.
using TimelineTime = std::int64_t;

/// Times beyond are clamped to it; sums and differences of clamped times cannot overflow.
inline constexpr TimelineTime kMaxTimelineTime = TimelineTime{1} << 61;

/// A trace's time stamp as a timeline time. Untrusted stamps saturate.
constexpr TimelineTime timelineTime(std::uint64_t ns)
{
    return ns > static_cast<std::uint64_t>(kMaxTimelineTime) ? kMaxTimelineTime : static_cast<TimelineTime>(ns);
}

class TimelineCoordinates {
public:
    static constexpr int kMaxColumns = 1 << 16;
    /// However short the trace is, this much can be seen at once.
    static constexpr TimelineTime kShortestWidestSpan = 20'000'000'000;

    bool operator==(const TimelineCoordinates &) const = default;

    TimelineTime from() const { return m_from; }              ///< time of column 0's left edge
    TimelineTime to() const { return m_from + span(); }       ///< first time that is not visible
    TimelineTime step() const { return m_step; }              ///< ns a column, at least 1
    TimelineTime span() const { return m_step * m_columns; }  ///< visible ns
    int columns() const { return m_columns; }                 ///< at least 1

    TimelineTime timeAt(int column) const { return m_from + m_step * column; }
    /// The column that contains `time`; negative or >= columns() outside the view.
    std::int64_t columnOf(TimelineTime time) const;
    /// The same, clamped to -1 .. columns().
    int clampedColumnOf(TimelineTime time) const;

    /// How far one can pan: the view always touches [begin, end]. Does not move the view.
    void setLimits(TimelineTime begin, TimelineTime end);
    /// Keeps the left edge and the step.
    void setColumns(int columns);
    /// Time at the left edge of `column` stays there unless a limit forbids it. factor > 1 shows more time.
    void zoomAbout(int column, double factor);
    /// Keeps step and right edge as close as possible while changing the step. For a view that follows its right edge.
    void zoomAboutRightEdge(double factor);
    /// Positive: towards later times.
    void panBy(std::int64_t columns);
    void panTo(TimelineTime from);
    /// Puts `time` into the last column, columns aligned to multiples of the step, so that a view that follows
    /// moves by whole columns and what was drawn stays as it was.
    void setRightEdge(TimelineTime time);
    /// Smallest step that shows [begin, end) whole, with a margin of 1/64 on either side.
    void fit(TimelineTime begin, TimelineTime end);

    TimelineTime lowestFrom() const;   ///< as far left as panning goes
    TimelineTime highestFrom() const;  ///< as far right

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

/// ns in one unit.
TimelineTime nanosecondsIn(TickUnit unit);

struct TickStep {
    TimelineTime ns = 1;
    TickUnit unit = TickUnit::Nanoseconds;
};

/// The smallest of 1, 2, 5, 10 ... of a unit that is at least `ns` long.
TickStep tickStepFor(TimelineTime ns);

/// One tick. Values only: text is made where text is shown.
struct Tick {
    int column = 0;
    TimelineTime sinceOrigin = 0;  ///< ns
    /// ns since the round time that the tick's label may leave out, 0 = the label says all (see ticksOf)
    TimelineTime sinceRound = 0;
};

struct Ticks {
    TickStep step;
    std::vector<Tick> ticks;  ///< left to right
};

/// Ticks of a view at least `columnsApart` columns apart, at round times after `origin` (those before it have negative
/// values). Ticks below a second leave out what they share: sinceRound counts from the full thousand of their unit.
Ticks ticksOf(const TimelineCoordinates &coordinates, TimelineTime origin, int columnsApart);

}  // namespace ct
