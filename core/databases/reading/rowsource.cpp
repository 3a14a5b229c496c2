// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/reading/rowsource.h"

namespace ct {

Result<void> readRows(RowSource &source, Table table, std::string_view column,
                      const std::function<void(RowReader &row)> &put)
{
    const Result<std::unique_ptr<RowCursor>> cursor = source.read(table, column);
    if (!cursor)
        return cursor.error();
    std::span<const StoredCell> cells;
    Result<bool> more = (*cursor)->next(cells);
    for (; more && *more; more = (*cursor)->next(cells)) {
        RowReader row(schemaOf(table), cells);
        put(row);
        if (!row.wrongColumn().empty())
            return wrongRow(source, table, row.wrongColumn());
    }
    return more ? Result<void>() : more.error();
}

Error wrongRow(const RowSource &source, Table table, std::string_view column)
{
    return {ErrorCode::BadFormat, source.name() + ": the table " + std::string(serverNameOf(table)) +
                                      " has a row whose " + std::string(column) +
                                      " no export can have written; everything before it was read"};
}

Error unknownCoroutine(const RowSource &source, Table table, std::string_view column, std::uint64_t value,
                       std::uint64_t coroutine)
{
    return {ErrorCode::BadFormat, source.name() + ": in the table " + std::string(serverNameOf(table)) +
                                      ", the row with " + std::string(column) + ' ' + std::to_string(value) +
                                      " names coroutine " + std::to_string(coroutine) +
                                      ", which does not exist; everything before it was read"};
}

}  // namespace ct
