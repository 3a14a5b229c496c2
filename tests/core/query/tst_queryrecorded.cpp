// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Queries on a trace that evicts events read these from the recording.
#include "core/databases/traceviews.h"
#include "core/query/recordedevents.h"
#include "tests/core/exporting/recordedrun.h"
#include "tests/core/query/querysupport.h"
#include "tests/support/qtsuite.h"

#include <thread>

using namespace querytest;
using exporttest::kCoroutines;
using exporttest::kEvents;
using exporttest::RecordedRun;

namespace {

/// Lets a query use a trace that it does not own.
QueriedTrace traceOf(const RecordedRun &run, bool isRecorded = true)
{
    const auto notOwned = [](const auto *object) {
        return std::shared_ptr<std::remove_pointer_t<decltype(object)>>(object, [](const void *) {});
    };
    return {notOwned(&run.smallBudget.population), notOwned(&run.smallBudget.history),     {},
            std::make_shared<TwoFunctions>(),      isRecorded ? run.streamIndex : nullptr, sampleReport};
}

/// Notes of every kind, and suspensions without a site.
Batch manyNotes(RecordedRun &run)
{
    Batch batch;
    batch.notes = exporttest::sampleNotes();
    batch.notes.names.clear();
    batch.notes.finishes = {{2, run.now, 1}};
    batch.notes.uses = {{0, 1, UseKind::Acquired, 0xBEEF, 1, 5010, 4242, 77}};
    batch.notes.wakersLeft = {{0, 7, 2, 6600}};
    batch.flags = {{8, Flag::Reason::TwoWriters}};
    for (const CoroutineId id : {7U, 8U}) {
        Transition event{++run.now, 0x5000 + id, run.next[id]++, 0, id, 77, 0, PointKind::Await, false};
        event.seq = slotSeq(Dialect::Lane, event.n);
        batch.transitions.push_back(event);
    }
    batch.now = run.now;
    return batch;
}

void runWithNotes(RecordedRun &run)
{
    run.run(1001);
    run.consume(manyNotes(run));
    run.run(kEvents);
    run.end();
    QVERIFY(run.smallBudget.history.evictedEvents() > 50'000);
    QVERIFY(run.smallBudget.history.evictedNotes() > 0);
}

Result<ExportReport> exportOf(const RecordedRun &run, const QString &path)
{
    ExportContext context(std::make_shared<TwoFunctions>());
    context.report = sampleReport;
    return exportTrace(run.smallBudget.population, run.smallBudget.history, exporttest::format("sqlite"),
                       path.toStdString(), {}, {}, context, run.streamIndex);
}

/// Reads a table in the order of all its columns that a query and an export share.
QString ordered(const QueriedTable &table)
{
    QStringList columns;
    const std::vector<std::string> times{"first_ts", "last_ts"};
    for (const std::string &column : table.name == "sessions" ? times : table.columns) {
        // An export numbers events in stream order. Qt's driver writes more digits.
        if (column != "id" && column != "share")
            columns << u'"' + QString::fromStdString(column) + u'"';
    }
    const QString name = QString::fromStdString(table.name);
    const QString condition = table.name == "trace_info" ? QStringLiteral("WHERE name <> 'events_evicted'") : QString();
    const QString list = columns.join(u',');
    const bool hasEvents = table.name == "coro_trace_events" || table.name == "coro_trace";
    return QStringLiteral("SELECT %1 FROM %2 %3 ORDER BY %4")
        .arg(list, name, condition, hasEvents ? QStringLiteral("coroutine, n") : list);
}

QStringList allRows(const QueriedTrace &trace, const QString &sql)
{
    return rowsOf(outcomeOf(trace, sql, {10'000'000, std::size_t{4} << 30}));
}

/// A run without losses, so that a scan of a time range need not count the events before it.
struct LosslessRun : RecordedRun {
    std::vector<std::uint64_t> times;  ///< by position in the stream

    explicit LosslessRun(int events)
    {
        Batch batch;
        for (int i = 0; i < events; ++i) {
            const CoroutineId id = random() % kCoroutines;
            times.push_back(now += 1 + random() % 1000);
            const std::uint64_t n = next[id]++;
            batch.transitions.push_back(
                {now, 0x401000, n, slotSeq(Dialect::Lane, n), id, 77, 1, PointKind::Await, n % 2 != 0});
            batch.now = now;
            if (batch.transitions.size() < 5000 && i + 1 < events)
                continue;
            consume(batch);
            batch.clear();
        }
        QVERIFY(writer->finish({}));
    }
};

QueriedTrace traceInMemory(const RecordedRun &run)
{
    const auto notOwned = [](const auto *object) {
        return std::shared_ptr<std::remove_pointer_t<decltype(object)>>(object, [](const void *) {});
    };
    return {notOwned(&run.whole.population), notOwned(&run.whole.history), {}, {}, {}, {}};
}

const auto kSums = QStringLiteral(
    "SELECT (SELECT value FROM trace_info WHERE name = 'events'), (SELECT sum(events) FROM coroutines), (SELECT "
    "count(*) FROM coro_trace_events), (SELECT count(DISTINCT id) FROM coro_trace_events), (SELECT count(*) + 0 * "
    "max(step) FROM (SELECT lead(n) OVER (PARTITION BY coroutine ORDER BY n) AS step FROM coro_trace_events))");

}  // namespace

class TestQueryRecorded : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTableEqualsTheExport()
    {
        RecordedRun run;
        runWithNotes(run);
        const QString path = run.dir.filePath(QStringLiteral("t.sqlite"));
        QVERIFY(exportOf(run, path));
        const exporttest::Database database(path);
        for (const QueriedTable &table : queriedTables()) {
            if (table.name == kEventsView.name)
                continue;  // the same rows again
            const QStringList expected = database.rows(qPrintable(ordered(table)));
            QVERIFY2(!expected.isEmpty(), table.name.c_str());
            const QStringList got = allRows(traceOf(run), ordered(table));
            QVERIFY2(got == expected, (table.name + ": " + std::to_string(got.size()) + " of " +
                                       std::to_string(expected.size()) + " rows")
                                          .c_str());
        }
        const QueryOutcome outcome = outcomeOf(traceOf(run), QStringLiteral("SELECT count(*) FROM coro_trace_events"));
        QCOMPARE(outcome.missingEvents, 0U);
        QCOMPARE(outcome.missingCauses, 0U);
    }

