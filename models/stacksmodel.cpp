// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stacksmodel.h"

#include "models/rowchanges.h"

#include <QScopedValueRollback>

#include <algorithm>

namespace ct {

/// A reading in progress. The worker fills `stacks` and `watched`, then passes the job to the GUI thread in a queued
/// call.
struct StacksModel::Job {
    std::vector<ReportedStack> stacks;
    std::shared_ptr<const WatchedTime> watched;
};

struct StacksModel::Group {
    std::uint64_t serial = 0;  ///< unique in the life of the model
    std::string key;
    ReportedStack stack;
    /// For each link that a view has expanded: its coroutines, in the order of the rows; else empty.
    std::vector<std::vector<CoroutineId>> loaded;
};

/// The row that an index stands for.
struct StacksModel::Position {
    const Group *group = nullptr;
    Kind kind = Kind::Group;
    int link = 0;
    int row = 0;  ///< of a coroutine
};

namespace {

/// Requests the locations of this many addresses, those of the most frequent stacks.
constexpr std::size_t kMostRequested = 1000;

// Internal ids: 0 for a group; serial * kIds + 1 for a link; serial * kIds + 2 + link for a coroutine.
constexpr quintptr kIds = quintptr{1} << 27;  // a stack has at most Population::kMostCoroutines links

std::string keyOf(const ReportedStack &stack)
{
    std::string key = stack.state;
    for (const std::string &link : stack.links)
        key += '\n' + link;
    return key;
}

/// The coroutines of a link, ascending.
std::vector<CoroutineId> coroutinesOf(const ReportedStack &stack, std::size_t link)
{
    std::vector<CoroutineId> ids;
    for (std::size_t i = link; i < stack.coroutines.size(); i += stack.links.size())
        ids.push_back(stack.coroutines[i]);
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::vector<ReportedStack> readStacks(const Population &population, std::uint64_t now, AddressResolver *resolver)
{
    const std::vector<ChainGroup> groups = chainGroupsOf(population);
    std::size_t requested = 0;
    for (const ChainGroup &group : groups) {
        for (const ChainLink &link : group.links) {
            if (!resolver || link.addr == 0 || requested == kMostRequested)
                continue;
            ++requested;
            static_cast<void>(resolver->resolveOrRequest(
                {link.coroutine, population.at(link.coroutine).pid, link.addr, link.since, true}));
        }
    }
    return reportedStacks(groups, now, population, resolver);
}

bool fits(const ReportedStack &stack, const QString &filter)
{
    const auto contains = [&filter](const std::string &text) {
        return QString::fromStdString(text).contains(filter, Qt::CaseInsensitive);
    };
    return filter.isEmpty() || contains(stack.state) || std::any_of(stack.links.begin(), stack.links.end(), contains);
}

}  // namespace

StacksModel::StacksModel(QObject *parent) : QAbstractItemModel(parent) {}

StacksModel::~StacksModel()
{
    m_worker.waitForDone();
}

void StacksModel::setTrace(std::shared_ptr<const Population> population, std::shared_ptr<AddressResolver> resolver)
{
    beginResetModel();
    m_job.reset();
    m_version = 0;
    m_population = std::move(population);
    m_resolver = std::move(resolver);
    m_stacks.clear();
    m_watched.reset();
    m_groups.clear();
    m_rowOf.clear();
    m_count = 0;
    m_hidden = 0;
    endResetModel();
    Q_EMIT sampled();
}

void StacksModel::sample()
{
    if (!m_population || m_job)
        return;
    // Each part grows with every change; their sum is equal only if none has changed.
    const std::uint64_t version = 1 + m_population->now() + m_population->captured() + m_population->size() +
                                  (m_resolver ? m_resolver->generation() : 0);
    if (version == m_version)
        return;
    m_version = version;
    auto job = std::make_shared<Job>();
    m_job = job;
    const auto read = [job, population = m_population, resolver = m_resolver] {
        const std::uint64_t now = population->now();
        job->stacks = readStacks(*population, now, resolver.get());
        job->watched = std::make_shared<const WatchedTime>(*population, now);
    };
    // `this` outlives the worker, because the destructor waits for it. Qt discards the queued call if `this` is
    // deleted.
    const auto readInBackground = [this, job, read] {
        read();
        QMetaObject::invokeMethod(
            this, [this, job] { finish(job); }, Qt::QueuedConnection);
    };
    if (m_worker.start(readInBackground))
        return;
    read();
    finish(job);
}

void StacksModel::finish(const std::shared_ptr<Job> &job)
{
    if (job != m_job)
        return;
    m_job.reset();
    m_stacks = std::move(job->stacks);
    m_watched = std::move(job->watched);
    m_count = 0;
    for (const ReportedStack &stack : m_stacks)
        m_count += stack.count;
    apply();
    Q_EMIT sampled();
}

void StacksModel::setFilterText(const QString &text)
{
    if (text == m_filter)
        return;
    m_filter = text;
    apply();
    Q_EMIT sampled();
}

void StacksModel::apply()
{
    const QScopedValueRollback changing(m_changing, true);
    std::unordered_map<std::string, std::size_t> wanted;  // positions in m_stacks by key
    m_hidden = 0;
    for (std::size_t i = 0; i < m_stacks.size(); ++i) {
        if (!fits(m_stacks[i], m_filter))
            continue;
        if (wanted.size() < kMostGroups)
            wanted.emplace(keyOf(m_stacks[i]), i);
        else
            ++m_hidden;
    }
    removeGone(wanted);
    std::vector<bool> isShown(m_stacks.size());
    for (std::size_t row = 0; row < m_groups.size(); ++row) {
        const std::size_t position = wanted.at(m_groups[row].key);
        isShown[position] = true;
        update(row, m_stacks[position]);
    }
    std::vector<std::pair<std::size_t, std::string>> added;
    for (const auto &[key, position] : wanted)
        if (!isShown[position])
            added.emplace_back(position, key);
    if (!added.empty()) {
        std::sort(added.begin(), added.end());
        beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(added.size()) - 1);
        for (const auto &[position, key] : added) {
            const ReportedStack &stack = m_stacks[position];
            m_groups.push_back({++m_serials, key, stack, std::vector<std::vector<CoroutineId>>(stack.links.size())});
        }
        numberRows();
        endInsertRows();
    }
    order(wanted);
    if (!m_groups.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void StacksModel::removeGone(const std::unordered_map<std::string, std::size_t> &wanted)
{
    const std::vector<RowRange> gone =
        rangesOf(m_groups.size(), [&](std::size_t row) { return !wanted.contains(m_groups[row].key); });
    for (auto range = gone.rbegin(); range != gone.rend(); ++range) {
        beginRemoveRows({}, range->first, range->last);
        m_groups.erase(m_groups.begin() + range->first, m_groups.begin() + range->last + 1);
        numberRows();
        endRemoveRows();
    }
}

void StacksModel::update(std::size_t row, const ReportedStack &stack)
{
    Group &group = m_groups[row];
    group.stack = stack;
    for (int link = 0; link < static_cast<int>(group.loaded.size()); ++link)
        if (!group.loaded[static_cast<std::size_t>(link)].empty())
            updateCoroutines(row, link, coroutinesOf(stack, static_cast<std::size_t>(link)));
}

/// Both lists are ascending, so removals and insertions suffice.
void StacksModel::updateCoroutines(std::size_t row, int link, std::vector<CoroutineId> coroutines)
{
    std::vector<CoroutineId> &present = m_groups[row].loaded[static_cast<std::size_t>(link)];
    const QModelIndex parent = linkIndex(m_groups[row], link);
    const auto missing = [](const std::vector<CoroutineId> &from, const std::vector<CoroutineId> &in) {
        return rangesOf(from.size(), [&](std::size_t i) { return !std::binary_search(in.begin(), in.end(), from[i]); });
    };
    std::vector<RowRange> gone = missing(present, coroutines);
    if (gone.size() > kManyRanges)
        gone = {{0, static_cast<int>(present.size()) - 1}};  // the selection is lost, but the view stays fast
    for (auto range = gone.rbegin(); range != gone.rend(); ++range) {
        beginRemoveRows(parent, range->first, range->last);
        present.erase(present.begin() + range->first, present.begin() + range->last + 1);
        endRemoveRows();
    }
    std::vector<RowRange> fresh = missing(coroutines, present);
    if (fresh.size() > kManyRanges && !present.empty()) {
        beginRemoveRows(parent, 0, static_cast<int>(present.size()) - 1);
        present.clear();
        endRemoveRows();
        fresh = {{0, static_cast<int>(coroutines.size()) - 1}};
    }
    for (const RowRange &range : fresh) {
        beginInsertRows(parent, range.first, range.last);
        present.insert(present.begin() + range.first, coroutines.begin() + range.first,
                       coroutines.begin() + range.last + 1);
        endInsertRows();
    }
}

void StacksModel::order(const std::unordered_map<std::string, std::size_t> &wanted)
{
    const auto isBefore = [&wanted](const Group &a, const Group &b) { return wanted.at(a.key) < wanted.at(b.key); };
    if (std::is_sorted(m_groups.begin(), m_groups.end(), isBefore))
        return;
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    QModelIndexList before;
    std::vector<std::uint64_t> serials;
    for (const QModelIndex &index : persistentIndexList()) {
        if (index.internalId() != 0)
            continue;
        before.append(index);
        serials.push_back(m_groups[static_cast<std::size_t>(index.row())].serial);
    }
    std::sort(m_groups.begin(), m_groups.end(), isBefore);
    numberRows();
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i)
        after.append(createIndex(static_cast<int>(m_rowOf.at(serials[static_cast<std::size_t>(i)])), before[i].column(),
                                 quintptr{0}));
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

void StacksModel::numberRows()
{
    m_rowOf.clear();
    for (std::size_t row = 0; row < m_groups.size(); ++row)
        m_rowOf.emplace(m_groups[row].serial, row);
}

QModelIndex StacksModel::linkIndex(const Group &group, int link) const
{
    return createIndex(link, 0, quintptr{group.serial} * kIds + 1);
}

StacksModel::Position StacksModel::positionOf(const QModelIndex &index) const
{
    Position position;
    if (!index.isValid())
        return position;
    const quintptr id = index.internalId();
    const auto found = id == 0 ? m_rowOf.end() : m_rowOf.find(id / kIds);
    if (id != 0 && found == m_rowOf.end())
        return position;
    const std::size_t row = id == 0 ? static_cast<std::size_t>(index.row()) : found->second;
    if (row >= m_groups.size())
        return position;
    position.group = &m_groups[row];
    if (id % kIds == 1) {
        position.kind = Kind::Link;
        position.link = index.row();
    } else if (id != 0) {
        position.kind = Kind::Coroutine;
        position.link = static_cast<int>(id % kIds) - 2;
        position.row = index.row();
    }
    return position;
}

QModelIndex StacksModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    if (!parent.isValid())
        return createIndex(row, column, quintptr{0});
    const Position position = positionOf(parent);
    const quintptr serial = position.group->serial;
    if (position.kind == Kind::Group)
        return createIndex(row, column, serial * kIds + 1);
    return createIndex(row, column, serial * kIds + 2 + static_cast<quintptr>(position.link));
}

QModelIndex StacksModel::parent(const QModelIndex &index) const
{
    const Position position = positionOf(index);
    if (!position.group || position.kind == Kind::Group)
        return {};
    return position.kind == Kind::Link ? groupIndex(m_rowOf.at(position.group->serial))
                                       : linkIndex(*position.group, position.link);
}

int StacksModel::rowCount(const QModelIndex &parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_groups.size());
    const Position position = positionOf(parent);
    if (!position.group || parent.column() != 0 || position.kind == Kind::Coroutine)
        return 0;
    if (position.kind == Kind::Group)
        return static_cast<int>(position.group->stack.links.size());
    return static_cast<int>(position.group->loaded[static_cast<std::size_t>(position.link)].size());
}

int StacksModel::columnCount(const QModelIndex &) const
{
    return ColumnCount;
}

bool StacksModel::hasChildren(const QModelIndex &parent) const
{
    if (!parent.isValid())
        return !m_groups.empty();
    return parent.column() == 0 && positionOf(parent).kind != Kind::Coroutine;
}

bool StacksModel::canFetchMore(const QModelIndex &parent) const
{
    const Position position = positionOf(parent);
    return !m_changing && position.group && position.kind == Kind::Link && rowCount(parent) == 0;
}

void StacksModel::fetchMore(const QModelIndex &parent)
{
    if (!canFetchMore(parent))
        return;
    const Position position = positionOf(parent);
    const auto link = static_cast<std::size_t>(position.link);
    std::vector<CoroutineId> coroutines = coroutinesOf(position.group->stack, link);
    const QScopedValueRollback changing(m_changing, true);
    beginInsertRows(parent, 0, static_cast<int>(coroutines.size()) - 1);
    m_groups[m_rowOf.at(position.group->serial)].loaded[link] = std::move(coroutines);
    endInsertRows();
}

Qt::ItemFlags StacksModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags flags = QAbstractItemModel::flags(index);
    // Without this flag, QTreeView::expandAll() keeps a persistent index for each of 100,000 leaves.
    return positionOf(index).kind == Kind::Coroutine ? flags | Qt::ItemNeverHasChildren : flags;
}

