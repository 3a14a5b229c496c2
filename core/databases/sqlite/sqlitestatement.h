// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A prepared statement that adds rows to a table. It uses SQLite's own interface, through the handle of Qt's driver,
// which is six times as fast as Qt SQL: docs/decisions/0039.
#pragma once

#include "core/databases/row.h"
#include "core/databases/schema.h"

#include <array>
#include <cstdint>
#include <memory>

struct sqlite3;
struct sqlite3_stmt;

namespace ct {

class SqliteStatement {
public:
    /// Room for an unsigned number, or an address, as text.
    using Digits = std::array<char, 20>;

    /// After an error of SQLite, the statement is empty, and the connection has the error.
    SqliteStatement(sqlite3 *database, const char *sql, const TableSchema &schema);

    explicit operator bool() const { return m_statement != nullptr; }
    /// Returns a result code of SQLite; SQLITE_DONE = the row was added.
    int add(const Row &row);

private:
    struct Finalize {
        void operator()(sqlite3_stmt *statement) const;
    };
    void bind(int column, const Cell &cell, ColumnType type);

    const TableSchema *m_schema;
    std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
    std::array<Digits, Row::kMostCells> m_digits;  ///< bound to the statement until the row is added
};

}  // namespace ct
