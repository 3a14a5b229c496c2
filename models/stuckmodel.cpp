// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stuckmodel.h"

#include "models/rowchanges.h"

#include <QMetaEnum>
#include <QSet>

#include <algorithm>

namespace ct {

/// A judgement in progress. The worker fills `found`, then passes the job to the GUI thread in a queued call.
struct StuckModel::Job {
    std::uint64_t now = 0;
    std::vector<StuckGroup> found;
};

/// One lasting suspension; a new suspension of the same coroutine is another child. Sorted by start, the earliest
/// first: this order never changes while the suspensions last.
struct StuckModel::Child {
    std::uint64_t since = 0;
    CoroutineId id = kNoCoroutine;
    std::uint64_t probeId = 0;
    std::uint64_t addr = 0;
    std::uint64_t suspendedNs = 0;  ///< while the process was alive and traced; at the latest sample

    bool operator==(const Child &other) const { return since == other.since && id == other.id; }
    bool operator<(const Child &other) const { return since != other.since ? since < other.since : id < other.id; }
};

struct StuckModel::Group {
    SiteId site = kUnknownSite;
    std::optional<std::uint64_t> usualNs;
    Child longest;
    std::vector<Child> children;  ///< sorted; empty only during an update
};

namespace {

QVariant number(std::uint64_t value)
{
    return QVariant::fromValue<qulonglong>(value);
}

/// Returns kUnknownSite for a location that was resolved from an address.
SiteId siteOf(SiteId group)
{
    return group >= StuckLocations::kFirst ? kUnknownSite : group;
}

QVariant optionalNumber(std::optional<std::uint64_t> value)
{
    return value ? number(*value) : QVariant();
}

}  // namespace

// A group has the internal id 0. A child has the site of its group + 1, so its index stays valid when groups move.

StuckModel::StuckModel(QObject *parent) : QAbstractItemModel(parent) {}

StuckModel::~StuckModel()
{
    cancelJudging();
}

void StuckModel::setPopulation(const Population *population)
{
    cancelJudging();
    beginResetModel();
    m_population = population;
    m_groups.clear();
    m_rowOfSite.clear();
    const bool hadSome = m_count != 0;
    m_count = 0;
    endResetModel();
    if (hadSome)
        Q_EMIT stuckCountChanged(0);
}

void StuckModel::sample()
{
    if (!m_population || m_job)
        return;
    auto job = std::make_shared<Job>();
    job->now = m_population->now();
    const auto judge = [job, population = m_population, rule = m_rule] {
        job->found = findStuck(*population, job->now, rule);
    };
    m_job = job;
    // `this` outlives the worker, because the destructor waits for it. Qt discards the queued call if `this` is
    // deleted.
    const auto judgeInBackground = [this, job, judge] {
        judge();
        QMetaObject::invokeMethod(
            this, [this, job] { finishJudging(job); }, Qt::QueuedConnection);
    };
    if (m_population->size() >= kBackgroundFrom && m_worker.start(judgeInBackground))
        return;
    judge();
    finishJudging(job);
}

void StuckModel::finishJudging(const std::shared_ptr<Job> &job)
{
    if (job != m_job)
        return;
    m_job.reset();
    m_locations.divide(*m_population, job->found);
    apply(job->found);
}

// Waits for the worker, which reads the population. A judgement lasts some milliseconds.
void StuckModel::cancelJudging()
{
    m_job.reset();
    m_worker.waitForDone();
}

QModelIndex StuckModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    if (!parent.isValid())
        return createIndex(row, column, quintptr{0});
    return createIndex(row, column, quintptr{m_groups[static_cast<std::size_t>(parent.row())].site} + 1);
}

QModelIndex StuckModel::parent(const QModelIndex &index) const
{
    if (!index.isValid() || index.internalId() == 0)
        return {};
    const int row = m_rowOfSite.value(static_cast<SiteId>(index.internalId() - 1), -1);
    return row < 0 ? QModelIndex() : groupIndex(row);
}

int StuckModel::rowCount(const QModelIndex &parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_groups.size());
    if (parent.internalId() != 0 || parent.column() != 0)
        return 0;
    const Group *group = groupOf(parent);
    return group ? static_cast<int>(group->children.size()) : 0;
}

int StuckModel::columnCount(const QModelIndex &) const
{
    return ColumnCount;
}

const StuckModel::Group *StuckModel::groupOf(const QModelIndex &index) const
{
    const int row =
        index.internalId() == 0 ? index.row() : m_rowOfSite.value(static_cast<SiteId>(index.internalId() - 1), -1);
    return row >= 0 && row < rowCount() ? &m_groups[static_cast<std::size_t>(row)] : nullptr;
}

