// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All coroutines of a run as a table, raw values only: ids, numbers, ns. Sorted and filtered here, on raw values and
// in the background, because a proxy model cannot keep up with 100,000 rows that all change.
#pragma once

#include "models/backgroundworker.h"
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
    /// Qt::DisplayRole gives the raw value: what stands behind the name.
    enum Columns {
        IdColumn,             ///< uint
        NameColumn,           ///< QString, as the target wrote it; empty: none was given, see BodySiteRole
        StateColumn,          ///< int, a CoroutineState
        SinceColumn,          ///< qulonglong, ns, CLOCK_MONOTONIC, of the latest change of state
        WhereColumn,          ///< uint, site of the latest suspension; AddressRole where it is 0
        WaitsOnColumn,        ///< int, a WaitKind, while suspended; invalid: the target did not say
        ThreadColumn,         ///< uint, tid of the latest transition
        ProcessColumn,        ///< uint, pid; 0 = unknown
        ParentColumn,         ///< uint, a coroutine's id; kNoCoroutine = unknown
        EventsColumn,         ///< qulonglong
        LostColumn,           ///< qulonglong
        RunTimeColumn,        ///< qulonglong, ns, so far
        SuspendedTimeColumn,  ///< qulonglong, ns, so far
        BirthColumn,          ///< qulonglong, ns, CLOCK_MONOTONIC; 0 = unknown
        ColumnCount
    };
    /// The same in every column of a row.
    enum Roles {
        SortRole = Qt::UserRole,  ///< as Qt::DisplayRole
        CoroutineIdRole,
        SiteIdRole,   ///< uint, of the latest suspension
        AddressRole,  ///< qulonglong, of the latest suspension
        StateRole,    ///< int, a CoroutineState
        KindRole,     ///< int, a PointKind
        SinceRole,    ///< qulonglong
        NowRole,      ///< qulonglong, "now" for everything that lasts: time of the sample, or of its process's end
        EndedRole,    ///< bool: its process has ended while it lived
        ProbeIdRole,
        FlaggedRole,  ///< bool
        PidRole,
        DeathRole,       ///< qulonglong, 0 = alive
        BodySiteRole,    ///< uint, of the first suspension within its own body: its function names the nameless
        ThreadRole,      ///< uint, as in ThreadColumn
        WaitObjectRole,  ///< qulonglong, address, descriptor or deadline of what it waits on
        WaitTargetRole,  ///< uint, the coroutine that it waits on; kNoCoroutine
    };
    Q_ENUM(Columns)
    Q_ENUM(Roles)

    explicit CoroutineTableModel(QObject *parent = nullptr);
    ~CoroutineTableModel() override;

    /// Resets. The population must live until the next call or the end of the model. Null: empty.
    void setPopulation(const Population *population);
    const Population *population() const { return m_population; }
    /// What addresses mean, for sorting and filtering; null: nothing is known of them.
    void setPlaces(std::shared_ptr<const Places> places) { m_places = std::move(places); }
    /// Says so of all rows, and sorts again where that matters.
    void placesChanged();

    /// GUI thread, about 30 times a second: takes over births and changes. Costs what changed. Also applies and
    /// starts re-sorting, at most every kResortIntervalMs.
    void sample();
    /// Paused, sample() does nothing and every row keeps the values of the moment of the pause.
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
    void setStateMask(std::uint32_t states);  ///< of stateBit()s
    void setTextFilter(const QString &text);

    /// The ids shown, in the order of the rows. Valid until control returns to the model.
    const std::vector<CoroutineId> &visibleOrder() const { return m_order; }
    CoroutineId idAt(int row) const;  ///< kNoCoroutine when there is no such row
    int rowOf(CoroutineId id) const;  ///< -1 when not shown
    CoroutineSnapshot snapshotOf(CoroutineId id) const;
    std::optional<WaitsOn> waitOf(CoroutineId id) const;
    std::uint64_t now() const { return m_now; }
    bool isSorting() const { return m_job != nullptr; }

    static constexpr int kResortIntervalMs = 500;
    /// From so many coroutines on, sorting runs in the background.
    static constexpr std::uint32_t kBackgroundFrom = 4096;

Q_SIGNALS:
    /// visibleOrder() has changed: rows were added, removed or moved.
    void orderChanged();

private:
    struct Job;
    void setSpec(OrderSpec spec);
    void startOrdering();
    void finishOrdering(const std::shared_ptr<Job> &job);
    void cancelOrdering();
    void applyOrder(std::vector<CoroutineId> order, std::uint32_t count);
    void removeDropped();
    void removeUnwanted(const std::vector<RowRange> &ranges);
    void permute(std::vector<CoroutineId> order);
    void insertMissing(const std::vector<CoroutineId> &order, const std::vector<RowRange> &ranges);
    void appendBirths();
    void announceChanges();
    void announceTime();
    bool needsOrdering() const;
    void rebuildRows();
    QString nameOf(CoroutineId id) const;
    QVariant columnValue(const CoroutineSnapshot &snapshot, int column) const;
    std::uint64_t nowOf(const CoroutineSnapshot &snapshot) const { return m_lives.nowOf(snapshot, m_now); }

    const Population *m_population = nullptr;
    std::shared_ptr<const Places> m_places;
    OrderSpec m_spec;
    std::vector<CoroutineId> m_order;   ///< row -> id
    PagedVector<int> m_rows{-1};        ///< id -> row or -1; as many as ids are known
    std::vector<std::uint64_t> m_seen;  ///< page versions
    std::uint64_t m_now = 0;
    ProcessLives m_lives;
    bool m_bornSinceSort = false;
    bool m_changedSinceSort = false;
    bool m_paused = false;
    std::shared_ptr<const FrozenRows> m_frozen;  ///< while paused: the values of that moment
    QElapsedTimer m_sinceSort;
    std::shared_ptr<Job> m_job;  ///< the ordering under way; others are stale
    BackgroundWorker m_worker;
};

}  // namespace ct
