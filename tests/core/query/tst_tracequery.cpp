// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Queries on a trace give the rows that the SQLite export of the trace has.
#include "core/databases/schema.h"
#include "core/databases/traceviews.h"
#include "core/query/queryexamples.h"
#include "tests/core/exporting/exportsupport.h"
#include "tests/core/query/querysupport.h"
#include "tests/support/paths.h"
#include "tests/support/qtsuite.h"

#include <QSet>

#include <thread>

using namespace querytest;
using exporttest::birth;
using exporttest::transition;

namespace {

/// Every kind of row, and every kind of gap.
SharedTrace sampleTrace()
{
    SharedTrace shared;
    Batch batch = exporttest::sampleBatch();
    batch.notes = exporttest::sampleNotes();
    batch.notes.finishes = {{2, 7500, 2}};
    batch.notes.uses = {{0, 1, UseKind::Acquired, 0xBEEF, 1, 5010, 4242, 77}};
    batch.notes.wakersLeft = {{0, 7, 2, 6600}};
    if (!shared.consume(batch))
        return {};
    Batch more;
    more.births = {birth(3, 1ULL << 63, Dialect::Lane), birth(4, 0, Dialect::Lane), birth(5, 9)};
    more.losses = {{3, 0, 10, true}, {3, 11, 4, true}, {3, 16, 3, false}};
    more.transitions = {transition(3, 10, 8100, false, 1, PointKind::Yield, Dialect::Lane),
                        transition(3, 15, 8200, true, 1, PointKind::Await, Dialect::Lane),
                        transition(3, 19, 8300, true, 1, PointKind::Await, Dialect::Lane),
                        transition(4, 4, 8400, false, 2, PointKind::Await, Dialect::Lane),  // a jump without a loss
                        transition(4, 5, 8500, true, 2, PointKind::Await, Dialect::Lane),
                        transition(5, 0, 8600, false, kUnknownSite),
                        transition(5, 1, 8700, true, kUnknownSite),
                        transition(5, 2, 8750, false, 2)};
    more.deaths = {{4, 9000}};
    more.notes.waits = {{3, 10, WaitKind::Timer, 99, kNoCoroutine, 1},
                        {3, 10, WaitKind::Lock, 7, kNoCoroutine, 3},
                        {5, 2, WaitKind::Coroutine, 0, 3},
                        {5, 2, WaitKind::Lock, 0xBEEF}};
    more.now = 9000;
    return shared.consume(more) ? shared : SharedTrace();
}

/// Adds a coroutine whose events contradict each other, and whose numbers jump without a loss.
SharedTrace withFlag(const SharedTrace &shared)
{
    Batch batch;
    batch.births = {birth(6, 77)};
    batch.transitions = {transition(6, 0, 9010, false, 1), transition(6, 9, 9020, false, 1)};
    batch.flags = {{6, Flag::Reason::TwoWriters}};
    batch.now = 9100;
    return shared.consume(batch) ? shared : SharedTrace();
}

ExportContext judgedContext()
{
    ExportContext context(std::make_shared<TwoFunctions>());
    context.report = sampleReport;
    return context;
}

}  // namespace

class TestTraceQuery : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTableEqualsTheExport();
    void viewsEqualThoseOfTheExport();
    void findingsAreThoseOfOneJudgement_data();
    void findingsAreThoseOfOneJudgement();
    void findingsOfOneCoroutine();
    void thereAreNoFindingsWithoutAJudge();
    void examplesHaveRows_data();
    void examplesHaveRows();
    void sumsOfTheCoroutinesAreTheTotals();
    void anEmptyTraceHasEmptyTables();
    void aMillionEventsAreComplete();
    void aGrowingTraceIsReadAsOfTheStart();
    void conditionsGiveTheSameRowsAsWithoutThem_data();
    void conditionsGiveTheSameRowsAsWithoutThem();
    void valuesAboveTwoToThe63Survive();
    void theTimeOfNestedCoroutinesCountsOnce();
    void evictedEventsAreCounted();
};

