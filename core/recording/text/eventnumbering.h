// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Orders and numbers the lines of the existing collector, which have a seq but no event number.
//
// That collector reads slots 0 to 7 of a station in turn and writes the new events. So the lines of one coroutine are
// out of order by up to eight events. In the seqlock dialect, eight events share one value of seq/2, here called a lap.
// After an event of lap L, the collector can only read events of lap L-1 and later. So lap L-2 is complete when L
// appears, and is ordered by time. If a complete lap has fewer than eight events, the others were lost. Lines that came
// before all lines of later laps are the first events of the lap. Lines that came after one of them are its last
// events.
//
// The lines show the dialect. Two lines with the same seq mean seqlock. An odd seq, or several lines with different
// seqs, mean monotonic, where the seq is the number. (The collector skips odd seqs, so the file has half of these
// events.)
//
// A probe_id belongs to a new coroutine when its seq is impossible for the old one: a lap that has ended, a ninth event
// of a lap, or an older lap at a later time. So does a line that cannot be of the same run as the lines before, see
// Track::isOfOtherRun(): the existing collector appends to its file. Two short-lived coroutines with the same probe_id
// whose events fit into one lap cannot be distinguished, and appear as one.
#pragma once

#include "core/recording/text/streamassembler.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ct {

class EventNumbering {
public:
    explicit EventNumbering(StreamAssembler &out);
    ~EventNumbering();

    struct Identity {
        std::uint64_t key = 0;  ///< common to the lines of one coroutine
        std::uint64_t probeId = 0;
        std::uint64_t birthTs = 0;
        std::uint32_t pid = 0;
    };
    /// Adds one line. Emits it now or later, after setting its `n` and `coroutine`.
    void addEvent(const Identity &identity, const Transition &transition);

    /// At the end of the file: emits waiting transitions, at least `wanted` if there are so many. Returns false when
    /// none is left.
    bool drain(std::size_t wanted);

private:
    class Track;
    /// The coroutines of a key. Late lines can still belong to the previous one.
    struct Tracks {
        std::unique_ptr<Track> current;
        std::unique_ptr<Track> previous;
        bool listed = false;  ///< in m_waiting
    };
    void flushIdle();

    StreamAssembler &m_out;
    std::unordered_map<std::uint64_t, Tracks> m_tracks;
    std::vector<std::uint64_t> m_waiting;  ///< keys with waiting events, in order of appearance
    std::size_t m_drained = 0;             ///< number of keys in m_waiting that are drained
    std::uint64_t m_latestTs = 0;          ///< ns: the latest time of all lines
    std::uint32_t m_sinceFlush = 0;        ///< lines since flushIdle()
};

}  // namespace ct
