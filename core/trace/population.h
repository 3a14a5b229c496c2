// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The present state of every coroutine of a run, and statistics of each suspension point. Records of living coroutines
// always stay. Over a limit, records of ended coroutines are evicted and counted: see Overflow.
//
// One writer (the source's thread, through consume()), any number of readers on other threads. Readers see a published
// prefix, take consistent copies, and never lock.
#pragma once

#include "core/stream/stream.h"
#include "core/trace/coroutineeviction.h"
#include "core/trace/overflowcount.h"
#include "core/trace/samplelog.h"

#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ct {

/// One state machine for all views, rules and reports: see docs/states.md.
enum class CoroutineState : std::uint8_t {
    Created,    ///< born, no transition seen
    Runnable,   ///< suspended at `site` / `addr` since `since`, woken at `runnableSince`, and not resumed yet
    Running,    ///< on thread `tid` since `since`
    Suspended,  ///< at `site` / `addr` since `since`, and not woken
    Finished,   ///< suspended at its final suspension point, or finished without a trace of that suspension
    Destroyed,
    Unknown,  ///< the latest transition was lost, the coroutine is flagged, or its thread ended while it ran
};
inline constexpr std::size_t kCoroutineStates = 7;

/// True for a coroutine at a suspension point that is not its final one, whether or not it was woken.
constexpr bool isSuspended(CoroutineState state)
{
    return state == CoroutineState::Suspended || state == CoroutineState::Runnable;
}

/// A consistent copy of one coroutine's present state. Times are ns, CLOCK_MONOTONIC; durations ns.
struct CoroutineSnapshot {
    CoroutineId id = kNoCoroutine;
    std::uint32_t station = 0;
    std::uint32_t generation = 0;
    std::uint32_t pid = 0;
    std::uint64_t probeId = 0;
    std::uint64_t birthTs = 0;
    std::uint64_t deathTs = 0;           ///< 0 = alive
    Dialect dialect = Dialect::Unknown;  ///< as given at birth, else determined from the first seqs
    bool flagged = false;
    Flag::Reason flagReason = Flag::Reason::TwoWriters;  ///< if flagged: the first reason
    bool kept = true;  ///< false: the coroutine has ended and its record was evicted; the other members are not known

    CoroutineState state = CoroutineState::Created;
    PointKind kind = PointKind::Await;
    /// Time of the latest transition, birth or death. A wake does not change it, so the suspension of a Runnable
    /// coroutine begins here. Unknown: time of the report, or when the end of the thread was noticed.
    std::uint64_t since = 0;
    std::uint64_t runnableSince = 0;  ///< Runnable: time of the wake, at least `since`; else 0
    SiteId site = kUnknownSite;       ///< site of the latest suspension
    SiteId bodySite = kUnknownSite;   ///< first site in its own body; the site's function names the coroutine
    std::uint64_t addr = 0;           ///< address of the latest suspension
    std::uint32_t tid = 0;            ///< thread of the latest transition
    std::uint64_t events = 0;         ///< transitions captured
    std::uint64_t lost = 0;           ///< overwritten or dropped before they were captured
    std::uint64_t missed = 0;         ///< published, and gone before the engine attached
    std::uint64_t unexplained = 0;    ///< numbers that are missing in the stream without a Loss row
    std::uint64_t runNs = 0;          ///< duration of completed running intervals
    std::uint64_t suspendedNs = 0;    ///< duration of completed suspensions

    /// Time since which the coroutine has been in `state`.
    std::uint64_t stateSince() const { return state == CoroutineState::Runnable ? runnableSince : since; }
};

/// The notes of a target about a coroutine. Copies; a member without a note is empty or kNoCoroutine.
struct CoroutineNotes {
    std::string name;
    CoroutineId parent = kNoCoroutine;
    std::uint32_t children = 0;
    std::optional<WaitsOn> waitsOn;  ///< wait of the present suspension
    std::optional<Wake> lastWake;    ///< the latest wake of this coroutine
    bool woken = false;              ///< lastWake is for the present suspension: the coroutine is Runnable
    std::uint64_t wakes = 0;         ///< wakes of this coroutine so far
};

