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
        if (coroutine >= kNoCoroutine)
            return {};
        CauseIndex<Row> &index = m_snapshot.causeIndex<Row>();
        const auto id = static_cast<CoroutineId>(coroutine);
        if (index.end == 0)
            build(index, 0);
        if (id < index.first || id >= index.end)
            build(index, id);
        const auto first =
            std::lower_bound(index.rows.begin(), index.rows.end(), id,
                             [](const Row &row, CoroutineId wanted) { return coroutineOf(row) < wanted; });
        const auto end = std::upper_bound(first, index.rows.end(), id,
                                          [](CoroutineId wanted, const Row &row) { return wanted < coroutineOf(row); });
        // Another cursor can rebuild the index while this one is in use.
        m_own.assign(first, end);
        return m_own;
    }

    /// Reads the causes of the coroutines from `first` on.
    void build(CauseIndex<Row> &index, CoroutineId first)
    {
        index.rows.clear();
        index.first = first;
        index.end = kNoCoroutine;
        CauseReader reader(m_snapshot);
        while (reader.next(m_notes)) {
            for (const Row &row : m_notes.*m_rows) {
                if (coroutineOf(row) >= first && coroutineOf(row) < index.end)
                    index.rows.push_back(row);
            }
            if (index.rows.size() > index.kMostRows && index.end - first > 1)
                removeLast(index);
        }
        std::stable_sort(index.rows.begin(), index.rows.end(), isBefore);
    }
    /// Keeps the causes of about half of the coroutines.
    static void removeLast(CauseIndex<Row> &index)
    {
        const auto middle = index.rows.begin() + static_cast<std::ptrdiff_t>(index.rows.size() / 2);
        std::stable_sort(index.rows.begin(), index.rows.end(), isBefore);
        index.end = std::max(coroutineOf(*middle), index.first + 1);
        std::erase_if(index.rows, [&](const Row &row) { return coroutineOf(row) >= index.end; });
    }
    static bool isBefore(const Row &one, const Row &other) { return coroutineOf(one) < coroutineOf(other); }

    Snapshot &m_snapshot;
    std::vector<Row> Notes::*const m_rows;
    const Put m_put;
    std::optional<CauseReader> m_reader;
    Notes m_notes;
    std::vector<Row> m_own;  ///< of one coroutine
    std::span<const Row> m_span;
    std::size_t m_at = 0;
    const Row *m_present = nullptr;
};

}  // namespace ct::query
