// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The members of a History, shared by its writer and its readers, and the cursor that reads one coroutine.
#pragma once

#include "core/trace/historyindex.h"
#include "core/trace/historylog.h"
#include "core/trace/notelog.h"

#include <array>

namespace ct::history {

/// The latest lost numbers of a coroutine. Once a later event exists, the jump in the numbers shows them as well.
struct EndLoss {
    Word ts{0};    ///< time of the report, ns; stored before endN
    Word endN{0};  ///< one after the last missing number; release, partner: acquire in readers
};

/// A reader's position in the log: the next row to read.
struct RowPosition {
    std::uint32_t slab = 0;
    std::uint32_t row = 0;
};

/// Events of one coroutine in one slab, copied and validated.
struct Copied {
    std::uint32_t count = 0;
    std::uint32_t nextRow = 0;  ///< the row to continue with
};

}  // namespace ct::history

namespace ct {

struct History::Data {
    Data(std::uint64_t budget, std::uint64_t keepNs, std::uint32_t mostCoroutines, std::uint64_t restored,
         const RecordLimits &limits = {})
        : log(budget - budget / 8, restored, keepNs),
          notes(budget / 8, keepNs),
          coroutines(mostCoroutines, limits),
          losses(mostCoroutines)
    {
    }

    history::Log log;
    history::NoteLog notes;
    mutable history::Index index;
    history::Coroutines coroutines;
    ReservedArray<history::EndLoss> losses;
    history::Word now{0};
    OverflowCounter overflow;
    std::vector<std::uint32_t> freeLosses;  ///< writer: entries of `losses` whose coroutines were evicted

    // Writer.
    void evictPage(std::uint32_t page);
    void release(CoroutineId first, CoroutineId end);
    bool admit(CoroutineId id);
    void addBirth(const Birth &birth);
    void addDeath(const Death &death);
    void addLoss(const Loss &loss, std::uint64_t noticed);

    bool isBusy() const { return coroutines.heads.size() > std::uint32_t{1} << history::kRowCoroutineBits; }
};

namespace history {

/// Copies events of a coroutine from `firstRow` on. Returns false when the slab was evicted; then the copy is invalid.
bool copyEvents(const History::Data &data, const SlabView &slab, CoroutineId id, std::uint32_t firstRow,
                std::span<HistoryEvent> events, std::span<std::uint32_t> rows, Copied &copied);
/// Position of the latest event before `ts` (ns), else of the coroutine's oldest event in memory; slab 0 if it has no
/// event.
RowPosition positionBefore(const History::Data &data, CoroutineId id, std::uint64_t ts);

/// Iterates over one coroutine's events and gaps, oldest first.
class Cursor {
public:
    static constexpr std::size_t kPiece = 256;

    /// `piece`: number of events to copy at a time.
    Cursor(const History::Data &data, CoroutineId id, std::size_t piece = kPiece);

    /// Continues behind event number nextN - 1.
    void start(RowPosition rowPosition, std::uint64_t nextN);
    /// Begins at `rowPosition`. Reports gaps behind the first event, and in front of the coroutine's very first one.
    void start(RowPosition rowPosition);

    bool next(HistoryEvent &event);

    /// Position of the next event; valid after next() has returned true.
    RowPosition rowPosition() const;
    std::uint64_t nextN() const { return m_nextN; }
    bool isKnown() const { return m_known; }  ///< nextN() is exact

    // For readers that process whole blocks instead of single events.

    /// The slab that may hold the next event. Returns false at the end, or while copied events of a slab are left.
    bool enter(SlabView &slab);
    std::uint32_t row() const { return m_row; }
    /// Skips rows that the caller has processed itself; the number of the last event was nextN - 1.
    void skipTo(std::uint32_t row, std::uint64_t nextN);
    void skipRows(std::uint32_t row) { m_row = row; }  ///< skips rows without events of the coroutine
    /// Reports the gap or the absent events before event number n at `ts`, if there are any, and steps over them.
    bool gapBefore(std::uint64_t n, std::uint64_t ts, HistoryEvent &gap);
    /// Reports once that events are absent behind the last event in memory.
    bool absentEnd(HistoryEvent &absent);

private:
    bool refill();
    void leap();

    const History::Data &m_data;
    const CoroutineId m_id;
    std::size_t m_piece;
    std::uint32_t m_slab = 0;
    std::uint32_t m_row = 0;
    std::uint32_t m_first = 0;  ///< slab of the coroutine's very first event
    std::uint32_t m_last = 0;   ///< slab of its latest event
    bool m_known = false;
    bool m_leapt = false;         ///< skipped slabs that are not in memory, since the latest event
    std::uint64_t m_leaptAt = 0;  ///< ns; value of m_until at the first skipped slab
    std::uint64_t m_until = 0;    ///< ns; latest time in the slab that was entered last
    std::uint64_t m_nextN = 0;
    std::uint64_t m_lossEnd = 0;
    std::uint64_t m_lossTs = 0;
    std::uint32_t m_at = 0;
    std::uint32_t m_count = 0;
    std::array<HistoryEvent, kPiece> m_events;
    std::array<std::uint32_t, kPiece> m_rows;
};

}  // namespace history

}  // namespace ct
