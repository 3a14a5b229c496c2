// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The transitions of every coroutine of a run, in memory, 15 bytes each, under a memory budget. Over the budget, the
// oldest transitions are evicted; firstKept() says where a coroutine's history begins. A caller that has the stream in
// a recording can restore a part of the evicted events: see neededFor() and restore().
//
// One writer (the source's thread, through consume()), one thread that restores, any number of readers on other
// threads. Readers copy, then validate the copy. They never lock. All memory stays mapped while the History lives;
// released records read as zero.
// See docs/decisions/0015-memory-and-the-past.md.
#pragma once

#include "core/stream/stream.h"
#include "core/trace/coroutineeviction.h"
#include "core/trace/overflowcount.h"

#include <array>
#include <memory>
#include <span>
#include <utility>

namespace ct {

/// One entry of a coroutine's history. A Gap stands for missing numbers. An Absent entry stands for events that are not
/// in memory, between restored events and later ones.
struct HistoryEvent {
    enum class Type : std::uint8_t { Suspend, Resume, Gap, Absent };
    /// ns, CLOCK_MONOTONIC. Gap: time of the next event, or of the report. Absent: everything before this time is
    /// known.
    std::uint64_t ts = 0;
    std::uint64_t n = 0;  ///< event number; Gap and Absent: the first missing number
    std::uint64_t addr = 0;
    std::uint64_t count = 0;  ///< Gap and Absent: how many numbers are missing; 0 (only Absent): all up to the last one
    std::uint32_t tid = 0;
    SiteId site = kUnknownSite;
    PointKind kind = PointKind::Await;
    Type type = Type::Suspend;
};

class History final : public Sink {
public:
    /// 32 bytes for each, outside the budget: 2 GiB.
    static constexpr std::uint32_t kMostCoroutines = 1U << 26;

    /// `budget`: bytes. An eighth holds causes (Notes::causes()). The rest holds events, at least 3.75 MiB and at most
    /// 30 GiB. `keepNs`: events older than this (relative to the time of the latest batch) are evicted, too; 0 = only
    /// the budget limits. `restored`: bytes on top of the budget for restored events. `limits`: as for the Population.
    explicit History(std::uint64_t budget, std::uint64_t keepNs = 0, std::uint32_t mostCoroutines = kMostCoroutines,
                     std::uint64_t restored = 0, const RecordLimits &limits = {});
    ~History() override;

    /// Call before the first consume(). Makes the system provide all memory of the budget now (about 1 s for 4 GiB), so
    /// no event waits for it later.
    void prepareMemory();

    /// Writer only.
    Result<void> consume(const Batch &batch) override;

    // Readers, any thread.

    /// Events of one coroutine with from <= ts < to, oldest first, at most `limit`: the earliest ones. The last event
    /// before `from` comes first, so a view can draw a bar that began earlier.
    std::vector<HistoryEvent> events(CoroutineId id, std::uint64_t from, std::uint64_t to, std::size_t limit) const;

    /// Summary of one coroutine for time columns [from + i * step, from + (i+1) * step), i < columns: the share of time
    /// spent running and suspended, and whether events are missing. Cheap at any zoom: at a coarse one, the cost grows
    /// with the columns and with a 128th of the events. The latest state lasts until the coroutine's death, else until
    /// the time of the latest batch. A finished coroutine is neither running nor suspended.
    struct Column {
        float running = 0;    ///< 0..1
        float suspended = 0;  ///< 0..1
        std::uint32_t transitions = 0;
        bool gap = false;
        SiteId site = kUnknownSite;  ///< site of the latest suspension that is in the column, or lasts into it
    };
    void columns(CoroutineId id, std::uint64_t from, std::uint64_t step, std::vector<Column> &columns) const;

    /// A position between two events of one coroutine. The default is before the oldest event in memory.
    struct Position {
        std::uint64_t nextN = 0;  ///< number of the event that the next read() begins with, if that event is in memory

    private:
        friend class History;
        /// nextN is exact. False before the first event, and behind events that are absent up to the last one.
        bool known = false;
        std::uint32_t slab = 0;
        std::uint32_t row = 0;
    };

    /// Copies the next entries of one coroutine, gaps included, oldest first, and moves `position` past them. Returns
    /// their count; 0 = nothing more at present, a later call may find more. If the events at `position` were evicted,
    /// reading continues with the oldest event in memory: `n` jumps without a Gap.
    /// The slot's seq is slotSeq(dialect, n).
    std::size_t read(CoroutineId id, Position &position, std::span<HistoryEvent> events) const;

