// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/population.h"

#include "core/trace/chunkedarray.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace ct {

namespace {

using Word = std::atomic<std::uint64_t>;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

/// Bits of Record::bits.
constexpr std::uint32_t kStateMask = 0xF;
constexpr std::uint32_t kKindShift = 4;
constexpr std::uint32_t kDialectShift = 8;
constexpr std::uint32_t kFlagged = 1U << 12;
constexpr std::uint32_t kNamed = 1U << 14;  ///< bodySite is known
constexpr std::uint32_t kSeen = 1U << 13;   ///< a transition was seen, and none lost after it

/// One coroutine: a seqlock of atomics. The writer alone stores: lock odd (relaxed), contents (release each), lock
/// even (release). Readers: lock (acquire), contents (acquire each), lock again (relaxed): a reader that saw any
/// content of a later write has synchronized with it and sees the lock that went odd before.
/// The first 64 bytes are all that a transition touches.
struct alignas(128) Record {
    std::atomic<std::uint32_t> lock{0};
    std::atomic<std::uint32_t> bits{0};
    Word since{0};
    Word siteAndTid{0};
    Word addr{0};
    Word events{0};
    Word runNs{0};
    Word suspendedNs{0};
    Word nextN{0};

    Word probeId{0};
    Word birthTs{0};
    Word stationAndGeneration{0};
    std::atomic<std::uint32_t> pid{0};
    std::atomic<SiteId> bodySite{kUnknownSite};
    Word deathTs{0};
    Word lost{0};
};
static_assert(sizeof(Record) == 128);

/// Statistics of one site. Counters of a single writer: plain load and store, relaxed; readers may see a suspension
/// in one of them and not yet in another.
struct Statistics {
    Word completed{0};
    Word maxNs{0};
    std::array<Word, SiteStatistics::kBuckets> buckets{};
};

struct SiteEntry {
    std::atomic<const Site *> site{nullptr};        ///< constant once published; release / acquire in site()
    std::atomic<Statistics *> statistics{nullptr};  ///< made at the first completed suspension; release / acquire

    ~SiteEntry()
    {
        delete site.load(kRelaxed);
        delete statistics.load(kRelaxed);
    }
};

void increase(Word &word, std::uint64_t by)
{
    word.store(word.load(kRelaxed) + by, kRelaxed);
}

std::uint64_t difference(std::uint64_t from, std::uint64_t to)
{
    return to > from ? to - from : 0;
}

CoroutineState stateOf(std::uint32_t bits)
{
    return static_cast<CoroutineState>(bits & kStateMask);
}
std::uint32_t withState(std::uint32_t bits, CoroutineState state)
{
    return (bits & ~kStateMask) | static_cast<std::uint32_t>(state);
}
std::uint32_t withKind(std::uint32_t bits, PointKind kind)
{
    return (bits & ~(3U << kKindShift)) | (static_cast<std::uint32_t>(kind) & 3U) << kKindShift;
}
Dialect dialectOf(std::uint32_t bits)
{
    return static_cast<Dialect>(bits >> kDialectShift & 3U);
}
std::uint32_t withDialect(std::uint32_t bits, Dialect dialect)
{
    return (bits & ~(3U << kDialectShift)) | (static_cast<std::uint32_t>(dialect) & 3U) << kDialectShift;
}

/// A number and its seq tell the dialect, unless they fit both.
std::uint32_t concludeDialect(std::uint32_t bits, const Transition &event)
{
    const bool seqlock = event.seq == slotSeq(Dialect::Seqlock, event.n);
    const bool monotonic = event.seq == slotSeq(Dialect::Monotonic, event.n);
    if (seqlock == monotonic)
        return bits;
    return withDialect(bits, seqlock ? Dialect::Seqlock : Dialect::Monotonic);
}

/// The writer's side of a record's seqlock, for one change.
class Writing {
public:
    explicit Writing(Record &record) : m_record(record), m_lock(record.lock.load(kRelaxed))
    {
        m_record.lock.store(m_lock + 1, kRelaxed);
    }
    ~Writing() { m_record.lock.store(m_lock + 2, kRelease); }
    Writing(const Writing &) = delete;
    Writing &operator=(const Writing &) = delete;

private:
    Record &m_record;
    std::uint32_t m_lock;
};

void copyRecord(const Record &record, CoroutineSnapshot &to)
{
    const std::uint32_t bits = record.bits.load(kAcquire);
    to.state = stateOf(bits);
    to.kind = static_cast<PointKind>(bits >> kKindShift & 3U);
    to.dialect = dialectOf(bits);
    to.flagged = bits & kFlagged;
    to.since = record.since.load(kAcquire);
    const std::uint64_t siteAndTid = record.siteAndTid.load(kAcquire);
    to.site = static_cast<SiteId>(siteAndTid >> 32);
    to.tid = static_cast<std::uint32_t>(siteAndTid);
    to.addr = record.addr.load(kAcquire);
    to.events = record.events.load(kAcquire);
    to.runNs = record.runNs.load(kAcquire);
    to.suspendedNs = record.suspendedNs.load(kAcquire);
    to.probeId = record.probeId.load(kAcquire);
    to.birthTs = record.birthTs.load(kAcquire);
    const std::uint64_t stationAndGeneration = record.stationAndGeneration.load(kAcquire);
    to.station = static_cast<std::uint32_t>(stationAndGeneration >> 32);
    to.generation = static_cast<std::uint32_t>(stationAndGeneration);
    to.pid = record.pid.load(kAcquire);
    to.bodySite = record.bodySite.load(kAcquire);
    to.deathTs = record.deathTs.load(kAcquire);
    to.lost = record.lost.load(kAcquire);
}

}  // namespace

