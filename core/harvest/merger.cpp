// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/merger.h"

#include "core/region/identity.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ct {

namespace {

/// How many records ahead a coroutine's cursor is prefetched.
constexpr std::size_t kAhead = 16;
constexpr std::uint64_t kLowHalf = 0xFFFF'FFFF;
/// After a jump of this size, the compact station is consulted: the low half of the number may have wrapped.
constexpr std::int64_t kFar = 4096;

/// Returns true for kRecordSuspend and kRecordResume with any kind of point.
bool isTransition(std::uint8_t kind)
{
    return static_cast<std::uint8_t>(kind - corotracer::kRecordSuspend) < 0x20;
}

MergeMode modeOf(const Region &region)
{
    MergeMode mode;
    mode.overwrites = region.laneMode() == corotracer::kLanesOverwrite;
    mode.readsRetained = region.access() == RegionAccess::PostMortem && !mode.overwrites;
    return mode;
}

}  // namespace

Merger::Merger(const Region &region, HarvestState &harvestState, ProcessList &processes)
    : m_states(region.compactStations()),
      m_births(region.births()),
      m_harvestState(harvestState),
      m_processes(processes),
      m_mode(modeOf(region)),
      m_queue(m_mode, m_reorderBuffer),
      m_output(m_mode, harvestState, m_reorderBuffer, m_deaths),
      m_notes(region, harvestState, processes),
      m_discovery(region, {m_mode, harvestState, processes, m_reorderBuffer, m_deaths, m_queue, m_output, m_notes})
{
}

void Merger::merge(const LaneOrigin &origin, std::span<const RecordCopy> records, Batch &batch)
{
    const HarvestedProcess &process = m_processes.at(origin.process, batch);
    std::size_t at = 0;
    while (at < records.size()) {
        const std::size_t taken =
            mergeRun(process.clock.pieceFor(records[at].ts), origin.tid, records.subspan(at), batch);
        at += taken;
        if (at == records.size())
            break;
        const RecordCopy &record = records[at++];
        const std::uint64_t ts = process.clock.ns(record.ts);
        if (isTransition(record.kind()))
            mergeEvent(origin, record,
                       {ts, record.arg, record.n(), 0, origin.drained ? kDrained : kNoCoroutine, origin.tid,
                        m_harvestState.sites.resolve(record.site(), batch), pointOf(record.kind()),
                        record.kind() >= corotracer::kRecordResume},
                       batch);
        else
            mergeRare(origin, record, ts, batch);
    }
}

/// The hot path: emits leading transitions as long as each is the next one of its coroutine. Returns their number.
std::size_t Merger::mergeRun(const ClockPiece &piece, std::uint32_t tid, std::span<const RecordCopy> records,
                             Batch &batch)
{
    const std::size_t before = batch.transitions.size();
    batch.transitions.resize(before + records.size());
    Transition *const run = batch.transitions.data() + before;
    LaneCursor *const cursors = m_discovery.cursors().data();
    const std::size_t reach = m_discovery.cursors().size();
    const std::size_t size = records.size();
    std::uint32_t rawSite = kUnknownSite;  // site of the record before; `site` is its id in the stream
    SiteId site = kUnknownSite;
    const ClockStretch clock(piece, size != 0 ? records[0].ts : 0);
    std::size_t at = 0;
    for (; at < size; ++at) {
        if (at + kAhead < size) {
            if (const std::uint32_t coming = indexOf(records[at + kAhead].identity); coming < reach)
                __builtin_prefetch(&cursors[coming], 1);
        }
        const RecordCopy &record = records[at];
        const std::uint32_t index = indexOf(record.identity);
        if (!isTransition(record.kind()) || !clock.covers(record.ts) || index >= reach) [[unlikely]]
            break;
        LaneCursor &cursor = cursors[index];
        const std::uint32_t state = cursor.state;
        if (cursor.key != ((record.identity & ~kLowHalf) | record.n()) || (state & LaneCursor::kFlags) != 0 ||
            record.n() == kLowHalf) [[unlikely]]
            break;
        if (record.site() != rawSite) [[unlikely]] {
            rawSite = record.site();
            site = m_harvestState.sites.resolve(rawSite, batch);
        }
        const std::uint64_t n = std::uint64_t{state >> 8} << 32 | record.n();
        ++cursor.key;
        run[at] = {clock.ns(record.ts),
                   record.arg,
                   n,
                   slotSeq(Dialect::Lane, n),
                   cursor.coroutine,
                   tid,
                   site,
                   pointOf(record.kind()),
                   record.kind() >= corotracer::kRecordResume};
    }
    batch.transitions.resize(before + at);
    return at;
}

