// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tables that a stream is read from, and how their rows become parts of it. Each row has a position: the number of
// events before it.
#pragma once

#include "core/databases/reading/rowsource.h"
#include "core/stream/stream.h"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace ct {

/// What the rows become. A plain value.
struct StreamParts {
    Batch batch;
    CoroutineId born = 0;  ///< number of coroutines whose births were read
    // Sums over these coroutines.
    std::uint64_t events = 0;
    std::uint64_t lost = 0;
    std::uint64_t missed = 0;
    std::multimap<CoroutineId, CoroutineId> childrenOfUnborn;  ///< by parent, whose birth was not read yet
};

/// A table whose rows become parts of the stream, or some of its columns.
struct StreamTable {
    Table table;
    std::string_view order;     ///< the column by which the rows are sorted
    std::string_view position;  ///< the column with their position
    void (*put)(RowReader &row, StreamParts &to);
};

/// All tables but the events, in the order that rows at the same position must have.
std::span<const StreamTable> streamTables();
/// The tables of causes among them. Their rows belong to the batch of the events before them, as in a recording: the
/// wait of a suspension must not come after its end.
inline constexpr std::size_t kFirstCauses = 4;
inline constexpr std::size_t kCauses = 4;
/// Reads an event. The first column, its id, was read before.
void readEvent(RowReader &row, Transition &event);

/// Reads the rows of one table, always one ahead.
class PositionedRows {
public:
    static constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

    static Result<PositionedRows> open(RowSource &source, const StreamTable &table);
    std::uint64_t position() const { return m_position; }  ///< of the next row; kEnd: there is none
    /// Adds the next row to `to`. Requires that there is one.
    Result<void> take(StreamParts &to);

private:
    PositionedRows(RowSource &source, const StreamTable &table, std::unique_ptr<RowCursor> cursor);
    Result<void> advance();
    Result<void> checkCoroutines(const StreamParts &to) const;

    RowSource *m_source;
    const StreamTable *m_table;
    std::unique_ptr<RowCursor> m_cursor;
    std::size_t m_positionColumn = 0;
    std::vector<std::size_t> m_coroutineColumns;  ///< with ids of coroutines, whose births come before the row
    std::span<const StoredCell> m_cells;
    std::uint64_t m_position = 0;
};

}  // namespace ct
