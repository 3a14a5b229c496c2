// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/sqlite/sqlitesource.h"

#include "core/databases/row.h"
#include "core/databases/sqlite/databasefile.h"
#include "core/databases/sqlite/sqliteddl.h"
#include "core/recording/read/regularfile.h"

#include <array>
#include <sqlite3.h>
#include <unistd.h>
#include <utility>

namespace ct {

namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr int kInstructionsBetweenChecks = 10'000;
/// Limit for one text, in bytes: enough for the facts of a run with a hundred thousand modules.
constexpr int kMostTextBytes = 128 << 20;

struct CloseDatabase {
    void operator()(sqlite3 *database) const { sqlite3_close_v2(database); }
};
struct Finalize {
    void operator()(sqlite3_stmt *statement) const { sqlite3_finalize(statement); }
};

Error errorOf(sqlite3 *database, const std::string &path)
{
    const int code = sqlite3_errcode(database) & 0xFF;
    const std::string what = path + ": " + sqlite3_errmsg(database);
    switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return {ErrorCode::Busy, path + " is being written by another program; open it when that program is done"};
    case SQLITE_INTERRUPT: return {ErrorCode::Cancelled, path + ": cancelled"};
    case SQLITE_CANTOPEN: return {ErrorCode::NotFound, what + "; check its name and its permissions"};
    case SQLITE_READONLY:
        return {ErrorCode::BadFormat, path + " is incomplete, because its writer was killed; open it once with sqlite3 "
                                             "to roll back the unfinished transaction"};
    case SQLITE_CORRUPT: return {ErrorCode::BadFormat, what + "; the file is damaged, choose another one"};
    case SQLITE_NOTADB: return {ErrorCode::BadFormat, path + " is not a SQLite database; choose another file"};
    case SQLITE_ERROR:
        return {ErrorCode::BadFormat, what + "; only databases that corotracer-gui has exported can be opened"};
    default: return {ErrorCode::InputOutput, what};
    }
}

class SqliteCursor final : public RowCursor {
public:
    SqliteCursor(sqlite3 *database, const std::string &path, sqlite3_stmt *statement)
        : m_database(database), m_path(path), m_statement(statement)
    {
    }

    Result<bool> next(std::span<const StoredCell> &cells) override
    {
        const int code = sqlite3_step(m_statement.get());
        if (code == SQLITE_DONE)
            return false;
        if (code != SQLITE_ROW)
            return errorOf(m_database, m_path);
        const int columns = sqlite3_column_count(m_statement.get());
        for (int column = 0; column < columns; ++column)
            m_cells[static_cast<std::size_t>(column)] = cell(column);
        cells = {m_cells.data(), static_cast<std::size_t>(columns)};
        return true;
    }

private:
    StoredCell cell(int column) const
    {
        sqlite3_stmt *const row = m_statement.get();
        switch (sqlite3_column_type(row, column)) {
        case SQLITE_NULL: return {};
        case SQLITE_INTEGER:
            return {StoredCell::Kind::Number, static_cast<std::uint64_t>(sqlite3_column_int64(row, column)), {}};
        default:
            const auto *const text = reinterpret_cast<const char *>(sqlite3_column_text(row, column));
            return {StoredCell::Kind::Text,
                    0,
                    {text ? text : "", static_cast<std::size_t>(sqlite3_column_bytes(row, column))}};
        }
    }

    sqlite3 *const m_database;
    const std::string &m_path;
    std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
    std::array<StoredCell, Row::kMostCells> m_cells;
};

class SqliteSource final : public RowSource {
public:
    SqliteSource(std::string path, sqlite3 *database, IsCancelled isCancelled)
        : m_path(std::move(path)), m_isCancelled(std::move(isCancelled)), m_database(database)
    {
    }

