// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A flight recorder has no engine that publishes clock readings. Its processes do so.
#include "tests/probe/lanetest.h"

namespace {

using namespace probetest;

/// Checks the readings in the region after an event for which a pair was due.
void inARegion(std::uint32_t mode, bool expected)
{
    const lanetest::Region region(lanetest::Options{.mode = mode});
    inChild([&] {
        corotracer::InitTracer();
        const std::uint64_t before = corotracer::detail::monotonic_ns();
        corotracer::detail::state_v2.pair_due.store(0);
        lanetest::Traced promise;
        lanetest::events(promise, 3);
        corotracer::detail::clock_moment moment;
        CHECK_EQUAL(corotracer::detail::read_published(region.extension(), moment), expected);
        if (!expected)
            return;
        const std::uint64_t seq = region.extension().pair_seq.load();
        CHECK(seq != 0 && seq % 2 == 0);  // 2, or more if the thread does not run for long
        CHECK(moment.monotonic_ns >= before && moment.monotonic_ns <= corotracer::detail::monotonic_ns());
        CHECK(moment.realtime_ns <= corotracer::detail::realtime_ns());
        CHECK(moment.realtime_ns > corotracer::detail::realtime_ns() - 60'000'000'000U);
        CHECK_EQUAL(moment.counter != 0, corotracer::detail::state_v2.raw_clock.load() == corotracer::kClockCounter);
        // A writer that was killed in the middle does not stop the process.
        region.extension().pair_seq.store(5);
        corotracer::detail::state_v2.pair_due.store(0);
        lanetest::events(promise, 2000);
        CHECK_EQUAL(region.extension().pair_seq.load(), 5U);
        CHECK_EQUAL(region.process(0).late_seq.load() % 2, 0U);
    });
}

CT_CASE(theProbePublishesClockReadingsInOverwriteMode)
{
    inARegion(corotracer::kLanesOverwrite, true);
}

CT_CASE(theProbePublishesNoClockReadingsInDiscardMode)
{
    inARegion(corotracer::kLanesDiscard, false);
}

}  // namespace
