// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/sqlite/sqlitestatement.h"

#include "core/recording/text/lineoutput.h"

#include <sqlite3.h>

namespace ct {

void SqliteStatement::Finalize::operator()(sqlite3_stmt *statement) const
{
    sqlite3_finalize(statement);
}

SqliteStatement::SqliteStatement(sqlite3 *database, const char *sql, const TableSchema &schema) : m_schema(&schema)
{
    sqlite3_stmt *statement = nullptr;
    (void)sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    m_statement.reset(statement);
}

int SqliteStatement::add(const Row &row)
{
    int column = 0;
    for (const Cell &cell : row.cells()) {
        bind(column, cell, m_schema->columns[static_cast<std::size_t>(column)].type);
        ++column;
    }
    const int result = sqlite3_step(m_statement.get());
    (void)sqlite3_reset(m_statement.get());
    return result;
}

void SqliteStatement::bind(int column, const Cell &cell, ColumnType type)
{
    sqlite3_stmt *const statement = m_statement.get();
    const int position = column + 1;
    const auto bindDigits = [&](const char *begin, const char *end) {
        (void)sqlite3_bind_text(statement, position, begin, static_cast<int>(end - begin), SQLITE_STATIC);
    };
    char *const digits = m_digits[static_cast<std::size_t>(column)].data();
    switch (cell.kind) {
    case Cell::Kind::Null: (void)sqlite3_bind_null(statement, position); return;
    case Cell::Kind::Number:
        if (type == ColumnType::UnsignedText)
            return bindDigits(digits, putDecimal(digits, cell.number));
        (void)sqlite3_bind_int64(statement, position, static_cast<sqlite3_int64>(cell.number));
        return;
    case Cell::Kind::Address: return bindDigits(digits, putHex(digits, cell.number));
    case Cell::Kind::Text:
        (void)sqlite3_bind_text64(statement, position, cell.data, cell.number, SQLITE_STATIC, SQLITE_UTF8);
        return;
    }
}

}  // namespace ct
