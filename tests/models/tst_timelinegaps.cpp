// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Times without captured events in the timeline: gaps of lost events, and the time after the end of a process.
#include "models/timelinebar.h"
#include "tests/models/timelinemarks.h"
#include "tests/support/check.h"

using namespace ct;
using namespace ct::test;

CT_CASE(aGapReachesBackToTheLastCapturedEvent)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase);
    trace.resume(id, kBase);
    trace.suspend(id, kBase + 20'000, site);
    trace.lose(id, 5);
    trace.suspend(id, kBase + 50'000, site);
    trace.pass(kBase + 60'000);
    CHECK_EQUAL(marksOf(trace, viewOf(1'000), id, kBase + 69'000), "Running 0-20, Gap 20-50, Suspended 50-70@1");
}

CT_CASE(lostLatestTransitionsAreUnknown)
{
    TimelineTrace trace;
    const CoroutineId id = trace.born(kBase);
    trace.resume(id, kBase);
    trace.pass(kBase + 10'000);
    trace.lose(id, 3);
    trace.pass(kBase + 20'000);
    REQUIRE(trace.population.at(id).state == CoroutineState::Unknown);
    CHECK(marksOf(trace, viewOf(1'000), id, kBase + 59'000).find("Unknown 2") != std::string::npos);
}

/// A short gap must be visible, but its column must not look completely lost.
CT_CASE(aShortGapLeavesTheRestOfItsColumnVisible)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId id = trace.born(kBase);
    const auto turns = [&](std::uint64_t from, std::uint64_t to) {
        for (std::uint64_t ts = from; ts < to; ts += 100'000) {
            trace.resume(id, kBase + ts);
            trace.suspend(id, kBase + ts + 50'000, site);
        }
    };
    turns(0, 10'300'000);
    trace.lose(id, 2);  // one turn of 100 us
    turns(10'400'000, 20'200'000);
    trace.lose(id, 10);  // half of column 20
    turns(20'700'000, 30'000'000);
    trace.resume(id, kBase + 30'000'000);
    trace.suspend(id, kBase + 30'100'000, site);
    trace.lose(id, 2);  // a gap without duration
    trace.resume(id, kBase + 30'100'000);
    trace.suspend(id, kBase + 30'200'000, site);
    trace.pass(kBase + 40'000'000);
    CHECK_EQUAL(marksOf(trace, viewOf(1'000'000), id, kBase + 39'999'999),
                "Mixed 0-10%8, Mixed 10-11%8!, Mixed 11-20%8, Gap 20-21, Mixed 21-30%8, Mixed 30-31%3!, "
                "Suspended 31-40@1");
    // At a closer zoom, the gap reaches from event to event.
    CHECK_EQUAL(marksOf(trace, viewOf(10'000, kBase + 10'200'000, 40), id, kBase + 39'999'999),
                "Running 0-5, Gap 5-20, Running 20-25, Suspended 25-30@1, Running 30-35, Suspended 35-40@1");
}

/// The time before the birth and after the present is not part of a gap.
CT_CASE(gapLengthIsRelativeToTheLifetimeInAColumn)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId early = trace.born(kBase + 900'000);
    const CoroutineId late = trace.born(kBase + 900'000);
    for (const CoroutineId id : {early, late})
        trace.resume(id, kBase + 900'000);
    trace.lose(early, 2);
    trace.suspend(early, kBase + 910'000, site);
    trace.lose(late, 2);
    trace.suspend(late, kBase + 950'000, site);
    trace.pass(kBase + 3'000'000);
    CHECK_EQUAL(marksOf(trace, viewOf(1'000'000), early, kBase + 2'500'000), "Mixed 0-1%1!, Suspended 1-3@1");
    CHECK_EQUAL(marksOf(trace, viewOf(1'000'000), late, kBase + 2'500'000), "Gap 0-1, Suspended 1-3@1");
}

/// The capture and other processes continue.
CT_CASE(noMarksAfterTheEndOfTheProcess)
{
    TimelineTrace trace;
    const SiteId site = trace.site("f()", "a.cpp", 1);
    const CoroutineId suspended = trace.born(kBase);
    trace.suspend(suspended, kBase + 10'000, site);
    const CoroutineId running = trace.born(kBase);
    trace.resume(running, kBase + 20'000);
    const CoroutineId late = trace.born(kBase);
    trace.resume(late, kBase + 35'000);
    trace.pass(kBase + 60'000);
    const TimelineCoordinates view = viewOf(1'000);
    const StuckThreshold stuckAfter = [](const CoroutineSnapshot &) { return std::uint64_t{15'000}; };
    CHECK_EQUAL(marksOf(trace, view, suspended, kBase + 59'999), "Created 0-10, Suspended 10-60@1");
    trace.processEnds(kBase + 30'500);
    trace.pass(kBase + 90'000);
    CHECK_EQUAL(marksOf(trace, view, suspended, kBase + 90'000), "Created 0-10, Suspended 10-31@1");
    CHECK_EQUAL(marksOf(trace, view, suspended, kBase + 90'000, stuckAfter),
                "Created 0-10, Suspended 10-25@1, Stuck 25-31@1");
    CHECK_EQUAL(marksOf(trace, view, running, kBase + 90'000), "Created 0-20, Running 20-31");
    // The latest event is later than the reported end of the process.
    CHECK_EQUAL(marksOf(trace, view, late, kBase + 90'000), "Created 0-35, Running 35-36");
    CHECK_EQUAL(marksOf(trace, view, suspended, kBase + 20'000), "Created 0-10, Suspended 10-21@1");

    const ProcessLives lives(trace.population);
    const auto at = [&](std::uint64_t time) {
        return barAt(trace.population, trace.history, suspended, kBase + time, kBase + 90'000, lives);
    };
    REQUIRE(at(30'000).has_value());
    CHECK_EQUAL(at(30'000)->to, kBase + 30'500);
    CHECK(at(30'000)->cut && !at(30'000)->open);
    CHECK(!at(30'501));
    // Rows of an ended process do not change any more.
    TimelineGeometry geometry(trace.population, trace.history);
    const std::vector<CoroutineId> rows{suspended, running};
    geometry.update(view, rows, kBase + 90'000, {});
    CHECK(!geometry.update(view, rows, kBase + 99'000, {}));
}
