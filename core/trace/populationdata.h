// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The members of a Population. Only population*.cpp include this.
#pragma once

#include "core/base/chunkedarray.h"
#include "core/base/relaxed.h"
#include "core/base/reservedarray.h"
#include "core/base/sparsearray.h"
#include "core/trace/populationnotes.h"

#include <span>

namespace ct {

namespace population {

using Word = std::atomic<std::uint64_t>;

inline constexpr auto kAcquire = std::memory_order_acquire;
inline constexpr auto kRelease = std::memory_order_release;

/// The upper half of Record::lockAndBits.
inline constexpr std::uint32_t kStateMask = 0xF;
inline constexpr std::uint32_t kKindShift = 4;
inline constexpr std::uint32_t kKindMask = 3U << kKindShift;
inline constexpr std::uint32_t kDialectShift = 8;
inline constexpr std::uint32_t kFlagged = 1U << 12;
inline constexpr std::uint32_t kSeen = 1U << 13;   ///< a transition was captured, and none was lost after it
inline constexpr std::uint32_t kNamed = 1U << 14;  ///< bodySite is known
/// Derived from the other bits, see withDerivedBits(): one test tells whether a transition is ordinary.
inline constexpr std::uint32_t kOrdinary = 1U << 15;
inline constexpr std::uint32_t kRunning = 1U << 16;
/// With kFlagged: the reason is Flag::Reason::DialectContradiction.
inline constexpr std::uint32_t kContradiction = 1U << 17;

constexpr std::uint32_t numberOf(CoroutineState state)
{
    return static_cast<std::uint32_t>(state);
}
inline CoroutineState stateOf(std::uint32_t bits)
{
    return static_cast<CoroutineState>(bits & kStateMask);
}
inline std::uint32_t withState(std::uint32_t bits, CoroutineState state)
{
    return (bits & ~kStateMask) | numberOf(state);
}
inline PointKind kindOf(std::uint32_t bits)
{
    return static_cast<PointKind>(bits >> kKindShift & 3U);
}
inline Dialect dialectOf(std::uint32_t bits)
{
    return static_cast<Dialect>(bits >> kDialectShift & 3U);
}
inline std::uint32_t withDialect(std::uint32_t bits, Dialect dialect)
{
    return (bits & ~(3U << kDialectShift)) | (static_cast<std::uint32_t>(dialect) & 3U) << kDialectShift;
}
/// True if a Finish ended the body, and no event at the final suspension.
inline bool isFinishedWithoutEvent(std::uint32_t bits)
{
    return stateOf(bits) == CoroutineState::Finished && kindOf(bits) != PointKind::Final;
}
/// Derives kOrdinary and kRunning from the other bits.
inline std::uint32_t withDerivedBits(std::uint32_t bits)
{
    const CoroutineState state = stateOf(bits);
    const bool ordinary = (bits & kSeen) && !(bits & kFlagged) && dialectOf(bits) != Dialect::Unknown &&
                          state != CoroutineState::Destroyed && !isFinishedWithoutEvent(bits);
    bits &= ~(kOrdinary | kRunning);
    return bits | (ordinary ? kOrdinary : 0) | (state == CoroutineState::Running ? kRunning : 0);
}

/// The part of a coroutine that each transition changes: a seqlock of atomics with one writer. Writer: lock odd
/// (relaxed), contents (release each), lock even (release). Readers: lock (acquire), contents (acquire each), lock
/// again (relaxed). A reader of any newer content synchronizes with that write, so it sees the odd lock before it. The
/// lock also guards Missed and some members of Origin.
struct alignas(64) Record {
    Word lockAndBits{0};  ///< lock (32, low) | bits (32)
    Word since{0};
    Word addr{0};
    std::atomic<SiteId> site{kUnknownSite};
    std::atomic<std::uint32_t> tid{0};
    Word nextN{0};
    Word skipped{0};              ///< nextN - skipped = transitions captured
    std::array<Word, 2> spent{};  ///< ns; [0] running, [1] suspended

    std::uint32_t bits() const { return static_cast<std::uint32_t>(lockAndBits.load(kRelaxed) >> 32); }
};
static_assert(sizeof(Record) == 64);

/// The rest of a coroutine.
struct alignas(64) Origin {
    // Constant once published.
    Word probeId{0};
    Word birthTs{0};
    Word stationAndGeneration{0};           ///< station (32, high) | generation (32)
    std::atomic<std::uint32_t> process{0};  ///< index in the ProcessTable
    // Under the lock of the Record.
    std::atomic<SiteId> bodySite{kUnknownSite};
    Word deathTs{0};
    Word lost{0};
    // Each of these on its own: release, partner: the readers' acquire.
    std::atomic<std::uint32_t> name{0};    ///< index in the NameTable
    std::atomic<std::uint32_t> parent{0};  ///< id + 1; 0 = unknown
    std::atomic<std::uint32_t> children{0};
    std::uint32_t pad = 0;
};
static_assert(sizeof(Origin) == 64);

/// Statistics of one site. Counters of a single writer: plain load and store, relaxed. Readers may see a suspension in
/// one counter before they see it in another.
struct Statistics {
    Word maxNs{0};
    std::atomic<CoroutineId> oneCoroutine{kNoCoroutine};  ///< of the first suspension
    /// The bits in which the coroutines of later suspensions differ from it; 0 = all were of one coroutine.
    std::atomic<CoroutineId> otherCoroutines{0};
    std::array<Word, SiteStatistics::kBuckets> buckets{};
};

struct SiteEntry {
    std::atomic<const Site *> site{nullptr};  ///< constant once published; release, partner: acquire in site()
    /// Made when the first suspension there ends; release, partner: acquire in siteStatistics().
    std::atomic<Statistics *> statistics{nullptr};
    std::atomic<bool> isGenerator{false};  ///< relaxed: carries no data; see isGeneratorSite()

