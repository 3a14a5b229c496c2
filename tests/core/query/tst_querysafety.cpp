// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Queries cannot change anything, can be cancelled, and report where an error is.
#include "core/query/statements.h"
#include "tests/core/exporting/exportsupport.h"
#include "tests/core/query/querysupport.h"
#include "tests/support/qtsuite.h"

#include <QElapsedTimer>

#include <thread>

using namespace querytest;

namespace {

SharedTrace traceOf(CoroutineId coroutines, std::uint64_t events)
{
    SharedTrace shared;
    for (std::uint64_t first = 0; first < events; first += 100)
        (void)shared.consume(exporttest::manyEvents(coroutines, first, 100));
    return shared;
}

}  // namespace

class TestQuerySafety : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onlySelectIsAllowed_data();
    void onlySelectIsAllowed();
    void selectsOfAllKindsAreAllowed_data();
    void selectsOfAllKindsAreAllowed();
    void errorsNameTheirPosition();
    void errorsHaveARemedy();
    void refusesSeveralStatements();
    void longTextsAreRefused();
    void printfIsBounded_data();
    void printfIsBounded();
    void limitsLeaveOutRows();
    void everyQueryCanBeCancelled_data();
    void everyQueryCanBeCancelled();
    void aConditionReadsOnlyOneCoroutine();
    void findsTheStatementAtAPosition();
};

void TestQuerySafety::onlySelectIsAllowed_data()
{
    QTest::addColumn<QString>("sql");
    for (const char *sql : {"DELETE FROM coroutines",
                            "UPDATE coroutines SET name = 'x'",
                            "INSERT INTO sites VALUES (1)",
                            "CREATE TABLE t (a)",
                            "CREATE TEMP TABLE t AS SELECT 1",
                            "CREATE VIEW v AS SELECT 1",
                            "DROP VIEW coro_trace",
                            "ATTACH '/tmp/x' AS x",
                            "ATTACH ':memory:' AS x",
                            "DETACH main",
                            "PRAGMA query_only = OFF",
                            "PRAGMA writable_schema = ON",
                            "PRAGMA table_info(coroutines)",
                            "SELECT * FROM pragma_database_list",
                            "VACUUM INTO '/tmp/x'",
                            "VACUUM",
                            "BEGIN",
                            "COMMIT",
                            "SAVEPOINT a",
                            "REINDEX",
                            "ANALYZE",
                            "SELECT load_extension('x')",
                            "CREATE VIRTUAL TABLE t USING coro_trace_events",
                            "EXPLAIN DELETE FROM sites",
                            "CREATE TRIGGER t INSERT ON sites BEGIN SELECT 1; END",
                            "ALTER TABLE sites RENAME TO x"}) {
        QTest::newRow(sql) << QString::fromLatin1(sql);
    }
}

void TestQuerySafety::onlySelectIsAllowed()
{
    QFETCH(QString, sql);
    const SharedTrace shared = traceOf(2, 100);
    const QueryOutcome outcome = outcomeOf(shared.trace(), sql);
    QVERIFY(outcome.error.has_value());
    QCOMPARE(outcome.rows.count(), std::size_t{0});
    QVERIFY2(outcome.error->error.code == ErrorCode::PermissionDenied ||
                 outcome.error->error.code == ErrorCode::InvalidArgument,
             outcome.error->error.message.c_str());
    QCOMPARE(rows(shared.trace(), QStringLiteral("SELECT count(*) FROM coroutines")), QStringList(QStringLiteral("2")));
}

void TestQuerySafety::selectsOfAllKindsAreAllowed_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("row");
    const auto add = [](const char *sql, const char *row) {
        QTest::newRow(sql) << QString::fromLatin1(sql) << QString::fromLatin1(row);
    };
    add("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT sum(n) FROM c", "15");
    add("VALUES (1, 'a')", "1|a");
    add("SELECT x'00ff', NULL, 1.5", "00ff||1.5");
    add("SELECT coroutine FROM coroutines UNION SELECT 9 ORDER BY 1 DESC LIMIT 1", "9");
    add("SELECT lead(n) OVER (PARTITION BY coroutine ORDER BY n) FROM coro_trace_events LIMIT 1", "1");
    add("SELECT count(*) FROM json_each('[1,2]')", "2");
    add("SELECT count(*) FROM coroutines a JOIN coroutines b USING (coroutine)", "2");
    add("  /* why */ SELECT 1 -- one\n ; ;", "1");
    add("SELECT count(*) FROM coro_trace_events e JOIN coroutines c ON c.coroutine = e.coroutine + 1", "100");
}

