// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the timeline draws: for each visible row a run-length list of marks, at most one per pixel column, made of the
// history's columns and of the present state that lasts until now. No pixels, no colours.
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

/// Before birth, after destruction, after the end of the process and after now there is no mark at all.
enum class MarkKind : std::uint8_t {
    Created,  ///< born, nothing known yet
    Running,
    Suspended,
    Mixed,     ///< both within one column, see TimelineMark::density
    Stuck,     ///< still suspended, and longer than its site usually takes
    Finished,  ///< waits at its final suspension point to be destroyed
    Gap,       ///< events were lost here, for a considerable part of the time
    Unknown,   ///< alive, but the state is not known
    Dropped,   ///< alive, but this part of the history left the memory
    Pending,   ///< not read yet: time ran out, see TimelineGeometry::update()
};

struct TimelineMark {
    /// Share of running in a Mixed column: 1 .. kFullDensity - 1.
    static constexpr std::uint8_t kFullDensity = 16;
    /// From this share of a column's time on that went by between the events around lost ones, the column is a Gap.
    static constexpr float kGapShare = 0.25F;

    int x0 = 0;  ///< first column
    int x1 = 0;  ///< one after the last
    MarkKind kind = MarkKind::Unknown;
    std::uint8_t density = 0;
    SiteId site = kUnknownSite;  ///< of suspensions; kUnknownSite also while running
    /// Events were lost in each of its columns, in less time than makes a Gap; nor is there a Gap right beside.
    bool lossy = false;

    bool operator==(const TimelineMark &) const = default;
};

/// After how many ns the suspension that a coroutine is in is stuck; kNeverStuck = not at all.
using StuckThreshold = std::function<std::uint64_t(const CoroutineSnapshot &)>;
inline constexpr std::uint64_t kNeverStuck = ~std::uint64_t{0};

class TimelineGeometry {
public:
    /// Both must outlive the geometry.
    TimelineGeometry(const Population &population, const History &history);

    static constexpr std::chrono::nanoseconds kAllTheTime = std::chrono::nanoseconds::max();

    /// Brings the marks of `rows` up to date for this view and moment (ns). Returns true if any mark changed. What
    /// does not fit into `budget` is Pending and comes with the next calls, which begin with it: see isComplete().
    bool update(const TimelineCoordinates &view, std::span<const CoroutineId> rows, std::uint64_t now,
                const StuckThreshold &stuckAfter, std::chrono::nanoseconds budget = kAllTheTime);
    bool isComplete() const { return m_complete; }

    std::size_t rowCount() const { return m_order.size(); }
    /// Ascending, without overlap; valid until the next update().
    const std::vector<TimelineMark> &marks(std::size_t row) const;
    /// Columns left of it have lost (part of) their history; 0 = all is there.
    int droppedColumns() const { return m_droppedColumns; }
    /// As of the last update().
    const ProcessLives &lives() const { return m_lives; }

private:
    /// Everything a row's marks depend on besides the history's past.
    struct Inputs {
        TimelineCoordinates view;
        std::uint64_t pageVersion = 0;
        std::uint64_t stuckAfter = kNeverStuck;
        std::int64_t nowColumn = 0;
        bool operator==(const Inputs &) const = default;
    };

    /// Columns that lie wholly in the past of a coroutine's latest transition never change: kept from frame to frame.
    struct Row {
        std::uint64_t usedIn = 0;  ///< number of the update
        bool filled = false;
        Inputs inputs;
        std::int64_t firstColumn = 0;  ///< absolute: time of its left edge = phase + firstColumn * step
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
    std::uint64_t settledUntil(CoroutineId id, const PresentBar &present) const;
    void keepFinalColumns(Row &row, CoroutineId id, const TimelineCoordinates &view, const Span &span) const;
    void read(CoroutineId id, std::int64_t from, std::int64_t to);
    bool hasTime();
    void forgetUnused();

    const Population &m_population;
    const History &m_history;
    std::unordered_map<CoroutineId, Row> m_rows;
    std::vector<const Row *> m_order;
    ProcessLives m_lives;
    std::uint64_t m_updates = 0;
    std::uint64_t m_droppedBefore = 0;
    std::uint64_t m_restoredVersion = 0;
    TimelineTime m_step = 0;
    TimelineTime m_phase = 0;
    int m_droppedColumns = 0;
    std::vector<History::Column> m_scratch;
    std::chrono::steady_clock::time_point m_deadline;
    int m_reads = 0;                 ///< in this update
    std::size_t m_firstPending = 0;  ///< row that the next update begins with, so that everyone has a turn
    bool m_complete = true;
};

}  // namespace ct
