// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/timelinecoordinates.h"

#include "tests/models/timelineviews.h"
#include "tests/support/check.h"

#include <cstdint>
#include <limits>
#include <random>

using namespace ct;
using test::viewOf;

namespace {

constexpr TimelineTime kSecond = 1'000'000'000;
constexpr TimelineTime kDay = 86'400 * kSecond;

}  // namespace

CT_CASE(everyColumnContainsItsOwnTimes)
{
    for (const TimelineTime step : {1LL, 2LL, 3LL, 7LL, 1'000LL, 999'983LL, 3'600'000'000'000LL}) {
        const TimelineCoordinates view = viewOf(5 * kDay + 13, step, 1500);
        CHECK_EQUAL(view.step(), step);
        for (const int column : {0, 1, 2, 749, 1498, 1499}) {
            CHECK_EQUAL(view.columnOf(view.timeAt(column)), column);
            CHECK_EQUAL(view.columnOf(view.timeAt(column) + view.step() - 1), column);
            CHECK_EQUAL(view.columnOf(view.timeAt(column) - 1), column - 1);
        }
        CHECK_EQUAL(view.to() - view.from(), view.step() * 1500);
        CHECK_EQUAL(view.columnOf(view.to()), 1500);
    }
}

CT_CASE(columnsGrowWithTime)
{
    const TimelineCoordinates view = viewOf(kSecond, 977, 640);
    std::mt19937_64 random(1);
    for (int i = 0; i < 10'000; ++i) {
        const auto a = timelineTime(random() >> (random() % 60));
        const auto b = timelineTime(random() >> (random() % 60));
        CHECK(a <= b ? view.columnOf(a) <= view.columnOf(b) : view.columnOf(a) >= view.columnOf(b));
        CHECK(view.clampedColumnOf(a) >= -1 && view.clampedColumnOf(a) <= 640);
    }
}