/// Why the numbers in a gap are missing. The counts apply in this order.
struct MissingEvents {
    std::uint64_t missed = 0;  ///< published, and gone before the engine attached
    /// Missing in the stream without a Loss row. Usually, they were no longer in memory when the recording was saved.
    std::uint64_t unexplained = 0;
    std::uint64_t lost = 0;  ///< overwritten or dropped before they were captured
};

/// A coroutine of a compact station was resumed on one thread, and then on another one, without a suspension and
/// without a gap between these events: two threads ran it at the same time.
struct DoubleResume {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t n = 0;        ///< number of the second resumption
    std::uint64_t firstTs = 0;  ///< ns, CLOCK_MONOTONIC, of the first one
    std::uint64_t ts = 0;       ///< ns, CLOCK_MONOTONIC, of the second one
    std::uint32_t firstTid = 0;
    std::uint32_t tid = 0;
    SiteId site = kUnknownSite;  ///< where it was suspended before
};

struct ProcessSnapshot {
    std::uint32_t pid = 0;
    std::string name;
    std::uint64_t firstTs = 0;  ///< ns, CLOCK_MONOTONIC
    std::uint64_t endTs = 0;    ///< 0 = alive
    bool tracing = true;        ///< false: it switched tracing off
    std::uint64_t alive = 0;    ///< coroutines born and not destroyed
    std::uint64_t coroutines = 0;
};

/// Durations of completed suspensions at one site. Log-linear buckets: 4 per power of two, error <= 25 %.
struct SiteStatistics {
    static constexpr int kBuckets = 256;
    std::uint64_t completed = 0;  ///< suspensions that ended in a resumption
    std::uint64_t maxNs = 0;
    bool ofSeveral = false;  ///< the suspensions were those of at least two coroutines
    std::array<std::uint64_t, kBuckets> buckets{};

    /// Duration in ns below which `fraction` (0..1) of the completed suspensions stayed; 0 if there are none.
    std::uint64_t quantile(double fraction) const;
    /// Bucket of a duration in ns. Durations 0..7 have a bucket each. Above, the power of two and the two bits behind
    /// the leading one determine the bucket.
    static constexpr int bucketOf(std::uint64_t ns)
    {
        const int shift = std::bit_width(ns | 4) - 3;  // leaves the leading one and the two bits behind it
        return shift * 4 + static_cast<int>(ns >> shift);
    }
    static std::uint64_t upperBoundOf(int bucket);
};

class Population final : public Sink {
public:
    /// 128 bytes for each, and 64 more after a wake or a wait: 8 to 12 GiB.
    static constexpr std::uint32_t kMostCoroutines = 1U << 26;

    /// Statistics use 2 KiB per site, 128 MiB for this many sites. Programs have some thousand sites.
    static constexpr SiteId kMostSitesWithStatistics = 1U << 16;

    /// `mostCoroutines`: how many can be born, fewer if the system has less address space. `limits`: how many records
    /// there are at a time.
    explicit Population(std::uint32_t mostCoroutines = kMostCoroutines, const RecordLimits &limits = {});
    ~Population() override;

    /// Writer only.
    Result<void> consume(const Batch &batch) override;

    // Readers, any thread.
    std::uint32_t size() const;
    CoroutineSnapshot at(CoroutineId id) const;  ///< id < size()
    /// at(id).since if the coroutine is Suspended or Runnable, else kNotSuspended. Cheap.
    std::uint64_t suspendedSince(CoroutineId id) const;
    static constexpr std::uint64_t kNotSuspended = ~std::uint64_t{0};

    /// Coroutines are grouped in pages of kPageSize ids. A page's version grows whenever one of its coroutines changes,
    /// except when its process or its thread ends.
    static constexpr std::uint32_t kPageSize = CoroutineEviction::kPageSize;
    std::uint32_t pageCount() const;
    std::uint64_t pageVersion(std::uint32_t page) const;
    /// False: this page has no records and never gets any. Its version grew with that change.
    bool isPageKept(std::uint32_t page) const;
    bool isKept(CoroutineId id) const { return isPageKept(id / kPageSize); }
    std::uint64_t keptCount() const;  ///< coroutines with a record
    /// Bytes of the records and notes of coroutines, counted in whole pages of kPageSize coroutines.
    std::uint64_t bytesUsed() const;

