// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/postgresql/pgsource.h"

#include "core/databases/postgresql/pgconnection.h"
#include "core/databases/row.h"
#include "core/databases/serverstore.h"
#include "core/databases/sqltext.h"

#include <array>
#include <optional>
#include <utility>

namespace ct {

namespace {

/// Rows that the server sends at once.
constexpr const char *kRowsAtOnce = "8192";

/// Reads a cursor of the server in pieces.
class PgCursor final : public RowCursor {
public:
    PgCursor(PgConnection &connection, std::string cursor, std::size_t columns)
        : m_connection(connection), m_cursor(std::move(cursor)), m_columns(columns)
    {
    }

    Result<bool> next(std::span<const StoredCell> &cells) override
    {
        if (++m_row >= m_rows.count()) {
            Result<PgRows> rows =
                m_connection.rows("FETCH FORWARD " + std::string(kRowsAtOnce) + " FROM " + pgIdentifier(m_cursor));
            if (!rows)
                return rows.error();
            m_rows = std::move(*rows);
            m_row = 0;
            if (m_rows.count() == 0)
                return false;
        }
        // The server is untrusted.
        if (static_cast<std::size_t>(m_rows.columns()) != m_columns)
            return Error{ErrorCode::BadFormat, "the server has returned other columns than those of " + m_cursor};
        for (std::size_t column = 0; column < m_columns; ++column)
            m_cells[column] = cell(static_cast<int>(column));
        cells = {m_cells.data(), m_columns};
        return true;
    }

private:
    StoredCell cell(int column) const
    {
        const std::optional<std::string_view> text = m_rows.cell(m_row, column);
        return text ? StoredCell{StoredCell::Kind::Text, 0, *text} : StoredCell();
    }

    PgConnection &m_connection;
    const std::string m_cursor;
    const std::size_t m_columns;  ///< at most Row::kMostCells
    PgRows m_rows;
    int m_row = -1;
    std::array<StoredCell, Row::kMostCells> m_cells;
};

class PgSource final : public RowSource {
public:
    PgSource(const ServerAddress &address, std::unique_ptr<PgConnection> connection)
        : m_address(address), m_name(address.name()), m_connection(std::move(connection))
    {
    }

    Result<void> begin()
    {
        // One state for all rows, and no time limit, because a reader can be slow.
        Result<void> done = m_connection->run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
                                              "SET LOCAL idle_in_transaction_session_timeout = 0");
        if (!done)
            return done;
        return chooseSession();
    }

    Result<std::unique_ptr<RowCursor>> read(Table table, std::string_view column) override
    {
        const std::string name(serverNameOf(table));
        const std::string columns = columnNames(schemaOf(table), pgIdentifier);
        const std::string cursor = "read_" + name + "_by_" + std::string(column) + '_' + std::to_string(++m_cursors);
        const std::string by = pgIdentifier(column);
        // ctid, the position of a row in the table, gives the order in which COPY added the rows.
        Result<void> declared =
            m_connection->run("DECLARE " + pgIdentifier(cursor) + " NO SCROLL CURSOR FOR SELECT " + columns + " FROM " +
                              pgIdentifier("all_" + name) + " WHERE session = " + m_session + " AND " + by +
                              " IS NOT NULL ORDER BY " + by + (column == "after_event" ? ", ctid" : ""));
        if (!declared)
            return declared.error();
        return std::unique_ptr<RowCursor>(
            std::make_unique<PgCursor>(*m_connection, cursor, schemaOf(table).columns.size()));
    }

    const std::string &name() const override { return m_name; }

private:
    Result<void> chooseSession()
    {
        const std::string wanted = m_address.session.empty()
                                       ? std::string()
                                       : " WHERE session::text = " + pgLiteral(m_address.session) +
                                             " OR key = " + pgLiteral(storedKey(m_address.session));
        // A key may look like the number of another session, which then takes precedence.
        const std::string byNumber =
            m_address.session.empty() ? "" : "session::text = " + pgLiteral(m_address.session) + " DESC, ";
        const auto found = m_connection->value("SELECT session FROM stored_sessions" + wanted + " ORDER BY " +
                                               byNumber + "stored_at DESC, session DESC LIMIT 1");
        if (!found) {
            Error error = found.error();
            addRemedy(error, error.code == ErrorCode::PermissionDenied
                                 ? "ask the owner of the tables for the right to read them"
                                 : "only databases to which corotracer-gui has exported a run can be opened");
            return error;
        }
        if (!*found)
            return Error{ErrorCode::NotFound,
                         m_name + (m_address.session.empty() ? " has no session; export a run to it first"
                                                             : " has no session " + m_address.session +
                                                                   "; its view `sessions` lists all sessions")};
        m_session = **found;
        return {};
    }

    const ServerAddress m_address;
    const std::string m_name;
    std::unique_ptr<PgConnection> m_connection;
    std::string m_session;  ///< its number, as digits
    int m_cursors = 0;      ///< used so far; a table can be read twice
};

}  // namespace

Result<std::unique_ptr<RowSource>> openPgSource(const ServerAddress &address, IsCancelled isCancelled)
{
    Result<std::unique_ptr<PgConnection>> opened =
        PgConnection::open(address, PgConnection::IfMissing::Fail, std::move(isCancelled));
    if (!opened)
        return opened.error();
    auto source = std::make_unique<PgSource>(address, std::move(*opened));
    if (Result<void> begun = source->begin(); !begun)
        return begun.error();
    return std::unique_ptr<RowSource>(std::move(source));
}

}  // namespace ct