CoroutineId StacksModel::coroutineOf(const Position &position) const
{
    const ReportedStack &stack = position.group->stack;
    const auto link = static_cast<std::size_t>(position.link);
    if (position.kind == Kind::Coroutine)
        return position.group->loaded[link][static_cast<std::size_t>(position.row)];
    return stack.count == 1 ? stack.coroutines[position.kind == Kind::Link ? link : 0] : kNoCoroutine;
}

QVariant StacksModel::value(const Position &position, int column) const
{
    const ReportedStack &stack = position.group->stack;
    const bool isStack = column == StackColumn;
    switch (position.kind) {
    case Kind::Group:
        return isStack ? QVariant(QString::fromStdString(stack.state))
                       : QVariant::fromValue<qulonglong>(stack.longestNs);
    case Kind::Link:
        return isStack ? QVariant(QString::fromStdString(stack.links[static_cast<std::size_t>(position.link)]))
                       : QVariant();
    case Kind::Coroutine: break;
    }
    const CoroutineId id = coroutineOf(position);
    if (isStack)
        return id;
    const CoroutineSnapshot snapshot = m_population->at(id);
    return QVariant::fromValue<qulonglong>(m_watched->since(snapshot.pid, snapshot.stateSince()));
}

QVariant StacksModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Position position = positionOf(index);
    if (!position.group)
        return {};
    switch (role) {
    case Qt::DisplayRole: return value(position, index.column());
    case KindRole: return QVariant::fromValue(position.kind);
    case CountRole:
        return QVariant::fromValue<qulonglong>(position.kind == Kind::Coroutine ? 1 : position.group->stack.count);
    case CoroutineIdRole: return coroutineOf(position);
    case StackTextRole: return QString::fromStdString(stackText(position.group->stack));
    default: return {};
    }
}

QVariant StacksModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == StackColumn ? tr("Stack") : section == LongestColumn ? tr("Longest") : QVariant();
}

}  // namespace ct
