// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/timelinegeometry.h"

#include "models/timelinebar.h"

#include <algorithm>

namespace ct {

namespace {

/// Appends marks and joins equal neighbours. Clears `lossy` of a single column next to a Gap, because the Gap shows the
/// loss.
class MarkWriter {
public:
    explicit MarkWriter(std::vector<TimelineMark> &marks) : m_marks(marks) {}

    void addMark(TimelineMark mark)
    {
        if (mark.x0 >= mark.x1)
            return;
        if (!m_marks.empty() && m_marks.back().x1 == mark.x0) {
            TimelineMark &last = m_marks.back();
            if (last.kind == MarkKind::Gap && mark.lossy && mark.x1 - mark.x0 == 1)
                mark.lossy = false;
            if (mark.kind == MarkKind::Gap && last.lossy && last.x1 - last.x0 == 1) {
                TimelineMark before = last;
                before.lossy = false;
                m_marks.pop_back();
                append(before);
            }
        }
        append(mark);
    }

private:
    void append(const TimelineMark &mark)
    {
        if (!m_marks.empty()) {
            TimelineMark &last = m_marks.back();
            if (last.x1 == mark.x0 && last.kind == mark.kind && last.density == mark.density &&
                last.site == mark.site && last.lossy == mark.lossy) {
                last.x1 = mark.x1;
                return;
            }
        }
        m_marks.push_back(mark);
    }

    std::vector<TimelineMark> &m_marks;
};

bool isEmpty(const History::Column &column)
{
    return column.running <= 0 && column.suspended <= 0 && column.transitions == 0 && !column.gap;
}

/// Returns the mark of one column. `lived` is the share of the column in which the coroutine was alive.
TimelineMark markOf(const History::Column &column, int x, float lived)
{
    TimelineMark mark{x, x + 1, MarkKind::Unknown, 0, kUnknownSite};
    const float known = column.running + column.suspended;
    mark.lossy = column.gap && lived - known < lived * TimelineMark::kGapShare;
    if (column.gap && !mark.lossy) {
        mark.kind = MarkKind::Gap;
    } else if (column.running > 0 && column.suspended <= 0) {
        mark.kind = MarkKind::Running;
    } else if (column.running <= 0 && column.transitions <= 1) {
        mark.kind = MarkKind::Suspended;
        mark.site = column.site;
    } else {
        // Running and suspended, or too short to measure: transitions stay visible, however short they were.
        constexpr int kFull = TimelineMark::kFullDensity;
        const float share = known > 0 ? column.running / known : 0.F;
        mark.kind = MarkKind::Mixed;
        mark.density = static_cast<std::uint8_t>(std::clamp(static_cast<int>(share * kFull + 0.5F), 1, kFull - 1));
    }
    return mark;
}

}  // namespace

/// The life of a coroutine in columns of the view.
struct TimelineGeometry::Span {
    PresentBar present;
    TimelineTime begin = 0;  ///< ns, birth
    TimelineTime until = 0;  ///< ns, the end or now
    std::int64_t birth = 0;  ///< column of the birth
    std::int64_t since = 0;  ///< column in which the present state began
    std::int64_t end = 0;    ///< one after the last column alive
    int first = 0;           ///< first visible column of the life
    int last = 0;            ///< one after the last visible column of the life
    int pastEnd = 0;         ///< one after the last column read from the history
    bool lossy = false;
    TimelineTime evictedFrom = 0;  ///< ns, first event if in memory, else 0; empty columns that end later are Evicted

    float livedIn(const TimelineCoordinates &view, int x) const
    {
        const TimelineTime from = std::max(begin, view.timeAt(x));
        const TimelineTime to = std::min(until, view.timeAt(x) + view.step());
        return static_cast<float>(std::max<TimelineTime>(0, to - from)) / static_cast<float>(view.step());
    }
};

TimelineGeometry::TimelineGeometry(const Population &population, const History &history)
    : m_population(population), m_history(history)
{
}

const std::vector<TimelineMark> &TimelineGeometry::marks(std::size_t row) const
{
    return m_order[row]->marks;
}

bool TimelineGeometry::update(const TimelineCoordinates &view, std::span<const CoroutineId> rows, std::uint64_t now,
                              const StuckThreshold &stuckAfter, std::chrono::nanoseconds budget)
{
    using Clock = std::chrono::steady_clock;
    m_deadline = budget == kAllTheTime ? Clock::time_point::max() : Clock::now() + budget;
    m_lives = ProcessLives(m_population);
    m_reads = 0;
    m_complete = true;
    ++m_updates;
    const TimelineTime phase = ((view.from() % view.step()) + view.step()) % view.step();
    const std::uint64_t evictedBefore = m_history.evictedBefore();
    const std::uint64_t restoredVersion = m_history.restoredVersion();
    if (view.step() != m_step || phase != m_phase || evictedBefore != m_evictedBefore ||
        restoredVersion != m_restoredVersion) {
        for (auto &[id, row] : m_rows) {
            row.columns.clear();
            row.filled = false;
        }
        m_step = view.step();
        m_phase = phase;
        m_evictedBefore = evictedBefore;
        m_restoredVersion = restoredVersion;
    }
    const int evictedColumns = evictedBefore == 0 ? 0 : std::max(0, view.clampedColumnOf(timelineTime(evictedBefore)));
    bool changed = evictedColumns != m_evictedColumns || rows.size() != m_order.size();
    m_evictedColumns = evictedColumns;
    m_order.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Row &row = m_rows[rows[i]];
        row.usedIn = m_updates;
        changed |= m_order[i] != &row;
        m_order[i] = &row;
    }
    const std::size_t begin = m_firstPending < rows.size() ? m_firstPending : 0;
    for (std::size_t turn = 0; turn < rows.size(); ++turn) {
        const std::size_t i = (begin + turn) % rows.size();
        const bool wasComplete = m_complete;
        changed |= updateRow(m_rows[rows[i]], rows[i], view, now, stuckAfter);
        if (wasComplete && !m_complete)
            m_firstPending = i;
    }
    removeUnusedRows();
    return changed;
}