void TestTraceQuery::everyTableEqualsTheExport()
{
    const QTemporaryDir dir;
    const SharedTrace shared = withFlag(sampleTrace());
    const std::string path = dir.filePath(QStringLiteral("t.sqlite")).toStdString();
    Accounting sums;
    sums.untraced = 3;
    sums.notesLost = 2;
    const auto exported =
        exportTrace(*shared.population, *shared.history, exporttest::format("sqlite"), path, {}, sums, judgedContext());
    QVERIFY2(bool(exported), exported ? "" : exported.error().message.c_str());
    const exporttest::Database database(QString::fromStdString(path));
    const QueriedTrace trace{shared.population, shared.history, sums, std::make_shared<TwoFunctions>(), {},
                             sampleReport};
    int tables = 0;
    for (const QueriedTable &table : queriedTables()) {
        if (table.isView)
            continue;
        QStringList columns;
        // A trace lacks the other facts of a session.
        const std::vector<std::string> times{"first_ts", "last_ts"};
        for (const std::string &column : table.name == "sessions" ? times : table.columns)
            columns << u'"' + QString::fromStdString(column) + u'"';
        QString sql = QStringLiteral("SELECT %1 FROM %2 ").arg(columns.join(u','), QString::fromStdString(table.name));
        if (table.name == "trace_info")
            sql += QStringLiteral("WHERE name <> 'events_evicted' ");
        sql += QStringLiteral("ORDER BY %1").arg(columns.join(u','));
        const QStringList expected = database.rows(qPrintable(sql));
        QVERIFY2(!expected.isEmpty(), table.name.c_str());
        QCOMPARE(rows(trace, sql), expected);
        ++tables;
    }
    QCOMPARE(tables, static_cast<int>(kTables));
}

void TestTraceQuery::viewsEqualThoseOfTheExport()
{
    const QTemporaryDir dir;
    const SharedTrace shared = sampleTrace();
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    const auto exported = exportTrace(*shared.population, *shared.history, exporttest::format("sqlite"),
                                      path.toStdString(), {}, {}, ExportContext(std::make_shared<TwoFunctions>()));
    QVERIFY(bool(exported));
    const exporttest::Database database(path);
    const QueriedTrace trace{shared.population, shared.history, {}, std::make_shared<TwoFunctions>(), {}, {}};
    std::vector<TraceView> views(std::begin(kTraceViews), std::end(kTraceViews));
    views.push_back(kEventsView);
    for (const TraceView &view : views) {
        // An export of a trace in memory ends with its latest event, so it has other durations of suspensions.
        const QString columns =
            view.name == std::string_view("stuck_coroutines")
                ? QStringLiteral("coroutine, name, parent, pid, tid, suspended_since, kind, site_id, "
                                 "file, line, function, waits_for")
                : QStringLiteral("*");
        const QString ordered = QStringLiteral("SELECT %1 FROM (%2) ORDER BY 1, 2, 3, 4, 5, 6").arg(columns);
        const QStringList expected = database.rows(qPrintable(ordered.arg(QLatin1String(view.select))));
        QVERIFY2(!expected.isEmpty(), view.name);
        QCOMPARE(rows(trace, ordered.arg(QStringLiteral("SELECT * FROM ") + QLatin1String(view.name))), expected);
    }
    QCOMPARE(rows(trace, QStringLiteral("SELECT coroutine, suspended_since, suspended_ns, function, waits_for FROM "
                                        "stuck_coroutines")),
             QStringList(QStringLiteral("5|8750|250|f|coroutine 3, lock 0x000000000000beef")));
    QCOMPARE(rows(trace, QStringLiteral("SELECT function, suspensions, min_ns, p99_ns FROM site_latency ORDER BY 1")),
             QStringList({QStringLiteral("f|1|100|100"), QStringLiteral("inner '4198964'|1|100|100"),
                          QStringLiteral("task\nserve(int)|1|10|10")}));
}

void TestTraceQuery::findingsAreThoseOfOneJudgement_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<int>("judgements");
    QTest::newRow("not needed") << QStringLiteral("SELECT e.n FROM coro_trace_events e, coroutines, flags") << 0;
    QTest::newRow("sums") << QStringLiteral("SELECT value FROM trace_info WHERE name = 'events'") << 0;
    QTest::newRow("count") << QStringLiteral("SELECT count(*) FROM findings") << 1;
    QTest::newRow("all of it") << QStringLiteral("SELECT f.message, (SELECT value FROM trace_info WHERE name = "
                                                 "'judged_ts') FROM findings f, finding_coroutines USING (finding), "
                                                 "findings other")
                               << 1;
    // Rows of other tables come first, and can take long.
    QTest::newRow("before the first row") << QStringLiteral("SELECT coroutine FROM coroutines UNION ALL SELECT finding "
                                                            "FROM finding_coroutines LIMIT 1")
                                          << 1;
}

