// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Processes that have ended, until everything that they wrote was emitted. One more sweep does that; then their end is
// emitted, and their lanes and stations are freed if another process needs the room. Decoder's thread only.
#pragma once

#include "core/harvest/barrier.h"
#include "core/harvest/processlist.h"

#include <cstdint>
#include <vector>

namespace ct {

class GoneProcesses {
public:
    GoneProcesses(Region &region, ProcessList &processes, const ChunkReader &lanes, CompactSweep &sweep,
                  const Merger &merger, CollectorRequests &requests);

    bool isEmpty() const { return m_gone.empty(); }
    /// Adds the processes that were found to be gone since the last call. Returns true if there are any: then a sweep
    /// must be started.
    bool collect(Batch &batch);
    /// Emits the ends of the processes whose sweep has finished. Call it while no barrier and no sweep is in progress.
    void retire(Batch &batch);
    /// At the end of the harvest: emits all ends, and frees nothing.
    void retireAll(Batch &batch);

private:
    struct Gone {
        std::uint32_t process = 0;
        std::uint64_t sweep = 0;  ///< number of the sweep after which the end is emitted
        std::uint64_t ns = 0;     ///< the watermark must pass this time first
        std::uint64_t freed = 0;  ///< number of the request to free its lanes; 0 = not made
    };
    bool readsLanes() const { return m_region.access() != RegionAccess::Observer; }
    bool isReusable(std::uint32_t process) const;
    bool retire(Gone &gone, Batch &batch);
    void reclaim(std::uint32_t process);

    Region &m_region;
    ProcessList &m_processes;
    const ChunkReader &m_lanes;
    CompactSweep &m_sweep;
    const Merger &m_merger;
    CollectorRequests &m_requests;
    std::vector<Gone> m_gone;
};

}  // namespace ct
