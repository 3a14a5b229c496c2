// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The end of a harvest. Completes the barrier and the sweep in progress, makes one whole sweep, and then reads the
// lanes to the ends that they have at that time. Numbers still missing then are lost. Harvest thread only.
#pragma once

#include "core/harvest/barrier.h"
#include "core/harvest/overwritelosses.h"
#include "core/harvest/processlist.h"

#include <cstdint>

namespace ct {

class LaneDrain {
public:
    /// `overwriteLosses` is nullptr in discard mode.
    LaneDrain(LaneList &lanes, Merger &merger, CompactSweep &sweep, Barrier &barrier, const ProcessList &processes,
              OverwriteLosses *overwriteLosses);

    /// Makes one pass. Returns true when the end is reached. Every drain reaches it: a lane is read no further than its
    /// marked end, and a damaged lane is cut off. `settledBefore` is as for LaneList::read().
    bool pass(Batch &batch, std::uint64_t settledBefore);

private:
    enum class Step : std::uint8_t {
        Begin,      ///< the barrier that was in progress is not complete
        Sweep,      ///< the whole sweep is in progress
        Lanes,      ///< the lanes are read to their ends
        LastSweep,  ///< as Lanes, after one more sweep was started
    };
    void advance();
    bool isAtEnd(bool whole) const;

    LaneList &m_lanes;
    Merger &m_merger;
    CompactSweep &m_sweep;
    Barrier &m_barrier;
    const ProcessList &m_processes;
    OverwriteLosses *m_overwriteLosses;
    Step m_step = Step::Begin;
    int m_idlePasses = 0;  ///< passes in a row without news
    int m_cuts = 0;        ///< number of calls of LaneList::cutEnds()
};

}  // namespace ct