void TestTraceQuery::findingsAreThoseOfOneJudgement()
{
    QFETCH(const QString, sql);
    QFETCH(const int, judgements);
    const SharedTrace shared = sampleTrace();
    int calls = 0;
    QueriedTrace trace = shared.trace();
    trace.report = [&calls] {
        ++calls;
        return sampleReport();
    };
    const QueryOutcome outcome = outcomeOf(trace, sql);
    QVERIFY2(!outcome.error, outcome.error ? outcome.error->error.message.c_str() : "");
    QCOMPARE(calls, judgements);
}

void TestTraceQuery::findingsOfOneCoroutine()
{
    const SharedTrace shared = sampleTrace();
    QueriedTrace trace = shared.trace();
    trace.report = sampleReport;
    QCOMPARE(rows(trace, QStringLiteral("SELECT c.coroutine, c.pid, f.rule, f.confidence_percent FROM coroutines c "
                                        "JOIN finding_coroutines USING (coroutine) JOIN findings f USING (finding) "
                                        "ORDER BY c.coroutine")),
             QStringList({QStringLiteral("0|4242|deadlock|95"), QStringLiteral("5|4242|deadlock|95")}));
    for (const char *table : {"findings", "finding_coroutines"}) {
        for (const char *condition : {"finding = 1", "finding = 2", "finding IN (3, 2, 0)", "finding = -1",
                                      "finding = NULL", "finding = 9223372036854775807"}) {
            const auto one = QStringLiteral("SELECT * FROM %1 WHERE %2").arg(QLatin1String(table));
            const auto all = QStringLiteral("WITH t AS MATERIALIZED (SELECT * FROM %1) SELECT * FROM t WHERE %2");
            QCOMPARE(rows(trace, one.arg(QLatin1String(condition))),
                     rows(trace, all.arg(QLatin1String(table), QLatin1String(condition))));
        }
    }
}

void TestTraceQuery::thereAreNoFindingsWithoutAJudge()
{
    const SharedTrace shared = sampleTrace();
    for (const bool hasJudge : {false, true}) {
        QueriedTrace trace = shared.trace();
        if (hasJudge)
            trace.report = [] { return std::make_shared<const Report>(); };
        QCOMPARE(rows(trace, QStringLiteral("SELECT (SELECT count(*) FROM findings), (SELECT count(*) FROM "
                                            "finding_coroutines), (SELECT value FROM trace_info WHERE name = "
                                            "'judged_ts')")),
                 QStringList(QStringLiteral("0|0|0")));
    }
}

/// The examples of the dock and of its documentation.
void TestTraceQuery::examplesHaveRows_data()
{
    QTest::addColumn<QString>("sql");
    for (const QueryExample &example : kQueryExamples)
        QTest::newRow(example.name) << QString::fromLatin1(example.statement);
    const QString page =
        QString::fromUtf8(exporttest::contentOf(QString::fromStdString(test::kSourceDir + "/docs/interchange.md")));
    const QStringList parts = page.split(QStringLiteral("```sql\n"));
    QVERIFY(parts.size() > 3);
    for (qsizetype i = 1; i < parts.size(); ++i)
        QTest::newRow(qPrintable(QStringLiteral("interchange.md, %1").arg(i))) << parts[i].section(u'`', 0, 0);
}

void TestTraceQuery::examplesHaveRows()
{
    QFETCH(const QString, sql);
    const SharedTrace shared = sampleTrace();
    QueriedTrace trace = shared.trace();
    trace.report = sampleReport;
    const QueryOutcome outcome = outcomeOf(trace, sql);
    QVERIFY2(!outcome.error, outcome.error ? outcome.error->error.message.c_str() : "");
    QVERIFY(outcome.rows.count() != 0);
}

void TestTraceQuery::sumsOfTheCoroutinesAreTheTotals()
{
    const SharedTrace shared = sampleTrace();
    const auto sums = QStringLiteral("SELECT sum(events), sum(lost), sum(missed_before_attach), sum(dropped), count(*) "
                                     "FROM coroutines");
    const auto totals = QStringLiteral(
        "SELECT (SELECT value FROM trace_info WHERE name = 'events'), (SELECT value FROM trace_info WHERE name = "
        "'lost_events'), (SELECT value FROM trace_info WHERE name = 'missed_before_attach'), (SELECT value FROM "
        "trace_info WHERE name = 'dropped_events'), (SELECT value FROM trace_info WHERE name = 'coroutines')");
    QCOMPARE(rows(shared.trace(), sums), QStringList(QStringLiteral("13|6|14|4|6")));
    QCOMPARE(rows(shared.trace(), totals), rows(shared.trace(), sums));
    QCOMPARE(rows(shared.trace(), QStringLiteral("SELECT count(*) FROM coro_trace_events")),
             QStringList(QStringLiteral("13")));
}

