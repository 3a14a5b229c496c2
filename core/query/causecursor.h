// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tables of causes: waits, wakes, uses and wakers_left.
#pragma once

#include "core/query/virtualtable.h"

namespace ct::query {

inline CoroutineId coroutineOf(const Use &use)
{
    return use.by;
}
template <class Row>
CoroutineId coroutineOf(const Row &row)
{
    return row.coroutine;
}

template <class Row>
class CauseCursor final : public Cursor {
public:
    using Put = void (*)(const Row &row, int column, SqlValue &value);

    CauseCursor(Snapshot &snapshot, std::vector<Row> Notes::*rows, Put putColumn)
        : m_snapshot(snapshot), m_rows(rows), m_put(putColumn)
    {
    }

    void start(const Filter &filter) override
    {
        m_at = 0;
        m_span = {};
        m_reader.reset();
        if (filter.key)
            m_span = rowsOf(*filter.key);
        else
            m_reader.emplace(m_snapshot);
    }
    bool next() override
    {
        if (m_at < m_span.size()) {
            m_present = &m_span[m_at++];
            return true;
        }
        while (m_reader && m_reader->next(m_notes)) {
            m_span = m_notes.*m_rows;
            m_at = 0;
            if (!m_span.empty()) {
                m_present = &m_span[m_at++];
                return true;
            }
        }
        return false;
    }
    void put(int column, SqlValue &value) override { m_put(*m_present, column, value); }

private:
    std::span<const Row> rowsOf(std::uint64_t coroutine)
    {
        CauseIndex<Row> &index = m_snapshot.causeIndex<Row>();
        if (!index.isBuilt) {
            CauseReader reader(m_snapshot);
            while (reader.next(m_notes))
                index.rows.insert(index.rows.end(), (m_notes.*m_rows).begin(), (m_notes.*m_rows).end());
            std::stable_sort(index.rows.begin(), index.rows.end(),
                             [](const Row &one, const Row &other) { return coroutineOf(one) < coroutineOf(other); });
            index.isBuilt = true;
        }
        if (coroutine >= kNoCoroutine)
            return {};
        const auto first = std::lower_bound(index.rows.begin(), index.rows.end(), coroutine,
                                            [](const Row &row, std::uint64_t id) { return coroutineOf(row) < id; });
        const auto end = std::upper_bound(first, index.rows.end(), coroutine,
                                          [](std::uint64_t id, const Row &row) { return id < coroutineOf(row); });
        return {first, end};
    }

    Snapshot &m_snapshot;
    std::vector<Row> Notes::*const m_rows;
    const Put m_put;
    std::optional<CauseReader> m_reader;
    Notes m_notes;
    std::span<const Row> m_span;
    std::size_t m_at = 0;
    const Row *m_present = nullptr;
};

}  // namespace ct::query
