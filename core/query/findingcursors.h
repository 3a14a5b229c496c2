// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tables findings and finding_coroutines. Both show the same report, see Snapshot::report().
#pragma once

#include "core/query/virtualtable.h"

#include <utility>

namespace ct::query {

class FindingCursor final : public Cursor {
public:
    explicit FindingCursor(Snapshot &snapshot) : m_report(snapshot.report()) {}
    void start(const Filter &filter) override;
    bool next() override;
    void put(int column, SqlValue &value) override;
    std::uint64_t rowId() const override { return m_number; }

private:
    const Report *const m_report;  ///< nullptr: there is no judge
    std::uint64_t m_number = 0;    ///< of the present finding, from 1
    std::uint64_t m_last = 0;
};

class FindingCoroutineCursor final : public Cursor {
public:
    /// Leaves out coroutines that were born after the beginning of the query.
    explicit FindingCoroutineCursor(Snapshot &snapshot);
    void start(const Filter &filter) override;
    bool next() override;
    void put(int column, SqlValue &value) override;

private:
    using Row = std::pair<std::uint64_t, CoroutineId>;  ///< number of the finding, coroutine

    std::vector<Row> m_rows;  ///< sorted
    std::size_t m_at = 0;     ///< one past the present row
    std::size_t m_end = 0;
};

}  // namespace ct::query
