// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/pausedintervals.h"

#include "tests/models/timelineviews.h"
#include "tests/support/check.h"

using namespace ct;
using test::viewOf;

namespace {

constexpr std::uint64_t kLasting = PausedInterval::kLasting;

}  // namespace

CT_CASE(switchesBecomeIntervalsOfEachProcess)
{
    CHECK(offIntervals({}).empty());
    const std::vector<Switch> switches = {{2, 500, false}, {1, 100, false}, {1, 200, true}, {2, 600, false},
                                          {2, 700, true},  {1, 50, true},   {1, 300, false}};
    const std::vector<PausedInterval> expected = {{1, 100, 200}, {1, 300, kLasting}, {2, 500, 700}};
    CHECK(offIntervals(switches) == expected);
}

CT_CASE(stopsBecomeIntervalsOfEachProcess)
{
    const auto sample = [](std::uint32_t pid, std::uint64_t ts, std::uint64_t stoppedSince) {
        ProcessSample row;
        row.pid = pid;
        row.ts = ts;
        row.threads = 1;
        row.stoppedSince = stoppedSince;
        return row;
    };
    SampleLog log;
    CHECK(stoppedIntervals(log).empty());
    Notes notes;
    notes.processSamples = {sample(7, 100, 0), sample(7, 200, 150), sample(7, 300, 0), sample(7, 400, 350)};
    log.consume(notes);
    const std::vector<PausedInterval> alone = {{0, 150, 300}, {0, 350, kLasting}, {7, 150, 300}, {7, 350, kLasting}};
    CHECK(stoppedIntervals(log) == alone);
    // With two processes, a coroutine without a pid may be of any.
    notes.processSamples = {sample(5, 450, 420)};
    log.consume(notes);
    const std::vector<PausedInterval> both = {{5, 420, kLasting}, {7, 150, 300}, {7, 350, kLasting}};
    CHECK(stoppedIntervals(log) == both);
}

CT_CASE(findsWhetherTracingIsOffAtAMoment)
{
    const std::vector<PausedInterval> intervals = {{1, 100, 200}, {1, 300, kLasting}, {3, 500, 700}};
    CHECK(!isPausedAt(intervals, 1, 99));
    CHECK(isPausedAt(intervals, 1, 100));
    CHECK(isPausedAt(intervals, 1, 199));
    CHECK(!isPausedAt(intervals, 1, 200));
    CHECK(isPausedAt(intervals, 1, 1'000'000));
    CHECK(!isPausedAt(intervals, 2, 600));
    CHECK(isPausedAt(intervals, 3, 600));
    CHECK(!isPausedAt({}, 1, 1));
}

CT_CASE(findsTheLongestRangeOutside)
{
    using Range = std::pair<int, int>;
    const std::vector<Range> ranges = {{0, 10}, {30, 40}, {45, 50}};
    CHECK(longestOutside({}, {3, 8}) == Range(3, 8));
    CHECK(longestOutside(ranges, {5, 60}) == Range(10, 30));
    CHECK(longestOutside(ranges, {35, 70}) == Range(50, 70));
    CHECK(longestOutside(ranges, {20, 32}) == Range(20, 30));
    CHECK(longestOutside(ranges, {60, 70}) == Range(60, 70));
    const Range none = longestOutside(ranges, {31, 39});
    CHECK_EQUAL(none.first, none.second);
}

CT_CASE(columnsNeverOverlap)
{
    const TimelineCoordinates view = viewOf(1000, 10, 100);  // 1000 .. 2000
    const std::vector<PausedInterval> intervals = {{1, 0, 1015}, {1, 1500, 1501}, {1, 1503, 1505}, {1, 1900, kLasting}};
    const auto columns = pausedColumns(intervals, 1, view, 1950);
    CHECK_EQUAL(columns.size(), 3U);
    CHECK_EQUAL(columns[0].first, 0);
    CHECK_EQUAL(columns[0].second, 2);
    CHECK_EQUAL(columns[1].first, 50);
    CHECK_EQUAL(columns[1].second, 51);
    CHECK_EQUAL(columns[2].first, 90);
    CHECK_EQUAL(columns[2].second, 96);  // up to now, not beyond
    CHECK(pausedColumns(intervals, 2, view, 1950).empty());
    CHECK_EQUAL(pausedColumns(intervals, 1, viewOf(3000, 10, 100), 1950).size(), 0U);
}
