// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lanes of a region: how far each was read, in which order they are read, and when one is free again. Harvest
// thread only.
#pragma once

#include "core/harvest/merger.h"
#include "core/harvest/region.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ct {

class LaneList {
public:
    LaneList(Region &region, HarvestBooks &books, ProcessList &processes);

    /// Finds new lanes; with `states`, looks as well for closed ones that can be freed, and for drops.
    void refresh(Batch &batch, bool states);
    /// Reads all lanes, those with the oldest records first, so that little has to be held. False: the batch has
    /// enough, or the records grew faster than they were read.
    bool read(Merger &merger, Batch &batch, std::size_t maxTransitions, std::uint64_t settledBefore);

    /// No lane has a record that read() did not find, and none is new. For an engine that has announced its sleep: the
    /// loads are seq_cst (partners: the producers' seq_cst stores, see hasRecordAt and LaneHeader::state).
    bool isQuiet() const;

    /// A barrier's ends: those of now. Everything committed before the call lies below them.
    void markEnds();
    bool reachedEnds() const;
    /// What cannot be read will not be waited for.
    void cutEnds();
    /// From now on: steps over scribbled records that hide what was written behind them. Their producer may still wait
    /// there, so that the tails of such lanes stay where they were.
    void leapHoles() { m_leaping = true; }
    std::uint64_t recordsRead() const { return m_recordsRead; }
    /// Reads no lane beyond the ends just marked any more.
    void stopAtEnds() { m_stopped = true; }

    /// Tells the producers how far they may write. After the batch was built.
    void storeTails();

    /// The end: what was dropped after the last records.
    void tellLastDrops(Batch &batch);
    /// Lanes of a process that is gone: drained, they are free.
    void freeLanesOf(std::uint32_t process, Batch &batch);

    std::uint64_t dropped() const { return m_dropped + m_skipped + m_inHoles; }
    std::uint64_t inHoles() const { return m_inHoles; }
    std::uint32_t inUse() const { return m_inUse; }
    /// Some thread gets no memory for its lane: the file system is full.
    bool isStarved() const { return m_starved; }
    /// Lanes that are shorter than they were made, because the file system was full.
    std::uint32_t shortened() const { return m_shortened; }
    /// Lanes with a hole: a slot that was never committed, in front of others that were.
    std::uint32_t damaged() const;
    double fill() const { return m_fill; }
    /// At the rate of late, some lane would be full within a few milliseconds.
    bool isUrgent() const { return m_urgent; }
    /// Looks how full the lanes are; now and then is enough.
    void gauge(std::uint64_t nowNs);

private:
    static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
    struct Lane {
        std::uint32_t index = 0;
        LaneView view;
        std::uint32_t made = 0;  ///< its capacity when it was found
        std::uint64_t position = 0;
        std::uint64_t stored = 0;  ///< of position, in the tail
        std::uint64_t limit = 0;   ///< its producer has no room there, so that nothing genuine lies there or behind
        std::uint64_t end = 0;     ///< of the barrier in progress
        std::uint64_t dropped = 0;
        std::uint64_t told = 0;             ///< of those, by drop markers and by us
        std::uint64_t droppedStanding = 0;  ///< how many it had dropped when we came to where we are
        // At the last gauge:
        std::uint64_t gauged = 0;           ///< position
        std::uint64_t droppedGauged = 0;    ///< how many it had dropped
        std::uint32_t committedGauged = 0;  ///< how many slots had memory
        std::size_t lately = 0;             ///< records handed over at a time
        std::uint64_t latest = 0;           ///< raw time of the record that was read last
        std::uint32_t claims = 0;
        std::uint64_t begin = 0;
        std::uint64_t drained = 0;          ///< below it, records that an engine before us had read
        std::uint64_t examined = kNowhere;  ///< position behind which no record was found since its writer ended
        LaneOrigin origin;
        LaneOrigin before;     ///< whose records lie below begin
        bool empty = true;     ///< when it was looked at last
        bool starved = false;  ///< its producer got no more memory
        bool isOver = false;   ///< its thread or its process has ended
        bool damaged = false;  ///< has or had a hole
        bool leapt = false;    ///< over a hole, without its producer's word: its tail stays until the lane is freed
        bool fresh = true;     ///< overwrite mode: what was overwritten before our first look was missed
    };
    struct Turn {
        std::uint64_t ns = 0;   ///< of its next record
        std::uint64_t raw = 0;  ///< the same in its clock
        std::uint32_t lane = 0;
    };

    void find(std::uint32_t index, Batch &batch);
    std::uint64_t beginOfEvidence(const Lane &lane, Batch &batch) const;
    LaneOrigin originAt(const Lane &lane, std::uint64_t position) const;
    void learnOrigin(Lane &lane, Batch &batch);
    void closeIfDrained(Lane &lane, Batch &batch);
    void tellDrops(Lane &lane, Batch &batch);
    std::uint64_t nextRecord(Lane &lane) const;
    bool isDrained(Lane &lane) const;
    static void forgetEnd(Lane &lane);
    void setTail(Lane &lane, corotracer::LaneHeader &header) const;
    std::uint64_t stopOf(const Lane &lane) const { return m_stopped ? std::min(lane.end, lane.limit) : lane.limit; }
    void cutAtHole(Lane &lane) const;
    bool leapHole(Lane &lane);
    void heedDrops(Lane &lane);
    void adaptStep(Merger &merger);
    bool peek(Lane &lane, Turn &turn, Batch &batch);
    bool visit(Turn &turn, std::uint64_t untilNs, Merger &merger, Batch &batch, std::size_t maxTransitions);
    std::size_t copy(Lane &lane, std::span<LaneItem> items, Batch &batch);
    void fetchAhead(const Lane &lane) const;
    void hand(Lane &lane, std::span<const LaneItem> items, Merger &merger, Batch &batch);

    Region &m_region;
    HarvestBooks &m_books;
    ProcessList &m_processes;
    std::vector<Lane> m_lanes;
    std::vector<bool> m_known;  ///< by index in the directory
    std::uint64_t m_retentionNs;
    bool m_isEvidence;  ///< discard mode: what lanes hold behind their tails is read as well
    std::vector<Turn> m_turns;
    std::array<LaneItem, 256> m_items;
    std::uint64_t m_stepNs = 20'000;
    std::uint64_t m_recordsRead = 0;  ///< so far
    std::uint64_t m_readLately = 0;   ///< since the step was adapted
    std::uint64_t m_dropped = 0;
    std::uint64_t m_skipped = 0;  ///< overwritten before they were read
    std::uint64_t m_inHoles = 0;  ///< slots that were leapt over
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
