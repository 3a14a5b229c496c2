// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lanes of a region: how far each one is read, in which order, and when it becomes free. Harvest thread only.
#pragma once

#include "core/harvest/harvestedlane.h"
#include "core/harvest/merger.h"
#include "core/region/region.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ct {

/// Limit of transitions in a batch. Small enough that sinks find the batch in the second-level cache.
inline constexpr std::size_t kLaneBatch = 4096;

class LaneList {
public:
    LaneList(Region &region, HarvestState &harvestState, ProcessList &processes);

    /// Discovers new lanes. With `states`, also frees closed lanes that are drained, and counts drops.
    void refresh(Batch &batch, bool states);
    /// Reads all lanes, the oldest records first, which keeps the reorder buffer small. Returns false if the batch is
    /// full, or if records were published faster than they were read. `settledBefore` (ns) limits the watermark.
    bool read(Merger &merger, Batch &batch, std::size_t maxTransitions, std::uint64_t settledBefore);

    /// Returns true if no lane has a record that read() has not read, and no lane is new. For an engine that has
    /// announced sleep: all loads are seq_cst. Partners: the producers' seq_cst stores, see hasRecordAt() and
    /// LaneHeader::state.
    bool isQuiet() const;

    /// Marks the present ends of all lanes as a barrier. All records committed before the call lie below them.
    void markEnds();
    bool reachedEnds() const;
    /// Lowers each end to its lane's position: records that cannot be read are not waited for.
    void cutEnds();
    /// From now on, skips damaged records that hide committed ones. A producer may still write there, so the tails of
    /// these lanes stay unchanged.
    void leapHoles() { m_leaping = true; }
    std::uint64_t recordsRead() const { return m_recordsRead; }
    /// From now on, reads no lane beyond the ends that were marked.
    void stopAtEnds() { m_stopped = true; }

    /// Stores the tails, which say how far producers may write. Call it after the batch was built.
    void storeTails();

    /// At the end of the capture: reports drops after the last record of each lane.
    void reportLastDrops(Batch &batch);
    /// Frees the lanes of a process that is gone, once they are drained.
    void freeLanesOf(std::uint32_t process, Batch &batch);

    std::uint64_t dropped() const { return m_dropped + m_skipped + m_inHoles; }
    std::uint64_t inHoles() const { return m_inHoles; }
    std::uint32_t inUse() const { return m_inUse; }
    /// Returns true if a thread gets no memory for its lane, because the file system is full.
    bool isStarved() const { return m_starved; }
    /// Number of lanes that became shorter, because the file system was full.
    std::uint32_t shortened() const { return m_shortened; }
    /// Number of lanes with a hole: an uncommitted slot in front of committed ones.
    std::uint32_t damaged() const;
    double fill() const { return m_fill; }
    /// Returns true if some lane would be full within a few milliseconds at its recent rate.
    bool isUrgent() const { return m_urgent; }
    /// Measures how full the lanes are. An occasional call is enough.
    void gauge(std::uint64_t nowNs);

private:
    struct NextRecord {
        std::uint64_t ns = 0;   ///< time of the next record
        std::uint64_t raw = 0;  ///< raw time of the next record
        std::uint32_t lane = 0;
    };

    void discover(std::uint32_t index, Batch &batch);
    std::uint64_t beginOfRetained(const HarvestedLane &lane, Batch &batch) const;
    void updateOrigin(HarvestedLane &lane, Batch &batch);
    void closeIfDrained(HarvestedLane &lane, Batch &batch);
    void reportDrops(HarvestedLane &lane, Batch &batch);
    void setTail(HarvestedLane &lane, corotracer::LaneHeader &header) const;
    std::uint64_t stopOf(const HarvestedLane &lane) const
    {
        return m_stopped ? std::min(lane.end, lane.limit) : lane.limit;
    }
    void checkDrops(HarvestedLane &lane);
    void adaptStep(Merger &merger);
    bool peek(HarvestedLane &lane, NextRecord &next, Batch &batch);
    bool visit(NextRecord &next, std::uint64_t untilNs, Merger &merger, Batch &batch, std::size_t maxTransitions);
    std::size_t copy(HarvestedLane &lane, std::span<RecordCopy> records, Batch &batch);
    void fetchAhead(const HarvestedLane &lane) const;
    void mergeRecords(HarvestedLane &lane, std::span<const RecordCopy> records, Merger &merger, Batch &batch);

    Region &m_region;
    HarvestState &m_harvestState;
    ProcessList &m_processes;
    std::vector<HarvestedLane> m_lanes;
    std::vector<bool> m_known;  ///< by index in the directory
    std::uint64_t m_retentionNs;
    bool m_readsRetained;  ///< post mortem in discard mode: retained records are read as well
    std::vector<NextRecord> m_nextRecords;
    std::array<RecordCopy, 256> m_records;
    std::uint64_t m_stepNs = 20'000;
    std::uint64_t m_recordsRead = 0;    ///< since the start
    std::uint64_t m_readSinceStep = 0;  ///< records read since the latest adaptStep()
    std::uint64_t m_dropped = 0;
    std::uint64_t m_skipped = 0;  ///< records that were overwritten before they were read
    std::uint64_t m_inHoles = 0;  ///< slots of holes that were skipped
    std::uint32_t m_inUse = 0;
    std::uint32_t m_shortened = 0;
    double m_fill = 0;
    std::uint64_t m_gaugedNs = 0;
    bool m_urgent = false;
    bool m_starved = false;
    bool m_leaping;
    bool m_stopped = false;
};

}  // namespace ct
