// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table gaps: numbers of events that were never captured. Events that were captured and then evicted are not
// gaps.
#pragma once

#include "core/query/virtualtable.h"

namespace ct::query {

class GapCursor final : public Cursor {
public:
    explicit GapCursor(Snapshot &snapshot) : m_snapshot(snapshot) {}
    void start(const Filter &filter) override;
    bool next() override;
    void put(int column, SqlValue &value) override;

private:
    struct Gap {
        std::uint64_t firstN = 0;
        std::uint64_t count = 0;
        std::string_view kind;
    };
    void readGaps();
    void addGap(std::uint64_t firstN, std::uint64_t count);

    Snapshot &m_snapshot;
    CoroutineId m_next = 0;
    CoroutineId m_end = 0;
    std::vector<Gap> m_gaps;   ///< of coroutine m_next - 1
    std::size_t m_at = 0;      ///< one past the present gap
    std::uint64_t m_lost = 0;  ///< lost events of the coroutine that are in no gap so far
};

}  // namespace ct::query
