// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/coroutinetablemodel.h"

#include <QMetaEnum>

#include <numeric>

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
    std::vector<CoroutineId> order;
};

CoroutineTableModel::CoroutineTableModel(QObject *parent) : QAbstractTableModel(parent) {}

CoroutineTableModel::~CoroutineTableModel()
{
    cancelOrdering();
    m_worker.waitForDone();
}

void CoroutineTableModel::setPopulation(const Population *population)
{
    cancelOrdering();
    m_worker.waitForDone();  // the worker may still read the old population
    beginResetModel();
    m_population = population;
    m_frozen.reset();
    m_paused = false;
    m_now = population ? population->now() : 0;
    m_lives = population ? ProcessLives(*population) : ProcessLives();
    m_order.clear();
    m_rows.assign(population ? population->size() : 0);
    m_seen.clear();
    if (!m_spec.filters()) {
        for (CoroutineId id = 0; id < m_rows.size(); ++id)
            if (population->isKept(id))
                m_order.push_back(id);
    }
    rebuildRows();
    endResetModel();
    Q_EMIT orderChanged();
    startOrdering();
}

void CoroutineTableModel::sample()
{
    if (!m_population || m_paused)
        return;
    const std::uint64_t now = m_population->now();
    const bool timeWentOn = now != m_now;
    m_now = now;
    const std::size_t ended = m_lives.endedCount();
    m_lives = ProcessLives(*m_population);
    appendBirths();
    reportChanges();
    if (m_lives.endedCount() != ended && !m_order.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    else if (timeWentOn)
        reportTime();
    if (!m_job && needsOrdering() && m_sinceSort.hasExpired(kResortIntervalMs))
        startOrdering();
}

void CoroutineTableModel::setPaused(bool paused)
{
    if (paused == m_paused)
        return;
    m_paused = paused;
    m_frozen.reset();
    if (!paused || !m_population)
        return;
    m_frozen = std::make_shared<FrozenRows>(freezeRows(*m_population, m_rows.size(), m_now));
}

void CoroutineTableModel::locationsChanged()
{
    m_changedSinceSort =
        m_changedSinceSort || m_spec.key == OrderKey::Where || m_spec.key == OrderKey::Name || !m_spec.text.empty();
    if (!m_order.empty())
        Q_EMIT dataChanged(index(0, NameColumn), index(rowCount() - 1, WhereColumn));
}

int CoroutineTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int CoroutineTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant CoroutineTableModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    if (role != Qt::DisplayRole && role < Qt::UserRole)
        return {};
    const CoroutineId id = idAt(index.row());
    if (role == CoroutineIdRole)
        return id;
    const CoroutineSnapshot snapshot = snapshotOf(id);
    switch (role) {
    case Qt::DisplayRole:
    case SortRole: return columnValue(snapshot, index.column());
    case SiteIdRole: return snapshot.site;
    case AddressRole: return QVariant::fromValue<qulonglong>(snapshot.addr);
    case StateRole: return static_cast<int>(snapshot.state);
    case KindRole: return static_cast<int>(snapshot.kind);
    case SinceRole: return QVariant::fromValue<qulonglong>(snapshot.since);
    case NowRole: return QVariant::fromValue<qulonglong>(nowOf(snapshot));
    case EndedRole: return m_lives.hasEnded(snapshot);
    case ProbeIdRole: return QVariant::fromValue<qulonglong>(snapshot.probeId);
    case FlaggedRole: return snapshot.flagged;
    case PidRole: return snapshot.pid;
    case DeathRole: return QVariant::fromValue<qulonglong>(snapshot.deathTs);
    case BodySiteRole: return snapshot.bodySite;
    case ThreadRole: return snapshot.tid;
    case WaitObjectRole: return QVariant::fromValue<qulonglong>(waitOf(id).value_or(WaitsOn()).object);
    case WaitTargetRole: return waitOf(id).value_or(WaitsOn()).target;
    default: return {};
    }
}

QVariant CoroutineTableModel::columnValue(const CoroutineSnapshot &snapshot, int column) const
{
    const auto number = [](std::uint64_t value) { return QVariant::fromValue<qulonglong>(value); };
    switch (column) {
    case IdColumn: return snapshot.id;
    case NameColumn: return nameOf(snapshot.id);
    case StateColumn: return static_cast<int>(snapshot.state);
    case SinceColumn: return number(snapshot.since);
    case WhereColumn: return snapshot.site;
    case WaitsOnColumn: {
        const std::optional<WaitsOn> wait = waitOf(snapshot.id);
        return wait ? QVariant(static_cast<int>(wait->kind)) : QVariant();
    }
    case ThreadColumn: return snapshot.tid;
    case ProcessColumn: return snapshot.pid;
    case ParentColumn: return m_population ? m_population->parentOf(snapshot.id) : kNoCoroutine;
    case EventsColumn: return number(snapshot.events);
    case LostColumn: return number(snapshot.lost);
    case RunTimeColumn: return number(runningSoFar(snapshot, nowOf(snapshot)));
    case SuspendedTimeColumn: return number(suspendedSoFar(snapshot, nowOf(snapshot)));
    case BirthColumn: return number(snapshot.birthTs);
    default: return {};
    }
}

