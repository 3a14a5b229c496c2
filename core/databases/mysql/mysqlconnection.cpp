// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/mysql/mysqlconnection.h"

#include "core/databases/connectionname.h"
#include "core/databases/mysql/mysqlcanceller.h"
#include "core/databases/serverpasswords.h"
#include "core/databases/serverstore.h"

#include <QSqlError>
#include <QSqlQuery>
#include <QVariant>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace ct {

namespace {

/// Codes: https://mariadb.com/kb/en/mariadb-error-codes/
ErrorCode codeOf(int server)
{
    switch (server) {
    case 1021:
    case 1114: return ErrorCode::NoSpace;  // ER_DISK_FULL, ER_RECORD_FILE_FULL
    case 1044:
    case 1045:
    case 1142:
    case 1698: return ErrorCode::PermissionDenied;
    case 1205:
    case 1213: return ErrorCode::Busy;  // ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK
    default: return ErrorCode::InputOutput;
    }
}

/// True if the connection ended before the answer. Codes from 2000 to 2999 are those of the client library.
bool endsConnection(int code)
{
    return code == 1053 || code == 1927 || (code >= 2000 && code < 3000);  // ER_SERVER_SHUTDOWN, ER_CONNECTION_KILLED
}
constexpr int kInterrupted = 1317;      ///< ER_QUERY_INTERRUPTED
constexpr const char *kNoTls = "2026";  ///< CR_SSL_CONNECTION_ERROR, of the client

/// Fixes the meaning of quotes and ||, the checks, and the end of transactions, whatever the server's default is.
constexpr const char *kMode = "SET SESSION sql_mode = 'PIPES_AS_CONCAT,STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION',"
                              " SESSION autocommit = 1";

}  // namespace

std::string mysqlIdentifier(std::string_view name)
{
    std::string result = "`";
    for (const char character : name)
        result.append(character == '`' ? 2 : 1, character);
    return result + '`';
}

void appendMysqlLiteral(std::string &out, std::string_view text)
{
    out += '\'';
    for (const char character : text) {
        switch (character) {
        case '\0': out += "\\0"; break;
        case '\'': out += "''"; break;
        case '\\': out += "\\\\"; break;
        default: out += character;
        }
    }
    out += '\'';
}

std::string mysqlLiteral(std::string_view text)
{
    std::string literal;
    appendMysqlLiteral(literal, text);
    return literal;
}

MysqlConnection::MysqlConnection(const ServerAddress &address)
    : m_address(address),
      m_name(freshConnectionName()),
      m_database(QSqlDatabase::addDatabase(QStringLiteral("QMYSQL"), m_name))
{
}

MysqlConnection::~MysqlConnection()
{
    m_canceller.reset();
    m_database.close();
    // Qt requires that the last handle is destroyed before the connection is removed.
    m_database = QSqlDatabase();
    QSqlDatabase::removeDatabase(m_name);
}

Error MysqlConnection::error(const QSqlError &failed)
{
    const int code = failed.nativeErrorCode().toInt();
    m_isLost = m_isLost || endsConnection(code);
    if (code == kInterrupted && m_canceller && m_canceller->isCancelled())
        return {ErrorCode::Cancelled, m_address.name() + ": cancelled"};
    return {codeOf(code), m_address.name() + ": " + failed.databaseText().toStdString()};
}

Error MysqlConnection::refusal()
{
    const QSqlError failed = m_database.lastError();
    Error refused = error(failed);
    addRemedy(refused, refused.code == ErrorCode::PermissionDenied         ? passwordRemedy(m_address)
                       : failed.nativeErrorCode() == QLatin1String(kNoTls) ? tlsRemedy(m_address)
                                                                           : "check the address and the user");
    return refused;
}

Result<void> MysqlConnection::connect()
{
    // Without limits, a server that is gone blocks the caller for ever. While a server makes the indexes of a large
    // session, it sends nothing for minutes.
    QStringList options{QStringLiteral("MYSQL_OPT_CONNECT_TIMEOUT=10"), QStringLiteral("MYSQL_OPT_WRITE_TIMEOUT=60"),
                        QStringLiteral("MYSQL_OPT_READ_TIMEOUT=3600")};
    if (!m_address.socket.empty())
        options << QStringLiteral("UNIX_SOCKET=") + QString::fromStdString(m_address.socket);
    // As with PostgreSQL, TCP prefers TLS. An option for TLS switches it on; this one has the default of OpenSSL.
    if (m_address.needsTls() || (m_address.socket.empty() && m_address.sslMode != "disable"))
        options << QStringLiteral("SSL_CIPHER=DEFAULT");
    m_database.setConnectOptions(options.join(QLatin1Char(';')));
    // For the client library, localhost is the usual local socket, which may be that of another server.
    const std::string host = m_address.host == "localhost" ? "127.0.0.1" : m_address.host;
    m_database.setHostName(m_address.socket.empty() ? QString::fromStdString(host) : QStringLiteral("localhost"));
    m_database.setPort(m_address.port);
    m_database.setUserName(QString::fromStdString(m_address.user));
    const std::optional<std::string> password = keptServerPassword(m_address);
    m_database.setPassword(password ? QString::fromStdString(*password) : qEnvironmentVariable("MYSQL_PWD"));
    if (!m_database.open())
        return refusal();
    const Result<void> checked = checkTls();
    return checked ? run(kMode) : checked;
}

