// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rows of a query. Sorts by raw values: NULL, then numbers, then texts, as SQLite does.
#pragma once

#include "core/query/tracequery.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>
#include <vector>

namespace ct {

class QueryResultModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Roles {
        SortRole = Qt::UserRole,  ///< the raw value, with the full text
        CoroutineIdRole,          ///< the id in the cell if its column has ids, else that of the row; invalid = none
    };

    explicit QueryResultModel(QObject *parent = nullptr) : QAbstractTableModel(parent) {}

    /// Replaces all rows, in the order of the query. nullptr = none.
    void setRows(std::shared_ptr<const QueryRows> rows);
    const std::shared_ptr<const QueryRows> &rows() const { return m_rows; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    /// Column -1 restores the order of the query.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    const QueryValue &valueAt(int row, int column) const;
    QVariant coroutineAt(int row, int column) const;

    std::shared_ptr<const QueryRows> m_rows;
    std::vector<std::uint32_t> m_order;  ///< rows of the query, by row of the model
    std::vector<bool> m_hasCoroutines;   ///< by column
    std::optional<int> m_coroutineColumn;
};

}  // namespace ct
