// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The present state of every coroutine of a run, and what each suspension point usually takes. Of living coroutines it
// is never dropped; of those that have ended it may be, over a limit, and is counted then: see NotKept.
//
// One writer (the source's thread, through consume()), any number of readers on other threads: readers see a
// published prefix and take consistent copies; nobody locks.
#pragma once

#include "core/trace/notkept.h"
#include "core/trace/residence.h"
#include "core/trace/stream.h"

#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ct {

enum class CoroutineState : std::uint8_t {
    Created,    ///< born, no transition seen
    Running,    ///< on thread `tid` since `since`
    Suspended,  ///< at `site` / `addr` since `since`
    Finished,   ///< suspended at its final suspension point
    Destroyed,
    Unknown,  ///< the latest transition was lost, or the station is flagged
};

/// A consistent copy of one coroutine's present state. Times are ns, CLOCK_MONOTONIC; durations ns.
struct CoroutineSnapshot {
    CoroutineId id = kNoCoroutine;
    std::uint32_t station = 0;
    std::uint32_t generation = 0;
    std::uint32_t pid = 0;
    std::uint64_t probeId = 0;
    std::uint64_t birthTs = 0;
    std::uint64_t deathTs = 0;           ///< 0 = alive
    Dialect dialect = Dialect::Unknown;  ///< as born, else concluded from the first seqs
    bool flagged = false;
    bool kept = true;  ///< false: of a coroutine that has ended, and whose record was dropped; nothing else is known

    CoroutineState state = CoroutineState::Created;
    PointKind kind = PointKind::Await;
    std::uint64_t since = 0;         ///< time of the latest state change; of Unknown: when it was noticed
    SiteId site = kUnknownSite;      ///< of the latest suspension
    SiteId bodySite = kUnknownSite;  ///< of the first suspension within its own body: its function names the coroutine
    std::uint64_t addr = 0;          ///< of the latest suspension
    std::uint32_t tid = 0;           ///< of the latest transition
    std::uint64_t events = 0;        ///< transitions captured
    std::uint64_t lost = 0;          ///< overwritten before they were read, or met a full lane
    std::uint64_t missed = 0;        ///< before the capture was attached
    std::uint64_t dropped = 0;       ///< neither, and yet not in the stream: a recording was saved without them
    std::uint64_t runNs = 0;         ///< completed running intervals
    std::uint64_t suspendedNs = 0;   ///< completed suspensions
};

/// What a target said about a coroutine beyond its transitions. Copies; empty or kNoCoroutine where it said nothing.
struct CoroutineNotes {
    std::string name;
    CoroutineId parent = kNoCoroutine;
    std::uint32_t children = 0;
    std::optional<WaitsOn> waitsOn;  ///< of its latest suspension, while that lasts
    std::optional<Wake> lastWake;    ///< the latest that it got
    bool woken = false;              ///< lastWake meant the suspension that lasts still: it is runnable, and waits
    std::uint64_t wakes = 0;         ///< that it got so far
};

/// Of the numbers in a gap, in this order: so many were ...
struct MissingEvents {
    std::uint64_t missed = 0;   ///< emitted before the capture was attached, and gone by then
    std::uint64_t dropped = 0;  ///< captured, but no longer in memory when the recording was saved
    std::uint64_t lost = 0;     ///< overwritten before they were read, or met a full lane
};

struct ProcessSnapshot {
    std::uint32_t pid = 0;
    std::string name;
    std::uint64_t firstTs = 0;  ///< ns, CLOCK_MONOTONIC
    std::uint64_t endTs = 0;    ///< 0 = lives
    bool tracing = true;        ///< false: switched itself off
    std::uint64_t alive = 0;    ///< coroutines born and not destroyed
    std::uint64_t coroutines = 0;
};

/// How long completed suspensions at one site took. Log-linear buckets: 4 per power of two, error <= 25 %.
struct SiteStatistics {
    static constexpr int kBuckets = 256;
    std::uint64_t completed = 0;  ///< suspensions that ended in a resume
    std::uint64_t maxNs = 0;
    std::array<std::uint64_t, kBuckets> buckets{};

