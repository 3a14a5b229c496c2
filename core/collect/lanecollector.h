// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Copies the committed records of all lanes into raw chunks, gives their slots back to the producers at once, and frees
// the lanes of ended threads. Collector's thread only.
#pragma once

#include "core/collect/collectedlane.h"
#include "core/collect/packedrecords.h"
#include "core/collect/rawqueue.h"
#include "core/region/region.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ct {

class LaneCollector {
public:
    LaneCollector(Region &region, RawQueue &queue);

    /// Discovers new lanes. With `states`, also frees closed lanes that are drained, and counts drops. `nowNs` is the
    /// present time of CLOCK_MONOTONIC.
    void refresh(bool states, std::uint64_t nowNs);
    /// Copies every lane to its end, or by its capacity. Returns false if there was no memory for all of it.
    bool collect();
    /// Marks the present ends of all lanes. All records committed before the call lie below them.
    void markEnds();
    /// Returns true if collect() has reached the marked ends.
    bool reachedEnds() const;
    /// Returns true if the latest collect() copied a record.
    bool hasCollected() const { return m_hasCollected; }
    /// Returns true if the latest collect() found much in a lane.
    bool isPressed() const { return m_isPressed; }

    /// Returns true if no lane has a record that collect() has not copied, and no lane is new. For an engine that has
    /// announced sleep: all loads are seq_cst. Partners: the producers' seq_cst stores, see hasRecordAt() and
    /// LaneHeader::state.
    bool isQuiet() const;

    /// From now on, skips damaged records that hide committed ones. A producer may still write there, so the tails of
    /// these lanes stay unchanged.
    void leapHoles() { m_leaping = true; }
    /// Frees the lanes of processes that are gone, as CollectorRequests::process() demands, once they are drained.
    /// Returns false if there was no memory to report the drops of one.
    bool freeLanesOfGone();

    /// Returns true if some lane would be full within a few milliseconds at its recent rate.
    bool isUrgent() const { return m_urgent; }
    /// ns, 1 ms to 1 s: at its recent rate, no empty lane would be a quarter full before.
    std::uint64_t timeToQuarterNs() const { return m_timeToQuarterNs; }
    /// Measures how full the lanes are. An occasional call is enough.
    void gauge(std::uint64_t nowNs);
    /// Records of the smallest lane, 0 = there is no lane.
    std::uint32_t smallestCapacity() const { return m_smallest; }
    /// Publishes the sums in CollectorFacts.
    void publish() const;

    /// Number of processes that have a lane in use.
    std::size_t processCount() const;

private:
    static constexpr std::uint64_t kShortestToQuarterNs = 1'000'000;
    static constexpr std::uint64_t kLongestToQuarterNs = 1'000'000'000;

    void discover(std::uint32_t index);
    std::uint64_t beginOfRetained(const CollectedLane &lane) const;
    void updateOrigin(CollectedLane &lane);
    void closeIfDrained(CollectedLane &lane, std::uint64_t nowNs);
    bool endThread(CollectedLane &lane);
    void setTail(CollectedLane &lane);
    void giveBack(CollectedLane &lane);
    void checkDrops(CollectedLane &lane);
    bool collect(CollectedLane &lane);
    bool makeRoom(CollectedLane &lane, const LaneOrigin &origin);
    std::size_t handOver(CollectedLane &lane, std::span<const RecordCopy> copies);
    std::uint32_t damaged() const;

    Region &m_region;
    RawQueue &m_queue;
    std::vector<CollectedLane> m_lanes;
    std::vector<RecordCopy> m_copies = std::vector<RecordCopy>(kMostInPacket);  ///< records on their way to a packet
    std::vector<bool> m_known;                                                  ///< by index in the directory
    std::size_t m_first = 0;  ///< index of the lane with which the next collect() begins
    std::uint64_t m_retentionNs;
    bool m_readsRetained;  ///< post mortem in discard mode: retained records are read as well
    bool m_hasCollected = false;
    bool m_isPressed = false;
    std::uint64_t m_dropped = 0;
    std::uint64_t m_skipped = 0;  ///< records that were overwritten before they were read
    std::uint64_t m_inHoles = 0;  ///< slots of holes that were skipped
    std::uint32_t m_inUse = 0;
    std::uint32_t m_shortened = 0;
    std::uint32_t m_smallest = 0;
    double m_fill = 0;
    std::uint64_t m_gaugedNs = 0;
    bool m_urgent = false;
    std::uint64_t m_timeToQuarterNs = kLongestToQuarterNs;
    bool m_starved = false;
    bool m_leaping;
};

}  // namespace ct
