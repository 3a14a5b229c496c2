// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Merges the records of all lanes: emits each coroutine's events in the order of their numbers, and a Loss where
// numbers are missing. Harvest thread only. No allocation and no virtual call per event.
#pragma once

#include "core/harvest/census.h"
#include "core/harvest/harvestbooks.h"
#include "core/harvest/pendingdeaths.h"
#include "core/harvest/pendingnotes.h"
#include "core/harvest/processlist.h"
#include "core/harvest/reorderbuffer.h"
#include "core/protocol/compactreader.h"
#include "corotracer/clock.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ct {

class Merger {
public:
    Merger(const Region &region, HarvestBooks &books, ProcessList &processes);

    /// Processes the records of one lane, in their order. `items` may be empty.
    void merge(const LaneOrigin &origin, std::span<const LaneItem> items, Batch &batch);

    // Time. A coroutine continues on another thread only after its earlier records were committed. Suppose that every
    // lane was read up to some time, or was empty then. Then numbers missing before an event of an earlier time are
    // lost.
    /// Sets the watermark (ns) for the following calls.
    void setWatermark(std::uint64_t ns)
    {
        m_watermark = ns > kSlackNs ? ns - kSlackNs : 0;
        m_eventWatermark = m_distrustsTimes ? 0 : m_watermark;
    }
    /// Emits everything that waited for the watermark. Returns false when the batch is full.
    bool releaseSettled(Batch &batch, std::size_t maxTransitions);
    bool awaitsWatermark() const
    {
        return m_queueAt < m_queue.size() || !m_pending.empty() || !m_pendingDeaths.empty();
    }
    /// ns; nothing that was written before this time waits for the watermark any more.
    std::uint64_t settledUntil() const { return m_settledUntil; }

    // Barriers, for events without a believable time. A barrier covers everything that waits when it begins. Once every
    // lane was read up to its end of that moment, numbers missing before a covered event are lost.
    bool isWaiting() const { return !m_waiting.empty(); }
    void beginBarrier();
    /// Returns false when the batch is full; call again.
    bool completeBarrier(Batch &batch, std::size_t maxTransitions);

    // Compact stations, as StationSweep reads them.
    /// Discovers the coroutine of a compact station, if it is new. Returns false if the station has a later generation
    /// by now, or if `station` has no live or dead coroutine.
    bool discover(std::uint32_t index, const CompactCopy &station, Batch &batch);
    /// Returns true if `station` has events or a death that no lane had so far.
    bool isBehind(std::uint32_t index, const CompactCopy &station) const;
    /// Settles the coroutine of `station`, after every lane was read beyond all events of `station`. Missing events are
    /// lost, except for the latest one, which `station` contains.
    void settle(std::uint32_t index, const CompactCopy &station, Batch &batch);
    /// Settles all coroutines by a census, after every record from before the census was read. Events below the
    /// station's count that were not captured are lost, except for the latest if the station still has it.
    void settleCounts(std::span<const Census::Station> stations, Batch &batch);
    /// Ends a coroutine whose process is gone. It stays in the state in which it was last seen.
    void abandon(std::uint32_t index);

    /// For each compact station seen so far, how far its latest discovered coroutine was emitted.
    std::span<const LaneCursor> cursors() const { return m_cursors; }

    /// At the end of the stream: emits all events, notes and deaths that still wait.
    void finish(Batch &batch);

    /// While true, events missing before a coroutine's first captured event are missed, if its birth was not seen. In
    /// overwrite mode, all missing events are missed.
    void setAttaching(bool attaching) { m_attaching = attaching; }
    bool isAttaching() const { return m_attaching; }
    /// For post-mortem reading: a coroutine whose birth was not seen is treated as during setAttaching(true), whenever
    /// it is discovered.
    void setPostMortem() { m_postMortem = true; }
    /// From now on, times do not order threads any more: only barriers decide which events are lost.
    void distrustTimes();
    /// For observers, which read no lanes: a new generation in a station ends the previous one at once.
    void setStationsOnly() { m_stationsOnly = true; }

    /// Returns whether a record called for a sweep since the last call.
    bool takeSweepRequest() { return std::exchange(m_needsSweep, false); }
    /// Number of events that entered the reorder buffer since the last call.
    std::uint64_t takeBufferedCount() { return std::exchange(m_bufferedCount, 0); }
    /// Number of drops that drop records reported since the last call.
    std::uint64_t takeDropsReported() { return std::exchange(m_dropsReported, 0); }

private:
    /// The state of one generation: the station's own cursor, or a detached one in its WaitList.
    struct CoroutineEntry {
        LaneCursor *cursor = nullptr;
        WaitList *waitList = nullptr;
    };
    /// The coroutine that a note is about; kNoCoroutine = not discovered, or its death was emitted.
    struct Subject {
        CoroutineId coroutine = kNoCoroutine;
        std::uint64_t next = 0;  ///< number of its next event
    };

