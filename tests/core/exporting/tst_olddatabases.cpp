// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An export to the name of an old database, which has a journal or a write-ahead log: SQLite would apply it to the new
// one.
#include "core/databases/connectionname.h"
#include "tests/core/exporting/exportsupport.h"
#include "tests/support/qtsuite.h"

#include <QSqlQuery>

using namespace exporttest;

namespace {

/// Another program that has a database open.
class OtherProgram {
public:
    explicit OtherProgram(const QString &path)
        : m_name(freshConnectionName()), m_database(QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_name))
    {
        m_database.setDatabaseName(path);
        m_isOpen = m_database.open();
    }
    OtherProgram(const OtherProgram &) = delete;
    OtherProgram &operator=(const OtherProgram &) = delete;
    ~OtherProgram()
    {
        m_database.close();
        m_database = QSqlDatabase();
        QSqlDatabase::removeDatabase(m_name);
    }
    bool run(const char *statement) const { return m_isOpen && QSqlQuery(m_database).exec(QLatin1String(statement)); }

private:
    QString m_name;
    QSqlDatabase m_database;
    bool m_isOpen = false;
};

/// Adds rows in a transaction that is not committed, and more than fit into the cache. So the file has some of them.
bool beginLargeTransaction(const OtherProgram &program)
{
    return program.run("PRAGMA cache_size = 1") && program.run("BEGIN") &&
           program.run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
                       " INSERT INTO old SELECT i FROM n");
}

/// Makes the files that a killed writer leaves. Its database has one row, which is committed.
void leaveDatabase(const QTemporaryDir &dir, const QString &target, const QString &suffix)
{
    const QString path = dir.filePath(QStringLiteral("writer.sqlite"));
    const OtherProgram writer(path);
    if (suffix == QStringLiteral("-wal"))
        QVERIFY(writer.run("PRAGMA journal_mode = WAL"));
    QVERIFY(writer.run("CREATE TABLE old (i)"));
    QVERIFY(writer.run("INSERT INTO old VALUES (1)"));
    if (suffix == QStringLiteral("-journal"))
        QVERIFY(beginLargeTransaction(writer));
    QVERIFY(QFile::copy(path, target));
    QVERIFY(QFile::copy(path + suffix, target + suffix));
}

bool hasOtherFiles(const QString &path)
{
    return QFile::exists(path + QStringLiteral("-journal")) || QFile::exists(path + QStringLiteral("-wal")) ||
           QFile::exists(path + QStringLiteral("-shm"));
}

Result<ExportReport> exportTo(const QString &path, const ExportProgress &progress = {})
{
    Trace trace;
    trace.consume(sampleBatch());
    return exportTrace(trace.population, trace.history, format("sqlite"), path.toStdString(), progress);
}

}  // namespace

class TestOldDatabases : public QObject {
    Q_OBJECT

private:
    static void addSuffixes()
    {
        QTest::addColumn<QString>("suffix");
        QTest::newRow("journal") << QStringLiteral("-journal");
        QTest::newRow("write-ahead log") << QStringLiteral("-wal");
    }

private Q_SLOTS:
    void anExportReplacesAllFiles_data() { addSuffixes(); }
    void anExportReplacesAllFiles()
    {
        QFETCH(QString, suffix);
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("run.sqlite"));
        leaveDatabase(dir, path, suffix);
        const Result<ExportReport> report = exportTo(path);
        QVERIFY2(bool(report), report ? "" : report.error().message.c_str());
        QVERIFY(!hasOtherFiles(path));
        const Database database(path);
        QCOMPARE(database.rows("PRAGMA integrity_check"), QStringList(QStringLiteral("ok")));
        QCOMPARE(database.rows("SELECT count(*) FROM coro_trace_events"), QStringList(QString::number(report->rows)));
        QCOMPARE(database.rows("SELECT name FROM sqlite_master WHERE name = 'old'"), QStringList());
    }

    void aCancelledExportKeepsTheOldContent_data() { addSuffixes(); }
    void aCancelledExportKeepsTheOldContent()
    {
        QFETCH(QString, suffix);
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("run.sqlite"));
        leaveDatabase(dir, path, suffix);
        const Result<ExportReport> report = exportTo(path, [](double done) { return done < 0.99; });
        QVERIFY(!report);
        QCOMPARE(report.error().code, ErrorCode::Cancelled);
        QCOMPARE(Database(path).rows("SELECT i FROM old"), QStringList(QStringLiteral("1")));
    }

    /// A file that is no database may have had one's name.
    void filesWithoutADatabaseAreRemoved()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("run.sqlite"));
        leaveDatabase(dir, path, QStringLiteral("-wal"));
        putContent(path, "no database");
        QVERIFY(bool(exportTo(path)));
        QVERIFY(!hasOtherFiles(path));
        QVERIFY(QFile::remove(path));
        putContent(path + QStringLiteral("-wal"), "no log");
        QVERIFY(bool(exportTo(path)));
        QVERIFY(!hasOtherFiles(path));
    }

    void aDatabaseThatIsInUseIsNotReplaced_data() { addSuffixes(); }
    void aDatabaseThatIsInUseIsNotReplaced()
    {
        QFETCH(QString, suffix);
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("run.sqlite"));
        const OtherProgram program(path);
        QVERIFY(program.run(suffix == QStringLiteral("-wal") ? "PRAGMA journal_mode = WAL"
                                                             : "PRAGMA journal_mode = DELETE"));
        QVERIFY(program.run("CREATE TABLE old (i)"));
        QVERIFY(beginLargeTransaction(program));
        const Result<ExportReport> report = exportTo(path);
        QVERIFY(!report);
        QCOMPARE(report.error().code, ErrorCode::Busy);
        QVERIFY(QString::fromStdString(report.error().message).contains(QStringLiteral("close the database there")));
        QVERIFY(program.run("COMMIT"));
        QCOMPARE(Database(path).rows("SELECT count(*) FROM old"), QStringList(QStringLiteral("20000")));
        QCOMPARE(QDir(dir.path()).entryList({QStringLiteral("*.part")}), QStringList());
    }
};

CT_QT_SUITE(TestOldDatabases)
#include "tst_olddatabases.moc"
