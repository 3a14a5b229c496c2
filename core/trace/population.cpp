// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The readers of the Population.
#include "core/trace/population.h"

#include "core/trace/populationdata.h"

#include <algorithm>
#include <thread>

namespace ct {

using namespace population;

namespace {

/// Calls copy(bits) until no write interferes.
template <class Copy>
void readConsistent(const Record &record, Copy &&copy)
{
    for (unsigned tries = 1;; ++tries) {
        // Acquire; partner: the release in ~Writing.
        const std::uint64_t before = record.lockAndBits.load(kAcquire);
        if ((before & 1U) == 0) {
            copy(static_cast<std::uint32_t>(before >> 32));
            if (record.lockAndBits.load(kRelaxed) == before)
                return;
        }
        if (tries % 64 == 0)
            std::this_thread::yield();  // the writer was interrupted during a write
    }
}

void copyRecord(const Record &record, std::uint32_t bits, CoroutineSnapshot &to)
{
    to.state = stateOf(bits);
    to.kind = kindOf(bits);
    to.dialect = dialectOf(bits);
    to.flagged = bits & kFlagged;
    to.flagReason = (bits & kContradiction) != 0 ? Flag::Reason::DialectContradiction : Flag::Reason::TwoWriters;
    to.since = record.since.load(kAcquire);
    to.addr = record.addr.load(kAcquire);
    to.site = record.site.load(kAcquire);
    to.tid = record.tid.load(kAcquire);
    to.events = record.nextN.load(kAcquire) - record.skipped.load(kAcquire);
    to.unexplained = record.skipped.load(kAcquire);  // includes lost and missed events; at() subtracts them
    to.runNs = record.spent[0].load(kAcquire);
    to.suspendedNs = record.spent[1].load(kAcquire);
}

void copyOrigin(const Origin &origin, CoroutineSnapshot &to)
{
    to.probeId = origin.probeId.load(kAcquire);
    to.birthTs = origin.birthTs.load(kAcquire);
    const std::uint64_t stationAndGeneration = origin.stationAndGeneration.load(kAcquire);
    to.station = static_cast<std::uint32_t>(stationAndGeneration >> 32);
    to.generation = static_cast<std::uint32_t>(stationAndGeneration);
    to.bodySite = origin.bodySite.load(kAcquire);
    to.deathTs = origin.deathTs.load(kAcquire);
    to.lost = origin.lost.load(kAcquire);
}

CoroutineSnapshot snapshotWithoutRecord(CoroutineId id)
{
    CoroutineSnapshot snapshot;
    snapshot.id = id;
    snapshot.kept = false;
    snapshot.state = CoroutineState::Destroyed;
    snapshot.deathTs = 1;  // not alive
    return snapshot;
}

}  // namespace

Population::Population(std::uint32_t mostCoroutines, const RecordLimits &limits)
    : m_data(std::make_unique<Data>(std::min(mostCoroutines, kMostCoroutines), limits))
{
    m_data->sites.prepare();
    m_data->sites.publish();
    m_data->statistics.push_back(nullptr);
    m_data->touched.resize(1);
}

Population::~Population() = default;

Result<void> Population::consume(const Batch &batch)
{
    m_data->consume(batch);
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
    const Origin &origin = m_data->origins[id];
    snapshot.id = id;
    snapshot.pid = m_data->notes.processes.pidOf(origin.process.load(kRelaxed));
    std::uint64_t nextN = 0;
    readConsistent(record, [&](std::uint32_t bits) {
        copyRecord(record, bits, snapshot);
        nextN = record.nextN.load(kAcquire);
        copyOrigin(origin, snapshot);
        const Data::Missed *const missed = m_data->missed.find(id);
        snapshot.missed = missed ? missed->count.load(kAcquire) : 0;
    });
    // After the copy: madvise(2) interrupts all cores before the memory reads as zero, so a copy of zeros implies
    // kWithoutRecords here.
    if (!isKept(id))
        return snapshotWithoutRecord(id);
    // Monotonic numbers begin at 1: number 0 is not missing. A loss is applied before the jump that shows it.
    const std::uint64_t explained = snapshot.lost + snapshot.missed + (snapshot.dialect == Dialect::Monotonic ? 1 : 0);
    snapshot.unexplained -= std::min(snapshot.unexplained, explained);
    if (snapshot.flagged)
        snapshot.unexplained = 0;  // its numbers mean nothing
    if (snapshot.state == CoroutineState::Running) {
        const std::uint64_t threadEnd = m_data->notes.threads.endOf(snapshot.pid, snapshot.tid);
        if (threadEnd > snapshot.since) {
            snapshot.state = CoroutineState::Unknown;
            snapshot.since = threadEnd;
        }
    }
    if (snapshot.state == CoroutineState::Suspended) {
        if (const std::optional<std::uint64_t> wokenAt = m_data->notes.marks.wokenAt(id, nextN)) {
            snapshot.state = CoroutineState::Runnable;
            snapshot.runnableSince = std::max(*wokenAt, snapshot.since);
        }
    }
    return snapshot;
}

std::uint64_t Population::suspendedSince(CoroutineId id) const
{
    std::uint64_t since = kNotSuspended;
    if (id >= m_data->records.size())
        return since;
    const Record &record = m_data->records[id];
    readConsistent(record, [&](std::uint32_t bits) {
        const bool suspended = stateOf(bits) == CoroutineState::Suspended && !(bits & kFlagged);
        since = suspended ? record.since.load(kAcquire) : kNotSuspended;
    });
    return since;
}

std::uint32_t Population::pageCount() const
{
    return (size() + kPageSize - 1) / kPageSize;
}

std::uint64_t Population::pageVersion(std::uint32_t page) const
{
    // Acquire; partner: publishTouched(). A reader of the version sees the change.
    return page < m_data->pages.size() ? m_data->pages[page].load(kAcquire) : 0;
}

bool Population::isPageKept(std::uint32_t page) const
{
    return (pageVersion(page) & Data::kWithoutRecords) == 0;
}

std::uint64_t Population::keptCount() const
{
    // Some ids of the latest page may not be born yet.
    const std::uint32_t known = size();
    const std::uint32_t unborn = (kPageSize - known % kPageSize) % kPageSize;
    const bool hasUnborn = unborn != 0 && isPageKept(known / kPageSize);
    return std::min<std::uint64_t>(m_data->coroutineEviction.records() - (hasUnborn ? unborn : 0), known);
}

std::uint64_t Population::bytesUsed() const
{
    const std::uint64_t records = m_data->coroutineEviction.records();
    const auto ofKept = [records](const auto &array, std::uint64_t each) {
        return std::min(array.bytesMade(), records * each);
    };
    return records * (sizeof(Record) + sizeof(Origin)) + m_data->notes.marks.bytesUsed(records) +
           ofKept(m_data->missed, sizeof(Data::Missed)) + m_data->notes.names.bytes() +
           pageCount() * (sizeof(Word) + 2 * sizeof(std::uint64_t) + 2 * sizeof(std::uint32_t));
}

CoroutineNotes Population::notes(CoroutineId id) const
{
    CoroutineNotes copy;
    if (id >= m_data->records.size() || !isKept(id))
        return copy;
    const Origin &origin = m_data->origins[id];
    copy.name = m_data->notes.names.at(origin.name.load(kAcquire));
    copy.parent = parentOf(id);
    copy.children = origin.children.load(kAcquire);
    m_data->notes.marks.copy(id, copy);
    if (!copy.waitsOn && !copy.lastWake)
        return copy;
    const Record &record = m_data->records[id];
    bool suspended = false;
    std::uint64_t nextN = 0;
    readConsistent(record, [&](std::uint32_t bits) {
        suspended = stateOf(bits) == CoroutineState::Suspended;
        nextN = record.nextN.load(kAcquire);
    });
    if (copy.waitsOn && !(suspended && copy.waitsOn->n + 1 == nextN))
        copy.waitsOn.reset();
    copy.woken = copy.lastWake && suspended && copy.lastWake->n == nextN;
    return copy;
}

std::vector<WaitsOn> Population::waitsOf(CoroutineId id) const
{
    std::vector<WaitsOn> waits;
    if (const std::optional<WaitsOn> first = notes(id).waitsOn) {
        waits = m_data->notes.objects.furtherWaits(id, first->n);
        waits.insert(waits.begin(), *first);
    }
    return waits;
}

CoroutineId Population::waiterFor(CoroutineId id) const
{
    const CoroutineId waiter = m_data->notes.marks.latestWaiterFor(id);
    if (waiter == kNoCoroutine)
        return kNoCoroutine;
    const std::vector<WaitsOn> waits = waitsOf(waiter);
    const bool awaits =
        std::any_of(waits.begin(), waits.end(), [id](const WaitsOn &wait) { return wait.target == id; });
    return awaits ? waiter : kNoCoroutine;
}

std::optional<std::uint64_t> Population::wakersLeft(CoroutineId id) const
{
    if (id >= m_data->records.size() || !isKept(id))
        return std::nullopt;
    const Record &record = m_data->records[id];
    bool suspended = false;
    std::uint64_t nextN = 0;
    readConsistent(record, [&](std::uint32_t bits) {
        suspended = stateOf(bits) == CoroutineState::Suspended;
        nextN = record.nextN.load(kAcquire);
    });
    return suspended ? m_data->notes.marks.wakersLeftAt(id, nextN) : std::nullopt;
}

std::vector<Use> Population::holdersOf(std::uint32_t pid, std::uint64_t object) const
{
    return m_data->notes.objects.holdersOf(pid, object);
}

std::vector<Use> Population::heldBy(CoroutineId id) const
{
    return m_data->notes.objects.heldBy(id);
}

CoroutineId Population::parentOf(CoroutineId id) const
{
    if (id >= m_data->records.size())
        return kNoCoroutine;
    return m_data->origins[id].parent.load(kAcquire) - 1;  // 0 - 1 = kNoCoroutine
}

bool Population::hasName(CoroutineId id) const
{
    return id < m_data->records.size() && m_data->origins[id].name.load(kRelaxed) != 0;
}

std::string Population::threadName(std::uint32_t pid, std::uint32_t tid) const
{
    return m_data->notes.names.at(m_data->notes.threads.nameOf(pid, tid));
}

std::vector<ThreadName> Population::threadNames() const
{
    return m_data->notes.threads.all(m_data->notes.names);
}

std::vector<ProcessSnapshot> Population::processes() const
{
    return m_data->notes.processes.snapshots(m_data->notes.names);
}

std::vector<Drop> Population::drops() const
{
    std::vector<Drop> drops;
    for (const auto &[pidAndTid, records, firstTs, lastTs] : m_data->notes.drops.latest())
        drops.push_back({static_cast<std::uint32_t>(pidAndTid >> 32), static_cast<std::uint32_t>(pidAndTid), records,
                         firstTs, lastTs});
    return drops;
}

std::uint64_t Population::dropCount() const
{
    return m_data->notes.drops.count();
}

std::vector<Switch> Population::switches() const
{
    std::vector<Switch> switches;
    for (const auto &[pid, ts, on] : m_data->notes.switches.latest())
        switches.push_back({static_cast<std::uint32_t>(pid), ts, on != 0});
    // The records of several threads are in order only up to a step of the harvest.
    std::stable_sort(switches.begin(), switches.end(), [](const Switch &a, const Switch &b) { return a.ts < b.ts; });
    return switches;
}

std::vector<DoubleResume> Population::doubleResumes() const
{
    std::vector<DoubleResume> all;
    for (const auto &[coroutineAndSite, n, firstTs, ts, tids] : m_data->notes.doubleResumes.latest())
        all.push_back({static_cast<CoroutineId>(coroutineAndSite >> 32), n, firstTs, ts,
                       static_cast<std::uint32_t>(tids >> 32), static_cast<std::uint32_t>(tids),
                       static_cast<SiteId>(coroutineAndSite)});
    return all;
}

const SampleLog &Population::samples() const
{
    return m_data->notes.samples;
}

std::uint64_t Population::sampledUntil(std::uint32_t pid) const
{
    const std::optional<ProcessSample> process = m_data->notes.samples.processSample(pid);
    return process ? process->ts : 0;
}

MissingEvents Population::whyMissing(CoroutineId id, std::uint64_t firstN, std::uint64_t count) const
{
    MissingEvents why;
    if (id >= m_data->records.size())
        return why;
    const CoroutineSnapshot snapshot = at(id);
    // A recording was saved after memory had evicted the oldest events, so the lowest numbers are missing.
    if (firstN <= (snapshot.dialect == Dialect::Monotonic ? 1U : 0U))
        why.unexplained = std::min(snapshot.unexplained, count);
    // All events before the attach are missed; later missing ones are lost.
    const Data::Missed *const missed = m_data->missed.find(id);
    const std::uint64_t missedEnd = missed ? missed->end.load(kAcquire) : 0;
    why.missed = std::min(count - why.unexplained, missedEnd - std::min(missedEnd, firstN));
    // Events that contradict each other can jump without a loss.
    why.lost = std::min(count - why.unexplained - why.missed, snapshot.lost);
    why.unexplained = count - why.missed - why.lost;
    return why;
}

std::uint32_t Population::siteCount() const
{
    return m_data->sites.size() - 1;
}

const Site *Population::site(SiteId id) const
{
    return id < m_data->sites.size() ? m_data->sites[id].site.load(kAcquire) : nullptr;
}

bool Population::isGeneratorSite(SiteId id) const
{
    return id < m_data->sites.size() && m_data->sites[id].isGenerator.load(kRelaxed);
}

SiteStatistics Population::siteStatistics(SiteId id) const
{
    SiteStatistics copy;
    if (id >= m_data->sites.size() || id >= kMostSitesWithStatistics)
        id = kUnknownSite;  // transitions at such sites count there
    const Statistics *statistics = m_data->sites[id].statistics.load(kAcquire);
    if (!statistics)
        return copy;
    for (std::size_t i = 0; i < copy.buckets.size(); ++i) {
        copy.buckets[i] = statistics->buckets[i].load(kRelaxed);
        copy.completed += copy.buckets[i];
    }
    copy.maxNs = statistics->maxNs.load(kRelaxed);
    copy.ofSeveral = statistics->otherCoroutines.load(kRelaxed) != 0;
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

std::uint64_t Population::arrived() const
{
    return m_data->arrived.load(kRelaxed);
}

std::uint64_t Population::lost() const
{
    return m_data->lost.load(kRelaxed);
}

std::uint64_t Population::alive() const
{
    return m_data->alive.load(kRelaxed);
}

std::uint64_t Population::overflowNames() const
{
    return m_data->notes.names.overflow();
}

Overflow Population::overflow() const
{
    return m_data->overflow.load();
}

bool Population::hasEvictedSince(const Overflow &sums) const
{
    return m_data->overflow.hasEvictedSince(sums);
}

}  // namespace ct
