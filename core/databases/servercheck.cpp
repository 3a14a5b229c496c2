// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/servercheck.h"

#include "core/databases/mysql/mysqlconnection.h"
#include "core/databases/postgresql/pgattempt.h"
#include "core/databases/postgresql/pgconnection.h"

#include <libpq-fe.h>

namespace ct {

namespace {

Error cancelled()
{
    return {ErrorCode::Cancelled, "the connection test was cancelled"};
}

Result<ServerReport> checkPg(const ServerAddress &address, const std::function<bool()> &stops)
{
    PgAttempt attempt = attemptPgConnection(address, address.database, stops);
    ServerReport report;
    report.hasDatabase = !attempt.lacksDatabase();
    if (attempt.lacksDatabase())
        attempt = attemptPgConnection(address, address.maintenance, stops);
    if (!attempt.isConnected && stops && stops())
        return cancelled();
    if (!attempt.isConnected)
        return refusalOf(address, attempt);
    if (const Result<void> checked = checkPgTls(address, attempt.handle.get()); !checked)
        return checked.error();
    const char *const version = PQparameterStatus(attempt.handle.get(), "server_version");
    report.version = std::string("PostgreSQL ") + (version ? version : "");
    report.usesTls = PQsslInUse(attempt.handle.get()) == 1;
    return report;
}

Result<ServerReport> checkMysql(const ServerAddress &address, const std::function<bool()> &stops)
{
    const Result<std::unique_ptr<MysqlConnection>> connection = MysqlConnection::openServer(address);
    if (stops && stops())
        return cancelled();
    if (!connection)
        return connection.error();
    const auto version = (*connection)->column("SELECT version()");
    if (!version)
        return version.error();
    const std::string number = version->empty() ? std::string() : version->front();
    ServerReport report;
    report.version =
        (number.find("MariaDB") == std::string::npos ? "MySQL " : "MariaDB ") + number.substr(0, number.find('-'));
    std::string name;
    appendMysqlLiteral(name, address.database);
    const auto databases =
        (*connection)->number("SELECT count(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = " + name);
    if (!databases)
        return databases.error();
    report.hasDatabase = *databases != 0;
    report.usesTls = (*connection)->usesTls();
    return report;
}

}  // namespace

Result<ServerReport> checkServer(const ServerAddress &address, const std::function<bool()> &stops)
{
    return address.kind == ServerAddress::Kind::PostgreSql ? checkPg(address, stops) : checkMysql(address, stops);
}

}  // namespace ct