    void conditionsGiveTheSameRowsAsWithoutThem_data()
    {
        QTest::addColumn<QString>("condition");
        for (const char *condition : {"coroutine = 5", "coroutine IN (59, 0, 7)", "id BETWEEN 500 AND 600", "id = 77",
                                      "id > 250000", "id < 0", "n = 100", "n = 100 AND coroutine = 5",
                                      "ts BETWEEN 20000000 AND 30000000", "ts < 30000000 AND coroutine = 3",
                                      "ts > 140000000", "tid = 77 AND n < 50", "coroutine = 5 AND ts > 100000000"})
            QTest::newRow(condition) << QString::fromLatin1(condition);
    }
    void conditionsGiveTheSameRowsAsWithoutThem()
    {
        QFETCH(const QString, condition);
        static RecordedRun run;
        if (run.now == RecordedRun::kBegun) {
            run.run(kEvents);
            run.end();
        }
        const auto one = QStringLiteral("SELECT * FROM coro_trace_events WHERE %1 ORDER BY %2");
        const auto other = QStringLiteral(
            "WITH e AS MATERIALIZED (SELECT * FROM coro_trace_events) SELECT * FROM e WHERE %1 ORDER BY %2");
        for (const char *order : {"coroutine, n", "ts DESC, id"}) {
            const QStringList expected = allRows(traceOf(run), other.arg(condition, QLatin1String(order)));
            QVERIFY(allRows(traceOf(run), one.arg(condition, QLatin1String(order))) == expected);
            QVERIFY(!expected.isEmpty() || condition == QLatin1String("id < 0"));
        }
    }