    /// Duration below which `fraction` (0..1) of the completed suspensions stayed, ns; 0 if there are none.
    std::uint64_t quantile(double fraction) const;
    /// Durations 0..3 have a bucket each. From there on the power of two and the two bits below the leading one count.
    static constexpr int bucketOf(std::uint64_t ns)
    {
        const int shift = std::bit_width(ns | 4) - 3;  // leaves the leading one and the two bits behind it
        return shift * 4 + static_cast<int>(ns >> shift);
    }
    static std::uint64_t upperBoundOf(int bucket);
};

class Population final : public Sink {
public:
    /// 128 bytes for each, and 64 more for one that was woken or said what it waits for: 8 to 12 GiB.
    static constexpr std::uint32_t kMostCoroutines = 1U << 26;

    /// Statistics take 2 KiB a site, 128 MiB for so many. Programs have some thousand sites.
    static constexpr SiteId kMostSitesWithStatistics = 1U << 16;

    /// `mostCoroutines` can be born, fewer where the system has less address space to give; `limits`: so many records
    /// there are at a time.
    explicit Population(std::uint32_t mostCoroutines = kMostCoroutines, const RecordLimits &limits = {});
    ~Population() override;

    /// Writer only.
    Result<void> consume(const Batch &batch) override;

    // Readers, any thread.
    std::uint32_t size() const;
    CoroutineSnapshot at(CoroutineId id) const;  ///< id < size()
    /// at(id).since of a coroutine that is Suspended and not flagged, else kNotSuspended. Cheap.
    std::uint64_t suspendedSince(CoroutineId id) const;
    static constexpr std::uint64_t kNotSuspended = ~std::uint64_t{0};

    /// Coroutines are grouped in pages of kPageSize ids; a page's version grows whenever one of them changes.
    static constexpr std::uint32_t kPageSize = Residence::kPageSize;
    std::uint32_t pageCount() const;
    std::uint64_t pageVersion(std::uint32_t page) const;
    /// False: there are no records of this page, for good. Its version has grown with that.
    bool isPageKept(std::uint32_t page) const;
    bool isKept(CoroutineId id) const { return isPageKept(id / kPageSize); }
    std::uint64_t keptCount() const;  ///< coroutines with a record
    /// Of records and notes of coroutines, with room for what the system shares out in pages.
    std::uint64_t bytesUsed() const;

    /// Any thread; a page's version grows with these as well.
    CoroutineNotes notes(CoroutineId id) const;
    CoroutineId parentOf(CoroutineId id) const;                          ///< cheap; kNoCoroutine = unknown
    bool hasName(CoroutineId id) const;                                  ///< cheap
    std::string threadName(std::uint32_t pid, std::uint32_t tid) const;  ///< empty = unknown
    std::vector<ThreadName> threadNames() const;                         ///< in order of appearance
    std::vector<ProcessSnapshot> processes() const;                      ///< in order of appearance
    /// Full lanes so far, oldest first; the latest 10,000 are kept.
    std::vector<Drop> drops() const;
    std::uint64_t dropCount() const;
    std::vector<Switch> switches() const;  ///< of tracing, oldest first
    /// Why the numbers [firstN, firstN + count) of a coroutine, a gap in its history, are missing.
    MissingEvents whyMissing(CoroutineId id, std::uint64_t firstN, std::uint64_t count) const;

    std::uint32_t siteCount() const;  ///< known ids are among 1 .. siteCount()
    /// Stable address for the life of the Population; nullptr for kUnknownSite and ids not (yet) known.
    const Site *site(SiteId id) const;
    /// kUnknownSite, and any id from kMostSitesWithStatistics: of all suspensions at such sites together.
    SiteStatistics siteStatistics(SiteId id) const;

    std::uint64_t now() const;       ///< of the latest batch; "now" for every duration that is still running
    std::uint64_t captured() const;  ///< transitions consumed so far
    std::uint64_t lost() const;      ///< without what was missed before attach
    std::uint64_t alive() const;     ///< born and not destroyed, of those that are kept
    /// Coroutines that came when there was no record left. Their transitions are among captured(), nothing else is.
    NotKept notKept() const;
    /// False: no record was dropped while notKept() read these sums, nor since. Each coroutine that isKept() has denied
    /// since is in them, and no other one that had a record.
    bool hasDroppedSince(const NotKept &sums) const;
    /// How often a coroutine, thread or process got a name that the memory for names had no room for.
    std::uint64_t namesNotKept() const;

    struct Data;  ///< core/trace/populationdata.h

private:
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
