// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The hot path, and what is held. See mergersettle.cpp for when that is told, mergernotes.cpp for the rare records, and
// mergerlines.cpp for compact stations.
#include "core/harvest/merger.h"
#include "core/harvest/identity.h"

#include <algorithm>

namespace ct {

namespace {

/// How far ahead the entry of a coroutine is asked for.
constexpr std::size_t kAhead = 16;
constexpr std::uint64_t kLowHalf = 0xFFFF'FFFF;
/// Counts in the file are a target's to scribble over.
constexpr std::uint64_t kImplausibleCount = std::uint64_t{1} << 48;
constexpr std::size_t kCursorStep = 1024;
/// Records that the lanes of a region may hold of one coroutine, and more: 32 GiB of them.
constexpr std::uint64_t kReach = std::uint64_t{1} << 30;
/// A jump by as much as this is looked up: the low half of a number may have gone round meanwhile.
constexpr std::int64_t kFar = 4096;

/// kRecordSuspend and kRecordResume, with any point.
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

/// The hot path: as many transitions as are simply the next ones of their coroutines; returns how many.
std::size_t Merger::takeRun(const ClockPiece &piece, std::uint32_t tid, std::span<const LaneItem> items, Batch &batch)
{
    const std::size_t before = batch.transitions.size();
    batch.transitions.resize(before + items.size());
    Transition *const run = batch.transitions.data() + before;
    LaneCursor *const cursors = m_cursors.data();
    const std::size_t reach = m_cursors.size();
    const std::size_t size = items.size();
    std::uint32_t rawSite = kUnknownSite;  // of the record before; known as
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

/// Makes room for the entry of a compact station that exists.
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

Merger::Place Merger::find(std::uint64_t identity, Batch &batch)
{
    const std::uint32_t index = indexOf(identity);
    const std::uint32_t generation = generationOf(identity);
    if (generation == 0 || !reach(index))
        return {};
    LaneCursor &cursor = m_cursors[index];
    if (cursor.generation() == generation ||
        (generation > cursor.generation() && bearFromLine(index, generation, batch)))
        return {&cursor, (cursor.state & LaneCursor::kHeld) != 0 ? m_holdings.find(identity) : nullptr};
    Hold *const hold = m_holdings.find(identity);
    return hold ? Place{&hold->own, hold} : Place{};
}

/// An unknown one gets detached books: its birth lies in another lane, or was overwritten.
Merger::Place Merger::findOrMake(std::uint64_t identity, std::uint32_t pid, std::uint64_t ns, Batch &batch)
{
    if (const Place place = find(identity, batch); place.cursor)
        return place;
    if (generationOf(identity) == 0 || indexOf(identity) >= m_lines.size())
        return {};
    Hold &made = m_holdings.make(identity, m_barrier);
    made.detached = true;
    made.pid = pid;
    made.own.key = identity & ~kLowHalf;
    made.own.state = m_attaching || m_postMortem ? LaneCursor::kAttached : 0;
    list(made, ns, batch);
    return {&made.own, &made};
}

/// The caller puts something into it and lists it.
Hold &Merger::hold(const Place &place, std::uint64_t identity)
{
    Hold &hold = place.hold ? *place.hold : m_holdings.make(identity, m_barrier);
    if (!hold.detached)
        place.cursor->state |= LaneCursor::kHeld;
    return hold;
}

void Merger::list(Hold &hold, std::uint64_t ns, const Batch &batch)
{
    // Of a former owner of a station we may not know by when it must have ended.
    const bool endUnknown = hold.detached && !hold.hasDeath && hold.deathTs == 0;
    const bool believable = ns < batch.now + kFutureNs && !m_distrustsTimes;
    if (!believable || endUnknown) {
        if (!hold.waiting)
            m_waiting.push_back(hold.identity);
        hold.waiting = true;
    }
    if (believable && !(endUnknown && !m_holdings.first(hold))) {
        if (!hold.queued)
            m_queue.push_back({hold.identity, ns});
        hold.queued = true;
    }
}

/// Any event that is not simply the next one. transition.n has only its low half yet.
void Merger::takeEvent(const LaneOrigin &origin, const LaneItem &item, const Transition &transition, Batch &batch)
{
    const Place place = findOrMake(item.identity, m_processes.at(origin.process, batch).pid, transition.ts, batch);
    if (!place.cursor || place.cursor->isEnded())
        return;
    LaneCursor &cursor = *place.cursor;
    Transition full = transition;
    full.n = numberOf(place, item);
    if (full.n < cursor.next())
        return;  // told as lost, or scribbled
    full.seq = slotSeq(Dialect::Lane, full.n);
    const bool settled = full.n == cursor.next() || full.ts < m_eventHorizon;
    if (!settled || !cursor.isBorn()) {
        Hold &held = hold(place, item.identity);
        m_holdings.insert(held, full, m_barrier);
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

/// How many events the compact station's line has of this life; 0: it is of another one.
std::uint64_t Merger::publishedBy(std::uint64_t identity) const
{
    const corotracer::StateLine &line = m_lines[indexOf(identity)];
    // Acquire, both; partners: the release stores of a birth and of each event. Relaxed: kept behind them.
    const std::uint64_t life = line.life.load(std::memory_order_acquire);
    const std::uint64_t events = line.seq.load(std::memory_order_acquire) / 2;
    const bool stands = generationOf(life) == generationOf(identity) &&
                        line.life.load(std::memory_order_relaxed) == life &&
                        static_cast<std::uint32_t>(life) != corotracer::kLineFree;
    return stands && events < kImplausibleCount ? events : 0;
}

/// A record has the low half of its number: it is the one nearest to what is known of its coroutine. That is what was
/// told and what is held; for a far jump it is what the line says.
std::uint64_t Merger::numberOf(const Place &place, const LaneItem &item) const
{
    const auto nearest = [&item](std::uint64_t known) {
        return static_cast<std::int64_t>(known) + static_cast<std::int32_t>(item.n - static_cast<std::uint32_t>(known));
    };
    const Holdings::Event *const held = place.hold ? m_holdings.last(*place.hold) : nullptr;
    const std::uint64_t next = place.cursor->next();
    const std::uint64_t known = held ? std::max(held->transition.n + 1, next) : next;
    const std::int64_t near = nearest(known);
    const std::int64_t ahead = near - static_cast<std::int64_t>(known);
    if (near >= static_cast<std::int64_t>(next) && ahead < kFar && ahead > -kFar)
        return static_cast<std::uint64_t>(near);
    if (const std::uint64_t events = publishedBy(item.identity); events != 0)
        return static_cast<std::uint64_t>(std::max<std::int64_t>(nearest(events), 0));
    // The life is over and nothing of it was emitted: its numbers may be higher by multiples of 2^32.
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

/// Numbers [next, end) will not come.
void Merger::lose(LaneCursor &cursor, std::uint64_t end, Batch &batch)
{
    if (end <= cursor.next())
        return;
    const std::uint64_t count = end - cursor.next();
    // A recorder overwrites each thread's lane at its own pace, so that there are holes among what was there.
    const bool missed = (cursor.state & LaneCursor::kAttached) != 0 || (m_attaching && m_overwrites);
    batch.losses.push_back({cursor.coroutine, cursor.next(), count, missed});
    (missed ? m_books.sums.missedBeforeAttach : m_books.sums.lost) += count;
    cursor.setNext(end);
    if (!m_isEvidence)
        cursor.state &= ~LaneCursor::kAttached;
}

/// Tells the held events below `end`, with losses between them, and those that follow without a hole.
void Merger::release(const Place &place, std::uint64_t end, Batch &batch)
{
    LaneCursor &cursor = *place.cursor;
    while (const Holdings::Event *const event = m_holdings.first(*place.hold)) {
        const Transition &held = event->transition;
        if (held.n > cursor.next() && held.n >= end)
            break;
        if (held.n >= cursor.next()) {
            lose(cursor, held.n, batch);
            emit(cursor, held, batch);
        }
        m_holdings.popFirst(*place.hold);
    }
}

/// After a release: is it dead, and is anything held at all?
void Merger::tidy(const Place &place, Batch &batch)
{
    Hold &held = *place.hold;
    if (held.hasDeath && place.cursor->isBorn() && place.cursor->next() >= held.deathN) {
        die(place, held.identity, held.deathTs, batch);
        return;
    }
    if (held.detached || held.hasDeath || m_holdings.first(held))
        return;
    place.cursor->state &= ~LaneCursor::kHeld;
    m_holdings.erase(held);
}

/// Unread lanes may still hold its birth, or notes about it: its death is emitted once they were read. Where times
/// cannot be trusted, that is when every lane was read after this pass.
void Merger::die(const Place &place, std::uint64_t identity, std::uint64_t ts, Batch &batch)
{
    const Death death{place.cursor->coroutine, ts != 0 ? ts : batch.now};
    const std::uint64_t due = m_distrustsTimes ? corotracer::detail::monotonic_ns() : dueAt(death.ts, batch);
    m_departed.add({identity, place.cursor->next(), due, death});
    place.cursor->state = (place.cursor->state | LaneCursor::kEnded) & ~LaneCursor::kHeld;
    if (place.hold)
        m_holdings.erase(*place.hold);
}

void Merger::takeBirth(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch)
{
    const std::uint32_t index = indexOf(item.identity);
    const std::uint32_t generation = generationOf(item.identity);
    if (generation == 0 || !reach(index) || m_cursors[index].generation() == generation)
        return;  // known from its line
    Hold *const stranger = m_holdings.find(item.identity);
    if (stranger && stranger->own.isBorn())
        return;
    // It was discovered by its compact station, and has ended, before this lane was read.
    if (!stranger && m_cursors[index].generation() > generation && m_departed.find(item.identity))
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
    const Place place = install(item.identity, birth, flags, events, batch);
    if (place.hold) {
        release(place, 0, batch);
        tidy(place, batch);
    }
}

/// Numbers the coroutine and opens its books: in the station's entry, or in detached ones when that has a later
/// generation. What was held of it is kept. `events`: how many it had by now, if that is known: the lanes do not reach
/// back further than kReach.
Merger::Place Merger::install(std::uint64_t identity, const Birth &birth, std::uint32_t flags, std::uint64_t events,
                              Batch &batch)
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
        fresh.state |= flags;  // nothing of it was seen yet
    }
    if (!m_pending.empty())
        m_ready.push_back(identity);
    Hold *stranger = m_holdings.find(identity);
    if (current.generation() > birth.generation) {
        if (!stranger) {
            stranger = &m_holdings.make(identity, m_barrier);
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

/// The station has another coroutine by now, so this one's death is under way in some lane. `events`: as many as it
/// had; 0 = unknown.
void Merger::detach(LaneCursor &cursor, std::uint32_t index, std::uint64_t ts, std::uint64_t events, const Batch &batch)
{
    const std::uint64_t identity = identityOf(cursor.generation(), index);
    Hold *const found = (cursor.state & LaneCursor::kHeld) != 0 ? m_holdings.find(identity) : nullptr;
    Hold &held = found ? *found : m_holdings.make(identity, m_barrier);
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
    const Place place = findOrMake(item.identity, m_processes.at(origin.process, batch).pid, ts, batch);
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
