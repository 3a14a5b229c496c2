// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/lanelist.h"

#include <algorithm>

namespace ct {

namespace {

using corotracer::LaneHeader;

/// Lanes are read in parallel steps of this time span. An event of a coroutine that moves between threads waits in the
/// reorder buffer for one step at most. Long steps cost less while few events wait.
constexpr std::uint64_t kLongestStepNs = 100'000;
constexpr std::uint64_t kShortestStepNs = 2000;
/// Limit of records from one lane before the others get a turn, even if their records are later.
constexpr std::size_t kMaxPerVisit = 4096;
constexpr double kUrgentNs = 4'000'000;

/// The position at which a producer has no room left. Cannot overflow, even if a target has overwritten the tail.
std::uint64_t limitBehind(std::uint64_t tail_untrusted, std::uint64_t capacity)
{
    return tail_untrusted + std::min(capacity, ~tail_untrusted);
}

}  // namespace

LaneList::LaneList(Region &region, HarvestState &harvestState, ProcessList &processes)
    : m_region(region),
      m_harvestState(harvestState),
      m_processes(processes),
      m_known(region.laneDirectory().size()),
      m_retentionNs(std::uint64_t{region.hasExtension() ? region.header().extension.lane_retention_ms : 0} * 1'000'000),
      m_readsRetained(region.access() == RegionAccess::PostMortem && region.laneMode() == corotracer::kLanesDiscard),
      m_leaping(m_readsRetained)
{
}

void LaneList::refresh(Batch &batch, bool states)
{
    // Acquire; partner: the release by the thread that made a lane. The lanes of all events read so far are visible
    // here.
    const std::uint32_t count_untrusted = m_region.header().extension.lane_count.load(std::memory_order_acquire);
    const std::size_t count = std::min<std::size_t>(count_untrusted, m_known.size());
    std::uint32_t unfinished = 0;
    if (m_lanes.size() < count) {
        for (std::uint32_t index = 0; index < count; ++index) {
            if (!m_known[index])
                discover(index, batch);
            unfinished += !m_known[index];
        }
    }
    if (!states)
        return;
    m_dropped = 0;
    m_inUse = unfinished;
    m_shortened = 0;
    for (HarvestedLane &lane : m_lanes) {
        m_shortened += shrunk(lane.view).capacity < lane.made;
        const LaneHeader &header = m_region.laneDirectory()[lane.index];
        // Relaxed: a sum. The compact stations count the events that were dropped.
        lane.dropped = header.dropped.load(std::memory_order_relaxed);
        m_dropped += lane.dropped;
        closeIfDrained(lane, batch);
        m_inUse += header.state.load(std::memory_order_relaxed) != corotracer::kLaneFree;
    }
}

void LaneList::discover(std::uint32_t index, Batch &batch)
{
    const LaneHeader &header = m_region.laneDirectory()[index];
    // Acquire; partner: the producer's release store once the lane is made.
    const std::uint32_t state = header.state.load(std::memory_order_acquire);
    const bool making = state == corotracer::kLaneMaking;
    // In overwrite mode and post mortem, a lane in state 3 may hold retained records of its previous thread.
    if ((making && m_region.laneMode() != corotracer::kLanesOverwrite && !m_readsRetained) ||
        header.records.load(std::memory_order_relaxed) == 0)
        return;
    m_known[index] = true;
    HarvestedLane lane;
    lane.index = index;
    const std::optional<LaneView> view = m_region.lane(index);
    if (!view)
        return;  // the lane is not inside the pool
    lane.view = *view;
    lane.made = view->capacity;
    // Overwrite mode: each engine reads all blocks that are there, and changes nothing.
    lane.position = view->overwrite ? oldestPosition(*view) : header.tail.load(std::memory_order_relaxed);
    const bool wasRead = lane.position != 0;
    // The process of the previous thread, or of the claiming one. The header does not say which thread has the lane.
    if (making || m_readsRetained)
        lane.origin.process = header.process.load(std::memory_order_relaxed);
    if (m_readsRetained) {
        lane.drained = lane.position;
        lane.position = beginOfRetained(lane, batch);
    }
    lane.limit = view->overwrite ? ~std::uint64_t{0}
                                 : limitBehind(m_readsRetained ? lane.drained : lane.position, view->capacity);
    lane.stored = lane.end = lane.gauged = lane.position;
    lane.droppedGauged = lane.droppedStanding = header.dropped.load(std::memory_order_relaxed);
    // Another engine has read the lane and reported these drops.
    if (wasRead)
        lane.reported = lane.droppedGauged;
    updateOrigin(lane, batch);
    m_lanes.push_back(lane);
}

/// Returns where to begin a post-mortem reading: at the oldest record that is whole and whose process is known.
std::uint64_t LaneList::beginOfRetained(const HarvestedLane &lane, Batch &batch) const
{
    // The process entry was freed. With it went the clock of the records that an engine has drained.
    if (m_processes.at(lane.origin.process, batch).stage == HarvestedProcess::Stage::Unknown)
        return lane.drained;
    const std::uint64_t oldest = oldestRetained(lane.view, lane.drained);
    // The header names the process of the latest thread, not the processes of earlier threads.
    const std::uint64_t begin = m_region.laneDirectory()[lane.index].begin.load(std::memory_order_relaxed);
    return m_processes.wasAlone(lane.origin.process) ? oldest : std::min(std::max(oldest, begin), lane.drained);
}

/// Updates the origin when another thread has claimed the lane. Call it after an acquire load of a record of the lane,
/// or of its state: everything that the thread stored before is then visible.
void LaneList::updateOrigin(HarvestedLane &lane, Batch &batch)
{
    const LaneHeader &header = m_region.laneDirectory()[lane.index];
    const std::uint32_t claims = header.claims.load(std::memory_order_relaxed);
    // While a thread claims the lane, the header mixes the values of two threads.
    if (claims == lane.claims || header.state.load(std::memory_order_acquire) == corotracer::kLaneMaking)
        return;
    lane.claims = claims;
    lane.before = lane.origin;
    lane.begin = header.begin.load(std::memory_order_relaxed);
    lane.origin = {header.process.load(std::memory_order_relaxed),
                   static_cast<std::uint32_t>(header.tid.load(std::memory_order_relaxed))};
    if (lane.origin.process != lane.before.process)
        lane.latest = 0;  // a time of another clock
    // The record with this name may be gone, and a name from the system has no record.
    if (const std::uint64_t name = header.thread_name.load(std::memory_order_relaxed); name != 0)
        batch.notes.threadNames.push_back(
            {m_processes.at(lane.origin.process, batch).pid, lane.origin.tid, m_harvestState.text(name)});
}

/// Release, after the loads of records that may be overwritten now; partner: the producer's acquire load.
void LaneList::setTail(HarvestedLane &lane, LaneHeader &header) const
{
    lane.stored = lane.position;
    lane.limit = limitBehind(lane.position, lane.made);
    header.tail.store(lane.position, std::memory_order_release);
}

void LaneList::closeIfDrained(HarvestedLane &lane, Batch &batch)
{
    if (lane.view.overwrite || m_region.writableLanes().empty())
        return;
    LaneHeader &header = m_region.writableLanes()[lane.index];
    // Acquire; partner: the release store of the thread that ended. Its records are visible to all that follows.
    const std::uint32_t state = header.state.load(std::memory_order_acquire);
    // The thread may be killed before its first record. Then only the header names the lane's thread.
    if (state == corotracer::kLaneActive || state == corotracer::kLaneClosed)
        updateOrigin(lane, batch);
    const bool isSame = header.process.load(std::memory_order_relaxed) == lane.origin.process;
    lane.isOver = state == corotracer::kLaneClosed ||
                  (state == corotracer::kLaneActive && isSame &&
                   m_processes.at(lane.origin.process, batch).stage == HarvestedProcess::Stage::Gone);
    if (state != corotracer::kLaneClosed || !lane.isDrained())
        return;
    reportDrops(lane, batch);
    setTail(lane, header);
    const std::uint64_t closedNs = header.closed_ts.load(std::memory_order_relaxed);
    if (closedNs < batch.now && batch.now - closedNs < m_retentionNs)
        return;
    lane.resetWriter();
    // Release; partner: the acquire of the thread that claims the lane and continues at the tail.
    header.state.store(corotracer::kLaneFree, std::memory_order_release);
}

/// Reports drops after the last record of a thread, which no drop record counts.
void LaneList::reportDrops(HarvestedLane &lane, Batch &batch)
{
    if (lane.dropped > lane.reported) {
        const HarvestedProcess &process = m_processes.at(lane.origin.process, batch);
        const std::uint64_t closedNs = m_region.laneDirectory()[lane.index].closed_ts.load(std::memory_order_relaxed);
        // They happened after the last record, and before the thread ended or the drops were noticed. A process that
        // was never seen alive may have ended days ago, so the present does not limit its drops.
        const std::uint64_t first = lane.latest != 0 ? process.clock.ns(lane.latest) : process.initNs;
        const std::uint64_t last = closedNs != 0 ? closedNs : process.sawAlive ? batch.now : first;
        batch.notes.drops.push_back(
            {process.pid, lane.origin.tid, lane.dropped - lane.reported, std::min(first, last), last});
    }
    lane.reported = std::max(lane.reported, lane.dropped);
}

void LaneList::reportLastDrops(Batch &batch)
{
    for (HarvestedLane &lane : m_lanes)
        reportDrops(lane, batch);
}

void LaneList::freeLanesOf(std::uint32_t process, Batch &batch)
{
    for (HarvestedLane &lane : m_lanes) {
        if (lane.view.overwrite || m_region.writableLanes().empty() || lane.origin.process != process)
            continue;
        LaneHeader &header = m_region.writableLanes()[lane.index];
        // Acquire, before the load of the process; partner: the store of this state by the thread that claimed the
        // lane. A free lane still names its last process, and a living thread may claim it at any time.
        if (header.state.load(std::memory_order_acquire) != corotracer::kLaneActive ||
            header.process.load(std::memory_order_relaxed) != process ||
            committedEnd(lane.view, lane.position) != lane.position)
            continue;
        if (!lane.isDrained()) {
            // Records behind further holes are given up. The next thread begins behind all of them.
            m_inHoles += lane.limit - lane.position;
            lane.position = lane.limit;
            lane.damaged = true;
        }
        setTail(lane, header);
        lane.resetWriter();
        std::uint32_t state = corotracer::kLaneActive;
        // Release; partner: the acquire of the thread that claims the lane. No other thread uses the lane of an ended
        // process.
        if (header.state.compare_exchange_strong(state, corotracer::kLaneFree, std::memory_order_release,
                                                 std::memory_order_relaxed))
            reportDrops(lane, batch);
    }
}

bool LaneList::read(Merger &merger, Batch &batch, std::size_t maxTransitions, std::uint64_t settledBefore)
{
    m_nextRecords.clear();
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        NextRecord next;
        next.lane = static_cast<std::uint32_t>(i);
        if (peek(m_lanes[i], next, batch))
            m_nextRecords.push_back(next);
    }
    const auto later = [](const NextRecord &a, const NextRecord &b) { return a.ns > b.ns; };
    std::make_heap(m_nextRecords.begin(), m_nextRecords.end(), later);
    adaptStep(merger);
    for (std::size_t budget = maxTransitions * 4; !m_nextRecords.empty();) {
        if (batch.transitions.size() >= maxTransitions || budget == 0)
            return false;
        std::pop_heap(m_nextRecords.begin(), m_nextRecords.end(), later);
        NextRecord next = m_nextRecords.back();
        m_nextRecords.pop_back();
        // A lane without records sets no limit here: it was empty at the time of the pass, which `settledBefore`
        // covers.
        const std::uint64_t nextNs = m_nextRecords.empty() ? ~std::uint64_t{0} : m_nextRecords.front().ns;
        const std::uint64_t until = m_nextRecords.empty() ? nextNs : nextNs + m_stepNs;
        merger.setWatermark(std::min(nextNs, settledBefore));
        const std::uint64_t before = m_lanes[next.lane].position;
        const bool more = visit(next, until, merger, batch, maxTransitions);
        budget -= std::min<std::size_t>(budget, m_lanes[next.lane].position - before);
        if (more) {
            m_nextRecords.push_back(next);
            std::push_heap(m_nextRecords.begin(), m_nextRecords.end(), later);
        }
        merger.setWatermark(std::min({nextNs, settledBefore, more ? next.ns : settledBefore}));
        if (!merger.releaseSettled(batch, maxTransitions))
            return false;
    }
    merger.setWatermark(settledBefore);
    return merger.releaseSettled(batch, maxTransitions);
}

