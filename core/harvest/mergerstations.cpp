// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The compact stations in Merger.
#include "core/harvest/merger.h"
#include "core/harvest/plausible.h"
#include "core/region/identity.h"

#include <algorithm>

namespace ct {

namespace {

/// The events of a compact station; 0 also for a count that is not believed. A cursor has fewer bits, and would stay
/// behind such a count for ever.
std::uint64_t eventsOf(const CompactCopy &station)
{
    return plausible(station.events);
}

}  // namespace

/// Discovers a coroutine that a record named, through its compact station. This works while the coroutine lives, and in
/// state 2.
bool Merger::discoverFromStation(std::uint32_t index, std::uint32_t generation, Batch &batch)
{
    const std::uint64_t life = m_states[index].life.load(std::memory_order_acquire);
    if (generationOf(life) != generation)
        return false;
    const std::optional<CompactCopy> station = readCompact(m_states[index], m_births[index]);
    return station && station->generation == generation && discover(index, *station, batch);
}

bool Merger::discover(std::uint32_t index, const CompactCopy &station, Batch &batch)
{
    if (station.life == corotracer::kCompactFree)
        return false;  // claimed for a birth that is not complete
    if (station.generation == 0 || !reach(index) || m_cursors[index].generation() > station.generation)
        return false;
    if (m_cursors[index].generation() == station.generation)
        return true;
    // In states 0 and 3, the values may belong to the next birth, while the generation is still old.
    const bool stands = station.life == corotracer::kCompactAlive || station.life == corotracer::kCompactDead;
    if (!stands && !m_stationsOnly)
        return false;
    const HarvestedProcess &process = m_processes.at(station.process, batch);
    Birth birth;
    birth.station = corotracer::kCompactBase + index;
    birth.generation = station.generation;
    birth.pid = process.pid;
    birth.dialect = Dialect::Lane;
    birth.probeId = station.probeId;
    birth.birthTs = process.clock.ns(station.birthTs);
    const std::uint64_t identity = identityOf(station.generation, index);
    const CoroutineEntry entry =
        install(identity, birth, m_attaching || m_postMortem ? LaneCursor::kAttached : 0, eventsOf(station), batch);
    const LaneOrigin origin{station.process, 0};
    if (station.name != 0)
        mergeNote(origin, {station.birthTs, identity, station.name, 0, 0, corotracer::kRecordName}, birth.birthTs,
                  batch);
    if (station.parent != corotracer::kNoIdentity && station.parent != identity)
        // Emit it later: resolving the parent may discover it, then the parent's parent, and so on.
        keepReady(
            {{station.birthTs, identity, station.parent, 0, 0, corotracer::kRecordParent}, origin, birth.birthTs});
    if (entry.waitList) {
        release(entry, 0, batch);
        tidy(entry, batch);
    }
    return true;
}

bool Merger::isBehind(std::uint32_t index, const CompactCopy &station) const
{
    if (index >= m_cursors.size() || m_cursors[index].generation() != station.generation || m_cursors[index].isEnded())
        return false;
    return eventsOf(station) > m_cursors[index].next() || station.life != corotracer::kCompactAlive;
}

void Merger::settle(std::uint32_t index, const CompactCopy &station, Batch &batch)
{
    if (index >= m_cursors.size() || m_cursors[index].generation() != station.generation || m_cursors[index].isEnded())
        return;
    LaneCursor &cursor = m_cursors[index];
    const std::uint64_t identity = identityOf(station.generation, index);
    const CoroutineEntry entry{&cursor,
                               (cursor.state & LaneCursor::kBuffered) != 0 ? m_reorderBuffer.find(identity) : nullptr};
    const HarvestedProcess &process = m_processes.at(station.process, batch);
    const std::uint64_t events = eventsOf(station);
    if (entry.waitList)
        release(entry, events, batch);
    if (events > cursor.next()) {
        if (station.latestTorn) {
            lose(cursor, events, batch);
        } else {
            const std::uint64_t n = events - 1;
            lose(cursor, n, batch);
            emit(cursor,
                 {process.clock.ns(station.ts), station.addr, n, slotSeq(Dialect::Lane, n), kNoCoroutine,
                  static_cast<std::uint32_t>(station.tid), m_books.sites.resolve(station.site, batch),
                  pointOf(station.kind), station.kind >= corotracer::kRecordResume},
                 batch);
        }
        if (entry.waitList)
            release(entry, cursor.next(), batch);
    }
    const bool dead =
        station.life == corotracer::kCompactDead || (m_stationsOnly && station.life != corotracer::kCompactAlive);
    if (dead)
        die(entry, identity, station.deathTs != 0 ? process.clock.ns(station.deathTs) : 0, batch);
    else if (entry.waitList)
        tidy(entry, batch);
}

/// Returns the events of all generations before this one; Census::kAll if the compact station has another generation.
std::uint64_t Merger::eventsBefore(std::uint32_t index, std::uint32_t generation) const
{
    // Acquire, both loads; partner: a claim raises `life` first, then stores events_before (release).
    const std::uint64_t life = m_states[index].life.load(std::memory_order_acquire);
    const std::uint64_t before = m_births[index].events_before.load(std::memory_order_acquire);
    // Relaxed: the acquire load of the sum keeps it in order.
    const bool stands = generationOf(life) == generation &&
                        static_cast<std::uint32_t>(life) != corotracer::kCompactFree &&
                        m_states[index].life.load(std::memory_order_relaxed) >> 32 == generation;
    return stands && before < kImplausibleSum ? before : Census::kAll;
}

/// Returns how many events the cursor's generation had; 0 = unknown. It is known if `generation` is the next one, and
/// `before` its eventsBefore().
std::uint64_t Merger::eventsUntil(std::uint32_t index, std::uint32_t generation, std::uint64_t before) const
{
    if (index >= m_before.size() || m_before[index] == Census::kAll || before == Census::kAll)
        return 0;
    const bool next = m_cursors[index].generation() + 1 == generation;
    return next && before > m_before[index] ? before - m_before[index] : 0;
}

void Merger::settleCounts(std::span<const Census::Station> stations, Batch &batch)
{
    m_reorderBuffer.each([&](WaitList &waitList) {
        if (waitList.detached && indexOf(waitList.identity) < stations.size())
            settleWaitList(waitList, stations[indexOf(waitList.identity)], batch);
    });
    for (std::uint32_t index = 0; index < std::min(stations.size(), m_cursors.size()); ++index)
        settleCount(index, stations[index], batch);
}

/// Settles the generation of the cursor. The compact station may have a later generation.
void Merger::settleCount(std::uint32_t index, const Census::Station &count, Batch &batch)
{
    const LaneCursor &cursor = m_cursors[index];
    if (!cursor.isBorn() || cursor.isEnded())
        return;
    CompactCopy station;
    station.generation = cursor.generation();
    station.life = corotracer::kCompactAlive;
    station.latestTorn = true;
    station.events =
        count.generation == station.generation ? count.events : eventsUntil(index, count.generation, count.before);
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
    if (!waitList.own.isBorn() && generationOf(identity) <= count.generation)
        discoverUnseen(waitList, batch);
    if (m_reorderBuffer.find(identity) != &waitList || !waitList.detached || !waitList.own.isBorn() ||
        generationOf(identity) != count.generation || count.events == Census::kAll)
        return;
    const CoroutineEntry entry{&waitList.own, &waitList};
    release(entry, count.events, batch);
    lose(waitList.own, count.events, batch);
    release(entry, waitList.own.next(), batch);
    tidy(entry, batch);
}

void Merger::abandon(std::uint32_t index)
{
    if (index >= m_cursors.size())
        return;
    LaneCursor &cursor = m_cursors[index];
    if ((cursor.state & LaneCursor::kBuffered) != 0) {
        if (WaitList *const waitList = m_reorderBuffer.find(identityOf(cursor.generation(), index)))
            m_reorderBuffer.erase(*waitList);
    }
    cursor.state = (cursor.state | LaneCursor::kEnded) & ~LaneCursor::kBuffered;
}

}  // namespace ct