struct Population::Data {
    ChunkedArray<Record, 12, 14> records;
    ChunkedArray<Word, 12, 8> pages;       ///< versions; stored with release, so that a changed page shows its changes
    ChunkedArray<SiteEntry, 8, 14> sites;  ///< [0] is the unknown site
    Word now{0};
    Word captured{0};
    Word lost{0};
    Word alive{0};

    void addSite(const Site &site);
    void addBirth(const Birth &birth);
    Record *appendRecord();
    void applyLoss(const Loss &loss);
    void concludeLoss(const Loss &loss, std::uint64_t noticed);
    void applyTransition(const Transition &event);
    void leave(Record &record, CoroutineState state, const Transition &event, bool adjacent);
    void applyDeath(const Death &death);
    void applyFlag(const Flag &flag, std::uint64_t noticed);
    void completed(SiteId id, std::uint64_t ns);

    Record *recordOf(CoroutineId id) { return id < records.sizeOfWriter() ? &records[id] : nullptr; }
    void touch(CoroutineId id)
    {
        Word &version = pages[id / kPageSize];
        version.store(version.load(kRelaxed) + 1, kRelease);
    }
};

// Usually in the order of ids; but a site whose owner was slow to fill it in comes after younger ones.
void Population::Data::addSite(const Site &site)
{
    if (site.id == kUnknownSite || site.id >= sites.kCapacity)
        return;
    while (sites.sizeOfWriter() <= site.id) {
        sites.prepare();
        sites.publish();
    }
    SiteEntry &entry = sites[site.id];
    if (!entry.site.load(kRelaxed))
        entry.site.store(new Site(site), kRelease);
}

Record *Population::Data::appendRecord()
{
    Record *record = records.prepare();
    if (!record)
        return nullptr;
    if (records.sizeOfWriter() % kPageSize == 0) {
        if (!pages.prepare())
            return nullptr;
        pages.publish();
    }
    return record;
}

void Population::Data::addBirth(const Birth &birth)
{
    if (birth.coroutine != records.sizeOfWriter())
        return;  // ids are dense, in order of discovery
    Record *record = appendRecord();
    if (!record)
        return;
    // Nobody sees the record before publish().
    record->probeId.store(birth.probeId, kRelaxed);
    record->birthTs.store(birth.birthTs, kRelaxed);
    record->since.store(birth.birthTs, kRelaxed);
    record->stationAndGeneration.store(std::uint64_t{birth.station} << 32 | birth.generation, kRelaxed);
    record->pid.store(birth.pid, kRelaxed);
    record->bits.store(withDialect(0, birth.dialect), kRelaxed);
    records.publish();
    increase(alive, 1);
    touch(birth.coroutine);
}

void Population::Data::applyLoss(const Loss &loss)
{
    if (!loss.beforeAttach)
        increase(lost, loss.count);
    Record *record = recordOf(loss.coroutine);
    if (!record || loss.count == 0)
        return;
    {
        const Writing writing(*record);
        record->lost.store(record->lost.load(kRelaxed) + loss.count, kRelease);
    }
    touch(loss.coroutine);
}