void LaneList::adaptStep(Merger &merger)
{
    const std::uint64_t buffered = merger.takeBufferedCount();
    if (buffered * 16 > m_readSinceStep)
        m_stepNs = std::max(m_stepNs / 2, kShortestStepNs);
    else if (buffered * 128 < m_readSinceStep)
        m_stepNs = std::min(m_stepNs + m_stepNs / 8, kLongestStepNs);
    m_readSinceStep = 0;
}

/// Finds the time of the lane's next record. Returns false if there is none.
bool LaneList::peek(HarvestedLane &lane, NextRecord &next, Batch &batch)
{
    if (lane.position >= stopOf(lane)) {
        lane.empty = lane.empty || lane.position >= lane.limit;
        return false;
    }
    lane.view = shrunk(lane.view);
    const std::uint64_t position = lane.position;
    RecordCopy record;
    lane.empty = readLane(lane.view, position, {&record, 1}).count == 0;
    const std::uint64_t skipped = lane.empty && (m_leaping || lane.isOver) ? lane.leapHole() : 0;
    if (skipped != 0) {
        m_inHoles += skipped;
        lane.leapt = true;
        lane.empty = readLane(lane.view, lane.position, {&record, 1}).count == 0;
    }
    if (lane.empty) {
        lane.cutAtHole();
        return false;
    }
    updateOrigin(lane, batch);
    next.raw = record.ts;
    next.ns = m_processes.at(lane.origin.process, batch).clock.ns(record.ts);
    return true;
}

