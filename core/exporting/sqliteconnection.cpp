// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/sqliteconnection.h"

#include <QSqlError>

#include <atomic>

#include <sys/resource.h>

namespace ct {

namespace {

const QString kDriver = QStringLiteral("QSQLITE");

// Primary result codes: https://www.sqlite.org/rescode.html
constexpr int kReadOnly = 8;
constexpr int kInputOutput = 10;
constexpr int kFull = 13;

bool areFilesLimited()
{
    rlimit limit{};
    return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// SQLite reports a file that reached the limit on its size (EFBIG) as an I/O error. Sizes do not tell afterwards: the
/// rollback has made the file smaller. Where there is a limit, it is by far the likeliest cause.
ErrorCode codeOf(int sqlite)
{
    switch (sqlite) {
    case kReadOnly: return ErrorCode::PermissionDenied;
    case kFull: return ErrorCode::NoSpace;
    case kInputOutput: return areFilesLimited() ? ErrorCode::SizeLimit : ErrorCode::InputOutput;
    default: return ErrorCode::InputOutput;
    }
}

/// Qt keeps the text of a failed BEGIN or COMMIT and drops its code. Those fail when the file cannot be written.
int primaryCodeOf(const QSqlError &error)
{
    const QString code = error.nativeErrorCode();
    return code.isEmpty() ? kInputOutput : code.toInt() & 0xFF;
}

Error sqlError(const std::string &path, const QSqlError &error)
{
    const ErrorCode code = codeOf(primaryCodeOf(error));
    std::string what = path + ": " + error.databaseText().toStdString();
    if (code == ErrorCode::PermissionDenied)
        return {code, what + "; choose a place that can be written"};
    what += "; the database is valid up to the latest commit";
    return {code, what + spaceRemedy(code == ErrorCode::InputOutput ? ErrorCode::NoSpace : code)};
}

QString freshName()
{
    // Only uniqueness matters: no order with anything else.
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
    if (m_inTransaction)
        m_database.rollback();
    m_database.close();
    // The last handle goes before the connection: the order Qt asks for.
    m_database = QSqlDatabase();
    QSqlDatabase::removeDatabase(m_name);
}

Result<std::unique_ptr<SqliteConnection>> SqliteConnection::open(const std::string &path)
{
    std::unique_ptr<SqliteConnection> connection(new SqliteConnection(path));
    connection->m_database.setDatabaseName(QString::fromLocal8Bit(path.c_str()));
    if (!connection->m_database.open())
        return sqlError(path, connection->m_database.lastError());
    return connection;
}

Result<void> SqliteConnection::run(std::string_view statement)
{
    QSqlQuery query(m_database);
    if (!query.exec(latin(statement)))
        return sqlError(m_path, query.lastError());
    return {};
}

Result<QSqlQuery> SqliteConnection::prepare(std::string_view statement)
{
    QSqlQuery query(m_database);
    query.setForwardOnly(true);
    if (!query.prepare(latin(statement)))
        return sqlError(m_path, query.lastError());
    return query;
}

Result<void> SqliteConnection::execute(QSqlQuery &query, std::initializer_list<QVariant> values)
{
    int position = 0;
    for (const QVariant &value : values)
        query.bindValue(position++, value);
    if (!query.exec())
        return sqlError(m_path, query.lastError());
    return {};
}

Result<void> SqliteConnection::begin()
{
    if (m_inTransaction)
        return {};
    if (!m_database.transaction())
        return sqlError(m_path, m_database.lastError());
    m_inTransaction = true;
    return {};
}

Result<void> SqliteConnection::commit()
{
    if (!m_inTransaction)
        return {};
    if (!m_database.commit())
        return sqlError(m_path, m_database.lastError());
    m_inTransaction = false;
    return {};
}

}  // namespace ct
