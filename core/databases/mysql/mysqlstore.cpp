// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/mysql/mysqlstore.h"

#include "core/databases/mysql/mysqlconnection.h"
#include "core/databases/mysql/mysqlddl.h"
#include "core/databases/serverstore.h"
#include "core/databases/sqltext.h"
#include "core/databases/storedsums.h"
#include "core/recording/text/lineoutput.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

namespace ct {

namespace {

/// Bytes of one statement. By default, servers accept 16 MiB.
constexpr std::size_t kMostWaiting = 512U << 10;
constexpr int kMostAttempts = 10;
/// For a whole session that waits for other programs at its end.
constexpr std::chrono::minutes kPatience{10};
/// Seconds of one attempt. New readers wait behind it, so it outlasts most reports that are running.
constexpr const char *kLockWait = "10";
/// For removals: they wait a few seconds for readers and for other exports, and the next export tries again.
constexpr const char *kShortLockWait = "3";
/// Names the lock of the export that changes the partitioned tables.
constexpr const char *kAttaching = "'attaching'";

void appendCell(std::string &out, const Cell &cell)
{
    char digits[kMaxDecimal];
    switch (cell.kind) {
    case Cell::Kind::Null: out += "NULL"; return;
    case Cell::Kind::Number: out.append(digits, putDecimal(digits, cell.number)); return;
    case Cell::Kind::Address:
        out += '\'';
        out.append(digits, putHex(digits, cell.number));
        out += '\'';
        return;
    case Cell::Kind::Text: appendMysqlLiteral(out, cell.text()); return;
    }
}

/// The name of a lock of this database. Lock names have at most 64 characters; a database name may have as many.
std::string lockOf(const std::string &what)
{
    return "CONCAT(IF(CHAR_LENGTH(DATABASE()) > 40, MD5(DATABASE()), DATABASE()), '.corotracer.', " + what + ")";
}

/// The name of the lock that an export holds until it ends.
std::string lockOf(std::uint64_t session)
{
    return lockOf(std::to_string(session));
}

class MysqlStore final : public RowStore {
public:
    MysqlStore(ServerAddress address, IsCancelled isCancelled)
        : m_address(std::move(address)), m_isCancelled(std::move(isCancelled))
    {
    }
    ~MysqlStore() override { (void)close(); }

    Result<void> begin() override;
    Result<void> add(Table table, const Row &row) override;
    bool growsVisibly() const override { return false; }
    Result<void> commit() override { return {}; }
    Result<void> writePart(const std::string &, const std::function<Result<void>()> &write) override { return write(); }
    Result<void> publish(const std::string &sessionKey) override;
    std::string remark() const override { return m_movesTable ? movedTableRemark(m_address.table) : std::string(); }
    Result<void> close() override;

private:
    using Clock = std::chrono::steady_clock;
    bool isCancelled() const { return m_isCancelled && m_isCancelled(); }
    Error cancelled() const { return {ErrorCode::Cancelled, m_address.name() + ": cancelled"}; }
    Result<void> makeSchema();
    Result<void> takeNumber();
    Result<bool> lockUnpublished(std::uint64_t session);
    void unlock(std::uint64_t session);
    Result<void> makeLoadedTable(Table table);
    Result<void> flush(Table table);
    Result<void> patiently(const std::function<Result<void>()> &attempt) const;
    Result<void> patiently(const std::vector<std::string> &statements);
    Result<void> setLockWait(const char *seconds);
    Result<void> lockAttaching(const char *seconds);
    void unlockAttaching();
    Result<void> load();
    Result<void> replaceCollectorsTable();
    std::string makeFlatView() const;
    Result<void> attach();
    Result<void> show(const std::string &sessionKey);
    void remove(std::uint64_t session);
    void removeAbandoned();

