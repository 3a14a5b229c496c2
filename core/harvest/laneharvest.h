// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Harvests the part of a region that this project's probe writes with lanes: records, compact stations, processes.
// docs/ctp.md has the rules. HarvestLoop calls it on the harvest thread. Does nothing in a region without lanes.
#pragma once

#include "core/harvest/census.h"
#include "core/harvest/lanelist.h"
#include "core/harvest/stationsweep.h"

#include <optional>

namespace ct {

class LaneHarvest {
public:
    /// Limit of transitions in a batch. Small enough that sinks find the batch in the second-level cache.
    static constexpr std::size_t kMaxTransitions = 4096;

    LaneHarvest(Region &region, HarvestBooks &books, IsAlive isAlive = {});

    /// Makes one pass over all lanes. Without news it costs one cache line per lane. Returns false if there is more to
    /// do at once. `safety` includes all periodic checks.
    bool pass(Batch &batch, bool safety);
    /// Returns true if no barrier is in progress or needed, and no sweep is in progress.
    bool isSettled() const { return !m_inBarrier && !m_sweep.isRunning() && !m_merger.isWaiting(); }
    /// Returns true if events, notes or deaths wait for the watermark.
    bool awaitsWatermark() const { return m_merger.awaitsWatermark(); }
    /// After a pass: returns true if no lane has news. Every load is seq_cst; see LaneList::isQuiet().
    bool isQuiet() const { return !hasLanes() || m_lanes.isQuiet(); }
    /// Returns true if a process has ended and its end is not emitted yet. Costs a system call.
    bool hasEndsToEmit(std::uint64_t nowNs) { return m_processes.checkEnds(nowNs) || !m_gone.empty(); }
    /// Returns true if some process of this project's probe was alive when it was discovered.
    bool hasSeenLife() const { return m_processes.anySeenAlive(); }
    /// Returns true if lanes fill so fast that the next pass must not wait.
    bool isUrgent() const { return m_lanes.isUrgent(); }

    /// Drains to the end: one last sweep, then all lanes to their ends. Returns false if there is more: call again.
    [[nodiscard]] bool finalDrain(Batch &batch);

    void addTo(Accounting &sums) const;

private:
    std::uint64_t settledBefore(const Batch &batch) const;
    bool hasLanes() const { return m_region.laneMode() != corotracer::kLanesNone; }
    bool isOwner() const { return m_region.access() == RegionAccess::Owner; }
    bool areTimesApproximate() const { return m_clock.hasJumped() || m_processes.isAnyClockApproximate(); }
    bool readsLanes() const { return m_region.access() != RegionAccess::Observer; }
    bool isRecorder() const { return readsLanes() && m_region.laneMode() == corotracer::kLanesOverwrite; }
    std::uint64_t unemitted() const;
    Census census() const;
    void account(const Batch &batch, const BatchMark &before);
    void settleKnown(const Census &census, bool missed, Batch &batch);
    void countTraceless(std::optional<Census> &census, std::uint64_t Accounting::*sum);
    bool isCaughtUp(bool whole) const;
    void closeBooks(Batch &batch);
    void reportRecordsWithoutLane(Batch &batch);
    void passAsObserver(Batch &batch);
    void check(Batch &batch, bool safety);
    void checkResources(Batch &batch);
    void checkMemory();
    void beginWork(Batch &batch);
    bool finishWork(Batch &batch);
    bool drain(Batch &batch);
    void retireGone(Batch &batch);

    /// Detects a lack of memory: something was refused although its limit was not reached.
    struct Shortage {
        std::uint64_t without = 0;
        std::uint64_t made = 0;
        bool lasts = false;

        void check(std::uint64_t withoutNow, std::uint64_t madeNow, bool isThereMore);
    };
    enum class Ending : std::uint8_t { No, Sweep, Lanes, Done };
    struct Gone {
        std::uint32_t process = 0;
        std::uint64_t sweep = 0;  ///< number of the sweep after which the end is emitted
        std::uint64_t ns = 0;     ///< the watermark must pass this time first
    };

    Region &m_region;
    HarvestBooks &m_books;
    LaneClock m_clock;
    ProcessList m_processes;
    Merger m_merger;
    LaneList m_lanes;
    StationSweep m_sweep;
    std::vector<Gone> m_gone;
    bool m_inBarrier = false;
    bool m_attaching;  ///< an adopted region: the first sweep is not finished
    bool m_wantsSweep = false;
    // For overwrite mode.
    Census::Count m_emitted;           ///< all coroutines and events emitted or reported so far
    std::optional<Census> m_atAttach;  ///< the census at attach, until it is settled
    std::optional<Census> m_atEnd;     ///< the census at the end
    std::uint64_t m_attachNs = 0;
    Ending m_ending = Ending::No;
    int m_cuts = 0;             ///< number of calls of LaneList::cutEnds()
    bool m_everOff = false;     ///< tracing was off or paused in some process at some time
    bool m_drainBegun = false;  ///< finalDrain() has begun
    bool m_lastSweep = false;
    int m_idleDrains = 0;               ///< calls of drain() in a row without news
    std::uint64_t m_unemitted = 0;      ///< unemitted() at the start of the latest sweep
    std::uint64_t m_withoutLane = 0;    ///< records of threads without a lane that were reported
    std::uint64_t m_withoutLaneNs = 0;  ///< time of that report
    Shortage m_stationShortage;
    Shortage m_laneShortage;
    std::uint64_t m_sweptNs = 0;
    std::uint64_t m_statesNs = 0;
    std::uint64_t m_gaugedNs = 0;
};

}  // namespace ct
