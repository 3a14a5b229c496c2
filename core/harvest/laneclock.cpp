// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/laneclock.h"

#include "corotracer/layout.h"

#include <algorithm>
#include <bit>

namespace ct {

namespace {

namespace clock = corotracer::detail;

/// Limit of pieces, enough for two minutes. Older times are converted with the oldest piece.
constexpr std::size_t kMaxPieces = 1024;
constexpr std::uint64_t kContradictionNs = 10'000'000;
/// A slope from two readings a fraction of a millisecond apart may be off by 1/1024.
constexpr unsigned kRateShift = 10;
/// A counter has jumped if it is off by more than kJumpNs plus 1/kJumpShare of the time between two checks.
constexpr std::uint64_t kJumpNs = 1'000'000;
constexpr std::uint64_t kJumpShare = 64;
/// A rate measured over a shorter time is too inexact for this test: a reading is uncertain by up to 50 us.
constexpr std::uint64_t kKnownNs = 10'000'000;
/// Limit of bad checks in a row. One more means that there is no steady counter.
constexpr std::uint32_t kBadChecksAllowed = 8;
constexpr std::uint32_t kJumpsAllowed = 16;

std::uint64_t distance(std::uint64_t a, std::uint64_t b)
{
    return a > b ? a - b : b - a;
}

/// The slope between two pairs; 0 if the second is not later than the first in both clocks.
std::uint64_t slopeOf(std::uint64_t counterA, std::uint64_t nsA, std::uint64_t counterB, std::uint64_t nsB)
{
    return counterB > counterA && nsB > nsA ? clock::slope(nsB - nsA, counterB - counterA) : 0;
}

}  // namespace

ClockStretch::ClockStretch(const ClockPiece &piece, std::uint64_t begin) : m_begin(begin), m_mult(piece.mult)
{
    constexpr std::uint64_t kFractionMask = (std::uint64_t{1} << clock::clock_shift) - 1;
    if (!piece.covers(begin))
        return;
    const std::uint64_t ahead = begin - piece.base;
    const bool isBehind = static_cast<std::int64_t>(ahead) < 0;
    // Before the base, ns() rounds the distance down, which rounds the time up.
    const clock::uint128 scaled = clock::uint128{isBehind ? 0 - ahead : ahead} * piece.mult;
    const clock::uint128 exact = isBehind ? kFractionMask - scaled : scaled;
    const auto whole = static_cast<std::uint64_t>(exact >> clock::clock_shift);
    if (isBehind && static_cast<std::uint64_t>(scaled >> clock::clock_shift) >= piece.baseNs)
        return;
    m_fraction = static_cast<std::uint64_t>(exact) & kFractionMask;
    m_beginNs = piece.baseNs + whole;
    // For this length, ticks * mult + fraction stays below 2^64. A shift finds at least half of the longest such
    // length. A division would be too expensive, because each run of records begins a stretch.
    const int bits = std::bit_width(piece.mult | 1);
    const std::uint64_t fits = (~std::uint64_t{0} - kFractionMask) >> (bits - 1) >> 1;
    m_length = std::min({fits, piece.to - begin, isBehind ? piece.base - begin : ~std::uint64_t{0}});
}

void LaneClock::start(const Pair &far, const Pair &now, std::uint64_t rate)
{
    if (isStarted() || rate == 0)
        return;
    const std::uint64_t farRate = slopeOf(far.counter, far.ns, now.counter, now.ns);
    m_state.rate = farRate != 0 && distance(farRate, rate) < rate >> kRateShift ? farRate : rate;
    m_state.last = now;
    m_state.line = {now.counter, now.ns, m_state.rate, clock::slope(clock::first_check_ns, m_state.rate)};
    m_pieces.push_back({0, ~std::uint64_t{0}, now.counter, now.ns, m_state.rate});
}

void LaneClock::startHere(const Pair &far)
{
    if (isStarted() || !clock::has_invariant_counter())
        return;
    const std::uint64_t unknownRate = std::uint64_t{1} << clock::clock_shift;
    for (int attempt = 0; attempt < 8 && !isStarted(); ++attempt) {
        Pair begin, end;
        const bool undisturbed = clock::read_pair(begin, unknownRate);
        while (clock::monotonic_ns() - begin.ns < clock::calibration_ns) {
        }
        if (clock::read_pair(end, unknownRate) && undisturbed)
            start(far, end, slopeOf(begin.counter, begin.ns, end.counter, end.ns));
    }
}

bool LaneClock::isDue(std::uint64_t counter, std::uint64_t nowNs) const
{
    if (!isStarted() || m_state.line.interval == 0)
        return false;
    if (counter - m_state.line.base_counter >= m_state.line.interval)
        return true;
    const std::uint64_t late = 2 * clock::scale(m_state.line.interval, m_state.rate) + kJumpNs;
    return nowNs > m_state.last.ns && nowNs - m_state.last.ns >= late;
}

void LaneClock::update(std::uint64_t nowNs)
{
    if (!isDue(clock::read_counter(), nowNs))
        return;
    Pair now;
    if (clock::read_pair(now, m_state.rate))
        advance(now, clock::read_counter());
}

void LaneClock::advance(const Pair &now, std::uint64_t switchCounter)
{
    if (!isStarted() || m_state.line.interval == 0)
        return;
    // Start from the piece that converts at this moment. After a late check this is the straight piece, not the steered
    // one in the state.
    const ClockPiece current = pieceFor(switchCounter);
    clock::clock_state state = m_state;
    state.line = {current.base, current.baseNs, current.mult, m_state.line.interval};
    const clock::clock_state next = clock::next_clock(state, now, switchCounter);
    if (next.bad != 0 || next.line.interval == 0)
        return beginAgain(now);
    m_isConfirmed = m_isConfirmed || now.ns - m_state.last.ns >= kKnownNs;
    m_state = next;
    if (!endCurveAt(next.line.base_counter))
        return;
    if (m_pieces.size() >= kMaxPieces) {
        m_pieces.erase(m_pieces.begin(), m_pieces.begin() + kMaxPieces / 2);
        m_pieces.front().from = 0;
    }
    // The steered piece reaches the system's time at the end of its interval. From there the curve continues at the
    // measured rate: the next check of an idle engine may be many intervals later.
    const ClockPiece steered{next.line.base_counter, next.line.base_counter + next.line.interval,
                             next.line.base_counter, next.line.base_ns, next.line.mult};
    m_pieces.push_back(steered);
    m_pieces.push_back({steered.to, ~std::uint64_t{0}, steered.to, steered.ns(steered.to), next.rate});
}

/// Ends the curve at a raw value, and drops a straight piece that would begin later. Returns false and leaves the rest
/// unchanged if the last piece begins there or later.
bool LaneClock::endCurveAt(std::uint64_t raw)
{
    if (m_pieces.size() > 1 && m_pieces.back().from >= raw)
        m_pieces.pop_back();
    if (m_pieces.back().from >= raw)
        return false;
    m_pieces.back().to = raw;
    return true;
}

/// Begins the curve anew after a check that contradicts it. One such check is a jump. A second one in a row means that
/// the rate was wrong.
void LaneClock::beginAgain(const Pair &now)
{
    const Pair last = m_state.last;
    const std::uint64_t elapsed = now.ns > last.ns ? now.ns - last.ns : 0;
    const bool isAhead = now.counter > last.counter && elapsed != 0;
    // Compare with the measured rate, because the steered piece deviates on purpose.
    const ClockPiece straight{0, ~std::uint64_t{0}, last.counter, last.ns, m_state.rate};
    const std::uint64_t error = distance(straight.ns(now.counter), now.ns);
    const std::uint64_t fair = kJumpNs + elapsed / kJumpShare + 2 * now.uncertainty_ns;
    m_jumps += !isAhead || (m_isConfirmed && error > fair) ? 1 : 0;
    const std::uint64_t measured = slopeOf(last.counter, last.ns, now.counter, now.ns);
    const std::uint64_t rate = m_state.bad != 0 && measured != 0 ? measured : m_state.rate;
    const std::uint32_t bad = m_state.bad + 1;
    const bool steady = bad <= kBadChecksAllowed && m_jumps <= kJumpsAllowed;
    const std::uint64_t interval = steady ? clock::slope(clock::first_check_ns, rate) : 0;
    // The jump was between the two checks. Raw values beyond the expected one belong to the time after the jump.
    const std::uint64_t from = std::min(now.counter, last.counter + clock::slope(elapsed, m_state.rate));
    m_state = {{now.counter, now.ns, rate, interval}, now, rate, bad};
    if (isAhead && endCurveAt(from)) {
        m_pieces.push_back({from, ~std::uint64_t{0}, now.counter, now.ns, rate});
    } else {
        m_pieces.assign(1, {0, ~std::uint64_t{0}, now.counter, now.ns, rate});
    }
}

ClockPiece LaneClock::pieceFor(std::uint64_t raw) const
{
    if (m_pieces.empty())
        return {};
    std::size_t at = m_pieces.size() - 1;
    while (at > 0 && raw < m_pieces[at].from)
        --at;
    return m_pieces[at];
}

std::uint64_t LaneClock::earlier(std::uint64_t now, std::uint64_t counter) const
{
    return hasEnded() ? now : std::min(now, pieceFor(counter).ns(counter));
}

ProcessClock ProcessClock::choose(const ProcessPairs &pairs, LaneClock &engine, bool live)
{
    ProcessClock chosen;
    if (pairs.kind == corotracer::kClockMonotonic)
        return chosen;
    if (pairs.kind == corotracer::kClockGivenUp) {
        chosen.m_own = {0, ~std::uint64_t{0}, pairs.initCounter, pairs.initNs, pairs.mult};
        chosen.m_isApproximate = true;
        return chosen;
    }
    const bool late = pairs.lateCounter > pairs.initCounter && pairs.lateNs > pairs.initNs;
    if (live) {
        engine.startHere({pairs.initCounter, pairs.initNs, 0});
        const std::uint64_t counter = late ? pairs.lateCounter : pairs.initCounter;
        const std::uint64_t ns = late ? pairs.lateNs : pairs.initNs;
        if (engine.isStarted() && !engine.hasEnded() &&
            distance(engine.pieceFor(counter).ns(counter), ns) <= kContradictionNs) {
            chosen.m_engine = &engine;
            return chosen;
        }
    }
    std::uint64_t mult = pairs.mult;
    std::uint64_t base = pairs.initCounter, baseNs = pairs.initNs;
    if (late) {
        const std::uint64_t measured = slopeOf(pairs.initCounter, pairs.initNs, pairs.lateCounter, pairs.lateNs);
        if (mult == 0 || distance(measured, mult) < mult >> kRateShift) {
            mult = measured;
        } else if (distance(measured, mult) > mult / kJumpShare) {
            // The counter jumped between the two pairs. The values to convert are more likely from after the jump.
            chosen.m_isApproximate = true;
            base = pairs.lateCounter;
            baseNs = pairs.lateNs;
        }
    }
    chosen.m_own = {0, ~std::uint64_t{0}, base, baseNs, mult != 0 ? mult : std::uint64_t{1} << 32};
    return chosen;
}

}  // namespace ct