Result<void> MysqlConnection::useDatabase()
{
    const std::string database = mysqlIdentifier(m_address.database);
    // Without the right to create databases, an existing one can still be used.
    (void)run("CREATE DATABASE IF NOT EXISTS " + database + " CHARACTER SET utf8mb4");
    if (Result<void> used = run("USE " + database); !used) {
        Error error = used.error();
        addRemedy(error, kNoDatabaseRemedy);
        return error;
    }
    return run("SET NAMES utf8mb4");
}

bool MysqlConnection::usesTls() const
{
    QSqlQuery query(m_database);
    return query.exec(QStringLiteral("SHOW STATUS LIKE 'Ssl_cipher'")) && query.next() &&
           !query.value(1).toString().isEmpty();
}

Result<void> MysqlConnection::checkTls() const
{
    if (!m_address.needsTls() || usesTls())
        return {};
    return withoutTls(m_address);
}

Result<void> MysqlConnection::obeyCancelling(IsCancelled isCancelled)
{
    const Result<std::uint64_t> id = number("SELECT CONNECTION_ID()");
    if (!id)
        return id.error();
    m_canceller = std::make_unique<MysqlCanceller>(m_address, *id, std::move(isCancelled));
    return {};
}

Result<std::unique_ptr<MysqlConnection>> MysqlConnection::open(const ServerAddress &address, IsCancelled isCancelled)
{
    Result<std::unique_ptr<MysqlConnection>> connection = openServer(address);
    if (!connection)
        return connection;
    Result<void> used = (*connection)->useDatabase();
    if (used && isCancelled)
        used = (*connection)->obeyCancelling(std::move(isCancelled));
    return used ? std::move(connection) : Result<std::unique_ptr<MysqlConnection>>(used.error());
}

Result<std::unique_ptr<MysqlConnection>> MysqlConnection::openServer(const ServerAddress &address)
{
    if (!QSqlDatabase::isDriverAvailable(QStringLiteral("QMYSQL")))
        return Error{ErrorCode::Unsupported, "Qt has no driver for MariaDB and MySQL here; install libqt6sql6-mysql"};
    if (address.sslMode.starts_with("verify-"))
        return Error{ErrorCode::Unsupported, address.name() + ": Qt's driver for MariaDB and MySQL cannot verify the "
                                                              "certificate of a server; use a Unix socket, or "
                                                              "sslmode=require in a network that you trust"};
    std::unique_ptr<MysqlConnection> connection(new MysqlConnection(address));
    if (Result<void> connected = connection->connect(); !connected)
        return connected.error();
    return connection;
}

void MysqlConnection::ignoreCancelling()
{
    m_canceller.reset();
}

bool MysqlConnection::execute(QSqlQuery &query, const QString &statement)
{
    if (m_canceller)
        m_canceller->begin();
    const bool done = query.exec(statement);
    if (m_canceller)
        m_canceller->end();
    return done;
}

Result<void> MysqlConnection::run(std::string_view statement)
{
    QSqlQuery query(m_database);
    if (!execute(query, QString::fromUtf8(statement.data(), static_cast<qsizetype>(statement.size()))))
        return error(query.lastError());
    return {};
}

Result<std::uint64_t> MysqlConnection::change(const std::string &statement)
{
    QSqlQuery query(m_database);
    if (!execute(query, QString::fromStdString(statement)))
        return error(query.lastError());
    return static_cast<std::uint64_t>(std::max(query.numRowsAffected(), 0));
}

Result<void> MysqlConnection::runAll(const std::vector<std::string> &statements)
{
    for (const std::string &statement : statements) {
        if (Result<void> done = run(statement); !done)
            return done;
    }
    return {};
}

Result<std::vector<std::string>> MysqlConnection::column(const std::string &query)
{
    QSqlQuery rows(m_database);
    if (!execute(rows, QString::fromStdString(query)))
        return error(rows.lastError());
    std::vector<std::string> values;
    while (rows.next())
        values.push_back(rows.value(0).toString().toStdString());
    return values;
}

Result<std::uint64_t> MysqlConnection::number(const std::string &query)
{
    const Result<std::vector<std::string>> values = column(query);
    if (!values)
        return values.error();
    return values->empty() ? 0 : std::strtoull(values->front().c_str(), nullptr, 10);
}

}  // namespace ct
