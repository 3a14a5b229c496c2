// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Conversion of raw clocks to nanoseconds: monotone, accurate, and equal for all processes that share the counter.
#include "core/harvest/laneclock.h"
#include "corotracer/layout.h"
#include "tests/support/check.h"

#include <cstdlib>
#include <random>

using ct::ClockPiece;
using ct::ClockStretch;
using ct::LaneClock;
using ct::ProcessClock;
using ct::ProcessPairs;

namespace {

constexpr std::uint64_t kTwoGhz = std::uint64_t{1} << 31;  ///< ns per tick, 32 bits after the point: 0.5

std::uint64_t distance(std::uint64_t a, std::uint64_t b)
{
    return a > b ? a - b : b - a;
}

/// Returns a curve that starts at counter 10^9 with the right slope.
LaneClock started()
{
    LaneClock clock;
    clock.start({0, 0, 0}, {1'000'000'000, 500'000'000, 10}, kTwoGhz);
    return clock;
}

}  // namespace

CT_CASE(theDefaultPieceIsTheIdentity)
{
    const ClockPiece piece;
    for (const std::uint64_t raw : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 62}) {
        CHECK(piece.covers(raw));
        CHECK_EQUAL(piece.ns(raw), raw);
    }
    CHECK_EQUAL(ProcessClock().ns(12345), 12345u);
    LaneClock none;
    CHECK_EQUAL(ProcessClock::choose({}, none, true).ns(77), 77u);
}

CT_CASE(aFarPairGivesTheSlopeUnlessItContradicts)
{
    LaneClock precise;
    precise.start({0, 0, 0}, {2'000'000'000, 1'000'000'000, 10}, kTwoGhz + kTwoGhz / 4000);
    CHECK_EQUAL(precise.pieceFor(0).ns(4'000'000'000), 2'000'000'000u);
    LaneClock other;
    other.start({0, 0, 0}, {2'000'000'000, 500'000'000, 10}, kTwoGhz);  // the machine slept
    CHECK_EQUAL(other.pieceFor(0).ns(4'000'000'000), 1'500'000'000u);
}

/// The true clock drifts within the limits of NTP. Conversions stay close and in order, and never change later.
CT_CASE(theCurveIsMonotoneAndNeverChanges)
{
    std::mt19937_64 random(3);
    LaneClock clock = started();
    std::uint64_t counter = 1'000'000'000, lastRaw = 0, lastNs = 0;
    double ns = 500'000'000;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> conversions;
    for (int step = 0; step < 3000; ++step) {
        const double slope = 0.5 * (1 + 0.0005 * ((step / 500) % 2 ? 1 : -1));
        // At first, checks come after 1, 2, 4 ... ms.
        const std::uint64_t ticks = step < 7 ? std::uint64_t{2'000'000} << step : 20'000'000 + random() % 200'000'000;
        for (int i = 0; i < 4; ++i) {
            const std::uint64_t raw = counter + ticks / 4 * static_cast<std::uint64_t>(i) + 1;
            const std::uint64_t converted = clock.pieceFor(raw).ns(raw);
            CHECK(raw > lastRaw && converted >= lastNs);
            lastRaw = raw;
            lastNs = converted;
            if (conversions.size() < 300)
                conversions.emplace_back(raw, converted);
            CHECK(distance(converted, static_cast<std::uint64_t>(ns + slope * static_cast<double>(raw - counter))) <
                  1'000'000);
        }
        counter += ticks;
        ns += slope * static_cast<double>(ticks);
        clock.advance({counter, static_cast<std::uint64_t>(ns), 10}, counter + 100);
        if (step < 800) {
            for (const auto &[raw, converted] : conversions)
                CHECK_EQUAL(clock.pieceFor(raw).ns(raw), converted);
        }
    }
}

CT_CASE(aContradictingProcessUsesItsOwnPairs)
{
    LaneClock clock = started();
    ProcessPairs agreeing{1, 1'200'000'000, 600'000'100, kTwoGhz, 0, 0};
    // startHere() does nothing on a curve that has started.
    CHECK_EQUAL(ProcessClock::choose(agreeing, clock, true).ns(1'400'000'000), 700'000'000u);
    ProcessPairs other{1, 1'200'000'000, 900'000'000, kTwoGhz, 0, 0};
    CHECK_EQUAL(ProcessClock::choose(other, clock, true).ns(1'400'000'000), 1'000'000'000u);
    // Post-mortem: the process uses its own pairs, with the slope between them.
    ProcessPairs late{1, 1'000'000, 5'000'000, kTwoGhz + 1'000'000, 201'000'000, 105'000'000};
    CHECK_EQUAL(ProcessClock::choose(late, clock, false).ns(101'000'000), 55'000'000u);
}

/// The counter jumps forward or back. From the next check on the curve is right again, and reports the jump.
CT_CASE(aJumpRestartsTheCurve)
{
    for (const std::int64_t jump : {std::int64_t{20'000'000'000}, std::int64_t{-900'000'000}}) {
        LaneClock clock = started();
        std::uint64_t counter = 1'000'000'000, ns = 500'000'000;
        const auto pass = [&](std::uint64_t ticks) {
            counter += ticks;
            ns += ticks / 2;
            clock.advance({counter, ns, 10}, counter + 100);
        };
        for (int i = 0; i < 10; ++i)
            pass(20'000'000);
        CHECK(!clock.hasJumped());
        const std::uint64_t before = counter, beforeNs = ns;
        counter += static_cast<std::uint64_t>(jump);
        pass(20'000'000);
        CHECK(clock.hasJumped() && !clock.hasEnded());
        for (int i = 0; i < 20; ++i) {
            CHECK(distance(clock.pieceFor(counter + 500).ns(counter + 500), ns + 250) < 10'000);
            pass(20'000'000);
        }
        // A record from before a forward jump keeps its time, even if it is read now.
        if (jump > 0)
            CHECK(distance(clock.pieceFor(before).ns(before), beforeNs) < 10'000);
        CHECK_EQUAL(clock.earlier(ns, counter), std::min(ns, clock.pieceFor(counter).ns(counter)));
    }
}

/// The counter runs at another rate than measured. This is not a jump, and the curve follows.
CT_CASE(aRateThatWasMeasuredBadlyIsNoJump)
{
    LaneClock clock;
    // Wrong by a half, as after a measurement within 150 us under load.
    clock.start({0, 0, 0}, {1'000'000'000, 500'000'000, 10}, kTwoGhz + kTwoGhz / 2);
    std::uint64_t counter = 1'000'000'000, ns = 500'000'000;
    for (int i = 0; i < 20; ++i) {
        counter += 2'000'000;
        ns += 1'000'000;
        clock.advance({counter, ns, 10}, counter + 100);
    }
    CHECK(!clock.hasJumped() && !clock.hasEnded());
    CHECK(distance(clock.pieceFor(counter).ns(counter), ns) < 10'000);
}

/// The first check has a disturbed reading, and the second is late because its thread waits for a processor.
CT_CASE(aRateThatWasMeasuredWithinAMillisecondIsNoJump)
{
    LaneClock clock = started();
    clock.advance({1'002'000'000, 501'040'000, 40'000}, 1'002'000'100);
    clock.advance({1'202'000'000, 601'000'000, 10}, 1'202'000'100);
    CHECK(!clock.hasJumped() && !clock.hasEnded());
    CHECK(distance(clock.pieceFor(1'202'000'000).ns(1'202'000'000), 601'000'000) < 10'000);
}

/// The first check is late and steers the curve. The next comes much later than the curve was steered for.
CT_CASE(aLateCheckOfASteeredCurveIsNoJump)
{
    for (const std::uint64_t off : {std::uint64_t{0}, kTwoGhz / 1000, kTwoGhz / 300, kTwoGhz / 140}) {
        LaneClock clock;
        clock.start({0, 0, 0}, {1'000'000'000, 500'000'000, 10}, kTwoGhz + off);
        std::uint64_t counter = 1'000'000'000;
        int check = 0;
        for (const std::uint64_t ticks : {24'000'000, 500'000'000, 500'000'000, 500'000'000}) {
            // The rate is known from the second check on, and with it the times until the third.
            for (std::uint64_t raw = counter + 101; check >= 2 && raw < counter + ticks; raw += ticks / 9)
                CHECK(distance(clock.pieceFor(raw).ns(raw), raw / 2) < 3'000'000 / 2 / static_cast<unsigned>(check));
            counter += ticks;
            clock.advance({counter, counter / 2, 10}, counter + 100);
            ++check;
        }
        CHECK(!clock.hasJumped() && !clock.hasEnded());
        CHECK(distance(clock.pieceFor(counter).ns(counter), counter / 2) < 10'000);
    }
}

/// The harvest thread moves between cores with different counters.
CT_CASE(countersThatDifferByCoreEndTheCurve)
{
    LaneClock clock = started();
    std::uint64_t counter = 1'000'000'000, ns = 500'000'000;
    for (int i = 0; i < 200; ++i) {
        counter += 20'000'000;
        ns += 10'000'000;
        clock.advance({counter - (i % 2 == 0 ? 60'000'000 : 0), ns, 10}, counter + 100);
    }
    CHECK(clock.hasJumped());
    // Without a curve, the engine uses the system clock, and reads processes by their own pairs.
    CHECK(clock.hasEnded());
    CHECK_EQUAL(clock.earlier(ns, 5), ns);
    const ProcessPairs agreeing{1, counter, ns, kTwoGhz, 0, 0};
    CHECK(!ProcessClock::choose(agreeing, clock, true).isEngines());
}

/// The counter stands still. No tick makes the next check due, but the system clock does.
CT_CASE(aStoppedCounterEndsTheCurve)
{
    LaneClock clock = started();
    std::uint64_t counter = 1'000'000'000, ns = 500'000'000;
    const auto attempt = [&](std::uint64_t ticks) {
        counter += ticks;
        ns += 100'000;
        const bool isDue = clock.isDue(counter, ns);
        if (isDue)
            clock.advance({counter, ns, 10}, counter);
        return isDue;
    };
    int checks = 0;
    for (int i = 0; i < 10'000; ++i)
        checks += attempt(200'000);
    CHECK(!clock.hasJumped());
    CHECK(checks < 20);
    for (int i = 0; i < 10'000; ++i)
        attempt(0);
    CHECK(clock.hasJumped());
    CHECK(clock.hasEnded());
    CHECK_EQUAL(clock.earlier(ns, counter), ns);
}

/// A probe that gave up its counter states the line by which its times are converted.
CT_CASE(anAbandonedCounterUsesTheConversionOfItsProbe)
{
    LaneClock clock = started();
    const ProcessPairs pairs{corotracer::kClockGivenUp, 1'000'000'000, 7'000'000'000, kTwoGhz / 2, 5, 6};
    for (const bool live : {false, true}) {
        const ProcessClock chosen = ProcessClock::choose(pairs, clock, live);
        CHECK(chosen.isApproximate() && !chosen.isEngines());
        CHECK_EQUAL(chosen.ns(1'400'000'000), 7'100'000'000u);
    }
    // The pairs contradict each other. The later pair is nearer to future times.
    const ProcessPairs jumped{1, 1'000'000'000, 9'000'000'000, kTwoGhz, 90'000'000'000, 9'100'000'000};
    const ProcessClock chosen = ProcessClock::choose(jumped, clock, false);
    CHECK(chosen.isApproximate());
    CHECK_EQUAL(chosen.ns(90'002'000'000), 9'101'000'000u);
}

/// Records committed later have later times, although the slewed system clock is ahead of the curve.
CT_CASE(timesAreNotBeforeTheEarlierClock)
{
    LaneClock clock = started();
    std::uint64_t counter = 1'000'000'000;
    double ns = 500'000'000;
    std::uint64_t ahead = 0, behind = 0;
    for (int step = 0; step < 2000; ++step) {
        counter += 20'000'000;
        ns += 20'000'000 * 0.5 * (1 + 0.0005 * ((step / 200) % 2 ? 1 : -1));
        const auto now = static_cast<std::uint64_t>(ns);
        const std::uint64_t earlier = clock.earlier(now, counter);
        const ClockPiece piece = clock.pieceFor(counter);
        CHECK(earlier <= now && earlier <= piece.ns(counter));
        CHECK(earlier == now || earlier == piece.ns(counter));
        ahead += now > piece.ns(counter);
        behind += now < piece.ns(counter);
        if (step % 10 == 9)
            clock.advance({counter, now, 10}, counter + 100);
        // The curve may be checked between earlier() and the reading of the records. It must not go back either.
        CHECK(clock.pieceFor(counter + 101).ns(counter + 101) >= earlier);
    }
    CHECK(ahead > 100 && behind > 100);
}

/// A stretch converts exactly like its piece, wherever it starts, and covers nothing outside of the piece.
CT_CASE(aStretchConvertsLikeItsPiece)
{
    std::mt19937_64 random(4);
    std::uint64_t covered = 0, behindBase = 0;
    for (int i = 0; i < 200'000; ++i) {
        const std::uint64_t base = random() >> (1 + random() % 32);
        const std::uint64_t from = base - std::min(base, random() >> (random() % 64));
        const std::uint64_t to = base + (random() >> (1 + random() % 40));
        const ClockPiece piece{from, to, base, random() >> (random() % 64), random() >> (random() % 64)};
        const std::uint64_t begin = from + (to > from ? random() % (to - from) : 0);
        const ClockStretch stretch(piece, begin);
        for (int attempt = 0; attempt < 8; ++attempt) {
            const std::uint64_t raw = begin + (attempt == 0 ? 0 : random() >> (random() % 64));
            if (!stretch.covers(raw))
                continue;
            CHECK(piece.covers(raw) && raw >= begin);
            CHECK_EQUAL(stretch.ns(raw), piece.ns(raw));
            ++covered;
            behindBase += raw < base;
        }
        CHECK(!ClockStretch(piece, to).covers(to) && !stretch.covers(begin - 1));
    }
    CHECK(covered > 100'000 && behindBase > 10'000);
    // Without a counter, a stretch covers seconds of nanoseconds at a time.
    CHECK(ClockStretch(ClockPiece(), 1'000'000'000'000).covers(1'002'000'000'000));
    CHECK_EQUAL(ClockStretch(ClockPiece(), 1'000'000'000'000).ns(1'002'000'000'000), 1'002'000'000'000u);
}

/// Any pairs give some clock, without a crash.
CT_CASE(survivesHostilePairs)
{
    std::mt19937_64 random(9);
    const auto any = [&] { return random() >> (random() % 64); };
    LaneClock clock = started();
    for (int i = 0; i < 20'000; ++i) {
        const ProcessClock chosen =
            ProcessClock::choose({static_cast<std::uint32_t>(any()), any(), any(), any(), any(), any()}, clock, i % 2);
        (void)chosen.ns(any());
        if (i % 100 == 0)
            clock.advance({any(), any(), any()}, any());
    }
}
