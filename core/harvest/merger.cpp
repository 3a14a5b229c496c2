// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The hot path and the reorder buffer. mergersettle.cpp decides when waiting events are emitted. mergernotes.cpp has
// the rare records, mergerstations.cpp the compact stations.
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
    : m_states(region.compactStations()),
      m_births(region.births()),
      m_books(books),
      m_processes(processes),
      m_overwrites(region.laneMode() == corotracer::kLanesOverwrite),
      m_readsRetained(region.access() == RegionAccess::PostMortem && !m_overwrites)
{
}

void Merger::merge(const LaneOrigin &origin, std::span<const LaneItem> items, Batch &batch)
{
    const HarvestedProcess &process = m_processes.at(origin.process, batch);
    std::size_t at = 0;
    while (at < items.size()) {
        const std::size_t taken = mergeRun(process.clock.pieceFor(items[at].ts), origin.tid, items.subspan(at), batch);
        at += taken;
        if (at == items.size())
            break;
        const LaneItem &item = items[at++];
        const std::uint64_t ts = process.clock.ns(item.ts);
        if (isTransition(item.kind))
            mergeEvent(origin, item,
                       {ts, item.arg, item.n, 0, origin.drained ? kDrained : kNoCoroutine, origin.tid,
                        m_books.sites.resolve(item.site, batch), pointOf(item.kind),
                        item.kind >= corotracer::kRecordResume},
                       batch);
        else
            mergeRare(origin, item, ts, batch);
    }
}

/// The hot path: emits leading transitions as long as each is the next one of its coroutine. Returns their number.
std::size_t Merger::mergeRun(const ClockPiece &piece, std::uint32_t tid, std::span<const LaneItem> items, Batch &batch)
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
    if (index >= m_states.size())
        return false;
    const std::size_t size = std::max<std::size_t>({index + 1U, m_cursors.size() * 2, kCursorStep});
    m_cursors.resize(std::min(size, m_states.size()));
    if (m_overwrites)
        m_before.resize(m_cursors.size(), Census::kAll);
    return true;
}

LaneCursor &Merger::cursorOf(WaitList &waitList)
{
    return waitList.detached ? waitList.own : m_cursors[indexOf(waitList.identity)];
}

Merger::CoroutineEntry Merger::find(std::uint64_t identity, Batch &batch)
{
    const std::uint32_t index = indexOf(identity);
    const std::uint32_t generation = generationOf(identity);
    if (generation == 0 || !reach(index))
        return {};
    LaneCursor &cursor = m_cursors[index];
    if (cursor.generation() == generation ||
        (generation > cursor.generation() && discoverFromStation(index, generation, batch)))
        return {&cursor, (cursor.state & LaneCursor::kBuffered) != 0 ? m_reorderBuffer.find(identity) : nullptr};
    WaitList *const waitList = m_reorderBuffer.find(identity);
    return waitList ? CoroutineEntry{&waitList->own, waitList} : CoroutineEntry{};
}

/// A coroutine that is not discovered gets a detached cursor: its birth is in another lane, or was overwritten.
Merger::CoroutineEntry Merger::findOrMake(std::uint64_t identity, std::uint32_t pid, std::uint64_t ns, Batch &batch)
{
    if (const CoroutineEntry entry = find(identity, batch); entry.cursor)
        return entry;
    if (generationOf(identity) == 0 || indexOf(identity) >= m_states.size())
        return {};
    WaitList &made = m_reorderBuffer.make(identity, m_barrier);
    made.detached = true;
    made.pid = pid;
    made.own.key = identity & ~kLowHalf;
    made.own.state = m_attaching || m_postMortem ? LaneCursor::kAttached : 0;
    list(made, ns, batch);
    return {&made.own, &made};
}

/// Returns the coroutine's wait list, made if necessary. The caller adds to it, then calls list().
WaitList &Merger::waitList(const CoroutineEntry &entry, std::uint64_t identity)
{
    WaitList &waitList = entry.waitList ? *entry.waitList : m_reorderBuffer.make(identity, m_barrier);
    if (!waitList.detached)
        entry.cursor->state |= LaneCursor::kBuffered;
    return waitList;
}

