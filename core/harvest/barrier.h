// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A barrier settles the events that wait without a believable time, and the coroutines of one part of a sweep. It asks
// the collector for everything that the lanes have, and marks where that ends. Once the lanes were read up to these
// marks, numbers still missing are lost. Decoder's thread only.
#pragma once

#include "core/harvest/chunkreader.h"
#include "core/harvest/compactsweep.h"
#include "core/harvest/merger.h"

namespace ct {

class Barrier {
public:
    /// `attaching`: the region was adopted. The first sweep then settles as at attach.
    Barrier(ChunkReader &lanes, Merger &merger, CompactSweep &sweep, bool attaching);

    /// Begins a barrier for waiting events and for the next part of a sweep, if there are any. Only one barrier is in
    /// progress at a time.
    void beginBarrier(Batch &batch);
    /// Begins the barrier at the end of the harvest, for a whole sweep. The collector stops after the sweep has read
    /// the stations, so the lanes end behind all events that the stations count.
    void beginLastBarrier(Batch &batch);
    /// Completes the barrier in progress, once the lanes were read to their marks. Returns false if there is more to do
    /// at once.
    bool complete(Batch &batch);

    bool isInProgress() const { return m_inProgress; }
    /// Returns true if no barrier is in progress or needed, and no sweep is in progress.
    bool isSettled() const { return !m_inProgress && !m_sweep.isRunning() && !m_merger.isWaiting(); }
    /// True in an adopted region until the first sweep has finished.
    bool isAttaching() const { return m_attaching; }
    void endAttaching();

private:
    ChunkReader &m_lanes;
    Merger &m_merger;
    CompactSweep &m_sweep;
    bool m_inProgress = false;
    bool m_attaching;
};

}  // namespace ct
