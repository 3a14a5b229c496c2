// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Puts the records of all lanes together: each coroutine's events in the order of their numbers, without holes, or with
// a Loss for what no lane brings. Harvest thread only; nothing is allocated and nothing virtual is called per event.
#pragma once

#include "core/harvest/census.h"
#include "core/harvest/departed.h"
#include "core/harvest/harvestbooks.h"
#include "core/harvest/holdings.h"
#include "core/harvest/pendingnotes.h"
#include "core/harvest/processlist.h"
#include "core/protocol/linereader.h"
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

    /// The records of one lane, in their order; empty is fine.
    void take(const LaneOrigin &origin, std::span<const LaneItem> items, Batch &batch);

    // Time. Whoever runs a coroutine began with it after all its records so far were committed. So once every lane was
    // read up to some time, or was empty then, what is missing before an earlier event is lost.
    /// ns; tells how far that holds for what is taken next.
    void setHorizon(std::uint64_t ns)
    {
        m_horizon = ns > kSlackNs ? ns - kSlackNs : 0;
        m_eventHorizon = m_distrustsTimes ? 0 : m_horizon;
    }
    /// Tells what is held from before the horizon. False: the batch has enough.
    bool releaseSettled(Batch &batch, std::size_t maxTransitions);
    bool isHolding() const { return m_queueAt < m_queue.size() || !m_pending.empty() || !m_departed.empty(); }
    /// ns; nothing that was written before is held for the sake of its time any more.
    std::uint64_t settledUntil() const { return m_settledUntil; }

    // Barriers, for what has no believable time. What is held when one begins is covered by it: once every lane was
    // read up to the end it had then, what is still missing before a covered event is lost.
    bool isWaiting() const { return !m_waiting.empty(); }
    void beginBarrier();
    /// False: the batch has enough; call again.
    bool completeBarrier(Batch &batch, std::size_t maxTransitions);

    // Compact stations, as LineSweep reads them.
    /// Makes the coroutine known, if it is not. False: the station belongs to another generation by now.
    bool meet(std::uint32_t index, const LineCopy &line, Batch &batch);
    /// Events or a death that the line has and no lane brought so far.
    bool isBehind(std::uint32_t index, const LineCopy &line) const;
    /// Every lane was read beyond all events of `line`: what is missing is lost, but for the latest, which is here.
    void settle(std::uint32_t index, const LineCopy &line, Batch &batch);
    /// Every record from before `stations` were counted was read. What a known coroutine still misses of its count
    /// there is lost, but for the latest event if its line still has it.
    void settleCounts(std::span<const Census::Station> stations, Batch &batch);
    /// Its process is gone: it stays as it was last seen.
    void abandon(std::uint32_t index);

    /// How far the latest known life of each compact station was told, as far as they were seen.
    std::span<const LaneCursor> cursors() const { return m_cursors; }

    /// The end of the stream: emits the events, notes and deaths that are still held.
    void finish(Batch &batch);

    /// While true, events before the first that is seen of a coroutine (whose birth was not seen) count as missed.
    /// In overwrite mode all that are not there do.
    void setAttaching(bool attaching) { m_attaching = attaching; }
    /// Looks at what the dead left: whenever a coroutine is discovered, what is gone before its first event was missed.
    void setPostMortem() { m_postMortem = true; }
    /// Times say nothing about the order of threads any more: from now on only barriers decide which events are lost.
    void distrustTimes();
    /// No lane, just lines: a generation that follows another ends it at once.
    void setLinesOnly() { m_linesOnly = true; }

    /// What came by lanes calls for a look at all compact stations; resets.
    bool takeNeedOfSweep() { return std::exchange(m_needsSweep, false); }
    /// Events that had to be held since the last call.
    std::uint64_t takeHeldCount() { return std::exchange(m_heldCount, 0); }
    /// Records that drop markers told of since the last call.
    std::uint64_t takeDropsTold() { return std::exchange(m_dropsTold, 0); }

