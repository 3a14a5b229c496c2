// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/postgresql/pgconnection.h"

#include "core/databases/postgresql/pgattempt.h"
#include "core/databases/serverpasswords.h"

#include <QSqlDriver>
#include <QSqlError>
#include <QVariant>

#include <atomic>
#include <libpq-fe.h>
#include <poll.h>
#include <utility>

namespace ct {

namespace {

constexpr int kCancelledEveryMs = 50;

QString freshName()
{
    // Relaxed: only uniqueness matters.
    static std::atomic<unsigned> counter{0};
    return QStringLiteral("corotracer-postgresql-%1").arg(counter.fetch_add(1, std::memory_order_relaxed));
}

std::string doubled(std::string_view text, char quote)
{
    std::string result(1, quote);
    for (const char character : text)
        result.append(character == quote ? 2 : 1, character);
    return result + quote;
}

/// Messages of the server have several lines: the first one says what happened.
std::string firstLine(std::string text)
{
    text.resize(std::min(text.size(), text.find('\n')));
    return text;
}

/// The value of an option of a connection. Qt passes options to libpq as they are.
QString quoted(const std::string &value)
{
    QString text = QString::fromStdString(value);
    text.replace(QLatin1String("\\"), QLatin1String("\\\\")).replace(QLatin1String("'"), QLatin1String("\\'"));
    return QLatin1Char('\'') + text + QLatin1Char('\'');
}

/// Codes of SQLSTATE: https://www.postgresql.org/docs/15/errcodes-appendix.html
ErrorCode codeOf(std::string_view state)
{
    if (state == "53100")
        return ErrorCode::NoSpace;
    if (state == "42501" || state.starts_with("28"))
        return ErrorCode::PermissionDenied;
    if (state.starts_with("55"))
        return ErrorCode::Busy;
    return ErrorCode::InputOutput;
}

}  // namespace

Error refusalOf(const ServerAddress &address, const PgAttempt &attempt)
{
    Error error{attempt.wantsPassword ? ErrorCode::PermissionDenied : ErrorCode::NotFound,
                address.name() + ": " + attempt.text};
    addRemedy(error, attempt.wantsPassword ? passwordRemedy(address)
                     : attempt.lacksTls    ? tlsRemedy(address)
                                           : "check the address and the user");
    return error;
}

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

PgConnection::PgConnection(const ServerAddress &address)
    : m_address(address), m_name(freshName()), m_database(QSqlDatabase::addDatabase(QStringLiteral("QPSQL"), m_name))
{
}

PgConnection::~PgConnection()
{
    m_database.close();
    // Qt requires that the last handle is destroyed before the connection is removed.
    m_database = QSqlDatabase();
    QSqlDatabase::removeDatabase(m_name);
}

bool PgConnection::connectTo(const std::string &database)
{
    // A server that is gone must not hold up anybody for the quarter of an hour that TCP tries.
    QStringList options{QStringLiteral("connect_timeout=10"), QStringLiteral("keepalives_idle=10"),
                        QStringLiteral("keepalives_interval=5"), QStringLiteral("keepalives_count=3"),
                        QStringLiteral("tcp_user_timeout=30000")};
    if (!m_address.sslMode.empty())
        options << QStringLiteral("sslmode=") + QString::fromStdString(m_address.sslMode);
    if (!m_address.certificate.empty())
        options << QStringLiteral("sslrootcert=") + quoted(m_address.certificate);
    m_database.setConnectOptions(options.join(QLatin1Char(';')));
    m_database.setHostName(QString::fromStdString(m_address.socket.empty() ? m_address.host : m_address.socket));
    m_database.setPort(m_address.port);
    m_database.setDatabaseName(QString::fromStdString(database));
    if (!m_address.user.empty())
        m_database.setUserName(QString::fromStdString(m_address.user));
    if (const std::optional<std::string> password = keptServerPassword(m_address))
        m_database.setPassword(QString::fromStdString(*password));
    if (!m_database.open())
        return false;
    m_handle = *static_cast<pg_conn *const *>(m_database.driver()->handle().constData());
    PQsetNoticeProcessor(
        m_handle, [](void *, const char *) {}, nullptr);
    return true;
}

/// Connects. If the database does not exist, creates it, or says so.
Result<void> PgConnection::connect(IfMissing ifMissing)
{
    if (connectTo(m_address.database))
        return {};
    // Qt's driver does not report why the server refuses.
    if (const PgAttempt attempt = attemptPgConnection(m_address, m_address.database);
        attempt.lacksDatabase() && ifMissing == IfMissing::Create) {
        if (Result<void> created = createDatabase(); !created)
            return created;
    } else if (!attempt.isConnected) {
        return refusalOf(m_address, attempt);
    }
    if (connectTo(m_address.database))
        return {};
    return Error{ErrorCode::InputOutput,
                 m_address.name() + ": " + firstLine(m_database.lastError().databaseText().toStdString())};
}

Result<void> PgConnection::createDatabase()
{
    if (!connectTo(m_address.maintenance))
        return refusalOf(m_address, attemptPgConnection(m_address, m_address.maintenance));
    if (Result<void> checked = checkPgTls(m_address, m_handle); !checked)
        return checked;
    Result<void> created = run("CREATE DATABASE " + pgIdentifier(m_address.database));
    // Another program may have created it at the same moment.
    const auto other = value("SELECT 1 FROM pg_database WHERE datname = " + pgLiteral(m_address.database));
    m_database.close();
    return other && *other ? Result<void>() : created;
}

Result<std::unique_ptr<PgConnection>> PgConnection::open(const ServerAddress &address, IfMissing ifMissing)
{
    if (!QSqlDatabase::isDriverAvailable(QStringLiteral("QPSQL")))
        return Error{ErrorCode::Unsupported, "Qt has no PostgreSQL driver here; install libqt6sql6-psql"};
    std::unique_ptr<PgConnection> connection(new PgConnection(address));
    if (Result<void> connected = connection->connect(ifMissing); !connected)
        return connected.error();
    if (Result<void> checked = checkPgTls(address, connection->m_handle); !checked)
        return checked.error();
    return connection;
}

Error PgConnection::errorOf(const pg_result *result) const
{
    const char *const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const std::string text = firstLine(result ? PQresultErrorMessage(result) : PQerrorMessage(m_handle));
    return {codeOf(state ? state : ""), m_address.name() + ": " + text};
}

/// Waits for an answer. Returns false if there will be none.
bool PgConnection::await()
{
    while (PQisBusy(m_handle) != 0) {
        if (m_isCancelled && m_isCancelled())
            return false;
        pollfd socket{PQsocket(m_handle), POLLIN, 0};
        if (::poll(&socket, 1, kCancelledEveryMs) > 0 && PQconsumeInput(m_handle) != 1)
            return false;
    }
    return true;
}

/// As PQexec(), which cannot be cancelled: the last one of the results, or nullptr. The caller owns it.
pg_result *PgConnection::execute(const std::string &statements)
{
    if (PQsendQuery(m_handle, statements.c_str()) != 1)
        return nullptr;
    pg_result *latest = nullptr;
    while (await()) {
        pg_result *const result = PQgetResult(m_handle);
        if (!result)
            return latest;
        const bool hasFailed = PQresultStatus(latest) == PGRES_FATAL_ERROR && latest;
        PQclear(hasFailed ? result : std::exchange(latest, result));
        if (PQresultStatus(latest) == PGRES_COPY_IN)
            return latest;
    }
    PQclear(latest);
    return nullptr;
}

Result<PgRows> PgConnection::rows(const std::string &statements)
{
    PgRows rows(execute(statements));
    if (!rows.m_result && m_isCancelled && m_isCancelled())
        return Error{ErrorCode::Cancelled, m_address.name() + ": cancelled"};
    const ExecStatusType status = PQresultStatus(rows.m_result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_COPY_IN)
        return errorOf(rows.m_result.get());
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

Result<void> PgConnection::copy(const std::string &target, std::string_view text)
{
    // FREEZE: the table was made in this transaction, so nobody else can see its rows before the end.
    if (Result<PgRows> begun = rows("COPY " + target + " FROM STDIN WITH (FREEZE)"); !begun)
        return begun.error();
    const bool isSent = PQputCopyData(m_handle, text.data(), static_cast<int>(text.size())) == 1 &&
                        PQputCopyEnd(m_handle, nullptr) == 1;
    Result<void> done = isSent ? Result<void>() : Result<void>(errorOf(nullptr));
    while (pg_result *const result = PQgetResult(m_handle)) {
        const PgRows answer(result);
        if (done && PQresultStatus(result) != PGRES_COMMAND_OK)
            done = errorOf(result);
    }
    return done;
}

}  // namespace ct
