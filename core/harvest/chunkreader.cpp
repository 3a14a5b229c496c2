// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/chunkreader.h"

#include <algorithm>

namespace ct {

namespace {

/// Lanes are read in parallel steps of this time span. An event of a coroutine that moves between threads waits in the
/// reorder buffer for one step at most. Long steps cost less while few events wait.
constexpr std::uint64_t kLongestStepNs = 100'000;
constexpr std::uint64_t kShortestStepNs = 2000;
/// Limit of records from one lane before the others get a turn, even if their records are later.
constexpr std::size_t kMaxPerVisit = 4096;
constexpr std::uint64_t kNever = ~std::uint64_t{0};

}  // namespace

ChunkReader::ChunkReader(const Region &region, HarvestState &harvestState, ProcessList &processes, RawQueue &queue)
    : m_region(region), m_harvestState(harvestState), m_processes(processes), m_queue(queue)
{
}

void ChunkReader::findLanes()
{
    for (const std::size_t count = m_queue.lanes.count(); m_lanes.size() < count;) {
        Lane lane;
        lane.raw = &m_queue.lanes.lane(m_lanes.size());
        lane.reported = lane.raw->reported;
        m_lanes.push_back(lane);
    }
}

bool ChunkReader::read(Merger &merger, Batch &batch, std::size_t maxTransitions, std::uint64_t settledBefore)
{
    m_readAnswer = m_queue.requests.answered();
    findLanes();
    m_nextRecords.clear();
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        Lane &lane = m_lanes[i];
        lane.stop = lane.raw->collected.load(std::memory_order_acquire);  // partner: the collector's release store
        NextRecord next;
        next.lane = static_cast<std::uint32_t>(i);
        if (peek(lane, next, batch))
            m_nextRecords.push_back(next);
    }
    const auto later = [](const NextRecord &a, const NextRecord &b) { return a.ns > b.ns; };
    std::make_heap(m_nextRecords.begin(), m_nextRecords.end(), later);
    adaptStep(merger);
    for (std::size_t budget = maxTransitions * 4; !m_nextRecords.empty();) {
        m_oldestUnreadNs = m_nextRecords.front().ns;
        if (batch.transitions.size() >= maxTransitions || budget == 0)
            return false;
        std::pop_heap(m_nextRecords.begin(), m_nextRecords.end(), later);
        NextRecord next = m_nextRecords.back();
        m_nextRecords.pop_back();
        // A lane without records sets no limit here: it was empty at the time of the pass, which `settledBefore`
        // covers.
        const std::uint64_t nextNs = m_nextRecords.empty() ? kNever : m_nextRecords.front().ns;
        const std::uint64_t until = m_nextRecords.empty() ? nextNs : nextNs + m_stepNs;
        merger.setWatermark(std::min(nextNs, settledBefore));
        const std::uint64_t before = m_lanes[next.lane].position;
        const bool more = visit(next, until, merger, batch, maxTransitions);
        budget -= std::min<std::size_t>(budget, m_lanes[next.lane].position - before);
        if (more) {
            m_nextRecords.push_back(next);
            std::push_heap(m_nextRecords.begin(), m_nextRecords.end(), later);
        }
        m_oldestUnreadNs = m_nextRecords.empty() ? kNever : m_nextRecords.front().ns;
        merger.setWatermark(std::min({nextNs, settledBefore, more ? next.ns : settledBefore}));
        if (!merger.releaseSettled(batch, maxTransitions))
            return false;
    }
    m_oldestUnreadNs = kNever;
    merger.setWatermark(settledBefore);
    return merger.releaseSettled(batch, maxTransitions);
}

void ChunkReader::adaptStep(Merger &merger)
{
    const std::uint64_t buffered = merger.takeBufferedCount();
    if (buffered * 16 > m_readSinceStep)
        m_stepNs = std::max(m_stepNs / 2, kShortestStepNs);
    else if (buffered * 128 < m_readSinceStep)
        m_stepNs = std::min(m_stepNs + m_stepNs / 8, kLongestStepNs);
    m_readSinceStep = 0;
}

/// Moves to a chunk. Its origin, and perhaps the thread's name, are new.
void ChunkReader::enter(Lane &lane, RawChunk *chunk, Batch &batch)
{
    if (chunk->origin.process != lane.lastProcess)
        lane.latest = 0;  // a time of another clock
    lane.lastProcess = chunk->origin.process;
    if (chunk->threadName != 0)
        batch.notes.threadNames.push_back({m_processes.at(chunk->origin.process, batch).pid, chunk->origin.tid,
                                           m_harvestState.text(chunk->threadName)});
    lane.chunk = chunk;
    lane.packet = 0;
    lane.packets = m_queue.spill.enter(*chunk, lane.fromFile);
    if (lane.packets)
        return;
    // Only a chunk that another one follows can be in the file.
    const std::uint64_t end = chunk->next.load(std::memory_order_acquire)->first;
    m_lost += end - chunk->first;
    lane.position = end;
}

