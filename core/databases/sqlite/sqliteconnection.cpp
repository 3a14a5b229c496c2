// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/sqlite/sqliteconnection.h"

#include "core/databases/connectionname.h"
#include "core/databases/sqlite/databasefile.h"
#include "core/databases/sqlite/sqliteddl.h"

#include <QSqlDriver>
#include <QSqlError>
#include <QSqlQuery>
#include <QVariant>

#include <sqlite3.h>

namespace ct {

namespace {

const QString kDriver = QStringLiteral("QSQLITE");

/// SQLite reports a file that reached the limit on its size (EFBIG) as an I/O error.
ErrorCode codeOf(int sqlite, bool isAtLimit)
{
    switch (sqlite) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorCode::Busy;
    case SQLITE_READONLY: return ErrorCode::PermissionDenied;
    case SQLITE_FULL: return ErrorCode::NoSpace;
    case SQLITE_IOERR: return isAtLimit ? ErrorCode::SizeLimit : ErrorCode::InputOutput;
    default: return ErrorCode::InputOutput;
    }
}

QString latin(std::string_view text)
{
    return QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

SqliteConnection::SqliteConnection(std::string path)
    : m_path(std::move(path)), m_name(freshConnectionName()), m_database(QSqlDatabase::addDatabase(kDriver, m_name))
{
}

SqliteConnection::~SqliteConnection()
{
    rollback();
    // A failed transaction can leave some of its pages in the file, and the older pages in the journal. The next
    // statement that reads restores the older pages; closing alone would leave both files as they are.
    if (m_hasFailed && m_database.isOpen())
        (void)run("SELECT count(*) FROM sqlite_master");
    m_database.close();
    // Qt requires that the last handle is destroyed before the connection is removed.
    m_database = QSqlDatabase();
    QSqlDatabase::removeDatabase(m_name);
}

Result<std::unique_ptr<SqliteConnection>> SqliteConnection::open(const std::string &path)
{
    std::unique_ptr<SqliteConnection> connection(new SqliteConnection(path));
    connection->m_database.setDatabaseName(QString::fromStdString(sqliteName(path)));
    if (!connection->m_database.open())
        return connection->errorOf(connection->m_database.lastError(), false);
    const QVariant handle = connection->m_database.driver()->handle();
    connection->m_handle = *static_cast<sqlite3 *const *>(handle.constData());
    return connection;
}

Error SqliteConnection::errorOf(const QSqlError &error, bool isAtLimit)
{
    return makeError(error.nativeErrorCode().toInt(), error.databaseText().toStdString(), isAtLimit);
}

Error SqliteConnection::latestError(bool isAtLimit)
{
    return makeError(sqlite3_errcode(m_handle), sqlite3_errmsg(m_handle), isAtLimit);
}

Error SqliteConnection::makeError(int code, const std::string &text, bool isAtLimit)
{
    const ErrorCode kind = codeOf(code & 0xFF, isAtLimit);
    const std::string what = m_path + ": " + text;
    if (kind == ErrorCode::PermissionDenied)
        return {kind, what + "; choose a folder that you can write to"};
    if (kind == ErrorCode::Busy)
        return {kind, what + " by another program; close the database there or choose another path"};
    m_hasFailed = true;
    Error failed{kind, what + "; " + m_content};
    addRemedy(failed, spaceRemedy(kind == ErrorCode::InputOutput ? ErrorCode::NoSpace : kind));
    return failed;
}

Result<void> SqliteConnection::run(std::string_view statement)
{
    (void)m_limit.isReached();
    QSqlQuery query(m_database);
    if (!query.exec(latin(statement)))
        return errorOf(query.lastError(), m_limit.isReached());
    return {};
}

Result<SqliteStatement> SqliteConnection::prepareRows(const TableSchema &schema)
{
    SqliteStatement statement(m_handle, sqlite::insertRow(schema).c_str(), schema);
    if (!statement)
        return latestError(false);
    return statement;
}

Result<void> SqliteConnection::addRow(SqliteStatement &statement, const Row &row)
{
    if (statement.add(row) == SQLITE_DONE)
        return {};
    return latestError(m_limit.isReached());
}

// Uses SQL statements, because Qt's own functions drop the code of an error.
Result<void> SqliteConnection::beginTransaction()
{
    if (m_inTransaction)
        return {};
    Result<void> begun = run("BEGIN");
    m_inTransaction = bool(begun);
    return begun;
}

Result<void> SqliteConnection::commit()
{
    if (!m_inTransaction)
        return {};
    Result<void> done = run("COMMIT");
    m_inTransaction = !done;
    return done;
}

void SqliteConnection::rollback()
{
    // An error here means that SQLite has already ended the transaction.
    if (m_inTransaction)
        (void)run("ROLLBACK");
    m_inTransaction = false;
}

}  // namespace ct
