// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tables of a trace, for SQLite's interface for virtual tables.
#pragma once

#include "core/databases/schema.h"
#include "core/query/snapshot.h"
#include "core/query/sqlvalue.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

struct sqlite3;

namespace ct::query {

/// What a scan may leave out. SQLite checks all conditions again, so a cursor may ignore any of them.
struct Filter {
    static constexpr std::uint64_t kLatest = ~std::uint64_t{0};
    std::optional<std::uint64_t> key;  ///< value of the key column
    std::uint64_t from = 0;            ///< least time, ns
    std::uint64_t to = kLatest;        ///< greatest time, ns
    std::optional<std::uint64_t> tid;
    std::optional<std::uint64_t> number;  ///< value of the order column
};

/// Sets the coroutines of a scan that has the coroutine as its key: all below `count`, one, or none.
inline void setRange(const Filter &filter, CoroutineId count, CoroutineId &next, CoroutineId &end)
{
    next = filter.key ? static_cast<CoroutineId>(std::min<std::uint64_t>(*filter.key, count)) : 0;
    end = filter.key ? std::min(count, next + 1) : count;
}

/// One scan of a table. It may end early once Snapshot::isCancelled() is true.
class Cursor {
public:
    virtual ~Cursor() = default;
    virtual void start(const Filter &filter) = 0;
    /// Moves to the first or the next row. Returns false at the end.
    virtual bool next() = 0;
    virtual void put(int column, SqlValue &value) = 0;
    virtual std::uint64_t rowId() const { return 0; }  ///< 0: SQLite gets the row's number in the scan
};

struct VirtualTable {
    Table schema;
    std::unique_ptr<Cursor> (*open)(Snapshot &snapshot);
    std::uint64_t (*rows)(const Snapshot &snapshot);  ///< an estimate
    int keyColumn = -1;                               ///< rows with one value of it are found quickly; -1: none
    bool isKeyUnique = false;
    int timeColumn = -1;
    int threadColumn = -1;
    int orderColumn = -1;   ///< a scan is ordered by the key column, then by this one
    int numberColumn = -1;  ///< a scan is also ordered by this column
};

/// All tables of a trace.
std::span<const VirtualTable> tables();

/// The columns of the export without positions in the stream (after_event): memory has no order across coroutines.
std::vector<std::string_view> columnsOf(const VirtualTable &table);

/// Adds the tables to a database. `snapshot` must outlive it. Returns SQLite's code.
int addTables(sqlite3 *database, Snapshot &snapshot);

}  // namespace ct::query