void TestQuerySafety::selectsOfAllKindsAreAllowed()
{
    QFETCH(QString, sql);
    QFETCH(QString, row);
    QCOMPARE(rows(traceOf(2, 100).trace(), sql), QStringList(row));
}

void TestQuerySafety::errorsNameTheirPosition()
{
    const SharedTrace shared = traceOf(2, 100);
    const QueryOutcome outcome = outcomeOf(shared.trace(), QStringLiteral("SELECT coroutine,\n  nonsense FROM sites"));
    QVERIFY(outcome.error.has_value());
    QCOMPARE(outcome.error->offset, std::optional<std::size_t>(7));
    QCOMPARE(QString::fromStdString(outcome.error->error.message), QStringLiteral("no such column: coroutine"));
    const QueryOutcome syntax = outcomeOf(shared.trace(), QStringLiteral("SELECT 1 FORM sites x"));
    QVERIFY(syntax.error && syntax.error->offset == std::optional<std::size_t>(14));
    const QueryOutcome parameter = outcomeOf(shared.trace(), QStringLiteral("SELECT :id"));
    QVERIFY(parameter.error && QString::fromStdString(parameter.error->error.message).contains(QLatin1String(":id")));
    const QueryOutcome nothing = outcomeOf(shared.trace(), QStringLiteral(" -- nothing"));
    QVERIFY(nothing.error.has_value());
}

void TestQuerySafety::errorsHaveARemedy()
{
    const SharedTrace shared = traceOf(2, 100);
    QueryError error =
        outcomeOf(shared.trace(), QStringLiteral("SELECT 'corotines'\nFROM \"Corotines\" c")).error.value();
    QCOMPARE(QString::fromStdString(error.error.message),
             QStringLiteral("no such table: Corotines. Did you mean coroutines?"));
    QCOMPARE(error.offset, std::optional<std::size_t>(24));
    error = outcomeOf(shared.trace(), QStringLiteral("SELECT 1 FROM customers")).error.value();
    QCOMPARE(QString::fromStdString(error.error.message), QStringLiteral("no such table: customers"));
    QCOMPARE(error.offset, std::optional<std::size_t>(14));
    const QString deep = QStringLiteral("SELECT ") + QString(500, u'(') + u'1' + QString(500, u')');
    const QString large = QStringLiteral("SELECT 1") + QStringLiteral("+1").repeated(2000);
    for (const QString &sql : {deep, large}) {
        error = outcomeOf(shared.trace(), sql).error.value();
        QVERIFY2(QString::fromStdString(error.error.message).contains(QLatin1String("nested too deeply")),
                 error.error.message.c_str());
    }
}

void TestQuerySafety::refusesSeveralStatements()
{
    const SharedTrace shared = traceOf(2, 100);
    const QueryOutcome outcome = outcomeOf(shared.trace(), QStringLiteral("SELECT 1; DROP VIEW coro_trace"));
    QVERIFY(outcome.error && outcome.error->offset == std::optional<std::size_t>(9));
}

void TestQuerySafety::longTextsAreRefused()
{
    const SharedTrace shared = traceOf(2, 100);
    for (const char *sql : {"SELECT hex(zeroblob(250001))", "SELECT instr(zeroblob(500001), x'00')",
                            "SELECT group_concat(printf('%.*c', 100000, 'x')) FROM coro_trace_events"}) {
        const QueryOutcome outcome = outcomeOf(shared.trace(), QString::fromLatin1(sql));
        QVERIFY2(outcome.error && outcome.error->error.code == ErrorCode::SizeLimit, sql);
    }
    // A function call takes at most some seconds, because it cannot be cancelled.
    QCOMPARE(rows(shared.trace(), QStringLiteral("SELECT length(hex(zeroblob(249999)))")),
             QStringList(QStringLiteral("499998")));
}

void TestQuerySafety::printfIsBounded_data()
{
    QTest::addColumn<QString>("call");
    QTest::addColumn<QString>("row");
    const auto add = [](const char *call, const char *row) {
        QTest::newRow(call) << QString::fromLatin1(call) << QString::fromLatin1(row);
    };
    const char *const tooLong = "A text or row of this query has more than 500 kB. Make it shorter.";
    add("printf('%.*c', 1000000000, 'x')", tooLong);
    add("format('%d %-*d', 1, -1000000000, 'x')", tooLong);
    add("printf('%1000000000d', 1)", tooLong);
    add("printf('%s%s', hex(zeroblob(200000)), hex(zeroblob(200000)))", tooLong);
    add("length(printf('%400000d', 1))", "400000");
    add("printf('%,d|%r|%6.2f|%-3s|%Q|%d %%', 1234567, 3, 2.5, 'a', NULL)", "1,234,567|3rd|  2.50|a  |NULL|0 %");
    add("printf('%.*f %lld', 2, 1.0, 28158919374112)", "1.00 28158919374112");
    add("printf('%s', '') || '.'", ".");
    add("printf(NULL) IS NULL AND printf() IS NULL", "1");
}

