// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Scans a short list of rows.
#pragma once

#include "core/query/virtualtable.h"

#include <utility>

namespace ct::query {

template <class Row>
class ListCursor final : public Cursor {
public:
    using Put = void (*)(const Row &row, int column, SqlValue &value);

    ListCursor(std::vector<Row> rows, Put putColumn) : m_rows(std::move(rows)), m_put(putColumn) {}

    void start(const Filter &) override { m_at = 0; }
    bool next() override { return m_at++ < m_rows.size(); }
    void put(int column, SqlValue &value) override { m_put(m_rows[m_at - 1], column, value); }

private:
    const std::vector<Row> m_rows;
    const Put m_put;
    std::size_t m_at = 0;
};

}  // namespace ct::query
