// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// SQLite databases without room on the disk, or locked by another program.
#include "core/databases/openstream.h"
#include "core/databases/sqlite/filelimitwatch.h"
#include "core/databases/sqlite/sqliteconnection.h"
#include "core/databases/sqlite/sqlitesource.h"
#include "core/recording/write/queuedsink.h"
#include "tests/core/exporting/exportsupport.h"
#include "tests/support/qtsuite.h"

#include <QFileInfo>

#include <fcntl.h>
#include <unistd.h>

using namespace exporttest;

namespace {

constexpr std::uint64_t kEvents = 50'000;

/// Resolves every address to a function with a long name.
class LongNames final : public ExportResolver {
public:
    Answer known(const EventAddress &) override { return m_answer; }
    void resolve(const std::vector<EventAddress> &) override {}
    std::uint64_t lineSince(const EventAddress &) override { return 0; }

private:
    static Answer make()
    {
        DescribedAddress described;
        described.frames.resize(1);
        described.frames[0].function.assign(60'000, 'f');
        return std::make_shared<const DescribedAddress>(described);
    }
    const Answer m_answer = make();
};

/// A database that has all its events when the disk fills up.
struct Capture {
    explicit Capture(std::shared_ptr<ExportResolver> exportResolver = {})
    {
        sink = *format("sqlite").makeSink(path.toStdString(), std::move(exportResolver));
        Batch batch = manyEvents(100, 0, kEvents / 100);
        for (Transition &event : batch.transitions)
            event.site = kUnknownSite;
        QVERIFY(bool(sink->consume(batch)));
        batch.clear();
        batch.now = ~std::uint64_t{0} >> 1;  // makes a commit due
        QVERIFY(bool(sink->consume(batch)));
    }
    /// Finishes the file, which may grow by at most `room` bytes. `later`: how many more events the run had than the
    /// constructor wrote; none of them is in the file.
    Result<void> finish(qint64 room, std::uint64_t later = 0)
    {
        Accounting sums;
        sums.captured = kEvents + later;
        sums.lost = 12;
        sums.missedBeforeAttach = 34;
        sums.eventsNotWritten = 56;  // of an input that lacks events
        const FileSizeLimit limit(static_cast<rlim_t>(QFileInfo(path).size() + room));
        Result<void> finished = sink->finish(sums);
        sink.reset();
        return finished;
    }
    void compareSums() const
    {
        const Database db(path);
        QCOMPARE(db.rows("SELECT name, value FROM trace_info WHERE name IN ('complete', 'events', 'lost_events', "
                         "'missed_before_attach', 'events_not_written') ORDER BY name"),
                 QStringList({QStringLiteral("complete|0"), QStringLiteral("events|50056"),
                              QStringLiteral("events_not_written|56"), QStringLiteral("lost_events|12"),
                              QStringLiteral("missed_before_attach|34")}));
        QCOMPARE(db.rows("SELECT count(*) FROM coro_trace_events"), QStringList(QStringLiteral("50000")));
        QCOMPARE(db.rows("PRAGMA integrity_check"), QStringList(QStringLiteral("ok")));
        QCOMPARE(filesIn(dir), QStringList(QStringLiteral("a.sqlite")));
    }

    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("a.sqlite"));
    std::shared_ptr<Sink> sink;
};

std::unique_ptr<SqliteConnection> openConnection(const QString &path)
{
    auto opened = SqliteConnection::open(path.toStdString());
    return opened ? std::move(*opened) : nullptr;
}

bool contains(const Error &error, const char *text)
{
    return error.message.find(text) != std::string::npos;
}

/// Makes writes to an open file of this process fail, for another reason than its size.
void failWritesTo(const QString &path)
{
    const int readOnly = ::open(qPrintable(path), O_RDONLY | O_CLOEXEC);
    for (const QString &entry : QDir(QStringLiteral("/proc/self/fd")).entryList(QDir::Files | QDir::System)) {
        const int fd = entry.toInt();
        if (fd != readOnly && QFile::symLinkTarget(QStringLiteral("/proc/self/fd/") + entry) == path)
            QVERIFY(::dup2(readOnly, fd) == fd);
    }
    ::close(readOnly);
}

}  // namespace

