// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the writing and the reading half of the History share.
#pragma once

#include "core/trace/historyindex.h"
#include "core/trace/historylog.h"
#include "core/trace/notelog.h"

#include <array>

namespace ct::history {

/// The latest numbers of a coroutine that were lost. Once there is a later event, a jump says the same.
struct EndLoss {
    Word ts{0};    ///< when it was noticed; stored ahead of:
    Word endN{0};  ///< one after the last missing number; release, partner: acquire in readers
};

/// A reader's place in the log: the next row to look at.
struct Place {
    std::uint32_t slab = 0;
    std::uint32_t row = 0;
};

/// Events of one coroutine in one slab, copied and validated.
struct Copied {
    std::uint32_t count = 0;
    std::uint32_t nextRow = 0;  ///< where to go on
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
    NotKeptCounter notKept;
    std::vector<std::uint32_t> freeLosses;  ///< writer: places of dropped coroutines

    // Writer.
    void forgetPage(std::uint32_t page);
    void release(CoroutineId first, CoroutineId end);
    bool admit(CoroutineId id);
    void addBirth(const Birth &birth);
    void addDeath(const Death &death);
    void addLoss(const Loss &loss, std::uint64_t noticed);

    // Readers. False: the slab is gone, the copy worthless.
    bool copyEvents(const history::SlabView &slab, CoroutineId id, std::uint32_t firstRow,
                    std::span<HistoryEvent> events, std::span<std::uint32_t> rows, history::Copied &copied) const;
    /// The latest row with an event before `ts`; false also if there is none.
    bool rowBefore(const history::SlabView &slab, CoroutineId id, std::uint64_t ts, std::uint32_t &row) const;
    /// The latest event before `ts`, else where the coroutine's kept history begins; slab 0 if it has none.
    history::Place placeBefore(CoroutineId id, std::uint64_t ts) const;
    bool isBusy() const { return coroutines.heads.size() > std::uint32_t{1} << history::kRowCoroutineBits; }
};

namespace history {

/// Walks through one coroutine's events and gaps, oldest first.
class Cursor {
public:
    static constexpr std::size_t kPiece = 256;

    /// `piece`: how many events to copy at a time.
    Cursor(const History::Data &data, CoroutineId id, std::size_t piece = kPiece);

    /// Goes on behind event number nextN - 1 ...
    void start(Place place, std::uint64_t nextN);
    /// ... or begins here; gaps are told from the first event on, and in front of a coroutine's very first.
    void start(Place place);

    bool next(HistoryEvent &event);

    /// The next event's place; valid once there was one.
    Place place() const;
    std::uint64_t nextN() const { return m_nextN; }
    bool isKnown() const { return m_known; }  ///< nextN() is

    // For those who can do without single events.

    /// The slab that the next event may be in, if none of it is copied yet; false at the end.
    bool enter(SlabView &slab);
    std::uint32_t row() const { return m_row; }
    /// Steps over rows whose events were taken otherwise; the last one's number was nextN - 1.
    void skipTo(std::uint32_t row, std::uint64_t nextN);
    void skipRows(std::uint32_t row) { m_row = row; }  ///< the same, without events among them
    /// The gap in front of event number n at `ts`, or what is absent there, if there is any; steps over it.
    bool gapBefore(std::uint64_t n, std::uint64_t ts, HistoryEvent &gap);
    /// Behind the last event in memory, if later ones are not: says so, once.
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
    std::uint32_t m_last = 0;   ///< and of its latest
    bool m_known = false;
    bool m_leapt = false;         ///< over slabs that are not in memory, since the latest event
    std::uint64_t m_leaptAt = 0;  ///< until when all was known then
    std::uint64_t m_until = 0;    ///< latest time in the slab that was entered last
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
