// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The coroutines with lanes: finds the cursor of a record's coroutine, and discovers coroutines by their births, their
// compact stations, or their events alone. Harvest thread only.
#pragma once

#include "core/harvest/census.h"
#include "core/harvest/compactcounts.h"
#include "core/harvest/coroutineoutput.h"
#include "core/harvest/noteresolver.h"
#include "core/harvest/processlist.h"
#include "core/harvest/settlequeue.h"
#include "core/protocol/compactreader.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ct {

/// The coroutine that a note is about; kNoCoroutine = not discovered, or its death was emitted.
struct NoteSubject {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t next = 0;  ///< number of its next event
};

/// Everything that Discovery uses. Merger owns it, or refers to it.
struct DiscoveryParts {
    const MergeMode &mode;
    HarvestState &harvestState;
    ProcessList &processes;
    ReorderBuffer &reorderBuffer;
    PendingDeaths &deaths;
    SettleQueue &queue;
    CoroutineOutput &output;
    NoteResolver &notes;
};

class Discovery {
public:
    Discovery(const Region &region, const DiscoveryParts &parts);

    /// For each compact station seen so far, how far its latest discovered coroutine was emitted. Valid until the next
    /// call that may discover a coroutine.
    std::span<LaneCursor> cursors() { return m_cursors; }
    std::span<const LaneCursor> cursors() const { return m_cursors; }
    const CompactCounts &counts() const { return m_counts; }

    /// Returns the coroutine of an identity; discovers it through its compact station if possible. The cursor is null
    /// if there is none.
    CoroutineEntry findCoroutine(std::uint64_t identity, Batch &batch);
    /// As findCoroutine(). A coroutine that is not discovered gets a detached cursor: its birth is in another lane, or
    /// was overwritten.
    CoroutineEntry findOrMake(std::uint64_t identity, std::uint32_t pid, std::uint64_t ns, Batch &batch);
    /// Returns the coroutine's wait list, made if necessary. The caller adds to it, then calls
    /// SettleQueue::addWaitList().
    WaitList &waitList(const CoroutineEntry &entry, std::uint64_t identity);
    LaneCursor &cursorOf(WaitList &waitList);

    /// Discovers a coroutine by the record of its birth, unless it was discovered before.
    void addBirth(const LaneOrigin &origin, const RecordCopy &record, std::uint64_t ts, Batch &batch);
    /// Discovers the coroutine of a compact station, if it is new. Returns false if the station has a later generation
    /// by now, or if `station` has no live or dead coroutine.
    bool discover(std::uint32_t index, const CompactCopy &station, Batch &batch);
    /// Discovers a coroutine whose birth was not seen: through its compact station, else through its events alone.
    void discoverUnseen(WaitList &waitList, Batch &batch);
    /// As discoverUnseen(), if events or a death of this identity wait; then emits those that can be emitted.
    void discoverWaiting(std::uint64_t identity, Batch &batch);
    /// Ends a coroutine whose process is gone. It stays in the state in which it was last seen.
    void abandon(std::uint32_t index);

    /// Finds the coroutine of a note. A coroutine whose death was emitted gets no more notes, except for wakes.
    NoteSubject subjectOf(std::uint64_t identity, Batch &batch);
    /// Finds a coroutine whose death was emitted, if it is remembered.
    NoteSubject endedSubject(std::uint64_t identity) const;
    /// As subjectOf(), but also returns coroutines that have ended.
    CoroutineId idOf(std::uint64_t identity, Batch &batch);
    /// Returns false if the finish of the coroutine was emitted before: a record and the compact station report it.
    bool markFinished(std::uint64_t identity, Batch &batch);
    /// Returns how many events the cursor's generation had; 0 = unknown. It is known if `generation` is the next one,
    /// and `before` its CompactCounts::eventsBefore().
    std::uint64_t eventsUntil(std::uint32_t index, std::uint32_t generation, std::uint64_t before) const;

private:
    bool reach(std::uint32_t index);
    bool discoverFromStation(std::uint32_t index, std::uint32_t generation, Batch &batch);
    CoroutineEntry install(std::uint64_t identity, const Birth &birth, std::uint32_t flags, std::uint64_t events,
                           Batch &batch);
    void detach(LaneCursor &cursor, std::uint32_t index, std::uint64_t ts, std::uint64_t events, const Batch &batch);

    std::span<const corotracer::CompactState> m_states;
    std::span<const corotracer::CompactBirth> m_births;
    CompactCounts m_counts;
    const MergeMode &m_mode;
    HarvestState &m_harvestState;
    ProcessList &m_processes;
    ReorderBuffer &m_reorderBuffer;
    PendingDeaths &m_deaths;
    SettleQueue &m_queue;
    CoroutineOutput &m_output;
    NoteResolver &m_notes;
    std::vector<LaneCursor> m_cursors;  ///< by index of compact station, up to the last one seen
    /// Overwrite mode, by index of compact station: events of all generations before the cursor's; Census::kAll =
    /// unknown.
    std::vector<std::uint64_t> m_before;
};

}  // namespace ct
