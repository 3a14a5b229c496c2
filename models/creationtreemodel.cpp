// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/creationtreemodel.h"

#include "models/rowchanges.h"

#include <QMetaEnum>
#include <QScopedValueRollback>

#include <algorithm>

namespace ct {

namespace {

constexpr std::chrono::milliseconds kBudget{6};  // time on the GUI thread for one sample
constexpr std::size_t kMostChecked = 50'000;     ///< children of one node that one prepare() may check
constexpr std::size_t kDeepestRevealed = 200;    ///< levels that reveal() opens

bool contains(const std::vector<CoroutineId> &sorted, CoroutineId id)
{
    return std::binary_search(sorted.begin(), sorted.end(), id);
}

}  // namespace

/// The loaded children of one coroutine. The index of a child carries its parent's id. All ids are sorted.
struct CreationTreeModel::Node {
    std::vector<CoroutineId> rows;
    std::uint32_t more = 0;  ///< if not 0, a last row stands for so many children

    std::vector<CoroutineId> wanted;  ///< the rows that the next reconcile() creates
    std::uint32_t wantedMore = 0;

    std::size_t limit = kPortion;
    std::vector<CoroutineId> revealed;    ///< shown by reveal(), even beyond the limit or destroyed
    std::vector<CoroutineId> candidates;  ///< children not found gone; used while destroyed ones are hidden
    std::size_t copied = 0;               ///< number of children already copied to `candidates`
    bool stale = true;                    ///< `candidates` must be rebuilt

    int rowCount() const { return static_cast<int>(rows.size()) + (more > 0 ? 1 : 0); }
};

CreationTreeModel::CreationTreeModel(QObject *parent) : QAbstractItemModel(parent) {}

CreationTreeModel::~CreationTreeModel() = default;

void CreationTreeModel::setPopulation(const Population *population)
{
    beginResetModel();
    m_population = population;
    m_tree = population ? std::make_unique<CreationTree>(*population) : nullptr;
    m_nodes.clear();
    m_positions.clear();
    m_now = population ? population->now() : 0;
    m_lives = population ? ProcessLives(*population) : ProcessLives();
    if (population)
        m_nodes.emplace(kNoCoroutine, std::make_unique<Node>());
    endResetModel();
}

void CreationTreeModel::setShowDestroyed(bool show)
{
    if (show == m_showDestroyed)
        return;
    m_showDestroyed = show;
    for (const auto &[id, node] : m_nodes) {
        node->stale = true;
        node->limit = kPortion;
    }
    reconcile();
}

void CreationTreeModel::sample()
{
    if (!m_tree)
        return;
    m_now = m_population->now();
    m_lives = ProcessLives(*m_population);
    m_tree->update(kBudget);
    for (const CoroutineId id : m_tree->takeRewritten())
        if (Node *node = nodeOf(id))
            node->stale = true;
    reconcile();
    reportValues();
}

CreationTreeModel::Node *CreationTreeModel::nodeOf(CoroutineId id) const
{
    const auto found = m_nodes.find(id);
    return found == m_nodes.end() ? nullptr : found->second.get();
}

CoroutineId CreationTreeModel::idOf(const QModelIndex &index) const
{
    const Node *node = index.isValid() ? nodeOf(static_cast<CoroutineId>(index.internalId())) : nullptr;
    const auto row = static_cast<std::size_t>(index.row());
    return node && row < node->rows.size() ? node->rows[row] : kNoCoroutine;
}

QModelIndex CreationTreeModel::indexOf(CoroutineId id) const
{
    const auto found = m_positions.find(id);
    return found == m_positions.end() ? QModelIndex()
                                      : createIndex(found->second.row, 0, quintptr{found->second.parent});
}

QModelIndex CreationTreeModel::parentIndex(CoroutineId parent) const
{
    return parent == kNoCoroutine ? QModelIndex() : indexOf(parent);
}

QModelIndex CreationTreeModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, quintptr{parent.isValid() ? idOf(parent) : kNoCoroutine});
}

QModelIndex CreationTreeModel::parent(const QModelIndex &index) const
{
    return index.isValid() ? parentIndex(static_cast<CoroutineId>(index.internalId())) : QModelIndex();
}

int CreationTreeModel::rowCount(const QModelIndex &parent) const
{
    if (parent.isValid() && (parent.column() != 0 || idOf(parent) == kNoCoroutine))
        return 0;
    const Node *node = nodeOf(parent.isValid() ? idOf(parent) : kNoCoroutine);
    return node ? node->rowCount() : 0;
}

int CreationTreeModel::columnCount(const QModelIndex &) const
{
    return ColumnCount;
}

