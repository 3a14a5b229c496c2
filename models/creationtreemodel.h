// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The creation tree as a Qt model of raw values. It loads children on demand, a thousand at a time. If there are more,
// a last row stands for them. Coroutines without parent and children are left out.
#pragma once

#include "core/analysis/processlives.h"
#include "models/creationtree.h"

#include <QAbstractItemModel>

#include <memory>
#include <optional>

namespace ct {

class CreationTreeModel : public QAbstractItemModel {
    Q_OBJECT
public:
    /// Qt::DisplayRole gives the raw value. In a row that stands for more, only the first column has one.
    enum Columns {
        IdColumn,        ///< uint; kNoCoroutine in a row that stands for more, see MoreRole
        StateColumn,     ///< int, a CoroutineState
        SinceColumn,     ///< qulonglong, ns, CLOCK_MONOTONIC, of the latest change of state
        ChildrenColumn,  ///< uint, all children, destroyed ones included
        ColumnCount
    };
    /// These roles have one value for all columns of a row, except SortRole.
    enum Roles {
        SortRole = Qt::UserRole,  ///< as Qt::DisplayRole
        CoroutineIdRole,          ///< uint; kNoCoroutine in a row that stands for more
        StateRole,                ///< int, a CoroutineState
        SinceRole,                ///< qulonglong
        NowRole,                  ///< qulonglong, ns; time of the sample, or end of the coroutine's process
        MoreRole,                 ///< uint; upper bound of the children not loaded; 0 in an ordinary row
    };
    Q_ENUM(Columns)
    Q_ENUM(Roles)

    explicit CreationTreeModel(QObject *parent = nullptr);
    ~CreationTreeModel() override;

    /// Resets the model. The population must live until the next call or the end of the model. Null shows no rows.
    void setPopulation(const Population *population);
    const Population *population() const { return m_population; }
    /// Shows or hides subtrees in which every coroutine is destroyed. Hidden by default.
    void setShowDestroyed(bool show);

    /// Applies changes of the population. Call on the GUI thread, about ten times a second. A call lasts a few
    /// milliseconds at most.
    void sample();

    /// Loads the next thousand children in place of `more`, a row that stands for more.
    void showMore(const QModelIndex &more);
    /// Loads the rows down to a coroutine and returns its index. Returns an invalid index if the coroutine is in no
    /// tree, or too deep in one.
    QModelIndex reveal(CoroutineId id);
    /// The index of a coroutine; invalid if it has no row.
    QModelIndex indexOf(CoroutineId id) const;

    std::uint64_t treeCount() const { return m_tree ? m_tree->treeCount() : 0; }
    std::uint64_t memberCount() const { return m_tree ? m_tree->memberCount() : 0; }
    /// True if the tree contains every coroutine that existed at the latest sample().
    bool isCaughtUp() const { return !m_tree || m_tree->isCaughtUp(); }

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    bool hasChildren(const QModelIndex &parent = {}) const override;
    bool canFetchMore(const QModelIndex &parent) const override;
    void fetchMore(const QModelIndex &parent) override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    QHash<int, QByteArray> roleNames() const override;

    /// Rows loaded at a time.
    static constexpr std::size_t kPortion = 1000;

private:
    struct Node;
    struct TreePosition {
        CoroutineId parent = kNoCoroutine;
        int row = 0;
    };

    Node *nodeOf(CoroutineId id) const;
    CoroutineId idOf(const QModelIndex &index) const;
    QModelIndex parentIndex(CoroutineId parent) const;
    void load(CoroutineId id);
    void unload(CoroutineId id);
    void prepare(CoroutineId id, Node &node);
    void removeUnwanted(CoroutineId id);
    void insertMissing(CoroutineId id);
    void number(CoroutineId id, const Node &node, std::size_t from);
    void reconcile();
    void reportValues();

    const Population *m_population = nullptr;
    std::unique_ptr<CreationTree> m_tree;
    std::unordered_map<CoroutineId, std::unique_ptr<Node>> m_nodes;  ///< by parent; kNoCoroutine: the root
    std::unordered_map<CoroutineId, TreePosition> m_positions;       ///< positions of the coroutines that have a row
    std::uint64_t m_now = 0;
    ProcessLives m_lives;
    bool m_showDestroyed = false;
    bool m_changing = false;  ///< true while rows are inserted or removed: fetchMore() does nothing then
};

}  // namespace ct
