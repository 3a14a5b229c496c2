// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The one decoded stream that every Source produces and every Sink consumes.
//
// A Batch is a value. Within one batch, and from batch to batch: sites come before their first use, births before
// anything else of their coroutine, the transitions of one coroutine in the order of their numbers, deaths last.
#pragma once

#include "core/result.h"
#include "core/uninitialized.h"

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

/// How a coroutine's events reach us: through the slots of a version-1 station in one of two dialects of seq, or
/// through the lanes of its threads (the extension).
enum class Dialect : std::uint8_t { Unknown, Seqlock, Monotonic, Lane };

/// Stations of Dialect::Lane are numbered from here.
inline constexpr std::uint32_t kFirstLaneStation = 1U << 21;

/// The seq that stands in the slot of event number `n`. Unknown counts as seqlock, the dialect of the known SDKs, and
/// so does Lane, which has no slots.
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

using Transitions = std::vector<Transition, Uninitialized<Transition>>;

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

// What follows is rare, and only as the target said it: what it does not say is unknown.

/// A process has begun (or was found) to write into the region.
struct Process {
    std::uint32_t pid = 0;
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC, of its InitTracer; 0 = unknown
    std::string name;      ///< of its executable, may be empty
};

/// A process is gone. Its coroutines stay as they were last seen.
struct ProcessEnd {
    std::uint32_t pid = 0;
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC; it lived then. Its latest events may be a little later
};

struct ThreadName {
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::string name;  ///< UTF-8 as the target wrote it, unchecked
};

struct CoroutineName {
    CoroutineId coroutine = kNoCoroutine;
    std::string name;  ///< UTF-8 as the target wrote it, unchecked
};

/// `parent` created `coroutine`, or waits for its result; as the target sees it.
struct Parent {
    CoroutineId coroutine = kNoCoroutine;
    CoroutineId parent = kNoCoroutine;
};

/// What a suspension waits for; same values as in the layout.
enum class WaitKind : std::uint8_t { Unknown = 0, Lock, Channel, Descriptor, Timer, Coroutine, Other };

/// Belongs to the suspension with number n.
struct WaitsOn {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t n = 0;
    WaitKind kind = WaitKind::Unknown;
    std::uint64_t object = 0;           ///< address, descriptor, or deadline (ns, CLOCK_MONOTONIC)
    CoroutineId target = kNoCoroutine;  ///< of WaitKind::Coroutine
};

/// Somebody made `coroutine` runnable.
struct Wake {
    CoroutineId coroutine = kNoCoroutine;  ///< who was woken
    CoroutineId by = kNoCoroutine;         ///< who woke, if it was a coroutine and the target says which
    std::uint64_t n = 0;                   ///< events of `coroutine` that the waker saw: it meant the suspension n - 1
    std::uint64_t ts = 0;                  ///< ns, CLOCK_MONOTONIC
    std::uint32_t pid = 0;                 ///< of the waker, and its
    std::uint32_t tid = 0;                 ///< thread
};

/// A thread's lane was full from firstTs to lastTs: so many records did not fit. The transitions among them show as
/// losses of their coroutines, too.
struct Drop {
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::uint64_t records = 0;
    std::uint64_t firstTs = 0;  ///< ns, CLOCK_MONOTONIC
    std::uint64_t lastTs = 0;
};

/// Tracing was switched off, or on again; in between nothing is recorded, and nothing is lost.
struct Switch {
    std::uint32_t pid = 0;
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC
    bool on = false;
};

/// The rare part of a batch.
struct Notes {
    std::vector<Process> processes;
    std::vector<ThreadName> threadNames;
    std::vector<CoroutineName> names;
    std::vector<Parent> parents;
    std::vector<WaitsOn> waits;
    std::vector<Wake> wakes;
    std::vector<Drop> drops;
    std::vector<Switch> switches;
    std::vector<ProcessEnd> processEnds;

