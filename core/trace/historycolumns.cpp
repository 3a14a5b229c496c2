// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Columns of a timeline at any zoom: shares of running and suspended time in equal columns.
#include "core/trace/historydata.h"

#include <algorithm>
#include <limits>

namespace ct {

using namespace history;

namespace {

/// Spreads intervals over equal columns of time. Caches the latest column, because most intervals end in it.
class ColumnSums {
public:
    ColumnSums(std::uint64_t from, std::uint64_t step, std::vector<History::Column> &columns)
        : m_from(from), m_step(step), m_perNs(1.0 / static_cast<double>(step)), m_columns(columns)
    {
    }

    void addRunning(std::uint64_t begin, std::uint64_t end)
    {
        spread(begin, end, [&](History::Column &column, std::uint64_t ns) {
            column.running += static_cast<float>(static_cast<double>(ns) * m_perNs);
        });
    }
    void addSuspended(std::uint64_t begin, std::uint64_t end, SiteId site)
    {
        spread(begin, end, [&](History::Column &column, std::uint64_t ns) {
            column.suspended += static_cast<float>(static_cast<double>(ns) * m_perNs);
            column.site = site;
        });
    }
    void addGap(std::uint64_t begin, std::uint64_t end)
    {
        spread(begin, end, [](History::Column &column, std::uint64_t) { column.gap = true; });
        if (History::Column *column = at(end))
            column->gap = true;
    }
    void addTransition(std::uint64_t ts)
    {
        if (History::Column *column = at(ts))
            ++column->transitions;
    }
    /// Adds a block that lies within one column.
    void addSums(const BlockSums &block)
    {
        History::Column *column = at(block.firstTs);
        if (!column)
            return;
        column->running += static_cast<float>(static_cast<double>(block.runNs) * m_perNs);
        column->suspended += static_cast<float>(static_cast<double>(block.suspendedNs) * m_perNs);
        column->transitions += kBlockRows;
        if (block.suspends)
            column->site = block.lastSite;
        if (block.gap)
            column->gap = true;
    }
    /// Both times lie in the same column, which may be behind the last one.
    bool isOneColumn(std::uint64_t first, std::uint64_t last) const
    {
        return first >= m_from && last >= first && (first - m_from) / m_step == (last - m_from) / m_step;
    }
    void noteSite(std::uint64_t ts, SiteId site)
    {
        if (History::Column *column = at(ts))
            column->site = site;
    }

private:
    bool isInLatest(std::uint64_t ts) const { return m_latest && ts - m_latestBegin < m_step; }
    History::Column *at(std::uint64_t ts)
    {
        if (isInLatest(ts))
            return m_latest;
        if (ts < m_from || (ts - m_from) / m_step >= m_columns.size())
            return nullptr;
        const std::uint64_t index = (ts - m_from) / m_step;
        m_latest = &m_columns[index];
        m_latestBegin = m_from + index * m_step;
        return m_latest;
    }
    template <class Each>
    void spread(std::uint64_t begin, std::uint64_t end, Each &&each)
    {
        begin = std::max(begin, m_from);
        if (end <= begin)
            return;
        if (isInLatest(begin) && isInLatest(end - 1)) {
            each(*m_latest, end - begin);
            return;
        }
        for (std::size_t i = (begin - m_from) / m_step; i < m_columns.size(); ++i) {
            const std::uint64_t columnBegin = m_from + i * m_step;
            if (columnBegin >= end)
                return;
            const std::uint64_t lower = std::max(begin, columnBegin);
            const std::uint64_t upper = end - columnBegin < m_step ? end : columnBegin + m_step;
            each(m_columns[i], upper - lower);
        }
    }

    std::uint64_t m_from;
    std::uint64_t m_step;
    double m_perNs;
    std::vector<History::Column> &m_columns;
    History::Column *m_latest = nullptr;
    std::uint64_t m_latestBegin = 0;
};

/// The state that began with an event and lasts until the next one.
struct Lasting {
    std::uint64_t ts = 0;
    Open open = Open::Nothing;
    SiteId site = kUnknownSite;
};

void addLasting(ColumnSums &sums, const Lasting &lasting, std::uint64_t until)
{
    if (lasting.open == Open::Running)
        sums.addRunning(lasting.ts, until);
    else if (lasting.open == Open::Suspended)
        sums.addSuspended(lasting.ts, until, lasting.site);
}

/// Adds one coroutine's events in order.
class ColumnBuilder {
public:
    ColumnBuilder(const History::Data &data, CoroutineId id, std::uint64_t from, std::uint64_t step, std::uint64_t to,
                  std::vector<History::Column> &columns)
        : m_data(data), m_id(id), m_to(to), m_cursor(data, id), m_sums(from, step, columns)
    {
        m_cursor.start(positionBefore(data, id, from));
    }

    void run(std::uint64_t until)
    {
        HistoryEvent event;
        while (!m_atEnd) {
            SlabView slab;
            if (m_cursor.enter(slab) && addIndexed(slab))
                continue;
            if (m_atEnd || !m_cursor.next(event))
                break;
            addEvent(event);
        }
        if (!m_atEnd)
            addLasting(m_sums, m_lasting, until);
    }

private:
    void addEvent(const HistoryEvent &event);
    void addBlock(const BlockSums &block);
    bool addIndexed(const SlabView &slab);
    bool copyRows(const SlabView &slab, const CoroutineRows &run, std::uint32_t orderIndex, std::uint32_t count);

