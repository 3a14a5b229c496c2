// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/timelinecoordinates.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ct {

namespace {

TimelineTime floorDivide(TimelineTime dividend, TimelineTime divisor)
{
    const TimelineTime quotient = dividend / divisor;
    return dividend % divisor < 0 ? quotient - 1 : quotient;
}

TimelineTime ceilDivide(TimelineTime dividend, TimelineTime divisor)
{
    return -floorDivide(-dividend, divisor);
}

TimelineTime clampTime(TimelineTime time)
{
    return std::clamp(time, -kMaxTimelineTime, kMaxTimelineTime);
}

}  // namespace

std::int64_t TimelineCoordinates::columnOf(TimelineTime time) const
{
    return floorDivide(clampTime(time) - m_from, m_step);
}

int TimelineCoordinates::clampedColumnOf(TimelineTime time) const
{
    return static_cast<int>(std::clamp<std::int64_t>(columnOf(time), -1, m_columns));
}

void TimelineCoordinates::setLimits(TimelineTime begin, TimelineTime end)
{
    m_begin = clampTime(begin);
    m_end = std::max(m_begin, clampTime(end));
}

void TimelineCoordinates::setColumns(int columns)
{
    m_columns = std::clamp(columns, 1, kMaxColumns);
    m_step = std::min(m_step, kMaxTimelineTime / m_columns);
}

TimelineTime TimelineCoordinates::largestStep() const
{
    const TimelineTime length = m_end - m_begin;
    const TimelineTime widest = std::max(kShortestWidestSpan, length + length / 8);
    return std::clamp<TimelineTime>(ceilDivide(widest, m_columns), 1, kMaxTimelineTime / m_columns);
}

TimelineTime TimelineCoordinates::scaledStep(double factor) const
{
    if (!(factor > 0) || factor == 1)
        return m_step;
    const double wanted = std::clamp(static_cast<double>(m_step) * factor, 1.0, static_cast<double>(kMaxTimelineTime));
    TimelineTime step = std::llround(wanted);
    if (step == m_step)  // rounding must not keep a small step unchanged
        step += factor > 1 ? 1 : -1;
    return std::clamp<TimelineTime>(step, 1, std::max(m_step, largestStep()));
}

void TimelineCoordinates::zoomAbout(int column, double factor)
{
    column = std::clamp(column, 0, m_columns);
    const TimelineTime anchor = timeAt(column);
    m_step = scaledStep(factor);
    m_from = anchor - m_step * column;
    clampFrom();
}

void TimelineCoordinates::zoomAboutRightEdge(double factor)
{
    const TimelineTime last = to() - 1;
    m_step = scaledStep(factor);
    setRightEdge(last);
}

void TimelineCoordinates::panBy(std::int64_t columns)
{
    // Move by whole columns, even at a limit, so that column edges stay aligned.
    const TimelineTime lowest = ceilDivide(std::min(lowestFrom(), m_from) - m_from, m_step);
    const TimelineTime highest = floorDivide(std::max(highestFrom(), m_from) - m_from, m_step);
    m_from += std::clamp<TimelineTime>(columns, lowest, highest) * m_step;
}

void TimelineCoordinates::panTo(TimelineTime from)
{
    panBy(floorDivide(clampTime(from) - m_from, m_step));
}

void TimelineCoordinates::setRightEdge(TimelineTime time)
{
    m_from = (floorDivide(clampTime(time), m_step) + 1 - m_columns) * m_step;
}

void TimelineCoordinates::fit(TimelineTime begin, TimelineTime end)
{
    begin = clampTime(begin);
    end = std::max(begin + 1, clampTime(end));
    const TimelineTime margin = (end - begin) / 64;
    const TimelineTime length = end - begin + 2 * margin;
    m_step = std::clamp<TimelineTime>(ceilDivide(length, m_columns), 1, kMaxTimelineTime / m_columns);
    m_from = begin - margin - (span() - length) / 2;
}

TimelineTime TimelineCoordinates::lowestFrom() const
{
    return std::min(m_begin - span() / 16, m_end - span());
}

TimelineTime TimelineCoordinates::highestFrom() const
{
    return std::max(m_end + span() / 16 - span(), lowestFrom());
}

void TimelineCoordinates::clampFrom()
{
    m_from = std::clamp(m_from, lowestFrom(), highestFrom());
}

TimelineTime nanosecondsIn(TickUnit unit)
{
    switch (unit) {
    case TickUnit::Nanoseconds: return 1;
    case TickUnit::Microseconds: return 1'000;
    case TickUnit::Milliseconds: return 1'000'000;
    case TickUnit::Seconds: return 1'000'000'000;
    case TickUnit::Minutes: return 60'000'000'000;
    }
    return 1;
}

TickStep tickStepFor(TimelineTime ns)
{
    static constexpr std::array kUnits{TickUnit::Nanoseconds, TickUnit::Microseconds, TickUnit::Milliseconds,
                                       TickUnit::Seconds, TickUnit::Minutes};
    TickStep step;
    for (std::size_t i = 0; i < kUnits.size(); ++i) {
        const TimelineTime unit = nanosecondsIn(kUnits[i]);
        const TimelineTime next = i + 1 < kUnits.size() ? nanosecondsIn(kUnits[i + 1]) : kMaxTimelineTime;
        for (TimelineTime decade = unit; decade < next; decade *= 10) {
            for (const int mantissa : {1, 2, 5}) {
                // 50 s does not divide a minute.
                if (decade > next / mantissa || (kUnits[i] == TickUnit::Seconds && mantissa * decade > next / 2))
                    continue;
                step = {mantissa * decade, kUnits[i]};
                if (step.ns >= ns)
                    return step;
            }
            if (decade > kMaxTimelineTime / 10)
                break;
        }
    }
    return step;
}

Ticks ticksOf(const TimelineCoordinates &coordinates, TimelineTime origin, int columnsApart)
{
    origin = clampTime(origin);
    const TimelineTime apart = std::clamp(columnsApart, 1, TimelineCoordinates::kMaxColumns);
    const TimelineTime wanted =
        coordinates.step() > kMaxTimelineTime / apart ? kMaxTimelineTime : coordinates.step() * apart;
    Ticks result{tickStepFor(wanted), {}};
    const TimelineTime round = result.step.unit < TickUnit::Seconds ? 1000 * nanosecondsIn(result.step.unit) : 0;
    TimelineTime since = ceilDivide(coordinates.from() - origin, result.step.ns) * result.step.ns;
    const TimelineTime end = coordinates.to() - origin;
    while (since < end) {
        Tick tick;
        tick.column = static_cast<int>(coordinates.columnOf(origin + since));
        tick.sinceOrigin = since;
        tick.sinceRound = round == 0 ? 0 : since - floorDivide(since, round) * round;
        result.ticks.push_back(tick);
        since += result.step.ns;
    }
    return result;
}

}  // namespace ct
