// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The interface to a database from which the rows of one session are read, all from one state of the database.
#pragma once

#include "core/base/result.h"
#include "core/databases/reading/rowreader.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ct {

/// The rows of a table, one by one.
class RowCursor {
public:
    virtual ~RowCursor() = default;
    /// Sets `cells` to the next row, in the order of the schema's columns. They are valid until the next call. Returns
    /// false at the end.
    virtual Result<bool> next(std::span<const StoredCell> &cells) = 0;
};

/// Used by one thread at a time. Destroy it on the thread that opened it, after its cursors.
class RowSource {
public:
    virtual ~RowSource() = default;
    /// Reads the rows in which `column` is not NULL, sorted by that column and then by the order in which they were
    /// added.
    virtual Result<std::unique_ptr<RowCursor>> read(Table table, std::string_view column) = 0;
    /// For messages: the path of the file, or the address.
    virtual const std::string &name() const = 0;
};

/// Calls `put` for each row of source.read(table, column).
Result<void> readRows(RowSource &source, Table table, std::string_view column,
                      const std::function<void(RowReader &row)> &put);
/// The error for a row that no export can have written.
Error wrongRow(const RowSource &source, Table table, std::string_view column);
/// The error for a row that names a coroutine without a row of its own. `column` and `value` identify the row.
Error unknownCoroutine(const RowSource &source, Table table, std::string_view column, std::uint64_t value,
                       std::uint64_t coroutine);

}  // namespace ct