    void timeRangesReadOnlyTheirPartOfTheRecording_data()
    {
        QTest::addColumn<QString>("sql");
        const auto range =
            QStringLiteral("SELECT coroutine, count(*), sum(id), sum(n), min(ts), max(ts), sum(is_active) "
                           "FROM coro_trace_events WHERE %1 GROUP BY coroutine");
        QTest::newRow("evicted") << range.arg(QStringLiteral("ts BETWEEN :early AND :later"));
        QTest::newRow("evicted, real numbers") << range.arg(QStringLiteral("ts BETWEEN :early + 0.5 AND :later * 1.0"));
        QTest::newRow("evicted, one coroutine") << range.arg(QStringLiteral("ts > :early AND ts < :later AND coroutine "
                                                                            "= 7"));
        QTest::newRow("up to the end") << range.arg(QStringLiteral("ts >= :later"));
        QTest::newRow("in memory") << range.arg(QStringLiteral("ts >= :recent"));
        QTest::newRow("evicted and in memory") << range.arg(QStringLiteral("ts BETWEEN :later AND :recent"));
        QTest::newRow("two ranges") << QStringLiteral(
            "SELECT count(*), sum(a.n), sum(b.n) FROM coro_trace_events a JOIN coro_trace_events b ON b.coroutine = "
            "a.coroutine AND b.n = a.n + 2000 WHERE a.n % 500 = 0 AND a.ts BETWEEN :early AND :later AND b.ts BETWEEN "
            ":later AND "
            ":recent");
    }
    void timeRangesReadOnlyTheirPartOfTheRecording()
    {
        QFETCH(QString, sql);
        static const std::unique_ptr<LosslessRun> run = [] {
            auto made = std::make_unique<LosslessRun>(3 * kEvents);
            made->damage(0);
            return made;
        }();
        const std::uint64_t evicted = run->smallBudget.history.evictedEvents();
        const std::uint64_t damaged = run->streamIndex->blockAt(0)->end;
        QVERIFY(evicted > damaged + 300'000);
        sql.replace(QLatin1String(":early"), QString::number(run->times[damaged + 100'000]));
        sql.replace(QLatin1String(":later"), QString::number(run->times[damaged + 150'000]));
        sql.replace(QLatin1String(":recent"), QString::number(run->times[evicted + 100'000]));
        const QueryOutcome outcome = outcomeOf(traceOf(*run), sql);
        QCOMPARE(outcome.missingEvents, 0U);
        const QStringList expected = rows(traceInMemory(*run), sql);
        QCOMPARE(rowsOf(outcome), expected);
        QVERIFY(expected.size() == int{kCoroutines} || expected.value(0).section(u'|', -2, -2) != QStringLiteral("0"));
        QVERIFY(outcomeOf(traceOf(*run), QStringLiteral("SELECT count(*) FROM coro_trace_events")).missingEvents != 0);
    }

    void coroutinesLargerThanAGroupAreComplete()
    {
        RecordedRun run;
        run.run(5'000'000, 2);
        run.end();
        QVERIFY(run.smallBudget.history.evictedEvents() > 2 * query::RecordedEvents::kMostEvents);
        QCOMPARE(rows(traceOf(run), QStringLiteral("SELECT count(*), count(DISTINCT n) FROM coro_trace_events WHERE "
                                                   "coroutine = 1")),
                 rows(traceOf(run), QStringLiteral("SELECT events, events FROM coroutines WHERE coroutine = 1")));
    }

    void countsEventsThatNeitherMemoryNorRecordingHas_data()
    {
        QTest::addColumn<bool>("isRecorded");
        QTest::newRow("no recording") << false;
        QTest::newRow("a recording without its oldest files") << true;
    }
    void countsEventsThatNeitherMemoryNorRecordingHas()
    {
        QFETCH(const bool, isRecorded);
        RecordedRun run({0, 10'000'000});
        run.run(kEvents);
        run.end();
        const QueriedTrace trace = traceOf(run, isRecorded);
        const QueryOutcome outcome = outcomeOf(trace, QStringLiteral("SELECT count(*) FROM coro_trace_events"));
        QVERIFY(outcome.missingEvents > 0);
        QCOMPARE(rowsOf(outcome).value(0).toULongLong() + outcome.missingEvents, std::uint64_t{kEvents});
        QCOMPARE(rows(trace, QStringLiteral("SELECT value FROM trace_info WHERE name = 'events_evicted'")),
                 QStringList(QString::number(outcome.missingEvents)));
        QVERIFY(outcome.missingCauses > 0);
    }

    void damageLosesOnlyTheEventsOfItsBlock_data()
    {
        QTest::addColumn<bool>("isRestored");
        QTest::newRow("not in memory") << false;
        QTest::newRow("restored") << true;
    }
    void damageLosesOnlyTheEventsOfItsBlock()
    {
        QFETCH(const bool, isRestored);
        RecordedRun run;
        run.run(75'000);
        run.run(375'000, kCoroutines - 10);
        run.end();
        if (isRestored)
            run.restore(0);
        run.damage(0);
        run.damage(150'000);
        const QueryOutcome outcome = outcomeOf(traceOf(run), QStringLiteral("SELECT count(*) FROM coro_trace_events"));
        QCOMPARE(outcome.missingEvents == 0, isRestored);
        QCOMPARE(rowsOf(outcome).value(0).toULongLong() + outcome.missingEvents, run.smallBudget.population.captured());
        // Numbers in a damaged block are not reported as lost.
        const auto gaps = QStringLiteral("SELECT count(*) FROM gaps WHERE kind <> 'lost'");
        QCOMPARE(rows(traceOf(run), gaps), QStringList(QStringLiteral("0")));
    }

    void aMissingFileLosesOnlyItsEvents()
    {
        RecordedRun run;
        run.run(kEvents);
        run.end();
        QVERIFY(QFile::remove(run.recording()));
        const QueryOutcome outcome = outcomeOf(traceOf(run), QStringLiteral("SELECT count(*) FROM coro_trace_events"));
        QCOMPARE(outcome.missingEvents, run.smallBudget.history.evictedEvents());
        QCOMPARE(rowsOf(outcome).value(0).toULongLong() + outcome.missingEvents, std::uint64_t{kEvents});
    }

    void aGrowingTraceIsReadAsOfTheStart()
    {
        RecordedRun run;
        run.run(kEvents);
        std::atomic<bool> isEnding{false};
        std::thread writer([&] {
            for (int i = 0; i < 100 && !isEnding; ++i)
                run.run(2'000);
        });
        QStringList all;
        for (int i = 0; i < 4; ++i)
            all += rows(traceOf(run), kSums);
        isEnding = true;
        writer.join();
        run.end();
        for (const QString &row : all) {
            const QStringList sums = row.split(u'|');
            QCOMPARE(sums, QStringList(5, sums[0]));
        }
        QVERIFY(all.first() != all.last());
    }

    void cancellingEndsReadingTheRecording()
    {
        RecordedRun run;
        run.run(2 * kEvents);
        run.end();
        for (int delay = 0; delay < 20; ++delay) {
            std::atomic<bool> cancelled{false};
            QueryOutcome outcome;
            std::thread thread([&] {
                outcome = runQuery(
                    traceOf(run), "SELECT count(*) FROM coro_trace_events a JOIN coro_trace_events b USING (coroutine)",
                    cancelled);
            });
            std::this_thread::sleep_for(std::chrono::milliseconds(delay));
            cancelled = true;
            thread.join();
            QVERIFY(outcome.error && outcome.error->error.code == ErrorCode::Cancelled);
        }
    }
};

CT_QT_SUITE(TestQueryRecorded)
#include "tst_queryrecorded.moc"
