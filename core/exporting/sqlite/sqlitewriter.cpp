// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/sqlite/sqlitewriter.h"

#include "core/base/filekey.h"
#include "core/base/utf8.h"
#include "core/exporting/pointkind.h"
#include "core/exporting/sqlite/databasefile.h"
#include "core/exporting/sqlite/sqliteaddresses.h"
#include "core/exporting/sqlite/sqliteconnection.h"
#include "core/exporting/sqlite/sqlitenotes.h"
#include "core/exporting/sqlite/sqliteschema.h"
#include "core/exporting/sqlite/sqlrows.h"
#include "core/recording/text/coroutinesums.h"
#include "core/recording/write/filesink.h"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <unistd.h>

namespace ct {

namespace {

constexpr std::uint64_t kCommitEveryNs = 500'000'000;
constexpr std::uint64_t kCommitEveryRows = 200'000;

/// NULL for 0, which stands for a value that the target did not report.
QVariant known(std::uint32_t value)
{
    return value == 0 ? QVariant(QMetaType::fromType<uint>()) : QVariant(value);
}

QString text(const std::string &value)
{
    return QString::fromStdString(validUtf8(value));
}

std::string_view dialectName(Dialect dialect)
{
    switch (dialect) {
    case Dialect::Seqlock: return "seqlock";
    case Dialect::Monotonic: return "monotonic";
    case Dialect::Lane: return "lane";
    case Dialect::Unknown: break;
    }
    return "unknown";
}

/// A part of the end, with its name for errors.
struct Part {
    const char *name;
    std::function<Result<void>()> write;
};

/// For example "addresses and indexes".
std::string namesFrom(std::span<const Part> parts)
{
    std::string names;
    for (std::size_t i = 0; i < parts.size(); ++i)
        names.append(i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ").append(parts[i].name);
    return names;
}

class SqliteWriter final : public FileSink {
public:
    SqliteWriter(std::string path, DatabaseFile file, std::shared_ptr<ExportResolver> exportResolver)
        : m_path(std::move(path)), m_file(file), m_addresses(std::move(exportResolver))
    {
    }
    /// Without finish(): commits the consumed batches, and `complete` stays 0. If nothing was consumed, removes a file
    /// that it created.
    ~SqliteWriter() override
    {
        if (!m_begun && m_file.created)
            unlinkIfSame(m_path, FileKey::of(m_file.fd));
        if (m_connection)
            (void)commit();
        close();
        ::close(m_file.fd);
    }

    Result<void> consume(const Batch &batch) override
    {
        Result<void> written = write(batch);
        if (!written)
            close();
        return written;
    }

    Result<void> finish(const Accounting &accounting) override
    {
        Result<void> written = complete(accounting);
        close();
        return written ? synchroniseDatabase(m_file.fd, m_path) : written;
    }
    std::uint64_t written() const override { return m_committed; }

private:
    Result<void> ensureOpen();
    Result<void> createTables();
    Result<void> write(const Batch &batch);
    Result<void> writeRows(const Batch &batch);
    Result<void> writeSites(const Batch &batch);
    Result<void> writeBirths(const Batch &batch);
    Result<void> writeEvents(const Batch &batch);
    Result<void> writeEnds(const Batch &batch);
    Result<void> commit();
    Result<void> complete(Accounting sums);
    Result<void> inTransaction(const std::function<Result<void>()> &write);
    Result<void> writeCounts();
    Result<void> writeIndexes();
    Result<void> writeInfo(const Accounting &accounting);
    Result<void> runIf(bool wanted, SqlRows &rows)
    {
        return wanted && !rows.isEmpty() ? m_connection->run(rows.takeStatement()) : Result<void>();
    }
    void close()
    {
        m_insertSite.reset();
        m_connection.reset();
    }

    const std::string m_path;
    const DatabaseFile m_file;
    bool m_begun = false;
    /// Used from the first consume() to finish(), on one thread.
    std::unique_ptr<SqliteConnection> m_connection;
    std::optional<QSqlQuery> m_insertSite;
    CoroutineSums m_coroutineSums;
    SqliteAddresses m_addresses;
    SqlRows m_events{kInsertEvents};
    std::uint64_t m_committedAt = 0;
    std::uint64_t m_rowsSinceCommit = 0;
    std::uint64_t m_consumed = 0;   ///< transitions consumed
    std::uint64_t m_committed = 0;  ///< transitions committed
};

Result<void> SqliteWriter::ensureOpen()
{
    if (m_connection)
        return {};
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
    return createTables();
}

Result<void> SqliteWriter::createTables()
{
    for (const char *pragma : kSqlitePragmas) {
        if (Result<void> done = m_connection->run(pragma); !done)
            return done;
    }
    if (Result<void> begun = m_connection->beginTransaction(); !begun)
        return begun;
    for (const char *table : kSqliteTables) {
        if (Result<void> done = m_connection->run(table); !done)
            return done;
    }
    Result<QSqlQuery> insertSite = m_connection->prepare(kInsertSite);
    if (!insertSite)
        return insertSite.error();
    m_insertSite.emplace(std::move(*insertSite));
    return m_connection->commit();
}

Result<void> SqliteWriter::write(const Batch &batch)
{
    if (batch.empty() && !m_connection)
        return {};
    if (Result<void> opened = ensureOpen(); !opened)
        return opened;
    if (!batch.empty()) {
        if (Result<void> written = writeRows(batch); !written)
            return written;
    }
    if (m_committedAt == 0)
        m_committedAt = batch.now;
    m_rowsSinceCommit += batch.transitions.size() + batch.notes.wakes.size() + batch.notes.waits.size() +
                         batch.notes.uses.size() + batch.notes.wakersLeft.size();
    if (batch.now < m_committedAt + kCommitEveryNs && m_rowsSinceCommit < kCommitEveryRows)
        return {};
    m_committedAt = batch.now;
    m_rowsSinceCommit = 0;
    return commit();
}

Result<void> SqliteWriter::commit()
{
    Result<void> done = m_connection->commit();
    if (done)
        m_committed = m_consumed;
    return done;
}

Result<void> SqliteWriter::writeRows(const Batch &batch)
{
    if (Result<void> begun = m_connection->beginTransaction(); !begun)
        return begun;
    m_coroutineSums.addBatch(batch);
    if (Result<void> written = writeSites(batch); !written)
        return written;
    if (Result<void> written = writeBirths(batch); !written)
        return written;
    if (Result<void> written = writeEvents(batch); !written)
        return written;
    m_consumed += batch.transitions.size();
    if (Result<void> written = writeNotes(*m_connection, batch.notes); !written)
        return written;
    return writeEnds(batch);
}

Result<void> SqliteWriter::writeSites(const Batch &batch)
{
    for (const Site &site : batch.sites) {
        Result<void> written =
            m_connection->execute(*m_insertSite, {QVariant(site.id), text(site.file), known(site.line),
                                                  known(site.column), text(site.function)});
        if (!written)
            return written;
    }
    return {};
}

Result<void> SqliteWriter::writeBirths(const Batch &batch)
{
    SqlRows rows(kInsertCoroutines);
    for (const Birth &birth : batch.births) {
        if (birth.coroutine == kNoCoroutine)
            continue;
        rows.beginRow();
        rows.integer(birth.coroutine);
        rows.decimalText(birth.probeId);
        rows.known(birth.pid);
        rows.integer(birth.station);
        rows.integer(birth.generation);
        rows.word(dialectName(birth.dialect));
        rows.known(birth.birthTs);
        rows.endRow();
        if (Result<void> written = runIf(rows.isFull(), rows); !written)
            return written;
    }
    return runIf(true, rows);
}

Result<void> SqliteWriter::writeEvents(const Batch &batch)
{
    for (const Transition &transition : batch.transitions) {
        m_coroutineSums.advance(transition);
        const CoroutineSums::Entry &coroutine = m_coroutineSums.entry(transition.coroutine);
        m_addresses.note(transition, coroutine.pid);
        m_events.beginRow();
        m_events.decimalText(coroutine.probeId);
        m_events.integer(transition.tid);
        m_events.hexText(transition.addr);
        m_events.integer(transition.seq);
        m_events.integer(transition.active ? 1 : 0);
        m_events.integer(transition.ts);
        m_events.integer(transition.n);
        m_events.integer(transition.coroutine);
        m_events.known(coroutine.pid);
        m_events.known(transition.site);
        m_events.word(pointKindName(transition.kind));
        m_events.endRow();
        if (Result<void> written = runIf(m_events.isFull(), m_events); !written)
            return written;
    }
    return runIf(true, m_events);
}

Result<void> SqliteWriter::writeEnds(const Batch &batch)
{
    SqlRows deaths(kUpdateDeaths, kUpdateTail);
    for (const Death &death : batch.deaths) {
        deaths.beginRow();
        deaths.integer(death.coroutine);
        deaths.known(death.ts);
        deaths.endRow();
        if (Result<void> written = runIf(deaths.isFull(), deaths); !written)
            return written;
    }
    SqlRows flags(kUpdateFlags, kUpdateTail);
    for (const Flag &flag : batch.flags) {
        flags.beginRow();
        flags.integer(flag.coroutine);
        flags.endRow();
        if (Result<void> written = runIf(flags.isFull(), flags); !written)
            return written;
    }
    if (Result<void> written = runIf(true, deaths); !written)
        return written;
    return runIf(true, flags);
}

Result<void> SqliteWriter::complete(Accounting sums)
{
    if (Result<void> opened = ensureOpen(); !opened)
        return opened;
    const Result<void> committed = commit();
    if (!committed) {
        m_connection->rollback();
        sums.eventsNotWritten += m_consumed - m_committed;
    }
    // The sums come first, before everything that may find no room: they fit into a page that the file already has.
    const Result<void> summed = inTransaction([&] { return writeInfo(sums); });
    if (!committed || !summed)
        return committed ? summed : committed;
    const std::array<Part, 3> parts{{{"counts of the coroutines",
                                      [this] {
                                          Result<void> counted = writeCounts();
                                          return counted ? completeProcesses(*m_connection) : counted;
                                      }},
                                     {"addresses", [this] { return m_addresses.write(*m_connection); }},
                                     {"indexes", [this] { return writeIndexes(); }}}};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        m_connection->setContent("all events and sums are in it, " + namesFrom(std::span(parts).subspan(i)) +
                                 " are missing");
        if (Result<void> written = inTransaction(parts[i].write); !written)
            return written;
    }
    return {};
}

/// Runs one part of the end in its own transaction. A part that finds no room leaves the parts before it in the file.
Result<void> SqliteWriter::inTransaction(const std::function<Result<void>()> &write)
{
    Result<void> done = m_connection->beginTransaction();
    if (done)
        done = write();
    if (done)
        done = m_connection->commit();
    if (!done)
        m_connection->rollback();
    return done;
}

/// Writes the last part. Its transaction also marks the database as complete.
Result<void> SqliteWriter::writeIndexes()
{
    for (const char *index : kSqliteIndexes) {
        if (Result<void> made = m_connection->run(index); !made)
            return made;
    }
    return m_connection->run(kMarkComplete);
}

Result<void> SqliteWriter::writeCounts()
{
    SqlRows rows(kUpdateCounts, kUpdateTail);
    CoroutineId id = 0;
    for (const CoroutineSums::Entry &entry : m_coroutineSums.entries()) {
        const CoroutineId of = id++;
        // Zeros are there since the birth. Coroutines that are not exported have them too, and can be millions.
        if ((entry.events | entry.lost | entry.missed | entry.unexplained) == 0)
            continue;
        rows.beginRow();
        for (const std::uint64_t value : {std::uint64_t{of}, entry.events, entry.lost, entry.missed, entry.unexplained})
            rows.integer(value);
        rows.endRow();
        if (Result<void> written = runIf(rows.isFull(), rows); !written)
            return written;
    }
    return runIf(true, rows);
}

Result<void> SqliteWriter::writeInfo(const Accounting &accounting)
{
    std::uint64_t unexplained = 0;
    for (const CoroutineSums::Entry &entry : m_coroutineSums.entries())
        unexplained += entry.unexplained;
    const std::pair<std::string_view, std::uint64_t> sums[] = {
        {"events", accounting.captured},
        {"lost_events", accounting.lost},
        {"missed_before_attach", accounting.missedBeforeAttach},
        {"dropped_events", unexplained},
        {"dropped_notes", accounting.notesEvicted},
        {"notes_lost", accounting.notesLost},
        {"coroutines", accounting.coroutines},
        {"coroutines_missed", accounting.coroutinesMissed},
        {"coroutines_not_kept", accounting.overflowCoroutines},
        {"events_not_kept", accounting.overflowEvents},
        {"names_not_kept", accounting.overflowNames},
        {"events_not_written", accounting.eventsNotWritten},
        {"untraced_coroutines", accounting.untraced},
        {"born_while_off", accounting.bornWhileOff},
        {"records_dropped", accounting.recordsDropped},
    };
    SqlRows rows(kInsertInfo);
    for (const auto &[name, value] : sums) {
        rows.beginRow();
        rows.word(name);
        rows.integer(value);
        rows.endRow();
    }
    return m_connection->run(rows.takeStatement());
}

}  // namespace

Result<std::shared_ptr<Sink>> makeSqliteWriter(const std::string &path, std::shared_ptr<ExportResolver> exportResolver)
{
    if (!QSqlDatabase::isDriverAvailable(QStringLiteral("QSQLITE")))
        return Error{ErrorCode::Unsupported, "Qt has no SQLite driver here; install libqt6sql6-sqlite"};
    const Result<DatabaseFile> file = openDatabaseFile(path);
    if (!file)
        return file.error();
    return std::shared_ptr<Sink>(std::make_shared<SqliteWriter>(path, *file, std::move(exportResolver)));
}

}  // namespace ct
