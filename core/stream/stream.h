// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The decoded stream that every Source emits and every Sink consumes.
//
// A Batch is a value. The following order holds within a batch and across batches. A site precedes its first use. A
// birth precedes all other rows of its coroutine, and a death follows them. The transitions of a coroutine are in the
// order of their numbers.
// See docs/decisions/0002-stream-of-batches.md.
#pragma once

#include "core/base/result.h"
#include "core/base/uninitialized.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ct {

/// Id of a coroutine: dense, from 0 in order of discovery, unique in a run, never reused.
using CoroutineId = std::uint32_t;
inline constexpr CoroutineId kNoCoroutine = 0xFFFF'FFFF;

/// Id of a suspension point, dense from 1; 0 = the target named no site.
using SiteId = std::uint32_t;
inline constexpr SiteId kUnknownSite = 0;

/// The way in which the engine receives a coroutine's events: through the slots of a full station, in one of two
/// dialects of seq, or through the lanes of its threads.
enum class Dialect : std::uint8_t { Unknown, Seqlock, Monotonic, Lane };

/// Number of the first compact station (Dialect::Lane) in the stream.
inline constexpr std::uint32_t kFirstLaneStation = 1U << 21;

/// Returns the seq that a slot has for event number `n`. Unknown counts as seqlock, the dialect of the known SDKs. Lane
/// also counts as seqlock, although lanes have no slots.
constexpr std::uint64_t slotSeq(Dialect dialect, std::uint64_t n)
{
    return dialect == Dialect::Monotonic ? n : (n / 8 + 1) * 2;
}

/// The sort of a suspension point. The values are those of the layout (kAwaitPoint ...).
enum class PointKind : std::uint8_t { Await = 0, Initial = 1, Final = 2, Yield = 3 };

/// A suspension point, as the target registered it.
struct Site {
    SiteId id = kUnknownSite;
    std::uint32_t line = 0;    ///< 1-based, 0 = unknown
    std::uint32_t column = 0;  ///< 1-based, 0 = unknown
    std::string file;
    std::string function;  ///< readable form, see core/base/functionname.h
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
    std::uint64_t addr = 0;  ///< address of code or of the coroutine frame, unchanged from the target
    std::uint64_t n = 0;     ///< number of the event in its coroutine, from 0 (monotonic dialect: from 1)
    std::uint64_t seq = 0;   ///< seq of the slot; for lanes see slotSeq()
    CoroutineId coroutine = kNoCoroutine;
    std::uint32_t tid = 0;
    SiteId site = kUnknownSite;
    PointKind kind = PointKind::Await;
    bool active = false;  ///< true = resumed, false = suspended
};

using Transitions = std::vector<Transition, Uninitialized<Transition>>;

/// The events with numbers [firstN, firstN + count) of a coroutine are lost or missed.
struct Loss {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t firstN = 0;
    std::uint64_t count = 0;
    bool beforeAttach = false;  ///< true: the events count as missed instead of lost
};

struct Death {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC: reported by the target, else when the engine noticed the death
};

// Notes. They are rare, and contain only what the target reports.

/// A process that writes into the region was discovered.
struct Process {
    std::uint32_t pid = 0;
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC, when its tracing started (InitTracer); 0 = unknown
    std::string name;      ///< name of the executable, may be empty
};

/// A process is gone. Its coroutines stay in the state in which they were last seen.
struct ProcessEnd {
    std::uint32_t pid = 0;
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC, when it was last known alive; its last events may be slightly later
};

struct ThreadName {
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::string name;  ///< bytes from the target, should be UTF-8 but unchecked
};

struct CoroutineName {
    CoroutineId coroutine = kNoCoroutine;
    std::string name;  ///< bytes from the target, should be UTF-8 but unchecked
};

/// The target reports that `parent` created `coroutine`, or waits for its result.
struct Parent {
    CoroutineId coroutine = kNoCoroutine;
    CoroutineId parent = kNoCoroutine;
};

/// The kind of object that a suspension waits for. The values are those of the layout.
enum class WaitKind : std::uint8_t { Unknown = 0, Lock, Channel, Descriptor, Timer, Coroutine, Other };

/// A suspension waits for an object.
struct WaitsOn {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t n = 0;  ///< number of the suspension
    WaitKind kind = WaitKind::Unknown;
    std::uint64_t object = 0;           ///< address, descriptor, or deadline (ns, CLOCK_MONOTONIC)
    CoroutineId target = kNoCoroutine;  ///< the awaited coroutine, for WaitKind::Coroutine
};

/// A thread or a coroutine made `coroutine` runnable.
struct Wake {
    CoroutineId coroutine = kNoCoroutine;  ///< the woken coroutine
    CoroutineId by = kNoCoroutine;         ///< the waking coroutine, if the target reports one
    std::uint64_t n = 0;                   ///< events of `coroutine` that the waker saw; it woke suspension n - 1
    std::uint64_t ts = 0;                  ///< ns, CLOCK_MONOTONIC
    std::uint32_t pid = 0;                 ///< process of the waker
    std::uint32_t tid = 0;                 ///< thread of the waker
};

/// The lane of a thread was full from firstTs to lastTs and refused records. Refused events also appear as losses of
/// their coroutines.
struct Drop {
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::uint64_t records = 0;  ///< records dropped
    std::uint64_t firstTs = 0;  ///< ns, CLOCK_MONOTONIC, of the first dropped record
    std::uint64_t lastTs = 0;   ///< ns, CLOCK_MONOTONIC, of the last dropped record
};

