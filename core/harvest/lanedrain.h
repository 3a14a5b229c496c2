// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The end of a harvest. Reads all compact stations, then stops the collector, and reads the lanes to the ends that they
// have at that time. Numbers still missing then are lost. Decoder's thread only.
#pragma once

#include "core/harvest/barrier.h"
#include "core/harvest/overwritelosses.h"
#include "core/harvest/processlist.h"

#include <cstdint>

namespace ct {

class LaneDrain {
public:
    /// `overwriteLosses` is nullptr in discard mode.
    LaneDrain(ChunkReader &lanes, Merger &merger, CompactSweep &sweep, Barrier &barrier, const ProcessList &processes,
              OverwriteLosses *overwriteLosses);

    /// Makes one pass. Returns true when the end is reached. Every drain reaches it: a lane is read no further than to
    /// what was collected when the lanes were stopped. `settledBefore` is as for ChunkReader::read().
    bool pass(Batch &batch, std::uint64_t settledBefore);

private:
    enum class Step : std::uint8_t {
        Begin,
        Sweep,      ///< the whole sweep is in progress, or complete
        LastSweep,  ///< as Sweep, after one more sweep was started
    };
    bool isAtEnd(bool whole);

    ChunkReader &m_lanes;
    Merger &m_merger;
    CompactSweep &m_sweep;
    Barrier &m_barrier;
    const ProcessList &m_processes;
    OverwriteLosses *m_overwriteLosses;
    Step m_step = Step::Begin;
};

}  // namespace ct
