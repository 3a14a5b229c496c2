// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cancels exports to real servers: while rows are loaded, and while the server executes a statement at the end.
#include "core/databases/serverpasswords.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/dialogs/realserver.h"

#include <QDoubleSpinBox>

#include <array>

using namespace ct;
using gui::ExportWindow;
using gui::kPatienceMs;
using gui::RealServer;
using gui::ServerClient;

namespace {

constexpr int kCoroutines = 4;
constexpr int kStoredOfEach = 100;  ///< events of each coroutine in the session before, one for each millisecond
constexpr int kFewOfEach = 200;
constexpr int kManyOfEach = 100'000;  ///< loading them lasts longer than a query
const char *const kNothingStored = "nothing of this session was stored, and what the database had before is unchanged";

/// The statements of one kind of server. The other client has the lock 42.
struct Sql {
    const char *isWriting;  ///< has a row if an export has stored rows that no view shows
    const char *left;       ///< the number of tables and partitions that no session has
    const char *lock;
    const char *unlock;
    std::array<const char *, 2> waitAtTheEnd;  ///< lets a statement at the end of exports wait for the lock
    const char *endWaiting;
    const char *isWaiting;  ///< has a row if an export waits for the lock
};

constexpr Sql kPostgreSql{
    "SELECT 1 FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND query LIKE 'COPY %'",
    "SELECT count(*) FROM pg_class WHERE relname ~ '_of_session_[0-9]+$' AND relkind = 'r'"
    " AND substring(relname FROM '[0-9]+$')::bigint NOT IN (SELECT session FROM sessions)",
    "SELECT pg_advisory_lock(42)",
    "SELECT pg_advisory_unlock(42)",
    {"CREATE FUNCTION wait_for_lock() RETURNS trigger LANGUAGE plpgsql AS"
     " 'BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END'",
     "CREATE TRIGGER wait AFTER DELETE ON stored_sessions FOR EACH STATEMENT EXECUTE FUNCTION wait_for_lock()"},
    "DROP TRIGGER wait ON stored_sessions",
    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted",
};

constexpr Sql kMariaDb{
    "SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()"
    " AND TABLE_NAME LIKE 'events\\_of\\_session\\_%'",
    "SELECT (SELECT count(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()"
    " AND TABLE_NAME LIKE '%\\_of\\_session\\_%') + (SELECT count(*) FROM information_schema.PARTITIONS"
    " WHERE TABLE_SCHEMA = DATABASE() AND PARTITION_NAME REGEXP '^session_[0-9]+$'"
    " AND SUBSTRING(PARTITION_NAME, 9) NOT IN (SELECT session FROM sessions))",
    "DO GET_LOCK('42', 0)",
    "DO RELEASE_LOCK('42')",
    {"DO 0", "CREATE TRIGGER wait BEFORE UPDATE ON stored_sessions FOR EACH ROW DO GET_LOCK('42', 100000)"},
    "DROP TRIGGER wait",
    "SELECT 1 FROM information_schema.PROCESSLIST WHERE STATE = 'User lock' AND DB = DATABASE()",
};

}  // namespace

Q_DECLARE_METATYPE(const Sql *)

class TestCancelledExport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { setPasswordInput(PasswordInput::Window); }
    void init() { QSettings().clear(); }
    void whileRowsAreLoaded_data() { addServers(); }
    void whileRowsAreLoaded();
    void whileTheServerWaitsForALock_data() { addServers(); }
    void whileTheServerWaitsForALock();
    void whileTheServerCommits();

private:
    static void addServers();
    static void store(ExportWindow &opened, const RealServer &server);
    static bool begin(ExportWindow &opened);
    static void cancel(ExportWindow &opened, const char *expected);
    static void hasTheSessionBefore(const ServerClient &client, const Sql &sql);

    const gui::Sandbox m_sandbox;
};

void TestCancelledExport::addServers()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<const Sql *>("sql");
    QTest::newRow("PostgreSQL") << QStringLiteral("postgresql") << &kPostgreSql;
    QTest::newRow("MariaDB") << QStringLiteral("mysql") << &kMariaDb;
}

/// Starts an export of the whole run through the dialog, which has the address of the latest export.
bool TestCancelledExport::begin(ExportWindow &opened)
{
    return gui::click(opened.ask(), "exportButton") &&
           opened.window.findChild<JobBar *>(QStringLiteral("exportBar"))->isRunning();
}

/// Stores the first events of the run as if they were the whole run, which a later export replaces.
void TestCancelledExport::store(ExportWindow &opened, const RealServer &server)
{
    QVERIFY(opened.isOpen);
    ExportDialog *dialog = opened.ask();
    QVERIFY(dialog);
    gui::fillServer(dialog, server);
    gui::type(dialog, "serverPassword", QString::fromUtf8(gui::kServerPassword));
    QVERIFY(gui::press(dialog, "selectTimes"));
    dialog->findChild<QDoubleSpinBox *>(QStringLiteral("selectTo"))->setValue(kStoredOfEach / 1000.0);
    QVERIFY(gui::click(dialog, "exportButton"));
    QVERIFY(opened.hasEnded());
    QVERIFY2(opened.notice().contains(QLatin1String("written to ")), qPrintable(opened.notice()));
    const QString key = server.kind() == QLatin1String("mysql") ? QStringLiteral("session_key") : QStringLiteral("key");
    const ServerClient client(server, QStringLiteral("storing"));
    QCOMPARE(client.run(
                 QStringLiteral("UPDATE stored_sessions SET %1 = replace(%1, ' (selection)', '')").arg(key).toLatin1()),
             QString());
}

