// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/laneclock.h"

#include <algorithm>
#include <bit>

namespace ct {

namespace {

namespace clock = corotracer::detail;

/// Two minutes of pieces; what is older is read with the oldest of them.
constexpr std::size_t kMaxPieces = 1024;
constexpr std::uint64_t kContradictionNs = 10'000'000;
/// A slope from two readings a fraction of a millisecond apart may be off by 1/1024.
constexpr unsigned kRateShift = 10;

std::uint64_t distance(std::uint64_t a, std::uint64_t b)
{
    return a > b ? a - b : b - a;
}

/// Slope between two pairs, 0 when they say nothing.
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
    // Behind the base ns() rounds the distance down, and so the time up.
    const clock::uint128 scaled = clock::uint128{isBehind ? 0 - ahead : ahead} * piece.mult;
    const clock::uint128 exact = isBehind ? kFractionMask - scaled : scaled;
    const auto whole = static_cast<std::uint64_t>(exact >> clock::clock_shift);
    if (isBehind && static_cast<std::uint64_t>(scaled >> clock::clock_shift) >= piece.baseNs)
        return;
    m_fraction = static_cast<std::uint64_t>(exact) & kFractionMask;
    m_beginNs = piece.baseNs + whole;
    // ticks * mult + fraction < 2^64, at most half of what would fit: each run of records begins a stretch, and a
    // division would cost as much as some of them.
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

void LaneClock::update()
{
    if (!isStarted() || m_state.line.interval == 0 ||
        clock::read_counter() - m_state.line.base_counter < m_state.line.interval)
        return;
    Pair now;
    if (clock::read_pair(now, m_state.rate))
        advance(now, clock::read_counter());
}

void LaneClock::advance(const Pair &now, std::uint64_t switchCounter)
{
    if (!isStarted() || m_state.line.interval == 0)
        return;
    const clock::clock_state next = clock::next_clock(m_state, now, switchCounter);
    m_state = next;
    // interval 0: the counter is no good any more; the last piece goes on, and processes are held against it.
    if (next.line.interval == 0 || next.line.base_counter <= m_pieces.back().from)
        return;
    if (m_pieces.size() >= kMaxPieces) {
        m_pieces.erase(m_pieces.begin(), m_pieces.begin() + kMaxPieces / 2);
        m_pieces.front().from = 0;
    }
    m_pieces.back().to = next.line.base_counter;
    m_pieces.push_back(
        {next.line.base_counter, ~std::uint64_t{0}, next.line.base_counter, next.line.base_ns, next.line.mult});
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
    return std::min(now, pieceFor(counter).ns(counter));
}

ProcessClock ProcessClock::choose(const ProcessPairs &pairs, LaneClock &engine, bool live)
{
    ProcessClock chosen;
    if (pairs.kind == 0)
        return chosen;
    const bool late = pairs.lateCounter > pairs.initCounter && pairs.lateNs > pairs.initNs;
    if (live) {
        engine.startHere({pairs.initCounter, pairs.initNs, 0});
        const std::uint64_t counter = late ? pairs.lateCounter : pairs.initCounter;
        const std::uint64_t ns = late ? pairs.lateNs : pairs.initNs;
        if (engine.isStarted() && distance(engine.pieceFor(counter).ns(counter), ns) <= kContradictionNs) {
            chosen.m_engine = &engine;
            return chosen;
        }
    }
    std::uint64_t mult = pairs.mult;
    if (late) {
        const std::uint64_t measured = slopeOf(pairs.initCounter, pairs.initNs, pairs.lateCounter, pairs.lateNs);
        if (mult == 0 || distance(measured, mult) < mult >> kRateShift)
            mult = measured;
    }
    chosen.m_own = {0, ~std::uint64_t{0}, pairs.initCounter, pairs.initNs, mult != 0 ? mult : std::uint64_t{1} << 32};
    return chosen;
}

}  // namespace ct