void TestTraceQuery::anEmptyTraceHasEmptyTables()
{
    const SharedTrace shared;
    for (const QueriedTable &table : queriedTables()) {
        const QueryOutcome outcome =
            outcomeOf(shared.trace(), QStringLiteral("SELECT * FROM ") + QString::fromStdString(table.name));
        QVERIFY(!outcome.error);
        QCOMPARE(outcome.rows.columns, table.columns);
        QCOMPARE(outcome.rows.count() != 0, table.name == "trace_info" || table.name == "sessions");
    }
    const QueryOutcome none = outcomeOf({}, QStringLiteral("SELECT 1"));
    QVERIFY(none.error && none.error->error.code == ErrorCode::NotFound);
}

void TestTraceQuery::aMillionEventsAreComplete()
{
    const SharedTrace shared;
    for (std::uint64_t first = 0; first < 1000; first += 100)
        QVERIFY(shared.consume(exporttest::manyEvents(1000, first, 100)));
    QCOMPARE(
        rows(shared.trace(), QStringLiteral("SELECT count(*), count(DISTINCT id), min(id), max(id), sum(n), max(ts)"
                                            " FROM coro_trace_events")),
        QStringList(QStringLiteral("1000000|1000000|1|1000000|499500000|10990999")));
    const QueryOutcome all = outcomeOf(shared.trace(), QStringLiteral("SELECT * FROM coro_trace_events"));
    QCOMPARE(all.rows.count(), QueryLimits().rows);
    QVERIFY(all.hasMore);
    QCOMPARE(all.missingEvents, 0U);
}

void TestTraceQuery::aGrowingTraceIsReadAsOfTheStart()
{
    const SharedTrace shared;
    QVERIFY(shared.consume(exporttest::manyEvents(100, 0, 10)));
    std::atomic<bool> isEnding{false};
    std::thread writer([&] {
        for (std::uint64_t first = 10; !isEnding && first < 4000; first += 10)
            (void)shared.consume(exporttest::manyEvents(100, first, 10));
    });
    QStringList all;
    for (int i = 0; i < 20; ++i) {
        all += rows(shared.trace(),
                    QStringLiteral("SELECT (SELECT value FROM trace_info WHERE name = 'events'), (SELECT sum(events) "
                                   "FROM coroutines), (SELECT count(*) FROM coro_trace_events), (SELECT "
                                   "sum(is_active) + sum(is_active = 0) FROM coro_trace)"));
    }
    isEnding = true;
    writer.join();
    for (const QString &row : all) {
        const QStringList sums = row.split(u'|');
        QCOMPARE(sums, QStringList({sums[0], sums[0], sums[0], sums[0]}));
    }
    QVERIFY(QSet<QString>(all.begin(), all.end()).size() > 1);  // it did grow
}

void TestTraceQuery::conditionsGiveTheSameRowsAsWithoutThem_data()
{
    QTest::addColumn<QString>("condition");
    for (const char *condition : {"coroutine = 3",
                                  "coroutine = '3'",
                                  "coroutine = 3.0",
                                  "coroutine = 99",
                                  "coroutine = -1",
                                  "coroutine = 4294967299",
                                  "coroutine = NULL",
                                  "coroutine IN (4, 0)",
                                  "coroutine = 1 OR coroutine = 3",
                                  "ts >= 5050 AND ts < 8200",
                                  "ts > 8100",
                                  "ts <= 5010",
                                  "ts < -1",
                                  "ts > -1",
                                  "ts BETWEEN '5000' AND '6000'",
                                  "ts > 5050.5",
                                  "ts >= 5049.5 AND ts < 8199.5",
                                  "ts > -0.5",
                                  "ts < -0.5",
                                  "ts < 1e30",
                                  "ts > 1e30",
                                  "tid = 77",
                                  "n = 1",
                                  "n = 6 AND coroutine = 0",
                                  "n = -1",
                                  "n = '5'",
                                  "tid = 5",
                                  "tid = 77 AND coroutine = 3 AND ts > 8100",
                                  "coroutine = 'x'"}) {
        QTest::newRow(condition) << QString::fromLatin1(condition);
    }
}

