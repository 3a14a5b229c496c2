// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lanes carry raw clocks; here they become nanoseconds of CLOCK_MONOTONIC. One curve for all threads of all processes,
// monotone and made of straight pieces, so that the order between threads is that of the counter.
#pragma once

#include "corotracer/clock.h"

#include <cstdint>
#include <vector>

namespace ct {

/// A straight piece of a clock's curve. The default is the identity.
struct ClockPiece {
    std::uint64_t from = 0;  ///< raw values in [from, to) are its own
    std::uint64_t to = ~std::uint64_t{0};
    std::uint64_t base = 0;  ///< raw, at
    std::uint64_t baseNs = 0;
    std::uint64_t mult = std::uint64_t{1} << 32;  ///< ns per tick, 32 bits after the point

    bool covers(std::uint64_t raw) const { return raw - from < to - from; }
    std::uint64_t ns(std::uint64_t raw) const { return corotracer::detail::to_ns({base, baseNs, mult, 0}, raw); }
};

/// The next seconds of a piece from one raw value on, to the same nanosecond, without 128-bit arithmetic: what lies
/// before that value is multiplied once, and the bits behind the point that this leaves are carried along.
class ClockStretch {
public:
    ClockStretch(const ClockPiece &piece, std::uint64_t begin);

    bool covers(std::uint64_t raw) const { return raw - m_begin < m_length; }
    /// Only of what it covers.
    std::uint64_t ns(std::uint64_t raw) const
    {
        return m_beginNs + (((raw - m_begin) * m_mult + m_fraction) >> corotracer::detail::clock_shift);
    }

private:
    std::uint64_t m_begin;
    std::uint64_t m_length = 0;
    std::uint64_t m_mult;
    std::uint64_t m_fraction = 0;  ///< of a nanosecond at m_begin, below 2^32
    std::uint64_t m_beginNs = 0;
};

/// The engine's own curve of this machine's counter.
class LaneClock {
public:
    using Pair = corotracer::detail::clock_pair;

    /// Begins the curve at `now`. `far`: a pair from long ago, the longer the better its slope; it is only used when it
    /// agrees with `rate` (ns per tick, 32 bits after the point).
    void start(const Pair &far, const Pair &now, std::uint64_t rate);
    /// The same, measuring now and rate itself; takes a fraction of a millisecond. Nothing happens the second time.
    void startHere(const Pair &far);
    bool isStarted() const { return !m_pieces.empty(); }

    /// Holds the curve against CLOCK_MONOTONIC when that is due, every 128 ms in the long run. `nowNs`: of that clock.
    void update(std::uint64_t nowNs);
    /// Whether a check is due: by the counter, or late by CLOCK_MONOTONIC, because the counter stands still.
    bool isDue(std::uint64_t counter, std::uint64_t nowNs) const;
    /// The same with a given reading; what was converted before does not change. A counter that jumped begins a new
    /// piece. After many, or a few checks in a row that show no steady counter, the curve ends.
    void advance(const Pair &now, std::uint64_t switchCounter);
    /// The counter contradicted CLOCK_MONOTONIC at least once.
    bool hasJumped() const { return m_jumps != 0; }
    bool hasEnded() const { return isStarted() && m_state.line.interval == 0; }

    ClockPiece pieceFor(std::uint64_t raw) const;
    /// The time of `counter`, or `now` if that is earlier: both were read just now, and the system's clock, slewed, may
    /// be ahead of the one that tells when records were written.
    std::uint64_t earlier(std::uint64_t now, std::uint64_t counter) const;

private:
    void beginAgain(const Pair &now);

    bool endCurveAt(std::uint64_t raw);

    corotracer::detail::clock_state m_state;
    std::vector<ClockPiece> m_pieces;  ///< seamless, in order; the first reaches back for ever
    std::uint32_t m_jumps = 0;
    bool m_isConfirmed = false;  ///< a check has found the curve right, and measured its rate over a long time
};

/// What a process says of its clock; untrusted.
struct ProcessPairs {
    std::uint32_t kind = 0;  ///< ProcessEntry::clock_kind, a ClockKind
    std::uint64_t initCounter = 0;
    std::uint64_t initNs = 0;
    std::uint64_t mult = 0;
    std::uint64_t lateCounter = 0;  ///< 0: there is no late pair
    std::uint64_t lateNs = 0;
};

/// How the raw clock of one process is read.
class ProcessClock {
public:
    ProcessClock() = default;  ///< raw values are nanoseconds
    /// Chooses the engine's curve, or the process's own pairs when it does not live here (`live` false: post mortem, in
    /// another boot of the machine), contradicts the curve, or gave its counter up.
    static ProcessClock choose(const ProcessPairs &pairs, LaneClock &engine, bool live);

    bool isEngines() const { return m_engine != nullptr; }
    /// The counter misbehaved, by the process's own word or by its pairs: times from before that are approximate.
    bool isApproximate() const { return m_isApproximate; }
    ClockPiece pieceFor(std::uint64_t raw) const { return m_engine ? m_engine->pieceFor(raw) : m_own; }
    std::uint64_t ns(std::uint64_t raw) const { return pieceFor(raw).ns(raw); }

private:
    const LaneClock *m_engine = nullptr;
    ClockPiece m_own;
    bool m_isApproximate = false;
};

}  // namespace ct
