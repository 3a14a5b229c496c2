// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/sqlite/sqliteconnection.h"

#include "core/exporting/sqlite/filelimitwatch.h"

#include <QSqlError>

#include <atomic>

namespace ct {

namespace {

const QString kDriver = QStringLiteral("QSQLITE");

// Primary result codes: https://www.sqlite.org/rescode.html
constexpr int kBusy = 5;
constexpr int kLocked = 6;
constexpr int kReadOnly = 8;
constexpr int kInputOutput = 10;
constexpr int kFull = 13;

/// SQLite reports a file that reached the limit on its size (EFBIG) as an I/O error.
ErrorCode codeOf(int sqlite, bool isAtLimit)
{
    switch (sqlite) {
    case kBusy:
    case kLocked: return ErrorCode::Busy;
    case kReadOnly: return ErrorCode::PermissionDenied;
    case kFull: return ErrorCode::NoSpace;
    case kInputOutput: return isAtLimit ? ErrorCode::SizeLimit : ErrorCode::InputOutput;
    default: return ErrorCode::InputOutput;
    }
}

QString freshName()
{
    // Relaxed: only uniqueness matters.
    static std::atomic<unsigned> counter{0};
    return QStringLiteral("corotracer-export-%1").arg(counter.fetch_add(1, std::memory_order_relaxed));
}

QString latin(std::string_view text)
{
    return QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

SqliteConnection::SqliteConnection(std::string path)
    : m_path(std::move(path)), m_name(freshName()), m_database(QSqlDatabase::addDatabase(kDriver, m_name))
{
}

SqliteConnection::~SqliteConnection()
{
    rollback();
    // A failed transaction can leave some of its pages in the file, and the older pages in the journal. The next
    // statement that reads puts the older pages back; closing alone would leave both files as they are.
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
    connection->m_database.setDatabaseName(QString::fromLocal8Bit(path.c_str()));
    if (!connection->m_database.open())
        return connection->errorOf(connection->m_database.lastError(), false);
    return connection;
}

Error SqliteConnection::errorOf(const QSqlError &error, bool isAtLimit)
{
    const ErrorCode code = codeOf(error.nativeErrorCode().toInt() & 0xFF, isAtLimit);
    const std::string what = m_path + ": " + error.databaseText().toStdString();
    if (code == ErrorCode::PermissionDenied)
        return {code, what + "; choose a folder that you may write to"};
    if (code == ErrorCode::Busy)
        return {code, what + " by another program; close the database there or choose another path"};
    m_hasFailed = true;
    Error failed{code, what + "; " + m_content};
    addRemedy(failed, spaceRemedy(code == ErrorCode::InputOutput ? ErrorCode::NoSpace : code));
    return failed;
}

Result<void> SqliteConnection::run(std::string_view statement)
{
    const FileLimitWatch limit;
    QSqlQuery query(m_database);
    if (!query.exec(latin(statement)))
        return errorOf(query.lastError(), limit.isReached());
    return {};
}

Result<QSqlQuery> SqliteConnection::prepare(std::string_view statement)
{
    QSqlQuery query(m_database);
    query.setForwardOnly(true);
    if (!query.prepare(latin(statement)))
        return errorOf(query.lastError(), false);
    return query;
}

Result<void> SqliteConnection::execute(QSqlQuery &query, std::initializer_list<QVariant> values)
{
    const FileLimitWatch limit;
    int position = 0;
    for (const QVariant &value : values)
        query.bindValue(position++, value);
    if (!query.exec())
        return errorOf(query.lastError(), limit.isReached());
    return {};
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