/// Unpacks the packet that has the lane's next record; moves to its chunk, and releases those before it. Returns false
/// if there is no record.
bool ChunkReader::advance(Lane &lane, Batch &batch)
{
    while (lane.left.empty()) {
        // Acquire; partner: the collector's release stores.
        RawChunk *const next = (lane.chunk ? lane.chunk->next : lane.raw->firstChunk).load(std::memory_order_acquire);
        if (!next || (lane.chunk && lane.position < next->first)) {
            if (lane.position >= lane.stop)
                return false;
            unpack(lane);
            break;
        }
        RawChunk *const over = lane.chunk;
        if (over && over->droppedAtEnd != 0)
            reportDrops(lane, over->origin, over->droppedAtEnd, over->endedNs, batch);
        if (over)
            m_queue.spill.leave(*over);
        enter(lane, next, batch);
    }
    return true;
}

/// Unpacks the next packet of the chunk. Packets are handed over as a whole, so all its records were collected.
void ChunkReader::unpack(Lane &lane)
{
    lane.records.resize(kMostInPacket);
    const Packet packet = unpackRecords(lane.packets + lane.packet, std::span<RecordCopy, kMostInPacket>(lane.records));
    lane.packet += packet.bytes;
    lane.left = std::span(lane.records).first(packet.records);
}

/// Finds the time of the lane's next record. Returns false if there is none.
bool ChunkReader::peek(Lane &lane, NextRecord &next, Batch &batch)
{
    if (!advance(lane, batch))
        return false;
    next.raw = lane.left.front().ts;
    next.ns = m_processes.at(lane.chunk->origin.process, batch).clock.ns(next.raw);
    return true;
}

/// Reads up to the first record later than `untilNs`. Returns true if the lane has more records; `next` then has the
/// time of the next one.
bool ChunkReader::visit(NextRecord &next, std::uint64_t untilNs, Merger &merger, Batch &batch,
                        std::size_t maxTransitions)
{
    Lane &lane = m_lanes[next.lane];
    for (std::size_t done = 0; done < kMaxPerVisit && batch.transitions.size() < maxTransitions;) {
        const LaneOrigin origin = lane.chunk->origin;
        const ClockPiece piece = m_processes.at(origin.process, batch).clock.pieceFor(next.raw);
        std::uint64_t untilRaw = kNever;
        if (untilNs != kNever && piece.mult != 0)
            untilRaw = next.raw + corotracer::detail::slope(untilNs > next.ns ? untilNs - next.ns : 0, piece.mult);
        const std::span<const RecordCopy> records = lane.left;
        std::size_t handed = records.size();
        if (records.back().ts > untilRaw) {
            // Pass on at least one record, so reading advances even if a target writes wrong times.
            handed = 1;
            while (handed < records.size() && records[handed].ts <= untilRaw)
                ++handed;
        }
        merger.merge(origin, records.first(handed), batch);
        lane.latest = records[handed - 1].ts;
        lane.left = records.subspan(handed);
        lane.position += handed;
        done += handed;
        m_readSinceStep += handed;
        m_processes.countRecords(origin.process, handed);
        lane.reported += merger.takeDropsReported();
        const bool isCut = handed < records.size();
        if (!peek(lane, next, batch))
            return false;
        if (isCut || next.ns > untilNs)
            break;
    }
    return true;
}

/// Reports drops after the last record of a thread, which no drop record counts. `endedNs` is 0 if the thread may live.
void ChunkReader::reportDrops(Lane &lane, const LaneOrigin &origin, std::uint64_t dropped, std::uint64_t endedNs,
                              Batch &batch)
{
    if (dropped > lane.reported) {
        const HarvestedProcess &process = m_processes.at(origin.process, batch);
        // They happened after the last record, and before the thread ended or the drops were noticed. A process that
        // was never seen alive may have ended days ago, so the present does not limit its drops.
        const std::uint64_t first = lane.latest != 0 ? process.clock.ns(lane.latest) : process.initNs;
        const std::uint64_t last = endedNs != 0 ? endedNs : process.sawAlive ? batch.now : first;
        batch.notes.drops.push_back({process.pid, origin.tid, dropped - lane.reported, std::min(first, last), last});
    }
    lane.reported = std::max(lane.reported, dropped);
}

void ChunkReader::reportLastDrops(Batch &batch)
{
    findLanes();
    for (Lane &lane : m_lanes) {
        advance(lane, batch);
        const corotracer::LaneHeader &header = m_region.laneDirectory()[lane.raw->index];
        const LaneOrigin origin =
            lane.chunk ? lane.chunk->origin
                       : LaneOrigin{header.process.load(std::memory_order_relaxed),
                                    static_cast<std::uint32_t>(header.tid.load(std::memory_order_relaxed))};
        reportDrops(lane, origin, lane.raw->dropped.load(std::memory_order_relaxed),
                    header.closed_ts.load(std::memory_order_relaxed), batch);
    }
}

void ChunkReader::requestEnds(std::uint32_t wishes)
{
    m_areEndsMarked = false;
    m_request = m_queue.requests.request(wishes);
}

bool ChunkReader::reachedEnds()
{
    if (!m_areEndsMarked) {
        if (!m_queue.requests.isAnswered(m_request))
            return false;
        m_areEndsMarked = true;
        findLanes();
        for (Lane &lane : m_lanes)
            lane.end = lane.raw->collected.load(std::memory_order_acquire);
    }
    return std::all_of(m_lanes.begin(), m_lanes.end(), [](const Lane &lane) { return lane.position >= lane.end; });
}

std::uint64_t ChunkReader::unread()
{
    std::uint64_t unread = 0;
    for (const Lane &lane : m_lanes)
        unread += lane.raw->collected.load(std::memory_order_relaxed) - lane.position;
    return unread;
}

}  // namespace ct
