// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/postgresql/pgconnection.h"

#include "core/databases/connectionname.h"
#include "core/databases/postgresql/pgattempt.h"
#include "core/databases/serverpasswords.h"
#include "core/databases/serverstore.h"

#include <QSqlDriver>
#include <QSqlError>
#include <QVariant>

#include <libpq-fe.h>
#include <poll.h>
#include <utility>

namespace ct {

namespace {

constexpr int kCancelledEveryMs = 50;

std::string doubled(std::string_view text, char quote)
{
    std::string result(1, quote);
    for (const char character : text) {
        if (character == '\0')
            result += "\xEF\xBF\xBD";  // PostgreSQL cannot store it: U+FFFD replaces it
        else
            result.append(character == quote ? 2 : 1, character);
    }
    return result + quote;
}

/// The first line of a server's message says what happened.
std::string firstLine(std::string text)
{
    text.resize(std::min(text.size(), text.find('\n')));
    return text;
}

/// Quotes the value of a connection option: Qt passes options to libpq unchanged.
QString quoted(const std::string &value)
{
    QString text = QString::fromStdString(value);
    text.replace(QLatin1String("\\"), QLatin1String("\\\\")).replace(QLatin1String("'"), QLatin1String("\\'"));
    return QLatin1Char('\'') + text + QLatin1Char('\'');
}

/// SQLSTATE codes: https://www.postgresql.org/docs/15/errcodes-appendix.html
ErrorCode codeOf(std::string_view state)
{
    if (state == "53100")
        return ErrorCode::NoSpace;
    if (state == "42501" || state.starts_with("28"))
        return ErrorCode::PermissionDenied;
    if (state.starts_with("55"))
        return ErrorCode::Busy;
    if (state == "25006")
        return ErrorCode::Unsupported;
    return ErrorCode::InputOutput;
}

/// While a COPY is going on, libpq returns its status again and again.
bool isCopy(ExecStatusType status)
{
    return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

}  // namespace

Result<void> checkPgTls(const ServerAddress &address, pg_conn *handle)
{
    if (!address.needsTls() || PQsslInUse(handle) == 1)
        return {};
    return withoutTls(address);
}

std::string pgIdentifier(std::string_view name)
{
    return doubled(name, '"');
}

std::string pgLiteral(std::string_view text)
{
    return doubled(text, '\'');
}

void PgRows::Clear::operator()(pg_result *result) const
{
    PQclear(result);
}

int PgRows::count() const
{
    return PQntuples(m_result.get());
}

int PgRows::columns() const
{
    return PQnfields(m_result.get());
}

std::optional<std::string_view> PgRows::cell(int row, int column) const
{
    if (PQgetisnull(m_result.get(), row, column) != 0)
        return std::nullopt;
    return std::string_view(PQgetvalue(m_result.get(), row, column),
                            static_cast<std::size_t>(PQgetlength(m_result.get(), row, column)));
}

PgConnection::PgConnection(const ServerAddress &address, IsCancelled isCancelled)
    : m_address(address),
      m_name(freshConnectionName()),
      m_database(QSqlDatabase::addDatabase(QStringLiteral("QPSQL"), m_name)),
      m_isCancelled(std::move(isCancelled))
{
}

PgConnection::~PgConnection()
{
    m_database.close();
    // Qt requires that the last handle is destroyed before the connection is removed.
    m_database = QSqlDatabase();
    QSqlDatabase::removeDatabase(m_name);
}

Result<void> PgConnection::connectTo(const std::string &database)
{
    // Without these options, a server that is gone blocks the caller until TCP gives up, after a quarter of an hour.
    QStringList options{QStringLiteral("connect_timeout=10"), QStringLiteral("keepalives_idle=10"),
                        QStringLiteral("keepalives_interval=5"), QStringLiteral("keepalives_count=3"),
                        QStringLiteral("tcp_user_timeout=30000")};
    if (!m_address.sslMode.empty())
        options << QStringLiteral("sslmode=") + QString::fromStdString(m_address.sslMode);
    if (!m_address.certificate.empty())
        options << QStringLiteral("sslrootcert=") + quoted(m_address.certificate);
    m_database.setConnectOptions(options.join(QLatin1Char(';')));
    m_database.setHostName(QString::fromStdString(m_address.hostOrSocket()));
    m_database.setPort(m_address.port);
    m_database.setDatabaseName(QString::fromStdString(database));
    if (!m_address.user.empty())
        m_database.setUserName(QString::fromStdString(m_address.user));
    if (const std::optional<std::string> password = keptServerPassword(m_address))
        m_database.setPassword(QString::fromStdString(*password));
    if (!m_database.open())
        return Error{ErrorCode::InputOutput,
                     m_address.name() + ": " + firstLine(m_database.lastError().databaseText().toStdString())};
    m_handle = *static_cast<pg_conn *const *>(m_database.driver()->handle().constData());
    PQsetNoticeProcessor(
        m_handle, [](void *, const char *) {}, nullptr);
    PQsetnonblocking(m_handle, 1);
    return {};
}

Error PgConnection::refusal(const PgAttempt &attempt) const
{
    return isCancelled() ? failure(nullptr) : refusalOf(m_address, attempt);
}

/// Connects. If the database does not exist, creates it, or returns an error.
Result<void> PgConnection::connect(IfMissing ifMissing)
{
    // Qt's driver cannot be stopped, and it does not report why a server refuses. So libpq connects first, and Qt's
    // driver only to a server that has just accepted a connection.
    const PgAttempt attempt = attemptPgConnection(m_address, m_address.database, m_isCancelled);
    if (attempt.lacksDatabase() && ifMissing == IfMissing::Create) {
        if (Result<void> created = createDatabase(); !created)
            return created;
    } else if (!attempt.isConnected) {
        return refusal(attempt);
    }
    return connectTo(m_address.database);
}

Result<void> PgConnection::createDatabase()
{
    if (const PgAttempt attempt = attemptPgConnection(m_address, m_address.maintenance, m_isCancelled);
        !attempt.isConnected)
        return refusal(attempt);
    if (Result<void> connected = connectTo(m_address.maintenance); !connected)
        return connected;
    if (Result<void> checked = checkPgTls(m_address, m_handle); !checked)
        return checked;
    // The encoding of template1 may lack characters, and the locale may need another one than UTF-8.
    const std::string create =
        "CREATE DATABASE " + pgIdentifier(m_address.database) + " ENCODING 'UTF8' TEMPLATE template0";
    Result<void> created = run(create);
    if (!created)
        created = run(create + " LC_COLLATE 'C' LC_CTYPE 'C'");
    // Another program may have created it at the same moment.
    const auto other = value("SELECT 1 FROM pg_database WHERE datname = " + pgLiteral(m_address.database));
    m_database.close();
    if (created || (other && *other))
        return {};
    Error error = created.error();
    addRemedy(error, kNoDatabaseRemedy);
    return error;
}

Result<std::unique_ptr<PgConnection>> PgConnection::open(const ServerAddress &address, IfMissing ifMissing,
                                                         IsCancelled isCancelled)
{
    if (!QSqlDatabase::isDriverAvailable(QStringLiteral("QPSQL")))
        return Error{ErrorCode::Unsupported, "Qt has no PostgreSQL driver here; install libqt6sql6-psql"};
    std::unique_ptr<PgConnection> connection(new PgConnection(address, std::move(isCancelled)));
    if (Result<void> connected = connection->connect(ifMissing); !connected)
        return connected.error();
    Result<void> done = checkPgTls(address, connection->m_handle);
    // In the literals of pgLiteral(), a backslash is an ordinary character, whatever the default of the database is.
    if (done)
        done = connection->run("SET standard_conforming_strings = on");
    // A statement has to see what another export has committed while this one waited for it.
    if (done)
        done = connection->run("SET default_transaction_isolation = 'read committed'");
    // From version 14 on: the server ends a statement soon after its client is gone.
    if (done)
        (void)connection->run("SET client_connection_check_interval = '1s'");
    return done ? std::move(connection) : Result<std::unique_ptr<PgConnection>>(done.error());
}

bool PgConnection::isLost() const
{
    return isCancelled() || PQstatus(m_handle) != CONNECTION_OK;
}

Error PgConnection::errorOf(const pg_result *result) const
{
    const char *const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const std::string text = firstLine(result ? PQresultErrorMessage(result) : PQerrorMessage(m_handle));
    return {codeOf(state ? state : ""), m_address.name() + ": " + text};
}

/// Sends what libpq has buffered. Returns false if the server is gone, or when cancelled.
bool PgConnection::flush()
{
    while (const int kept = PQflush(m_handle)) {
        if (kept < 0 || isCancelled())
            return false;
        // A server whose answers are not read stops reading as well.
        pollfd socket{PQsocket(m_handle), POLLIN | POLLOUT, 0};
        if (::poll(&socket, 1, kCancelledEveryMs) > 0 && (socket.revents & POLLIN) != 0 &&
            PQconsumeInput(m_handle) != 1)
            return false;
    }
    return true;
}

/// Waits for an answer. Returns false if there will be none, or when cancelled: a server may send endless answers.
bool PgConnection::await()
{
    while (!isCancelled()) {
        if (PQisBusy(m_handle) == 0)
            return true;
        pollfd socket{PQsocket(m_handle), POLLIN, 0};
        if (::poll(&socket, 1, kCancelledEveryMs) > 0 && PQconsumeInput(m_handle) != 1)
            return false;
    }
    return false;
}

/// Like PQexec(), but can be cancelled. Returns the last result, or nullptr. The caller owns it.
pg_result *PgConnection::execute(const std::string &statements)
{
    if (PQsendQuery(m_handle, statements.c_str()) != 1 || !flush())
        return nullptr;
    pg_result *latest = nullptr;
    while (await()) {
        pg_result *const result = PQgetResult(m_handle);
        if (!result)
            return latest;
        const bool isCopying = isCopy(PQresultStatus(result));
        const bool hasFailed = PQresultStatus(latest) == PGRES_FATAL_ERROR && latest;
        PQclear(hasFailed ? result : std::exchange(latest, result));
        if (isCopying)
            return latest;
    }
    PQclear(latest);
    return nullptr;
}

/// The reason why the answer is missing or wrong.
Error PgConnection::failure(const pg_result *result) const
{
    if (!result && isCancelled())
        return {ErrorCode::Cancelled, m_address.name() + ": cancelled"};
    if (result && PQresultStatus(result) != PGRES_FATAL_ERROR)
        return {ErrorCode::BadFormat, m_address.name() + ": the answer does not fit the statement; check whether the "
                                                         "address is that of a PostgreSQL server"};
    return errorOf(result);
}

Result<PgRows> PgConnection::rows(const std::string &statements)
{
    PgRows rows(execute(statements));
    const ExecStatusType status = PQresultStatus(rows.m_result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        return failure(rows.m_result.get());
    return rows;
}

Result<void> PgConnection::run(const std::string &statements)
{
    const Result<PgRows> done = rows(statements);
    return done ? Result<void>() : done.error();
}

Result<std::vector<std::string>> PgConnection::column(const std::string &query)
{
    const Result<PgRows> answer = rows(query);
    if (!answer)
        return answer.error();
    std::vector<std::string> values;
    for (int row = 0; row < answer->count(); ++row) {
        if (const auto cell = answer->cell(row, 0))
            values.emplace_back(*cell);
    }
    return values;
}

Result<std::optional<std::string>> PgConnection::value(const std::string &query)
{
    Result<std::vector<std::string>> values = column(query);
    if (!values)
        return values.error();
    return values->empty() ? std::optional<std::string>() : std::move(values->front());
}

bool PgConnection::sendCopy(std::string_view text)
{
    int isTaken = 0;  // 0: there is no room
    while ((isTaken = PQputCopyData(m_handle, text.data(), static_cast<int>(text.size()))) == 0) {
        if (!flush())
            return false;
    }
    if (isTaken != 1)
        return false;
    while ((isTaken = PQputCopyEnd(m_handle, nullptr)) == 0) {
        if (!flush())
            return false;
    }
    return isTaken == 1 && flush();
}

Result<void> PgConnection::copy(const std::string &target, std::string_view text)
{
    // FREEZE is allowed because this transaction created the table, so no other transaction sees it.
    const PgRows begun(execute("COPY " + target + " FROM STDIN WITH (FREEZE)"));
    if (PQresultStatus(begun.m_result.get()) != PGRES_COPY_IN)
        return failure(begun.m_result.get());
    Result<void> done = sendCopy(text) ? Result<void>() : Result<void>(failure(nullptr));
    while (await()) {
        const PgRows answer(PQgetResult(m_handle));
        const pg_result *const result = answer.m_result.get();
        if (!result)
            return done;
        // If the server did not read everything, its own message has the reason.
        if (PQresultStatus(result) == PGRES_FATAL_ERROR || (done && PQresultStatus(result) != PGRES_COMMAND_OK))
            done = failure(result);
        if (isCopy(PQresultStatus(result)))
            return done;
    }
    return done ? failure(nullptr) : done;
}

}  // namespace ct