    /// Any thread. A page's version grows with these as well.
    CoroutineNotes notes(CoroutineId id) const;
    /// Objects of the wait of the present suspension: several if the target reported several, else one or none. Takes a
    /// lock.
    std::vector<WaitsOn> waitsOf(CoroutineId id) const;
    /// The suspended coroutine that awaits this one at present; kNoCoroutine = unknown. Of several, the latest.
    CoroutineId waiterFor(CoroutineId id) const;
    /// How many objects are left that could wake the suspended coroutine, if the target reported it.
    std::optional<std::uint64_t> wakersLeft(CoroutineId id) const;
    /// Acquisitions of an object that were not released so far, in the order of the stream. Takes a lock.
    std::vector<Use> holdersOf(std::uint32_t pid, std::uint64_t object) const;
    /// Acquisitions by the coroutine that were not released so far, oldest first. Takes a lock.
    std::vector<Use> heldBy(CoroutineId id) const;
    CoroutineId parentOf(CoroutineId id) const;                          ///< cheap; kNoCoroutine = unknown
    bool hasName(CoroutineId id) const;                                  ///< cheap
    std::string threadName(std::uint32_t pid, std::uint32_t tid) const;  ///< empty = unknown
    std::vector<ThreadName> threadNames() const;                         ///< in order of appearance
    std::vector<ProcessSnapshot> processes() const;                      ///< in order of appearance
    /// Reports of full lanes, oldest first; the latest 10,000.
    std::vector<Drop> drops() const;
    std::uint64_t dropCount() const;
    std::vector<Switch> switches() const;             ///< tracing switched on or off; oldest first, the latest 10,000
    std::vector<DoubleResume> doubleResumes() const;  ///< in the order of the stream; the latest 10,000
    /// What the engine saw of threads and descriptors. Empty if it could not: then a judge has to abstain.
    const SampleLog &samples() const;
    /// ns, CLOCK_MONOTONIC: what samples() says of the process's threads holds until then; 0 = there are none.
    std::uint64_t sampledUntil(std::uint32_t pid) const;
    /// Why the numbers [firstN, firstN + count) of a coroutine, a gap in its history, are missing.
    MissingEvents whyMissing(CoroutineId id, std::uint64_t firstN, std::uint64_t count) const;

    std::uint32_t siteCount() const;  ///< known ids are in 1 .. siteCount()
    /// The address is stable for the life of the Population. nullptr for kUnknownSite and ids not known (yet).
    const Site *site(SiteId id) const;
    /// A coroutine suspended first at this site, by a co_yield: it is a generator.
    bool isGeneratorSite(SiteId id) const;
    /// kUnknownSite, and any id from kMostSitesWithStatistics on, stand for all suspensions at such sites together.
    SiteStatistics siteStatistics(SiteId id) const;

    std::uint64_t now() const;       ///< time (ns) of the latest batch; "now" for every duration that still runs
    std::uint64_t captured() const;  ///< transitions consumed so far
    /// captured(), and the transitions of the batch that is being consumed: at least those that at() has returned.
    std::uint64_t arrived() const;
    std::uint64_t lost() const;   ///< without missed events
    std::uint64_t alive() const;  ///< coroutines with a record, born and not destroyed
    /// Coroutines that got no record, or whose record was evicted. captured() and lost() include their events.
    Overflow overflow() const;
    /// False: no record was evicted while overflow() read these sums, nor since. Then `sums` includes each coroutine
    /// for which isKept() has returned false since, and no other that had a record.
    bool hasEvictedSince(const Overflow &sums) const;
    /// Number of times that a name of a coroutine, thread or process did not fit into the memory for names.
    std::uint64_t overflowNames() const;

    struct Data;  ///< core/trace/populationdata.h

private:
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
