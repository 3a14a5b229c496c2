// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/postgresql/pgstore.h"

#include "core/databases/postgresql/copytext.h"
#include "core/databases/postgresql/pgconnection.h"
#include "core/databases/postgresql/pgddl.h"
#include "core/databases/serverstore.h"
#include "core/databases/sqltext.h"
#include "core/databases/storedsums.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

namespace ct {

namespace {

/// Rows of one table that are collected for one COPY, in bytes.
constexpr std::size_t kMostWaiting = 1U << 20;
/// Keeps two exports from creating the schema, or replacing a session, at the same time. The number is arbitrary.
constexpr const char *kLock = "SELECT pg_advisory_xact_lock(4711823640215)";

class PgStore final : public RowStore {
public:
    PgStore(ServerAddress address, IsCancelled isCancelled)
        : m_address(std::move(address)), m_isCancelled(std::move(isCancelled))
    {
    }

    Result<void> begin() override;
    Result<void> add(Table table, const Row &row) override;
    bool growsVisibly() const override { return false; }
    Result<void> commit() override { return {}; }
    Result<void> writePart(const std::string &, const std::function<Result<void>()> &write) override { return write(); }
    Result<void> publish(const std::string &sessionKey) override;
    std::string remark() const override { return m_movesTable ? movedTableRemark(m_address.table) : std::string(); }
    Result<void> close() override
    {
        m_connection.reset();
        return {};
    }

private:
    Result<void> makeSchema();
    Result<void> refuseOthers();
    Result<void> makeTables();
    Result<void> replaceViews(const std::vector<postgresql::View> &views);
    Result<void> takeNumber();
    Result<void> beginTransaction();
    Result<void> makePartition(Table table);
    Result<void> flush(Table table);
    Result<void> load();
    Result<void> attach();
    Result<void> replaceCollectorsTable();
    postgresql::View makeFlatView() const;
    Result<void> run(const std::string &statements) { return m_connection->run(statements); }
    void dropUnused();

