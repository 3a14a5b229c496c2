// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A look at all compact stations, a part at a time: it finds what no lane told, because a lane was full or there was
// none, and frees the stations of the dead. Harvest thread only.
#pragma once

#include "core/harvest/merger.h"
#include "core/harvest/region.h"

#include <cstdint>
#include <vector>

namespace ct {

class LineSweep {
public:
    LineSweep(Region &region, Merger &merger);

    void start();
    bool isRunning() const { return m_running; }
    /// How many were started, and how many of them are over.
    std::uint64_t started() const { return m_started; }
    std::uint64_t finished() const { return m_running ? m_started - 1 : m_started; }

    /// Reads the next part; the caller then reads all lanes to the ends they have afterwards, and settles.
    void readPart(Batch &batch);
    bool hasPart() const { return m_hasPart; }
    /// What lines told and lanes did not is told now. False: the batch has enough; call again.
    bool settlePart(Batch &batch, std::size_t maxTransitions);

    /// Frees the compact stations of a process that is gone, after its lanes were drained and a sweep. `last`: no other
    /// process is there that could hold one that was freed before.
    void reclaim(std::uint32_t process, bool last);

    /// Compact stations that have been used.
    std::size_t lineCount() const;

private:
    struct Suspect {
        std::uint32_t index = 0;
        LineCopy line;
    };

    void freeLine(std::uint32_t index, std::uint64_t life);

    Region &m_region;
    Merger &m_merger;
    std::vector<Suspect> m_suspects;
    std::size_t m_settleAt = 0;
    std::size_t m_readAt = 0;
    std::size_t m_end = 0;  ///< of the sweep
    std::uint64_t m_started = 0;
    bool m_running = false;
    bool m_hasPart = false;
};

}  // namespace ct