bool TimelineGeometry::updateRow(Row &row, CoroutineId id, const TimelineCoordinates &view, std::uint64_t now,
                                 const StuckThreshold &stuckAfter)
{
    if (id >= m_population.size()) {
        const bool changed = !row.marks.empty();
        row.marks.clear();
        row.filled = false;
        return changed;
    }
    // Read the version first. A change between the two reads is then found at the next update.
    Inputs inputs{view, m_population.pageVersion(id / Population::kPageSize)};
    const CoroutineSnapshot snapshot = m_population.at(id);
    inputs.nowColumn = view.clampedColumnOf(timelineTime(m_lives.nowOf(snapshot, now)));
    Span span{presentBar(snapshot, m_history, now, m_lives)};
    if (span.present.kind == MarkKind::Suspended && stuckAfter)
        inputs.stuckAfter = stuckAfter(snapshot);
    if (row.filled && row.inputs == inputs)
        return false;

    const PresentBar &present = span.present;
    span.begin = timelineTime(snapshot.birthTs);
    span.until = timelineTime(std::min(present.end, now));
    span.birth = snapshot.birthTs == 0 ? 0 : view.columnOf(span.begin);
    span.since = view.columnOf(timelineTime(present.since));
    // The trace may be ahead of `now`.
    span.end = view.columnOf(span.until) + 1;
    span.first = static_cast<int>(std::clamp<std::int64_t>(span.birth, 0, view.columns()));
    span.last = static_cast<int>(std::clamp<std::int64_t>(span.end, span.first, view.columns()));
    span.pastEnd = static_cast<int>(std::clamp<std::int64_t>(span.since + 1, span.first, span.last));
    if (m_evictedBefore != 0)
        span.evictedFrom = timelineTime(m_history.veryFirst(id));
    span.lossy = snapshot.lost + snapshot.missed > 0 || snapshot.flagged;

    const int readsBefore = m_reads;
    const bool complete = fillColumns(row, id, view, span);
    m_complete &= complete;
    std::vector<TimelineMark> marks;
    marks.reserve(row.marks.size());
    writeMarks(marks, row, view, span, inputs.stuckAfter);
    if (m_reads != readsBefore)
        keepFinalColumns(row, id, view, span);
    row.filled = complete;
    const bool changed = marks != row.marks || row.inputs.view != view;
    row.marks = std::move(marks);
    row.inputs = inputs;
    return changed;
}

void TimelineGeometry::read(CoroutineId id, std::int64_t from, std::int64_t to)
{
    m_scratch.assign(static_cast<std::size_t>(to - from), {});
    m_history.columns(id, static_cast<std::uint64_t>(m_phase + from * m_step), static_cast<std::uint64_t>(m_step),
                      m_scratch);
    ++m_reads;
}

/// Allows at least one read in each update, so that updates finish in the end.
bool TimelineGeometry::hasTime()
{
    return m_reads == 0 || std::chrono::steady_clock::now() < m_deadline;
}

/// Extends row.columns to the visible past and reads only missing columns. Returns false if time ran out.
bool TimelineGeometry::fillColumns(Row &row, CoroutineId id, const TimelineCoordinates &view, const Span &span)
{
    constexpr std::int64_t kPiece = 256;
    const std::int64_t origin = (view.from() - m_phase) / m_step;  // absolute column of view column 0
    // The history has no times before 0.
    const std::int64_t first = std::max<std::int64_t>(0, origin + span.first);
    const std::int64_t last = std::max(first, origin + span.pastEnd);
    const auto end = [&row] { return row.firstColumn + static_cast<std::int64_t>(row.columns.size()); };
    if (row.columns.empty() || first > end() || last < row.firstColumn) {
        row.columns.clear();
        row.firstColumn = first;
    }
    if (first - row.firstColumn > view.columns()) {
        row.columns.erase(row.columns.begin(), row.columns.begin() + (first - row.firstColumn));
        row.firstColumn = first;
    }
    while (end() < last) {
        if (!hasTime())
            return false;
        read(id, end(), std::min(last, end() + kPiece));
        row.columns.insert(row.columns.end(), m_scratch.begin(), m_scratch.end());
    }
    while (first < row.firstColumn) {
        if (!hasTime())
            return false;
        const std::int64_t from = std::max(first, row.firstColumn - kPiece);
        read(id, from, row.firstColumn);
        row.columns.insert(row.columns.begin(), m_scratch.begin(), m_scratch.end());
        row.firstColumn = from;
    }
    return true;
}

