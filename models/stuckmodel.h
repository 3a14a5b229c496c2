// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Who waits suspiciously long, as a tree: suspension points, and under each the coroutines that are stuck there.
// Raw values; updates keep selection and expansion.
#pragma once

#include "core/analysis/stuck.h"
#include "models/backgroundworker.h"
#include "models/stuckplaces.h"

#include <QAbstractItemModel>
#include <QHash>

#include <memory>

namespace ct {

class StuckModel : public QAbstractItemModel {
    Q_OBJECT
public:
    /// Qt::DisplayRole gives the raw value.
    enum Columns {
        WhereColumn,    ///< uint: group: site id, or an id of StuckPlaces; coroutine: its id
        CountColumn,    ///< int: group: how many; coroutine: 1
        LongestColumn,  ///< qulonglong, ns suspended while its process lived and was traced, at the latest sample
        UsualColumn,    ///< qulonglong, ns, what the site usually takes; invalid: nothing completed there yet
        ColumnCount
    };
    enum Roles {
        SortRole = Qt::UserRole,  ///< as Qt::DisplayRole
        CoroutineIdRole,          ///< uint; kNoCoroutine for groups
        SiteIdRole,               ///< uint; kUnknownSite: the target did not say
        AddressRole,              ///< qulonglong; of a group: of its longest waiting coroutine
        ProbeIdRole,              ///< qulonglong; 0 for groups
        SinceRole,                ///< qulonglong, ns, CLOCK_MONOTONIC
        IsGroupRole,              ///< bool
    };
    Q_ENUM(Columns)
    Q_ENUM(Roles)

    explicit StuckModel(QObject *parent = nullptr);
    ~StuckModel() override;

    /// Resets. The population must live until the next call or the end of the model. Null: empty.
    void setPopulation(const Population *population);
    const Population *population() const { return m_population; }
    void setRule(const StuckRule &rule) { m_rule = rule; }
    /// What addresses mean: to be called before setPopulation(). Null: coroutines without a site stay together.
    void setPlaces(std::shared_ptr<Places> places) { m_places.setPlaces(std::move(places)); }
    /// Of a group whose site the target did not say; nullptr: nothing is known.
    Places::Answer placeOf(const QModelIndex &group) const;
    const StuckRule &rule() const { return m_rule; }

    /// GUI thread, about twice a second: judges anew (large populations in the background: the result then arrives
    /// with a later event) and updates the rows.
    void sample();

    /// Stuck coroutines in all groups.
    int stuckCount() const { return m_count; }
    bool isJudging() const { return m_job != nullptr; }

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    QHash<int, QByteArray> roleNames() const override;

    /// From so many coroutines on, judging runs in the background.
    static constexpr std::uint32_t kBackgroundFrom = 10'000;

Q_SIGNALS:
    void stuckCountChanged(int count);

private:
    struct Job;
    struct Child;
    struct Group;

    void finishJudging(const std::shared_ptr<Job> &job);
    void cancelJudging();
    void apply(const std::vector<StuckGroup> &found);
    void removeGone(const std::vector<StuckGroup> &found);
    static Child childOf(const StuckCoroutine &stuck);
    static std::vector<Child> childrenOf(const StuckGroup &found);
    void addGroup(const StuckGroup &found);
    void updateChildren(int row, std::vector<Child> children);
    void replaceChildren(int row, std::vector<Child> children);
    void orderGroups(const std::vector<StuckGroup> &found);
    void announceValues();
    void rebuildRows();
    QModelIndex groupIndex(int row) const { return createIndex(row, 0, quintptr{0}); }
    const Group *groupOf(const QModelIndex &index) const;
    QVariant groupValue(const Group &group, int column, int role) const;
    QVariant childValue(const Group &group, const Child &child, int column, int role) const;

    const Population *m_population = nullptr;
    StuckRule m_rule;
    StuckPlaces m_places;
    std::vector<Group> m_groups;
    QHash<SiteId, int> m_rowOfSite;
    int m_count = 0;
    std::shared_ptr<Job> m_job;  ///< the judgement under way; others are stale
    BackgroundWorker m_worker;
};

}  // namespace ct
