// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/tracequery.h"

#include "core/base/monotonic.h"
#include "core/databases/traceviews.h"
#include "core/query/boundedprintf.h"
#include "core/query/errorremedy.h"
#include "core/query/statements.h"
#include "core/query/virtualtable.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <sqlite3.h>

namespace ct {

namespace {

/// Instructions of SQLite's virtual machine between two checks for cancelling: some µs.
constexpr int kInstructionsPerCheck = 1000;
/// SQLite does not check for cancelling within a function call, so functions get only short texts: instr() of two takes
/// at most some seconds. Also the limit of a row, which may have several names of 64 KiB.
constexpr int kMostValueBytes = 500'000;
constexpr int kMostPatternBytes = 100;

constexpr const char *kOnlySelect = "A query can only read the trace. Write a SELECT statement.";

struct CloseDatabase {
    void operator()(sqlite3 *database) const { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

struct FinalizeStatement {
    void operator()(sqlite3_stmt *statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

bool isOfFindings(std::string_view table)
{
    return table == schemaOf(Table::Findings).name || table == schemaOf(Table::FindingCoroutines).name;
}

/// Allows only reading. Sets `readsFindings`, a bool, if the statement reads findings.
int authorize(void *readsFindings, int action, const char *first, const char *second, const char *, const char *)
{
    switch (action) {
    case SQLITE_READ:
        if (isOfFindings(first))
            *static_cast<bool *>(readsFindings) = true;
        return SQLITE_OK;
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION: return std::string_view(second) == "load_extension" ? SQLITE_DENY : SQLITE_OK;
    default: return SQLITE_DENY;
    }
}

int isCancelled(void *cancelled)
{
    return static_cast<const std::atomic<bool> *>(cancelled)->load(std::memory_order_relaxed) ? 1 : 0;
}

bool run(sqlite3 *database, const std::string &statement)
{
    return sqlite3_exec(database, statement.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

QueryError errorOf(int code, std::string message)
{
    switch (code & 0xFF) {
    case SQLITE_INTERRUPT: return {{ErrorCode::Cancelled, "The query was cancelled."}, {}};
    case SQLITE_AUTH: return {{ErrorCode::PermissionDenied, kOnlySelect}, {}};
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        return {{ErrorCode::NoSpace, "SQLite cannot write the temporary files of this query: " + message +
                                         ". Free some space, or set SQLITE_TMPDIR to another folder."},
                {}};
    case SQLITE_NOMEM:
        return {{ErrorCode::NoSpace, "There is not enough memory for this query. Ask for fewer rows."}, {}};
    case SQLITE_TOOBIG:
        return {{ErrorCode::SizeLimit, "A text or row of this query has more than 500 kB. Make it shorter."}, {}};
    default: return {{ErrorCode::InvalidArgument, std::move(message)}, {}};
    }
}

QueryError errorOf(sqlite3 *database, int code)
{
    QueryError error = errorOf(code, sqlite3_errmsg(database));
    if (const int offset = sqlite3_error_offset(database); offset >= 0)
        error.offset = static_cast<std::size_t>(offset);
    return error;
}

/// All views of a SQLite file.
std::vector<TraceView> views()
{
    std::vector<TraceView> all{kEventsView};
    all.insert(all.end(), std::begin(kTraceViews), std::end(kTraceViews));
    return all;
}

/// Opens an empty database in memory, with the tables and views of a trace. Sorting uses temporary files, because a
/// limit on SQLite's memory would also hold for exports.
Database openTrace(query::Snapshot &snapshot)
{
    sqlite3 *opened = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
    const bool isOpen = sqlite3_open_v2(":memory:", &opened, flags, nullptr) == SQLITE_OK;
    Database database(opened);
    if (!isOpen || query::addTables(opened, snapshot) != SQLITE_OK ||
        query::boundPrintf(opened, kMostValueBytes) != SQLITE_OK)
        return nullptr;
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, kMostValueBytes);
    sqlite3_limit(opened, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, kMostPatternBytes);
    sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0);
    bool done = run(opened, "PRAGMA temp_store = FILE") && run(opened, "PRAGMA cache_size = -65536");
    // SQLite declares a table at its first use, which the authorizer would refuse later.
    for (const query::VirtualTable &table : query::tables())
        done = done && run(opened, "SELECT 1 FROM " + std::string(schemaOf(table.schema).name) + " LIMIT 0");
    done = done && run(opened, "SELECT 1 FROM json_each('1'), json_tree('1') LIMIT 0");
    for (const TraceView &view : views())
        done = done && run(opened, std::string("CREATE VIEW ") + view.name + " AS " + view.select);
    return done && run(opened, "PRAGMA query_only = ON") ? std::move(database) : nullptr;
}

QueryValue valueOf(sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT: return sqlite3_column_double(statement, column);
    case SQLITE_NULL: return std::monostate();
    default: break;
    }
    const bool isBlob = sqlite3_column_type(statement, column) == SQLITE_BLOB;
    const void *const data = isBlob ? sqlite3_column_blob(statement, column) : sqlite3_column_text(statement, column);
    std::string text(static_cast<const char *>(data),
                     static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    if (!isBlob)
        return text;
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string digits;
    for (const char byte : text) {
        digits += kDigits[static_cast<unsigned char>(byte) >> 4];
        digits += kDigits[static_cast<unsigned char>(byte) & 0xF];
    }
    return digits;
}

std::size_t bytesOf(const QueryValue &value)
{
    const auto *text = std::get_if<std::string>(&value);
    return sizeof(QueryValue) + (text ? text->capacity() : 0);
}

/// Reads rows up to the limits. Returns SQLite's code: SQLITE_DONE unless it failed.
int readRows(sqlite3_stmt *statement, const QueryLimits &limits, QueryOutcome &outcome)
{
    const int columns = sqlite3_column_count(statement);
    for (int i = 0; i < columns; ++i)
        outcome.rows.columns.emplace_back(sqlite3_column_name(statement, i));
    std::size_t bytes = 0;
    int code = 0;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (outcome.rows.count() >= limits.rows || bytes >= limits.bytes) {
            outcome.hasMore = true;
            return SQLITE_DONE;
        }
        for (int i = 0; i < columns; ++i)
            bytes += bytesOf(outcome.rows.values.emplace_back(valueOf(statement, i)));
    }
    return code;
}

std::optional<QueryError> run(query::Snapshot &snapshot, const std::string &text, const std::atomic<bool> &cancelled,
                              const QueryLimits &limits, QueryOutcome &outcome)
{
    if (!snapshot.fill())
        return errorOf(SQLITE_INTERRUPT, {});
    const Database database = openTrace(snapshot);
    if (!database)
        return errorOf(SQLITE_NOMEM, {});
    bool readsFindings = false;
    sqlite3_set_authorizer(database.get(), authorize, &readsFindings);
    // SQLite does not change it.
    sqlite3_progress_handler(database.get(), kInstructionsPerCheck, isCancelled,
                             const_cast<std::atomic<bool> *>(&cancelled));
    sqlite3_stmt *prepared = nullptr;
    const char *tail = nullptr;
    const int code = sqlite3_prepare_v2(database.get(), text.data(), static_cast<int>(text.size()), &prepared, &tail);
    const Statement statement(prepared);
    if (code != SQLITE_OK)
        return query::withRemedy(errorOf(database.get(), code), text);
    if (!prepared)
        return QueryError{{ErrorCode::InvalidArgument, "There is no statement. Write a SELECT statement."}, {}};
    const auto end = static_cast<std::size_t>(tail - text.data());
    if (!isBlankStatement(std::string_view(text).substr(end)))
        return QueryError{{ErrorCode::InvalidArgument, "There is a second statement. Run one at a time."}, end};
    if (sqlite3_column_count(prepared) == 0 || sqlite3_stmt_readonly(prepared) == 0)
        return errorOf(SQLITE_AUTH, {});
    if (sqlite3_bind_parameter_count(prepared) != 0)
        return QueryError{{ErrorCode::InvalidArgument, "The parameter " +
                                                           std::string(sqlite3_bind_parameter_name(prepared, 1)
                                                                           ? sqlite3_bind_parameter_name(prepared, 1)
                                                                           : "?") +
                                                           " has no value. Write the value instead."},
                          {}};
    if (readsFindings)
        (void)snapshot.report();
    const int ended = readRows(prepared, limits, outcome);
    if (ended == SQLITE_DONE && !snapshot.isCancelled())
        return {};
    return ended == SQLITE_DONE ? errorOf(SQLITE_INTERRUPT, {}) : errorOf(database.get(), ended);
}

}  // namespace

QueryOutcome runQuery(const QueriedTrace &trace, const std::string &statement, const std::atomic<bool> &cancelled,
                      const QueryLimits &limits)
{
    const std::uint64_t begun = monotonicNow();
    QueryOutcome outcome;
    if (!trace.population || !trace.history) {
        outcome.error = QueryError{{ErrorCode::NotFound, "There is no trace. Run a program, or open a recording."}, {}};
        return outcome;
    }
    query::Snapshot snapshot(trace, cancelled);
    outcome.error = run(snapshot, statement, cancelled, limits, outcome);
    if (outcome.error)
        outcome.rows = {};
    outcome.hasMore = outcome.hasMore && !outcome.error;
    outcome.missingEvents = snapshot.missingEvents();
    outcome.missingCauses = snapshot.missingCauses();
    outcome.elapsedNs = monotonicNow() - begun;
    return outcome;
}

const std::vector<QueriedTable> &queriedTables()
{
    const auto textsOf = [](const std::vector<std::string_view> &names) {
        return std::vector<std::string>(names.begin(), names.end());
    };
    static const std::vector<QueriedTable> all = [&] {
        std::vector<QueriedTable> list;
        for (const query::VirtualTable &table : query::tables())
            list.push_back({std::string(schemaOf(table.schema).name), textsOf(query::columnsOf(table)), false});
        const QueriedTrace nothing{std::make_shared<Population>(1), std::make_shared<History>(1), {}, {}, {}, {}};
        const std::atomic<bool> cancelled{false};
        for (const TraceView &view : views()) {
            const QueryOutcome outcome = runQuery(nothing, std::string("SELECT * FROM ") + view.name, cancelled);
            list.push_back({view.name, outcome.rows.columns, true});
        }
        return list;
    }();
    return all;
}

}  // namespace ct
