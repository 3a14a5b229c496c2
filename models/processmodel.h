// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Table of the processes of a run: raw values, in order of appearance.
#pragma once

#include "core/trace/population.h"

#include <QAbstractTableModel>

#include <vector>

namespace ct {

class ProcessModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// Qt::DisplayRole gives the raw value.
    enum Columns {
        PidColumn,         ///< uint
        NameColumn,        ///< QString, name of the executable; may be empty
        StateColumn,       ///< int, a State
        AliveColumn,       ///< qulonglong, coroutines born and not destroyed
        CoroutinesColumn,  ///< qulonglong, all coroutines
        FirstColumn,       ///< qulonglong, ns, CLOCK_MONOTONIC, of its appearance; 0 = unknown
        ColumnCount
    };
    enum class State { Tracing, SwitchedOff, Ended };
    enum Roles {
        SortRole = Qt::UserRole,  ///< as Qt::DisplayRole
        EndRole,                  ///< qulonglong, ns, CLOCK_MONOTONIC; 0 = alive
    };
    Q_ENUM(Columns)
    Q_ENUM(State)
    Q_ENUM(Roles)

    using QAbstractTableModel::QAbstractTableModel;

    /// Resets the model. The population must live until the next call or the end of the model. Null shows no rows.
    void setPopulation(const Population *population);
    /// Updates the rows. Call on the GUI thread, about twice a second.
    void sample();

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    const Population *m_population = nullptr;
    std::vector<ProcessSnapshot> m_processes;
};

}  // namespace ct