    const History::Data &m_data;
    const CoroutineId m_id;
    const std::uint64_t m_to;
    Cursor m_cursor;
    ColumnSums m_sums;
    Lasting m_lasting;
    bool m_atEnd = false;  ///< added an event at or after `to`
    std::array<HistoryEvent, kBlockRows> m_events;
};

void ColumnBuilder::addEvent(const HistoryEvent &event)
{
    m_atEnd = event.ts >= m_to;
    if (event.type == HistoryEvent::Type::Gap) {
        m_sums.addGap(m_lasting.ts == 0 ? event.ts : m_lasting.ts, event.ts);
    } else if (event.type == HistoryEvent::Type::Absent) {
        addLasting(m_sums, m_lasting, event.ts);
    } else {
        addLasting(m_sums, m_lasting, event.ts);
        m_sums.addTransition(event.ts);
    }
    if (event.type == HistoryEvent::Type::Suspend) {
        m_lasting.site = event.site;
        m_sums.noteSite(event.ts, event.site);
    }
    m_lasting.ts = event.ts;
    m_lasting.open = openAfter(event);
}

void ColumnBuilder::addBlock(const BlockSums &block)
{
    HistoryEvent gap;
    if (m_cursor.gapBefore(block.firstN, block.firstTs, gap))
        addEvent(gap);
    addLasting(m_sums, m_lasting, block.firstTs);
    m_sums.addSums(block);
    m_atEnd = block.lastTs >= m_to;
    if (block.suspends)
        m_lasting.site = block.lastSite;
    m_lasting.ts = block.lastTs;
    m_lasting.open = block.open;
}

/// Copies the events of `count` entries of the order. Returns false if slab or index changed.
bool ColumnBuilder::copyRows(const SlabView &slab, const CoroutineRows &run, std::uint32_t orderIndex,
                             std::uint32_t count)
{
    for (std::uint32_t i = 0; i < count; ++i)
        m_events[i] = slab.event(Index::row(slab, orderIndex + i), 0);
    return slab.isCurrent() && Index::isCurrent(slab, run);
}

/// Adds the rest of a slab with a final index, whole blocks at a time where a block lies in one column. Returns false
/// and adds nothing if the index is not final.
bool ColumnBuilder::addIndexed(const SlabView &slab)
{
    m_data.index.prepare(slab, m_data.isBusy());
    const CoroutineRows run = Index::rowsOfCoroutine(slab, m_id);
    if (!Index::isFinal(slab, run))
        return false;
    std::uint32_t orderIndex = Index::orderIndexOf(slab, run, m_cursor.row());
    while (orderIndex < run.end && !m_atEnd) {
        const bool isBlock = orderIndex % kBlockRows == 0 && orderIndex + kBlockRows <= run.end;
        BlockSums block;
        if (isBlock && Index::loadSums(slab, orderIndex, block) && m_sums.isOneColumn(block.firstTs, block.lastTs)) {
            const std::uint32_t last = Index::row(slab, orderIndex + kBlockRows - 1);
            if (!slab.isCurrent() || !Index::isCurrent(slab, run))
                return true;
            addBlock(block);
            m_cursor.skipTo(last + 1, block.lastN + 1);
            orderIndex += kBlockRows;
            continue;
        }
        const std::uint32_t count = std::min(kBlockRows - orderIndex % kBlockRows, run.end - orderIndex);
        const std::uint32_t last = Index::row(slab, orderIndex + count - 1);
        if (!copyRows(slab, run, orderIndex, count))
            return true;
        if (isBlock) {
            block = sumUp(std::span(m_events).first(count));
            if (m_sums.isOneColumn(block.firstTs, block.lastTs))
                Index::storeSums(slab, orderIndex, block);
        }
        for (std::uint32_t i = 0; i < count && !m_atEnd; ++i) {
            HistoryEvent gap;
            if (m_cursor.gapBefore(m_events[i].n, m_events[i].ts, gap))
                addEvent(gap);
            if (!m_atEnd)
                addEvent(m_events[i]);
            m_cursor.skipTo(last + 1, m_events[i].n + 1);
        }
        orderIndex += count;
    }
    if (slab.isCurrent())
        m_cursor.skipRows(slab.rows);
    return true;
}

}  // namespace

void History::columns(CoroutineId id, std::uint64_t from, std::uint64_t step, std::vector<Column> &columns) const
{
    std::fill(columns.begin(), columns.end(), Column());
    if (step == 0 || columns.empty() || id >= m_data->coroutines.heads.size())
        return;
    constexpr std::uint64_t kEndOfTime = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t room = kEndOfTime - from;
    const std::uint64_t to = room / step < columns.size() ? kEndOfTime : from + step * columns.size();
    const std::uint64_t death = m_data->coroutines.lives[id].deathTs.load(std::memory_order_relaxed);
    const std::uint64_t now = m_data->now.load(std::memory_order_relaxed);
    ColumnBuilder(*m_data, id, from, step, to, columns).run(death != 0 ? death : now);
    for (Column &column : columns) {
        column.running = std::min(column.running, 1.0F);
        column.suspended = std::min(column.suspended, 1.0F);
    }
}

}  // namespace ct
