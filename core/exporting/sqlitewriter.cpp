// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/sqlitewriter.h"

#include "core/exporting/pointkind.h"
#include "core/exporting/sqliteschema.h"
#include "core/recording/ledger.h"
#include "core/recording/lineoutput.h"
#include "core/recording/utf8.h"

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QVariant>

#include <array>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace ct {

namespace {

constexpr std::uint64_t kCommitEveryNs = 500'000'000;
constexpr std::uint64_t kCommitEveryRows = 200'000;

QString latin(const char *text)
{
    return QString::fromLatin1(text);
}

/// All 64 bits are kept: SQLite's integers are signed, ours beyond 2^63 come out negative (no clock gets there).
QVariant integer(std::uint64_t value)
{
    return QVariant(static_cast<qlonglong>(value));
}

/// NULL for what the target did not say.
QVariant known(std::uint64_t value)
{
    return value == 0 ? QVariant(QMetaType::fromType<qlonglong>()) : integer(value);
}

QString text(const std::string &value)
{
    return QString::fromStdString(validUtf8(value));
}

QString hexText(std::uint64_t value)
{
    std::array<char, kHexLength> digits;
    putHex(digits.data(), value);
    return QString::fromLatin1(digits.data(), static_cast<qsizetype>(digits.size()));
}

QString kindName(PointKind kind)
{
    const std::string_view name = pointKindName(kind);
    return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

QString dialectName(Dialect dialect)
{
    switch (dialect) {
    case Dialect::Seqlock: return latin("seqlock");
    case Dialect::Monotonic: return latin("monotonic");
    case Dialect::Unknown: break;
    }
    return latin("unknown");
}

Error sqlError(const std::string &path, const QSqlError &error)
{
    constexpr int kFull = 13;
    constexpr int kReadOnly = 8;
    const int code = error.nativeErrorCode().toInt() & 0xFF;
    const std::string what = path + ": " + error.databaseText().toStdString();
    if (code == kFull)
        return {ErrorCode::NoSpace,
                what + "; the database is valid up to the latest commit, free some space or choose another place"};
    if (code == kReadOnly)
        return {ErrorCode::PermissionDenied, what + "; choose a place that can be written"};
    return {ErrorCode::InputOutput, what + "; the database is valid up to the latest commit"};
}

std::string directoryOf(const std::string &path)
{
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// Replaces `path` by an empty file, which is a valid empty database, and removes what belonged to the old one.
Result<void> prepareFile(const std::string &path)
{
    if (path.empty() || path == "-")
        return Error{ErrorCode::InvalidArgument,
                     "a SQLite database needs a file of its own: give a path that ends in .sqlite"};
    struct stat info = {};
    if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
        return Error{ErrorCode::InvalidArgument, path + " is not a regular file: a SQLite database needs one"};
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd < 0)
        return errnoError(errno, path + " cannot be written, choose another place");
    ::close(fd);
    if (access(directoryOf(path).c_str(), W_OK | X_OK) != 0)
        return errnoError(errno,
                          path + " cannot be written: SQLite keeps a journal beside it, choose another directory");
    for (const char *suffix : {"-journal", "-wal", "-shm"})
        ::unlink((path + suffix).c_str());
    return {};
}

QString freshConnectionName()
{
    // Only uniqueness matters: no order with anything else.
    static std::atomic<unsigned> counter{0};
    return latin("corotracer-export-%1").arg(counter.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace

class SqliteWriter final : public Sink {
public:
    explicit SqliteWriter(std::string path) : m_path(std::move(path)) {}
    /// Without finish(): what was consumed is committed, `complete` stays 0.
    ~SqliteWriter() override
    {
        if (m_open)
            (void)commit();
        close();
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
        return written ? synchronise() : written;
    }

private:
    /// Lives on one thread, from the first consume() to finish().
    struct Open {
        QString name;
        QSqlDatabase database;
        QSqlQuery event;
        QSqlQuery coroutine;
        QSqlQuery site;
        QSqlQuery death;
        QSqlQuery flag;
        bool inTransaction = false;
    };

    Result<void> ensureOpen();
    Result<void> prepare(QSqlQuery &query, const char *statement);
    Result<void> run(const char *statement);
    Result<void> execute(QSqlQuery &query, std::initializer_list<QVariant> values);
    Result<void> begin();
    Result<void> commit();
    Result<void> write(const Batch &batch);
    Result<void> writeSitesAndBirths(const Batch &batch);
    Result<void> writeEvent(const Transition &transition);
    Result<void> writeEnds(const Batch &batch);
    Result<void> complete(const Accounting &accounting);
    Result<void> writeCounts();
    Result<void> writeInfo(const Accounting &accounting);
    Result<void> synchronise();
    void close();

    std::string m_path;
    std::unique_ptr<Open> m_open;
    Ledger m_ledger;
    std::vector<QString> m_probeIds;  ///< by CoroutineId: shared, so that a row does not make its text anew
    const QString m_zeroAddress = hexText(0);
    const std::array<QString, 4> m_kinds = {kindName(PointKind::Await), kindName(PointKind::Initial),
                                            kindName(PointKind::Final), kindName(PointKind::Yield)};
    std::uint64_t m_committedAt = 0;
    std::uint64_t m_rowsSinceCommit = 0;
};

Result<void> SqliteWriter::ensureOpen()
{
    if (m_open)
        return {};
    m_open = std::make_unique<Open>();
    m_open->name = freshConnectionName();
    m_open->database = QSqlDatabase::addDatabase(latin("QSQLITE"), m_open->name);
    m_open->database.setDatabaseName(QString::fromLocal8Bit(m_path.c_str()));
    if (!m_open->database.open())
        return sqlError(m_path, m_open->database.lastError());
    for (const char *pragma : kSqlitePragmas) {
        if (Result<void> done = run(pragma); !done)
            return done;
    }
    if (Result<void> begun = begin(); !begun)
        return begun;
    for (const char *table : kSqliteTables) {
        if (Result<void> done = run(table); !done)
            return done;
    }
    const std::pair<QSqlQuery *, const char *> statements[] = {
        {&m_open->event, kInsertEvent}, {&m_open->coroutine, kInsertCoroutine}, {&m_open->site, kInsertSite},
        {&m_open->death, kUpdateDeath}, {&m_open->flag, kUpdateFlag},
    };
    for (const auto &[query, statement] : statements) {
        if (Result<void> done = prepare(*query, statement); !done)
            return done;
    }
    return commit();
}

Result<void> SqliteWriter::prepare(QSqlQuery &query, const char *statement)
{
    query = QSqlQuery(m_open->database);
    query.setForwardOnly(true);
    if (!query.prepare(latin(statement)))
        return sqlError(m_path, query.lastError());
    return {};
}

Result<void> SqliteWriter::run(const char *statement)
{
    QSqlQuery query(m_open->database);
    if (!query.exec(latin(statement)))
        return sqlError(m_path, query.lastError());
    return {};
}

Result<void> SqliteWriter::execute(QSqlQuery &query, std::initializer_list<QVariant> values)
{
    int position = 0;
    for (const QVariant &value : values)
        query.bindValue(position++, value);
    if (!query.exec())
        return sqlError(m_path, query.lastError());
    return {};
}

Result<void> SqliteWriter::begin()
{
    if (m_open->inTransaction)
        return {};
    if (!m_open->database.transaction())
        return sqlError(m_path, m_open->database.lastError());
    m_open->inTransaction = true;
    return {};
}

Result<void> SqliteWriter::commit()
{
    m_rowsSinceCommit = 0;
    if (!m_open->inTransaction)
        return {};
    m_open->inTransaction = false;
    if (!m_open->database.commit())
        return sqlError(m_path, m_open->database.lastError());
    return {};
}

Result<void> SqliteWriter::write(const Batch &batch)
{
    if (Result<void> opened = ensureOpen(); !opened)
        return opened;
    if (!batch.empty()) {
        if (Result<void> begun = begin(); !begun)
            return begun;
        m_ledger.begin(batch);
        if (Result<void> written = writeSitesAndBirths(batch); !written)
            return written;
        for (const Transition &transition : batch.transitions) {
            if (Result<void> written = writeEvent(transition); !written)
                return written;
        }
        if (Result<void> written = writeEnds(batch); !written)
            return written;
    }
    if (m_committedAt == 0)
        m_committedAt = batch.now;
    m_rowsSinceCommit += batch.transitions.size();
    if (batch.now < m_committedAt + kCommitEveryNs && m_rowsSinceCommit < kCommitEveryRows)
        return {};
    m_committedAt = batch.now;
    return commit();
}

Result<void> SqliteWriter::writeSitesAndBirths(const Batch &batch)
{
    for (const Site &site : batch.sites) {
        Result<void> written = execute(m_open->site, {integer(site.id), text(site.file), known(site.line),
                                                      known(site.column), text(site.function)});
        if (!written)
            return written;
    }
    for (const Birth &birth : batch.births) {
        if (birth.coroutine == kNoCoroutine)
            continue;
        const QString probeId = QString::number(birth.probeId);
        if (birth.coroutine >= m_probeIds.size())
            m_probeIds.resize(static_cast<std::size_t>(birth.coroutine) + 1);
        m_probeIds[birth.coroutine] = probeId;
        Result<void> written =
            execute(m_open->coroutine, {integer(birth.coroutine), probeId, known(birth.pid), integer(birth.station),
                                        integer(birth.generation), dialectName(birth.dialect), known(birth.birthTs)});
        if (!written)
            return written;
    }
    return {};
}

Result<void> SqliteWriter::writeEvent(const Transition &transition)
{
    m_ledger.advance(transition);
    const CoroutineId id = transition.coroutine;
    const QString probeId = id < m_probeIds.size() ? m_probeIds[id] : QString::number(0);
    const SiteId site = transition.active ? kUnknownSite : transition.site;
    return execute(m_open->event,
                   {probeId, integer(transition.tid), transition.addr == 0 ? m_zeroAddress : hexText(transition.addr),
                    integer(transition.seq), QVariant(transition.active ? 1 : 0), integer(transition.ts),
                    integer(transition.n), integer(id), known(m_ledger.entry(id).pid), known(site),
                    m_kinds[static_cast<std::size_t>(transition.kind) & 3]});
}

Result<void> SqliteWriter::writeEnds(const Batch &batch)
{
    for (const Death &death : batch.deaths) {
        if (Result<void> written = execute(m_open->death, {known(death.ts), integer(death.coroutine)}); !written)
            return written;
    }
    for (const Flag &flag : batch.flags) {
        if (Result<void> written = execute(m_open->flag, {integer(flag.coroutine)}); !written)
            return written;
    }
    return {};
}

Result<void> SqliteWriter::complete(const Accounting &accounting)
{
    if (Result<void> opened = ensureOpen(); !opened)
        return opened;
    if (Result<void> begun = begin(); !begun)
        return begun;
    if (Result<void> written = writeCounts(); !written)
        return written;
    if (Result<void> written = commit(); !written)
        return written;
    // The rows are safe; a disk too small for the indexes does not take them back.
    if (Result<void> begun = begin(); !begun)
        return begun;
    for (const char *index : kSqliteIndexes) {
        if (Result<void> made = run(index); !made)
            return made;
    }
    if (Result<void> written = writeInfo(accounting); !written)
        return written;
    return commit();
}

Result<void> SqliteWriter::writeCounts()
{
    QSqlQuery counts;
    if (Result<void> prepared = prepare(counts, kUpdateCounts); !prepared)
        return prepared;
    CoroutineId id = 0;
    for (const Ledger::Entry &entry : m_ledger.entries()) {
        Result<void> written = execute(counts, {integer(entry.events), integer(entry.lost), integer(entry.missed),
                                                integer(entry.dropped), integer(id++)});
        if (!written)
            return written;
    }
    return {};
}

Result<void> SqliteWriter::writeInfo(const Accounting &accounting)
{
    std::uint64_t dropped = 0;
    for (const Ledger::Entry &entry : m_ledger.entries())
        dropped += entry.dropped;
    const std::pair<const char *, std::uint64_t> sums[] = {
        {"events", accounting.captured},
        {"lost_events", accounting.lost},
        {"missed_before_attach", accounting.missedBeforeAttach},
        {"dropped_events", dropped},
        {"coroutines", accounting.coroutines},
        {"untraced_coroutines", accounting.untraced},
        {"complete", 1},
    };
    QSqlQuery info;
    if (Result<void> prepared = prepare(info, kInsertInfo); !prepared)
        return prepared;
    for (const auto &[name, value] : sums) {
        if (Result<void> written = execute(info, {latin(name), integer(value)}); !written)
            return written;
    }
    return {};
}

Result<void> SqliteWriter::synchronise()
{
    const int fd = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errnoError(errno, m_path + " vanished while it was written");
    const int failed = fsync(fd) != 0 ? errno : 0;
    ::close(fd);
    // Some file systems cannot synchronise, and say so.
    if (failed != 0 && failed != EINVAL)
        return errnoError(failed, m_path + " did not reach the disk");
    return {};
}

void SqliteWriter::close()
{
    if (!m_open)
        return;
    const QString name = m_open->name;
    if (m_open->inTransaction)
        m_open->database.rollback();
    // Its queries go first, then the last handle of the connection, then the connection: the order Qt asks for.
    m_open.reset();
    QSqlDatabase::removeDatabase(name);
}

Result<std::shared_ptr<Sink>> makeSqliteWriter(const std::string &path)
{
    if (!QSqlDatabase::isDriverAvailable(latin("QSQLITE")))
        return Error{ErrorCode::Unsupported, "Qt has no SQLite driver here: install libqt6sql6-sqlite"};
    if (Result<void> prepared = prepareFile(path); !prepared)
        return prepared.error();
    return std::shared_ptr<Sink>(std::make_shared<SqliteWriter>(path));
}

}  // namespace ct
