// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/lanedrain.h"

namespace ct {

LaneDrain::LaneDrain(ChunkReader &lanes, Merger &merger, CompactSweep &sweep, Barrier &barrier,
                     const ProcessList &processes, OverwriteLosses *overwriteLosses)
    : m_lanes(lanes),
      m_merger(merger),
      m_sweep(sweep),
      m_barrier(barrier),
      m_processes(processes),
      m_overwriteLosses(overwriteLosses)
{
}

/// `whole`: the lanes have nothing more to read at present.
bool LaneDrain::isAtEnd(bool whole)
{
    return whole && m_lanes.reachedEnds() && m_barrier.isSettled() && !m_merger.awaitsWatermark();
}

bool LaneDrain::pass(Batch &batch, std::uint64_t settledBefore)
{
    if (m_step == Step::Begin) {
        m_step = Step::Sweep;
        if (m_overwriteLosses)
            m_overwriteLosses->countAtEnd();
        m_barrier.beginLastBarrier(batch);
    }
    m_barrier.beginBarrier(batch);
    const bool whole = m_lanes.read(m_merger, batch, batch.transitions.size() + kLaneBatch, settledBefore);
    if (m_barrier.isInProgress())
        m_barrier.complete(batch);
    if (!isAtEnd(whole))
        return false;
    // If no process was ever seen alive, a further sweep finds deaths that only compact stations show. They belong to
    // coroutines that the lanes have only just discovered.
    if (m_step == Step::LastSweep || m_processes.anySeenAlive())
        return true;
    m_step = Step::LastSweep;
    m_sweep.start();
    return false;
}

}  // namespace ct
