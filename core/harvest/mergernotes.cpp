// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rare records of lanes, and what compact stations tell.
#include "core/harvest/identity.h"
#include "core/harvest/merger.h"

#include <algorithm>

namespace ct {

namespace {

/// More notes about coroutines that are not known (yet) are a target's scribble.
constexpr std::size_t kMaxPendingNotes = 4'194'304;

std::uint64_t nearest(std::uint64_t next, std::uint32_t low)
{
    const auto ahead = static_cast<std::int64_t>(static_cast<std::int32_t>(low - static_cast<std::uint32_t>(next)));
    const auto n = static_cast<std::int64_t>(next) + ahead;
    return n < 0 ? low : static_cast<std::uint64_t>(n);
}

}  // namespace

void Merger::takeRare(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch)
{
    switch (item.kind) {
    case corotracer::kRecordBirth: takeBirth(origin, item, ts, batch); return;
    case corotracer::kRecordDeath: takeDeath(origin, item, ts, batch); return;
    case corotracer::kRecordDrops: {
        const HarvestedProcess &process = m_processes.at(origin.process, batch);
        batch.notes.drops.push_back({process.pid, origin.tid, item.identity, ts, process.clock.ns(item.arg)});
        m_dropsTold += item.identity;
        m_needsSweep = true;
        return;
    }
    case corotracer::kRecordThreadName:
        batch.notes.threadNames.push_back(
            {m_processes.at(origin.process, batch).pid, origin.tid, m_books.text(item.arg)});
        return;
    case corotracer::kRecordSwitchOff:
    case corotracer::kRecordSwitchOn:
        // Coroutines may have died meanwhile, which only their lines tell.
        m_needsSweep = true;
        batch.notes.switches.push_back(
            {m_processes.at(origin.process, batch).pid, ts, item.kind == corotracer::kRecordSwitchOn});
        return;
    default: takeNote(origin, item, ts, batch); return;
    }
}

/// Notes name a coroutine that may be unknown still: then they wait, like events.
void Merger::takeNote(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch)
{
    if (!tellNote(origin, item, ts, false, batch))
        keepNote(origin, item);
}

void Merger::keepNote(const LaneOrigin &origin, const LaneItem &item)
{
    if (m_notes.size() < kMaxPendingNotes)
        m_notes.push_back({item, origin, m_barrier});
}

/// False: somebody it names is not known. `last`: whoever is not known now never will be.
bool Merger::tellNote(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, bool last, Batch &batch)
{
    switch (item.kind) {
    case corotracer::kRecordName: {
        const CoroutineId coroutine = idOf(item.identity, batch);
        if (coroutine == kNoCoroutine)
            return false;
        batch.notes.names.push_back({coroutine, m_books.text(item.arg)});
        return true;
    }
    case corotracer::kRecordParent: {
        const CoroutineId coroutine = idOf(item.identity, batch);
        const CoroutineId parent = idOf(item.arg, batch);
        if (coroutine == kNoCoroutine || parent == kNoCoroutine)
            return false;
        batch.notes.parents.push_back({coroutine, parent});
        return true;
    }
    case corotracer::kRecordWake: return tellWake(origin, item, ts, last, batch);
    default: break;
    }
    if ((item.kind & 0xF0) == corotracer::kRecordWaitsOn)
        return tellWaitsOn(item, last, batch);
    return true;  // a kind we do not know: of a later version, or scribbled
}

bool Merger::tellWake(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, bool last, Batch &batch)
{
    const CoroutineId by = item.arg != corotracer::kNoIdentity ? idOf(item.arg, batch) : kNoCoroutine;
    if (by == kNoCoroutine && item.arg != corotracer::kNoIdentity && !last)
        return false;
    const Place place = find(item.identity, batch);
    if (!place.cursor || !place.cursor->isBorn())
        return false;
    const HarvestedProcess &process = m_processes.at(origin.process, batch);
    batch.notes.wakes.push_back(
        {place.cursor->coroutine, by, nearest(place.cursor->next(), item.n), ts, process.pid, origin.tid});
    return true;
}

bool Merger::tellWaitsOn(const LaneItem &item, bool last, Batch &batch)
{
    const std::uint8_t kind = item.kind & 0x0F;
    WaitsOn waits;
    waits.kind = kind <= corotracer::kWaitOther ? static_cast<WaitKind>(kind) : WaitKind::Unknown;
    waits.object = item.arg;
    if (waits.kind == WaitKind::Coroutine) {
        waits.target = idOf(item.arg, batch);
        if (waits.target == kNoCoroutine && !last)
            return false;
    }
    const Place place = find(item.identity, batch);
    if (!place.cursor || !place.cursor->isBorn())
        return false;
    waits.coroutine = place.cursor->coroutine;
    waits.n = nearest(place.cursor->next(), item.n);
    batch.notes.waits.push_back(waits);
    return true;
}

CoroutineId Merger::idOf(std::uint64_t identity, Batch &batch)
{
    const Place place = find(identity, batch);
    return place.cursor ? place.cursor->coroutine : kNoCoroutine;
}

/// A record named a generation that we do not know. The line tells who it is as long as it lives, or lies dead.
bool Merger::bearFromLine(std::uint32_t index, std::uint32_t generation, Batch &batch)
{
    const std::uint64_t life = m_lines[index].life.load(std::memory_order_acquire);
    if (generationOf(life) != generation)
        return false;
    const std::optional<LineCopy> line = readLine(m_lines[index], m_births[index]);
    return line && line->generation == generation && meet(index, *line, batch);
}

bool Merger::meet(std::uint32_t index, const LineCopy &line, Batch &batch)
{
    if (line.life == corotracer::kLineFree)
        return false;  // claimed for a birth that is not over
    if (line.generation == 0 || !reach(index) || m_cursors[index].generation() > line.generation)
        return false;
    if (m_cursors[index].generation() == line.generation)
        return true;
    // A free or recycled one may have its next birth written already, under the old generation.
    const bool stands = line.life == corotracer::kLineAlive || line.life == corotracer::kLineDead;
    if (!stands && !m_linesOnly)
        return false;
    const HarvestedProcess &process = m_processes.at(line.process, batch);
    Birth birth;
    birth.station = corotracer::kCompactBase + index;
    birth.generation = line.generation;
    birth.pid = process.pid;
    birth.dialect = Dialect::Lane;
    birth.probeId = line.probeId;
    birth.birthTs = process.clock.ns(line.birthTs);
    const std::uint64_t identity = identityOf(line.generation, index);
    const Place place = install(identity, birth, m_attaching ? LaneCursor::kAttached : 0, batch);
    const LaneOrigin origin{line.process, 0};
    if (line.name != 0)
        takeNote(origin, {line.birthTs, identity, line.name, 0, 0, corotracer::kRecordName}, birth.birthTs, batch);
    if (line.parent != corotracer::kNoIdentity && line.parent != identity)
        // Later: whoever looks for the parent may have to meet it first, and its parent, and so on.
        keepNote(origin, {line.birthTs, identity, line.parent, 0, 0, corotracer::kRecordParent});
    if (place.hold) {
        release(place, 0, batch);
        tidy(place, batch);
    }
    return true;
}

bool Merger::isBehind(std::uint32_t index, const LineCopy &line) const
{
    if (index >= m_cursors.size() || m_cursors[index].generation() != line.generation || m_cursors[index].isEnded())
        return false;
    return line.events > m_cursors[index].next() || line.life != corotracer::kLineAlive;
}

void Merger::settle(std::uint32_t index, const LineCopy &line, Batch &batch)
{
    if (index >= m_cursors.size() || m_cursors[index].generation() != line.generation || m_cursors[index].isEnded())
        return;
    LaneCursor &cursor = m_cursors[index];
    const std::uint64_t identity = identityOf(line.generation, index);
    const Place place{&cursor, (cursor.state & LaneCursor::kHeld) != 0 ? m_holdings.find(identity) : nullptr};
    const HarvestedProcess &process = m_processes.at(line.process, batch);
    if (place.hold)
        release(place, line.events, batch);
    if (line.events > cursor.next()) {
        if (line.latestTorn) {
            lose(cursor, line.events, batch);
        } else {
            const std::uint64_t n = line.events - 1;
            lose(cursor, n, batch);
            emit(cursor,
                 {process.clock.ns(line.ts), line.addr, n, slotSeq(Dialect::Lane, n), kNoCoroutine,
                  static_cast<std::uint32_t>(line.tid), m_books.sites.resolve(line.site, batch), pointOf(line.kind),
                  line.kind >= corotracer::kRecordResume},
                 batch);
        }
        if (place.hold)
            release(place, cursor.next(), batch);
    }
    const bool dead = line.life == corotracer::kLineDead || (m_linesOnly && line.life != corotracer::kLineAlive);
    if (dead)
        die(place, line.deathTs != 0 ? process.clock.ns(line.deathTs) : 0, batch);
    else if (place.hold)
        tidy(place, batch);
}

void Merger::abandon(std::uint32_t index)
{
    if (index >= m_cursors.size())
        return;
    LaneCursor &cursor = m_cursors[index];
    if ((cursor.state & LaneCursor::kHeld) != 0) {
        if (Hold *const hold = m_holdings.find(identityOf(cursor.generation(), index)))
            m_holdings.erase(*hold);
    }
    cursor.state = (cursor.state | LaneCursor::kEnded) & ~LaneCursor::kHeld;
}

}  // namespace ct
