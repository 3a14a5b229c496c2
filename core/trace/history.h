// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The transitions of every coroutine of a run, in memory, 15 bytes each, under a memory budget: over it, the oldest
// ones of all are dropped, and firstKept() tells where a coroutine's history begins. Who has the stream elsewhere can
// bring a part of what was dropped back: see lookAt() and restore().
//
// One writer (the source's thread, through consume()), one thread that brings back, any number of readers on other
// threads. Readers copy and validate; they never lock, and memory is never given back while the History lives.
#pragma once

#include "core/trace/notkept.h"
#include "core/trace/residence.h"
#include "core/trace/stream.h"

#include <array>
#include <memory>
#include <span>
#include <utility>

namespace ct {

/// One entry of a coroutine's history. A gap stands where numbers are missing; Absent where events are not in memory,
/// between older ones that were brought back and later ones.
struct HistoryEvent {
    enum class Type : std::uint8_t { Suspend, Resume, Gap, Absent };
    /// ns, CLOCK_MONOTONIC; of a gap: of the next event seen, or when it was noticed; of Absent: until when all is
    /// known
    std::uint64_t ts = 0;
    std::uint64_t n = 0;  ///< event number; of a gap, and of Absent: the first missing number
    std::uint64_t addr = 0;
    std::uint64_t count = 0;  ///< of a gap, and of Absent: how many numbers are missing; Absent, 0: up to the last one
    std::uint32_t tid = 0;
    SiteId site = kUnknownSite;
    PointKind kind = PointKind::Await;
    Type type = Type::Suspend;
};

class History final : public Sink {
public:
    /// 32 bytes for each, beside the budget: 2 GiB.
    static constexpr std::uint32_t kMostCoroutines = 1U << 26;

    /// `budget` in bytes: an eighth of it is for wakes and waits-on; of the rest, at least 3.75 MiB and at most 30 GiB
    /// are used. `keepNs`: events older than this (before the time of the latest batch) are dropped, too; 0 = the
    /// budget alone decides. `restored`: bytes on top of the budget for dropped events that are brought back.
    /// `limits`: as for the Population.
    explicit History(std::uint64_t budget, std::uint64_t keepNs = 0, std::uint32_t mostCoroutines = kMostCoroutines,
                     std::uint64_t restored = 0, const RecordLimits &limits = {});
    ~History() override;

    /// Before the first consume(): has the system give all memory of the budget now, which takes about a second for 4
    /// GiB, so that no event waits for it later.
    void prepareMemory();

    /// Writer only.
    Result<void> consume(const Batch &batch) override;

    // Readers, any thread.

    /// Events of one coroutine with from <= ts < to, oldest first, plus the last one before `from` (so that a bar
    /// that began earlier can be drawn). At most `limit` of them; the earliest are returned first.
    std::vector<HistoryEvent> events(CoroutineId id, std::uint64_t from, std::uint64_t to, std::size_t limit) const;

    /// The same, cheap at any zoom: for time columns [from + i * step, from + (i+1) * step), i < columns, how much of
    /// each was spent running and suspended, and whether something was lost. At a coarse zoom, cost grows with the
    /// columns and with a 128th of the events. What the latest event began lasts until the coroutine's death or the
    /// time of the latest batch; finished coroutines do neither.
    struct Column {
        float running = 0;    ///< 0..1
        float suspended = 0;  ///< 0..1
        std::uint32_t transitions = 0;
        bool gap = false;
        SiteId site = kUnknownSite;  ///< of the latest suspension in, or lasting into, the column
    };
    void columns(CoroutineId id, std::uint64_t from, std::uint64_t step, std::vector<Column> &columns) const;

    /// A place in one coroutine's history: between two events. The default is before the oldest event kept.
    struct Position {
        std::uint64_t nextN = 0;  ///< number of the event that the next read() begins with, if it is still kept

    private:
        friend class History;
        bool known = false;  ///< nextN is: not behind what is absent up to the last event
        std::uint32_t slab = 0;
        std::uint32_t row = 0;
    };

