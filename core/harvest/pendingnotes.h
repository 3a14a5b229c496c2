// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Notes about coroutines that are not discovered yet: their births may be in unread lanes. Harvest thread only.
#pragma once

#include "core/protocol/lanereader.h"
#include "core/region/identity.h"
#include "core/stream/stream.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

namespace ct {

struct PendingNote {
    RecordCopy record;
    LaneOrigin origin;
    std::uint64_t ts = 0;                ///< ns, CLOCK_MONOTONIC
    CoroutineId subject = kNoCoroutine;  ///< the coroutine that the note is about, once discovered
    std::uint64_t n = 0;                 ///< the full number of the event, valid once `subject` is known
    std::uint64_t awaited = 0;           ///< identity of the coroutine that the note waits for
    std::uint64_t due = 0;  ///< ns; once all lanes were read up to this time, no birth of `awaited` can follow
};

class PendingNotes {
public:
    /// Keeps a note until `awaited` is discovered or the note is due. Returns false if there are too many notes.
    [[nodiscard]] bool keep(const PendingNote &note);
    /// Removes and returns the oldest note that waits for `identity`.
    std::optional<PendingNote> takeNoteOf(std::uint64_t identity);
    /// Removes and returns the oldest note, if it is due before `ns`.
    std::optional<PendingNote> takeDueNote(std::uint64_t ns);
    bool empty() const { return m_chains.empty(); }

private:
    struct Kept {
        PendingNote note;
        std::uint64_t next = 0;  ///< serial number of the next note that waits for the same identity
        bool taken = false;
    };
    /// Serial numbers of the first and last note that wait for one identity.
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
