// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One connection to a SQLite database, with errors as Results. Belongs to the thread that opened it.
#pragma once

#include "core/base/result.h"
#include "core/databases/sqlite/filelimitwatch.h"
#include "core/databases/sqlite/sqlitestatement.h"

#include <QSqlDatabase>

#include <memory>
#include <string>
#include <string_view>

class QSqlError;

namespace ct {

class SqliteConnection {
public:
    static Result<std::unique_ptr<SqliteConnection>> open(const std::string &path);
    ~SqliteConnection();  ///< rolls back an open transaction
    SqliteConnection(const SqliteConnection &) = delete;
    SqliteConnection &operator=(const SqliteConnection &) = delete;

    /// `statement` is Latin-1.
    Result<void> run(std::string_view statement);
    /// Prepares the statement that adds rows to a table. Destroy it before the connection.
    Result<SqliteStatement> prepareRows(const TableSchema &schema);
    Result<void> addRow(SqliteStatement &statement, const Row &row);

    /// Does nothing if a transaction is open.
    Result<void> beginTransaction();
    /// Does nothing if no transaction is open.
    Result<void> commit();
    /// Rolls back an open transaction, even after an error. The next statement can begin another one.
    void rollback();

    /// Sets what errors report about the content from now on: a sentence without a full stop.
    void setContent(std::string content) { m_content = std::move(content); }

private:
    explicit SqliteConnection(std::string path);
    /// `isAtLimit`: the statement reached the limit on the size of files.
    Error errorOf(const QSqlError &error, bool isAtLimit);
    /// The latest error of SQLite's own interface.
    Error latestError(bool isAtLimit);
    Error makeError(int code, const std::string &text, bool isAtLimit);

    const FileLimitWatch m_limit;
    std::string m_path;
    QString m_name;
    QSqlDatabase m_database;
    sqlite3 *m_handle = nullptr;  ///< of m_database
    std::string m_content = "the database is valid up to the latest commit";
    bool m_inTransaction = false;
    bool m_hasFailed = false;  ///< the journal may have pages to put back
};

}  // namespace ct