class TestSqliteErrors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void writesTheSumsWithoutSpaceForIndexes()
    {
        Capture capture;
        const Result<void> finished = capture.finish(40'000);
        QVERIFY(!finished);
        QCOMPARE(finished.error().code, ErrorCode::SizeLimit);
        QVERIFY2(contains(finished.error(), "; all events and sums are in it, indexes are missing; raise the limit on "
                                            "the size of files (ulimit -f)"),
                 finished.error().message.c_str());
        capture.compareSums();
        const Database db(capture.path);
        QCOMPARE(db.rows("SELECT sum(events) FROM coroutines"), QStringList(QStringLiteral("50000")));
        QCOMPARE(db.rows("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND sql NOT NULL"),
                 QStringList(QStringLiteral("0")));
    }

    void writesTheSumsWithoutSpaceForAddresses()
    {
        Capture capture(std::make_shared<LongNames>());
        const Result<void> finished = capture.finish(40'000);
        QVERIFY(!finished);
        QCOMPARE(finished.error().code, ErrorCode::SizeLimit);
        QVERIFY2(contains(finished.error(),
                          "; all events and sums are in it, addresses, findings and indexes are missing; "),
                 finished.error().message.c_str());
        capture.compareSums();
        QCOMPARE(Database(capture.path).rows("SELECT count(*) FROM addresses"), QStringList(QStringLiteral("0")));
    }

    /// Rows still wait for their commit when the run ends.
    void countsLatestEventsWithoutSpace()
    {
        Capture capture;
        Batch batch = manyEvents(100, kEvents / 100, 100);
        batch.now = 0;
        QVERIFY(bool(capture.sink->consume(batch)));
        const Result<void> finished = capture.finish(40'000, 10'000);
        QVERIFY(!finished);
        QVERIFY2(contains(finished.error(), "valid up to the latest commit; raise"), finished.error().message.c_str());
        const Database db(capture.path);
        QCOMPARE(db.rows("SELECT count(*) FROM coro_trace_events"), QStringList(QStringLiteral("50000")));
        QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name IN ('complete', 'events_not_written', 'lost_events')"
                         " ORDER BY name"),
                 QStringList({QStringLiteral("0"), QStringLiteral("10000"), QStringLiteral("12")}));
        QCOMPARE(db.rows("SELECT sum(events) FROM coroutines"), QStringList(QStringLiteral("50000")));
        QCOMPARE(filesIn(capture.dir), QStringList(QStringLiteral("a.sqlite")));
    }

    /// The counts and sums are those of the events that are in the file, although the capture went on.
    void countsEventsThatCameAfterTheDiskWasFull()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("a.sqlite"));
        Accounting sums;
        {
            const auto queue = *QueuedSink::make(*format("sqlite").makeSink(path.toStdString()), 4U << 20);
            const FileSizeLimit limit(4U << 20);
            Result<void> consumed;
            for (std::uint64_t n = 0; consumed && sums.captured < 10'000'000; n += 50) {
                Batch batch = manyEvents(100, n, 50);
                batch.losses.push_back({3, n + 50, 2, false});
                sums.captured += batch.transitions.size();
                sums.lost += 2;
                consumed = queue->consume(batch);
            }
            QVERIFY(!consumed);
            QCOMPARE(consumed.error().code, ErrorCode::SizeLimit);
            QVERIFY(!queue->finish(sums));
        }
        const Database db(path);
        const qlonglong rows = db.rows("SELECT count(*) FROM coro_trace_events").value(0).toLongLong();
        // Only the rows since the latest commit are lost.
        QVERIFY2(rows > 30'000, qPrintable(QString::number(rows)));
        QCOMPARE(db.rows("SELECT sum(events) FROM coroutines"), QStringList(QString::number(rows)));
        QCOMPARE(db.rows("SELECT sum(lost) FROM coroutines"), db.rows("SELECT sum(events) FROM gaps"));
        QCOMPARE(db.rows("SELECT last_ts FROM sessions"), db.rows("SELECT max(ts) FROM coro_trace_events"));
        QCOMPARE(db.rows("SELECT name, value FROM trace_info WHERE name IN ('complete', 'events', 'lost_events', "
                         "'events_not_written') ORDER BY name"),
                 QStringList({QStringLiteral("complete|0"), QStringLiteral("events|%1").arg(sums.captured),
                              QStringLiteral("events_not_written|%1").arg(static_cast<qlonglong>(sums.captured) - rows),
                              QStringLiteral("lost_events|%1").arg(sums.lost)}));
        QCOMPARE(db.rows("PRAGMA integrity_check"), QStringList(QStringLiteral("ok")));
        QCOMPARE(filesIn(dir), QStringList(QStringLiteral("a.sqlite")));
    }

    void namesThatMeanSomethingToSqliteAreFiles_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("uri") << QStringLiteral("file:a.sqlite?mode=memory");
        QTest::newRow("memory") << QStringLiteral(":memory:");
    }

    void namesThatMeanSomethingToSqliteAreFiles()
    {
        QFETCH(const QString, name);
        const QTemporaryDir dir;
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(dir.path()));
        const auto sink = *format("sqlite").makeSink(name.toStdString());
        QVERIFY(bool(sink->consume(manyEvents(10, 0, 5))));
        QVERIFY(bool(sink->finish(Accounting())));
        const auto source = openSqliteSource(name.toStdString(), {});
        QVERIFY(QDir::setCurrent(before));
        QVERIFY2(bool(source), source ? "" : source.error().message.c_str());
        QCOMPARE(filesIn(dir), QStringList(name));
        QCOMPARE(Database(dir.path() + u'/' + name).rows("SELECT count(*) FROM coro_trace_events"),
                 QStringList(QStringLiteral("50")));
    }

    /// An export that was killed before its first event leaves an empty file.
    void anEmptyFileIsNoDatabase()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("a.sqlite"));
        putContent(path, "");
        const auto opened = openStream(path.toStdString());
        QVERIFY(!opened);
        QVERIFY2(contains(opened.error(), "a.sqlite is empty, so it is no database; choose another file"),
                 opened.error().message.c_str());
    }

    /// Pages of a large transaction reach the file before its commit.
    void aFailedTransactionLeavesNoJournal()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("a.sqlite"));
        {
            const auto connection = openConnection(path);
            for (const char *statement : {"PRAGMA locking_mode = EXCLUSIVE", "PRAGMA cache_size = 10",
                                          "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"})
                QVERIFY(bool(connection->run(statement)));
            const FileSizeLimit limit(200'000);
            QVERIFY(bool(connection->beginTransaction()));
            const Result<void> written = connection->run(
                "INSERT INTO t WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c LIMIT 100000) "
                "SELECT n FROM c");
            QVERIFY(!written);
            QCOMPARE(written.error().code, ErrorCode::SizeLimit);
        }
        QCOMPARE(filesIn(dir), QStringList(QStringLiteral("a.sqlite")));
        QVERIFY(QFileInfo(path).size() < 10'000);
        QCOMPARE(Database(path).rows("SELECT a FROM t"), QStringList(QStringLiteral("1")));
    }

    void errorsDoNotNameAnUnreachedLimit()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("a.sqlite"));
        const FileSizeLimit limit(1U << 30);
        const auto connection = openConnection(path);
        QVERIFY(bool(connection->run("CREATE TABLE t (a)")));
        failWritesTo(path);
        const Result<void> written = connection->run("INSERT INTO t VALUES (1)");
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::InputOutput);
        QVERIFY2(contains(written.error(), "disk I/O error"), written.error().message.c_str());
        QVERIFY2(!contains(written.error(), "ulimit"), written.error().message.c_str());
    }

    void noticesOnlyAReachedLimit()
    {
        const QTemporaryDir dir;
        const int fd = ::open(qPrintable(dir.filePath(QStringLiteral("f"))), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        const FileSizeLimit limit(1000);
        {
            const FileLimitWatch watch;
            QVERIFY(::pwrite(fd, "x", 1, 999) == 1);
            QVERIFY(!watch.isReached());
            QVERIFY(::pwrite(fd, "x", 1, 1000) < 0);
            QVERIFY(watch.isReached());
            QVERIFY(!watch.isReached());
            QVERIFY(::pwrite(fd, "x", 1, 1000) < 0);
        }
        const FileLimitWatch later;
        QVERIFY(!later.isReached());
        QVERIFY(::close(fd) == 0);
    }

    void aDatabaseInUseIsNotReplaced()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("a.sqlite"));
        putContent(path, "of another program");
        // Locks the file as SQLite does for writing.
        const int fd = ::open(qPrintable(path), O_RDWR | O_CLOEXEC);
        struct flock lock = {};
        lock.l_type = F_WRLCK;
        lock.l_start = 0x40000000;
        lock.l_len = 512;
        QVERIFY(::fcntl(fd, F_SETLK, &lock) == 0);
        const auto sink = format("sqlite").makeSink(path.toStdString());
        QVERIFY(!sink);
        QCOMPARE(sink.error().code, ErrorCode::Busy);
        QVERIFY2(contains(sink.error(), "a.sqlite: database is locked by another program; close the database there"),
                 sink.error().message.c_str());
        QCOMPARE(contentOf(path), QByteArray("of another program"));
        QVERIFY(::close(fd) == 0);
        QVERIFY(bool(format("sqlite").makeSink(path.toStdString())));
    }

    void aLockedDatabaseHasARemedy()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("a.sqlite"));
        const auto other = openConnection(path);
        QVERIFY(bool(other->run("CREATE TABLE t (a)")));
        QVERIFY(bool(other->run("BEGIN EXCLUSIVE")));
        const auto ours = openConnection(path);
        QVERIFY(bool(ours->run("PRAGMA busy_timeout = 0")));
        const Result<void> written = ours->run("INSERT INTO t VALUES (1)");
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::Busy);
        QCOMPARE(written.error().message,
                 path.toStdString() +
                     ": database is locked by another program; close the database there or choose another path");
        QVERIFY(bool(other->run("COMMIT")));
        QVERIFY(bool(ours->run("INSERT INTO t VALUES (1)")));
    }
};

CT_QT_SUITE(TestSqliteErrors)
#include "tst_sqliteerrors.moc"