void Merger::list(WaitList &waitList, std::uint64_t ns, const Batch &batch)
{
    // The time of death of a station's former coroutine may be unknown.
    const bool endUnknown = waitList.detached && !waitList.hasDeath && waitList.deathTs == 0;
    const bool believable = ns < batch.now + kFutureNs && !m_distrustsTimes;
    if (!believable || endUnknown) {
        if (!waitList.waiting)
            m_waiting.push_back(waitList.identity);
        waitList.waiting = true;
    }
    if (believable && !(endUnknown && !m_reorderBuffer.first(waitList))) {
        if (!waitList.queued)
            m_queue.push_back({waitList.identity, ns});
        waitList.queued = true;
    }
}

/// Processes an event that mergeRun() rejected. transition.n has only the low half of the number so far.
void Merger::mergeEvent(const LaneOrigin &origin, const LaneItem &item, const Transition &transition, Batch &batch)
{
    const CoroutineEntry entry =
        findOrMake(item.identity, m_processes.at(origin.process, batch).pid, transition.ts, batch);
    if (!entry.cursor || entry.cursor->isEnded())
        return;
    LaneCursor &cursor = *entry.cursor;
    Transition full = transition;
    full.n = numberOf(entry, item);
    if (full.n < cursor.next())
        return;  // reported as lost, or nonsense
    full.seq = slotSeq(Dialect::Lane, full.n);
    const bool settled = full.n == cursor.next() || full.ts < m_eventWatermark;
    if (!settled || !cursor.isBorn()) {
        WaitList &waiting = waitList(entry, item.identity);
        m_reorderBuffer.insert(waiting, full, m_barrier);
        list(waiting, full.ts, batch);
        ++m_bufferedCount;
        return;
    }
    if (full.n != cursor.next()) {
        if (entry.waitList)
            release(entry, full.n, batch);
        lose(cursor, full.n, batch);
    }
    emit(cursor, full, batch);
    if (entry.waitList) {
        release(entry, cursor.next(), batch);
        tidy(entry, batch);
    }
}

/// Returns how many events the compact station has of this generation; 0 if it has another generation.
std::uint64_t Merger::publishedBy(std::uint64_t identity) const
{
    const corotracer::CompactState &station = m_states[indexOf(identity)];
    // Acquire, both loads; partners: the release stores of a birth and of each event. The second load of `life` is
    // relaxed, because the acquire loads keep it behind them.
    const std::uint64_t life = station.life.load(std::memory_order_acquire);
    const std::uint64_t events = station.seq.load(std::memory_order_acquire) / 2;
    const bool stands = generationOf(life) == generationOf(identity) &&
                        station.life.load(std::memory_order_relaxed) == life &&
                        static_cast<std::uint32_t>(life) != corotracer::kCompactFree;
    return stands && events < kImplausibleCount ? events : 0;
}

/// Extends the low half of a record's number to the nearest full number. Nearest means: to the number expected next,
/// after the emitted and waiting events. After a far jump it means: to the count of the compact station.
std::uint64_t Merger::numberOf(const CoroutineEntry &entry, const LaneItem &item) const
{
    const auto nearest = [&item](std::uint64_t known) {
        return static_cast<std::int64_t>(known) + static_cast<std::int32_t>(item.n - static_cast<std::uint32_t>(known));
    };
    const ReorderBuffer::Event *const waiting = entry.waitList ? m_reorderBuffer.last(*entry.waitList) : nullptr;
    const std::uint64_t next = entry.cursor->next();
    const std::uint64_t known = waiting ? std::max(waiting->transition.n + 1, next) : next;
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
    if (!m_readsRetained)
        cursor.state &= ~LaneCursor::kAttached;
}

/// Emits the waiting events below `end`, with losses between them, and the events that follow without a gap.
void Merger::release(const CoroutineEntry &entry, std::uint64_t end, Batch &batch)
{
    LaneCursor &cursor = *entry.cursor;
    while (const ReorderBuffer::Event *const event = m_reorderBuffer.first(*entry.waitList)) {
        const Transition &waiting = event->transition;
        if (waiting.n > cursor.next() && waiting.n >= end)
            break;
        if (waiting.n >= cursor.next()) {
            lose(cursor, waiting.n, batch);
            emit(cursor, waiting, batch);
        }
        m_reorderBuffer.popFirst(*entry.waitList);
    }
}

/// After release(): ends a coroutine that is dead, or erases a wait list that is empty.
void Merger::tidy(const CoroutineEntry &entry, Batch &batch)
{
    WaitList &waiting = *entry.waitList;
    if (waiting.hasDeath && entry.cursor->isBorn() && entry.cursor->next() >= waiting.deathN) {
        die(entry, waiting.identity, waiting.deathTs, batch);
        return;
    }
    if (waiting.detached || waiting.hasDeath || m_reorderBuffer.first(waiting))
        return;
    entry.cursor->state &= ~LaneCursor::kBuffered;
    m_reorderBuffer.erase(waiting);
}

