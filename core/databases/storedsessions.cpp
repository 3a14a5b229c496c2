// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/storedsessions.h"

#include "core/databases/postgresql/pgconnection.h"
#include "core/databases/reading/rowsource.h"
#include "core/databases/serveraddress.h"
#include "core/databases/sqlite/sqlitesource.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace ct {

namespace {

std::uint64_t numberOf(std::string_view digits)
{
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

constexpr const char *kSessions =
    "SELECT s.session, coalesce(i.name, s.key), i.program, i.command, i.machine, date_trunc('second', s.stored_at), "
    "i.last_ts - i.first_ts, (SELECT value FROM all_trace_info t WHERE t.session = s.session AND t.name = 'events'), "
    "(SELECT value FROM all_trace_info t WHERE t.session = s.session AND t.name = 'coroutines') "
    "FROM stored_sessions s LEFT JOIN all_sessions i ON i.session = s.session ORDER BY s.stored_at DESC, s.session "
    "DESC";

Result<std::vector<StoredSession>> sessionsOfServer(const std::string &server, const IsCancelled &isCancelled)
{
    const Result<ServerAddress> address = parseServerAddress(server);
    if (!address)
        return address.error();
    if (address->kind != ServerAddress::Kind::PostgreSql)
        return Error{ErrorCode::Unsupported, address->name() + ": sessions can be opened from PostgreSQL and SQLite"};
    const Result<std::unique_ptr<PgConnection>> connection =
        PgConnection::open(*address, PgConnection::IfMissing::Fail, isCancelled);
    if (!connection)
        return connection.error();
    const Result<PgRows> rows = (*connection)->rows(kSessions);
    if (!rows) {
        Error error = rows.error();
        addRemedy(error, "only databases to which corotracer-gui has exported a run have sessions");
        return error;
    }
    std::vector<StoredSession> sessions;
    ServerAddress ofSession = *address;
    for (int row = 0; row < rows->count(); ++row) {
        const auto cell = [&](int column) { return rows->cell(row, column).value_or(std::string_view()); };
        StoredSession session;
        ofSession.session = cell(0);
        session.input = addressText(ofSession);
        session.name = cell(1);
        session.program = cell(2);
        session.command = cell(3);
        session.machine = cell(4);
        session.storedAt = cell(5);
        session.ns = numberOf(cell(6));
        session.events = numberOf(cell(7));
        session.coroutines = numberOf(cell(8));
        sessions.push_back(std::move(session));
    }
    return sessions;
}

Result<std::vector<StoredSession>> sessionOfFile(const std::string &path, const IsCancelled &isCancelled)
{
    const Result<std::unique_ptr<RowSource>> source = openSqliteSource(path, isCancelled);
    if (!source)
        return source.error();
    StoredSession session;
    session.input = path;
    Result<void> read = readRows(**source, Table::TraceInfo, "name", [&session](RowReader &row) {
        std::string name;
        std::uint64_t value = 0;
        row.text(name).number(value);
        if (name == "events")
            session.events = value;
        if (name == "coroutines")
            session.coroutines = value;
    });
    if (read)
        read = readRows(**source, Table::Sessions, "info", [&session](RowReader &row) {
            std::uint64_t first = 0;
            std::uint64_t last = 0;
            row.text(session.name).text(session.program).text(session.command).text(session.machine).skip();
            row.known(first).known(last);
            session.ns = last - first;
        });
    if (!read)
        return read.error();
    if (session.name.empty())
        session.name = path.substr(path.rfind('/') + 1);
    return std::vector<StoredSession>{session};
}

}  // namespace

Result<std::vector<StoredSession>> storedSessions(const std::string &input, const IsCancelled &isCancelled)
{
    return isServerAddress(input) ? sessionsOfServer(input, isCancelled) : sessionOfFile(input, isCancelled);
}

}  // namespace ct
