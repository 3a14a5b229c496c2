// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Computes the marks that the timeline draws. Each visible row is a run-length list of marks, at most one per pixel
// column. They come from the columns of the history and the present state. No pixels, no colours.
#pragma once

#include "core/analysis/processlives.h"
#include "core/trace/history.h"
#include "core/trace/population.h"
#include "models/timelinecoordinates.h"

#include <chrono>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

namespace ct {

struct PresentBar;

/// There is no mark before birth, after destruction, after the end of the process, or after now.
enum class MarkKind : std::uint8_t {
    Created,  ///< born, no transition known yet
    Running,
    Suspended,
    Runnable,  ///< woken, and not resumed yet; only of the present suspension, because the history has no wakes
    Mixed,     ///< running and suspended within one column, see TimelineMark::density
    Stuck,     ///< still suspended, longer than the stuck threshold of its site
    Finished,  ///< suspended at its final suspension point
    Gap,       ///< events are missing for a considerable part of the time
    Unknown,   ///< alive, but in an unknown state
    Evicted,   ///< alive, but this part of the history was evicted
    Pending,   ///< not read yet because update() ran out of time
};

struct TimelineMark {
    /// The `density` of a column that is all running. A Mixed column has 1 .. kFullDensity - 1.
    static constexpr std::uint8_t kFullDensity = 16;
    /// A column with missing events is a Gap if its unknown time is at least this share of its lived time.
    static constexpr float kGapShare = 0.25F;

    int x0 = 0;  ///< first column
    int x1 = 0;  ///< one after the last column
    MarkKind kind = MarkKind::Unknown;
    std::uint8_t density = 0;
    SiteId site = kUnknownSite;  ///< site of a suspension; kUnknownSite while running
    /// Events are missing in each of these columns, in too little time for a Gap. A single such column next to a Gap is
    /// not marked: the Gap shows the loss.
    bool lossy = false;

    bool operator==(const TimelineMark &) const = default;
};

/// Returns after how many ns the present suspension of a coroutine is stuck; kNeverStuck = never.
using StuckThreshold = std::function<std::uint64_t(const CoroutineSnapshot &)>;
inline constexpr std::uint64_t kNeverStuck = ~std::uint64_t{0};

class TimelineGeometry {
public:
    /// Both must outlive the geometry.
    TimelineGeometry(const Population &population, const History &history);

    static constexpr std::chrono::nanoseconds kAllTheTime = std::chrono::nanoseconds::max();

    /// Updates the marks of `rows` for this view and the time `now` (ns). Returns true if any mark changed. When
    /// `budget` is used up, the remaining columns are Pending. The next update() begins with them; see isComplete().
    bool update(const TimelineCoordinates &view, std::span<const CoroutineId> rows, std::uint64_t now,
                const StuckThreshold &stuckAfter, std::chrono::nanoseconds budget = kAllTheTime);
    bool isComplete() const { return m_complete; }

    std::size_t rowCount() const { return m_order.size(); }
    /// Marks in ascending order, without overlap. Valid until the next update().
    const std::vector<TimelineMark> &marks(std::size_t row) const;
    /// Number of columns, from the left, with (partly) evicted history; 0 = none.
    int evictedColumns() const { return m_evictedColumns; }
    /// Process lives as of the latest update().
    const ProcessLives &lives() const { return m_lives; }

private:
    /// Inputs of a row's marks, except the past of the history.
    struct Inputs {
        TimelineCoordinates view;
        std::uint64_t pageVersion = 0;
        std::uint64_t stuckAfter = kNeverStuck;
        std::int64_t nowColumn = 0;
        bool operator==(const Inputs &) const = default;
    };

    /// Columns before a coroutine's latest transition never change. They are kept from update to update.
    struct Row {
        std::uint64_t usedIn = 0;  ///< number of the latest update with this row
        bool filled = false;
        Inputs inputs;
        std::int64_t firstColumn = 0;  ///< absolute; its left edge is at phase + firstColumn * step
        std::vector<History::Column> columns;
        std::vector<TimelineMark> marks;
    };

    struct Span;
    bool updateRow(Row &row, CoroutineId id, const TimelineCoordinates &view, std::uint64_t now,
                   const StuckThreshold &stuckAfter);
    bool fillColumns(Row &row, CoroutineId id, const TimelineCoordinates &view, const Span &span);
    void writeMarks(std::vector<TimelineMark> &marks, const Row &row, const TimelineCoordinates &view, const Span &span,
                    std::uint64_t stuckAfter) const;
    static void addPresent(History::Column &column, const TimelineCoordinates &view, const Span &span);
    std::uint64_t finalUntil(CoroutineId id, const PresentBar &present) const;
    void keepFinalColumns(Row &row, CoroutineId id, const TimelineCoordinates &view, const Span &span) const;
    void read(CoroutineId id, std::int64_t from, std::int64_t to);
    bool hasTime();
    void removeUnusedRows();

    const Population &m_population;
    const History &m_history;
    std::unordered_map<CoroutineId, Row> m_rows;
    std::vector<const Row *> m_order;
    ProcessLives m_lives;
    std::uint64_t m_updates = 0;
    std::uint64_t m_evictedBefore = 0;
    std::uint64_t m_restoredVersion = 0;
    TimelineTime m_step = 0;
    TimelineTime m_phase = 0;
    int m_evictedColumns = 0;
    std::vector<History::Column> m_scratch;
    std::chrono::steady_clock::time_point m_deadline;
    int m_reads = 0;                 ///< reads of the history in this update
    std::size_t m_firstPending = 0;  ///< the next update begins with this row, so that every row has its turn
    bool m_complete = true;
};

}  // namespace ct
