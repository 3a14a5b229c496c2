// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Who created whom, as a tree, raw values only. Children are loaded when they are asked for, and a thousand of them at
// a time: where there are more, a last row says so. Coroutines without any relative are left out.
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
    /// Qt::DisplayRole gives the raw value. Of a row that stands for more: only the first column has one.
    enum Columns {
        IdColumn,        ///< uint; kNoCoroutine: a row that stands for more, see MoreRole
        StateColumn,     ///< int, a CoroutineState
        SinceColumn,     ///< qulonglong, ns, CLOCK_MONOTONIC, of the latest change of state
        ChildrenColumn,  ///< uint, all it ever had
        ColumnCount
    };
    /// The same in every column of a row.
    enum Roles {
        SortRole = Qt::UserRole,  ///< as Qt::DisplayRole
        CoroutineIdRole,          ///< uint; kNoCoroutine: a row that stands for more
        StateRole,                ///< int, a CoroutineState
        SinceRole,                ///< qulonglong
        NowRole,                  ///< qulonglong, time of the sample, or of its process's end
        MoreRole,                 ///< uint: at most so many are not loaded; 0: an ordinary row
    };
    Q_ENUM(Columns)
    Q_ENUM(Roles)

    explicit CreationTreeModel(QObject *parent = nullptr);
    ~CreationTreeModel() override;

    /// Resets. The population must live until the next call or the end of the model. Null: empty.
    void setPopulation(const Population *population);
    const Population *population() const { return m_population; }
    /// False: subtrees in which everything is destroyed are left out.
    void setShowDestroyed(bool show);
    bool showsDestroyed() const { return m_showDestroyed; }

    /// GUI thread, some ten times a second: takes over what has changed; a few milliseconds at most.
    void sample();

    /// Loads the next thousand in place of a row that stands for more.
    void showMore(const QModelIndex &more);
    /// Loads what is needed for it to have a row; invalid when it is in no tree, or too deep in one.
    QModelIndex reveal(CoroutineId id);
    /// Of a coroutine that has a row.
    QModelIndex indexOf(CoroutineId id) const;

    std::uint64_t treeCount() const { return m_tree ? m_tree->treeCount() : 0; }
    std::uint64_t memberCount() const { return m_tree ? m_tree->memberCount() : 0; }
    /// Everything known a moment ago is there.
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
    struct Place {
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
    void announceValues();

    const Population *m_population = nullptr;
    std::unique_ptr<CreationTree> m_tree;
    std::unordered_map<CoroutineId, std::unique_ptr<Node>> m_nodes;  ///< those whose children are loaded
    std::unordered_map<CoroutineId, Place> m_places;                 ///< of coroutines that have a row
    std::uint64_t m_now = 0;
    ProcessLives m_lives;
    bool m_showDestroyed = false;
    bool m_changing = false;  ///< rows come or go: nobody may have others loaded in the midst of it
};

}  // namespace ct