/// Reads up to the first record later than `untilNs`. Returns true if the lane has more records; `next` then has
/// the time of the next one.
bool LaneList::visit(NextRecord &next, std::uint64_t untilNs, Merger &merger, Batch &batch, std::size_t maxTransitions)
{
    HarvestedLane &lane = m_lanes[next.lane];
    const ClockPiece piece = m_processes.at(lane.origin.process, batch).clock.pieceFor(next.raw);
    std::uint64_t untilRaw = ~std::uint64_t{0};
    if (untilNs != ~std::uint64_t{0} && piece.mult != 0) {
        const std::uint64_t ahead = corotracer::detail::slope(untilNs > next.ns ? untilNs - next.ns : 0, piece.mult);
        untilRaw = next.raw + ahead;
    }
    for (std::size_t done = 0; done < kMaxPerVisit && batch.transitions.size() < maxTransitions;) {
        // Copy little more than the latest step needed: records beyond the step are copied again.
        const std::size_t room =
            untilRaw == ~std::uint64_t{0} ? m_records.size() : lane.lastReadCount + lane.lastReadCount / 2 + 16;
        const std::size_t count = copy(lane, std::span(m_records).first(std::min(room, m_records.size())), batch);
        lane.empty = count == 0;
        if (lane.empty)
            return peek(lane, next, batch);
        std::size_t handed = count;
        if (m_records[count - 1].ts > untilRaw) {
            // Hand over at least one record, so reading advances even if a target writes wrong times.
            handed = 1;
            while (handed < count && m_records[handed].ts <= untilRaw)
                ++handed;
            lane.position -= count - handed;
        }
        mergeRecords(lane, std::span(m_records).first(handed), merger, batch);
        done += handed;
        if (handed < count)
            break;
    }
    return peek(lane, next, batch);
}