/// Presses Cancel. Before that, the window answers: it refuses another export.
void TestCancelledExport::cancel(ExportWindow &opened, const char *expected)
{
    QVERIFY(!opened.ask());
    QVERIFY2(opened.notice().contains(QLatin1String("is still running")), qPrintable(opened.notice()));
    QVERIFY(gui::click(&opened.window, "exportCancel"));
    QVERIFY(opened.hasEnded());
    QVERIFY2(opened.notice().contains(QLatin1String(expected)), qPrintable(opened.notice()));
    QVERIFY(!gui::topLevel<QWidget>("errorBox"));
    gui::takePicture(&opened.window, "export-cancelled");
}

void TestCancelledExport::hasTheSessionBefore(const ServerClient &client, const Sql &sql)
{
    QCOMPARE(client.value("SELECT count(*) FROM coro_trace_events"), QString::number(kCoroutines * kStoredOfEach));
    QCOMPARE(client.value("SELECT count(*) FROM sessions"), QStringLiteral("1"));
    // A server notices soon that its client has gone.
    QTRY_COMPARE_WITH_TIMEOUT(client.value(sql.left), QStringLiteral("0"), kPatienceMs);
}

void TestCancelledExport::whileRowsAreLoaded()
{
    QFETCH(QString, kind);
    QFETCH(const Sql *, sql);
    const RealServer server(kind);
    if (server.socket().startsWith(QLatin1String("SKIP")))
        CT_QSKIP(qPrintable(server.socket()));
    ExportWindow opened(m_sandbox, gui::sampleRecording(kCoroutines, kManyOfEach));
    store(opened, server);
    const ServerClient client(server, QStringLiteral("client"));
    hasTheSessionBefore(client, *sql);
    QVERIFY(begin(opened));
    // Once, because the answer may change at any time.
    QVERIFY(QTest::qWaitFor([&] { return client.value(sql->isWriting) == QLatin1String("1"); }, kPatienceMs));
    cancel(opened, "cancelled");
    hasTheSessionBefore(client, *sql);
}

void TestCancelledExport::whileTheServerWaitsForALock()
{
    QFETCH(QString, kind);
    QFETCH(const Sql *, sql);
    const RealServer server(kind);
    if (server.socket().startsWith(QLatin1String("SKIP")))
        CT_QSKIP(qPrintable(server.socket()));
    ExportWindow opened(m_sandbox, gui::sampleRecording(kCoroutines, kFewOfEach));
    store(opened, server);
    const ServerClient client(server, QStringLiteral("client"));
    const ServerClient other(server, QStringLiteral("other"));
    QCOMPARE(other.run(sql->lock), QString());
    for (const char *statement : sql->waitAtTheEnd)
        QCOMPARE(client.run(statement), QString());
    QVERIFY(begin(opened));
    QTRY_COMPARE_WITH_TIMEOUT(client.value(sql->isWaiting), QStringLiteral("1"), kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(opened.rate(), QStringLiteral("making indexes"), kPatienceMs);
    gui::takePicture(&opened.window, "export-waits");
    cancel(opened, kNothingStored);
    hasTheSessionBefore(client, *sql);

    QCOMPARE(client.run(sql->endWaiting), QString());
    QCOMPARE(other.run(sql->unlock), QString());
    QVERIFY(begin(opened));
    QVERIFY(opened.hasEnded());
    QVERIFY2(opened.notice().contains(QLatin1String("written to ")), qPrintable(opened.notice()));
    QCOMPARE(client.value("SELECT count(*) FROM coro_trace_events"), QString::number(kCoroutines * kFewOfEach));
    QCOMPARE(client.value("SELECT count(*) FROM all_events"), QString::number(kCoroutines * kFewOfEach));
    QCOMPARE(client.value(sql->left), QStringLiteral("0"));
}

/// A trigger waits for the lock while the transaction is committed.
void TestCancelledExport::whileTheServerCommits()
{
    const RealServer server(QStringLiteral("postgresql"));
    if (server.socket().startsWith(QLatin1String("SKIP")))
        CT_QSKIP(qPrintable(server.socket()));
    ExportWindow opened(m_sandbox, gui::sampleRecording(kCoroutines, kFewOfEach));
    store(opened, server);
    const ServerClient client(server, QStringLiteral("client"));
    QCOMPARE(client.run(kPostgreSql.lock), QString());
    QCOMPARE(client.run(kPostgreSql.waitAtTheEnd.front()), QString());
    QCOMPARE(client.run("CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON stored_sessions DEFERRABLE INITIALLY DEFERRED"
                        " FOR EACH ROW EXECUTE FUNCTION wait_for_lock()"),
             QString());
    QVERIFY(begin(opened));
    QTRY_COMPARE_WITH_TIMEOUT(client.value(kPostgreSql.isWaiting), QStringLiteral("1"), kPatienceMs);
    cancel(opened,
           "it is not known whether this session was stored; look for it in the view `sessions` of the database,"
           " and export the run again if it is missing");
}

CT_QT_SUITE(TestCancelledExport)
#include "tst_cancelledexport.moc"
