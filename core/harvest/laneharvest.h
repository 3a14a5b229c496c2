// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Decodes the part of a region that this project's probe writes with lanes: records, compact stations, processes.
// docs/ctp.md has the rules. Decoder's thread only. Does nothing in a region without lanes.
#pragma once

#include "core/harvest/barrier.h"
#include "core/harvest/goneprocesses.h"
#include "core/harvest/lanedrain.h"
#include "core/harvest/overwritelosses.h"
#include "core/harvest/regionshortage.h"

#include <optional>

namespace ct {

class LaneHarvest {
public:
    LaneHarvest(Region &region, RawQueue &queue, HarvestState &harvestState, IsAlive isAlive = {});

    /// Decodes what was collected, up to a full batch. Returns false if there is more to do at once. `safety` includes
    /// all periodic checks. `batch.now` is the present time of CLOCK_MONOTONIC.
    bool pass(Batch &batch, bool safety);
    /// As pass(), for a region that was cut short: decodes what was collected before, without any checks.
    bool readCut(Batch &batch);
    /// As finalDrain(), for such a region.
    [[nodiscard]] bool drainCut(Batch &batch);
    /// ns; everything earlier was decoded, as of the latest pass.
    std::uint64_t decodedUntil() const { return m_decodedUntil; }
    /// Number of records collected but not decoded.
    std::uint64_t unread() { return m_lanes.unread(); }
    /// Returns true if no barrier is in progress or needed, and no sweep is in progress.
    bool isSettled() const { return m_barrier.isSettled(); }
    /// Returns true if events, notes, deaths or the end of a process wait for the watermark.
    bool awaitsWatermark() const { return m_merger.awaitsWatermark() || !m_gone.isEmpty(); }
    /// Returns true if a process has ended and its end is not emitted yet. Costs a system call.
    bool hasEndsToEmit(std::uint64_t nowNs) { return m_processes.checkEnds(nowNs) || !m_gone.isEmpty(); }
    /// Returns true if some process of this project's probe was alive when it was discovered.
    bool hasSeenLife() const { return m_processes.anySeenAlive(); }

    /// Drains to the end: one last sweep, then all lanes to their ends. Returns false if there is more: call again.
    [[nodiscard]] bool finalDrain(Batch &batch);

    void addTo(Accounting &sums) const;

private:
    std::uint64_t settledBefore() const;
    bool read(Batch &batch);
    bool hasLanes() const { return m_region.laneMode() != corotracer::kLanesNone; }
    bool areTimesApproximate() const { return m_clock.hasJumped() || m_processes.isAnyClockApproximate(); }
    bool readsLanes() const { return m_region.access() != RegionAccess::Observer; }
    std::uint64_t recordsDropped() const;
    std::uint64_t unemitted() const;
    void account(const Batch &batch, const BatchMark &before);
    bool isCaughtUp(bool whole) const;
    void reportRecordsWithoutLane(Batch &batch);
    void passAsObserver(Batch &batch);
    void check(Batch &batch, bool safety);
    void checkResources(Batch &batch);
    void retireGone(Batch &batch);
    void beginDrain(Batch &batch);
    void emitLast(Batch &batch);
    void closeLosses(Batch &batch);

    Region &m_region;
    RawQueue &m_queue;
    HarvestState &m_harvestState;
    LaneClock m_clock;
    ProcessList m_processes;
    Merger m_merger;
    ChunkReader m_lanes;
    CompactSweep m_sweep;
    Barrier m_barrier;
    GoneProcesses m_gone;
    RegionShortage m_shortage;
    std::optional<OverwriteLosses> m_overwriteLosses;  ///< in overwrite mode
    std::optional<LaneDrain> m_drain;                  ///< once finalDrain() has begun
    bool m_isDrained = false;
    bool m_wantsSweep;
    bool m_everOff = false;             ///< tracing was off or paused in some process at some time
    std::uint64_t m_attachNs = 0;       ///< time of the first pass
    std::uint64_t m_unemitted = 0;      ///< unemitted() at the start of the latest sweep
    std::uint64_t m_withoutLane = 0;    ///< records of threads without a lane that were reported
    std::uint64_t m_withoutLaneNs = 0;  ///< ns; time of the latest report of records without a lane
    std::uint64_t m_sweptNs = 0;
    std::uint64_t m_checkedNs = 0;
    std::uint64_t m_decodedUntil = 0;
};

}  // namespace ct