    bool empty() const
    {
        return processes.empty() && threadNames.empty() && names.empty() && parents.empty() && waits.empty() &&
               wakes.empty() && drops.empty() && switches.empty() && processEnds.empty();
    }
    void clear()
    {
        processes.clear();
        threadNames.clear();
        names.clear();
        parents.clear();
        waits.clear();
        wakes.clear();
        drops.clear();
        switches.clear();
        processEnds.clear();
    }
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
    Transitions transitions;
    std::vector<Death> deaths;
    std::vector<Flag> flags;
    Notes notes;            ///< of coroutines whose births are in this batch or an earlier one
    std::uint64_t now = 0;  ///< ns, CLOCK_MONOTONIC, of the pass (recordings: the latest ts so far)

    bool empty() const
    {
        return sites.empty() && births.empty() && losses.empty() && transitions.empty() && deaths.empty() &&
               flags.empty() && notes.empty();
    }
    void clear()
    {
        sites.clear();
        births.clear();
        losses.clear();
        transitions.clear();
        deaths.clear();
        flags.clear();
        notes.clear();
    }
};

/// The sums that are never hidden: captured + lost + missedBeforeAttach = emitted, over traced coroutines.
struct Accounting {
    std::uint64_t captured = 0;
    std::uint64_t lost = 0;
    std::uint64_t missedBeforeAttach = 0;
    std::uint64_t coroutines = 0;         ///< traced ones
    std::uint64_t coroutinesMissed = 0;   ///< of a recorder: traced ones that were overwritten without a trace
    std::uint64_t notesDropped = 0;       ///< of a dump: wakes and waits that were no longer in memory
    std::uint64_t notesLost = 0;          ///< names, parents, wakes and waits of nobody who is known
    std::uint64_t coroutinesNotKept = 0;  ///< of a trace in memory: a part of coroutines that it has no record of, and
    std::uint64_t eventsNotKept = 0;      ///< a part of captured, their transitions
    std::uint64_t namesNotKept = 0;       ///< of a trace in memory: names that it had no room for
    std::uint64_t eventsNotWritten = 0;   ///< of a file that was given up: a part of captured that it has not got
    std::uint64_t untraced = 0;           ///< had no station, or never finished being born
    std::uint64_t birthsOvertaken = 0;    ///< a part of untraced: a burst of births was faster than the region grew
    std::uint64_t bornWhileOff = 0;       ///< while tracing was switched off; a part of neither
    std::uint64_t bornBeforeInit = 0;     ///< a part of neither; as the probe reports it
    std::uint64_t flaggedStations = 0;
    std::uint64_t sitesDropped = 0;
    std::uint32_t stationsAllocated = 0;  ///< full stations and compact ones
    std::uint32_t stationsMax = 0;        ///< how many there can be
    std::uint32_t slotsAllocated = 0;     ///< the compact ones among the allocated, and
    std::uint32_t slotsMax = 0;           ///< among those that there can be
    std::uint64_t recordsDropped = 0;     ///< records of any kind that found a full lane, or none; and holes:
    std::uint64_t recordsInHoles = 0;     ///< a part of recordsDropped: slots never committed, in front of others
    std::uint32_t threadsWithoutLane = 0;
    std::uint32_t lanesShortened = 0;         ///< lanes that got less memory than planned: the file system was full
    std::uint32_t lanesDamaged = 0;           ///< lanes with holes: by events in a signal handler, or by stray writes
    std::uint32_t processesUnmapped = 0;      ///< untraced: their address space has no room for the region
    std::uint32_t processesPartlyMapped = 0;  ///< traced, with room for fewer coroutines and lanes
    std::uint32_t lanesInUse = 0;             ///< by living threads, or not yet drained
    std::uint32_t lanes = 0;                  ///< made so far
    std::uint64_t laneBytes = 0;              ///< of the pool that lanes were made from
    std::uint64_t laneBytesMax = 0;           ///< the pool; 0 = no lanes
    double laneFill = 0;                      ///< of the fullest lane at its last visit, 0..1
    std::uint64_t regionBytes = 0;            ///< memory that the region's file takes at present
    std::uint32_t processes = 0;              ///< writing at present
    bool growthStopped = false;               ///< the file system is full: no more stations or lanes can be made
    bool timesApproximate = false;            ///< the processor's counter jumped or ran backwards
    bool paused = false;                      ///< tracing was switched off by us
    bool unproven = false;                    ///< old-SDK writers on a weakly ordered machine
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
