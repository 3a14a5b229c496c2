// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The decoded stream that every Source emits and every Sink consumes.
//
// A Batch is a value. The following order holds within a batch and across batches. A site precedes its first use. A
// birth precedes all other rows of its coroutine, and a death follows them, except for wakes of a destroyed coroutine.
// The transitions of a coroutine are in the order of their numbers.
// See docs/decisions/0002-stream-of-batches.md.
#pragma once

#include "core/base/result.h"
#include "core/base/uninitialized.h"
#include "core/stream/accounting.h"
#include "core/stream/evidence.h"

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

/// `parent` created `coroutine`.
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
    std::uint32_t part = 0;             ///< 0: the only object; else see isForAll() and indexOfPart()

    /// The wait is for several objects, and ends when all have come; otherwise when any has come.
    bool isForAll() const { return part != 0 && part % 2 == 0; }
    /// Position among the objects of the wait, from 0.
    std::uint32_t indexOfPart() const { return part == 0 ? 0 : (part - 1) / 2; }
};

enum class UseKind : std::uint8_t { Acquired = 0, Released, Signalled };

/// A coroutine, or a thread without one, used an object.
struct Use {
    CoroutineId by = kNoCoroutine;
    std::uint64_t n = 0;  ///< events of `by` so far
    UseKind kind = UseKind::Acquired;
    std::uint64_t object = 0;  ///< its address
    SiteId site = kUnknownSite;
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
};

/// The target reports how many objects are left that could wake `coroutine`.
struct WakersLeft {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t n = 0;  ///< events of `coroutine` that the reporter saw
    std::uint64_t count = 0;
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC
};

/// The body of `coroutine` has ended without a traced final suspension. Its frame may be kept.
struct Finish {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC
    SiteId site = kUnknownSite;
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
    std::vector<Use> uses;
    std::vector<WakersLeft> wakersLeft;
    std::vector<Finish> finishes;
    std::vector<Drop> drops;
    std::vector<Switch> switches;
    std::vector<ProcessEnd> processEnds;
    std::vector<ThreadSample> threadSamples;
    std::vector<DescriptorSample> descriptorSamples;
    std::vector<ProcessSample> processSamples;

    /// Number of wakes, waits, uses, wakers left and finishes: the notes that can be as frequent as events.
    std::size_t causes() const
    {
        return waits.size() + wakes.size() + uses.size() + wakersLeft.size() + finishes.size();
    }
    bool empty() const
    {
        return processes.empty() && threadNames.empty() && names.empty() && parents.empty() && waits.empty() &&
               wakes.empty() && uses.empty() && wakersLeft.empty() && finishes.empty() && drops.empty() &&
               switches.empty() && processEnds.empty() && !hasSamples();
    }
    bool hasSamples() const { return !threadSamples.empty() || !descriptorSamples.empty() || !processSamples.empty(); }
    void clear()
    {
        processes.clear();
        threadNames.clear();
        names.clear();
        parents.clear();
        waits.clear();
        wakes.clear();
        uses.clear();
        wakersLeft.clear();
        finishes.clear();
        drops.clear();
        switches.clear();
        processEnds.clear();
        threadSamples.clear();
        descriptorSamples.clear();
        processSamples.clear();
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