void TimelineGeometry::writeMarks(std::vector<TimelineMark> &marks, const Row &row, const TimelineCoordinates &view,
                                  const Span &span, std::uint64_t stuckAfter) const
{
    const PresentBar &present = span.present;
    const std::int64_t offset = (view.from() - m_phase) / m_step - row.firstColumn;
    MarkWriter writer(marks);
    for (int x = span.first; x < span.pastEnd; ++x) {
        const std::int64_t index = offset + x;
        if (index < 0 || index >= static_cast<std::int64_t>(row.columns.size())) {
            writer.addMark({x, x + 1, MarkKind::Pending, 0, kUnknownSite});
            continue;
        }
        History::Column column = row.columns[static_cast<std::size_t>(index)];
        if (x == span.since)
            addPresent(column, view, span);
        const bool finishes = present.kind == MarkKind::Finished && column.running <= 0 && !column.gap;
        if (x == span.since && (isEmpty(column) || finishes)) {
            writer.addMark({x, x + 1, present.kind, 0, present.site});
        } else if (!isEmpty(column)) {
            writer.addMark(markOf(column, x, span.livedIn(view, x)));
        } else {
            const bool evicted = m_evictedBefore != 0 && view.timeAt(x) + view.step() > span.evictedFrom;
            const MarkKind kind = evicted ? MarkKind::Evicted : span.lossy ? MarkKind::Unknown : MarkKind::Created;
            writer.addMark({x, x + 1, kind, 0, kUnknownSite});
        }
    }
    const auto columnFrom = [&](std::uint64_t time) {
        return static_cast<int>(std::clamp<std::int64_t>(view.columnOf(timelineTime(time)), span.first, span.last));
    };
    const std::uint64_t since = present.stateSince();
    const bool isStuck =
        present.kind == MarkKind::Suspended && present.end >= since && present.end - since >= stuckAfter;
    const int stuckFrom = isStuck ? columnFrom(since + stuckAfter) : span.last;
    const int wokenFrom = present.runnableSince != 0 ? columnFrom(present.runnableSince) : stuckFrom;
    if (stuckFrom < span.pastEnd && --marks.back().x1 == marks.back().x0)
        marks.pop_back();  // began and became stuck in one column: show stuck
    writer.addMark({span.pastEnd, wokenFrom, present.kind, 0, present.site});
    writer.addMark({std::max(span.pastEnd, wokenFrom), stuckFrom, MarkKind::Runnable, 0, present.site});
    writer.addMark({stuckFrom, span.last, MarkKind::Stuck, 0, present.site});
}

/// Adds the part of the present state that lies in its first column.
void TimelineGeometry::addPresent(History::Column &column, const TimelineCoordinates &view, const Span &span)
{
    const PresentBar &present = span.present;
    if (isEmpty(column) || column.gap)
        return;
    const TimelineTime begin = view.from() + view.step() * span.since;
    const TimelineTime since = timelineTime(present.since);
    const TimelineTime end = std::min(begin + view.step(), std::max(since, timelineTime(present.end)));
    const float before = static_cast<float>(since - begin) / static_cast<float>(view.step());
    const float tail = static_cast<float>(end - since) / static_cast<float>(view.step());
    if (column.running + column.suspended > before + tail / 2)
        return;  // the history already includes the open end
    if (present.kind == MarkKind::Running)
        column.running += tail;
    else if (present.kind == MarkKind::Suspended || present.kind == MarkKind::Finished)
        column.suspended += tail;
}

/// Returns the time (ns) up to which the history of a coroutine is final. A batch may have reached the population, but
/// not the history yet.
std::uint64_t TimelineGeometry::finalUntil(CoroutineId id, const PresentBar &present) const
{
    if (present.kind != MarkKind::Running && present.kind != MarkKind::Suspended && present.kind != MarkKind::Finished)
        return present.since;
    const std::uint64_t after = std::min(present.since, ~std::uint64_t{1}) + 1;
    const std::vector<HistoryEvent> events = m_history.events(id, after, after + 1, 1);
    return events.empty() ? 0 : std::min(present.since, events.front().ts);
}

/// Discards the columns that may still change.
void TimelineGeometry::keepFinalColumns(Row &row, CoroutineId id, const TimelineCoordinates &view,
                                        const Span &span) const
{
    const std::int64_t first = (view.from() - m_phase) / m_step - row.firstColumn;
    const std::int64_t finalColumns = first + view.columnOf(timelineTime(finalUntil(id, span.present)));
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, finalColumns));
    row.columns.resize(std::min(row.columns.size(), count));
}

void TimelineGeometry::removeUnusedRows()
{
    if (m_rows.size() <= 2 * m_order.size() + 64)
        return;
    std::erase_if(m_rows, [this](const auto &entry) { return entry.second.usedIn != m_updates; });
}

}  // namespace ct