    /// Copies the next events of one coroutine, gaps included, oldest first, and moves `position` past them. Returns
    /// how many; 0 = nothing more at present (a later call may find more). When events were dropped meanwhile,
    /// reading goes on with the oldest that are kept: a jump in `n` without a Gap. The slot's seq is
    /// slotSeq(dialect, n).
    std::size_t read(CoroutineId id, Position &position, std::span<HistoryEvent> events) const;

    /// Calls visit(const HistoryEvent &) -> bool for every event of one coroutine, oldest first, until it returns
    /// false.
    template <class Visit>
    void forEach(CoroutineId id, Visit &&visit) const
    {
        std::array<HistoryEvent, 256> events;
        Position position;
        while (const std::size_t count = read(id, position, events)) {
            for (std::size_t i = 0; i < count; ++i)
                if (!visit(std::as_const(events[i])))
                    return;
        }
    }

    /// Appends at most `limit` wakes and waits-on of all coroutines, as they came, from number `position` on or from
    /// the oldest that is kept, and moves `position` behind the last of them. False: there is none at present.
    bool readNotes(std::uint64_t &position, std::size_t limit, Notes &notes) const;
    std::uint64_t noteCount() const;     ///< ever
    std::uint64_t droppedNotes() const;  ///< of these

    /// The history of all coroutines is complete from this time on; before it, events were dropped. 0 = nothing was
    /// dropped.
    std::uint64_t droppedBefore() const;
    std::uint64_t droppedEvents() const;
    /// Coroutines that came when there was no record left, and their transitions, which are not among the dropped ones.
    NotKept notKept() const;
    /// Time of the oldest event of one coroutine that is kept; 0 = none.
    std::uint64_t firstKept(CoroutineId id) const;
    std::uint64_t bytesUsed() const;
    /// Bytes that events may take at most, those included that are brought back.
    std::uint64_t mostEventBytes() const;
    std::uint64_t eventCount() const;  ///< kept
    std::uint64_t firstTs() const;     ///< smallest of the run; 0 = none yet
    std::uint64_t lastTs() const;      ///< largest of the run

    // What was dropped, and how it comes back: core/trace/historypast.cpp.

    /// A piece of the stream that is not in memory: some 64 Ki events that come back together.
    struct Missing {
        std::uint32_t slab = 0;
        std::uint64_t firstEvent = 0;  ///< place in the stream, from 0: so many transitions were consumed before it
        std::uint64_t endEvent = 0;    ///< one after its last
    };
    /// A piece of the stream, in memory or not.
    struct Stretch {
        std::uint64_t minTs = 0;  ///< ns; stretches overlap a little, as threads do
        std::uint64_t maxTs = 0;
        std::uint64_t events = 0;
        bool inMemory = false;
    };
    /// What somebody looks at, in slabs, and what of it is not in memory; each oldest first.
    struct Look {
        std::vector<std::uint32_t> slabs;
        std::vector<Missing> missing;
    };
    /// Of a look at [from, to) (ns), with the piece before it: at most as much as there is room for, the latest.
    /// Any thread.
    Look lookAt(std::uint64_t from, std::uint64_t to) const;
    /// Brings a piece back, in place of the one farthest from the look, if need be. False: `events` are not those, or
    /// there is no room. One thread at a time, any.
    bool restore(const Missing &piece, std::span<const Transition> events, const Look &look);
    /// Grows with what comes back; any thread.
    std::uint64_t restoredVersion() const;
    /// The whole run in pieces, oldest first, but for the one that is being filled. Any thread; some ns each.
    std::vector<Stretch> stretches() const;
    /// Whether all events of [from, to) are in memory. Any thread.
    bool isInMemory(std::uint64_t from, std::uint64_t to) const;
    /// Transitions consumed so far, the dropped ones included: places in the stream are below it. Any thread.
    std::uint64_t streamed() const;
    /// Place in the stream of the oldest event that was never dropped. Any thread; it grows while the run goes on.
    std::uint64_t firstInRing() const;
    /// Time of a coroutine's very first event (ns), if it is in memory; else 0.
    std::uint64_t veryFirst(CoroutineId id) const;

    struct Data;  ///< core/trace/historydata.h

private:
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