    /// Calls visit(const HistoryEvent &) -> bool for each entry of one coroutine, oldest first, until visit
    /// returns false.
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

    /// Appends at most `limit` causes of all coroutines, each kind in stream order. Begins with number `position`, or
    /// with the oldest one in memory, and moves `position` past the last. Returns false when there is none at present.
    bool readNotes(std::uint64_t &position, std::size_t limit, Notes &notes) const;
    std::uint64_t noteCount() const;     ///< causes since the start
    std::uint64_t evictedNotes() const;  ///< evicted causes

    /// From this time (ns) on, the history of all coroutines is complete; events before it were evicted. 0 = none were.
    std::uint64_t evictedBefore() const;
    std::uint64_t evictedEvents() const;
    /// Coroutines that got no record, or whose record was evicted. Their transitions here are not in evictedEvents().
    Overflow overflow() const;
    /// Time (ns) of the coroutine's oldest event in memory; 0 = none.
    std::uint64_t firstKept(CoroutineId id) const;
    std::uint64_t bytesUsed() const;
    /// Limit of the bytes for events, restored events included.
    std::uint64_t mostEventBytes() const;
    std::uint64_t eventCount() const;  ///< number of events in memory, without restored ones
    std::uint64_t firstTs() const;     ///< earliest time (ns) of the run; 0 = no event yet
    std::uint64_t lastTs() const;      ///< latest time (ns) of the run

    // Evicted events and how they are restored: core/trace/historyrestoring.cpp.

    /// A piece of the stream that is not in memory: some 64 Ki events that are restored together.
    struct Missing {
        std::uint32_t slab = 0;
        std::uint64_t firstEvent = 0;  ///< position in the stream, counted from 0
        std::uint64_t endEvent = 0;    ///< one past its last event
    };
    /// A piece of the stream, in memory or not.
    struct Stretch {
        std::uint64_t minTs = 0;  ///< ns; neighbouring pieces overlap a little, because events of threads interleave
        std::uint64_t maxTs = 0;
        std::uint64_t events = 0;
        bool inMemory = false;
        std::uint64_t firstEvent = 0;  ///< position in the stream
        std::uint64_t endEvent = 0;    ///< one past its last event
    };
    /// Positions in the stream: [first, end).
    struct Positions {
        std::uint64_t first = 0;
        std::uint64_t end = 0;
    };
    /// The slabs that a view needs, and the pieces of them that are not in memory; each oldest first.
    struct Needed {
        std::vector<std::uint32_t> slabs;
        std::vector<Missing> missing;
    };
    /// Returns the slabs and pieces that a view of [from, to) (ns) needs, the piece before it included. If there is not
    /// enough room for all, returns the latest pieces. Any thread.
    Needed neededFor(std::uint64_t from, std::uint64_t to) const;
    /// Restores a piece. If there is no room, it replaces the restored piece farthest from `needed`. Returns false when
    /// `events` do not match the piece, or when there is no room. One thread at a time, any.
    bool restore(const Missing &piece, std::span<const Transition> events, const Needed &needed);
    /// Grows with each restored piece; any thread.
    std::uint64_t restoredVersion() const;
    /// All pieces of the run, oldest first, without the one that is being filled. Any thread; some ns for each piece.
    std::vector<Stretch> stretches() const;
    /// Returns the positions between which all evicted events of a coroutine are, restored ones included. Any thread.
    Positions evictedOf(CoroutineId id) const;
    /// As evictedOf(), for the events of all coroutines with from <= ts <= to (ns).
    Positions evictedWithin(std::uint64_t from, std::uint64_t to) const;
    /// True if all events of [from, to) are in memory. Any thread.
    bool isInMemory(std::uint64_t from, std::uint64_t to) const;
    /// Transitions consumed so far, evicted ones included; all positions in the stream are below. Any thread.
    std::uint64_t streamed() const;
    /// Position in the stream of the oldest event that was never evicted. Grows during the run. Any thread.
    std::uint64_t firstInRing() const;
    /// Time (ns) of the coroutine's very first event, if that event is in memory; else 0.
    std::uint64_t veryFirst(CoroutineId id) const;

    struct Data;  ///< core/trace/historydata.h

private:
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
