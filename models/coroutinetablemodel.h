// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All coroutines of a run as a table of raw values: ids, numbers, ns. The model itself sorts and filters raw values, in
// the background. A proxy model cannot keep up with 100,000 rows that all change.
#pragma once

#include "core/base/backgroundworker.h"
#include "models/coroutineorder.h"
#include "models/rowchanges.h"

#include <QAbstractTableModel>
#include <QElapsedTimer>

#include <memory>
#include <optional>

namespace ct {

class CoroutineTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// Qt::DisplayRole gives the raw value of each column.
    enum Columns {
        IdColumn,             ///< uint
        NameColumn,           ///< QString, as the target wrote it; empty if it wrote none, see BodySiteRole
        StateColumn,          ///< int, a CoroutineState
        SinceColumn,          ///< qulonglong, ns, CLOCK_MONOTONIC, of the latest change of state
        WhereColumn,          ///< uint, site of the latest suspension; 0 if unknown, see AddressRole
        WaitsOnColumn,        ///< int, a WaitKind, while suspended; invalid if the target named no wait
        ThreadColumn,         ///< uint, tid of the latest transition
        ProcessColumn,        ///< uint, pid; 0 = unknown
        ParentColumn,         ///< uint, id of the parent; kNoCoroutine = unknown
        EventsColumn,         ///< qulonglong
        LostColumn,           ///< qulonglong
        RunTimeColumn,        ///< qulonglong, ns, includes the present interval
        SuspendedTimeColumn,  ///< qulonglong, ns, includes the present interval
        BirthColumn,          ///< qulonglong, ns, CLOCK_MONOTONIC; 0 = unknown
        ColumnCount
    };
    /// These roles have one value for all columns of a row, except SortRole.
    enum Roles {
        SortRole = Qt::UserRole,  ///< as Qt::DisplayRole
        CoroutineIdRole,
        SiteIdRole,   ///< uint, of the latest suspension
        AddressRole,  ///< qulonglong, of the latest suspension
        StateRole,    ///< int, a CoroutineState
        KindRole,     ///< int, a PointKind
        SinceRole,    ///< qulonglong
        NowRole,      ///< qulonglong, ns; "now" of the coroutine: the time of the sample, or the end of its process
        EndedRole,    ///< bool: the process ended while the coroutine was alive
        ProbeIdRole,
        FlaggedRole,  ///< bool
        PidRole,
        DeathRole,       ///< qulonglong, ns; 0 = alive
        BodySiteRole,    ///< uint, site of the first suspension in its own body; names coroutines without a name
        ThreadRole,      ///< uint, as in ThreadColumn
        WaitObjectRole,  ///< qulonglong, address, descriptor or deadline that the coroutine waits on
        WaitTargetRole,  ///< uint, id of the coroutine that it waits on, or kNoCoroutine
        GroupSizeRole,   ///< uint, number of coroutines that the row stands for, see setGeneratorsGrouped()
    };
    Q_ENUM(Columns)
    Q_ENUM(Roles)

    explicit CoroutineTableModel(QObject *parent = nullptr);
    ~CoroutineTableModel() override;

    /// Resets the model. The population must live until the next call or the end of the model. Null shows no rows.
    void setPopulation(const Population *population);
    const Population *population() const { return m_population; }
    /// Sets the resolved addresses for sorting and filtering; null if there are none.
    void setResolver(std::shared_ptr<const AddressResolver> resolver) { m_resolver = std::move(resolver); }
    /// Call when address resolutions changed. Emits dataChanged() for all rows. The next sample() sorts again if the
    /// order or the filter depends on them.
    void locationsChanged();

    /// Applies births and changes of the population. Call on the GUI thread, about 30 times a second. The cost grows
    /// with the number of changes. Starts a new sort at most every kResortIntervalMs.
    void sample();
    /// While paused, sample() does nothing, and every row keeps the values of the moment of the pause.
    void setPaused(bool paused);
    bool isPaused() const { return m_paused; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    QHash<int, QByteArray> roleNames() const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

    int sortColumn() const;
    Qt::SortOrder sortOrder() const;
    void setStateMask(std::uint32_t states);  ///< stateBit()s of the states to show
    /// Whether the generators of a function share one row: that of the first one, with the sums of all in the columns
    /// of events and durations. The sums are as of the latest ordering.
    void setGeneratorsGrouped(bool grouped);
    void setTextFilter(const QString &text);

    /// The ids of the rows, in order. Copy them before the next event or non-const call: the model changes them in
    /// place.
    const std::vector<CoroutineId> &visibleOrder() const { return m_order; }
    CoroutineId idAt(int row) const;  ///< kNoCoroutine if there is no such row
    int rowOf(CoroutineId id) const;  ///< -1 if the coroutine has no row
    /// True if not every coroutine passes the filter, and so may have no row.
    bool isFiltered() const;
    /// The coroutines that pass the filter, in ascending order, with those that are grouped in one row.
    std::vector<CoroutineId> filteredIds() const;
    /// The row that stands for the coroutine: its own, or that of its group. -1: none.
    int rowShowing(CoroutineId id) const;
    CoroutineSnapshot snapshotOf(CoroutineId id) const;
    std::uint32_t groupSize(CoroutineId id) const;  ///< see GroupSizeRole
    std::optional<WaitsOn> waitOf(CoroutineId id) const;
    std::uint64_t now() const { return m_now; }
    bool isSorting() const { return m_job != nullptr; }

    static constexpr int kResortIntervalMs = 500;
    /// From this number of coroutines on, sorting runs in the background.
    static constexpr std::uint32_t kBackgroundFrom = 4096;

Q_SIGNALS:
    /// visibleOrder() changed: rows were added, removed or moved.
    void orderChanged();

private:
    struct Job;
    void setSpec(OrderSpec spec);
    void startOrdering();
    void finishOrdering(const std::shared_ptr<Job> &job);
    void cancelOrdering();
    void applyOrder(std::vector<CoroutineId> order, std::uint32_t count);
    void removeEvicted();
    void removeUnwanted(const std::vector<RowRange> &ranges);
    void permute(std::vector<CoroutineId> order);
    void insertMissing(const std::vector<CoroutineId> &order, const std::vector<RowRange> &ranges);
    void appendBirths();
    void reportChanges();
    void reportTime();
    bool needsOrdering() const;
    void rebuildRows();
    QString nameOf(CoroutineId id) const;
    CoroutineSnapshot withGroup(CoroutineSnapshot snapshot) const;
    QVariant columnValue(const CoroutineSnapshot &snapshot, int column) const;
    std::uint64_t nowOf(const CoroutineSnapshot &snapshot) const { return m_lives.nowOf(snapshot, m_now); }

    const Population *m_population = nullptr;
    std::shared_ptr<const AddressResolver> m_resolver;
    OrderSpec m_spec;
    std::vector<CoroutineId> m_order;   ///< row -> id
    GeneratorGroups m_groups;           ///< as of the latest ordering
    PagedVector<int> m_rows{-1};        ///< id -> row, or -1; its size is the number of known ids
    std::vector<std::uint64_t> m_seen;  ///< page versions at the latest sample
    std::uint64_t m_now = 0;
    ProcessLives m_lives;
    bool m_bornSinceSort = false;
    bool m_changedSinceSort = false;
    bool m_paused = false;
    std::shared_ptr<const FrozenRows> m_frozen;  ///< the values of the moment of the pause; null unless paused
    QElapsedTimer m_sinceSort;
    std::shared_ptr<Job> m_job;  ///< the ordering in progress; results of other jobs are stale
    BackgroundWorker m_worker;
};

}  // namespace ct
