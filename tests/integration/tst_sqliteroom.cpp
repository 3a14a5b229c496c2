// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// SQLite databases that find no room, or that another program has locked.
#include "core/exporting/filelimitwatch.h"
#include "core/exporting/sqliteconnection.h"
#include "tests/integration/exportsupport.h"
#include "tests/support/qtsuite.h"

#include <QFileInfo>

#include <fcntl.h>
#include <unistd.h>

using namespace exporttest;

namespace {

std::unique_ptr<SqliteConnection> openConnection(const QString &path)
{
    auto opened = SqliteConnection::open(path.toStdString());
    return opened ? std::move(*opened) : nullptr;
}

bool contains(const Error &error, const char *text)
{
    return error.message.find(text) != std::string::npos;
}

/// Writes to a file that this process has open fail from now on, for another reason than its size.
void failWritesTo(const QString &path)
{
    const int readOnly = ::open(qPrintable(path), O_RDONLY | O_CLOEXEC);
    for (const QString &entry : QDir(QStringLiteral("/proc/self/fd")).entryList(QDir::Files | QDir::System)) {
        const int fd = entry.toInt();
        if (fd != readOnly && QFile::symLinkTarget(QStringLiteral("/proc/self/fd/") + entry) == path)
            QVERIFY(::dup2(readOnly, fd) == fd);
    }
}

}  // namespace

class TestSqliteRoom : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
            QVERIFY(bool(connection->begin()));
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

    void aLimitThatIsNotReachedIsNotNamed()
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

    void theLimitIsNoticedOnlyWhereItIsReached()
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
                     ": database is locked by another program, close the database there or choose another place");
        QVERIFY(bool(other->run("COMMIT")));
        QVERIFY(bool(ours->run("INSERT INTO t VALUES (1)")));
    }
};

CT_QT_SUITE(TestSqliteRoom)
#include "tst_sqliteroom.moc"