    std::size_t mergeRun(const ClockPiece &piece, std::uint32_t tid, std::span<const LaneItem> items, Batch &batch);
    bool reach(std::uint32_t index);
    /// ns; bound of the difference between the clocks of two cores, and between a clock and the engine's curve.
    static constexpr std::uint64_t kSlackNs = 20'000;
    /// ns; times that are later than now by more than this are not believed.
    static constexpr std::uint64_t kFutureNs = 1'000'000;
    /// Returns `ts`, limited to the present. A record may be younger than the pass that reads it, so batch.now is too
    /// early as a limit.
    static std::uint64_t dueAt(std::uint64_t ts, const Batch &batch)
    {
        return ts <= batch.now ? ts : std::min(ts, corotracer::detail::monotonic_ns());
    }
    /// Marks a transition whose record an earlier engine had read, until the transition is emitted.
    static constexpr CoroutineId kDrained = kNoCoroutine - 1;
    struct Queued {
        std::uint64_t identity = 0;
        std::uint64_t ns = 0;  ///< the times of everything that waits are not before this
    };

    LaneCursor &cursorOf(WaitList &waitList);
    CoroutineEntry find(std::uint64_t identity, Batch &batch);
    CoroutineEntry findOrMake(std::uint64_t identity, std::uint32_t pid, std::uint64_t ns, Batch &batch);
    WaitList &waitList(const CoroutineEntry &entry, std::uint64_t identity);
    void list(WaitList &waitList, std::uint64_t ns, const Batch &batch);
    void listAgain(std::uint64_t identity, const Batch &batch);

    void mergeRare(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch);
    void mergeEvent(const LaneOrigin &origin, const LaneItem &item, const Transition &transition, Batch &batch);
    void mergeBirth(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch);
    void mergeDeath(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch);
    void mergeNote(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch);
    void emitOrKeep(PendingNote note, bool last, Batch &batch);
    void keepOrLose(const PendingNote &note, std::uint64_t awaited, bool last, const Batch &batch);
    void emitPending(const PendingNote &note, CoroutineId other, Batch &batch);
    void emitReady(Batch &batch);
    void settleNotes(std::uint64_t ns, Batch &batch);
    void giveUp(const PendingNote &note, Batch &batch);
    void keepReady(PendingNote note);
    Subject subjectOf(std::uint64_t identity, Batch &batch);
    CoroutineId idOf(std::uint64_t identity, Batch &batch);

    bool discoverFromStation(std::uint32_t index, std::uint32_t generation, Batch &batch);
    CoroutineEntry install(std::uint64_t identity, const Birth &birth, std::uint32_t flags, std::uint64_t events,
                           Batch &batch);
    std::uint64_t publishedBy(std::uint64_t identity) const;
    std::uint64_t numberOf(const CoroutineEntry &entry, const LaneItem &item) const;
    void detach(LaneCursor &cursor, std::uint32_t index, std::uint64_t ts, std::uint64_t events, const Batch &batch);
    std::uint64_t eventsBefore(std::uint32_t index, std::uint32_t generation) const;
    std::uint64_t eventsUntil(std::uint32_t index, std::uint32_t generation, std::uint64_t before) const;
    void settleCount(std::uint32_t index, const Census::Station &count, Batch &batch);
    void settleWaitList(WaitList &waitList, const Census::Station &count, Batch &batch);
    void emit(LaneCursor &cursor, const Transition &transition, Batch &batch);
    void lose(LaneCursor &cursor, std::uint64_t end, Batch &batch);
    void release(const CoroutineEntry &entry, std::uint64_t end, Batch &batch);
    void tidy(const CoroutineEntry &entry, Batch &batch);
    void die(const CoroutineEntry &entry, std::uint64_t identity, std::uint64_t ts, Batch &batch);
    void releaseCovered(WaitList &waitList, Batch &batch);
    void settleUntil(WaitList &waitList, std::uint64_t end, bool death, bool followed, Batch &batch);
    void discoverUnseen(WaitList &waitList, Batch &batch);

    std::span<const corotracer::CompactState> m_states;
    std::span<const corotracer::CompactBirth> m_births;
    HarvestBooks &m_books;
    ProcessList &m_processes;
    std::vector<LaneCursor> m_cursors;  ///< by index of compact station, up to the last one seen
    /// Overwrite mode, by index of compact station: events of all generations before the cursor's; Census::kAll =
    /// unknown.
    std::vector<std::uint64_t> m_before;
    ReorderBuffer m_reorderBuffer;
    /// Holds that wait for the watermark, roughly in order of time; valid from m_queueAt on.
    std::vector<Queued> m_queue;
    std::size_t m_queueAt = 0;
    std::uint64_t m_watermark = 0;
    std::uint64_t m_eventWatermark = 0;  ///< m_watermark, or 0 if only barriers decide
    std::uint64_t m_settledUntil = 0;
    std::vector<std::uint64_t> m_waiting;  ///< identities of wait lists that wait for the next barrier
    std::vector<std::uint64_t> m_covered;  ///< identities of wait lists in the present barrier
    std::size_t m_coveredAt = 0;
    PendingNotes m_pending;
    std::vector<std::uint64_t> m_ready;  ///< identities that were discovered while notes waited
    PendingDeaths m_pendingDeaths;
    std::uint64_t m_barrier = 0;
    /// Overwrite mode: events overwritten before the engine attached are missed, whether births were seen or not.
    bool m_overwrites;
    /// Post mortem in discard mode: retained records are read, and events missing among them are missed.
    bool m_readsRetained;
    bool m_attaching = false;
    bool m_postMortem = false;
    bool m_distrustsTimes = false;
    bool m_stationsOnly = false;
    bool m_needsSweep = false;
    std::uint64_t m_dropsReported = 0;
    std::uint64_t m_bufferedCount = 0;
};

}  // namespace ct