// After the transitions of the pass: where none came after the lost ones, the latest transition is not known.
void Population::Data::concludeLoss(const Loss &loss, std::uint64_t noticed)
{
    Record *record = recordOf(loss.coroutine);
    if (!record || loss.count == 0 || loss.firstN + loss.count <= record->nextN.load(kRelaxed))
        return;
    const std::uint32_t bits = record->bits.load(kRelaxed);
    {
        const Writing writing(*record);
        record->nextN.store(loss.firstN + loss.count, kRelease);
        record->bits.store(bits & ~kSeen, kRelease);
        if (stateOf(bits) != CoroutineState::Destroyed && stateOf(bits) != CoroutineState::Unknown) {
            record->bits.store(withState(bits & ~kSeen, CoroutineState::Unknown), kRelease);
            record->since.store(noticed, kRelease);
        }
    }
    touch(loss.coroutine);
}

// Accounts for the state that ends with `event`. Only adjacent transitions say how long it took.
void Population::Data::leave(Record &record, CoroutineState state, const Transition &event, bool adjacent)
{
    if (!adjacent)
        return;
    const std::uint64_t lasted = difference(record.since.load(kRelaxed), event.ts);
    if (state == CoroutineState::Running) {
        record.runNs.store(record.runNs.load(kRelaxed) + lasted, kRelease);
    } else if ((state == CoroutineState::Suspended || state == CoroutineState::Finished) && event.active) {
        record.suspendedNs.store(record.suspendedNs.load(kRelaxed) + lasted, kRelease);
        completed(static_cast<SiteId>(record.siteAndTid.load(kRelaxed) >> 32), lasted);
    }
}

void Population::Data::applyTransition(const Transition &event)
{
    Record *found = recordOf(event.coroutine);
    if (!found)
        return;
    Record &record = *found;
    std::uint32_t bits = record.bits.load(kRelaxed);
    if (dialectOf(bits) == Dialect::Unknown)
        bits = concludeDialect(bits, event);
    const CoroutineState state = stateOf(bits);
    const bool adjacent = (bits & kSeen) && event.n == record.nextN.load(kRelaxed);
    const std::uint64_t siteAndTid = record.siteAndTid.load(kRelaxed);
    const std::uint64_t oldSite = siteAndTid >> 32 << 32;

    const Writing writing(record);
    record.events.store(record.events.load(kRelaxed) + 1, kRelease);
    record.nextN.store(event.n + 1, kRelease);
    if ((bits & kFlagged) || state == CoroutineState::Destroyed) {
        record.bits.store(bits, kRelease);
        return;  // counted, but says nothing about the state any more
    }
    bits |= kSeen;
    if (event.active) {
        // A resume of what runs already (a ready await) changes nothing, unless it came to another thread.
        const bool goesOn =
            adjacent && state == CoroutineState::Running && static_cast<std::uint32_t>(siteAndTid) == event.tid;
        if (!goesOn) {
            leave(record, state, event, adjacent);
            record.since.store(event.ts, kRelease);
        }
        record.siteAndTid.store(oldSite | event.tid, kRelease);
        record.bits.store(withState(bits, CoroutineState::Running), kRelease);
        return;
    }
    leave(record, state, event, adjacent);
    record.since.store(event.ts, kRelease);
    record.siteAndTid.store(std::uint64_t{event.site} << 32 | event.tid, kRelease);
    record.addr.store(event.addr, kRelease);
    const bool inBody = event.kind == PointKind::Await || event.kind == PointKind::Yield;
    if (!(bits & kNamed) && inBody && event.site != kUnknownSite) {
        record.bodySite.store(event.site, kRelease);
        bits |= kNamed;
    }
    const bool final = event.kind == PointKind::Final;
    bits = withState(bits, final ? CoroutineState::Finished : CoroutineState::Suspended);
    record.bits.store(withKind(bits, event.kind), kRelease);
}

void Population::Data::applyDeath(const Death &death)
{
    Record *record = recordOf(death.coroutine);
    if (!record || stateOf(record->bits.load(kRelaxed)) == CoroutineState::Destroyed)
        return;
    {
        const Writing writing(*record);
        record->bits.store(withState(record->bits.load(kRelaxed), CoroutineState::Destroyed), kRelease);
        record->since.store(death.ts, kRelease);
        record->deathTs.store(std::max<std::uint64_t>(death.ts, 1), kRelease);
    }
    alive.store(alive.load(kRelaxed) - 1, kRelaxed);
    touch(death.coroutine);
}

void Population::Data::applyFlag(const Flag &flag, std::uint64_t noticed)
{
    Record *record = recordOf(flag.coroutine);
    if (!record)
        return;
    const std::uint32_t bits = record->bits.load(kRelaxed) | kFlagged;
    {
        const Writing writing(*record);
        record->bits.store(bits, kRelease);
        if (stateOf(bits) != CoroutineState::Destroyed && stateOf(bits) != CoroutineState::Unknown) {
            record->bits.store(withState(bits, CoroutineState::Unknown), kRelease);
            record->since.store(noticed, kRelease);
        }
    }
    touch(flag.coroutine);
}

