// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of CoroutineTableModel that applies population changes and new orders to its rows.
#include "models/coroutinetablemodel.h"

namespace ct {

namespace {

/// Most row ranges to announce one by one. Each range costs a pass over all rows, so large tables allow fewer.
std::size_t mostRanges(std::size_t rows)
{
    return rows < 10'000 ? kManyRanges : 8;
}

}  // namespace

void CoroutineTableModel::rebuildRows()
{
    m_rows.assign(m_rows.size());
    for (std::size_t row = 0; row < m_order.size(); ++row)
        m_rows.make(m_order[row]) = static_cast<int>(row);
}

void CoroutineTableModel::appendBirths()
{
    const CoroutineId known = m_rows.size();
    const CoroutineId size = m_population->size();
    if (size == known)
        return;
    std::vector<CoroutineId> shown;
    if (m_spec.filters()) {
        const OrderFilter filter(*m_population, m_spec, m_resolver.get());
        for (CoroutineId id = known; id < size; ++id)
            if (filter.accepts(m_population->at(id)))
                shown.push_back(id);
    } else {
        for (CoroutineId id = known; id < size; ++id)
            if (m_population->isKept(id))
                shown.push_back(id);
    }
    m_bornSinceSort = true;
    m_rows.resize(size);
    if (shown.empty())
        return;
    const int row = rowCount();
    beginInsertRows({}, row, row + static_cast<int>(shown.size()) - 1);
    for (const CoroutineId id : shown) {
        m_rows.make(id) = static_cast<int>(m_order.size());
        m_order.push_back(id);
    }
    endInsertRows();
    Q_EMIT orderChanged();
}

void CoroutineTableModel::announceChanges()
{
    m_seen.resize(m_population->pageCount(), 0);
    std::vector<std::uint32_t> pages;
    bool anyDropped = false;
    for (std::uint32_t page = 0; page < m_seen.size(); ++page) {
        const std::uint64_t version = m_population->pageVersion(page);
        if (version != m_seen[page])
            pages.push_back(page);
        anyDropped = anyDropped || (version != m_seen[page] && !m_population->isPageKept(page));
        m_seen[page] = version;
    }
    if (pages.empty())
        return;
    m_changedSinceSort = true;
    if (anyDropped)
        removeDropped();
    if (m_order.empty())
        return;
    std::vector<RowRange> ranges = {{0, rowCount() - 1}};
    // If many rows changed, one range for all rows is cheaper, here and in the views.
    if (pages.size() * Population::kPageSize < m_order.size() / 4) {
        std::vector<int> rows;
        for (const std::uint32_t page : pages) {
            const CoroutineId end = std::min(m_rows.size(), (page + 1) * Population::kPageSize);
            for (CoroutineId id = page * Population::kPageSize; id < end; ++id)
                if (m_rows[id] >= 0)
                    rows.push_back(m_rows[id]);
        }
        std::sort(rows.begin(), rows.end());
        ranges = mergedRanges(rows, 8);
        if (ranges.size() > kManyRanges)
            ranges = {{ranges.front().first, ranges.back().last}};
    }
    for (const RowRange &range : ranges)
        Q_EMIT dataChanged(index(range.first, 0), index(range.last, ColumnCount - 1));
}

/// Removes the rows of coroutines whose records were evicted from memory.
void CoroutineTableModel::removeDropped()
{
    std::vector<CoroutineId> kept;
    std::copy_if(m_order.begin(), m_order.end(), std::back_inserter(kept),
                 [this](CoroutineId id) { return m_population->isKept(id); });
    applyOrder(std::move(kept), m_rows.size());
}

void CoroutineTableModel::announceTime()
{
    if (!m_order.empty())
        Q_EMIT dataChanged(index(0, SinceColumn), index(rowCount() - 1, SuspendedTimeColumn),
                           {Qt::DisplayRole, SortRole, NowRole});
}

// Removes the rows that are gone, permutes the remaining ones, and inserts new ones. So the selection, the current row
// and the scroll position stay with their coroutines.
void CoroutineTableModel::applyOrder(std::vector<CoroutineId> order, std::uint32_t count)
{
    // Coroutines born since the ordering began stay at the end.
    for (const CoroutineId id : m_order)
        if (id >= count)
            order.push_back(id);
    if (!m_frozen)
        std::erase_if(order, [this](CoroutineId id) { return !m_population->isKept(id); });
    if (order == m_order)
        return;
    std::vector<bool> wanted(m_rows.size());
    for (const CoroutineId id : order)
        wanted[id] = true;
    const std::vector<RowRange> gone = rangesOf(m_order.size(), [&](std::size_t row) { return !wanted[m_order[row]]; });
    const std::vector<RowRange> fresh = rangesOf(order.size(), [&](std::size_t row) { return m_rows[order[row]] < 0; });
    if (gone.size() + fresh.size() > mostRanges(m_order.size() + order.size())) {
        permute(std::move(order));
    } else {
        std::vector<CoroutineId> staying;
        for (const CoroutineId id : order)
            if (m_rows[id] >= 0)
                staying.push_back(id);
        removeUnwanted(gone);
        if (staying != m_order)
            permute(std::move(staying));
        insertMissing(order, fresh);
    }
    Q_EMIT orderChanged();
}

void CoroutineTableModel::removeUnwanted(const std::vector<RowRange> &ranges)
{
    for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
        beginRemoveRows({}, range->first, range->last);
        m_order.erase(m_order.begin() + range->first, m_order.begin() + range->last + 1);
        rebuildRows();
        endRemoveRows();
    }
}

void CoroutineTableModel::permute(std::vector<CoroutineId> order)
{
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    std::vector<CoroutineId> ids;
    for (const QModelIndex &index : before)
        ids.push_back(idAt(index.row()));
    m_order = std::move(order);
    rebuildRows();
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i) {
        const int row = rowOf(ids[static_cast<std::size_t>(i)]);
        after.append(row < 0 ? QModelIndex() : index(row, before[i].column()));
    }
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

void CoroutineTableModel::insertMissing(const std::vector<CoroutineId> &order, const std::vector<RowRange> &ranges)
{
    for (const RowRange &range : ranges) {
        beginInsertRows({}, range.first, range.last);
        m_order.insert(m_order.begin() + range.first, order.begin() + range.first, order.begin() + range.last + 1);
        rebuildRows();
        endInsertRows();
    }
}

}  // namespace ct