/// A process switched tracing off, or on again. Events in between are not published, and so they are not lost.
struct Switch {
    std::uint32_t pid = 0;
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC
    bool on = false;
};

/// The notes of a batch.
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

/// The contents of a coroutine's station contradict themselves. The engine draws no more conclusions from it.
struct Flag {
    enum class Reason : std::uint8_t { TwoWriters, DialectContradiction };
    CoroutineId coroutine = kNoCoroutine;
    Reason reason = Reason::TwoWriters;
};

/// The rows that one pass of a Source emits.
struct Batch {
    std::vector<Site> sites;
    std::vector<Birth> births;
    std::vector<Loss> losses;  ///< for the sums; losses also show as jumps in Transition::n
    Transitions transitions;
    std::vector<Death> deaths;
    std::vector<Flag> flags;
    Notes notes;            ///< name only coroutines whose births are in this batch or an earlier one
    std::uint64_t now = 0;  ///< ns, CLOCK_MONOTONIC, of the pass; from a JSONL file the latest ts so far

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

/// Sums over a run; they only grow. captured + lost + missedBeforeAttach = published, over traced coroutines.
struct RunSums {
    std::uint64_t captured = 0;
    std::uint64_t lost = 0;
    std::uint64_t missedBeforeAttach = 0;
    std::uint64_t coroutines = 0;        ///< traced coroutines
    std::uint64_t coroutinesMissed = 0;  ///< overwrite mode: traced coroutines whose records were all overwritten
    std::uint64_t notesLost = 0;         ///< names, parents, wakes and waits that name an unknown coroutine
    std::uint64_t untraced = 0;          ///< coroutines without a station, or whose birth was never completed
    std::uint64_t birthsOvertaken = 0;   ///< a part of untraced: a burst of births was faster than the region grew
    std::uint64_t bornWhileOff = 0;      ///< born while tracing was off; neither in coroutines nor in untraced
    std::uint64_t bornBeforeInit = 0;    ///< reported by the probe; neither in coroutines nor in untraced
    std::uint64_t flaggedStations = 0;
    std::uint64_t sitesDropped = 0;
    std::uint64_t recordsDropped = 0;  ///< records refused, overwritten unread, or without a lane; slots of holes
    std::uint64_t recordsInHoles = 0;  ///< a part of recordsDropped: slots of holes
    std::uint32_t threadsWithoutLane = 0;
    std::uint32_t lanesShortened = 0;         ///< lanes with less memory than planned, because the file system was full
    std::uint32_t lanesDamaged = 0;           ///< lanes with holes, from events in a signal handler or stray writes
    std::uint32_t processesUnmapped = 0;      ///< untraced: their address space has no room for the region
    std::uint32_t processesPartlyMapped = 0;  ///< traced, with room for fewer coroutines and lanes
};

/// Counts of what a sink could not keep, although the source emitted it.
struct RunOverflow {
    std::uint64_t overflowCoroutines = 0;  ///< overflow, a part of coroutines: the trace in memory has no room for them
    std::uint64_t overflowEvents = 0;      ///< overflow, a part of captured: the transitions of overflowCoroutines
    std::uint64_t overflowNames = 0;       ///< overflow: names that the trace in memory has no room for
    std::uint64_t notesEvicted = 0;        ///< export of a trace: wakes and waits that were no longer in memory
    std::uint64_t eventsNotWritten = 0;    ///< a part of captured: transitions that are missing in a file that failed
};

/// The use of a region at present.
struct RegionGauges {
    std::uint32_t stationsAllocated = 0;         ///< full and compact stations
    std::uint32_t stationsMax = 0;               ///< limit of stationsAllocated
    std::uint32_t compactStationsAllocated = 0;  ///< a part of stationsAllocated: compact stations
    std::uint32_t compactStationsMax = 0;        ///< a part of stationsMax: compact stations
    std::uint32_t lanesInUse = 0;                ///< lanes of living threads, and lanes that are not drained yet
    std::uint32_t lanes = 0;                     ///< lanes made so far
    std::uint64_t laneBytes = 0;                 ///< bytes of the pool that became lanes
    std::uint64_t laneBytesMax = 0;              ///< bytes of the pool; 0 = no lanes
    double laneFill = 0;                         ///< fill of the fullest lane at its last visit, 0 to 1
    std::uint64_t regionBytes = 0;               ///< memory that the region's file uses at present
    std::uint32_t processes = 0;                 ///< processes that write at present
};

/// Conditions of a run.
struct RunFlags {
    bool growthStopped = false;     ///< the file system is full: no more stations or lanes can be made
    bool timesApproximate = false;  ///< the processor's counter was unreliable
    bool paused = false;            ///< the engine paused tracing
    bool unproven = false;          ///< old-SDK writers on a weakly ordered machine
};

/// The books of a run, which are always shown.
struct Accounting : RunSums, RunOverflow, RegionGauges, RunFlags {};

/// Consumes the stream. All calls come from the thread that drives the source.
class Sink {
public:
    virtual ~Sink() = default;
    /// Consumes the batch of one pass. After an error the sink is not called again, and the source continues.
    virtual Result<void> consume(const Batch &batch) = 0;
    /// Ends the stream. Makes the output complete and valid.
    virtual Result<void> finish(const Accounting &) { return {}; }
};

}  // namespace ct
