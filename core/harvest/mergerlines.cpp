// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The compact stations in Merger.
#include "core/harvest/merger.h"
#include "core/region/identity.h"

#include <algorithm>

namespace ct {

namespace {

/// A target can overwrite the sums in the region. Sums from here on are not believed.
constexpr std::uint64_t kImplausibleSum = std::uint64_t{1} << 48;

/// The events of a compact station; 0 also for a count that is not believed. A cursor has fewer bits, and would stay
/// behind such a count for ever.
std::uint64_t eventsOf(const CompactCopy &line)
{
    return line.events < kImplausibleSum ? line.events : 0;
}

}  // namespace

/// Discovers a coroutine that a record named, through its compact station. This works while the coroutine lives, and in
/// state 2.
bool Merger::bearFromLine(std::uint32_t index, std::uint32_t generation, Batch &batch)
{
    const std::uint64_t life = m_lines[index].life.load(std::memory_order_acquire);
    if (generationOf(life) != generation)
        return false;
    const std::optional<CompactCopy> line = readLine(m_lines[index], m_births[index]);
    return line && line->generation == generation && meet(index, *line, batch);
}

bool Merger::meet(std::uint32_t index, const CompactCopy &line, Batch &batch)
{
    if (line.life == corotracer::kLineFree)
        return false;  // claimed for a birth that is not complete
    if (line.generation == 0 || !reach(index) || m_cursors[index].generation() > line.generation)
        return false;
    if (m_cursors[index].generation() == line.generation)
        return true;
    // In states 0 and 3, the values may belong to the next birth, while the generation is still old.
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
    const CoroutineEntry place =
        install(identity, birth, m_attaching || m_postMortem ? LaneCursor::kAttached : 0, eventsOf(line), batch);
    const LaneOrigin origin{line.process, 0};
    if (line.name != 0)
        takeNote(origin, {line.birthTs, identity, line.name, 0, 0, corotracer::kRecordName}, birth.birthTs, batch);
    if (line.parent != corotracer::kNoIdentity && line.parent != identity)
        // Emit it later: resolving the parent may discover it, then the parent's parent, and so on.
        keepReady({{line.birthTs, identity, line.parent, 0, 0, corotracer::kRecordParent}, origin, birth.birthTs});
    if (place.hold) {
        release(place, 0, batch);
        tidy(place, batch);
    }
    return true;
}

bool Merger::isBehind(std::uint32_t index, const CompactCopy &line) const
{
    if (index >= m_cursors.size() || m_cursors[index].generation() != line.generation || m_cursors[index].isEnded())
        return false;
    return eventsOf(line) > m_cursors[index].next() || line.life != corotracer::kLineAlive;
}

void Merger::settle(std::uint32_t index, const CompactCopy &line, Batch &batch)
{
    if (index >= m_cursors.size() || m_cursors[index].generation() != line.generation || m_cursors[index].isEnded())
        return;
    LaneCursor &cursor = m_cursors[index];
    const std::uint64_t identity = identityOf(line.generation, index);
    const CoroutineEntry place{&cursor,
                               (cursor.state & LaneCursor::kHeld) != 0 ? m_reorderBuffer.find(identity) : nullptr};
    const HarvestedProcess &process = m_processes.at(line.process, batch);
    const std::uint64_t events = eventsOf(line);
    if (place.hold)
        release(place, events, batch);
    if (events > cursor.next()) {
        if (line.latestTorn) {
            lose(cursor, events, batch);
        } else {
            const std::uint64_t n = events - 1;
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
        die(place, identity, line.deathTs != 0 ? process.clock.ns(line.deathTs) : 0, batch);
    else if (place.hold)
        tidy(place, batch);
}

/// Returns the events of all generations before this one; Census::kAll if the compact station has another generation.
std::uint64_t Merger::eventsBefore(std::uint32_t index, std::uint32_t generation) const
{
    // Acquire, both loads; partner: a claim raises `life` first, then stores events_before (release).
    const std::uint64_t life = m_lines[index].life.load(std::memory_order_acquire);
    const std::uint64_t before = m_births[index].events_before.load(std::memory_order_acquire);
    // Relaxed: the acquire load of the sum keeps it in order.
    const bool stands = generationOf(life) == generation && static_cast<std::uint32_t>(life) != corotracer::kLineFree &&
                        m_lines[index].life.load(std::memory_order_relaxed) >> 32 == generation;
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
    m_reorderBuffer.each([&](Hold &hold) {
        if (hold.detached && indexOf(hold.identity) < stations.size())
            settleHold(hold, stations[indexOf(hold.identity)], batch);
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
    CompactCopy line;
    line.generation = cursor.generation();
    line.life = corotracer::kLineAlive;
    line.latestTorn = true;
    line.events =
        count.generation == line.generation ? count.events : eventsUntil(index, count.generation, count.before);
    if (line.events == Census::kAll || line.events <= cursor.next())
        return;
    const std::optional<CompactCopy> now = readLine(m_lines[index], m_births[index]);
    if (now && now->generation == line.generation && now->events == line.events)
        line = *now;
    settle(index, line, batch);
}

/// Settles a generation before the one of its station's cursor. Its birth was overwritten, or it would have been read.
void Merger::settleHold(Hold &hold, const Census::Station &count, Batch &batch)
{
    const std::uint64_t identity = hold.identity;
    if (!hold.own.isBorn() && generationOf(identity) <= count.generation)
        bearUnseen(hold, batch);
    if (m_reorderBuffer.find(identity) != &hold || !hold.detached || !hold.own.isBorn() ||
        generationOf(identity) != count.generation || count.events == Census::kAll)
        return;
    const CoroutineEntry place{&hold.own, &hold};
    release(place, count.events, batch);
    lose(hold.own, count.events, batch);
    release(place, hold.own.next(), batch);
    tidy(place, batch);
}

void Merger::abandon(std::uint32_t index)
{
    if (index >= m_cursors.size())
        return;
    LaneCursor &cursor = m_cursors[index];
    if ((cursor.state & LaneCursor::kHeld) != 0) {
        if (Hold *const hold = m_reorderBuffer.find(identityOf(cursor.generation(), index)))
            m_reorderBuffer.erase(*hold);
    }
    cursor.state = (cursor.state | LaneCursor::kEnded) & ~LaneCursor::kHeld;
}

}  // namespace ct
