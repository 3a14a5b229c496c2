// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of CoroutineTableModel that orders the rows: it computes an order, in the background if there are many
// coroutines, and then changes the rows step by step.
#include "models/coroutinetablemodel.h"

namespace ct {

namespace {

/// Most row ranges to report one by one. Each range costs a pass over all rows, so large tables allow fewer.
std::size_t mostRanges(std::size_t rows)
{
    return rows < 10'000 ? kManyRanges : 8;
}

}  // namespace

/// An ordering in progress. The worker fills `order`, then passes the job to the GUI thread in a queued call.
struct CoroutineTableModel::Job {
    std::atomic<bool> cancelled{false};
    std::uint32_t count = 0;  ///< orders the ids below this one
    CoroutineOrder order;
};

bool CoroutineTableModel::needsOrdering() const
{
    const bool isById = m_spec.key == OrderKey::Id && !m_spec.descending;
    const bool isStatic =
        m_spec.key == OrderKey::Id || m_spec.key == OrderKey::Birth || m_spec.key == OrderKey::Process;
    const bool growsByItself = m_spec.key == OrderKey::RunTime || m_spec.key == OrderKey::SuspendedTime ||
                               (m_spec.key == OrderKey::Since && m_lives.endedCount() != 0);
    return (m_bornSinceSort && !isById) || (m_changedSinceSort && (!isStatic || m_spec.filters())) || growsByItself;
}

void CoroutineTableModel::startOrdering()
{
    cancelOrdering();
    m_sinceSort.start();
    m_bornSinceSort = false;
    m_changedSinceSort = false;
    if (!m_population)
        return;
    auto job = std::make_shared<Job>();
    job->count = m_rows.size();
    const auto order = [job, population = m_population, resolver = m_resolver, spec = m_spec, frozen = m_frozen] {
        job->order = frozen ? computeOrder(*population, *frozen, spec, job->cancelled, resolver.get())
                            : computeOrder(*population, job->count, spec, job->cancelled, resolver.get());
    };
    m_job = job;
    // `this` outlives the worker, because the destructor waits for it. Qt discards the queued call if `this` is
    // deleted.
    const auto orderInBackground = [this, job, order] {
        order();
        QMetaObject::invokeMethod(
            this, [this, job] { finishOrdering(job); }, Qt::QueuedConnection);
    };
    if (job->count >= kBackgroundFrom && m_worker.start(orderInBackground))
        return;
    order();
    finishOrdering(job);
}

void CoroutineTableModel::finishOrdering(const std::shared_ptr<Job> &job)
{
    if (job != m_job)
        return;  // a newer ordering replaced it
    m_job.reset();
    m_sinceSort.start();
    const auto before = std::exchange(m_groups, std::move(job->order.groups));
    applyOrder(std::move(job->order.ids), job->count);
    // A row shows its group, and one that was a group shows a single coroutine again.
    std::vector<int> rows;
    for (const auto *groups : {&before, &std::as_const(m_groups)})
        for (const auto &[id, group] : *groups)
            if (const int row = rowOf(id); row >= 0)
                rows.push_back(row);
    std::sort(rows.begin(), rows.end());
    for (const RowRange &range : mergedRanges(rows, 8))
        Q_EMIT dataChanged(index(range.first, 0), index(range.last, ColumnCount - 1));
}

void CoroutineTableModel::cancelOrdering()
{
    if (m_job)
        m_job->cancelled.store(true, std::memory_order_relaxed);
    m_job.reset();
}

void CoroutineTableModel::rebuildRows()
{
    m_rows.assign(m_rows.size());
    for (std::size_t row = 0; row < m_order.size(); ++row)
        m_rows.make(m_order[row]) = static_cast<int>(row);
}

/// Removes the rows of coroutines whose records were evicted from memory.
void CoroutineTableModel::removeEvicted()
{
    std::vector<CoroutineId> kept;
    std::copy_if(m_order.begin(), m_order.end(), std::back_inserter(kept),
                 [this](CoroutineId id) { return m_population->isKept(id); });
    applyOrder(std::move(kept), m_rows.size());
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
