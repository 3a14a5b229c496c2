// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/lanedrain.h"

namespace ct {

namespace {

/// More than the number of parts in a sweep.
constexpr int kMostIdlePasses = 4096;
constexpr int kMostCuts = 4;

}  // namespace

LaneDrain::LaneDrain(LaneList &lanes, Merger &merger, CompactSweep &sweep, Barrier &barrier,
                     const ProcessList &processes, OverwriteLosses *overwriteLosses)
    : m_lanes(lanes),
      m_merger(merger),
      m_sweep(sweep),
      m_barrier(barrier),
      m_processes(processes),
      m_overwriteLosses(overwriteLosses)
{
}

/// Starts the steps that are possible now.
void LaneDrain::advance()
{
    if (m_step == Step::Begin && !m_barrier.isInProgress()) {
        m_step = Step::Sweep;
        m_sweep.start();
    }
    if (m_step == Step::Sweep && !m_sweep.isRunning() && !m_barrier.isInProgress()) {
        m_step = Step::Lanes;
        if (m_overwriteLosses)
            m_overwriteLosses->countAtEnd();
        m_lanes.markEnds();
        m_lanes.stopAtEnds();
    }
}

/// `whole`: the lanes have nothing more to read at present.
bool LaneDrain::isAtEnd(bool whole) const
{
    return m_step >= Step::Lanes && whole && m_lanes.reachedEnds() && m_barrier.isSettled() &&
           !m_merger.awaitsWatermark();
}

bool LaneDrain::pass(Batch &batch, std::uint64_t settledBefore)
{
    m_lanes.refresh(batch, true);
    m_lanes.leapHoles();
    advance();
    m_barrier.beginBarrier(batch);
    const std::size_t before = batch.transitions.size();
    const std::uint64_t readBefore = m_lanes.recordsRead();
    const bool whole = m_lanes.read(m_merger, batch, before + kLaneBatch, settledBefore);
    if (m_barrier.isInProgress())
        m_barrier.complete(batch);
    if (isAtEnd(whole)) {
        // If no process was ever seen alive, a further sweep finds deaths that only compact stations show. They belong
        // to coroutines that the lanes have only just discovered.
        if (m_step == Step::LastSweep || m_processes.anySeenAlive())
            return true;
        m_step = Step::LastSweep;
        m_sweep.start();
        return false;
    }
    // The record that a damaged lane waits for never comes.
    m_idlePasses = batch.transitions.size() == before && m_lanes.recordsRead() == readBefore ? m_idlePasses + 1 : 0;
    if (m_idlePasses < kMostIdlePasses)
        return false;
    // This lane ends here. The compact stations count the events behind this position.
    m_idlePasses = 0;
    m_lanes.cutEnds();
    return ++m_cuts > kMostCuts;
}

}  // namespace ct