/// Adds a pending death: unread lanes may still have the birth or notes. The death is due when these were read. Where
/// times are not believed, that is when every lane was read up to the present.
void Merger::die(const CoroutineEntry &entry, std::uint64_t identity, std::uint64_t ts, Batch &batch)
{
    const Death death{entry.cursor->coroutine, ts != 0 ? ts : batch.now};
    const std::uint64_t due = m_distrustsTimes ? corotracer::detail::monotonic_ns() : dueAt(death.ts, batch);
    m_pendingDeaths.add({identity, entry.cursor->next(), due, death});
    entry.cursor->state = (entry.cursor->state | LaneCursor::kEnded) & ~LaneCursor::kBuffered;
    if (entry.waitList)
        m_reorderBuffer.erase(*entry.waitList);
}

void Merger::mergeBirth(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch)
{
    const std::uint32_t index = indexOf(item.identity);
    const std::uint32_t generation = generationOf(item.identity);
    if (generation == 0 || !reach(index) || m_cursors[index].generation() == generation)
        return;  // discovered through its compact station
    WaitList *const early = m_reorderBuffer.find(item.identity);
    if (early && early->own.isBorn())
        return;
    // It was discovered through its compact station, and has ended, before this lane was read.
    if (!early && m_cursors[index].generation() > generation && m_pendingDeaths.find(item.identity))
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
    const CoroutineEntry entry = install(item.identity, birth, flags, events, batch);
    if (entry.waitList) {
        release(entry, 0, batch);
        tidy(entry, batch);
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
    WaitList *early = m_reorderBuffer.find(identity);
    if (current.generation() > birth.generation) {
        if (!early) {
            early = &m_reorderBuffer.make(identity, m_barrier);
            early->detached = true;
            list(*early, birth.birthTs, batch);
        }
        early->own = fresh;
        return {&early->own, early};
    }
    const std::uint64_t before = m_overwrites ? eventsBefore(index, birth.generation) : Census::kAll;
    if (!current.isEnded()) {
        if (m_stationsOnly)
            die({&current, nullptr}, identityOf(current.generation(), index), birth.birthTs, batch);
        else
            detach(current, index, birth.birthTs, eventsUntil(index, birth.generation, before), batch);
    }
    current = fresh;
    if (m_overwrites)
        m_before[index] = before;
    if (early) {
        early->detached = false;
        current.state |= LaneCursor::kBuffered;
    }
    return {&current, early};
}

/// Moves a cursor into a wait list: its station has another coroutine by now, so the death is in some unread lane.
/// `events` is the number of its events, 0 = unknown.
void Merger::detach(LaneCursor &cursor, std::uint32_t index, std::uint64_t ts, std::uint64_t events, const Batch &batch)
{
    const std::uint64_t identity = identityOf(cursor.generation(), index);
    WaitList *const found = (cursor.state & LaneCursor::kBuffered) != 0 ? m_reorderBuffer.find(identity) : nullptr;
    WaitList &waiting = found ? *found : m_reorderBuffer.make(identity, m_barrier);
    waiting.own = cursor;
    waiting.own.state &= ~LaneCursor::kBuffered;
    waiting.detached = true;
    waiting.barrier = m_barrier;
    if (!waiting.hasDeath) {
        waiting.deathTs = ts;
        waiting.deathN = events;
    }
    list(waiting, ts, batch);
}

void Merger::mergeDeath(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch)
{
    const CoroutineEntry entry = findOrMake(item.identity, m_processes.at(origin.process, batch).pid, ts, batch);
    if (!entry.cursor || entry.cursor->isEnded())
        return;
    const std::uint64_t end = std::max(numberOf(entry, item), entry.cursor->next());
    if (entry.cursor->isBorn() && (end == entry.cursor->next() || ts < m_eventWatermark)) {
        if (entry.waitList)
            release(entry, end, batch);
        lose(*entry.cursor, end, batch);
        die(entry, item.identity, ts, batch);
        return;
    }
    WaitList &waiting = waitList(entry, item.identity);
    waiting.hasDeath = true;
    waiting.deathN = end;
    waiting.deathTs = ts;
    waiting.deathBarrier = m_barrier;
    list(waiting, ts, batch);
}

}  // namespace ct