/// Copies the next records and advances the position; counts records that were overwritten before.
std::size_t LaneList::copy(HarvestedLane &lane, std::span<RecordCopy> records, Batch &batch)
{
    const std::uint64_t stop = stopOf(lane);
    if (lane.position >= stop)
        return 0;
    records = records.first(std::min<std::uint64_t>(records.size(), stop - lane.position));
    const LaneReading reading = readLane(lane.view, lane.position, records);
    if (!lane.fresh)
        m_skipped += reading.skipped;
    lane.fresh = false;
    lane.position = reading.next;
    if (reading.count != 0)
        updateOrigin(lane, batch);
    if (reading.count == m_records.size())
        fetchAhead(lane);
    return reading.count;
}

/// Prefetches the records that are copied next, which lie in the cache of another core. Only for a backlog: at the tip
/// of a lane, the producer would have to fetch the cache lines back.
void LaneList::fetchAhead(const HarvestedLane &lane) const
{
    constexpr std::size_t kPerLine = 64 / sizeof(corotracer::LaneRecord);
    for (std::size_t i = 0; i < m_records.size(); i += kPerLine)
        __builtin_prefetch(lane.view.records + (lane.position + i) % lane.view.capacity, 0, 2);
}

void LaneList::mergeRecords(HarvestedLane &lane, std::span<const RecordCopy> records, Merger &merger, Batch &batch)
{
    for (std::size_t at = 0; at < records.size();) {
        const std::uint64_t position = lane.position - records.size() + at;
        std::uint64_t stop = lane.position;
        for (const std::uint64_t border : {lane.begin, lane.drained}) {
            if (position < border)
                stop = std::min(stop, border);
        }
        const auto count = static_cast<std::size_t>(stop - position);
        merger.merge(lane.originAt(position, m_readsRetained), records.subspan(at, count), batch);
        at += count;
    }
    if (!records.empty())
        lane.latest = records.back().ts;
    m_readSinceStep += records.size();
    m_recordsRead += records.size();
    lane.lastReadCount = records.size();
    m_processes.countRecords(lane.origin.process, records.size());
    lane.reported += merger.takeDropsReported();
}