bool CreationTreeModel::hasChildren(const QModelIndex &parent) const
{
    if (!parent.isValid())
        return rowCount() > 0;
    const CoroutineId id = idOf(parent);
    if (parent.column() != 0 || id == kNoCoroutine)
        return false;
    const Node *node = nodeOf(id);
    return node ? node->rowCount() > 0 : m_tree->hasChildren(id);
}

bool CreationTreeModel::canFetchMore(const QModelIndex &parent) const
{
    if (m_changing || !parent.isValid() || parent.column() != 0)
        return false;
    const CoroutineId id = idOf(parent);
    return id != kNoCoroutine && !nodeOf(id) && m_tree->hasChildren(id);
}

void CreationTreeModel::fetchMore(const QModelIndex &parent)
{
    if (canFetchMore(parent))
        load(idOf(parent));
}

QVariant CreationTreeModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || (role != Qt::DisplayRole && role < Qt::UserRole))
        return {};
    const CoroutineId id = idOf(index);
    if (role == CoroutineIdRole)
        return id;
    if (role == MoreRole) {
        const Node *node = id == kNoCoroutine ? nodeOf(static_cast<CoroutineId>(index.internalId())) : nullptr;
        return node ? node->more : 0U;
    }
    const bool value = role == Qt::DisplayRole || role == SortRole;
    if (value && index.column() == IdColumn)
        return id;
    if (id == kNoCoroutine)
        return {};
    if (value && index.column() == ChildrenColumn)
        return static_cast<uint>(m_tree->childrenOf(id).size());
    const CoroutineSnapshot snapshot = m_population->at(id);
    if (role == NowRole)
        return QVariant::fromValue<qulonglong>(m_lives.nowOf(snapshot, m_now));
    if (role == StateRole || (value && index.column() == StateColumn))
        return static_cast<int>(snapshot.state);
    if (role == SinceRole || (value && index.column() == SinceColumn))
        return QVariant::fromValue<qulonglong>(snapshot.stateSince());
    return {};
}

QVariant CreationTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case IdColumn: return tr("Coroutine");
    case StateColumn: return tr("State");
    case SinceColumn: return tr("Since");
    case ChildrenColumn: return tr("Children");
    default: return {};
    }
}

QHash<int, QByteArray> CreationTreeModel::roleNames() const
{
    QHash<int, QByteArray> names = QAbstractItemModel::roleNames();
    const QMetaEnum roles = QMetaEnum::fromType<Roles>();
    for (int i = 0; i < roles.keyCount(); ++i)
        names.insert(roles.value(i), roles.key(i));
    return names;
}

void CreationTreeModel::load(CoroutineId id)
{
    m_nodes.emplace(id, std::make_unique<Node>());
    prepare(id, *nodeOf(id));
    insertMissing(id);
}

/// Unloads everything below a coroutine whose row is gone.
void CreationTreeModel::unload(CoroutineId id)
{
    std::vector<CoroutineId> todo = {id};
    while (!todo.empty()) {
        const auto found = m_nodes.find(todo.back());
        todo.pop_back();
        if (found == m_nodes.end())
            continue;
        for (const CoroutineId child : found->second->rows) {
            m_positions.erase(child);
            todo.push_back(child);
        }
        m_nodes.erase(found);
    }
}

/// Decides which children a node shows: fills `wanted` and `wantedMore`.
void CreationTreeModel::prepare(CoroutineId id, Node &node)
{
    const std::vector<CoroutineId> &children = m_tree->childrenOf(id);
    std::erase_if(node.revealed, [&](CoroutineId child) { return !contains(children, child); });
    node.wanted.clear();
    std::size_t rest = 0;
    if (m_showDestroyed) {
        const std::size_t count = std::min(node.limit, children.size());
        node.wanted.assign(children.begin(), children.begin() + static_cast<std::ptrdiff_t>(count));
        rest = children.size() - count;
    } else {
        if (node.stale || node.copied > children.size()) {
            node.candidates.clear();
            node.copied = 0;
        }
        node.candidates.insert(node.candidates.end(), children.begin() + static_cast<std::ptrdiff_t>(node.copied),
                               children.end());
        node.copied = children.size();
        std::size_t seen = 0;
        for (; seen < node.candidates.size() && node.wanted.size() < node.limit && seen < kMostChecked; ++seen)
            if (!m_tree->isGone(node.candidates[seen]))
                node.wanted.push_back(node.candidates[seen]);
        const auto end =
            node.candidates.erase(node.candidates.begin(), node.candidates.begin() + static_cast<std::ptrdiff_t>(seen));
        node.candidates.insert(end, node.wanted.begin(), node.wanted.end());
        rest = node.candidates.size() - node.wanted.size();
    }
    node.stale = false;
    for (const CoroutineId child : node.revealed) {
        const auto position = std::lower_bound(node.wanted.begin(), node.wanted.end(), child);
        if (position != node.wanted.end() && *position == child)
            continue;
        node.wanted.insert(position, child);
        rest -= rest > 0 && (m_showDestroyed || contains(node.candidates, child)) ? 1 : 0;
    }
    node.wantedMore = static_cast<std::uint32_t>(rest);
}