void TestTraceQuery::conditionsGiveTheSameRowsAsWithoutThem()
{
    QFETCH(QString, condition);
    const SharedTrace shared = sampleTrace();
    const auto one = QStringLiteral("SELECT * FROM coro_trace_events WHERE %1").arg(condition);
    // A copy of the table evaluates conditions without the virtual table.
    const auto other =
        QStringLiteral("WITH e AS MATERIALIZED (SELECT * FROM coro_trace_events) SELECT * FROM e WHERE %1");
    QCOMPARE(rows(shared.trace(), one + QStringLiteral(" ORDER BY id")),
             rows(shared.trace(), other.arg(condition) + QStringLiteral(" ORDER BY id")));
    QCOMPARE(rows(shared.trace(), one + QStringLiteral(" ORDER BY coroutine, n")),
             rows(shared.trace(), other.arg(condition) + QStringLiteral(" ORDER BY coroutine, n")));
    QCOMPARE(rows(shared.trace(), one + QStringLiteral(" ORDER BY n DESC, coroutine")),
             rows(shared.trace(), other.arg(condition) + QStringLiteral(" ORDER BY n DESC, coroutine")));
}

void TestTraceQuery::valuesAboveTwoToThe63Survive()
{
    const SharedTrace shared = sampleTrace();
    QCOMPARE(rows(shared.trace(), QStringLiteral("SELECT probe_id FROM coroutines WHERE coroutine IN (0, 3, 4)")),
             QStringList(
                 {QStringLiteral("18446744073709551615"), QStringLiteral("9223372036854775808"), QStringLiteral("0")}));
    QCOMPARE(rows(shared.trace(), QStringLiteral("SELECT DISTINCT addr FROM coro_trace_events ORDER BY addr")),
             QStringList({QStringLiteral("0x0000000000000000"), QStringLiteral("0x0000000000401234")}));
}

void TestTraceQuery::theTimeOfNestedCoroutinesCountsOnce()
{
    // Coroutine 0 resumes 1, which suspends first, and 2, which suspends later. Coroutine 3 is on another thread.
    SharedTrace shared;
    Batch batch;
    batch.births = {birth(0, 1), birth(1, 2), birth(2, 3), birth(3, 4)};
    batch.transitions = {transition(0, 0, 1000, true),  transition(1, 0, 1100, true),  transition(3, 0, 1200, true),
                         transition(3, 1, 1210, false), transition(1, 1, 1300, false), transition(2, 0, 1300, true),
                         transition(0, 1, 1500, false), transition(2, 1, 1600, false), transition(0, 2, 1900, true),
                         transition(0, 3, 2000, false)};
    for (Transition &event : batch.transitions)
        event.tid = event.coroutine == 3 ? 8 : 7;
    QVERIFY(shared.consume(batch));
    QCOMPARE(rows(shared.trace(), QStringLiteral("SELECT tid, first_ts, last_ts, running_ns, share, resumptions "
                                                 "FROM thread_utilisation ORDER BY tid")),
             QStringList({QStringLiteral("7|1000|2000|700|0.7|4"), QStringLiteral("8|1200|1210|10|1|1")}));
}

void TestTraceQuery::evictedEventsAreCounted()
{
    SharedTrace shared;
    shared.history = std::make_shared<History>(1);  // the least budget
    constexpr std::uint64_t kEvents = 400'000;
    for (std::uint64_t first = 0; first < kEvents / 100; first += 100)
        QVERIFY(shared.consume(exporttest::manyEvents(100, first, 100)));
    QVERIFY(shared.history->evictedEvents() > 0);
    const QueryOutcome outcome = outcomeOf(
        shared.trace(), QStringLiteral("SELECT count(*), count(DISTINCT id), max(id) FROM coro_trace_events"));
    const QStringList counts = rowsOf(outcome).value(0).split(u'|');
    QCOMPARE(counts.size(), 3);
    QCOMPARE(outcome.missingEvents, shared.history->evictedEvents());
    QCOMPARE(counts[0].toULongLong() + outcome.missingEvents, kEvents);
    QCOMPARE(counts[1], counts[0]);
    QCOMPARE(counts[2].toULongLong(), kEvents);
    QCOMPARE(rows(shared.trace(), QStringLiteral("SELECT value FROM trace_info WHERE name = 'events_evicted'")),
             QStringList(QString::number(outcome.missingEvents)));
}

CT_QT_SUITE(TestTraceQuery)
#include "tst_tracequery.moc"
