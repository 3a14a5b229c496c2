// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/discovery.h"

#include "core/region/identity.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ct {

namespace {

constexpr std::uint64_t kLowHalf = 0xFFFF'FFFF;
constexpr std::size_t kCursorStep = 1024;
/// More records than the lanes of a region can have of one coroutine: 32 GiB.
constexpr std::uint64_t kReach = std::uint64_t{1} << 30;

}  // namespace

Discovery::Discovery(const Region &region, const DiscoveryParts &parts)
    : m_states(region.compactStations()),
      m_births(region.births()),
      m_counts(region),
      m_mode(parts.mode),
      m_harvestState(parts.harvestState),
      m_processes(parts.processes),
      m_reorderBuffer(parts.reorderBuffer),
      m_deaths(parts.deaths),
      m_queue(parts.queue),
      m_output(parts.output),
      m_notes(parts.notes)
{
}

/// Extends m_cursors to a compact station. Returns false if the region has no such station.
bool Discovery::reach(std::uint32_t index)
{
    if (index < m_cursors.size())
        return true;
    if (index >= m_states.size())
        return false;
    const std::size_t size = std::max<std::size_t>({index + 1U, m_cursors.size() * 2, kCursorStep});
    m_cursors.resize(std::min(size, m_states.size()));
    if (m_mode.overwrites)
        m_before.resize(m_cursors.size(), Census::kAll);
    return true;
}

LaneCursor &Discovery::cursorOf(WaitList &waitList)
{
    return waitList.detached ? waitList.own : m_cursors[indexOf(waitList.identity)];
}

CoroutineEntry Discovery::findCoroutine(std::uint64_t identity, Batch &batch)
{
    const std::uint32_t index = indexOf(identity);
    const std::uint32_t generation = generationOf(identity);
    if (generation == 0 || !reach(index))
        return {};
    LaneCursor &cursor = m_cursors[index];
    if (cursor.generation() == generation ||
        (generation > cursor.generation() && discoverFromStation(index, generation, batch)))
        return {&cursor,
                (cursor.state & LaneCursor::kBuffered) != 0 ? m_reorderBuffer.findWaitList(identity) : nullptr};
    WaitList *const waitList = m_reorderBuffer.findWaitList(identity);
    return waitList ? CoroutineEntry{&waitList->own, waitList} : CoroutineEntry{};
}

CoroutineEntry Discovery::findOrMake(std::uint64_t identity, std::uint32_t pid, std::uint64_t ns, Batch &batch)
{
    if (const CoroutineEntry entry = findCoroutine(identity, batch); entry.cursor)
        return entry;
    if (generationOf(identity) == 0 || indexOf(identity) >= m_states.size())
        return {};
    WaitList &made = m_reorderBuffer.make(identity, m_queue.barrier());
    made.detached = true;
    made.pid = pid;
    made.own.key = identity & ~kLowHalf;
    made.own.state = m_mode.attaching || m_mode.postMortem ? LaneCursor::kAttached : 0;
    m_queue.addWaitList(made, ns, batch);
    return {&made.own, &made};
}

WaitList &Discovery::waitList(const CoroutineEntry &entry, std::uint64_t identity)
{
    WaitList &waitList = entry.waitList ? *entry.waitList : m_reorderBuffer.make(identity, m_queue.barrier());
    if (!waitList.detached)
        entry.cursor->state |= LaneCursor::kBuffered;
    return waitList;
}

void Discovery::addBirth(const LaneOrigin &origin, const RecordCopy &record, std::uint64_t ts, Batch &batch)
{
    const std::uint32_t index = indexOf(record.identity);
    const std::uint32_t generation = generationOf(record.identity);
    if (generation == 0 || !reach(index) || m_cursors[index].generation() == generation)
        return;  // discovered through its compact station
    WaitList *const early = m_reorderBuffer.findWaitList(record.identity);
    if (early && early->own.isDiscovered())
        return;
    // It was discovered through its compact station, and has ended, before this lane was read.
    if (!early && m_cursors[index].generation() > generation && m_deaths.findDeath(record.identity))
        return;
    Birth birth;
    birth.station = corotracer::kCompactBase + index;
    birth.generation = generation;
    birth.pid = m_processes.at(origin.process, batch).pid;
    birth.dialect = Dialect::Lane;
    birth.probeId = record.arg;
    birth.birthTs = ts;
    const std::uint64_t events = m_mode.attaching || m_mode.overwrites ? m_counts.publishedBy(record.identity) : 0;
    const bool attached = (m_mode.attaching && m_mode.overwrites) || origin.drained;
    const std::uint32_t flags = attached ? LaneCursor::kAttached : 0;
    const CoroutineEntry entry = install(record.identity, birth, flags, events, batch);
    if (entry.waitList) {
        m_output.release(entry, 0, batch);
        m_output.endOrErase(entry, batch);
    }
}

