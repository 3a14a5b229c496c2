// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/collect/lanecollector.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ct {

namespace {

using corotracer::LaneHeader;

/// A lane that had this share of its slots filled since the last visit presses the collector.
constexpr std::uint64_t kPressingShare = 8;

/// The position at which a producer has no room left. Cannot overflow, even if a target has overwritten the tail.
std::uint64_t limitBehind(std::uint64_t tail_untrusted, std::uint64_t capacity)
{
    return tail_untrusted + std::min(capacity, ~tail_untrusted);
}

bool isSame(const LaneOrigin &a, const LaneOrigin &b)
{
    return a.process == b.process && a.tid == b.tid && a.drained == b.drained;
}

/// Returns true if the entry of a process is in use, so the clock of its records is known.
bool hasProcess(const Region &region, std::uint32_t untrustedIndex)
{
    const std::span<const corotracer::ProcessEntry> entries = region.processes();
    if (untrustedIndex >= entries.size())
        return false;
    const std::uint32_t state = entries[untrustedIndex].state.load(std::memory_order_acquire);
    return state == corotracer::kProcessActive || state == corotracer::kProcessEnded;
}

/// Post mortem. Returns true if no other entry of the table was ever in use.
bool wasAlone(const Region &region, std::uint32_t untrustedIndex)
{
    const std::span<const corotracer::ProcessEntry> entries = region.processes();
    for (std::size_t index = 0; index < entries.size(); ++index) {
        // Relaxed: the region has no writers any more. A freed entry keeps its pid.
        if (index != untrustedIndex && entries[index].pid.load(std::memory_order_relaxed) != 0)
            return false;
    }
    return true;
}

/// Prefetches records that are copied next, which lie in the cache of another core: they arrive while the present ones
/// are packed. Only for a backlog: at the tip of a lane, the producer would have to fetch the cache lines back.
void fetch(const LaneView &lane, std::uint64_t position)
{
    constexpr std::size_t kPerLine = 64 / sizeof(corotracer::LaneRecord);
    for (std::size_t i = 0; i < kMostInPacket; i += kPerLine)
        __builtin_prefetch(lane.records + (position + i) % lane.capacity, 0, 2);
}

}  // namespace

LaneCollector::LaneCollector(Region &region, RawQueue &queue)
    : m_region(region),
      m_queue(queue),
      m_known(region.laneDirectory().size()),
      m_retentionNs(std::uint64_t{region.hasExtension() ? region.header().extension.lane_retention_ms : 0} * 1'000'000),
      m_readsRetained(region.access() == RegionAccess::PostMortem && region.laneMode() == corotracer::kLanesDiscard),
      m_leaping(m_readsRetained)
{
}

void LaneCollector::refresh(bool states, std::uint64_t nowNs)
{
    // Acquire; partner: the release by the thread that made a lane. The lanes of all events read so far are visible
    // here.
    const std::uint32_t count_untrusted = m_region.header().extension.lane_count.load(std::memory_order_acquire);
    const std::size_t count = std::min<std::size_t>(count_untrusted, m_known.size());
    std::uint32_t unfinished = 0;
    if (m_lanes.size() < count) {
        for (std::uint32_t index = 0; index < count; ++index) {
            if (!m_known[index])
                discover(index);
            unfinished += !m_known[index];
        }
    }
    if (!states)
        return;
    m_dropped = 0;
    m_inUse = unfinished;
    m_shortened = 0;
    for (CollectedLane &lane : m_lanes) {
        m_shortened += shrunk(lane.view).capacity < lane.made;
        const LaneHeader &header = m_region.laneDirectory()[lane.index];
        // Relaxed: a sum. The compact stations count the events that were dropped.
        lane.dropped = header.dropped.load(std::memory_order_relaxed);
        lane.raw->dropped.store(lane.dropped, std::memory_order_relaxed);
        m_dropped += lane.dropped;
        closeIfDrained(lane, nowNs);
        m_inUse += header.state.load(std::memory_order_relaxed) != corotracer::kLaneFree;
    }
}