CT_CASE(zoomingKeepsTheAnchorExactly)
{
    TimelineCoordinates view;
    view.setLimits(100 * kSecond, 100 * kSecond + kDay);
    view.setColumns(1500);
    view.fit(100 * kSecond + kDay / 3, 100 * kSecond + kDay / 2);
    const int anchor = 613;
    const TimelineTime time = view.timeAt(anchor);
    for (int i = 0; i < 200; ++i) {
        view.zoomAbout(anchor, 0.8);
        CHECK_EQUAL(view.timeAt(anchor), time);
    }
    CHECK_EQUAL(view.step(), 1);
    for (int i = 0; i < 60; ++i) {
        view.zoomAbout(anchor, 1.25);
        CHECK_EQUAL(view.timeAt(anchor), time);
    }
    CHECK(view.step() > 1'000);
    view.zoomAbout(anchor, std::numeric_limits<double>::quiet_NaN());
    view.zoomAbout(anchor, -1);
    CHECK_EQUAL(view.timeAt(anchor), time);
}

CT_CASE(zoomNeverSticksAtSmallSteps)
{
    TimelineCoordinates view;
    view.setLimits(0, kDay);
    view.setColumns(100);
    view.fit(kSecond, kSecond + 90);
    CHECK_EQUAL(view.step(), 1);
    for (TimelineTime step = 2; step < 5; ++step) {
        view.zoomAbout(50, 1.05);
        CHECK_EQUAL(view.step(), step);
    }
    view.zoomAbout(50, 0.99);
    CHECK_EQUAL(view.step(), 3);
}

CT_CASE(zoomingOutEndsAtTheWholeTrace)
{
    TimelineCoordinates view;
    view.setLimits(10 * kSecond, 10 * kSecond + kDay);
    view.setColumns(1000);
    for (int i = 0; i < 200; ++i)
        view.zoomAbout(i % 1000, 1.5);
    CHECK(view.span() >= kDay && view.span() <= kDay + kDay / 4);
    CHECK(view.from() <= 10 * kSecond && view.to() >= 10 * kSecond + kDay - view.span() / 8);
}

CT_CASE(panningStopsAtTheLimitsAndKeepsThePhase)
{
    TimelineCoordinates view;
    view.setLimits(kSecond, 5 * kSecond);
    view.setColumns(800);
    view.fit(2 * kSecond, 3 * kSecond);
    const TimelineTime phase = view.from() % view.step();
    view.panBy(7);
    view.panBy(-7);
    view.panBy(std::numeric_limits<std::int64_t>::min() / 2);
    CHECK(view.from() >= view.lowestFrom() && view.from() < view.lowestFrom() + view.step());
    CHECK_EQUAL(view.from() % view.step(), phase);
    view.panBy(std::numeric_limits<std::int64_t>::max() / 2);
    CHECK(view.from() <= view.highestFrom() && view.from() > view.highestFrom() - view.step());
    CHECK_EQUAL(view.from() % view.step(), phase);
    CHECK(view.columnOf(5 * kSecond) < 800);
    view.panTo(3 * kSecond);
    CHECK(view.from() <= 3 * kSecond && view.from() > 3 * kSecond - view.step());
}

CT_CASE(aViewOutsideTheLimitsMovesOnlyTowardsThem)
{
    TimelineCoordinates view;
    view.setColumns(100);
    view.setLimits(1000 * kSecond, 2000 * kSecond);
    view.setRightEdge(5000 * kSecond);
    const TimelineTime from = view.from();
    view.panBy(1);
    CHECK_EQUAL(view.from(), from);
    view.panBy(-10);
    CHECK_EQUAL(view.from(), from - 10 * view.step());
}

CT_CASE(followingMovesByWholeAlignedColumns)
{
    TimelineCoordinates view;
    view.setColumns(640);
    view.setLimits(0, kDay);
    view.fit(3 * kSecond, 4 * kSecond);
    std::mt19937_64 random(2);
    TimelineTime now = 4 * kSecond;
    for (int i = 0; i < 1000; ++i) {
        now += static_cast<TimelineTime>(random() % 40'000'000);
        view.setRightEdge(now);
        CHECK_EQUAL(view.columnOf(now), 639);
        CHECK_EQUAL(view.from() % view.step(), 0);
    }
    const TimelineTime step = view.step();
    view.zoomAboutRightEdge(2);
    CHECK_EQUAL(view.step(), 2 * step);
    CHECK_EQUAL(view.columnOf(now), 639);
}

CT_CASE(fitShowsTheWholeRange)
{
    std::mt19937_64 random(3);
    for (int i = 0; i < 2000; ++i) {
        TimelineCoordinates view;
        view.setColumns(1 + static_cast<int>(random() % 4000));
        const auto begin = timelineTime(random() >> (3 + random() % 60));
        const auto end = std::min(kMaxTimelineTime, begin + timelineTime(random() >> (3 + random() % 60)) + 1);
        view.setLimits(begin, end);
        view.fit(begin, end);
        CHECK(view.from() <= begin);
        CHECK(view.to() >= end || view.span() > kMaxTimelineTime - view.columns());
        CHECK(view.from() >= view.lowestFrom() || view.step() == 1);
    }
}

CT_CASE(extremesDoNotOverflow)
{
    TimelineCoordinates view;
    view.setColumns(std::numeric_limits<int>::max());
    CHECK_EQUAL(view.columns(), TimelineCoordinates::kMaxColumns);
    view.setLimits(0, timelineTime(std::numeric_limits<std::uint64_t>::max()));
    view.fit(0, timelineTime(std::numeric_limits<std::uint64_t>::max()));
    for (int i = 0; i < 300; ++i)
        view.zoomAbout(i * 1000, 1e300);
    CHECK(view.span() > 0 && view.span() <= kMaxTimelineTime);
    view.panBy(std::numeric_limits<std::int64_t>::max() / 4);
    view.panBy(std::numeric_limits<std::int64_t>::min() / 4);
    CHECK(view.from() < view.to());
    CHECK(view.columnOf(std::numeric_limits<TimelineTime>::max()) >= 0);
    CHECK_EQUAL(view.clampedColumnOf(std::numeric_limits<TimelineTime>::min()), -1);
    CHECK(ticksOf(view, std::numeric_limits<TimelineTime>::max(), 100).ticks.size() < 4000);
    CHECK(ticksOf(view, std::numeric_limits<TimelineTime>::min(), 1 << 20).ticks.size() < 4000);
    view.setColumns(-5);
    CHECK_EQUAL(view.columns(), 1);
    view.fit(kSecond, 0);
    CHECK(view.step() >= 1);
}

CT_CASE(tickStepsAreOneTwoFiveOfAUnit)
{
    const auto is = [](TimelineTime ns, TimelineTime step, TickUnit unit) {
        const TickStep found = tickStepFor(ns);
        CHECK_EQUAL(found.ns, step);
        CHECK(found.unit == unit);
    };
    is(0, 1, TickUnit::Nanoseconds);
    is(3, 5, TickUnit::Nanoseconds);
    is(500, 500, TickUnit::Nanoseconds);
    is(501, 1'000, TickUnit::Microseconds);
    is(20'001, 50'000, TickUnit::Microseconds);
    is(600'000, 1'000'000, TickUnit::Milliseconds);
    is(200'000'001, 500'000'000, TickUnit::Milliseconds);
    is(11 * kSecond, 20 * kSecond, TickUnit::Seconds);
    is(21 * kSecond, 60 * kSecond, TickUnit::Minutes);
    is(61 * kSecond, 120 * kSecond, TickUnit::Minutes);
    is(11 * 60 * kSecond, 20 * 60 * kSecond, TickUnit::Minutes);
    TimelineTime previous = 0;
    for (TimelineTime ns = 1; ns < kMaxTimelineTime / 3; ns = ns * 3 / 2 + 1) {
        const TickStep step = tickStepFor(ns);
        CHECK(step.ns >= ns || ns > kMaxTimelineTime / 8);
        CHECK(step.ns >= previous);
        CHECK_EQUAL(step.ns % nanosecondsIn(step.unit), 0);
        previous = step.ns;
    }
    CHECK(tickStepFor(std::numeric_limits<TimelineTime>::max()).ns > 0);
}

CT_CASE(ticksLieAtRoundTimesInsideTheView)
{
    TimelineCoordinates view;
    view.setColumns(1500);
    const TimelineTime origin = 777 * kSecond + 123;
    view.setLimits(origin, origin + kDay);
    view.fit(origin + 12'345'678'000, origin + 12'345'978'000);
    const Ticks ticks = ticksOf(view, origin, 100);
    CHECK(ticks.ticks.size() >= 5 && ticks.ticks.size() <= 15);
    int previous = -100;
    for (const Tick &tick : ticks.ticks) {
        CHECK(tick.column >= 0 && tick.column < 1500);
        CHECK(tick.column - previous >= 99);
        previous = tick.column;
        CHECK_EQUAL(tick.sinceOrigin % ticks.step.ns, 0);
        CHECK_EQUAL(view.columnOf(origin + tick.sinceOrigin), tick.column);
        CHECK_EQUAL(tick.sinceRound, tick.sinceOrigin % 1'000'000);
    }
    CHECK(ticks.step.unit == TickUnit::Microseconds);
}

CT_CASE(ticksBeforeTheOriginCountDown)
{
    TimelineCoordinates view;
    view.setColumns(1000);
    view.setLimits(0, 10 * kSecond);
    view.setRightEdge(kSecond);
    view.zoomAboutRightEdge(10'000);
    const Ticks ticks = ticksOf(view, kSecond / 2, 100);
    REQUIRE(!ticks.ticks.empty());
    CHECK(ticks.ticks.front().sinceOrigin < 0);
    for (const Tick &tick : ticks.ticks)
        CHECK(tick.sinceRound >= 0);
}
