// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The hot path and the reorder buffer. mergersettle.cpp decides when waiting events are emitted. mergernotes.cpp has
// the rare records, mergerlines.cpp the compact stations.
#include "core/harvest/merger.h"
#include "core/region/identity.h"

#include <algorithm>

namespace ct {

namespace {

/// How many records ahead a coroutine's cursor is prefetched.
constexpr std::size_t kAhead = 16;
constexpr std::uint64_t kLowHalf = 0xFFFF'FFFF;
/// A target can overwrite the counts in the region. Counts from here on are not believed.
constexpr std::uint64_t kImplausibleCount = std::uint64_t{1} << 48;
constexpr std::size_t kCursorStep = 1024;
/// More records than the lanes of a region can have of one coroutine: 32 GiB.
constexpr std::uint64_t kReach = std::uint64_t{1} << 30;
/// After a jump of this size, the compact station is consulted: the low half of the number may have wrapped.
constexpr std::int64_t kFar = 4096;

/// Returns true for kRecordSuspend and kRecordResume with any kind of point.
bool isTransition(std::uint8_t kind)
{
    return static_cast<std::uint8_t>(kind - corotracer::kRecordSuspend) < 0x20;
}

}  // namespace

Merger::Merger(const Region &region, HarvestBooks &books, ProcessList &processes)
    : m_lines(region.lines()),
      m_births(region.births()),
      m_books(books),
      m_processes(processes),
      m_overwrites(region.laneMode() == corotracer::kLanesOverwrite),
      m_isEvidence(region.access() == RegionAccess::Evidence && !m_overwrites)
{
}

void Merger::take(const LaneOrigin &origin, std::span<const LaneItem> items, Batch &batch)
{
    const HarvestedProcess &process = m_processes.at(origin.process, batch);
    std::size_t at = 0;
    while (at < items.size()) {
        const std::size_t taken = takeRun(process.clock.pieceFor(items[at].ts), origin.tid, items.subspan(at), batch);
        at += taken;
        if (at == items.size())
            break;
        const LaneItem &item = items[at++];
        const std::uint64_t ts = process.clock.ns(item.ts);
        if (isTransition(item.kind))
            takeEvent(origin, item,
                      {ts, item.arg, item.n, 0, origin.drained ? kDrained : kNoCoroutine, origin.tid,
                       m_books.sites.resolve(item.site, batch), pointOf(item.kind),
                       item.kind >= corotracer::kRecordResume},
                      batch);
        else
            takeRare(origin, item, ts, batch);
    }
}

/// The hot path: emits leading transitions as long as each is the next one of its coroutine. Returns their number.
std::size_t Merger::takeRun(const ClockPiece &piece, std::uint32_t tid, std::span<const LaneItem> items, Batch &batch)
{
    const std::size_t before = batch.transitions.size();
    batch.transitions.resize(before + items.size());
    Transition *const run = batch.transitions.data() + before;
    LaneCursor *const cursors = m_cursors.data();
    const std::size_t reach = m_cursors.size();
    const std::size_t size = items.size();
    std::uint32_t rawSite = kUnknownSite;  // site of the record before; `site` is its id in the stream
    SiteId site = kUnknownSite;
    const ClockStretch clock(piece, size != 0 ? items[0].ts : 0);
    std::size_t at = 0;
    for (; at < size; ++at) {
        if (at + kAhead < size) {
            if (const std::uint32_t coming = indexOf(items[at + kAhead].identity); coming < reach)
                __builtin_prefetch(&cursors[coming], 1);
        }
        const LaneItem &item = items[at];
        const std::uint32_t index = indexOf(item.identity);
        if (!isTransition(item.kind) || !clock.covers(item.ts) || index >= reach) [[unlikely]]
            break;
        LaneCursor &cursor = cursors[index];
        const std::uint32_t state = cursor.state;
        if (cursor.key != ((item.identity & ~kLowHalf) | item.n) || (state & LaneCursor::kFlags) != 0 ||
            item.n == kLowHalf) [[unlikely]]
            break;
        if (item.site != rawSite) [[unlikely]] {
            rawSite = item.site;
            site = m_books.sites.resolve(rawSite, batch);
        }
        const std::uint64_t n = std::uint64_t{state >> 8} << 32 | item.n;
        ++cursor.key;
        run[at] = {clock.ns(item.ts),
                   item.arg,
                   n,
                   slotSeq(Dialect::Lane, n),
                   cursor.coroutine,
                   tid,
                   site,
                   pointOf(item.kind),
                   item.kind >= corotracer::kRecordResume};
    }
    batch.transitions.resize(before + at);
    return at;
}

/// Extends m_cursors to a compact station. Returns false if the region has no such station.
bool Merger::reach(std::uint32_t index)
{
    if (index < m_cursors.size())
        return true;
    if (index >= m_lines.size())
        return false;
    const std::size_t size = std::max<std::size_t>({index + 1U, m_cursors.size() * 2, kCursorStep});
    m_cursors.resize(std::min(size, m_lines.size()));
    if (m_overwrites)
        m_before.resize(m_cursors.size(), Census::kAll);
    return true;
}

LaneCursor &Merger::cursorOf(Hold &hold)
{
    return hold.detached ? hold.own : m_cursors[indexOf(hold.identity)];
}

Merger::CoroutineEntry Merger::find(std::uint64_t identity, Batch &batch)
{
    const std::uint32_t index = indexOf(identity);
    const std::uint32_t generation = generationOf(identity);
    if (generation == 0 || !reach(index))
        return {};
    LaneCursor &cursor = m_cursors[index];
    if (cursor.generation() == generation ||
        (generation > cursor.generation() && bearFromLine(index, generation, batch)))
        return {&cursor, (cursor.state & LaneCursor::kHeld) != 0 ? m_reorderBuffer.find(identity) : nullptr};
    Hold *const hold = m_reorderBuffer.find(identity);
    return hold ? CoroutineEntry{&hold->own, hold} : CoroutineEntry{};
}

/// A coroutine that is not discovered gets a detached cursor: its birth is in another lane, or was overwritten.
Merger::CoroutineEntry Merger::findOrMake(std::uint64_t identity, std::uint32_t pid, std::uint64_t ns, Batch &batch)
{
    if (const CoroutineEntry place = find(identity, batch); place.cursor)
        return place;
    if (generationOf(identity) == 0 || indexOf(identity) >= m_lines.size())
        return {};
    Hold &made = m_reorderBuffer.make(identity, m_barrier);
    made.detached = true;
    made.pid = pid;
    made.own.key = identity & ~kLowHalf;
    made.own.state = m_attaching || m_postMortem ? LaneCursor::kAttached : 0;
    list(made, ns, batch);
    return {&made.own, &made};
}

/// Returns the coroutine's hold, made if necessary. The caller adds to it, then calls list().
Hold &Merger::hold(const CoroutineEntry &place, std::uint64_t identity)
{
    Hold &hold = place.hold ? *place.hold : m_reorderBuffer.make(identity, m_barrier);
    if (!hold.detached)
        place.cursor->state |= LaneCursor::kHeld;
    return hold;
}

void Merger::list(Hold &hold, std::uint64_t ns, const Batch &batch)
{
    // The time of death of a station's former coroutine may be unknown.
    const bool endUnknown = hold.detached && !hold.hasDeath && hold.deathTs == 0;
    const bool believable = ns < batch.now + kFutureNs && !m_distrustsTimes;
    if (!believable || endUnknown) {
        if (!hold.waiting)
            m_waiting.push_back(hold.identity);
        hold.waiting = true;
    }
    if (believable && !(endUnknown && !m_reorderBuffer.first(hold))) {
        if (!hold.queued)
            m_queue.push_back({hold.identity, ns});
        hold.queued = true;
    }
}

/// Processes an event that takeRun() rejected. transition.n has only the low half of the number so far.
void Merger::takeEvent(const LaneOrigin &origin, const LaneItem &item, const Transition &transition, Batch &batch)
{
    const CoroutineEntry place =
        findOrMake(item.identity, m_processes.at(origin.process, batch).pid, transition.ts, batch);
    if (!place.cursor || place.cursor->isEnded())
        return;
    LaneCursor &cursor = *place.cursor;
    Transition full = transition;
    full.n = numberOf(place, item);
    if (full.n < cursor.next())
        return;  // reported as lost, or nonsense
    full.seq = slotSeq(Dialect::Lane, full.n);
    const bool settled = full.n == cursor.next() || full.ts < m_eventHorizon;
    if (!settled || !cursor.isBorn()) {
        Hold &held = hold(place, item.identity);
        m_reorderBuffer.insert(held, full, m_barrier);
        list(held, full.ts, batch);
        ++m_heldCount;
        return;
    }
    if (full.n != cursor.next()) {
        if (place.hold)
            release(place, full.n, batch);
        lose(cursor, full.n, batch);
    }
    emit(cursor, full, batch);
    if (place.hold) {
        release(place, cursor.next(), batch);
        tidy(place, batch);
    }
}

/// Returns how many events the compact station has of this generation; 0 if it has another generation.
std::uint64_t Merger::publishedBy(std::uint64_t identity) const
{
    const corotracer::CompactState &line = m_lines[indexOf(identity)];
    // Acquire, both loads; partners: the release stores of a birth and of each event. The second load of `life` is
    // relaxed, because the acquire loads keep it behind them.
    const std::uint64_t life = line.life.load(std::memory_order_acquire);
    const std::uint64_t events = line.seq.load(std::memory_order_acquire) / 2;
    const bool stands = generationOf(life) == generationOf(identity) &&
                        line.life.load(std::memory_order_relaxed) == life &&
                        static_cast<std::uint32_t>(life) != corotracer::kLineFree;
    return stands && events < kImplausibleCount ? events : 0;
}

/// Extends the low half of a record's number to the nearest full number. Nearest means: to the number expected next,
/// after the emitted and waiting events. After a far jump it means: to the count of the compact station.
std::uint64_t Merger::numberOf(const CoroutineEntry &place, const LaneItem &item) const
{
    const auto nearest = [&item](std::uint64_t known) {
        return static_cast<std::int64_t>(known) + static_cast<std::int32_t>(item.n - static_cast<std::uint32_t>(known));
    };
    const ReorderBuffer::Event *const held = place.hold ? m_reorderBuffer.last(*place.hold) : nullptr;
    const std::uint64_t next = place.cursor->next();
    const std::uint64_t known = held ? std::max(held->transition.n + 1, next) : next;
    const std::int64_t near = nearest(known);
    const std::int64_t ahead = near - static_cast<std::int64_t>(known);
    if (near >= static_cast<std::int64_t>(next) && ahead < kFar && ahead > -kFar)
        return static_cast<std::uint64_t>(near);
    if (const std::uint64_t events = publishedBy(item.identity); events != 0)
        return static_cast<std::uint64_t>(std::max<std::int64_t>(nearest(events), 0));
    // The generation is over and none of its events was emitted. Its numbers may be higher by multiples of 2^32.
    return known == 0 ? item.n : static_cast<std::uint64_t>(std::max<std::int64_t>(near, 0));
}

void Merger::emit(LaneCursor &cursor, const Transition &transition, Batch &batch)
{
    batch.transitions.push_back(transition);
    batch.transitions.back().coroutine = cursor.coroutine;
    cursor.setNext(transition.n + 1);
    if (transition.coroutine != kDrained)
        cursor.state &= ~LaneCursor::kAttached;
}

/// Reports the numbers [next, end) as lost or missed.
void Merger::lose(LaneCursor &cursor, std::uint64_t end, Batch &batch)
{
    if (end <= cursor.next())
        return;
    const std::uint64_t count = end - cursor.next();
    // In overwrite mode each lane is overwritten at its own pace, so there were gaps before the engine attached.
    const bool missed = (cursor.state & LaneCursor::kAttached) != 0 || (m_attaching && m_overwrites);
    batch.losses.push_back({cursor.coroutine, cursor.next(), count, missed});
    (missed ? m_books.sums.missedBeforeAttach : m_books.sums.lost) += count;
    cursor.setNext(end);
    if (!m_isEvidence)
        cursor.state &= ~LaneCursor::kAttached;
}

/// Emits the waiting events below `end`, with losses between them, and the events that follow without a gap.
void Merger::release(const CoroutineEntry &place, std::uint64_t end, Batch &batch)
{
    LaneCursor &cursor = *place.cursor;
    while (const ReorderBuffer::Event *const event = m_reorderBuffer.first(*place.hold)) {
        const Transition &held = event->transition;
        if (held.n > cursor.next() && held.n >= end)
            break;
        if (held.n >= cursor.next()) {
            lose(cursor, held.n, batch);
            emit(cursor, held, batch);
        }
        m_reorderBuffer.popFirst(*place.hold);
    }
}

/// After release(): ends a coroutine that is dead, or erases a hold that is empty.
void Merger::tidy(const CoroutineEntry &place, Batch &batch)
{
    Hold &held = *place.hold;
    if (held.hasDeath && place.cursor->isBorn() && place.cursor->next() >= held.deathN) {
        die(place, held.identity, held.deathTs, batch);
        return;
    }
    if (held.detached || held.hasDeath || m_reorderBuffer.first(held))
        return;
    place.cursor->state &= ~LaneCursor::kHeld;
    m_reorderBuffer.erase(held);
}

/// Adds a pending death: unread lanes may still hold the birth or notes. The death is due when these were read. Where
/// times are not believed, that is when every lane was read up to the present.
void Merger::die(const CoroutineEntry &place, std::uint64_t identity, std::uint64_t ts, Batch &batch)
{
    const Death death{place.cursor->coroutine, ts != 0 ? ts : batch.now};
    const std::uint64_t due = m_distrustsTimes ? corotracer::detail::monotonic_ns() : dueAt(death.ts, batch);
    m_pendingDeaths.add({identity, place.cursor->next(), due, death});
    place.cursor->state = (place.cursor->state | LaneCursor::kEnded) & ~LaneCursor::kHeld;
    if (place.hold)
        m_reorderBuffer.erase(*place.hold);
}

void Merger::takeBirth(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch)
{
    const std::uint32_t index = indexOf(item.identity);
    const std::uint32_t generation = generationOf(item.identity);
    if (generation == 0 || !reach(index) || m_cursors[index].generation() == generation)
        return;  // discovered through its compact station
    Hold *const stranger = m_reorderBuffer.find(item.identity);
    if (stranger && stranger->own.isBorn())
        return;
    // It was discovered through its compact station, and has ended, before this lane was read.
    if (!stranger && m_cursors[index].generation() > generation && m_pendingDeaths.find(item.identity))
        return;
    Birth birth;
    birth.station = corotracer::kCompactBase + index;
    birth.generation = generation;
    birth.pid = m_processes.at(origin.process, batch).pid;
    birth.dialect = Dialect::Lane;
    birth.probeId = item.arg;
    birth.birthTs = ts;
    const std::uint64_t events = m_attaching || m_overwrites ? publishedBy(item.identity) : 0;
    const bool attached = (m_attaching && m_overwrites) || origin.drained;
    const std::uint32_t flags = attached ? LaneCursor::kAttached : 0;
    const CoroutineEntry place = install(item.identity, birth, flags, events, batch);
    if (place.hold) {
        release(place, 0, batch);
        tidy(place, batch);
    }
}

/// Numbers the coroutine, emits its birth and makes its cursor. The cursor is detached if the station's own has a later
/// generation. Events that wait are kept. `events` is the number of its events so far, 0 = unknown. Lanes do not reach
/// back further than kReach.
Merger::CoroutineEntry Merger::install(std::uint64_t identity, const Birth &birth, std::uint32_t flags,
                                       std::uint64_t events, Batch &batch)
{
    const std::uint32_t index = indexOf(identity);
    LaneCursor &current = m_cursors[index];
    LaneCursor fresh;
    fresh.key = identity & ~kLowHalf;
    fresh.coroutine = m_books.number();
    fresh.state = flags;
    batch.births.push_back(birth);
    batch.births.back().coroutine = fresh.coroutine;
    ++m_books.sums.coroutines;
    if (events > kReach) {
        lose(fresh, events - kReach, batch);
        fresh.state |= flags;  // none of its events was captured yet
    }
    if (!m_pending.empty())
        m_ready.push_back(identity);
    Hold *stranger = m_reorderBuffer.find(identity);
    if (current.generation() > birth.generation) {
        if (!stranger) {
            stranger = &m_reorderBuffer.make(identity, m_barrier);
            stranger->detached = true;
            list(*stranger, birth.birthTs, batch);
        }
        stranger->own = fresh;
        return {&stranger->own, stranger};
    }
    const std::uint64_t before = m_overwrites ? eventsBefore(index, birth.generation) : Census::kAll;
    if (!current.isEnded()) {
        if (m_linesOnly)
            die({&current, nullptr}, identityOf(current.generation(), index), birth.birthTs, batch);
        else
            detach(current, index, birth.birthTs, eventsUntil(index, birth.generation, before), batch);
    }
    current = fresh;
    if (m_overwrites)
        m_before[index] = before;
    if (stranger) {
        stranger->detached = false;
        current.state |= LaneCursor::kHeld;
    }
    return {&current, stranger};
}

/// Moves a cursor into a hold: its station has another coroutine by now, so the death is in some unread lane. `events`
/// is the number of its events, 0 = unknown.
void Merger::detach(LaneCursor &cursor, std::uint32_t index, std::uint64_t ts, std::uint64_t events, const Batch &batch)
{
    const std::uint64_t identity = identityOf(cursor.generation(), index);
    Hold *const found = (cursor.state & LaneCursor::kHeld) != 0 ? m_reorderBuffer.find(identity) : nullptr;
    Hold &held = found ? *found : m_reorderBuffer.make(identity, m_barrier);
    held.own = cursor;
    held.own.state &= ~LaneCursor::kHeld;
    held.detached = true;
    held.barrier = m_barrier;
    if (!held.hasDeath) {
        held.deathTs = ts;
        held.deathN = events;
    }
    list(held, ts, batch);
}

void Merger::takeDeath(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch)
{
    const CoroutineEntry place = findOrMake(item.identity, m_processes.at(origin.process, batch).pid, ts, batch);
    if (!place.cursor || place.cursor->isEnded())
        return;
    const std::uint64_t end = std::max(numberOf(place, item), place.cursor->next());
    if (place.cursor->isBorn() && (end == place.cursor->next() || ts < m_eventHorizon)) {
        if (place.hold)
            release(place, end, batch);
        lose(*place.cursor, end, batch);
        die(place, item.identity, ts, batch);
        return;
    }
    Hold &held = hold(place, item.identity);
    held.hasDeath = true;
    held.deathN = end;
    held.deathTs = ts;
    held.deathBarrier = m_barrier;
    list(held, ts, batch);
}

}  // namespace ct