void Merger::mergeRare(const LaneOrigin &origin, const RecordCopy &record, std::uint64_t ts, Batch &batch)
{
    switch (record.kind()) {
    case corotracer::kRecordBirth: m_discovery.addBirth(origin, record, ts, batch); return;
    case corotracer::kRecordDeath: mergeDeath(origin, record, ts, batch); return;
    case corotracer::kRecordDrops: {
        const HarvestedProcess &process = m_processes.at(origin.process, batch);
        batch.notes.drops.push_back({process.pid, origin.tid, record.identity, ts, process.clock.ns(record.arg)});
        m_dropsReported += record.identity;
        m_needsSweep = true;
        return;
    }
    case corotracer::kRecordThreadName:
        batch.notes.threadNames.push_back(
            {m_processes.at(origin.process, batch).pid, origin.tid, m_harvestState.text(record.arg)});
        return;
    case corotracer::kRecordSwitchOff:
    case corotracer::kRecordSwitchOn:
        // Coroutines may have died while tracing was off. Only their compact stations show that.
        m_needsSweep = true;
        batch.notes.switches.push_back(
            {m_processes.at(origin.process, batch).pid, ts, record.kind() == corotracer::kRecordSwitchOn});
        return;
    default: m_notes.addNote(origin, record, ts, m_discovery, batch); return;
    }
}

/// Processes an event that mergeRun() rejected. transition.n has only the low half of the number so far.
void Merger::mergeEvent(const LaneOrigin &origin, const RecordCopy &record, const Transition &transition, Batch &batch)
{
    const CoroutineEntry entry =
        m_discovery.findOrMake(record.identity, m_processes.at(origin.process, batch).pid, transition.ts, batch);
    if (!entry.cursor || entry.cursor->isEnded())
        return;
    LaneCursor &cursor = *entry.cursor;
    Transition full = transition;
    full.n = numberOf(entry, record);
    if (full.n < cursor.next())
        return;  // reported as lost, or nonsense
    full.seq = slotSeq(Dialect::Lane, full.n);
    const bool settled = full.n == cursor.next() || full.ts < m_eventWatermark;
    if (!settled || !cursor.isDiscovered()) {
        WaitList &waiting = m_discovery.waitList(entry, record.identity);
        m_reorderBuffer.insert(waiting, full, m_queue.barrier());
        m_queue.addWaitList(waiting, full.ts, batch);
        ++m_bufferedCount;
        return;
    }
    if (full.n != cursor.next()) {
        if (entry.waitList)
            m_output.release(entry, full.n, batch);
        m_output.reportLoss(cursor, full.n, batch);
    }
    // A damaged target may have written the number twice, and the record that waited was emitted.
    if (full.n == cursor.next())
        m_output.emit(cursor, full, batch);
    if (entry.waitList) {
        m_output.release(entry, cursor.next(), batch);
        m_output.endOrErase(entry, batch);
    }
}

void Merger::mergeDeath(const LaneOrigin &origin, const RecordCopy &record, std::uint64_t ts, Batch &batch)
{
    const CoroutineEntry entry =
        m_discovery.findOrMake(record.identity, m_processes.at(origin.process, batch).pid, ts, batch);
    if (!entry.cursor || entry.cursor->isEnded())
        return;
    const std::uint64_t end = std::max(numberOf(entry, record), entry.cursor->next());
    if (entry.cursor->isDiscovered() && (end == entry.cursor->next() || ts < m_eventWatermark)) {
        if (entry.waitList)
            m_output.release(entry, end, batch);
        m_output.reportLoss(*entry.cursor, end, batch);
        m_output.addDeath(entry, record.identity, ts, batch);
        return;
    }
    WaitList &waiting = m_discovery.waitList(entry, record.identity);
    waiting.hasDeath = true;
    waiting.deathN = end;
    waiting.deathTs = ts;
    waiting.deathBarrier = m_queue.barrier();
    m_queue.addWaitList(waiting, ts, batch);
}

/// Extends the low half of a record's number to the nearest full number. Nearest means: to the number expected next,
/// after the emitted and waiting events. After a far jump it means: to the count of the compact station.
std::uint64_t Merger::numberOf(const CoroutineEntry &entry, const RecordCopy &record) const
{
    const auto nearest = [&record](std::uint64_t known) {
        return static_cast<std::int64_t>(known) +
               static_cast<std::int32_t>(record.n() - static_cast<std::uint32_t>(known));
    };
    const ReorderBuffer::Event *const waiting = entry.waitList ? m_reorderBuffer.last(*entry.waitList) : nullptr;
    const std::uint64_t next = entry.cursor->next();
    const std::uint64_t known = waiting ? std::max(waiting->transition.n + 1, next) : next;
    const std::int64_t near = nearest(known);
    const std::int64_t ahead = near - static_cast<std::int64_t>(known);
    if (near >= static_cast<std::int64_t>(next) && ahead < kFar && ahead > -kFar)
        return static_cast<std::uint64_t>(near);
    if (const std::uint64_t events = m_discovery.counts().publishedBy(record.identity); events != 0)
        return static_cast<std::uint64_t>(std::max<std::int64_t>(nearest(events), 0));
    // The generation is over and none of its events was emitted. Its numbers may be higher by multiples of 2^32.
    return known == 0 ? record.n() : static_cast<std::uint64_t>(std::max<std::int64_t>(near, 0));
}