/// Numbers the coroutine, emits its birth and makes its cursor. The cursor is detached if the station's own has a later
/// generation. Events that wait are kept. `events` is the number of its events so far, 0 = unknown. Lanes do not reach
/// back further than kReach.
CoroutineEntry Discovery::install(std::uint64_t identity, const Birth &birth, std::uint32_t flags, std::uint64_t events,
                                  Batch &batch)
{
    const std::uint32_t index = indexOf(identity);
    LaneCursor &current = m_cursors[index];
    LaneCursor fresh;
    fresh.key = identity & ~kLowHalf;
    fresh.coroutine = m_harvestState.number();
    fresh.state = flags;
    batch.births.push_back(birth);
    batch.births.back().coroutine = fresh.coroutine;
    ++m_harvestState.sums.coroutines;
    if (events > kReach) {
        m_output.reportLoss(fresh, events - kReach, batch);
        fresh.state |= flags;  // none of its events was captured yet
    }
    m_notes.noteDiscovered(identity);
    WaitList *early = m_reorderBuffer.findWaitList(identity);
    if (current.generation() > birth.generation) {
        if (!early) {
            early = &m_reorderBuffer.make(identity, m_queue.barrier());
            early->detached = true;
            m_queue.addWaitList(*early, birth.birthTs, batch);
        }
        early->own = fresh;
        return {&early->own, early};
    }
    const std::uint64_t before = m_mode.overwrites ? m_counts.eventsBefore(index, birth.generation) : Census::kAll;
    if (!current.isEnded()) {
        if (m_mode.stationsOnly)
            m_output.addDeath({&current, nullptr}, identityOf(current.generation(), index), birth.birthTs, batch);
        else
            detach(current, index, birth.birthTs, eventsUntil(index, birth.generation, before), batch);
    }
    current = fresh;
    if (m_mode.overwrites)
        m_before[index] = before;
    if (early) {
        early->detached = false;
        current.state |= LaneCursor::kBuffered;
    }
    return {&current, early};
}

/// Moves a cursor into a wait list: its station has another coroutine by now, so the death is in some unread lane.
/// `events` is the number of its events, 0 = unknown.
void Discovery::detach(LaneCursor &cursor, std::uint32_t index, std::uint64_t ts, std::uint64_t events,
                       const Batch &batch)
{
    const std::uint64_t identity = identityOf(cursor.generation(), index);
    WaitList *const found =
        (cursor.state & LaneCursor::kBuffered) != 0 ? m_reorderBuffer.findWaitList(identity) : nullptr;
    WaitList &waiting = found ? *found : m_reorderBuffer.make(identity, m_queue.barrier());
    waiting.own = cursor;
    waiting.own.state &= ~LaneCursor::kBuffered;
    waiting.detached = true;
    waiting.barrier = m_queue.barrier();
    if (!waiting.hasDeath) {
        waiting.deathTs = ts;
        waiting.deathN = events;
    }
    m_queue.addWaitList(waiting, ts, batch);
}

/// Discovers a coroutine that a record named, through its compact station. This works while the coroutine lives, and in
/// state 2.
bool Discovery::discoverFromStation(std::uint32_t index, std::uint32_t generation, Batch &batch)
{
    const std::uint64_t life = m_states[index].life.load(std::memory_order_acquire);
    if (generationOf(life) != generation)
        return false;
    const std::optional<CompactCopy> station = readCompact(m_states[index], m_births[index]);
    return station && station->generation == generation && discover(index, *station, batch);
}