void LaneCollector::discover(std::uint32_t index)
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
    CollectedLane lane;
    lane.index = index;
    const std::optional<LaneView> view = m_region.lane(index);
    if (!view)
        return;  // the lane is not inside the pool
    lane.view = *view;
    lane.made = view->capacity;
    m_smallest = m_smallest == 0 ? lane.made : std::min(m_smallest, lane.made);
    // Overwrite mode: each engine reads all blocks that are there, and changes nothing.
    lane.position = view->overwrite ? oldestPosition(*view) : header.tail.load(std::memory_order_relaxed);
    const bool wasRead = lane.position != 0;
    // The process of the previous thread, or of the claiming one. The header does not say which thread has the lane.
    if (making || m_readsRetained)
        lane.origin.process = header.process.load(std::memory_order_relaxed);
    if (m_readsRetained) {
        lane.drained = lane.position;
        lane.position = beginOfRetained(lane);
    }
    lane.limit = view->overwrite ? ~std::uint64_t{0}
                                 : limitBehind(m_readsRetained ? lane.drained : lane.position, view->capacity);
    lane.stored = lane.gauged = lane.position;
    lane.droppedGauged = lane.droppedStanding = header.dropped.load(std::memory_order_relaxed);
    // Another engine has read the lane and reported these drops.
    if (wasRead)
        lane.droppedAtEnd = lane.droppedGauged;
    lane.raw = &m_queue.lanes.add(index, lane.droppedAtEnd);
    updateOrigin(lane);
    m_lanes.push_back(lane);
}

/// Returns where to begin a post-mortem reading: at the oldest record that is whole and whose process is known.
std::uint64_t LaneCollector::beginOfRetained(const CollectedLane &lane) const
{
    // The process entry was freed. With it went the clock of the records that an engine has drained.
    if (!hasProcess(m_region, lane.origin.process))
        return lane.drained;
    const std::uint64_t oldest = oldestRetained(lane.view, lane.drained);
    // The header names the process of the latest thread, not the processes of earlier threads.
    const std::uint64_t begin = m_region.laneDirectory()[lane.index].begin.load(std::memory_order_relaxed);
    return wasAlone(m_region, lane.origin.process) ? oldest : std::min(std::max(oldest, begin), lane.drained);
}

/// Updates the origin when another thread has claimed the lane. Call it after an acquire load of a record of the lane,
/// or of its state: everything that the thread stored before is then visible.
void LaneCollector::updateOrigin(CollectedLane &lane)
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
    // The record with this name may be gone, and a name from the system has no record. The thread may write none at
    // all, so the name does not wait for one.
    lane.threadName = header.thread_name.load(std::memory_order_relaxed);
    if (lane.threadName != 0)
        (void)makeRoom(lane, lane.origin);
}

/// Release, after the loads of records that may be overwritten now; partner: the producer's acquire load.
void LaneCollector::setTail(CollectedLane &lane)
{
    lane.stored = lane.position;
    lane.limit = limitBehind(lane.position, lane.made);
    m_region.writableLanes()[lane.index].tail.store(lane.position, std::memory_order_release);
}

void LaneCollector::closeIfDrained(CollectedLane &lane, std::uint64_t nowNs)
{
    if (lane.view.overwrite || m_region.writableLanes().empty())
        return;
    const LaneHeader &header = m_region.writableLanes()[lane.index];
    // Acquire; partner: the release store of the thread that ended. Its records are visible to all that follows.
    const std::uint32_t state = header.state.load(std::memory_order_acquire);
    // The thread may be killed before its first record. Then only the header names the lane's thread.
    if (state == corotracer::kLaneActive || state == corotracer::kLaneClosed)
        updateOrigin(lane);
    const std::uint32_t process = header.process.load(std::memory_order_relaxed);
    lane.isOver = state == corotracer::kLaneClosed ||
                  (state == corotracer::kLaneActive && process == lane.origin.process &&
                   m_queue.requests.process(process) != CollectorRequests::ProcessState::Live);
    if (state != corotracer::kLaneClosed || !lane.isDrained() || !endThread(lane))
        return;
    setTail(lane);
    const std::uint64_t closedNs = header.closed_ts.load(std::memory_order_relaxed);
    if (closedNs < nowNs && nowNs - closedNs < m_retentionNs)
        return;
    lane.resetWriter();
    // Release; partner: the acquire of the thread that claims the lane and continues at the tail.
    m_region.writableLanes()[lane.index].state.store(corotracer::kLaneFree, std::memory_order_release);
}