bool Merger::completeBarrier(Batch &batch, std::size_t maxTransitions)
{
    const bool whole =
        m_queue.completeBarrier(batch, maxTransitions, [&](WaitList &waitList) { settleByBarrier(waitList, batch); });
    if (whole && m_mode.stationsOnly)
        settleNotes(~std::uint64_t{0}, batch);
    return whole;
}

void Merger::distrustTimes()
{
    if (std::exchange(m_mode.distrustsTimes, true))
        return;
    m_eventWatermark = 0;
    m_queue.clearTimes();
}

/// All lanes were read to the barrier's ends: nothing that precedes an event from before the barrier is unread.
void Merger::settleByBarrier(WaitList &waitList, Batch &batch)
{
    std::uint64_t newest = 0;
    const bool anyEvent = m_reorderBuffer.newestBefore(waitList, m_queue.barrier(), newest);
    const bool death = waitList.hasDeath && waitList.deathBarrier < m_queue.barrier();
    settleUntil(waitList, anyEvent ? newest + 1 : 0, death, waitList.detached && waitList.barrier < m_queue.barrier(),
                batch);
}

bool Merger::releaseSettled(Batch &batch, std::size_t maxTransitions)
{
    if (!m_queue.settleByTime(m_eventWatermark, batch, maxTransitions,
                              [&](WaitList &waitList) { settleByTime(waitList, batch); }))
        return false;
    m_settledUntil = m_watermark;
    settleNotes(m_watermark, batch);
    m_queue.trim();
    return true;
}

/// All lanes were read up to the watermark.
void Merger::settleByTime(WaitList &waitList, Batch &batch)
{
    std::uint64_t end = 0;
    m_reorderBuffer.newestUntil(waitList, m_eventWatermark, end);
    const bool deathKnown = waitList.deathTs < m_eventWatermark;
    settleUntil(waitList, end, waitList.hasDeath && deathKnown,
                waitList.detached && !waitList.hasDeath && waitList.deathTs != 0 && deathKnown, batch);
}

/// Settles a wait list: numbers missing below `until` are lost. `death` settles everything before its death as well.
/// `followed` means that the station has a later coroutine, and that no lane has the death of this one.
void Merger::settleUntil(WaitList &waitList, std::uint64_t until, bool death, bool followed, Batch &batch)
{
    const std::uint64_t identity = waitList.identity;
    if (until == 0 && !death && !followed) {
        m_queue.addAgain(identity, batch);
        return;
    }
    if (!m_discovery.cursorOf(waitList).isDiscovered()) {
        m_discovery.discoverUnseen(waitList, batch);
        if (m_reorderBuffer.findWaitList(identity) != &waitList)
            return;  // everything was emitted with its birth
    }
    const CoroutineEntry entry{&m_discovery.cursorOf(waitList), &waitList};
    m_output.release(entry, until, batch);
    if (death) {
        m_output.release(entry, waitList.deathN, batch);
        m_output.reportLoss(*entry.cursor, waitList.deathN, batch);
    } else if (waitList.detached && followed) {
        m_output.release(entry, ~std::uint64_t{0}, batch);
        m_output.reportLoss(*entry.cursor, waitList.deathN, batch);
        m_output.addDeath(entry, identity, waitList.deathTs, batch);
        return;
    }
    m_output.endOrErase(entry, batch);
    m_queue.addAgain(identity, batch);
}

/// Every lane was read up to `ns`: gives up notes whose coroutines no earlier record has discovered, then emits deaths.
void Merger::settleNotes(std::uint64_t ns, Batch &batch)
{
    m_notes.emitReady(m_discovery, batch);
    // A coroutine whose birth was overwritten may still be discovered by an event in an unread lane.
    const bool isAttaching = m_mode.attaching && ns != ~std::uint64_t{0};
    if (!isAttaching)
        m_notes.settle(ns, m_discovery, batch);
    if (!isAttaching || m_notes.isEmpty())
        m_deaths.emitPending(ns, batch);
}

void Merger::finish(Batch &batch)
{
    constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
    // In a lane that could not be read to its end, events are missing for which others still wait.
    m_watermark = ~std::uint64_t{0};
    static_cast<void>(releaseSettled(batch, kNoLimit));
    static_cast<void>(completeBarrier(batch, kNoLimit));
    beginBarrier();
    static_cast<void>(completeBarrier(batch, kNoLimit));
    settleNotes(~std::uint64_t{0}, batch);
}

