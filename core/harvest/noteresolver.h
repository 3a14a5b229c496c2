// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Notes: names, parents, wakes and waits. A note waits until the coroutines that it names are discovered, or until no
// birth of them can follow. Resolving a note may discover a coroutine; Discovery only queues further notes here
// (noteDiscovered(), addReady()). Harvest thread only.
#pragma once

#include "core/harvest/harveststate.h"
#include "core/harvest/pendingnotes.h"
#include "core/harvest/processlist.h"

#include <cstdint>
#include <vector>

namespace ct {

class Discovery;

class NoteResolver {
public:
    NoteResolver(const Region &region, HarvestState &harvestState, ProcessList &processes);

    /// Emits a note, or keeps it until it is due. Ignores records of other kinds.
    void addNote(const LaneOrigin &origin, const RecordCopy &record, std::uint64_t ts, Discovery &coroutines,
                 Batch &batch);
    /// Keeps a note about a coroutine that is being discovered. emitReady() emits it.
    void addReady(PendingNote note);
    /// A coroutine was discovered. Its notes are emitted by the next emitReady().
    void noteDiscovered(std::uint64_t identity)
    {
        if (!m_pending.empty())
            m_ready.push_back(identity);
    }
    /// Emits the notes that waited for coroutines discovered by now.
    void emitReady(Discovery &coroutines, Batch &batch);
    /// Every lane was read up to `ns`: gives up notes whose coroutines no earlier record has discovered.
    void settle(std::uint64_t ns, Discovery &coroutines, Batch &batch);
    bool isEmpty() const { return m_pending.empty(); }

private:
    void emitOrKeep(PendingNote note, bool last, Discovery &coroutines, Batch &batch);
    void keepOrLose(const PendingNote &note, std::uint64_t awaited, bool last, const Batch &batch);
    void emit(const PendingNote &note, CoroutineId other, Batch &batch);

    const std::size_t m_stations;  ///< compact stations of the region
    HarvestState &m_harvestState;
    ProcessList &m_processes;
    PendingNotes m_pending;
    std::vector<std::uint64_t> m_ready;  ///< identities that were discovered while notes waited
};

}  // namespace ct
