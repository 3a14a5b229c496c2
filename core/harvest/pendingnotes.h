// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Notes about coroutines that are not known yet, since their birth lies in a lane that was not read so far. Harvest
// thread only.
#pragma once

#include "core/harvest/identity.h"
#include "core/protocol/lanereader.h"
#include "core/trace/stream.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

namespace ct {

struct PendingNote {
    LaneItem item;
    LaneOrigin origin;
    std::uint64_t ts = 0;                ///< ns
    CoroutineId subject = kNoCoroutine;  ///< whom it is about, once that is known; and then
    std::uint64_t n = 0;                 ///< its number, all of it
    std::uint64_t awaited = 0;           ///< identity
    std::uint64_t due = 0;               ///< ns; once the lanes were read up to then, nobody comes who is not there
};

class PendingNotes {
public:
    /// Keeps it until `awaited` is known, or it is due. False: there are more than there can be.
    [[nodiscard]] bool keep(const PendingNote &note);
    /// One of those that wait for this one, in the order in which they came.
    std::optional<PendingNote> takeOf(std::uint64_t identity);
    /// The first that came, if it is due before `ns`.
    std::optional<PendingNote> takeDue(std::uint64_t ns);
    bool empty() const { return m_chains.empty(); }

private:
    struct Kept {
        PendingNote note;
        std::uint64_t next = 0;  ///< that waits for the same
        bool taken = false;
    };
    /// Numbers of notes: they count on, and those in m_notes start with m_first.
    struct Chain {
        std::uint64_t first = 0;
        std::uint64_t last = 0;
    };

    Kept &at(std::uint64_t number) { return m_notes[number - m_first]; }
    void dropTaken();

    std::deque<Kept> m_notes;
    std::uint64_t m_first = 0;
    std::unordered_map<std::uint64_t, Chain> m_chains;  ///< by the identity awaited
};

}  // namespace ct
