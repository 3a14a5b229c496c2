// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The findings of a run as a tree: one row for each rule, severity and site, with its coroutines as children. Raw
// values. Updates keep the selection and the expanded rows.
#pragma once

#include "core/reporting/judgement.h"

#include <QAbstractItemModel>
#include <QHash>

#include <cstdint>
#include <memory>
#include <vector>

namespace ct {

class FindingsModel : public QAbstractItemModel {
    Q_OBJECT
public:
    /// Qt::DisplayRole gives the raw value. Those of a coroutine are values of its finding, unless stated otherwise.
    enum Columns {
        SeverityColumn,    ///< int, a Severity
        RuleColumn,        ///< int, a Rule
        WhereColumn,       ///< QString, locationText(); coroutine: uint, its id
        CountColumn,       ///< int; finding: number of coroutines; coroutine: 1
        ConfidenceColumn,  ///< double, 0..1
        SinceColumn,       ///< qulonglong, ns, CLOCK_MONOTONIC; finding: of its first coroutine; coroutine: its own
        GrowthColumn,      ///< int; finding: coroutines that joined it in the last kGrowthNs; coroutine: invalid
        ColumnCount
    };
    enum Roles {
        SortRole = Qt::UserRole,  ///< as Qt::DisplayRole
        IsFindingRole,            ///< bool
        CoroutineIdRole,          ///< uint; finding: its first coroutine, or kNoCoroutine
        SeverityRole,             ///< int
        RuleRole,                 ///< int
        CountRole,                ///< int
        SinceRole,                ///< qulonglong
        FingerprintRole,          ///< QString, see ReportedFinding
    };
    Q_ENUM(Columns)
    Q_ENUM(Roles)

    /// Growth counts the coroutines that have joined the first one within this time before the judgement.
    static constexpr std::uint64_t kGrowthNs = 10'000'000'000;

    explicit FindingsModel(QObject *parent = nullptr);
    ~FindingsModel() override;

    /// Resets the model: no findings. The population must live until the next call or the end of the model.
    void setPopulation(const Population *population);
    const Population *population() const { return m_population; }
    /// Updates the rows. The judgement must be one of the population.
    void setJudgement(std::shared_ptr<const Judgement> judgement);
    const Judgement *judgement() const { return m_judgement.get(); }

    /// The finding of a row, or of the row's parent; nullptr for an invalid index.
    const ReportedFinding *findingOf(const QModelIndex &index) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    QHash<int, QByteArray> roleNames() const override;

private:
    struct Child;
    struct Row;
    using Serial = quintptr;  ///< of a row, from 1; the internal id of its children

    std::vector<Child> childrenOf(const ReportedFinding &finding) const;
    int growthOf(const std::vector<Child> &children) const;
    void removeGone(const QHash<QString, int> &found);
    void updateRow(int row, const ReportedFinding &finding);
    void addRows(const std::vector<std::pair<QString, const ReportedFinding *>> &fresh);
    void updateChildren(int row, std::vector<Child> children);
    void replaceChildren(int row, std::vector<Child> children);
    void eraseRows(const std::vector<int> &kept);
    void rebuildRows();
    const Row *rowOf(const QModelIndex &index) const;
    QModelIndex findingIndex(int row) const { return createIndex(row, 0, quintptr{0}); }
    QVariant valueOf(const Row &row, const Child *child, int column) const;

    const Population *m_population = nullptr;
    std::shared_ptr<const Judgement> m_judgement;
    std::vector<Row> m_rows;
    QHash<QString, int> m_rowOfKey;
    QHash<Serial, int> m_rowOfSerial;
    Serial m_latestSerial = 0;
};

}  // namespace ct