    const ServerAddress m_address;
    const IsCancelled m_isCancelled;
    std::unique_ptr<MysqlConnection> m_connection;
    std::uint64_t m_session = 0;
    bool m_movesTable = false;                   ///< publish() has to rename the table of the existing collector
    bool m_isPublished = false;                  ///< or perhaps, if the answer of the server is missing
    std::array<bool, kTables> m_isMade{};        ///< by Table: there is a table for the rows
    std::array<std::string, kTables> m_waiting;  ///< a statement with rows; by Table
};

Result<void> MysqlStore::makeSchema()
{
    const auto others = m_connection->column(mysql::findViewsOfOthers(m_address.table));
    if (!others)
        return others.error();
    if (!others->empty())
        return viewOfOthers(m_address.name(), others->front());
    // Each statement that makes a table is its own transaction, so look before the first one.
    const auto tables = m_connection->column(mysql::findTablesOfOthers(m_address.table));
    if (!tables)
        return tables.error();
    if (!tables->empty())
        return tableOfOthers(m_address.name(), tables->front(), m_address.table);
    const auto collectors = m_connection->column(mysql::findCollectorsTable(m_address.table));
    if (!collectors)
        return collectors.error();
    m_movesTable = !collectors->empty();
    const Result<void> made = m_connection->runAll(mysql::makeSchema());
    return made && !m_movesTable ? m_connection->run(makeFlatView()) : made;
}

/// Locks a session that no view shows. Returns false if there is none, or if its export is running. Sees what happened
/// before the lock was free only because it reads the row in a statement of its own.
Result<bool> MysqlStore::lockUnpublished(std::uint64_t session)
{
    const Result<std::uint64_t> isFree = m_connection->number("SELECT GET_LOCK(" + lockOf(session) + ", 0) = 1");
    if (!isFree)
        return isFree.error();
    if (*isFree == 0)
        return false;
    const Result<std::uint64_t> rows = m_connection->number(
        "SELECT count(*) FROM stored_sessions WHERE stored_at IS NULL AND session = " + std::to_string(session));
    if (rows && *rows == 1)
        return true;
    unlock(session);
    return rows ? Result<bool>(false) : Result<bool>(rows.error());
}

void MysqlStore::unlock(std::uint64_t session)
{
    (void)m_connection->run("DO RELEASE_LOCK(" + lockOf(session) + ")");
}

/// Another export may take a number that is not locked yet for an abandoned one; then the next number is taken.
Result<void> MysqlStore::takeNumber()
{
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
        if (Result<void> added = m_connection->run("INSERT INTO stored_sessions () VALUES ()"); !added)
            return added;
        const Result<std::uint64_t> number = m_connection->number("SELECT LAST_INSERT_ID()");
        if (!number)
            return number.error();
        m_session = *number;
        const Result<bool> isOurs = lockUnpublished(m_session);
        if (!isOurs)
            return isOurs.error();
        if (*isOurs)
            return {};
    }
    m_session = 0;
    return Error{ErrorCode::Busy, m_address.name() + ": other exports keep the numbers of sessions busy; try again"};
}

Result<void> MysqlStore::makeLoadedTable(Table table)
{
    m_isMade[static_cast<std::size_t>(table)] = true;
    // Another export may be changing the partitioned table.
    return patiently(mysql::makeLoadedTable(table, m_session));
}

Result<void> MysqlStore::begin()
{
    Result<std::unique_ptr<MysqlConnection>> opened = MysqlConnection::open(m_address, m_isCancelled);
    if (!opened)
        return opened.error();
    m_connection = std::move(*opened);
    // Reports that read these tables must not hold up an export for ever, nor the other way round. A capture can be
    // quiet for long.
    Result<void> done = m_connection->run("SET SESSION lock_wait_timeout = 30, wait_timeout = 31536000");
    if (done)
        done = m_connection->run("SET SESSION innodb_lock_wait_timeout = " + std::string(kLockWait));
    if (done)
        done = makeSchema();
    if (done)
        done = takeNumber();
    if (done)
        removeAbandoned();
    return orNothingStored(done);
}

Result<void> MysqlStore::add(Table table, const Row &row)
{
    std::string &waiting = m_waiting[static_cast<std::size_t>(table)];
    waiting += waiting.empty() ? mysql::insertInto(table, m_session) + "(" : ",(";
    waiting += std::to_string(m_session);
    for (const Cell &cell : row.cells()) {
        waiting += ',';
        appendCell(waiting, cell);
    }
    waiting += ')';
    return waiting.size() < kMostWaiting ? Result<void>() : orNothingStored(flush(table));
}

Result<void> MysqlStore::flush(Table table)
{
    std::string &waiting = m_waiting[static_cast<std::size_t>(table)];
    if (waiting.empty())
        return {};
    if (isCancelled())
        return cancelled();
    if (!m_isMade[static_cast<std::size_t>(table)]) {
        if (Result<void> made = makeLoadedTable(table); !made)
            return made;
    }
    Result<void> added = m_connection->run(waiting);
    waiting.clear();
    return added;
}

/// Repeats what waits for other programs, such as reports that read the tables, until they have ended.
Result<void> MysqlStore::patiently(const std::function<Result<void>()> &attempt) const
{
    const Clock::time_point deadline = Clock::now() + kPatience;
    while (true) {
        Result<void> done = attempt();
        if (done || done.error().code != ErrorCode::Busy || Clock::now() > deadline)
            return done;
        if (isCancelled())
            return cancelled();
    }
}

Result<void> MysqlStore::patiently(const std::vector<std::string> &statements)
{
    for (const std::string &statement : statements) {
        if (Result<void> done = patiently([&] { return m_connection->run(statement); }); !done)
            return done;
    }
    return {};
}

Result<void> MysqlStore::setLockWait(const char *seconds)
{
    return m_connection->run("SET SESSION lock_wait_timeout = " + std::string(seconds));
}

/// Only one export at a time changes the partitioned tables: each statement waits for the readers of its table, and the
/// statements of two exports would wait for one another. Besides, information_schema lacks a table while it is altered.
Result<void> MysqlStore::lockAttaching(const char *seconds)
{
    const Result<std::uint64_t> isOurs =
        m_connection->number("SELECT GET_LOCK(" + lockOf(kAttaching) + ", " + seconds + ") = 1");
    if (!isOurs)
        return isOurs.error();
    return *isOurs == 1 ? Result<void>()
                        : Error{ErrorCode::Busy, m_address.name() + ": another export is being completed; try again"};
}

void MysqlStore::unlockAttaching()
{
    (void)m_connection->run("DO RELEASE_LOCK(" + lockOf(kAttaching) + ")");
}

/// Completes the loaded tables, which no other program uses.
Result<void> MysqlStore::load()
{
    for (std::size_t i = 0; i < kTables; ++i) {
        const Table table = static_cast<Table>(i);
        Result<void> done = flush(table);
        if (done && isCancelled())
            done = cancelled();
        const std::string keys = mysql::makeKeys(table, m_session);
        if (done && m_isMade[i] && !keys.empty())
            done = m_connection->run(keys);
        if (!done)
            return done;
    }
    return {};
}

std::string MysqlStore::makeFlatView() const
{
    return mysql::makeFlatView(m_address.table, m_address.hasOwnView() ? keyPrefix(m_address.table) : "");
}

/// Here and not in begin(): an export that fails leaves the table as it was.
Result<void> MysqlStore::replaceCollectorsTable()
{
    const auto collectors = m_connection->column(mysql::findCollectorsTable(m_address.table));
    if (!collectors)
        return collectors.error();
    std::vector<std::string> statements;
    if (!collectors->empty())  // another export may have renamed it since begin()
        statements.push_back(mysql::moveCollectorsTable(m_address.table));
    statements.push_back(makeFlatView());
    return patiently(statements);
}

Result<void> MysqlStore::attach()
{
    Result<void> done = patiently([this] { return lockAttaching(kLockWait); });
    for (std::size_t i = 0; i < kTables && done; ++i) {
        if (m_isMade[i])
            done = patiently(mysql::attachLoadedTable(static_cast<Table>(i), m_session));
    }
    if (done && m_movesTable)
        done = replaceCollectorsTable();
    unlockAttaching();
    return done;
}

/// Shows the new session instead of the one with the same key, which becomes an abandoned one. Without a row of its
/// own, it changes nothing. Compares bytes, because collations ignore blanks at the end.
Result<void> MysqlStore::show(const std::string &sessionKey)
{
    const std::string key = mysqlLiteral(storedKeyAt(m_address, sessionKey, m_session));
    const std::string number = std::to_string(m_session);
    const Result<std::uint64_t> changed = m_connection->change(
        "UPDATE stored_sessions s JOIN stored_sessions ours ON ours.session = " + number +
        " SET s.stored_at = IF(s.session = " + number +
        ", CURRENT_TIMESTAMP(6), NULL), s.session_key = IF(s.session = " + number + ", " + key +
        ", NULL) WHERE s.session = " + number + " OR CAST(s.session_key AS BINARY) = CAST(" + key + " AS BINARY)");
    if (!changed)
        return changed.error();
    if (*changed == 0)
        return Error{ErrorCode::NotFound, m_address.name() + ": another program has removed session " + number +
                                              " from stored_sessions; export the run again"};
    return {};
}

Result<void> MysqlStore::publish(const std::string &sessionKey)
{
    Result<void> done = add(Table::TraceInfo, Row().text(kCompleteName).number(1));
    if (done)
        done = load();
    if (done)
        done = attach();
    if (!done)
        return nothingStored(done.error());
    done = patiently([&] { return show(sessionKey); });
    m_isPublished = done || m_connection->isLost();
    if (!done)
        return m_isPublished ? perhapsStored(done.error()) : nothingStored(done.error());
    removeAbandoned();
    return {};
}

/// Removes everything of a session that no view shows. Errors leave a part, and the next export tries again. Requires
/// lockAttaching(): without it, findRemovals() could miss a table, and nothing would name its partition any more.
void MysqlStore::remove(std::uint64_t session)
{
    const auto removals = m_connection->column(mysql::findRemovals(session));
    if (removals && m_connection->runAll(*removals))
        (void)m_connection->run("DELETE FROM stored_sessions WHERE stored_at IS NULL AND session = " +
                                std::to_string(session));
}

/// Removes sessions that are replaced, or whose export was killed: its lock is free. A capture must not wait for long
/// here.
void MysqlStore::removeAbandoned()
{
    const auto sessions = m_connection->column("SELECT session FROM stored_sessions WHERE stored_at IS NULL AND session"
                                               " <> " +
                                               std::to_string(m_session));
    if (sessions && !sessions->empty() && lockAttaching(kShortLockWait)) {
        (void)setLockWait(kShortLockWait);
        for (const std::string &number : *sessions) {
            const std::uint64_t session = std::strtoull(number.c_str(), nullptr, 10);
            const Result<bool> isAbandoned = lockUnpublished(session);
            if (!isAbandoned || !*isAbandoned)
                continue;
            remove(session);
            unlock(session);
        }
        unlockAttaching();
    }
    (void)setLockWait(kLockWait);
}

Result<void> MysqlStore::close()
{
    if (m_connection && m_session != 0 && !m_isPublished) {
        m_connection->ignoreCancelling();
        (void)setLockWait(kShortLockWait);
        if (lockAttaching(kShortLockWait))
            remove(m_session);
    }
    m_connection.reset();
    return {};
}

}  // namespace

Result<std::unique_ptr<RowStore>> makeMysqlStore(const ServerAddress &address, IsCancelled isCancelled)
{
    // Qt requires that a connection stays on its thread, and the rows come on another one.
    if (const Result<std::unique_ptr<MysqlConnection>> opened = MysqlConnection::open(address); !opened)
        return opened.error();
    return std::unique_ptr<RowStore>(std::make_unique<MysqlStore>(address, std::move(isCancelled)));
}

}  // namespace ct