    const ServerAddress m_address;
    const IsCancelled m_isCancelled;
    std::unique_ptr<PgConnection> m_connection;
    std::uint64_t m_session = 0;
    bool m_movesTable = false;                   ///< publish() has to rename the table of the existing collector
    std::array<bool, kTables> m_isMade{};        ///< by Table: there is a partition for the rows
    std::array<std::string, kTables> m_waiting;  ///< rows in the text format of COPY, by Table
};

Result<void> PgStore::makeSchema()
{
    Result<void> made = run(std::string("BEGIN; SET LOCAL lock_timeout = '30s';") + kLock);
    if (made)
        made = makeTables();
    if (made)
        return run("COMMIT");
    (void)run("ROLLBACK");
    return made;
}

/// Refuses tables and views of these names that an export must not, or cannot, change.
Result<void> PgStore::refuseOthers()
{
    const auto others = m_connection->column(postgresql::findViewsOfOthers(m_address.table));
    if (!others)
        return others.error();
    if (!others->empty())
        return viewOfOthers(m_address.name(), others->front());
    const auto tables = m_connection->column(postgresql::findTablesOfOthers(m_address.table));
    if (!tables)
        return tables.error();
    if (!tables->empty())
        return tableOfOthers(m_address.name(), tables->front(), m_address.table);
    // Attaching a partition needs the ownership of the table; at the end of a capture it is too late to say so.
    const auto owners = m_connection->column(postgresql::findForeignOwners(m_address.table));
    if (!owners)
        return owners.error();
    if (!owners->empty())
        return Error{ErrorCode::AlreadyExists,
                     m_address.name() + ": " + owners->front() +
                         "; export as this role, let an administrator make your role a member of it, or choose another "
                         "database"};
    return {};
}

Result<void> PgStore::makeTables()
{
    if (Result<void> refused = refuseOthers(); !refused)
        return refused;
    const auto collectors = m_connection->column(postgresql::findCollectorsTable(m_address.table));
    if (!collectors)
        return collectors.error();
    m_movesTable = !collectors->empty();
    std::vector<postgresql::View> views = postgresql::tableViews();
    if (!m_movesTable)
        views.push_back(makeFlatView());
    Result<void> made = run(postgresql::makeTables());
    if (made)
        made = replaceViews(views);
    if (made)
        return made;
    Error error = made.error();
    // Other codes have their own remedies.
    if (error.code == ErrorCode::InputOutput && !m_connection->isLost())
        addRemedy(error, "if the database has tables of other programs with these names, choose another database");
    return error;
}

/// Leaves views as they are that need no change: a report that reads one would hold up the export, and the export all
/// later reports.
Result<void> PgStore::replaceViews(const std::vector<postgresql::View> &views)
{
    const auto outdated = m_connection->column(postgresql::findOutdatedViews(views));
    if (!outdated)
        return outdated.error();
    if (outdated->empty())
        return {};
    std::vector<postgresql::View> replaced;
    std::string statements;
    for (const postgresql::View &view : views) {
        if (std::ranges::find(*outdated, view.name) == outdated->end())
            continue;
        statements += view.make;
        replaced.push_back(view);
    }
    if (Result<void> made = run(statements); !made)
        return made;
    const auto marks = m_connection->column(postgresql::findMarks(replaced));
    if (!marks)
        return marks.error();
    std::string comments;
    for (const std::string &mark : *marks)
        comments += mark;
    return run(comments);
}

Result<void> PgStore::takeNumber()
{
    const auto number = m_connection->value("SELECT nextval(pg_get_serial_sequence('stored_sessions', 'session'))");
    if (!number)
        return number.error();
    const std::string digits = number->value_or("0");
    std::from_chars(digits.data(), digits.data() + digits.size(), m_session);
    return {};
}

Result<void> PgStore::beginTransaction()
{
    // A capture can be idle for long.
    return run("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0");
}

Result<void> PgStore::makePartition(Table table)
{
    m_isMade[static_cast<std::size_t>(table)] = true;
    return run(postgresql::makePartition(table, m_session));
}

Result<void> PgStore::begin()
{
    Result<std::unique_ptr<PgConnection>> opened =
        PgConnection::open(m_address, PgConnection::IfMissing::Create, m_isCancelled);
    if (!opened)
        return opened.error();
    m_connection = std::move(*opened);
    Result<void> done = makeSchema();
    if (done)
        done = takeNumber();
    return orNothingStored(done ? beginTransaction() : done);
}

Result<void> PgStore::add(Table table, const Row &row)
{
    std::string &waiting = m_waiting[static_cast<std::size_t>(table)];
    appendCopyRow(waiting, schemaOf(table), row);
    return waiting.size() < kMostWaiting ? Result<void>() : orNothingStored(flush(table));
}

Result<void> PgStore::flush(Table table)
{
    std::string &waiting = m_waiting[static_cast<std::size_t>(table)];
    if (waiting.empty())
        return {};
    if (!m_isMade[static_cast<std::size_t>(table)]) {
        if (Result<void> made = makePartition(table); !made)
            return made;
    }
    Result<void> copied = m_connection->copy(postgresql::copyTarget(table, m_session), waiting);
    waiting.clear();
    return copied;
}

/// Completes the partitions, which other programs do not see yet.
Result<void> PgStore::load()
{
    for (std::size_t i = 0; i < kTables; ++i) {
        const Table table = static_cast<Table>(i);
        Result<void> done = flush(table);
        const std::string indexes = postgresql::makeIndexes(table, m_session);
        if (done && m_isMade[i] && !indexes.empty())
            done = run(indexes);
        if (!done)
            return done;
    }
    return {};
}

Result<void> PgStore::attach()
{
    std::string statements;
    for (std::size_t i = 0; i < kTables; ++i) {
        if (m_isMade[i])
            statements += postgresql::attachPartition(static_cast<Table>(i), m_session);
    }
    return run(statements);
}

postgresql::View PgStore::makeFlatView() const
{
    return postgresql::makeFlatView(m_address.table, m_address.hasOwnView() ? keyPrefix(m_address.table) : "");
}

/// Here and not in begin(): an export that fails leaves the table as it was.
Result<void> PgStore::replaceCollectorsTable()
{
    const auto collectors = m_connection->column(postgresql::findCollectorsTable(m_address.table));
    if (!collectors)
        return collectors.error();
    // Another export may have renamed the table since begin().
    // Another export that begins waits as long as this one waits for readers of the table.
    Result<void> done = run("SET LOCAL lock_timeout = '30s'; " +
                            (collectors->empty() ? std::string() : postgresql::moveCollectorsTable(m_address.table)));
    if (done)
        done = replaceViews({makeFlatView()});
    return done ? run("SET LOCAL lock_timeout = 0") : done;
}

Result<void> PgStore::publish(const std::string &sessionKey)
{
    Result<void> done = add(Table::TraceInfo, Row().text(kCompleteName).number(1));
    if (done)
        done = load();
    // Taken before the locks on the partitioned tables, as in makeSchema(), or two exports could deadlock. A capture
    // that begins waits for this lock, so nothing slow may follow.
    if (done)
        done = run(kLock);
    if (done && m_movesTable)
        done = replaceCollectorsTable();
    if (done)
        done = attach();
    const std::string key = pgLiteral(storedKeyAt(m_address, sessionKey, m_session));
    if (done)
        done =
            run("DELETE FROM stored_sessions WHERE key = " + key +
                "; INSERT INTO stored_sessions (session, key) VALUES (" + std::to_string(m_session) + ", " + key + ")");
    if (!done)
        return nothingStored(done.error());
    if (const Result<void> committed = run("COMMIT"); !committed)
        return m_connection->isLost() ? perhapsStored(committed.error()) : nothingStored(committed.error());
    dropUnused();
    return {};
}

/// Drops partitions of replaced sessions in this schema. Waits a few seconds for readers; the next export tries
/// again.
void PgStore::dropUnused()
{
    const auto partitions = m_connection->column(
        "SELECT c.oid::regclass FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid"
        " JOIN pg_class p ON p.oid = i.inhparent JOIN pg_class s ON s.oid = 'stored_sessions'::regclass"
        " WHERE c.relnamespace = s.relnamespace AND p.relnamespace = s.relnamespace"
        " AND p.relname LIKE 'all\\_%' AND c.relname ~ '_of_session_[0-9]+$'"
        " AND substring(c.relname FROM '[0-9]+$')::bigint NOT IN (SELECT session FROM stored_sessions)");
    (void)run("SET lock_timeout = '3s'");
    for (const std::string &partition : partitions ? *partitions : std::vector<std::string>()) {
        const Result<void> dropped = run("DROP TABLE " + partition);
        // Another role's partition stays until that role exports.
        if (!dropped && dropped.error().code != ErrorCode::PermissionDenied)
            return;  // a reader or another export uses it
    }
}

}  // namespace

Result<std::unique_ptr<RowStore>> makePgStore(const ServerAddress &address, IsCancelled isCancelled)
{
    // Qt requires that a connection stays on its thread, and the rows come on another one.
    const Result<std::unique_ptr<PgConnection>> opened =
        PgConnection::open(address, PgConnection::IfMissing::Create, isCancelled);
    if (!opened)
        return opened.error();
    return std::unique_ptr<RowStore>(std::make_unique<PgStore>(address, std::move(isCancelled)));
}

}  // namespace ct
