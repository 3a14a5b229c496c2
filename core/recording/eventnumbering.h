// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Puts the lines of the existing collector, which have a seq but no event number, back into order and numbers them.
//
// That collector looks at the slots 0..7 of a station in turn and writes what is new, so the lines of one coroutine
// are out of order by up to eight events. In the seqlock dialect eight events share one value of seq/2, here called a
// lap. Whoever has seen an event of lap L in some slot can later meet laps L-1 and up only; so lap L-2 is complete
// when L turns up, and is ordered by time. What a lap that has ended lacks of its eight events was lost: the lines
// that came before any line of a later lap are its first events, those that came after are its last.
//
// The dialect shows: two lines with the same seq mean seqlock, an odd seq, or several lines that all differ, mean
// monotonic, where the number is the seq itself. (The collector skips odd seqs, so half of them are missing.)
//
// A probe_id that comes back is a new coroutine when a seq turns up that the old one cannot produce any more: a lap
// that has ended, a ninth event of a lap, or an older lap at a later time. Two short-lived coroutines with the same
// probe_id that fit into one lap together cannot be told apart and appear as one.
#pragma once

#include "core/recording/streamassembler.h"

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
        std::uint64_t key = 0;  ///< what the lines of one coroutine share
        std::uint64_t probeId = 0;
        std::uint64_t birthTs = 0;
        std::uint32_t pid = 0;
    };
    /// Takes one line; n and coroutine of `transition` are filled in before it goes out, now or later.
    void add(const Identity &identity, const Transition &transition);

    /// At the end of the file: puts out what is held back, at least `wanted` transitions. False when nothing is left.
    bool drain(std::size_t wanted);

private:
    class Track;
    /// A reader that was late may still deliver lines of the coroutine that had the key before.
    struct Holders {
        std::unique_ptr<Track> current;
        std::unique_ptr<Track> previous;
        bool listed = false;  ///< in m_waiting
    };
    void flushIdle();

    StreamAssembler &m_out;
    std::unordered_map<std::uint64_t, Holders> m_holders;
    std::vector<std::uint64_t> m_waiting;  ///< keys that hold something back, in order of appearance
    std::size_t m_drained = 0;             ///< of m_waiting
    std::uint64_t m_latestTs = 0;
    std::uint32_t m_sinceFlush = 0;
};

}  // namespace ct