void TestQuerySafety::printfIsBounded()
{
    QFETCH(QString, call);
    QFETCH(QString, row);
    QCOMPARE(rows(traceOf(2, 100).trace(), QStringLiteral("SELECT ") + call), QStringList(row));
}

void TestQuerySafety::limitsLeaveOutRows()
{
    const SharedTrace shared = traceOf(2, 100);
    const auto sql = QStringLiteral("SELECT n FROM coro_trace_events");
    QueryOutcome outcome = outcomeOf(shared.trace(), sql, {200, 1U << 20});
    QCOMPARE(outcome.rows.count(), std::size_t{200});
    QVERIFY(!outcome.hasMore);
    outcome = outcomeOf(shared.trace(), sql, {199, 1U << 20});
    QCOMPARE(outcome.rows.count(), std::size_t{199});
    QVERIFY(outcome.hasMore);
    outcome = outcomeOf(shared.trace(), sql, {200, 1000});
    QVERIFY(outcome.hasMore && outcome.rows.count() < 100);
}

void TestQuerySafety::everyQueryCanBeCancelled_data()
{
    QTest::addColumn<QString>("sql");
    const auto add = [](const char *name, const char *sql) { QTest::newRow(name) << QString::fromLatin1(sql); };
    add("endless recursion", "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c");
    add("a scan that finds nothing", "SELECT * FROM coro_trace_events a, coro_trace_events b WHERE b.tid = 12345");
    add("a join", "SELECT count(*) FROM coro_trace_events a, coro_trace_events b, coro_trace_events c");
    add("a sort", "SELECT count(*) FROM (SELECT random() r FROM coro_trace_events a, coroutines b ORDER BY r)");
}

void TestQuerySafety::everyQueryCanBeCancelled()
{
    QFETCH(QString, sql);
    const SharedTrace shared = traceOf(1000, 1000);
    std::atomic<bool> cancelled{false};
    std::atomic<bool> hasBegun{false};
    QueryOutcome outcome;
    std::thread thread([&] {
        hasBegun = true;
        outcome = runQuery(shared.trace(), sql.toStdString(), cancelled);
    });
    while (!hasBegun)
        std::this_thread::yield();
    QTest::qWait(20);  // so that the scan has begun; cancelling before it would end the query, too
    cancelled = true;
    thread.join();
    QVERIFY(outcome.error.has_value());
    QCOMPARE(outcome.error->error.code, ErrorCode::Cancelled);
    QCOMPARE(outcome.rows.count(), std::size_t{0});
}

/// A full scan of the events for each coroutine would take hours.
void TestQuerySafety::aConditionReadsOnlyOneCoroutine()
{
    const SharedTrace shared = traceOf(10'000, 100);
    QCOMPARE(rows(shared.trace(), QStringLiteral("SELECT count(*) FROM coroutines c WHERE 99 = (SELECT max(n) FROM "
                                                 "coro_trace_events e WHERE e.coroutine = c.coroutine)")),
             QStringList(QStringLiteral("10000")));
    QCOMPARE(rows(shared.trace(), QStringLiteral("SELECT count(*) FROM stuck_coroutines")),
             QStringList(QStringLiteral("0")));
}

void TestQuerySafety::findsTheStatementAtAPosition()
{
    const std::string text = "SELECT ';' -- a; b\n FROM a; \n\n/* ; */ SELECT 2;  ";
    const TextRange first{0, 27};
    QCOMPARE(statementAt(text, 0), first);
    QCOMPARE(statementAt(text, 9), first);
    QCOMPARE(statementAt(text, 27), first);
    QCOMPARE(statementAt(text, 30), first);
    const TextRange second{text.find("SELECT 2"), text.find("SELECT 2") + 9};
    QCOMPARE(statementAt(text, second.begin), second);
    QCOMPARE(statementAt(text, text.size()), second);
    QCOMPARE(statementAt("  -- nothing", 3), TextRange());
    QCOMPARE(statementAt("\n SELECT 'open ; ", 0), (TextRange{2, 17}));
}

CT_QT_SUITE(TestQuerySafety)
#include "tst_querysafety.moc"