private:
    /// One generation's books: the station's own entry, or a detached one in its Hold.
    struct Place {
        LaneCursor *cursor = nullptr;
        Hold *hold = nullptr;
    };
    /// Whom a note is about; coroutine = kNoCoroutine: nobody that is known, or that could have a note yet.
    struct Subject {
        CoroutineId coroutine = kNoCoroutine;
        std::uint64_t next = 0;  ///< number of its next event
    };

    std::size_t takeRun(const ClockPiece &piece, std::uint32_t tid, std::span<const LaneItem> items, Batch &batch);
    bool reach(std::uint32_t index);
    /// Clocks of different cores, and the engine's idea of them, differ by less.
    static constexpr std::uint64_t kSlackNs = 20'000;
    /// Times beyond now by more are scribbled.
    static constexpr std::uint64_t kFutureNs = 1'000'000;
    /// `ts`, but not in the future. A record may be younger than the pass that reads it: batch.now is too early then.
    static std::uint64_t dueAt(std::uint64_t ts, const Batch &batch)
    {
        return ts <= batch.now ? ts : std::min(ts, corotracer::detail::monotonic_ns());
    }
    /// Until a transition is emitted: an engine before us had read its record.
    static constexpr CoroutineId kDrained = kNoCoroutine - 1;
    struct Queued {
        std::uint64_t identity = 0;
        std::uint64_t ns = 0;  ///< what is held of it is from then, or later
    };

    LaneCursor &cursorOf(Hold &hold);
    Place find(std::uint64_t identity, Batch &batch);
    Place findOrMake(std::uint64_t identity, std::uint32_t pid, std::uint64_t ns, Batch &batch);
    Hold &hold(const Place &place, std::uint64_t identity);
    void list(Hold &hold, std::uint64_t ns, const Batch &batch);
    void listAgain(std::uint64_t identity, const Batch &batch);

    void takeRare(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch);
    void takeEvent(const LaneOrigin &origin, const LaneItem &item, const Transition &transition, Batch &batch);
    void takeBirth(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch);
    void takeDeath(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch);
    void takeNote(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch);
    void tellOrKeep(PendingNote note, bool last, Batch &batch);
    void keepOrLose(const PendingNote &note, std::uint64_t awaited, bool last, const Batch &batch);
    void tell(const PendingNote &note, CoroutineId other, Batch &batch);
    void tellReady(Batch &batch);
    void settleNotes(std::uint64_t ns, Batch &batch);
    void giveUp(const PendingNote &note, Batch &batch);
    void keepReady(PendingNote note);
    Subject subjectOf(std::uint64_t identity, Batch &batch);
    CoroutineId idOf(std::uint64_t identity, Batch &batch);

    bool bearFromLine(std::uint32_t index, std::uint32_t generation, Batch &batch);
    Place install(std::uint64_t identity, const Birth &birth, std::uint32_t flags, std::uint64_t events, Batch &batch);
    std::uint64_t publishedBy(std::uint64_t identity) const;
    std::uint64_t numberOf(const Place &place, const LaneItem &item) const;
    void detach(LaneCursor &cursor, std::uint32_t index, std::uint64_t ts, std::uint64_t events, const Batch &batch);
    std::uint64_t eventsBefore(std::uint32_t index, std::uint32_t generation) const;
    std::uint64_t eventsUntil(std::uint32_t index, std::uint32_t generation, std::uint64_t before) const;
    void settleCount(std::uint32_t index, const Census::Station &count, Batch &batch);
    void settleHold(Hold &hold, const Census::Station &count, Batch &batch);
    void emit(LaneCursor &cursor, const Transition &transition, Batch &batch);
    void lose(LaneCursor &cursor, std::uint64_t end, Batch &batch);
    void release(const Place &place, std::uint64_t end, Batch &batch);
    void tidy(const Place &place, Batch &batch);
    void die(const Place &place, std::uint64_t identity, std::uint64_t ts, Batch &batch);
    void releaseCovered(Hold &hold, Batch &batch);
    void conclude(Hold &hold, std::uint64_t end, bool death, bool followed, Batch &batch);
    void bearUnseen(Hold &hold, Batch &batch);

    std::span<const corotracer::StateLine> m_lines;
    std::span<const corotracer::BirthLine> m_births;
    HarvestBooks &m_books;
    ProcessList &m_processes;
    std::vector<LaneCursor> m_cursors;  ///< by compact station, as far as they were seen
    /// Overwrite mode, by compact station: events of all lives before that of the cursor; Census::kAll = unknown.
    std::vector<std::uint64_t> m_before;
    Holdings m_holdings;
    std::vector<Queued> m_queue;  ///< with something held, about in order of time; from m_queueAt on
    std::size_t m_queueAt = 0;
    std::uint64_t m_horizon = 0;
    std::uint64_t m_eventHorizon = 0;  ///< m_horizon; 0: only barriers decide
    std::uint64_t m_settledUntil = 0;
    std::vector<std::uint64_t> m_waiting;  ///< identities with something held, for the next barrier
    std::vector<std::uint64_t> m_covered;  ///< by the barrier in progress
    std::size_t m_coveredAt = 0;
    PendingNotes m_pending;
    std::vector<std::uint64_t> m_ready;  ///< identities that became known while notes were pending
    Departed m_departed;
    std::uint64_t m_barrier = 0;
    bool m_overwrites;  ///< what was gone before we attached was missed, births seen or not
    bool m_isEvidence;  ///< records may come that an engine before us had read: what is missing among them was missed
    bool m_attaching = false;
    bool m_postMortem = false;
    bool m_distrustsTimes = false;
    bool m_linesOnly = false;
    bool m_needsSweep = false;
    std::uint64_t m_dropsTold = 0;
    std::uint64_t m_heldCount = 0;
};

}  // namespace ct
