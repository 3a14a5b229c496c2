// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The stuck coroutines as a tree: one group for each suspension point, with its coroutines as children. Raw values.
// Updates keep the selection and the expanded groups.
#pragma once

#include "core/analysis/stuck.h"
#include "models/backgroundworker.h"
#include "models/stucklocations.h"

#include <QAbstractItemModel>
#include <QHash>

#include <memory>

namespace ct {

class StuckModel : public QAbstractItemModel {
    Q_OBJECT
public:
    /// Qt::DisplayRole gives the raw value.
    enum Columns {
        WhereColumn,    ///< uint; group: site id, or an id of StuckLocations; coroutine: its id
        CountColumn,    ///< int; group: number of coroutines; coroutine: 1
        LongestColumn,  ///< qulonglong, ns suspended while the process was alive and traced, at the latest sample
        UsualColumn,    ///< qulonglong, ns, 99th percentile of the site; invalid: no suspension completed there yet
        ColumnCount
    };
    enum Roles {
        SortRole = Qt::UserRole,  ///< as Qt::DisplayRole
        CoroutineIdRole,          ///< uint; kNoCoroutine for groups
        SiteIdRole,               ///< uint; kUnknownSite: the target named no site
        AddressRole,              ///< qulonglong; group: address of its longest suspended coroutine
        ProbeIdRole,              ///< qulonglong; 0 for groups
        SinceRole,                ///< qulonglong, ns, CLOCK_MONOTONIC, start of the suspension; group: of its longest
        IsGroupRole,              ///< bool
    };
    Q_ENUM(Columns)
    Q_ENUM(Roles)

    explicit StuckModel(QObject *parent = nullptr);
    ~StuckModel() override;

    /// Resets the model. The population must live until the next call or the end of the model. Null shows no rows.
    void setPopulation(const Population *population);
    const Population *population() const { return m_population; }
    void setRule(const StuckRule &rule) { m_rule = rule; }
    /// Sets the resolver of addresses. Call it before setPopulation(). If null, coroutines without a site stay in one
    /// group.
    void setResolver(std::shared_ptr<AddressResolver> resolver) { m_locations.setResolver(std::move(resolver)); }
    /// The location of a group without a site; nullptr if not resolved.
    AddressResolver::Answer locationOf(const QModelIndex &group) const;

    /// Judges the population and updates the rows. Call on the GUI thread, about twice a second. Large populations are
    /// judged in the background; the rows then change in a later event.
    void sample();

    /// Number of stuck coroutines in all groups.
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

    /// From this number of coroutines on, judging runs in the background.
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
    void reportValues();
    void rebuildRows();
    QModelIndex groupIndex(int row) const { return createIndex(row, 0, quintptr{0}); }
    const Group *groupOf(const QModelIndex &index) const;
    QVariant groupValue(const Group &group, int column, int role) const;
    QVariant childValue(const Group &group, const Child &child, int column, int role) const;

    const Population *m_population = nullptr;
    StuckRule m_rule;
    StuckLocations m_locations;
    std::vector<Group> m_groups;
    QHash<SiteId, int> m_rowOfSite;
    int m_count = 0;
    std::shared_ptr<Job> m_job;  ///< the judgement in progress; results of other jobs are stale
    BackgroundWorker m_worker;
};

}  // namespace ct
