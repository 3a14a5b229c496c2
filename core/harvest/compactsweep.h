// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sweep over all compact stations, a part at a time. It finds events and coroutines that no lane has, because a
// lane was full or missing. It also frees the stations of dead coroutines. Harvest thread only.
#pragma once

#include "core/harvest/merger.h"
#include "core/region/region.h"

#include <cstdint>
#include <vector>

namespace ct {

class CompactSweep {
public:
    CompactSweep(Region &region, Merger &merger);

    void start();
    bool isRunning() const { return m_running; }
    /// Numbers of sweeps started and finished.
    std::uint64_t started() const { return m_started; }
    std::uint64_t finished() const { return m_running ? m_started - 1 : m_started; }

    /// Reads all stations as one part, from the beginning. It replaces a sweep in progress.
    void readWhole(Batch &batch);
    /// Reads the next part. The caller then reads all lanes to the ends that they have after that, and calls
    /// settlePart().
    void readPart(Batch &batch);
    bool hasPart() const { return m_hasPart; }
    /// Emits what compact stations have and lanes do not. Returns false when the batch is full; call again.
    bool settlePart(Batch &batch, std::size_t maxTransitions);

    /// Frees the compact stations of a process that is gone. Call it after its lanes were drained and a sweep has
    /// finished. `last` means that no other process exists that could own a free station.
    void reclaim(std::uint32_t process, bool last);

    /// Number of compact stations in use or used before.
    std::size_t stationCount() const;

private:
    struct Suspect {
        std::uint32_t index = 0;
        CompactCopy station;
    };

    void readTo(std::size_t end, Batch &batch);
    void freeStation(std::uint32_t index, std::uint64_t life);

    Region &m_region;
    Merger &m_merger;
    std::vector<Suspect> m_suspects;
    std::size_t m_settleAt = 0;
    std::size_t m_readAt = 0;
    std::size_t m_end = 0;  ///< first index that the sweep does not read
    std::uint64_t m_started = 0;
    bool m_running = false;
    bool m_hasPart = false;
};

}  // namespace ct
