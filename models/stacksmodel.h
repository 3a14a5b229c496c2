// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The stacks of all living coroutines as a tree: a group of stacks that look alike, its links (innermost first), and
// below each link its coroutines. Raw values. Updates keep the selection and the expanded rows.
#pragma once

#include "core/analysis/watchedtime.h"
#include "core/base/backgroundworker.h"
#include "core/reporting/stacks.h"

#include <QAbstractItemModel>

#include <memory>
#include <unordered_map>

namespace ct {

class StacksModel : public QAbstractItemModel {
    Q_OBJECT
public:
    /// Qt::DisplayRole gives the raw value.
    enum Columns {
        StackColumn,    ///< QString: state of a group, location of a link; uint: id of a coroutine
        LongestColumn,  ///< qulonglong, ns in the present state; group: of its longest stack; invalid for a link
        ColumnCount
    };
    enum class Kind { Group, Link, Coroutine };
    Q_ENUM(Kind)
    enum Roles {
        KindRole = Qt::UserRole,  ///< a Kind
        CountRole,                ///< qulonglong, stacks of the group; 1 for a coroutine
        CoroutineIdRole,          ///< uint; of a group or link with one stack, its coroutine; else kNoCoroutine
        StackTextRole,            ///< QString, the whole group as in a report
    };
    Q_ENUM(Columns)
    Q_ENUM(Roles)

    explicit StacksModel(QObject *parent = nullptr);
    ~StacksModel() override;

    /// Resets the model. `resolver` may be null. Null shows no rows.
    void setTrace(std::shared_ptr<const Population> population, std::shared_ptr<AddressResolver> resolver);
    const Population *population() const { return m_population.get(); }
    /// Reads the population in the background, if it has changed; the rows change in a later event. Call on the GUI
    /// thread, about once a second.
    void sample();
    bool isSampling() const { return m_job != nullptr; }
    /// Shows only groups whose state or a location contains the text, in upper or lower case. Empty: all.
    void setFilterText(const QString &text);

    /// All stacks of the latest sample, whatever the filter is.
    const std::vector<ReportedStack> &stacks() const { return m_stacks; }
    std::uint64_t stackCount() const { return m_count; }  ///< of all groups
    std::size_t groupCount() const { return m_stacks.size(); }
    /// Groups that fit the filter, but are not shown because there are more than kMostGroups.
    std::size_t hiddenGroups() const { return m_hidden; }
    static constexpr std::size_t kMostGroups = 1000;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    bool hasChildren(const QModelIndex &parent = {}) const override;
    bool canFetchMore(const QModelIndex &parent) const override;
    void fetchMore(const QModelIndex &parent) override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

Q_SIGNALS:
    void sampled();

private:
    struct Job;
    struct Group;
    struct Position;

    void finish(const std::shared_ptr<Job> &job);
    void apply();
    void removeGone(const std::unordered_map<std::string, std::size_t> &wanted);
    void update(std::size_t row, const ReportedStack &stack);
    void updateCoroutines(std::size_t row, int link, std::vector<CoroutineId> coroutines);
    void order(const std::unordered_map<std::string, std::size_t> &wanted);
    void numberRows();
    Position positionOf(const QModelIndex &index) const;
    QModelIndex groupIndex(std::size_t row) const { return createIndex(static_cast<int>(row), 0, quintptr{0}); }
    QModelIndex linkIndex(const Group &group, int link) const;
    QVariant value(const Position &position, int column) const;
    CoroutineId coroutineOf(const Position &position) const;

    std::shared_ptr<const Population> m_population;
    std::shared_ptr<AddressResolver> m_resolver;
    QString m_filter;
    std::vector<ReportedStack> m_stacks;
    std::shared_ptr<const WatchedTime> m_watched;  ///< as of m_stacks; nullptr without any
    std::uint64_t m_count = 0;
    std::size_t m_hidden = 0;
    std::vector<Group> m_groups;
    std::unordered_map<std::uint64_t, std::size_t> m_rowOf;  ///< by Group::serial
    std::uint64_t m_serials = 0;
    std::shared_ptr<Job> m_job;   ///< the reading in progress; results of other jobs are stale
    bool m_changing = false;      ///< true while rows change: fetchMore() does nothing then
    std::uint64_t m_version = 0;  ///< version of the run that the latest sample has read
    BackgroundWorker m_worker;
};

}  // namespace ct