/// Informs the decoder of the drops after the thread's last record, which no drop record counts. Returns false if there
/// is no memory for that.
bool LaneCollector::endThread(CollectedLane &lane)
{
    if (lane.dropped == lane.droppedAtEnd)
        return true;
    if (!makeRoom(lane, lane.origin))
        return false;
    lane.chunk->droppedAtEnd = lane.dropped;
    lane.chunk->endedNs = m_region.laneDirectory()[lane.index].closed_ts.load(std::memory_order_relaxed);
    RawChunk *const ended = lane.chunk;
    lane.used = RawChunk::kBytes;  // the chunk ends here
    if (!makeRoom(lane, lane.origin)) {
        ended->droppedAtEnd = 0;
        return false;
    }
    lane.droppedAtEnd = lane.dropped;
    return true;
}

bool LaneCollector::freeLanesOfGone()
{
    bool areAllEnded = true;
    for (CollectedLane &lane : m_lanes) {
        const std::uint32_t process = lane.origin.process;
        if (m_queue.requests.process(process) != CollectorRequests::ProcessState::FreeLanes || lane.view.overwrite ||
            m_region.writableLanes().empty())
            continue;
        const LaneHeader &header = m_region.writableLanes()[lane.index];
        // Acquire, before the load of the process; partner: the store of this state by the thread that claimed the
        // lane. A free lane still names its last process, and a living thread may claim it at any time.
        if (header.state.load(std::memory_order_acquire) != corotracer::kLaneActive ||
            header.process.load(std::memory_order_relaxed) != process ||
            committedEnd(lane.view, lane.position) != lane.position)
            continue;
        if (!endThread(lane)) {
            areAllEnded = false;
            continue;
        }
        if (!lane.isDrained()) {
            // Records behind further holes are given up. The next thread begins behind all of them.
            m_inHoles += lane.limit - lane.position;
            lane.position = lane.limit;
            lane.damaged = true;
        }
        setTail(lane);
        lane.resetWriter();
        std::uint32_t state = corotracer::kLaneActive;
        // Release; partner: the acquire of the thread that claims the lane. No other thread uses the lane of an ended
        // process.
        m_region.writableLanes()[lane.index].state.compare_exchange_strong(
            state, corotracer::kLaneFree, std::memory_order_release, std::memory_order_relaxed);
    }
    return areAllEnded;
}

bool LaneCollector::collect()
{
    m_hasCollected = false;
    m_isPressed = false;
    bool whole = true;
    // While memory is short, each lane gets its turn.
    const std::size_t first = m_first;
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        const std::size_t at = (first + i) % m_lanes.size();
        const bool isRead = collect(m_lanes[at]);
        if (whole && !isRead)
            m_first = at;
        whole = whole && isRead;
    }
    return whole;
}

void LaneCollector::markEnds()
{
    for (CollectedLane &lane : m_lanes)
        lane.marked = committedEndOverHoles(lane.view, lane.position, lane.limit);
}

/// A lane that was read to a hole or to its present end has nothing more, whatever was marked.
bool LaneCollector::reachedEnds() const
{
    return std::ranges::all_of(m_lanes,
                               [](const CollectedLane &lane) { return lane.empty || lane.position >= lane.marked; });
}

/// Copies the lane to its end, or by its capacity: then everything that was there at the start is copied. Returns false
/// if there is no memory for it.
bool LaneCollector::collect(CollectedLane &lane)
{
    lane.view = shrunk(lane.view);
    const std::uint64_t began = lane.position;
    std::uint64_t budget = lane.view.capacity;
    bool hasRoom = true;
    while (budget != 0 && lane.position < lane.limit) {
        // Before the first record, the origin is the one that the header names.
        hasRoom = makeRoom(lane, lane.chunk ? lane.chunk->origin : lane.originAt(lane.position, m_readsRetained));
        lane.empty = lane.empty && hasRoom;
        if (!hasRoom)
            break;
        const std::uint64_t room = std::min<std::uint64_t>({m_copies.size(), lane.limit - lane.position, budget});
        const std::span<RecordCopy> copies = std::span(m_copies).first(room);
        const LaneReading reading = readLane(lane.view, lane.position, copies);
        lane.empty = reading.count == 0;
        if (lane.empty) {
            const std::uint64_t leapt = m_leaping || lane.isOver ? lane.leapHole() : 0;
            m_inHoles += leapt;
            lane.leapt = lane.leapt || leapt != 0;
            if (leapt == 0)
                break;
            continue;
        }
        if (!lane.fresh)
            m_skipped += reading.skipped;
        lane.fresh = false;
        lane.position = reading.next - reading.count;
        if (reading.count == room)
            fetch(lane.view, reading.next);
        updateOrigin(lane);
        const std::size_t handed = handOver(lane, copies.first(reading.count));
        hasRoom = handed == reading.count;
        if (!hasRoom)
            break;
        budget -= std::min<std::uint64_t>(budget, handed);
        giveBack(lane);
    }
    m_isPressed = m_isPressed || lane.position - began > lane.view.capacity / kPressingShare;
    giveBack(lane);
    return hasRoom;
}

