// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/sqlite/sqlitestore.h"

#include "core/base/filekey.h"
#include "core/base/utf8.h"
#include "core/databases/sqlite/databasefile.h"
#include "core/databases/sqlite/sqliteconnection.h"
#include "core/databases/sqlite/sqliteddl.h"
#include "core/databases/sqlite/sqlitestatement.h"
#include "core/databases/storedsums.h"
#include "core/databases/traceviews.h"

#include <QSqlDatabase>

#include <unistd.h>
#include <utility>
#include <vector>

namespace ct {

namespace {

constexpr const char *kPragmas[] = {
    // There is one writer: no file lock per transaction, and the journal stays one file.
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA journal_mode = DELETE",
    // The harvest must not wait for the disk. Safe if the process is killed; close() synchronises the file.
    "PRAGMA synchronous = OFF",
    "PRAGMA cache_size = -32768",
};

class SqliteStore final : public RowStore {
public:
    SqliteStore(std::string path, DatabaseFile file) : m_path(std::move(path)), m_file(file) {}
    ~SqliteStore() override { (void)close(); }

    Result<void> begin() override;
    Result<void> add(Table table, const Row &row) override;
    bool growsVisibly() const override { return true; }
    Result<void> commit() override;
    Result<void> writePart(const std::string &content, const std::function<Result<void>()> &write) override;
    Result<void> publish(const std::string &sessionKey) override;
    Result<void> close() override;

private:
    Result<void> open();
    Result<void> makeTables();
    Result<void> makeView(const TraceView &view);

    const std::string m_path;
    DatabaseFile m_file;
    bool m_begun = false;
    std::unique_ptr<SqliteConnection> m_connection;
    std::vector<SqliteStatement> m_statements;  ///< by Table
};

Result<void> SqliteStore::open()
{
    if (Result<void> notMoved = ensureNotMoved(m_file.fd, m_path); !notMoved)
        return notMoved;
    if (Result<void> emptied = emptyDatabaseFile(m_file.fd, m_path); !emptied)
        return emptied;
    m_begun = true;
    Result<std::unique_ptr<SqliteConnection>> opened = SqliteConnection::open(m_path);
    if (!opened)
        return opened.error();
    // SQLite has opened the file by its name, and has not written yet.
    if (Result<void> notMoved = ensureNotMoved(m_file.fd, m_path); !notMoved)
        return notMoved;
    m_connection = std::move(*opened);
    return {};
}

Result<void> SqliteStore::makeView(const TraceView &view)
{
    return m_connection->run(std::string("CREATE VIEW ") + view.name + " AS " + view.select);
}

Result<void> SqliteStore::makeTables()
{
    for (std::size_t i = 0; i < kTables; ++i) {
        const TableSchema &schema = schemaOf(static_cast<Table>(i));
        if (Result<void> made = m_connection->run(sqlite::createTable(schema)); !made)
            return made;
    }
    if (Result<void> made = makeView(kEventsView); !made)
        return made;
    for (const TraceView &view : kTraceViews) {
        if (Result<void> made = makeView(view); !made)
            return made;
    }
    for (std::size_t i = 0; i < kTables; ++i) {
        Result<SqliteStatement> prepared = m_connection->prepareRows(schemaOf(static_cast<Table>(i)));
        if (!prepared)
            return prepared.error();
        m_statements.push_back(std::move(*prepared));
    }
    const Result<void> added = add(Table::TraceInfo, Row().text(kFormatName).number(kFormat));
    return added ? add(Table::TraceInfo, Row().text(kCompleteName).number(0)) : added;
}

Result<void> SqliteStore::begin()
{
    if (Result<void> opened = open(); !opened)
        return opened;
    for (const char *pragma : kPragmas) {
        if (Result<void> done = m_connection->run(pragma); !done)
            return done;
    }
    Result<void> made = m_connection->beginTransaction();
    if (made)
        made = makeTables();
    return made ? m_connection->commit() : made;
}

Result<void> SqliteStore::add(Table table, const Row &row)
{
    if (Result<void> begun = m_connection->beginTransaction(); !begun)
        return begun;
    Result<void> added = m_connection->addRow(m_statements[static_cast<std::size_t>(table)], row);
    if (!added)
        m_connection->rollback();
    return added;
}

Result<void> SqliteStore::commit()
{
    Result<void> done = m_connection->commit();
    if (!done)
        m_connection->rollback();
    return done;
}

/// If the disk is too full for a part, the parts before it stay in the file.
Result<void> SqliteStore::writePart(const std::string &content, const std::function<Result<void>()> &write)
{
    if (!content.empty())
        m_connection->setContent(content);
    Result<void> done = m_connection->beginTransaction();
    if (done)
        done = write();
    if (done)
        done = m_connection->commit();
    if (!done)
        m_connection->rollback();
    return done;
}

Result<void> SqliteStore::publish(const std::string &)
{
    for (const IndexSchema &index : tableIndexes()) {
        if (Result<void> made = m_connection->run(sqlite::createIndex(index)); !made)
            return made;
    }
    return add(Table::TraceInfo, Row().text(kCompleteName).number(1));
}

Result<void> SqliteStore::close()
{
    if (m_file.fd < 0)
        return {};
    if (!m_begun && m_file.created)
        unlinkIfSame(m_path, FileKey::of(m_file.fd));
    m_statements.clear();
    m_connection.reset();
    const Result<void> synchronised = m_begun ? synchroniseDatabase(m_file.fd, m_path) : Result<void>();
    // After SQLite has closed its own descriptor: see DatabaseFile.
    ::close(std::exchange(m_file.fd, -1));
    return synchronised;
}

}  // namespace

Result<std::unique_ptr<RowStore>> makeSqliteStore(const std::string &path)
{
    if (!QSqlDatabase::isDriverAvailable(QStringLiteral("QSQLITE")))
        return Error{ErrorCode::Unsupported, "Qt has no SQLite driver here; install libqt6sql6-sqlite"};
    // Qt would pass another name to SQLite.
    if (validUtf8(path) != path)
        return Error{ErrorCode::InvalidArgument,
                     path + ": the name of a SQLite file must be valid UTF-8; choose another name or folder"};
    const Result<DatabaseFile> file = openDatabaseFile(path);
    if (!file)
        return file.error();
    return std::unique_ptr<RowStore>(std::make_unique<SqliteStore>(path, *file));
}

}  // namespace ct
