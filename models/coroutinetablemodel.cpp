// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/coroutinetablemodel.h"

#include <QMetaEnum>

namespace ct {

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
    m_groups.clear();
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
    case SortRole: return columnValue(withGroup(snapshot), index.column());
    case SiteIdRole: return snapshot.site;
    case AddressRole: return QVariant::fromValue<qulonglong>(snapshot.addr);
    case StateRole: return static_cast<int>(snapshot.state);
    case KindRole: return static_cast<int>(snapshot.kind);
    case SinceRole: return QVariant::fromValue<qulonglong>(snapshot.stateSince());
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
    case GroupSizeRole: return groupSize(id);
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
    case SinceColumn: return number(snapshot.stateSince());
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

bool CoroutineTableModel::isFiltered() const
{
    OrderSpec spec = m_spec;
    spec.groupGenerators = false;
    return spec.filters();
}

std::vector<CoroutineId> CoroutineTableModel::filteredIds() const
{
    if (!m_population)
        return {};
    OrderSpec spec;
    spec.states = m_spec.states;
    spec.text = m_spec.text;
    return computeOrder(*m_population, m_population->size(), spec, false, m_resolver.get()).ids;
}

void CoroutineTableModel::setStateMask(std::uint32_t states)
{
    OrderSpec spec = m_spec;
    spec.states = states;
    setSpec(std::move(spec));
}

void CoroutineTableModel::setGeneratorsGrouped(bool grouped)
{
    OrderSpec spec = m_spec;
    spec.groupGenerators = grouped;
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

int CoroutineTableModel::rowShowing(CoroutineId id) const
{
    if (const int row = rowOf(id); row >= 0 || m_groups.empty())
        return row;
    const GeneratorFunctions functions(*m_population);
    const std::uint64_t wanted = functions.groupOf(snapshotOf(id));
    const auto group = std::find_if(m_groups.begin(), m_groups.end(), [&](const auto &entry) {
        return wanted != 0 && functions.groupOf(snapshotOf(entry.first)) == wanted;
    });
    return group != m_groups.end() ? rowOf(group->first) : -1;
}

CoroutineSnapshot CoroutineTableModel::snapshotOf(CoroutineId id) const
{
    if (m_frozen)
        return id < m_frozen->snapshots.size() ? m_frozen->snapshots[id] : CoroutineSnapshot();
    return m_population ? m_population->at(id) : CoroutineSnapshot();
}

std::uint32_t CoroutineTableModel::groupSize(CoroutineId id) const
{
    const auto group = m_groups.find(id);
    return group == m_groups.end() ? 1 : group->second.others + 1;
}

CoroutineSnapshot CoroutineTableModel::withGroup(CoroutineSnapshot snapshot) const
{
    const auto group = m_groups.find(snapshot.id);
    return group == m_groups.end() ? snapshot : group->second.sumWith(snapshot);
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

void CoroutineTableModel::appendBirths()
{
    const CoroutineId known = m_rows.size();
    const CoroutineId size = m_population->size();
    if (size == known)
        return;
    std::vector<CoroutineId> shown;
    if (m_spec.filters()) {
        const OrderFilter filter(*m_population, m_spec, m_resolver.get());
        std::optional<GeneratorFunctions> generators;
        if (m_spec.groupGenerators)
            generators.emplace(*m_population);
        for (CoroutineId id = known; id < size; ++id) {
            const CoroutineSnapshot snapshot = m_population->at(id);
            // The next ordering adds a generator to its group.
            if (filter.accepts(snapshot) && (!generators || generators->groupOf(snapshot) == 0))
                shown.push_back(id);
        }
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

void CoroutineTableModel::reportTime()
{
    if (!m_order.empty())
        Q_EMIT dataChanged(index(0, SinceColumn), index(rowCount() - 1, SuspendedTimeColumn),
                           {Qt::DisplayRole, SortRole, NowRole});
}

}  // namespace ct