    Result<void> begin()
    {
        (void)sqlite3_busy_timeout(m_database.get(), 1000);
        (void)sqlite3_limit(m_database.get(), SQLITE_LIMIT_LENGTH, kMostTextBytes);
        // The file is untrusted.
        (void)sqlite3_db_config(m_database.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        (void)sqlite3_db_config(m_database.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
        if (m_isCancelled)
            sqlite3_progress_handler(
                m_database.get(), kInstructionsBetweenChecks,
                [](void *isCancelled) { return (*static_cast<const IsCancelled *>(isCancelled))() ? 1 : 0; },
                const_cast<IsCancelled *>(&m_isCancelled));
        // One transaction, so that all rows belong to one state: that of the first read.
        for (const char *statement : {"BEGIN", "SELECT count(*) FROM sqlite_schema"}) {
            if (sqlite3_exec(m_database.get(), statement, nullptr, nullptr, nullptr) != SQLITE_OK)
                return errorOf(m_database.get(), m_path);
        }
        return {};
    }

    Result<std::unique_ptr<RowCursor>> read(Table table, std::string_view column) override
    {
        const TableSchema &schema = schemaOf(table);
        if (Result<void> checked = checkTable(schema); !checked)
            return checked.error();
        std::string columns;
        for (const Column &one : schema.columns)
            columns += (columns.empty() ? "\"" : ", \"") + std::string(one.name) + "\"";
        // Rows were added in the order of their positions, so rowid order needs no sort.
        const bool isInOrder = column == "after_event";
        const std::string by = '"' + std::string(column) + '"';
        const std::string query = "SELECT " + columns + " FROM \"" + std::string(schema.name) + "\" WHERE " + by +
                                  " IS NOT NULL ORDER BY " + (isInOrder ? "rowid" : by);
        sqlite3_stmt *statement = nullptr;
        if (sqlite3_prepare_v2(m_database.get(), query.c_str(), -1, &statement, nullptr) != SQLITE_OK)
            return errorOf(m_database.get(), m_path);
        return std::unique_ptr<RowCursor>(std::make_unique<SqliteCursor>(m_database.get(), m_path, statement));
    }

    const std::string &name() const override { return m_path; }

private:
    /// Refuses other definitions, because a view or a generated column could produce endless rows.
    Result<void> checkTable(const TableSchema &schema) const
    {
        sqlite3_stmt *statement = nullptr;
        if (sqlite3_prepare_v2(m_database.get(),
                               "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND sql = ?2", -1,
                               &statement, nullptr) != SQLITE_OK)
            return errorOf(m_database.get(), m_path);
        const std::unique_ptr<sqlite3_stmt, Finalize> query(statement);
        const std::string sql = sqlite::createTable(schema);
        (void)sqlite3_bind_text(statement, 1, schema.name.data(), static_cast<int>(schema.name.size()), SQLITE_STATIC);
        (void)sqlite3_bind_text(statement, 2, sql.data(), static_cast<int>(sql.size()), SQLITE_STATIC);
        const int code = sqlite3_step(statement);
        if (code == SQLITE_ROW)
            return {};
        if (code != SQLITE_DONE)
            return errorOf(m_database.get(), m_path);
        return Error{ErrorCode::BadFormat, m_path + " has no table " + std::string(schema.name) +
                                               " as an export makes it; only databases that corotracer-gui has "
                                               "exported can be opened"};
    }

    const std::string m_path;
    const IsCancelled m_isCancelled;  ///< may be empty
    std::unique_ptr<sqlite3, CloseDatabase> m_database;
};

}  // namespace

bool isSqliteFile(const std::string &path)
{
    const Result<int> file = openRegularFile(path);
    if (!file)
        return false;
    std::array<char, kMagic.size()> begin{};
    const ssize_t got = ::read(*file, begin.data(), begin.size());
    ::close(*file);
    return got == static_cast<ssize_t>(begin.size()) && std::string_view(begin.data(), begin.size()) == kMagic;
}

Result<std::unique_ptr<RowSource>> openSqliteSource(const std::string &path, IsCancelled isCancelled)
{
    sqlite3 *database = nullptr;
    const int code = sqlite3_open_v2(sqliteName(path).c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
    auto source = std::make_unique<SqliteSource>(path, database, std::move(isCancelled));
    if (code != SQLITE_OK)
        return errorOf(database, path);
    if (Result<void> begun = source->begin(); !begun)
        return begun.error();
    return std::unique_ptr<RowSource>(std::move(source));
}

}  // namespace ct
