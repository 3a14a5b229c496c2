// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/barrier.h"

namespace ct {

Barrier::Barrier(ChunkReader &lanes, Merger &merger, CompactSweep &sweep, bool attaching)
    : m_lanes(lanes), m_merger(merger), m_sweep(sweep), m_attaching(attaching)
{
    m_merger.setAttaching(attaching);
}

void Barrier::beginBarrier(Batch &batch)
{
    if (m_inProgress || (!m_merger.isWaiting() && !m_sweep.isRunning()))
        return;
    if (m_sweep.isRunning())
        m_sweep.readPart(batch);
    m_merger.beginBarrier();
    // The missing events of the coroutines read so far lie below these ends.
    m_lanes.requestEnds();
    m_inProgress = true;
}

void Barrier::beginLastBarrier(Batch &batch)
{
    m_sweep.readWhole(batch);
    m_merger.beginBarrier();
    m_lanes.requestEnds(CollectorRequests::kLeapHoles | CollectorRequests::kStopLanes);
    m_inProgress = true;
}

bool Barrier::complete(Batch &batch)
{
    if (!m_lanes.reachedEnds())
        return false;
    const std::size_t enough = batch.transitions.size() + kLaneBatch;
    if (!m_merger.completeBarrier(batch, enough))
        return false;
    if (m_sweep.hasPart() && !m_sweep.settlePart(batch, enough))
        return false;
    m_inProgress = false;
    if (m_attaching && m_sweep.finished() != 0)
        endAttaching();
    return isSettled();
}

void Barrier::endAttaching()
{
    m_attaching = false;
    m_merger.setAttaching(false);
}

}  // namespace ct