AddressResolver::Answer StuckModel::locationOf(const QModelIndex &group) const
{
    const Group *found = group.isValid() ? groupOf(group) : nullptr;
    return found ? m_locations.locationOf(found->site) : nullptr;
}

Qt::ItemFlags StuckModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags flags = QAbstractItemModel::flags(index);
    // Without this flag, QTreeView::expandAll() keeps a persistent index for each of 100,000 leaves.
    return index.isValid() && index.internalId() != 0 ? flags | Qt::ItemNeverHasChildren : flags;
}

QVariant StuckModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Group *group = groupOf(index);
    if (!group || (role != Qt::DisplayRole && role < Qt::UserRole))
        return {};
    if (role == SortRole)
        role = Qt::DisplayRole;
    if (index.internalId() == 0)
        return groupValue(*group, index.column(), role);
    return childValue(*group, group->children[static_cast<std::size_t>(index.row())], index.column(), role);
}

QVariant StuckModel::groupValue(const Group &group, int column, int role) const
{
    switch (role) {
    case CoroutineIdRole: return kNoCoroutine;
    case SiteIdRole: return siteOf(group.site);
    case AddressRole: return number(group.longest.addr);
    case ProbeIdRole: return number(0);
    case SinceRole: return number(group.longest.since);
    case IsGroupRole: return true;
    case Qt::DisplayRole: break;
    default: return {};
    }
    switch (column) {
    case WhereColumn: return group.site;
    case CountColumn: return static_cast<int>(group.children.size());
    case LongestColumn: return number(group.longest.suspendedNs);
    case UsualColumn: return optionalNumber(group.usualNs);
    default: return {};
    }
}

QVariant StuckModel::childValue(const Group &group, const Child &child, int column, int role) const
{
    switch (role) {
    case CoroutineIdRole: return child.id;
    case SiteIdRole: return siteOf(group.site);
    case AddressRole: return number(child.addr);
    case ProbeIdRole: return number(child.probeId);
    case SinceRole: return number(child.since);
    case IsGroupRole: return false;
    case Qt::DisplayRole: break;
    default: return {};
    }
    switch (column) {
    case WhereColumn: return child.id;
    case CountColumn: return 1;
    case LongestColumn: return number(child.suspendedNs);
    case UsualColumn: return optionalNumber(group.usualNs);
    default: return {};
    }
}

QVariant StuckModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case WhereColumn: return tr("Where");
    case CountColumn: return tr("Count");
    case LongestColumn: return tr("Waiting");
    case UsualColumn: return tr("Usually");
    default: return {};
    }
}

QHash<int, QByteArray> StuckModel::roleNames() const
{
    QHash<int, QByteArray> names = QAbstractItemModel::roleNames();
    const QMetaEnum roles = QMetaEnum::fromType<Roles>();
    for (int i = 0; i < roles.keyCount(); ++i)
        names.insert(roles.value(i), roles.key(i));
    return names;
}

void StuckModel::rebuildRows()
{
    m_rowOfSite.clear();
    for (std::size_t row = 0; row < m_groups.size(); ++row)
        m_rowOfSite.insert(m_groups[row].site, static_cast<int>(row));
}

void StuckModel::apply(const std::vector<StuckGroup> &found)
{
    removeGone(found);
    int count = 0;
    for (const StuckGroup &group : found) {
        count += static_cast<int>(group.coroutines.size());
        const int row = m_rowOfSite.value(group.site, -1);
        if (row < 0) {
            addGroup(group);
            continue;
        }
        m_groups[static_cast<std::size_t>(row)].usualNs = group.usualNs;
        m_groups[static_cast<std::size_t>(row)].longest = childOf(group.coroutines.front());
        updateChildren(row, childrenOf(group));
    }
    orderGroups(found);
    reportValues();
    if (count != m_count) {
        m_count = count;
        Q_EMIT stuckCountChanged(count);
    }
}

StuckModel::Child StuckModel::childOf(const StuckCoroutine &stuck)
{
    return {stuck.since, stuck.coroutine, stuck.probeId, stuck.addr, stuck.suspendedNs};
}

std::vector<StuckModel::Child> StuckModel::childrenOf(const StuckGroup &found)
{
    std::vector<Child> children;
    children.reserve(found.coroutines.size());
    for (const StuckCoroutine &stuck : found.coroutines)
        children.push_back(childOf(stuck));
    // `found` is sorted by suspended time. Its order differs only where processes have ended or were not always traced.
    if (!std::is_sorted(children.begin(), children.end()))
        std::sort(children.begin(), children.end());
    return children;
}

