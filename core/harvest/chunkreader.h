// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the raw chunks of all lanes, the oldest records first, and passes them to the merger. Decoder's thread only.
#pragma once

#include "core/collect/packedrecords.h"
#include "core/collect/rawqueue.h"
#include "core/harvest/merger.h"
#include "core/region/region.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ct {

/// Limit of transitions in a batch. Small enough that sinks find the batch in the second-level cache.
inline constexpr std::size_t kLaneBatch = 4096;

class ChunkReader {
public:
    ChunkReader(const Region &region, HarvestState &harvestState, ProcessList &processes, RawQueue &queue);

    /// Reads all lanes, the oldest records first, which keeps the reorder buffer small. Returns false if the batch is
    /// full, or if records were collected faster than they were read. `settledBefore` (ns) limits the watermark; it
    /// must be older than this call.
    bool read(Merger &merger, Batch &batch, std::size_t maxTransitions, std::uint64_t settledBefore);

    /// Asks the collector for everything committed before this call, and marks where that ends, once it is answered.
    /// `wishes` as for CollectorRequests. A later call replaces the ends by later ones.
    void requestEnds(std::uint32_t wishes = 0);
    /// Returns true if the latest request of ends was answered.
    bool isAnswered() const { return m_areEndsMarked || m_queue.requests.isAnswered(m_request); }
    /// Returns true if everything up to the marked ends was read.
    bool reachedEnds();
    /// Returns true if the latest read() found everything that the answer to request `number` brought.
    bool hasRead(std::uint64_t number) const { return m_readAnswer >= number; }

    /// At the end of the capture: reports drops after the last record of each lane.
    void reportLastDrops(Batch &batch);

    /// ns; time of the oldest record that is not read, as of the latest read(). ~0 = there was none.
    std::uint64_t oldestUnreadNs() const { return m_oldestUnreadNs; }
    /// Number of records collected but not read.
    std::uint64_t unread();
    /// Number of records that the spill file did not give back.
    std::uint64_t lost() const { return m_lost; }

private:
    struct Lane {
        RawLane *raw = nullptr;
        RawChunk *chunk = nullptr;
        const std::byte *packets = nullptr;  ///< of the chunk
        std::vector<std::byte> fromFile;     ///< these packets, if they were in the spill file
        std::size_t packet = 0;              ///< bytes of the chunk that were unpacked
        std::vector<RecordCopy> records;     ///< the latest packet, unpacked
        std::span<const RecordCopy> left;    ///< those of `records` that were not read
        std::uint64_t position = 0;          ///< number of the next record
        std::uint64_t stop = 0;              ///< number of records collected, as of this read()
        std::uint64_t end = 0;               ///< position of the marked end
        std::uint64_t reported = 0;          ///< drops reported, by drop records or by this engine
        std::uint64_t latest = 0;            ///< raw time of the latest record that was read
        std::uint32_t lastProcess = 0;       ///< process of that record
    };
    struct NextRecord {
        std::uint64_t ns = 0;   ///< time of the next record
        std::uint64_t raw = 0;  ///< raw time of the next record
        std::uint32_t lane = 0;
    };

    void findLanes();
    void enter(Lane &lane, RawChunk *chunk, Batch &batch);
    bool advance(Lane &lane, Batch &batch);
    void unpack(Lane &lane);
    bool peek(Lane &lane, NextRecord &next, Batch &batch);
    bool visit(NextRecord &next, std::uint64_t untilNs, Merger &merger, Batch &batch, std::size_t maxTransitions);
    void adaptStep(Merger &merger);
    void reportDrops(Lane &lane, const LaneOrigin &origin, std::uint64_t dropped, std::uint64_t endedNs, Batch &batch);

    const Region &m_region;
    HarvestState &m_harvestState;
    ProcessList &m_processes;
    RawQueue &m_queue;
    std::vector<Lane> m_lanes;
    std::vector<NextRecord> m_nextRecords;
    std::uint64_t m_request = 0;     ///< number of the latest requestEnds()
    bool m_areEndsMarked = true;     ///< the answer to m_request has arrived
    std::uint64_t m_readAnswer = 0;  ///< number of the latest answer before the latest read()
    std::uint64_t m_stepNs = 20'000;
    std::uint64_t m_readSinceStep = 0;  ///< records read since the latest adaptStep()
    std::uint64_t m_oldestUnreadNs = ~std::uint64_t{0};
    std::uint64_t m_lost = 0;
};

}  // namespace ct
