// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The transitions of every coroutine of a run, in memory, 16 bytes each, under a memory budget: over it, the oldest
// block is dropped, and firstKept() tells where a coroutine's history begins.
//
// One writer (the source's thread, through consume()), any number of readers on other threads. Readers copy and
// validate; they never lock, and memory is never given back while the History lives.
#pragma once

#include "core/trace/stream.h"

#include <memory>

namespace ct {

/// One entry of a coroutine's history. A gap stands where numbers are missing.
struct HistoryEvent {
    enum class Type : std::uint8_t { Suspend, Resume, Gap };
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC; of a gap: of the next event that was seen
    std::uint64_t n = 0;   ///< event number; of a gap: the first missing number
    std::uint64_t addr = 0;
    std::uint64_t count = 0;  ///< of a gap: how many numbers are missing
    std::uint32_t tid = 0;
    SiteId site = kUnknownSite;
    PointKind kind = PointKind::Await;
    Type type = Type::Suspend;
};

class History final : public Sink {
public:
    /// `budget` in bytes; at least 16 MiB are used.
    explicit History(std::uint64_t budget);
    ~History() override;

    /// Writer only.
    Result<void> consume(const Batch &batch) override;

    // Readers, any thread.

    /// Events of one coroutine with from <= ts < to, oldest first, plus the last one before `from` (so that a bar
    /// that began earlier can be drawn). At most `limit` of them; the earliest are returned first.
    std::vector<HistoryEvent> events(CoroutineId id, std::uint64_t from, std::uint64_t to, std::size_t limit) const;

    /// The same, cheap at any zoom: for time columns [from + i * step, from + (i+1) * step), i < columns, how much of
    /// each was spent running and suspended, and whether something was lost. Cost grows with columns and blocks,
    /// not with events.
    struct Column {
        float running = 0;    ///< 0..1
        float suspended = 0;  ///< 0..1
        std::uint32_t transitions = 0;
        bool gap = false;
        SiteId site = kUnknownSite;  ///< of the latest suspension in, or lasting into, the column
    };
    void columns(CoroutineId id, std::uint64_t from, std::uint64_t step, std::vector<Column> &columns) const;

    /// Time of the oldest event kept of any coroutine once something was dropped; 0 = nothing was dropped.
    std::uint64_t droppedBefore() const;
    std::uint64_t droppedEvents() const;
    std::uint64_t bytesUsed() const;
    std::uint64_t eventCount() const;  ///< kept
    std::uint64_t firstTs() const;     ///< of the run; 0 = none yet
    std::uint64_t lastTs() const;

    /// Calls visit(event) for every event of one coroutine, oldest first. Stops when visit returns false.
    template <class Visit>
    void forEach(CoroutineId id, Visit &&visit) const;

private:
    class Cursor;
    struct Data;
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
