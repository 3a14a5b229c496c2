// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Conversion of the raw clocks in lanes to nanoseconds of CLOCK_MONOTONIC. All threads of all processes share one
// monotone curve of straight pieces. So times keep the order of the counter.
#pragma once

#include "corotracer/clock.h"

#include <cstdint>
#include <vector>

namespace ct {

/// A straight piece of a clock's curve. The default converts each value to itself.
struct ClockPiece {
    std::uint64_t from = 0;  ///< the piece converts raw values in [from, to)
    std::uint64_t to = ~std::uint64_t{0};
    std::uint64_t base = 0;  ///< raw value whose time is baseNs
    std::uint64_t baseNs = 0;
    std::uint64_t mult = std::uint64_t{1} << 32;  ///< ns per tick, 32 bits after the point

    bool covers(std::uint64_t raw) const { return raw - from < to - from; }
    std::uint64_t ns(std::uint64_t raw) const { return corotracer::detail::to_ns({base, baseNs, mult, 0}, raw); }
};

/// Converts the raw values that follow `begin` on a piece, for a few seconds. The results equal those of
/// ClockPiece::ns(), but need no 128-bit arithmetic. The part up to `begin` is multiplied once, and its fraction of a
/// nanosecond is added to each result.
class ClockStretch {
public:
    ClockStretch(const ClockPiece &piece, std::uint64_t begin);

    bool covers(std::uint64_t raw) const { return raw - m_begin < m_length; }
    /// Only for values that covers() accepts.
    std::uint64_t ns(std::uint64_t raw) const
    {
        return m_beginNs + (((raw - m_begin) * m_mult + m_fraction) >> corotracer::detail::clock_shift);
    }

private:
    std::uint64_t m_begin;
    std::uint64_t m_length = 0;
    std::uint64_t m_mult;
    std::uint64_t m_fraction = 0;  ///< fraction of a nanosecond at m_begin, 32 bits after the point
    std::uint64_t m_beginNs = 0;
};

/// The engine's own curve of this machine's counter. Harvest thread only.
class LaneClock {
public:
    using Pair = corotracer::detail::clock_pair;

    /// Begins the curve at `now`. `far` is a pair from the past: the older it is, the better its slope. It is used only
    /// if it agrees with `rate` (ns per tick, 32 bits after the point).
    void start(const Pair &far, const Pair &now, std::uint64_t rate);
    /// Measures `now` and the rate itself, then calls start(). Spins for a fraction of a millisecond. Does nothing if
    /// the curve has begun.
    void startHere(const Pair &far);
    bool isStarted() const { return !m_pieces.empty(); }

    /// Compares the curve with CLOCK_MONOTONIC when a check is due; in the long run that is every 128 ms. `nowNs` is a
    /// time of that clock.
    void update(std::uint64_t nowNs);
    /// Returns true if a check is due by the counter. Also if it is overdue by CLOCK_MONOTONIC, because the counter
    /// stands still.
    bool isDue(std::uint64_t counter, std::uint64_t nowNs) const;
    /// Checks the curve with a given reading. Past conversions keep their results. A counter that jumped begins a new
    /// piece. Many jumps, or a few checks in a row without a steady counter, end the curve.
    void advance(const Pair &now, std::uint64_t switchCounter);
    /// Returns true if the counter ever contradicted CLOCK_MONOTONIC.
    bool hasJumped() const { return m_jumps != 0; }
    bool hasEnded() const { return isStarted() && m_state.line.interval == 0; }

    ClockPiece pieceFor(std::uint64_t raw) const;
    /// Returns the time of `counter`, or `now` if it is earlier; both must be readings of this moment. A slewed
    /// CLOCK_MONOTONIC may be ahead of the curve that dates records.
    std::uint64_t earlier(std::uint64_t now, std::uint64_t counter) const;

private:
    void beginAgain(const Pair &now);

    bool endCurveAt(std::uint64_t raw);

    corotracer::detail::clock_state m_state;
    std::vector<ClockPiece> m_pieces;  ///< in order, without gaps; the first one reaches back without limit
    std::uint32_t m_jumps = 0;
    bool m_isConfirmed = false;  ///< a check over at least 10 ms has agreed with the curve
};

/// The clock readings in a process's entry; untrusted.
struct ProcessPairs {
    std::uint32_t kind = 0;  ///< ProcessEntry::clock_kind, a ClockKind
    std::uint64_t initCounter = 0;
    std::uint64_t initNs = 0;
    std::uint64_t mult = 0;
    std::uint64_t lateCounter = 0;  ///< 0 = no late pair
    std::uint64_t lateNs = 0;
};

/// Converts the raw clock of one process.
class ProcessClock {
public:
    ProcessClock() = default;  ///< raw values are nanoseconds
    /// Chooses the engine's curve, or the process's own pairs if the curve does not apply. This is so when the process
    /// does not live on this machine now (`live` is false: post mortem), contradicts the curve, or gave its counter up.
    static ProcessClock choose(const ProcessPairs &pairs, LaneClock &engine, bool live);

    bool isEngines() const { return m_engine != nullptr; }
    /// Returns true if the counter was unreliable, according to the process or to its pairs. Earlier times are
    /// approximate.
    bool isApproximate() const { return m_isApproximate; }
    ClockPiece pieceFor(std::uint64_t raw) const { return m_engine ? m_engine->pieceFor(raw) : m_own; }
    std::uint64_t ns(std::uint64_t raw) const { return pieceFor(raw).ns(raw); }

private:
    const LaneClock *m_engine = nullptr;
    ClockPiece m_own;
    bool m_isApproximate = false;
};

}  // namespace ct