/// Gives the slots of collected records back to the producer, which has to wait for no more than an eighth of its lane.
/// A producer that found its lane full gets an eighth at once: each further gap would cause losses in every coroutine.
void LaneCollector::giveBack(CollectedLane &lane)
{
    const std::uint64_t ahead = lane.position - lane.stored;
    // Overwrite mode does not use tails.
    if (ahead != 0 && (ahead >= lane.view.capacity / 8 || lane.empty) && !lane.view.overwrite && !lane.leapt &&
        !m_region.writableLanes().empty())
        setTail(lane);
}

/// Provides a chunk of this origin with room for a record. Returns false if the budget is used up.
bool LaneCollector::makeRoom(CollectedLane &lane, const LaneOrigin &origin)
{
    const bool named = lane.threadName != 0 && isSame(origin, lane.origin);
    if (lane.chunk && lane.used + kLeastPacketRoom <= RawChunk::kBytes && isSame(lane.chunk->origin, origin) && !named)
        return true;
    RawChunk *const chunk = m_queue.pool.takeChunk();
    if (!chunk)
        return false;
    chunk->first = lane.raw->collected.load(std::memory_order_relaxed);
    chunk->origin = origin;
    if (named)
        chunk->threadName = std::exchange(lane.threadName, 0);
    RawChunk *const complete = lane.chunk && m_queue.spill.isWanted() ? lane.chunk : nullptr;
    if (complete)
        Spill::promise(*complete);
    // Release; partner: the decoder's acquire load.
    (lane.chunk ? lane.chunk->next : lane.raw->firstChunk).store(chunk, std::memory_order_release);
    if (complete)
        m_queue.spill.offer(*complete);
    lane.chunk = chunk;
    lane.used = 0;
    return true;
}

/// Packs copies of the records from the lane's position on, and hands them over. Returns how many records there was
/// memory for, and advances the position by as many.
std::size_t LaneCollector::handOver(CollectedLane &lane, std::span<const RecordCopy> copies)
{
    std::size_t handed = 0;
    while (handed < copies.size()) {
        std::uint64_t stop = lane.position + (copies.size() - handed);
        for (const std::uint64_t border : {lane.begin, lane.drained}) {
            if (lane.position < border)
                stop = std::min(stop, border);
        }
        if (!makeRoom(lane, lane.originAt(lane.position, m_readsRetained)))
            break;
        const Packet packet = packRecords(copies.subspan(handed, stop - lane.position),
                                          std::span(lane.chunk->packets, RawChunk::kBytes).subspan(lane.used));
        lane.used += packet.bytes;
        lane.position += packet.records;
        handed += packet.records;
        // Release, after the packet; partner: the decoder's acquire load.
        lane.raw->collected.store(lane.raw->collected.load(std::memory_order_relaxed) + packet.records,
                                  std::memory_order_release);
        m_hasCollected = true;
    }
    return handed;
}

std::size_t LaneCollector::processCount() const
{
    std::set<std::uint32_t> processes;
    for (const CollectedLane &lane : m_lanes) {
        // Relaxed: only a count. Partner: the thread that claims or closes the lane.
        if (m_region.laneDirectory()[lane.index].state.load(std::memory_order_relaxed) == corotracer::kLaneActive)
            processes.insert(lane.origin.process);
    }
    return processes.size();
}

bool LaneCollector::isQuiet() const
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
                                [](const CollectedLane &lane) { return hasRecordAt(lane.view, lane.position); });
}

/// Reacts to new drops. A lane that drops records is full, gets no memory, or has a hole. At a hole, the producer waits
/// for a tail that this engine cannot advance.
void LaneCollector::checkDrops(CollectedLane &lane)
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

}  // namespace ct
