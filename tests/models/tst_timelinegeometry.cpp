// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/timelinegeometry.h"

#include "models/timelinebar.h"
#include "tests/models/timelinemarks.h"
#include "tests/support/check.h"

#include <chrono>

using namespace ct;
using namespace ct::test;

CT_CASE(presentStateLastsUntilNow)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase + 10'000);
    trace.resume(id, kBase + 20'000);
    trace.suspend(id, kBase + 40'000, site);
    trace.pass(kBase + 60'000);
    const TimelineCoordinates view = viewOf(1'000);
    CHECK_EQUAL(marksOf(trace, view, id, kBase + 59'500), "Created 10-20, Running 20-40, Suspended 40-60@1");
    CHECK_EQUAL(marksOf(trace, view, id, kBase + 79'500), "Created 10-20, Running 20-40, Suspended 40-80@1");
    trace.resume(id, kBase + 80'000);
    trace.pass(kBase + 80'000);
    CHECK_EQUAL(marksOf(trace, view, id, kBase + 90'000),
                "Created 10-20, Running 20-40, Suspended 40-80@1, Running 80-91");
}

CT_CASE(aWakeEndsTheWaitInItsColumn)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase);
    trace.resume(id, kBase);
    trace.suspend(id, kBase + 10'000, site);
    trace.pass(kBase + 30'000);
    const TimelineCoordinates view = viewOf(1'000);
    TimelineGeometry geometry(trace.population, trace.history);
    const std::vector<CoroutineId> rows{id};
    geometry.update(view, rows, kBase + 49'500, {});
    CHECK_EQUAL(text(geometry.marks(0)), "Running 0-10, Suspended 10-50@1");
    trace.wake(id, kBase + 30'000);
    trace.pass(kBase + 30'000);
    CHECK(geometry.update(view, rows, kBase + 49'500, {}));
    CHECK_EQUAL(text(geometry.marks(0)), "Running 0-10, Suspended 10-30@1, Runnable 30-50@1");
    // A paused view shows a time before the wake.
    CHECK_EQUAL(marksOf(trace, view, id, kBase + 20'500), "Running 0-10, Suspended 10-21@1");
    // After the wake, only the time since then counts.
    const auto after = [](const CoroutineSnapshot &) { return std::uint64_t{25'000}; };
    CHECK_EQUAL(marksOf(trace, view, id, kBase + 49'500, after), "Running 0-10, Suspended 10-30@1, Runnable 30-50@1");
    CHECK_EQUAL(marksOf(trace, view, id, kBase + 59'500, after),
                "Running 0-10, Suspended 10-30@1, Runnable 30-55@1, Stuck 55-60@1");
    // The history has no wakes: once it runs, the whole time was a suspension.
    trace.resume(id, kBase + 60'000);
    trace.pass(kBase + 60'000);
    CHECK_EQUAL(marksOf(trace, view, id, kBase + 69'500), "Running 0-10, Suspended 10-60@1, Running 60-70");
}

CT_CASE(aWakeInTheColumnOfTheSuspensionLeavesThatColumn)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase);
    trace.resume(id, kBase);
    trace.suspend(id, kBase + 10'000, site);
    trace.wake(id, kBase + 10'100);
    trace.pass(kBase + 30'000);
    CHECK_EQUAL(marksOf(trace, viewOf(1'000), id, kBase + 29'500), "Running 0-10, Suspended 10-11@1, Runnable 11-30@1");
}

CT_CASE(theBarOfASuspensionEndsAtItsWake)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase);
    trace.suspend(id, kBase + 10'000, site);
    trace.wake(id, kBase + 30'000);
    trace.pass(kBase + 30'000);
    const auto waited = barAt(trace.population, trace.history, id, kBase + 29'999, kBase + 50'000);
    REQUIRE(waited.has_value());
    CHECK(waited->kind == MarkKind::Suspended && waited->from == kBase + 10'000 && waited->to == kBase + 30'000);
    CHECK(!waited->open && waited->ofPresentState);
    const auto runnable = barAt(trace.population, trace.history, id, kBase + 30'000, kBase + 50'000);
    REQUIRE(runnable.has_value());
    CHECK(runnable->kind == MarkKind::Runnable && runnable->from == kBase + 30'000 && runnable->to == kBase + 50'000);
    CHECK(runnable->open && runnable->ofPresentState && runnable->site == site);
    CHECK_EQUAL(runnable->transitionTs, kBase + 10'000);
}

CT_CASE(noMarksBeforeBirthAfterDeathOrAfterNow)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase + 10'000);
    trace.resume(id, kBase + 10'000);
    trace.suspend(id, kBase + 30'000, site);
    trace.resume(id, kBase + 50'000);
    trace.suspend(id, kBase + 60'000, site, PointKind::Final);
    trace.pass(kBase + 60'000);
    const TimelineCoordinates view = viewOf(1'000);
    CHECK_EQUAL(marksOf(trace, view, id, kBase + 70'999),
                "Running 10-30, Suspended 30-50@1, Running 50-60, Finished 60-71@1");
    trace.destroy(id, kBase + 80'999);
    trace.pass(kBase + 90'000);
    CHECK_EQUAL(marksOf(trace, view, id, kBase + 95'000),
                "Running 10-30, Suspended 30-50@1, Running 50-60, Finished 60-81@1");
    CHECK_EQUAL(marksOf(trace, view, 7, kBase + 95'000), "");
}

CT_CASE(destroyedWhileSuspendedShowsTheSuspension)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase);
    trace.resume(id, kBase);
    trace.suspend(id, kBase + 10'000, site);
    trace.destroy(id, kBase + 40'500);
    const CoroutineId silent = trace.born(kBase);
    trace.destroy(silent, kBase + 20'500);
    trace.pass(kBase + 90'000);
    CHECK_EQUAL(marksOf(trace, viewOf(1'000), id, kBase + 90'000), "Running 0-10, Suspended 10-41@1");
    CHECK_EQUAL(marksOf(trace, viewOf(1'000), silent, kBase + 90'000), "Created 0-21");
}

CT_CASE(manyTransitionsInAColumnBecomeDensity)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase);
    for (std::uint64_t ts = 0; ts < 50'000; ts += 100) {
        trace.resume(id, kBase + ts);
        trace.suspend(id, kBase + ts + 25, site);
    }
    trace.pass(kBase + 50'000);
    CHECK_EQUAL(marksOf(trace, viewOf(1'000), id, kBase + 59'000), "Mixed 0-50%4, Suspended 50-60@1");
}

CT_CASE(theShortestRunStaysVisible)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase);
    trace.suspend(id, kBase, site);
    trace.resume(id, kBase + 50'500'000);
    trace.suspend(id, kBase + 50'500'000, site);  // 0 ns of running
    trace.resume(id, kBase + 70'500'000);
    trace.suspend(id, kBase + 70'500'001, site);
    trace.pass(kBase + 90'000'000);
    CHECK_EQUAL(marksOf(trace, viewOf(1'000'000), id, kBase + 89'999'999),
                "Suspended 0-50@1, Mixed 50-51%1, Suspended 51-70@1, Mixed 70-71%1, Suspended 71-90@1");
}

CT_CASE(stuckBeginsWhenTheUsualTimeIsOver)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase);
    trace.resume(id, kBase);
    trace.suspend(id, kBase + 10'000, site);
    trace.pass(kBase + 10'000);
    const auto after = [](const CoroutineSnapshot &) -> std::uint64_t { return 30'000; };
    CHECK_EQUAL(marksOf(trace, viewOf(1'000), id, kBase + 39'000, after), "Running 0-10, Suspended 10-40@1");
    CHECK_EQUAL(marksOf(trace, viewOf(1'000), id, kBase + 59'000, after),
                "Running 0-10, Suspended 10-40@1, Stuck 40-60@1");
    // At a wide zoom, both are in one column: stuck has priority.
    CHECK_EQUAL(marksOf(trace, viewOf(1'000'000, 0), id, kBase + 59'000, after), "Stuck 1-2@1");
    const auto never = [](const CoroutineSnapshot &) { return kNeverStuck; };
    CHECK_EQUAL(marksOf(trace, viewOf(1'000), id, kBase + 59'000, never), "Running 0-10, Suspended 10-60@1");
}

CT_CASE(unchangedRowsAreReusedAndMovedByFollowing)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase);
    trace.resume(id, kBase);
    trace.suspend(id, kBase + 20'000, site);
    trace.pass(kBase + 30'000);
    TimelineGeometry geometry(trace.population, trace.history);
    const std::vector<CoroutineId> rows{id};
    TimelineCoordinates view = viewOf(1'000);
    CHECK(geometry.update(view, rows, kBase + 30'000, {}));
    CHECK(!geometry.update(view, rows, kBase + 30'400, {}));
    CHECK(geometry.update(view, rows, kBase + 32'000, {}));
    trace.resume(id, kBase + 33'000);
    trace.pass(kBase + 33'000);
    CHECK(geometry.update(view, rows, kBase + 34'000, {}));
    CHECK_EQUAL(text(geometry.marks(0)), "Running 0-20, Suspended 20-33@1, Running 33-35");
    CHECK(geometry.update(view, {}, kBase + 34'000, {}));
    CHECK_EQUAL(geometry.rowCount(), std::size_t{0});
}

CT_CASE(reusedColumnsEqualFreshColumns)
{
    TimelineTrace trace;
    std::vector<SiteId> sites;
    for (std::uint32_t i = 1; i <= 3; ++i)
        sites.push_back(trace.site("f()", "a.cpp", i));
    std::vector<CoroutineId> rows;
    for (int i = 0; i < 5; ++i)
        rows.push_back(trace.born(kBase + static_cast<std::uint64_t>(i) * 777));
    TimelineGeometry kept(trace.population, trace.history);
    std::uint32_t seed = 12345;
    const auto random = [&](std::uint32_t below) { return (seed = seed * 1664525 + 1013904223) / 65536 % below; };
    TimelineCoordinates view = viewOf(997, kBase, 300);
    std::vector<std::uint64_t> clocks(rows.size(), kBase + 5'000);
    std::vector<bool> running(rows.size(), false);
    for (int frame = 0; frame < 300; ++frame) {
        const std::uint64_t now = kBase + 5'000 + static_cast<std::uint64_t>(frame) * 3'000;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            while (clocks[i] + 1'500 < now && random(8) != 0) {
                clocks[i] += 1 + random(1'500);
                running[i] ? trace.suspend(rows[i], clocks[i], sites[random(3)]) : trace.resume(rows[i], clocks[i]);
                running[i] = !running[i];
            }
        }
        trace.pass(now);
        switch (random(6)) {
        case 0: view.panBy(-static_cast<int>(random(200))); break;
        case 1: view.panBy(static_cast<int>(random(200))); break;
        case 2: view.zoomAbout(static_cast<int>(random(300)), random(2) ? 1.3 : 0.8); break;
        default: view.setRightEdge(timelineTime(now)); break;
        }
        kept.update(view, rows, now, {});
        TimelineGeometry fresh(trace.population, trace.history);
        fresh.update(view, rows, now, {});
        for (std::size_t i = 0; i < rows.size(); ++i) {
            CHECK_EQUAL(text(kept.marks(i)), text(fresh.marks(i)));
            int end = -1;
            for (const TimelineMark &mark : kept.marks(i)) {
                CHECK(mark.x0 >= end && mark.x0 < mark.x1 && mark.x1 <= view.columns());
                end = mark.x1;
            }
        }
        if (check::failures > 0)
            return;
    }
}

CT_CASE(withoutTimeTheMarksAreComputedInSteps)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    std::vector<CoroutineId> rows{trace.born(kBase), trace.born(kBase), trace.born(kBase)};
    std::uint64_t ts = kBase;
    for (int i = 0; i < 3000; ++i) {
        ts += 300;
        for (const CoroutineId id : rows)
            i % 2 ? trace.suspend(id, ts, site) : trace.resume(id, ts);
    }
    trace.pass(ts);
    const TimelineCoordinates view = viewOf(1'000, kBase, 900);
    TimelineGeometry hurried(trace.population, trace.history);
    TimelineGeometry calm(trace.population, trace.history);
    CHECK(calm.update(view, rows, ts, {}));
    CHECK(calm.isComplete());
    int updates = 0;
    do
        CHECK(hurried.update(view, rows, ts, {}, std::chrono::nanoseconds(0)));
    while (!hurried.isComplete() && ++updates < 100);
    CHECK(updates > 8 && updates < 20);
    for (std::size_t i = 0; i < rows.size(); ++i)
        CHECK_EQUAL(text(hurried.marks(i)), text(calm.marks(i)));
}

/// Each update has time for one read: the rows are read in turns, and unread parts are marked as pending.
CT_CASE(unreadRowsAreReadFirstInTheNextUpdate)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const std::vector<CoroutineId> rows{trace.born(kBase), trace.born(kBase), trace.born(kBase)};
    TimelineGeometry geometry(trace.population, trace.history);
    std::uint64_t ts = kBase;
    std::vector<int> latest(rows.size(), 0);
    for (int frame = 0; frame < 6; ++frame) {
        for (const CoroutineId id : rows) {
            trace.resume(id, ts + 1'000);
            trace.suspend(id, ts + 2'000, site);
            trace.resume(id, ts + 9'000);
        }
        ts += 10'000;
        trace.pass(ts);
        geometry.update(viewOf(1'000), rows, ts, {}, std::chrono::nanoseconds(0));
        CHECK(!geometry.isComplete());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto &marks = geometry.marks(i);
            const bool pending = std::any_of(marks.begin(), marks.end(),
                                             [](const TimelineMark &mark) { return mark.kind == MarkKind::Pending; });
            if (!pending)
                latest[i] = frame + 1;
        }
    }
    for (const int frame : latest)
        CHECK(frame >= 3);
}

CT_CASE(rowsAreReadAgainWhenTheHistoryCatchesUp)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase);
    trace.resume(id, kBase);
    trace.pass(kBase + 10'000);
    TimelineGeometry geometry(trace.population, trace.history);
    const std::vector<CoroutineId> rows{id};
    geometry.update(viewOf(1'000), rows, kBase + 10'000, {});
    trace.suspend(id, kBase + 20'000, site);
    trace.resume(id, kBase + 40'000);
    trace.suspend(id, kBase + 50'000, site);
    trace.passToPopulationOnly(kBase + 60'000);
    geometry.update(viewOf(1'000), rows, kBase + 60'000, {});
    trace.pass(kBase + 62'000);
    geometry.update(viewOf(1'000), rows, kBase + 62'000, {});
    CHECK_EQUAL(text(geometry.marks(0)), "Running 0-20, Suspended 20-40@1, Running 40-50, Suspended 50-63@1");
}

CT_CASE(anEarlierMomentShowsNoLaterEvents)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase);
    trace.resume(id, kBase);
    trace.suspend(id, kBase + 20'000, site);
    trace.resume(id, kBase + 40'000);
    trace.pass(kBase + 60'000);
    CHECK_EQUAL(marksOf(trace, viewOf(1'000), id, kBase + 29'999), "Running 0-20, Suspended 20-30@1");
}

CT_CASE(evictedHistoryIsMarked)
{
    TimelineTrace trace(16U << 20U);
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase);
    std::uint64_t ts = kBase;
    while (trace.history.evictedBefore() == 0 && ts < kBase + 40'000'000) {
        for (int i = 0; i < 20'000; ++i) {
            trace.resume(id, ts += 10);
            trace.suspend(id, ts += 10, site);
        }
        trace.pass(ts);
    }
    REQUIRE(trace.history.evictedBefore() != 0);
    TimelineCoordinates view;
    view.setColumns(1000);
    view.setLimits(kBase, timelineTime(ts));
    view.fit(kBase, timelineTime(ts));
    TimelineGeometry geometry(trace.population, trace.history);
    const std::vector<CoroutineId> rows{id};
    geometry.update(view, rows, ts, {});
    CHECK(geometry.evictedColumns() > 0);
    REQUIRE(!geometry.marks(0).empty());
    CHECK(geometry.marks(0).front().kind == MarkKind::Evicted);
    CHECK(geometry.marks(0).back().kind != MarkKind::Evicted);
}

CT_CASE(survivesExtremeTimes)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(0);
    trace.resume(id, 1);
    trace.suspend(id, ~std::uint64_t{0} - 5, site);
    const CoroutineId late = trace.born(~std::uint64_t{0});
    trace.pass(~std::uint64_t{0});
    TimelineGeometry geometry(trace.population, trace.history);
    const std::vector<CoroutineId> rows{id, late, kNoCoroutine};
    for (const TimelineTime from : {TimelineTime{0}, TimelineTime{1} << 40, kMaxTimelineTime - 1'000}) {
        TimelineCoordinates view = viewOf(1'000, from);
        geometry.update(view, rows, ~std::uint64_t{0}, {});
        view.setRightEdge(0);
        geometry.update(view, rows, 10, {});
        CHECK(geometry.marks(2).empty());
    }
}

CT_CASE(findsTheBarUnderTheCursor)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase);
    trace.resume(id, kBase + 10'000, 42);
    trace.suspend(id, kBase + 20'000, site);
    trace.lose(id, 3);
    trace.resume(id, kBase + 50'000, 43);
    trace.pass(kBase + 60'000);
    const auto at = [&](std::uint64_t time) {
        return barAt(trace.population, trace.history, id, kBase + time, kBase + 70'000);
    };
    CHECK(!barAt(trace.population, trace.history, id, kBase - 1, kBase + 70'000));
    CHECK(!at(70'001));
    CHECK(!barAt(trace.population, trace.history, 99, kBase, kBase));
    REQUIRE(at(5'000) && at(10'000) && at(19'999) && at(30'000) && at(65'000));
    CHECK(at(5'000)->kind == MarkKind::Created);
    CHECK_EQUAL(at(5'000)->to, kBase + 10'000);
    CHECK(at(10'000)->kind == MarkKind::Running);
    CHECK_EQUAL(at(19'999)->tid, 42U);
    CHECK_EQUAL(at(19'999)->to, kBase + 20'000);
    CHECK(at(30'000)->kind == MarkKind::Gap);
    CHECK_EQUAL(at(30'000)->missing.lost, std::uint64_t{3});
    CHECK(at(65'000)->kind == MarkKind::Running);
    CHECK(at(65'000)->open);
    CHECK_EQUAL(at(65'000)->tid, 43U);
    CHECK_EQUAL(at(65'000)->to, kBase + 70'000);
}