bool Discovery::discover(std::uint32_t index, const CompactCopy &station, Batch &batch)
{
    if (station.life == corotracer::kCompactFree)
        return false;  // claimed for a birth that is not complete
    if (station.generation == 0 || !reach(index) || m_cursors[index].generation() > station.generation)
        return false;
    if (m_cursors[index].generation() == station.generation)
        return true;
    // In states 0 and 3, the values may belong to the next birth, while the generation is still old.
    const bool stands = station.life == corotracer::kCompactAlive || station.life == corotracer::kCompactDead;
    if (!stands && !m_mode.stationsOnly)
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
    const CoroutineEntry entry = install(
        identity, birth, m_mode.attaching || m_mode.postMortem ? LaneCursor::kAttached : 0, eventsOf(station), batch);
    if (station.name != 0)
        batch.notes.names.push_back({entry.cursor->coroutine, m_harvestState.text(station.name)});
    if (station.parent != corotracer::kNoIdentity && station.parent != identity)
        // Emit it later: resolving the parent may discover it, then the parent's parent, and so on.
        m_notes.addReady({{station.birthTs, identity, station.parent, std::uint64_t{corotracer::kRecordParent} << 4},
                          {station.process, 0},
                          birth.birthTs});
    if (entry.waitList) {
        m_output.release(entry, 0, batch);
        m_output.endOrErase(entry, batch);
    }
    return true;
}

void Discovery::discoverUnseen(WaitList &waitList, Batch &batch)
{
    const std::uint32_t index = indexOf(waitList.identity);
    const std::uint32_t generation = generationOf(waitList.identity);
    if (generation > m_cursors[index].generation() && discoverFromStation(index, generation, batch))
        return;
    Birth birth;
    birth.station = corotracer::kCompactBase + index;
    birth.generation = generation;
    birth.pid = waitList.pid;
    birth.dialect = Dialect::Lane;
    install(waitList.identity, birth, waitList.own.state & LaneCursor::kAttached, 0, batch);
}

void Discovery::discoverWaiting(std::uint64_t identity, Batch &batch)
{
    WaitList *const waiting = m_reorderBuffer.findWaitList(identity);
    if (!waiting || cursorOf(*waiting).isDiscovered())
        return;
    discoverUnseen(*waiting, batch);
    if (m_reorderBuffer.findWaitList(identity) != waiting)
        return;  // everything was emitted with its birth
    const CoroutineEntry entry{&cursorOf(*waiting), waiting};
    m_output.release(entry, 0, batch);
    m_output.endOrErase(entry, batch);
}

NoteSubject Discovery::subjectOf(std::uint64_t identity, Batch &batch)
{
    const CoroutineEntry entry = findCoroutine(identity, batch);
    if (entry.cursor && entry.cursor->isDiscovered() && !entry.cursor->isEnded())
        return {entry.cursor->coroutine, entry.cursor->next()};
    const PendingDeath *const pending = m_deaths.findDeath(identity);
    return pending ? NoteSubject{pending->death.coroutine, pending->next} : NoteSubject{};
}

NoteSubject Discovery::endedSubject(std::uint64_t identity) const
{
    const EmittedDeath *const emitted = m_deaths.findEmitted(identity);
    return emitted ? NoteSubject{emitted->coroutine, emitted->next} : NoteSubject{};
}

CoroutineId Discovery::idOf(std::uint64_t identity, Batch &batch)
{
    if (const CoroutineEntry entry = findCoroutine(identity, batch); entry.cursor)
        return entry.cursor->coroutine;
    const PendingDeath *const pending = m_deaths.findDeath(identity);
    return pending ? pending->death.coroutine : kNoCoroutine;
}

bool Discovery::markFinished(std::uint64_t identity, Batch &batch)
{
    const CoroutineEntry entry = findCoroutine(identity, batch);
    if (!entry.cursor)
        return true;  // its death is pending, and the compact station has another coroutine by now
    return (std::exchange(entry.cursor->state, entry.cursor->state | LaneCursor::kFinished) & LaneCursor::kFinished) ==
           0;
}

std::uint64_t Discovery::eventsUntil(std::uint32_t index, std::uint32_t generation, std::uint64_t before) const
{
    if (index >= m_before.size() || m_before[index] == Census::kAll || before == Census::kAll)
        return 0;
    const bool next = m_cursors[index].generation() + 1 == generation;
    return next && before > m_before[index] ? before - m_before[index] : 0;
}

void Discovery::abandon(std::uint32_t index)
{
    if (index >= m_cursors.size())
        return;
    LaneCursor &cursor = m_cursors[index];
    if ((cursor.state & LaneCursor::kBuffered) != 0) {
        if (WaitList *const waitList = m_reorderBuffer.findWaitList(identityOf(cursor.generation(), index)))
            m_reorderBuffer.erase(*waitList);
    }
    cursor.state = (cursor.state | LaneCursor::kEnded) & ~LaneCursor::kBuffered;
}

}  // namespace ct
