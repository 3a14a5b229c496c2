// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Recordings in a directory, a run a row, raw values.
#pragma once

#include "core/recording/recordedruns.h"

#include <QAbstractTableModel>

#include <vector>

namespace ct {

class RecordingsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// Qt::DisplayRole gives the raw value.
    enum Columns {
        NameColumn,      ///< QString, of the target
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

    /// Runs are told apart by their paths; those that stay keep their rows' selection.
    void setRuns(const std::vector<RecordedRun> &runs);
    const RecordedRun &run(int row) const { return m_runs[static_cast<std::size_t>(row)]; }
    std::uint64_t bytes() const;  ///< of all

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::vector<RecordedRun> m_runs;  ///< by path
};

}  // namespace ct