void Population::Data::completed(SiteId id, std::uint64_t ns)
{
    SiteEntry &entry = sites[id < sites.sizeOfWriter() ? id : kUnknownSite];
    Statistics *statistics = entry.statistics.load(kRelaxed);
    if (!statistics) {
        statistics = new Statistics;
        entry.statistics.store(statistics, kRelease);
    }
    increase(statistics->completed, 1);
    increase(statistics->buckets[static_cast<std::size_t>(SiteStatistics::bucketOf(ns))], 1);
    if (ns > statistics->maxNs.load(kRelaxed))
        statistics->maxNs.store(ns, kRelaxed);
}

Population::Population() : m_data(std::make_unique<Data>())
{
    m_data->sites.prepare();
    m_data->sites.publish();
}

Population::~Population() = default;

Result<void> Population::consume(const Batch &batch)
{
    constexpr std::size_t kAhead = 12;  // far enough for a cache miss to be over when its turn comes
    Data &data = *m_data;
    for (const Site &site : batch.sites)
        data.addSite(site);
    for (const Birth &birth : batch.births)
        data.addBirth(birth);
    for (const Loss &loss : batch.losses)
        data.applyLoss(loss);
    const std::size_t count = batch.transitions.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (i + kAhead < count)
            if (const Record *next = data.recordOf(batch.transitions[i + kAhead].coroutine))
                __builtin_prefetch(next, 1);
        data.applyTransition(batch.transitions[i]);
        if (batch.transitions[i].coroutine < data.records.sizeOfWriter())
            data.touch(batch.transitions[i].coroutine);
    }
    increase(data.captured, count);
    for (const Loss &loss : batch.losses)
        data.concludeLoss(loss, batch.now);
    for (const Death &death : batch.deaths)
        data.applyDeath(death);
    for (const Flag &flag : batch.flags)
        data.applyFlag(flag, batch.now);
    // Release; partner: now(). Who knows the time of a batch sees at least that batch.
    if (batch.now > data.now.load(kRelaxed))
        data.now.store(batch.now, kRelease);
    return {};
}

std::uint32_t Population::size() const
{
    return m_data->records.size();
}

CoroutineSnapshot Population::at(CoroutineId id) const
{
    CoroutineSnapshot snapshot;
    if (id >= m_data->records.size())
        return snapshot;
    const Record &record = m_data->records[id];
    snapshot.id = id;
    for (unsigned tries = 1;; ++tries) {
        // Acquire; partner: the release in ~Writing.
        const std::uint32_t before = record.lock.load(kAcquire);
        if ((before & 1U) == 0) {
            copyRecord(record, snapshot);
            if (record.lock.load(kRelaxed) == before)
                return snapshot;
        }
        if (tries % 64 == 0)
            std::this_thread::yield();  // the writer was interrupted in the middle
    }
}

std::uint32_t Population::pageCount() const
{
    return (size() + kPageSize - 1) / kPageSize;
}

std::uint64_t Population::pageVersion(std::uint32_t page) const
{
    // Acquire; partner: touch(). Who sees the version sees the change.
    return page < m_data->pages.size() ? m_data->pages[page].load(kAcquire) : 0;
}

std::uint32_t Population::siteCount() const
{
    return m_data->sites.size() - 1;
}

const Site *Population::site(SiteId id) const
{
    return id < m_data->sites.size() ? m_data->sites[id].site.load(kAcquire) : nullptr;
}

SiteStatistics Population::siteStatistics(SiteId id) const
{
    SiteStatistics copy;
    if (id >= m_data->sites.size())
        id = kUnknownSite;  // where completed() counts them
    const Statistics *statistics = m_data->sites[id].statistics.load(kAcquire);
    if (!statistics)
        return copy;
    copy.completed = statistics->completed.load(kRelaxed);
    copy.maxNs = statistics->maxNs.load(kRelaxed);
    for (std::size_t i = 0; i < copy.buckets.size(); ++i)
        copy.buckets[i] = statistics->buckets[i].load(kRelaxed);
    return copy;
}

std::uint64_t Population::now() const
{
    return m_data->now.load(kAcquire);
}

std::uint64_t Population::captured() const
{
    return m_data->captured.load(kRelaxed);
}

std::uint64_t Population::lost() const
{
    return m_data->lost.load(kRelaxed);
}

std::uint64_t Population::alive() const
{
    return m_data->alive.load(kRelaxed);
}

}  // namespace ct
