// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Merges the records of all lanes: emits each coroutine's events in the order of their numbers, and a Loss where
// numbers are missing. Harvest thread only. No allocation and no virtual call per event.
//
// The algorithm, for each record:
// 1. Find the cursor of its coroutine, which says how far it was emitted. A coroutine that is not discovered yet is
//    discovered by this birth, or through its compact station, or gets a detached cursor (Discovery).
// 2. An event of a discovered coroutine with the next number is emitted at once (mergeRun, CoroutineOutput).
// 3. An event whose number was reported as lost is ignored. An event that is older than the watermark settles the
//    numbers before it at once. Any other event waits in the reorder buffer (ReorderBuffer), until the numbers before
//    it arrive or are settled.
// 4. Missing numbers are settled as lost once the watermark has passed the time of the event that waits. Where times
//    are not believed, a barrier settles them (SettleQueue).
// 5. A note waits until the coroutines that it names are discovered, or the watermark has passed it (NoteResolver).
// 6. A death waits for the watermark, too, because unread lanes may have notes about the coroutine (PendingDeaths).
// 7. Compact stations have events that no lane has: the caller reads the station, lets all lanes be read to their ends,
//    and settles the coroutine by its counts (settle).
// See docs/decisions/0008-order-by-number-settled-by-time.md.
#pragma once

#include "core/harvest/discovery.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ct {

class Merger {
public:
    Merger(const Region &region, HarvestState &harvestState, ProcessList &processes);
    Merger(const Merger &) = delete;  // its parts refer to each other
    Merger &operator=(const Merger &) = delete;

    /// Processes the records of one lane, in their order. `records` may be empty.
    void merge(const LaneOrigin &origin, std::span<const RecordCopy> records, Batch &batch);

    // Time. A coroutine continues on another thread only after its earlier records were committed. Suppose that every
    // lane was read up to some time, or was empty then. Then numbers missing before an event of an earlier time are
    // lost.
    /// Sets the watermark (ns) for the following calls.
    void setWatermark(std::uint64_t ns)
    {
        m_watermark = ns > kSlackNs ? ns - kSlackNs : 0;
        m_eventWatermark = m_mode.distrustsTimes ? 0 : m_watermark;
    }
    /// Emits everything that waited for the watermark. Returns false when the batch is full.
    bool releaseSettled(Batch &batch, std::size_t maxTransitions);
    bool awaitsWatermark() const { return m_queue.awaitsTime() || !m_notes.isEmpty() || !m_deaths.isEmpty(); }
    /// ns; nothing that was written before this time waits for the watermark any more.
    std::uint64_t settledUntil() const { return m_settledUntil; }

    // Barriers, for events without a believable time. A barrier covers everything that waits when it begins. Once every
    // lane was read up to its end of that moment, numbers missing before a covered event are lost.
    bool isWaiting() const { return m_queue.awaitsBarrier(); }
    void beginBarrier() { m_queue.beginBarrier(); }
    /// Returns false when the batch is full; call again.
    bool completeBarrier(Batch &batch, std::size_t maxTransitions);

    // Compact stations, as CompactSweep reads them.
    /// Discovers the coroutine of a compact station, if it is new. Returns false if the station has a later generation
    /// by now, or if `station` has no live or dead coroutine.
    bool discover(std::uint32_t index, const CompactCopy &station, Batch &batch)
    {
        return m_discovery.discover(index, station, batch);
    }
    /// Returns true if `station` has events, a finish or a death that no lane had so far.
    bool isBehind(std::uint32_t index, const CompactCopy &station) const;
    /// Settles the coroutine of `station`, after every lane was read beyond all events of `station`. Missing events are
    /// lost, except for the latest one, which `station` contains. Emits its finish, if no lane had it.
    void settle(std::uint32_t index, const CompactCopy &station, Batch &batch);
    /// Settles all coroutines by a census, after every record from before the census was read. Events below the
    /// station's count that were not captured are lost, except for the latest if the station still has it.
    void settleCounts(std::span<const Census::Station> stations, Batch &batch);
    /// Ends a coroutine whose process is gone. It stays in the state in which it was last seen.
    void abandon(std::uint32_t index) { m_discovery.abandon(index); }

    /// For each compact station seen so far, how far its latest discovered coroutine was emitted.
    std::span<const LaneCursor> cursors() const { return m_discovery.cursors(); }

    /// At the end of the stream: emits all events, notes and deaths that still wait.
    void finish(Batch &batch);

    /// While true, events missing before a coroutine's first captured event are missed, if its birth was not seen. In
    /// overwrite mode, all missing events are missed.
    void setAttaching(bool attaching) { m_mode.attaching = attaching; }
    bool isAttaching() const { return m_mode.attaching; }
    /// For post-mortem reading: a coroutine whose birth was not seen is treated as during setAttaching(true), whenever
    /// it is discovered.
    void setPostMortem() { m_mode.postMortem = true; }
    /// From now on, times do not order threads any more: only barriers decide which events are lost.
    void distrustTimes();
    /// For observers, which read no lanes: a new generation in a station ends the previous one at once.
    void setStationsOnly() { m_mode.stationsOnly = true; }

    /// Returns whether a record called for a sweep since the last call.
    bool takeSweepRequest() { return std::exchange(m_needsSweep, false); }
    /// Number of events that entered the reorder buffer since the last call.
    std::uint64_t takeBufferedCount() { return std::exchange(m_bufferedCount, 0); }
    /// Number of drops that drop records reported since the last call.
    std::uint64_t takeDropsReported() { return std::exchange(m_dropsReported, 0); }

private:
    /// ns; bound of the difference between the clocks of two cores, and between a clock and the engine's curve.
    static constexpr std::uint64_t kSlackNs = 20'000;

    std::size_t mergeRun(const ClockPiece &piece, std::uint32_t tid, std::span<const RecordCopy> records, Batch &batch);
    void mergeRare(const LaneOrigin &origin, const RecordCopy &record, std::uint64_t ts, Batch &batch);
    void mergeEvent(const LaneOrigin &origin, const RecordCopy &record, const Transition &transition, Batch &batch);
    void mergeDeath(const LaneOrigin &origin, const RecordCopy &record, std::uint64_t ts, Batch &batch);
    std::uint64_t numberOf(const CoroutineEntry &entry, const RecordCopy &record) const;

    void settleByBarrier(WaitList &waitList, Batch &batch);
    void settleByTime(WaitList &waitList, Batch &batch);
    void settleUntil(WaitList &waitList, std::uint64_t until, bool death, bool followed, Batch &batch);
    void settleNotes(std::uint64_t ns, Batch &batch);
    void settleCount(std::uint32_t index, const Census::Station &count, Batch &batch);
    void settleWaitList(WaitList &waitList, const Census::Station &count, Batch &batch);

    std::span<const corotracer::CompactState> m_states;
    std::span<const corotracer::CompactBirth> m_births;
    HarvestState &m_harvestState;
    ProcessList &m_processes;
    MergeMode m_mode;
    ReorderBuffer m_reorderBuffer;
    PendingDeaths m_deaths;
    SettleQueue m_queue;
    CoroutineOutput m_output;
    NoteResolver m_notes;
    Discovery m_discovery;
    std::uint64_t m_watermark = 0;
    std::uint64_t m_eventWatermark = 0;  ///< m_watermark, or 0 if only barriers decide
    std::uint64_t m_settledUntil = 0;
    bool m_needsSweep = false;
    std::uint64_t m_dropsReported = 0;
    std::uint64_t m_bufferedCount = 0;
};

}  // namespace ct
