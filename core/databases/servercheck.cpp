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

Result<ServerStatus> checkPg(const ServerAddress &address, const std::function<bool()> &stops)
{
    PgAttempt attempt = attemptPgConnection(address, address.database, stops);
    ServerStatus status;
    status.hasDatabase = !attempt.lacksDatabase();
    if (attempt.lacksDatabase())
        attempt = attemptPgConnection(address, address.maintenance, stops);
    if (!attempt.isConnected && stops && stops())
        return cancelled();
    if (!attempt.isConnected)
        return refusalOf(address, attempt);
    if (const Result<void> checked = checkPgTls(address, attempt.handle.get()); !checked)
        return checked.error();
    const char *const version = PQparameterStatus(attempt.handle.get(), "server_version");
    status.version = std::string("PostgreSQL ") + (version ? version : "");
    status.usesTls = PQsslInUse(attempt.handle.get()) == 1;
    return status;
}

Result<ServerStatus> checkMysql(const ServerAddress &address, const std::function<bool()> &stops)
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
    ServerStatus status;
    status.version =
        (number.find("MariaDB") == std::string::npos ? "MySQL " : "MariaDB ") + number.substr(0, number.find('-'));
    const auto databases = (*connection)
                               ->number("SELECT count(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = " +
                                        mysqlLiteral(address.database));
    if (!databases)
        return databases.error();
    status.hasDatabase = *databases != 0;
    status.usesTls = (*connection)->usesTls();
    return status;
}

}  // namespace

Result<ServerStatus> checkServer(const ServerAddress &address, const std::function<bool()> &stops)
{
    return address.kind == ServerAddress::Kind::PostgreSql ? checkPg(address, stops) : checkMysql(address, stops);
}

}  // namespace ct
