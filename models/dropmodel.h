// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Table of records dropped because a thread's lane was full: raw values, latest first.
#pragma once

#include "core/trace/population.h"

#include <QAbstractTableModel>

#include <deque>

namespace ct {

class DropModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// Qt::DisplayRole gives the raw value.
    enum Columns {
        TimeColumn,     ///< qulonglong, ns, CLOCK_MONOTONIC, of the first dropped record
        LengthColumn,   ///< qulonglong, ns, from the first to the last dropped record
        RecordsColumn,  ///< qulonglong
        ThreadColumn,   ///< uint, tid
        ProcessColumn,  ///< uint, pid
        ColumnCount
    };
    enum Roles {
        SortRole = Qt::UserRole,  ///< as Qt::DisplayRole
        ThreadRole,               ///< uint
        PidRole,                  ///< uint
    };
    Q_ENUM(Columns)
    Q_ENUM(Roles)

    using QAbstractTableModel::QAbstractTableModel;

    /// Resets the model. The population must live until the next call or the end of the model. Null shows no rows.
    void setPopulation(const Population *population);
    /// Adds new rows. Call on the GUI thread, about twice a second.
    void sample();
    /// Number of drops so far. The rows are the latest of them.
    std::uint64_t total() const { return m_total; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    const Population *m_population = nullptr;
    std::deque<Drop> m_drops;  ///< latest first
    std::uint64_t m_total = 0;
};

}  // namespace ct
