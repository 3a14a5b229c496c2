// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Harvests the part of a region that this project's probe writes with lanes: records, compact stations, processes.
// docs/ctp.md has the rules. Driven by HarvestLoop, on its thread. Does nothing in a region without lanes.
#pragma once

#include "core/harvest/census.h"
#include "core/harvest/lanelist.h"
#include "core/harvest/linesweep.h"

#include <optional>

namespace ct {

class LaneHarvest {
public:
    /// Batches stay small enough for sinks to find them in the second-level cache.
    static constexpr std::size_t kMaxTransitions = 4096;

    LaneHarvest(Region &region, HarvestBooks &books, IsAlive isAlive = {});

    /// One pass over all lanes; costs one cache line per lane when nothing is new. False: there is more to do at once.
    /// `safety`: does as well what may wait for an idle moment.
    bool pass(Batch &batch, bool safety);
    /// True when nothing is under way: no barrier, no sweep.
    bool isSettled() const { return !m_inBarrier && !m_sweep.isRunning() && !m_merger.isWaiting(); }
    /// Events that came before others of their coroutine wait for a moment to go by.
    bool isHolding() const { return m_merger.isHolding(); }
    /// After a pass: no lane has news. Every load is seq_cst; see LaneList::isQuiet.
    bool isQuiet() const { return !hasLanes() || m_lanes.isQuiet(); }
    /// A process has ended, and that is not told yet. Costs a system call.
    bool hasEndsToTell(std::uint64_t nowNs) { return m_processes.lookForEnds(nowNs) || !m_gone.empty(); }
    /// Some process of this project's probe lived when we found it.
    bool hasSeenLife() const { return m_processes.anySeenAlive(); }
    /// The lanes fill so fast that the next pass must not wait.
    bool isUrgent() const { return m_lanes.isUrgent(); }

    /// The end: a last sweep, and all lanes to the ends they have then. False: call again.
    [[nodiscard]] bool finalDrain(Batch &batch);

    void addTo(Accounting &sums) const;

private:
    std::uint64_t settledBefore(const Batch &batch) const;
    bool hasLanes() const { return m_region.laneMode() != corotracer::kLanesNone; }
    bool isOwner() const { return m_region.access() == RegionAccess::Owner; }
    bool areTimesApproximate() const { return m_clock.hasJumped() || m_processes.isAnyClockApproximate(); }
    bool readsLanes() const { return m_region.access() != RegionAccess::Observer; }
    bool isRecorder() const { return readsLanes() && m_region.laneMode() == corotracer::kLanesOverwrite; }
    std::uint64_t untold() const;
    Census census() const;
    void account(const Batch &batch, const BatchMark &before);
    void settleKnown(const Census &census, bool missed, Batch &batch);
    void countTraceless(std::optional<Census> &census, std::uint64_t Accounting::*sum);
    bool isCaughtUp(bool whole) const;
    void closeBooks(Batch &batch);
    void tellRecordsWithoutLane(Batch &batch);
    void passAsObserver(Batch &batch);
    void look(Batch &batch, bool safety);
    void lookAround(Batch &batch);
    void heedMemory();
    void beginWork(Batch &batch);
    bool finishWork(Batch &batch);
    bool drain(Batch &batch);
    void buryGone(Batch &batch);

    /// Somebody got none of what there is enough of: there was no memory for it.
    struct Shortage {
        std::uint64_t without = 0;
        std::uint64_t made = 0;
        bool lasts = false;

        void look(std::uint64_t withoutNow, std::uint64_t madeNow, bool isThereMore);
    };
    enum class Ending : std::uint8_t { No, Sweep, Lanes, Done };
    struct Gone {
        std::uint32_t process = 0;
        std::uint64_t sweep = 0;  ///< the one after which it is told,
        std::uint64_t ns = 0;     ///< once what was held then is told
    };

    Region &m_region;
    HarvestBooks &m_books;
    LaneClock m_clock;
    ProcessList m_processes;
    Merger m_merger;
    LaneList m_lanes;
    LineSweep m_sweep;
    std::vector<Gone> m_gone;
    bool m_inBarrier = false;
    bool m_attaching;  ///< the first sweep of an adopted region
    bool m_wantsSweep = false;
    // Of a recorder.
    Census::Count m_told;                ///< lives and events, with a trace and without
    std::optional<Census> m_whenWeCame;  ///< until it is clear what of that has left a trace
    std::optional<Census> m_atEnd;       ///< when it was decided
    std::uint64_t m_cameNs = 0;
    Ending m_ending = Ending::No;
    int m_cuts = 0;           ///< of lanes that cannot be read to their ends
    bool m_everOff = false;   ///< tracing was switched off or paused, somewhere
    bool m_lastLook = false;  ///< the end has begun
    bool m_lastSweep = false;
    int m_idleDrains = 0;               ///< calls of drain() in a row that brought nothing
    std::uint64_t m_untold = 0;         ///< records that no lane brought, as of the latest sweep
    std::uint64_t m_withoutLane = 0;    ///< records of threads that got no lane: so many were told,
    std::uint64_t m_withoutLaneNs = 0;  ///< and then it was
    Shortage m_lineShortage;
    Shortage m_laneShortage;
    std::uint64_t m_sweptNs = 0;
    std::uint64_t m_statesNs = 0;
    std::uint64_t m_gaugedNs = 0;
};

}  // namespace ct