bool Merger::isBehind(std::uint32_t index, const CompactCopy &station) const
{
    const std::span<const LaneCursor> cursors = m_discovery.cursors();
    if (index >= cursors.size() || cursors[index].generation() != station.generation || cursors[index].isEnded())
        return false;
    const bool hasNewFinish = station.hasFinished() && (cursors[index].state & LaneCursor::kFinished) == 0;
    return eventsOf(station) > cursors[index].next() || station.life != corotracer::kCompactAlive || hasNewFinish;
}

void Merger::settle(std::uint32_t index, const CompactCopy &station, Batch &batch)
{
    const std::span<LaneCursor> cursors = m_discovery.cursors();
    if (index >= cursors.size() || cursors[index].generation() != station.generation || cursors[index].isEnded())
        return;
    LaneCursor &cursor = cursors[index];
    const std::uint64_t identity = identityOf(station.generation, index);
    const CoroutineEntry entry{
        &cursor, (cursor.state & LaneCursor::kBuffered) != 0 ? m_reorderBuffer.findWaitList(identity) : nullptr};
    const HarvestedProcess &process = m_processes.at(station.process, batch);
    const std::uint64_t events = eventsOf(station);
    if (entry.waitList)
        m_output.release(entry, events, batch);
    if (events > cursor.next()) {
        if (station.latestTorn) {
            m_output.reportLoss(cursor, events, batch);
        } else {
            const std::uint64_t n = events - 1;
            m_output.reportLoss(cursor, n, batch);
            m_output.emit(cursor,
                          {process.clock.ns(station.ts), station.addr, n, slotSeq(Dialect::Lane, n), kNoCoroutine,
                           static_cast<std::uint32_t>(station.tid), m_harvestState.sites.resolve(station.site, batch),
                           pointOf(station.kind), station.kind >= corotracer::kRecordResume},
                          batch);
        }
        if (entry.waitList)
            m_output.release(entry, cursor.next(), batch);
    }
    if (station.hasFinished() && m_discovery.markFinished(identity, batch))
        batch.notes.finishes.push_back({cursor.coroutine, process.clock.ns(station.finishedTs), kUnknownSite});
    const bool dead =
        station.life == corotracer::kCompactDead || (m_mode.stationsOnly && station.life != corotracer::kCompactAlive);
    if (dead)
        m_output.addDeath(entry, identity, station.deathTs != 0 ? process.clock.ns(station.deathTs) : 0, batch);
    else if (entry.waitList)
        m_output.endOrErase(entry, batch);
}

void Merger::settleCounts(std::span<const Census::Station> stations, Batch &batch)
{
    m_reorderBuffer.each([&](WaitList &waitList) {
        if (waitList.detached && indexOf(waitList.identity) < stations.size())
            settleWaitList(waitList, stations[indexOf(waitList.identity)], batch);
    });
    for (std::uint32_t index = 0; index < std::min(stations.size(), m_discovery.cursors().size()); ++index)
        settleCount(index, stations[index], batch);
}

/// Settles the generation of the cursor. The compact station may have a later generation.
void Merger::settleCount(std::uint32_t index, const Census::Station &count, Batch &batch)
{
    const LaneCursor &cursor = m_discovery.cursors()[index];
    if (!cursor.isDiscovered() || cursor.isEnded())
        return;
    CompactCopy station;
    station.generation = cursor.generation();
    station.life = corotracer::kCompactAlive;
    station.latestTorn = true;
    station.events = count.generation == station.generation
                         ? count.events
                         : m_discovery.eventsUntil(index, count.generation, count.before);
    if (station.events == Census::kAll || station.events <= cursor.next())
        return;
    const std::optional<CompactCopy> now = readCompact(m_states[index], m_births[index]);
    if (now && now->generation == station.generation && now->events == station.events)
        station = *now;
    settle(index, station, batch);
}

/// Settles a generation before the one of its station's cursor. Its birth was overwritten, or it would have been read.
void Merger::settleWaitList(WaitList &waitList, const Census::Station &count, Batch &batch)
{
    const std::uint64_t identity = waitList.identity;
    if (!waitList.own.isDiscovered() && generationOf(identity) <= count.generation)
        m_discovery.discoverUnseen(waitList, batch);
    if (m_reorderBuffer.findWaitList(identity) != &waitList || !waitList.detached || !waitList.own.isDiscovered() ||
        generationOf(identity) != count.generation || count.events == Census::kAll)
        return;
    const CoroutineEntry entry{&waitList.own, &waitList};
    m_output.release(entry, count.events, batch);
    m_output.reportLoss(waitList.own, count.events, batch);
    m_output.release(entry, waitList.own.next(), batch);
    m_output.endOrErase(entry, batch);
}

}  // namespace ct