bool LaneList::isQuiet() const
{
    const std::span<const corotracer::LaneHeader> headers = m_region.laneDirectory();
    const std::uint32_t count_untrusted = m_region.header().extension.lane_count.load(std::memory_order_seq_cst);
    const std::size_t count = std::min<std::size_t>(count_untrusted, m_known.size());
    for (std::size_t index = 0; index < count && m_lanes.size() < count; ++index) {
        const corotracer::LaneHeader &header = headers[index];
        // A lane in state 3 has no record yet: a thread makes it, or was killed while making it.
        if (!m_known[index] && header.state.load(std::memory_order_seq_cst) != corotracer::kLaneMaking &&
            header.records.load(std::memory_order_seq_cst) != 0)
            return false;
    }
    return std::ranges::none_of(m_lanes,
                                [](const HarvestedLane &lane) { return hasRecordAt(lane.view, lane.position); });
}

void LaneList::markEnds()
{
    if (m_stopped)
        return;
    for (HarvestedLane &lane : m_lanes)
        lane.end = m_leaping || lane.isOver ? committedEndOverHoles(lane.view, lane.position, lane.limit)
                                            : std::min(committedEnd(lane.view, lane.position), lane.limit);
}

bool LaneList::reachedEnds() const
{
    return std::all_of(m_lanes.begin(), m_lanes.end(),
                       [](const HarvestedLane &lane) { return lane.position >= lane.end; });
}

void LaneList::cutEnds()
{
    for (HarvestedLane &lane : m_lanes)
        lane.end = std::min(lane.end, lane.position);
}

/// Reacts to new drops. A lane that drops records is full, gets no memory, or has a hole. At a hole, the producer waits
/// for a tail that this engine cannot advance.
void LaneList::checkDrops(HarvestedLane &lane)
{
    const LaneHeader &header = m_region.laneDirectory()[lane.index];
    const std::uint32_t committed = header.committed.load(std::memory_order_relaxed);
    // Relaxed: of two drops, the second was counted after the producer had loaded the tail again.
    const std::uint64_t dropped = header.dropped.load(std::memory_order_relaxed);
    const std::uint64_t late = dropped - lane.droppedGauged;
    const bool stands = lane.empty && lane.position == lane.stored && lane.position == lane.gauged;
    lane.droppedGauged = dropped;
    // These drops come from a lack of memory. In the first lap, no drop comes from the tail. A lane that was shortened
    // would have had more room.
    if (late != 0 && committed < lane.made)
        lane.starved = true;
    else if (committed != lane.committedGauged || lane.view.capacity < lane.made)
        lane.starved = false;
    lane.committedGauged = committed;
    if (!stands) {
        lane.droppedStanding = dropped;
    } else if (dropped - lane.droppedStanding > 1) {
        m_inHoles += lane.leapHole();
        // The tail may also differ from the stored one, because a target overwrote it. Then it is stored again.
        lane.stored = header.tail.load(std::memory_order_relaxed);
    }
}

void LaneList::storeTails()
{
    const std::span<LaneHeader> headers = m_region.writableLanes();
    if (headers.empty())
        return;
    for (HarvestedLane &lane : m_lanes) {
        // Overwrite mode does not use tails. A producer that found its lane full gets at least an eighth of it at once.
        // Each further gap would cause losses in every coroutine.
        const std::uint64_t ahead = lane.position - lane.stored;
        if (lane.view.overwrite || lane.leapt || ahead == 0 || (ahead < lane.view.capacity / 8 && !lane.empty))
            continue;
        setTail(lane, headers[lane.index]);
    }
}

std::uint32_t LaneList::damaged() const
{
    return static_cast<std::uint32_t>(
        std::count_if(m_lanes.begin(), m_lanes.end(), [](const HarvestedLane &lane) { return lane.damaged; }));
}

void LaneList::gauge(std::uint64_t nowNs)
{
    const double elapsed = static_cast<double>(nowNs - m_gaugedNs);
    m_gaugedNs = nowNs;
    m_fill = 0;
    m_urgent = false;
    m_starved = false;
    for (HarvestedLane &lane : m_lanes) {
        lane.view = shrunk(lane.view);
        checkDrops(lane);
        m_starved = m_starved || lane.starved;
        const double waiting = static_cast<double>(committedEnd(lane.view, lane.position) - lane.position);
        const double rate = static_cast<double>(lane.position - lane.gauged) / std::max(elapsed, 1.0);
        lane.gauged = lane.position;
        if (lane.view.overwrite && rate == 0)
            continue;
        m_fill = std::max(m_fill, std::min(waiting / lane.view.capacity, 1.0));
        m_urgent = m_urgent || rate * kUrgentNs > static_cast<double>(lane.view.capacity) - waiting;
    }
}

}  // namespace ct
