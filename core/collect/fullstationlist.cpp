// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/collect/fullstationlist.h"

#include "core/region/freestack.h"

namespace ct {

namespace {

using corotracer::StationData;

/// Limit of pending stations that a pass checks, at a cache line each. A station whose process was killed during the
/// birth stays pending for ever.
constexpr std::size_t kPendingPerPass = 256;
/// How many stations ahead a rotation prefetches.
constexpr std::size_t kRotateAhead = 16;
/// Limit of visits without news before the decided end. A station beyond it contradicts itself.
constexpr int kMaxIdleVisits = 1024;

Dialect dialectOf(const StationCursor &cursor)
{
    switch (cursor.dialect) {
    case StationDialect::Seqlock: return Dialect::Seqlock;
    case StationDialect::Monotonic: return Dialect::Monotonic;
    case StationDialect::Unknown: break;
    }
    return Dialect::Unknown;
}

}  // namespace

FullStationList::FullStationList(Region &region) : m_region(region), m_stations(&region.station(0))
{
    adoptFree();
}

void FullStationList::discover(const Allocation &allocation, bool all, Batch &batch)
{
    const std::size_t checks = all ? m_pending.size() : std::min(kPendingPerPass, m_pending.size());
    for (std::size_t i = 0; i < checks && !m_pending.empty(); ++i) {
        if (m_pendingAt >= m_pending.size())
            m_pendingAt = 0;
        if (discoverOne(m_pending[m_pendingAt], batch)) {
            m_pending[m_pendingAt] = m_pending.back();
            m_pending.pop_back();
        } else {
            ++m_pendingAt;
        }
    }
    for (; m_discovered < allocation.stations(); ++m_discovered) {
        if (!discoverOne(m_discovered, batch) &&
            !std::binary_search(m_adoptedFree.begin(), m_adoptedFree.end(), m_discovered))
            m_pending.push_back(m_discovered);
    }
}

bool FullStationList::discoverOne(std::uint32_t index, Batch &batch)
{
    const StationData &station = m_stations[index];
    // Partner: the probe's release store of birth_ts, its last at birth. seq_cst (free on x86) for the pass before
    // sleep: no event before the announcement may be missed because its birth is not seen.
    const std::uint64_t birthTs = station.header.birth_ts.load(std::memory_order_seq_cst);
    if (birthTs == 0)
        return false;
    StationCursor cursor = openStation(station, index < m_attachedBelow);
    if (cursor.dialect == StationDialect::Unknown && hasNews<std::memory_order_acquire>(station, cursor))
        readStation(station, cursor, m_reading, 0);  // determines the dialect, reads no event
    Birth birth;
    birth.coroutine = m_coroutines++;
    birth.station = index;
    birth.dialect = dialectOf(cursor);
    birth.probeId = station.header.probe_id.load(std::memory_order_relaxed);  // ordered by the load of birth_ts
    birth.birthTs = birthTs;
    if (cursor.marked) {
        birth.pid = station.extension.pid.load(std::memory_order_relaxed);
        birth.generation = station.extension.generation.load(std::memory_order_relaxed);
    }
    std::uint64_t start = 0;
    if (cursor.marked && birth.generation != 0) {
        // Written before an engine pushed the station on the stack of free ones.
        const std::uint64_t start_untrusted = station.extension.gen_start.load(std::memory_order_relaxed);
        if (start_untrusted < kMaxPlausibleSeq)
            start = cursor.next = start_untrusted;
    }
    batch.births.push_back(birth);
    m_live.push_back({cursor, index, birth.coroutine, start});
    m_hasUnmarked = m_hasUnmarked || !cursor.marked;
    m_isUnproven = m_isUnproven || !isProven(cursor);
    return true;
}

bool FullStationList::visit(Entry &entry, Batch &batch, std::uint64_t end)
{
    readStation(stationOf(entry), entry.cursor, m_reading, end);
    append(entry, batch);
    const bool any = !m_reading.empty();
    if (entry.cursor.fault != StationFault::None)
        makeFaulty(entry, batch);
    return any;
}

void FullStationList::drain(Entry &entry, Batch &batch)
{
    while (entry.coroutine != kNoCoroutine && visit(entry, batch)) {
    }
}

void FullStationList::append(const Entry &entry, Batch &batch)
{
    for (std::uint32_t i = 0; i < m_reading.lossCount; ++i) {
        const StationLoss &loss = m_reading.losses[i];
        const std::uint64_t first = loss.firstN - std::min(loss.firstN, entry.start);
        batch.losses.push_back({entry.coroutine, first, loss.count, loss.missed});
    }
    for (std::uint32_t i = 0; i < m_reading.eventCount; ++i) {
        const StationEvent &event = m_reading.events[i];
        const auto kind = event.kind <= corotracer::kYieldPoint ? static_cast<PointKind>(event.kind) : PointKind::Await;
        batch.transitions.push_back({event.ts, event.addr, event.n - std::min(event.n, entry.start), event.seq,
                                     entry.coroutine, event.tid, event.site, kind, event.active});
    }
}

void FullStationList::makeFaulty(Entry &entry, Batch &batch)
{
    const bool twoWriters = entry.cursor.fault == StationFault::TwoWriters;
    batch.flags.push_back(
        {entry.coroutine, twoWriters ? Flag::Reason::TwoWriters : Flag::Reason::DialectContradiction});
    Faulty faulty{entry, openFaulty(entry.cursor), {}, false};
    faulty.end.fill(kNoEnd);
    m_faulty.push_back(faulty);
    entry.coroutine = kNoCoroutine;
    ++m_removed;
}

void FullStationList::readFaulty(Batch &batch)
{
    for (Faulty &faulty : m_faulty)
        readFaultyTo(faulty, readSeqs(stationOf(faulty.entry)), batch);
}

void FullStationList::readFaultyTo(Faulty &faulty, const StationSeqs &seqs, Batch &batch)
{
    ct::readFaulty(stationOf(faulty.entry), seqs, faulty.entry.cursor, faulty.counts, m_reading);
    append(faulty.entry, batch);
    // The death of one of two writers does not concern the other, but the emitted coroutine is dead.
    if (!faulty.dead && stationOf(faulty.entry).header.is_dead.load(std::memory_order_acquire) != 0) {
        faulty.dead = true;
        reportDeath(faulty.entry, batch);
    }
}

void FullStationList::reportDeath(const Entry &entry, Batch &batch) const
{
    // Ordered by the acquire of is_dead, which the probe stores last (release).
    const std::uint64_t deathTs =
        entry.cursor.marked ? stationOf(entry).extension.death_ts.load(std::memory_order_relaxed) : 0;
    batch.deaths.push_back({entry.coroutine, deathTs ? deathTs : batch.now});
}

void FullStationList::rotate(std::uint64_t count, Batch &batch, std::size_t maxTransitions)
{
    const std::uint64_t size = rotationSize();
    for (std::uint64_t i = 0; i < std::min(count, size) && batch.transitions.size() < maxTransitions; ++i) {
        if (m_rotateAt >= m_live.size() + m_dead.size())
            m_rotateAt = 0;
        const std::size_t at = m_rotateAt++;
        if (at + kRotateAhead < m_live.size())
            __builtin_prefetch(&stationOf(m_live[at + kRotateAhead]).header.is_dead);
        if (at >= m_live.size())
            checkDead(m_dead[at - m_live.size()], batch);
        else if (m_live[at].coroutine != kNoCoroutine)
            checkLive(m_live[at], batch);
    }
    if (m_removed > 64 && m_removed > m_live.size() / 8)
        compactLive();
}

void FullStationList::checkLive(Entry &entry, Batch &batch)
{
    const StationData &station = stationOf(entry);
    // Before the last pass over the station, so the pass sees everything written before the death. Partner: the probe's
    // release store of is_dead, its last at death.
    const bool dead = station.header.is_dead.load(std::memory_order_acquire) != 0;
    if (dead)
        drain(entry, batch);
    if (entry.coroutine == kNoCoroutine)
        return;
    if (!entry.cursor.marked && (dead || entry.cursor.active)) {
        entry.cursor.active = false;
        if (checkWriters(station, entry.cursor) == WriterCheck::Two) {
            entry.cursor.fault = StationFault::TwoWriters;
            makeFaulty(entry, batch);
            return;
        }
    }
    if (!dead && !isReused(entry))
        return;
    reportDeath(entry, batch);
    if (!dead)
        m_pending.push_back(entry.station);
    else if (entry.cursor.marked && m_region.access() == RegionAccess::Owner)
        freeStation(entry);
    else
        m_dead.push_back(entry);
    entry.coroutine = kNoCoroutine;
    ++m_removed;
}

/// Pushes a dead, drained station of this project's probe on the stack of free ones. Its seqs continue: the probe that
/// pops it derives gen_start from them. Version-1 probes never use the stack.
void FullStationList::freeStation(const Entry &entry)
{
    corotracer::StationData *const station = m_region.writableStation(entry.station);
    if (!station || !m_region.hasExtension())
        return;
    // Relaxed: ordered by the probe's pop. The next probe stores birth_ts again when its coroutine is born.
    station->header.birth_ts.store(0, std::memory_order_relaxed);
    // Probes may have popped stations since the last check. The push would hide that, so detect it now.
    noticePopped(
        pushFree(m_region.writableHeader()->extension.free_stations, station->extension.next_free, entry.station));
    m_free.push_back(entry.station);
}

/// Copies the stack of free stations that an earlier engine left.
void FullStationList::adoptFree()
{
    const std::uint32_t capacity = m_region.stationCapacity();
    if (!m_region.isAdopted() || m_region.access() == RegionAccess::Observer || !m_region.hasExtension())
        return;
    std::vector<bool> seen(capacity);
    // Acquire; partner: the release of the engine that pushed.
    auto next = static_cast<std::uint32_t>(m_region.header().extension.free_stations.load(std::memory_order_acquire));
    while (next != 0 && next <= capacity && !seen[next - 1]) {
        seen[next - 1] = true;
        m_free.push_back(next - 1);
        next = m_stations[next - 1].extension.next_free.load(std::memory_order_relaxed);
    }
    std::reverse(m_free.begin(), m_free.end());
    m_adoptedFree = m_free;
    std::sort(m_adoptedFree.begin(), m_adoptedFree.end());
}

void FullStationList::noticeReuse()
{
    if (m_free.empty())
        return;
    // Relaxed: only the identity of the top matters.
    noticePopped(static_cast<std::uint32_t>(m_region.header().extension.free_stations.load(std::memory_order_relaxed)));
}

/// `top` is the index + 1 of the top of the stack, 0 = empty. Only this engine pushes, so the stack is always a leading
/// part of m_free.
void FullStationList::noticePopped(std::uint32_t top)
{
    while (!m_free.empty() && m_free.back() + 1 != top) {
        m_pending.push_back(m_free.back());
        m_free.pop_back();
    }
}

bool FullStationList::isReuseNoticed() const
{
    return m_free.empty() ||
           m_free.back() + 1 ==
               static_cast<std::uint32_t>(m_region.header().extension.free_stations.load(std::memory_order_relaxed));
}

/// For readers that are not the owner. The owner pushes the stations, so it knows.
bool FullStationList::isReused(const Entry &entry) const
{
    return entry.cursor.marked && m_region.access() != RegionAccess::Owner &&
           stationOf(entry).extension.gen_start.load(std::memory_order_acquire) != entry.start;
}

void FullStationList::checkDead(Entry &entry, Batch &batch)
{
    if (entry.coroutine == kNoCoroutine)
        return;
    if (entry.cursor.marked) {
        if (isReused(entry)) {
            m_pending.push_back(entry.station);
            entry.coroutine = kNoCoroutine;
        }
        return;
    }
    if (!hasNews<std::memory_order_acquire>(stationOf(entry), entry.cursor))
        return;
    // A dead coroutine has new events, so two processes share the station.
    entry.cursor.fault = StationFault::TwoWriters;
    makeFaulty(entry, batch);
    --m_removed;  // the entry was not in m_live
    m_faulty.back().dead = true;
}

void FullStationList::compactLive()
{
    const std::size_t keptBefore = static_cast<std::size_t>(
        std::count_if(m_live.begin(), m_live.begin() + static_cast<std::ptrdiff_t>(std::min(m_readAt, m_live.size())),
                      [](const Entry &entry) { return entry.coroutine != kNoCoroutine; }));
    const bool rotatingLive = m_rotateAt < m_live.size();
    std::erase_if(m_live, [](const Entry &entry) { return entry.coroutine == kNoCoroutine; });
    std::erase_if(m_dead, [](const Entry &entry) { return entry.coroutine == kNoCoroutine; });
    m_readAt = keptBefore;
    if (!rotatingLive || m_rotateAt > m_live.size())
        m_rotateAt = 0;
    m_removed = 0;
}

void FullStationList::decideEnd()
{
    compactLive();
    m_ends.reserve(m_live.size() + m_dead.size());
    for (std::vector<Entry> *const entries : {&m_live, &m_dead}) {
        for (Entry &entry : *entries) {
            const StationData &station = stationOf(entry);
            // Load is_dead before the counts, as everywhere.
            m_deadAtEnd.push_back(entries == &m_live && station.header.is_dead.load(std::memory_order_acquire) != 0);
            if (entry.cursor.dialect == StationDialect::Unknown &&
                hasNews<std::memory_order_acquire>(station, entry.cursor))
                readStation(station, entry.cursor, m_reading, 0);  // determines the dialect, reads no event
            m_ends.push_back(entry.cursor.dialect == StationDialect::Unknown
                                 ? entry.cursor.next
                                 : std::max(entry.cursor.next, publishedEnd(readSeqs(station), entry.cursor.dialect)));
        }
    }
    for (Faulty &faulty : m_faulty)
        faulty.end = readSeqs(stationOf(faulty.entry));
}

bool FullStationList::drainToEnd(Batch &batch, std::size_t maxTransitions)
{
    const std::size_t count = m_live.size() + m_dead.size();
    for (; m_drainAt < count; ++m_drainAt) {
        if (batch.transitions.size() >= maxTransitions)
            return false;
        Entry &entry = m_drainAt < m_live.size() ? m_live[m_drainAt] : m_dead[m_drainAt - m_live.size()];
        if (entry.coroutine == kNoCoroutine)
            continue;
        if (drainEntry(entry, m_ends[m_drainAt], batch) && m_deadAtEnd[m_drainAt])
            reportDeath(entry, batch);
    }
    closeFaulty(batch);
    return true;
}

/// Reads up to `end`. The events up to there are published, so each visit reads some unless the station contradicts
/// itself. Returns false if the station turned out to be faulty.
bool FullStationList::drainEntry(Entry &entry, std::uint64_t end, Batch &batch)
{
    for (int idle = 0; entry.cursor.next < end && idle < kMaxIdleVisits;) {
        idle = visit(entry, batch, end) ? 0 : idle + 1;
        if (entry.coroutine == kNoCoroutine)
            return false;
    }
    if (entry.cursor.next >= end && checkWriters(stationOf(entry), entry.cursor) != WriterCheck::Two)
        return true;
    entry.cursor.fault = StationFault::TwoWriters;
    makeFaulty(entry, batch);
    return false;
}

/// Closes the sums of faulty stations. A jump that was counted as lost before the second writer was detected stays
/// lost, because sinks already have it.
void FullStationList::closeFaulty(Batch &batch)
{
    for (Faulty &faulty : m_faulty) {
        StationSeqs &end = faulty.end;
        if (std::all_of(end.begin(), end.end(), [](std::uint64_t seq) { return seq == kNoEnd; }))
            end = readSeqs(stationOf(faulty.entry));  // it became faulty during the drain
        readFaultyTo(faulty, end, batch);
    }
}

}  // namespace ct