void StuckModel::removeGone(const std::vector<StuckGroup> &found)
{
    QSet<SiteId> sites;
    for (const StuckGroup &group : found)
        sites.insert(group.site);
    for (std::size_t row = m_groups.size(); row-- > 0;) {
        if (sites.contains(m_groups[row].site))
            continue;
        beginRemoveRows({}, static_cast<int>(row), static_cast<int>(row));
        m_groups.erase(m_groups.begin() + static_cast<std::ptrdiff_t>(row));
        rebuildRows();
        endRemoveRows();
    }
}

void StuckModel::addGroup(const StuckGroup &found)
{
    const int row = rowCount();
    beginInsertRows({}, row, row);
    m_groups.push_back({found.site, found.usualNs, childOf(found.coroutines.front()), childrenOf(found)});
    m_rowOfSite.insert(found.site, row);
    endInsertRows();
}

// Both lists have the same order, so removals and insertions suffice.
void StuckModel::updateChildren(int row, std::vector<Child> children)
{
    std::vector<Child> &present = m_groups[static_cast<std::size_t>(row)].children;
    const auto isIn = [](const std::vector<Child> &list, const Child &child) {
        return std::binary_search(list.begin(), list.end(), child);
    };
    const std::vector<RowRange> gone =
        rangesOf(present.size(), [&](std::size_t i) { return !isIn(children, present[i]); });
    const std::vector<RowRange> fresh =
        rangesOf(children.size(), [&](std::size_t i) { return !isIn(present, children[i]); });
    if (gone.size() + fresh.size() > kManyRanges) {
        replaceChildren(row, std::move(children));
        return;
    }
    for (auto range = gone.rbegin(); range != gone.rend(); ++range) {
        beginRemoveRows(groupIndex(row), range->first, range->last);
        present.erase(present.begin() + range->first, present.begin() + range->last + 1);
        endRemoveRows();
    }
    for (const RowRange &range : fresh) {
        beginInsertRows(groupIndex(row), range.first, range.last);
        present.insert(present.begin() + range.first, children.begin() + range.first,
                       children.begin() + range.last + 1);
        endInsertRows();
    }
    present = std::move(children);  // the same coroutines, with their current values
}

void StuckModel::replaceChildren(int row, std::vector<Child> children)
{
    const QModelIndex parent = groupIndex(row);
    Q_EMIT layoutAboutToBeChanged({parent});
    std::vector<Child> &present = m_groups[static_cast<std::size_t>(row)].children;
    QModelIndexList before;
    QModelIndexList after;
    for (const QModelIndex &index : persistentIndexList()) {
        if (index.parent() != parent)
            continue;
        const Child &child = present[static_cast<std::size_t>(index.row())];
        const auto at = std::lower_bound(children.begin(), children.end(), child);
        before.append(index);
        const bool stays = at != children.end() && *at == child;
        const int newRow = static_cast<int>(at - children.begin());
        after.append(stays ? createIndex(newRow, index.column(), index.internalId()) : QModelIndex());
    }
    present = std::move(children);
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({parent});
}

void StuckModel::orderGroups(const std::vector<StuckGroup> &found)
{
    const bool isOrdered = std::equal(m_groups.begin(), m_groups.end(), found.begin(), found.end(),
                                      [](const Group &a, const StuckGroup &b) { return a.site == b.site; });
    if (isOrdered)
        return;
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    QModelIndexList before;
    std::vector<SiteId> sites;
    for (const QModelIndex &index : persistentIndexList()) {
        if (index.internalId() != 0)
            continue;
        before.append(index);
        sites.push_back(m_groups[static_cast<std::size_t>(index.row())].site);
    }
    QHash<SiteId, int> position;
    for (const StuckGroup &group : found)
        position.insert(group.site, static_cast<int>(position.size()));
    std::sort(m_groups.begin(), m_groups.end(),
              [&](const Group &a, const Group &b) { return position.value(a.site) < position.value(b.site); });
    rebuildRows();
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i)
        after.append(
            createIndex(m_rowOfSite.value(sites[static_cast<std::size_t>(i)]), before[i].column(), quintptr{0}));
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

// Emits dataChanged() for all rows, because every waiting time has grown.
void StuckModel::reportValues()
{
    if (m_groups.empty())
        return;
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    for (int row = 0; row < rowCount(); ++row) {
        const QModelIndex parent = groupIndex(row);
        Q_EMIT dataChanged(index(0, LongestColumn, parent), index(rowCount(parent) - 1, UsualColumn, parent));
    }
}

}  // namespace ct