QVariant CoroutineTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case IdColumn: return tr("Id");
    case NameColumn: return tr("Name");
    case StateColumn: return tr("State");
    case SinceColumn: return tr("Since");
    case WhereColumn: return tr("Where");
    case WaitsOnColumn: return tr("Waits on");
    case ThreadColumn: return tr("Thread");
    case ProcessColumn: return tr("Process");
    case ParentColumn: return tr("Parent");
    case EventsColumn: return tr("Events");
    case LostColumn: return tr("Lost");
    case RunTimeColumn: return tr("Running");
    case SuspendedTimeColumn: return tr("Suspended");
    case BirthColumn: return tr("Born");
    default: return {};
    }
}

QHash<int, QByteArray> CoroutineTableModel::roleNames() const
{
    QHash<int, QByteArray> names = QAbstractTableModel::roleNames();
    const QMetaEnum roles = QMetaEnum::fromType<Roles>();
    for (int i = 0; i < roles.keyCount(); ++i)
        names.insert(roles.value(i), roles.key(i));
    return names;
}

void CoroutineTableModel::sort(int column, Qt::SortOrder order)
{
    OrderSpec spec = m_spec;
    const bool known = column >= 0 && column < ColumnCount;
    spec.key = known ? static_cast<OrderKey>(column) : OrderKey::Id;
    spec.descending = known && order == Qt::DescendingOrder;
    setSpec(std::move(spec));
}

int CoroutineTableModel::sortColumn() const
{
    return static_cast<int>(m_spec.key);
}

Qt::SortOrder CoroutineTableModel::sortOrder() const
{
    return m_spec.descending ? Qt::DescendingOrder : Qt::AscendingOrder;
}

void CoroutineTableModel::setStateMask(std::uint32_t states)
{
    OrderSpec spec = m_spec;
    spec.states = states;
    setSpec(std::move(spec));
}

void CoroutineTableModel::setGeneratorsShown(bool shown)
{
    OrderSpec spec = m_spec;
    spec.generators = shown;
    setSpec(std::move(spec));
}

void CoroutineTableModel::setTextFilter(const QString &text)
{
    OrderSpec spec = m_spec;
    spec.text = text.trimmed().toStdString();
    setSpec(std::move(spec));
}

CoroutineId CoroutineTableModel::idAt(int row) const
{
    return row >= 0 && row < rowCount() ? m_order[static_cast<std::size_t>(row)] : kNoCoroutine;
}

int CoroutineTableModel::rowOf(CoroutineId id) const
{
    return id < m_rows.size() ? m_rows[id] : -1;
}

CoroutineSnapshot CoroutineTableModel::snapshotOf(CoroutineId id) const
{
    if (m_frozen)
        return id < m_frozen->snapshots.size() ? m_frozen->snapshots[id] : CoroutineSnapshot();
    return m_population ? m_population->at(id) : CoroutineSnapshot();
}

std::optional<WaitsOn> CoroutineTableModel::waitOf(CoroutineId id) const
{
    if (m_frozen) {
        const auto found = m_frozen->waits.find(id);
        return found == m_frozen->waits.end() ? std::nullopt : std::optional(found->second);
    }
    return m_population ? m_population->notes(id).waitsOn : std::nullopt;
}

QString CoroutineTableModel::nameOf(CoroutineId id) const
{
    return m_population && m_population->hasName(id) ? QString::fromStdString(m_population->notes(id).name) : QString();
}

void CoroutineTableModel::setSpec(OrderSpec spec)
{
    if (spec == m_spec)
        return;
    m_spec = std::move(spec);
    startOrdering();
}

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
    applyOrder(std::move(job->order), job->count);
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

void CoroutineTableModel::reportChanges()
{
    m_seen.resize(m_population->pageCount(), 0);
    std::vector<std::uint32_t> pages;
    bool anyEvicted = false;
    for (std::uint32_t page = 0; page < m_seen.size(); ++page) {
        const std::uint64_t version = m_population->pageVersion(page);
        if (version != m_seen[page])
            pages.push_back(page);
        anyEvicted = anyEvicted || (version != m_seen[page] && !m_population->isPageKept(page));
        m_seen[page] = version;
    }
    if (pages.empty())
        return;
    m_changedSinceSort = true;
    if (anyEvicted)
        removeEvicted();
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
void CoroutineTableModel::removeEvicted()
{
    std::vector<CoroutineId> kept;
    std::copy_if(m_order.begin(), m_order.end(), std::back_inserter(kept),
                 [this](CoroutineId id) { return m_population->isKept(id); });
    applyOrder(std::move(kept), m_rows.size());
}

void CoroutineTableModel::reportTime()
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
