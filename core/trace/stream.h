// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The one decoded stream that every Source produces and every Sink consumes.
//
// A Batch is a value. Within one batch, and from batch to batch: sites come before their first use, births before
// anything else of their coroutine, the transitions of one coroutine in the order of their numbers, deaths last.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ct {

/// Dense, from 0 in order of discovery; unique in a run, never reused.
using CoroutineId = std::uint32_t;
inline constexpr CoroutineId kNoCoroutine = 0xFFFF'FFFF;

/// Id of a suspension point, dense from 1; 0 = the target did not say.
using SiteId = std::uint32_t;
inline constexpr SiteId kUnknownSite = 0;

enum class Dialect : std::uint8_t { Unknown, Seqlock, Monotonic };

/// The seq that stands in the slot of event number `n`. Unknown counts as seqlock, the dialect of the known SDKs.
constexpr std::uint64_t slotSeq(Dialect dialect, std::uint64_t n)
{
    return dialect == Dialect::Monotonic ? n : (n / 8 + 1) * 2;
}

/// The sort of suspension point; same values as in the layout (kAwaitPoint ...).
enum class PointKind : std::uint8_t { Await = 0, Initial = 1, Final = 2, Yield = 3 };

/// A suspension point, as the target registered it.
struct Site {
    SiteId id = kUnknownSite;
    std::uint32_t line = 0;    ///< 1-based, 0 = unknown
    std::uint32_t column = 0;  ///< 1-based, 0 = unknown
    std::string file;
    std::string function;  ///< readable form, see core/symbols/functionname.h
};

struct Birth {
    CoroutineId coroutine = kNoCoroutine;
    std::uint32_t station = 0;
    std::uint32_t generation = 0;
    std::uint32_t pid = 0;  ///< 0 = unknown (version-1 probe)
    Dialect dialect = Dialect::Unknown;
    std::uint64_t probeId = 0;
    std::uint64_t birthTs = 0;  ///< ns, CLOCK_MONOTONIC; 0 = unknown
};

struct Transition {
    std::uint64_t ts = 0;    ///< ns, CLOCK_MONOTONIC
    std::uint64_t addr = 0;  ///< as the target wrote it
    std::uint64_t n = 0;     ///< number of the event within its coroutine (seqlock from 0, monotonic from 1)
    std::uint64_t seq = 0;   ///< as in the slot
    CoroutineId coroutine = kNoCoroutine;
    std::uint32_t tid = 0;
    SiteId site = kUnknownSite;
    PointKind kind = PointKind::Await;
    bool active = false;  ///< true = resumed, false = suspended
};

/// Numbers [firstN, firstN + count) of a coroutine were never seen.
struct Loss {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t firstN = 0;
    std::uint64_t count = 0;
    bool beforeAttach = false;  ///< counted as missed_before_attach instead of lost
};

struct Death {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC; exact if the target says so, else when it was noticed
};

/// A station whose contents contradict themselves: no conclusions are drawn from this coroutine any more.
struct Flag {
    enum class Reason : std::uint8_t { TwoWriters, DialectContradiction };
    CoroutineId coroutine = kNoCoroutine;
    Reason reason = Reason::TwoWriters;
};

/// What one pass of a Source produced.
struct Batch {
    std::vector<Site> sites;
    std::vector<Birth> births;
    std::vector<Loss> losses;  ///< also visible as jumps in Transition::n; here for the sums
    std::vector<Transition> transitions;
    std::vector<Death> deaths;
    std::vector<Flag> flags;
    std::uint64_t now = 0;  ///< ns, CLOCK_MONOTONIC, of the pass (recordings: the latest ts so far)

    bool empty() const
    {
        return sites.empty() && births.empty() && losses.empty() && transitions.empty() && deaths.empty() &&
               flags.empty();
    }
    void clear()
    {
        sites.clear();
        births.clear();
        losses.clear();
        transitions.clear();
        deaths.clear();
        flags.clear();
    }
};

/// The sums that are never hidden: captured + lost + missedBeforeAttach = emitted, over traced coroutines.
struct Accounting {
    std::uint64_t captured = 0;
    std::uint64_t lost = 0;
    std::uint64_t missedBeforeAttach = 0;
    std::uint64_t coroutines = 0;      ///< traced ones
    std::uint64_t untraced = 0;        ///< had no station, or never finished being born
    std::uint64_t bornBeforeInit = 0;  ///< a part of neither; as the probe reports it
    std::uint64_t flaggedStations = 0;
    std::uint64_t sitesDropped = 0;
    std::uint32_t stationsAllocated = 0;
    std::uint32_t stationsMax = 0;
    bool unproven = false;  ///< old-SDK writers on a weakly ordered machine
};

/// Consumes the stream. Called on one thread, the one that drives the source.
class Sink {
public:
    virtual ~Sink() = default;
    /// Takes one pass. An error is final for this sink: it is not called again, the source goes on.
    virtual Result<void> consume(const Batch &batch) = 0;
    /// The stream has ended; makes what was written complete and valid.
    virtual Result<void> finish(const Accounting &) { return {}; }
};

}  // namespace ct
