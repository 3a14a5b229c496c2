// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Table of the recordings in a directory: one row for each run, raw values.
#pragma once

#include "core/recording/library/recordedruns.h"

#include <QAbstractTableModel>

#include <vector>

namespace ct {

class RecordingsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// Qt::DisplayRole gives the raw value.
    enum Columns {
        NameColumn,      ///< QString, name of the target
        BegunColumn,     ///< qulonglong, ns since 1970
        DurationColumn,  ///< qulonglong, ns
        BytesColumn,     ///< qulonglong
        EventsColumn,    ///< qulonglong
        StateColumn,     ///< int, a RecordedRun::State
        ColumnCount
    };
    enum Roles {
        SortRole = Qt::UserRole,  ///< as Qt::DisplayRole
    };
    Q_ENUM(Columns)
    Q_ENUM(Roles)

    using QAbstractTableModel::QAbstractTableModel;

    /// Replaces the runs. The path identifies a run, so that a run in both lists keeps its row and its selection.
    void setRuns(const std::vector<RecordedRun> &runs);
    const RecordedRun &run(int row) const { return m_runs[static_cast<std::size_t>(row)]; }
    std::uint64_t bytes() const;  ///< size of all runs in bytes

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::vector<RecordedRun> m_runs;  ///< sorted by path
};

}  // namespace ct
