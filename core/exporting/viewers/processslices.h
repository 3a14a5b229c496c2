// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Events of processes and threads: wakes, uses of objects, drops, and times with tracing off.
#pragma once

#include "core/exporting/viewers/introduced.h"
#include "core/exporting/viewers/tracks.h"
#include "core/exporting/viewers/unitoutput.h"
#include "core/stream/stream.h"

#include <cstdint>
#include <map>

namespace ct::viewers {

class ProcessSlices {
public:
    ProcessSlices(TrackEncoder &encoder, UnitOutput &output, Introduced &introduced, Tracks &tracks);

    /// Before everything else of a batch.
    void addNames(const Notes &notes);
    void consume(const Notes &notes);
    /// Ends everything that is still open. `now`: the end of the trace.
    void end(std::uint64_t now);

private:
    /// A track whose slices do not overlap.
    struct Sequence {
        Track track;
        std::uint64_t end = 0;  ///< of the latest slice, or its beginning while it is open
        bool isOpen = false;
    };
    void write(const Wake &wake);
    void write(const Use &use);
    void write(const Drop &drop);
    void write(const Switch &change);
    void write(const ProcessEnd &end);
    void writeInstant(const Slice &slice);
    char *beginPieces();

    TrackEncoder &m_encoder;
    UnitOutput &m_output;
    Introduced &m_introduced;
    Tracks &m_tracks;
    const TextId m_wake;
    std::map<std::uint32_t, Sequence> m_drops;  ///< by the id of the thread's track
    std::map<std::uint32_t, Sequence> m_off;    ///< by pid
};

}  // namespace ct::viewers