void CreationTreeModel::number(CoroutineId id, const Node &node, std::size_t from)
{
    for (std::size_t row = from; row < node.rows.size(); ++row)
        m_positions[node.rows[row]] = {id, static_cast<int>(row)};
}

void CreationTreeModel::removeUnwanted(CoroutineId id)
{
    const QScopedValueRollback changing(m_changing, true);
    Node &node = *nodeOf(id);
    const std::vector<RowRange> gone =
        rangesOf(node.rows.size(), [&](std::size_t row) { return !contains(node.wanted, node.rows[row]); });
    for (auto range = gone.rbegin(); range != gone.rend(); ++range) {
        beginRemoveRows(parentIndex(id), range->first, range->last);
        const auto begin = node.rows.begin() + range->first;
        const auto end = node.rows.begin() + range->last + 1;
        for (auto child = begin; child != end; ++child) {
            unload(*child);
            m_positions.erase(*child);
        }
        node.rows.erase(begin, end);
        number(id, node, static_cast<std::size_t>(range->first));
        endRemoveRows();
    }
    if (node.more > 0 && node.wantedMore == 0) {
        const int last = node.rowCount() - 1;
        beginRemoveRows(parentIndex(id), last, last);
        node.more = 0;
        endRemoveRows();
    }
}

void CreationTreeModel::insertMissing(CoroutineId id)
{
    const QScopedValueRollback changing(m_changing, true);
    Node &node = *nodeOf(id);
    const std::vector<RowRange> fresh =
        rangesOf(node.wanted.size(), [&](std::size_t row) { return !contains(node.rows, node.wanted[row]); });
    for (const RowRange &range : fresh) {
        beginInsertRows(parentIndex(id), range.first, range.last);
        node.rows.insert(node.rows.begin() + range.first, node.wanted.begin() + range.first,
                         node.wanted.begin() + range.last + 1);
        number(id, node, static_cast<std::size_t>(range.first));
        endInsertRows();
    }
    if (node.more == 0 && node.wantedMore > 0) {
        beginInsertRows(parentIndex(id), node.rowCount(), node.rowCount());
        node.more = node.wantedMore;
        endInsertRows();
    }
    node.more = node.wantedMore;
}

/// Removes rows of all nodes before it inserts any. So a coroutine that moved never has two rows.
void CreationTreeModel::reconcile()
{
    std::vector<CoroutineId> ids;
    for (const auto &[id, node] : m_nodes)
        ids.push_back(id);
    for (const CoroutineId id : ids)
        if (Node *node = nodeOf(id))
            prepare(id, *node);
    for (const CoroutineId id : ids)
        if (nodeOf(id))
            removeUnwanted(id);
    for (const CoroutineId id : ids)
        if (nodeOf(id))
            insertMissing(id);
}

void CreationTreeModel::reportValues()
{
    for (const auto &[id, node] : m_nodes) {
        if (node->rowCount() == 0)
            continue;
        const QModelIndex parent = parentIndex(id);
        Q_EMIT dataChanged(index(0, IdColumn, parent), index(node->rowCount() - 1, ChildrenColumn, parent));
    }
}

void CreationTreeModel::showMore(const QModelIndex &more)
{
    if (!more.isValid() || idOf(more) != kNoCoroutine)
        return;
    const auto id = static_cast<CoroutineId>(more.internalId());
    Node *node = nodeOf(id);
    if (!node)
        return;
    node->limit += kPortion;
    prepare(id, *node);
    removeUnwanted(id);
    insertMissing(id);
}

QModelIndex CreationTreeModel::reveal(CoroutineId id)
{
    if (!m_tree || id >= m_population->size())
        return {};
    if (const QModelIndex there = indexOf(id); there.isValid())
        return there;
    std::vector<CoroutineId> path;
    for (CoroutineId up = id; up != kNoCoroutine; up = m_tree->parentOf(up)) {
        path.push_back(up);
        if (path.size() > kDeepestRevealed)
            return {};
    }
    if (!contains(m_tree->childrenOf(kNoCoroutine), path.back()))
        return {};  // no parent and no children
    CoroutineId parent = kNoCoroutine;
    for (auto step = path.rbegin(); step != path.rend(); ++step) {
        if (!nodeOf(parent))
            load(parent);
        if (m_positions.count(*step) == 0) {
            Node &node = *nodeOf(parent);
            node.revealed.insert(std::lower_bound(node.revealed.begin(), node.revealed.end(), *step), *step);
            prepare(parent, node);
            removeUnwanted(parent);
            insertMissing(parent);
        }
        parent = *step;
    }
    return indexOf(id);
}

}  // namespace ct