    ~SiteEntry()
    {
        delete site.load(kRelaxed);
        delete statistics.load(kRelaxed);
    }
};

/// The writer's side of a record's seqlock, for one change.
class Writing {
public:
    explicit Writing(Record &record) : m_record(record)
    {
        const std::uint64_t lockAndBits = record.lockAndBits.load(kRelaxed);
        m_lock = static_cast<std::uint32_t>(lockAndBits);
        bits = static_cast<std::uint32_t>(lockAndBits >> 32);
        m_record.lockAndBits.store(lockAndBits + 1, kRelaxed);
    }
    ~Writing() { m_record.lockAndBits.store(std::uint64_t{withDerivedBits(bits)} << 32 | (m_lock + 2), kRelease); }
    Writing(const Writing &) = delete;
    Writing &operator=(const Writing &) = delete;

    std::uint32_t bits;  ///< stored by the destructor

private:
    Record &m_record;
    std::uint32_t m_lock;
};

}  // namespace population

struct Population::Data {
    using Word = population::Word;

    Data(std::uint32_t mostCoroutines, const RecordLimits &limits)
        : coroutineEviction(limits),
          pages((mostCoroutines + kPageSize - 1) / kPageSize),
          records(mostCoroutines),
          origins(mostCoroutines),
          notes(limits.nameBytes)
    {
    }

    CoroutineEviction coroutineEviction;
    /// Bit in a page's version: the page has no records. Stored (release) before their memory is released; partner:
    /// at().
    static constexpr std::uint64_t kWithoutRecords = std::uint64_t{1} << 63;

    // The small array first: where address space is short, the others would leave it none.
    ReservedArray<Word> pages;  ///< versions; release, so a reader of a new version sees the changes
    ReservedArray<population::Record> records;
    ReservedArray<population::Origin> origins;         ///< as many as records; published before them
    ChunkedArray<population::SiteEntry, 8, 14> sites;  ///< [0] is the unknown site
    PopulationNotes notes;
    /// Events missed before the attach; under the record's lock.
    struct Missed {
        Word count{0};
        Word end{0};  ///< missing numbers below it were missed, later ones lost
    };
    SparseArray<Missed, 12, 14> missed;
    Word now{0};
    Word arrived{0};
    Word captured{0};
    Word lost{0};
    Word alive{0};
    OverflowCounter overflow;

    // Writer only.
    population::Statistics uncounted;  ///< target for suspensions that do not count; saves a branch
    /// [0] is `uncounted`, [site + 1] belongs to a site below kMostSitesWithStatistics; nullptr until a suspension
    /// ends.
    std::vector<population::Statistics *> statistics{&uncounted};
    std::vector<std::uint32_t> touchedIn;  ///< by page: the number of the latest batch that changed it
    std::vector<std::uint32_t> touched;    ///< pages that this batch changes, and one spare entry
    std::size_t touchedCount = 0;
    std::uint32_t batchNumber = 0;
    bool anyBackwardParent = false;  ///< some parent is younger than its child: cycles are possible

    void consume(const Batch &batch);

    void addSite(const Site &site);
    void addBirth(const Birth &birth);
    bool makeRecord(const Birth &birth);
    bool makePage();
    static void makeUnknown(population::Record &record, population::Writing &writing, std::uint64_t noticed);
    void applyLoss(const Loss &loss);
    void settleLoss(const Loss &loss, std::uint64_t noticed);
    void applyDeath(const Death &death);
    void applyFinish(const Finish &finish);
    void applyFlag(const Flag &flag, std::uint64_t noticed);
    population::Statistics &statisticsOf(SiteId site, CoroutineId first);

    void applyNotesBefore(const Notes &batchNotes);
    void applyNotesAfter(const Notes &batchNotes);
    void applyName(const CoroutineName &name);
    void applyParent(const Parent &parent);
    bool isAncestor(CoroutineId older, CoroutineId of) const;
    /// Limit for the walk to the ancestors: a few ms of cache misses. A target decides how deep its coroutines nest,
    /// and must not stop the harvest thread. No useful recursion gets this deep.
    static constexpr int kMostStepsUp = 100'000;

    void evictPage(std::uint32_t page);
    void release(CoroutineId first, CoroutineId end);
    bool admit(CoroutineId id);
    bool isKnown(CoroutineId id) const { return id < records.sizeOfWriter() && !coroutineEviction.isWithoutRecord(id); }
    population::Record *recordOf(CoroutineId id) { return isKnown(id) ? &records[id] : nullptr; }
    void beginTouching();
    /// Marks the page as changed. publishTouched() raises its version at the end of the batch, after all changes.
    struct TouchList {
        std::uint32_t *touchedIn;
        std::uint32_t *touched;
        std::uint32_t batchNumber;
    };
    static std::size_t noteTouched(const TouchList &list, CoroutineId id, std::size_t count)
    {
        const std::uint32_t page = id / kPageSize;
        list.touched[count] = page;
        count += list.touchedIn[page] != list.batchNumber;
        list.touchedIn[page] = list.batchNumber;
        return count;
    }
    void touch(CoroutineId id)
    {
        touchedCount = noteTouched({touchedIn.data(), touched.data(), batchNumber}, id, touchedCount);
    }
    void publishTouched();
};

/// Applies the transitions of a batch to the present states: core/trace/populationtransitions.cpp. Writer only.
void applyTransitions(Population::Data &data, std::span<const Transition> transitions);

}  // namespace ct
