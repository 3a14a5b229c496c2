// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// More coroutines than memory has records for: the closing lines, the summary and an export report it.
#include "app/batch/summary.h"
#include "tests/core/exporting/exportsupport.h"
#include "tests/support/qtsuite.h"

using namespace exporttest;

class TestOverflowReport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theSummaryReportsOverflow();
    void theClosingLineReportsOverflow();
    void anExportReportsOverflow();
    void anExportOmitsEvictedCoroutines();
    void eventsOutsideASmallerHistoryAreReported();
};

void TestOverflowReport::theSummaryReportsOverflow()
{
    Summary summary;
    QVERIFY(toJson(summary).find("\"coroutines_not_kept\": 0,") != std::string::npos);
    QVERIFY(toJson(summary).find("\"events_not_kept\": 0,") != std::string::npos);
    summary.accounting.overflowCoroutines = 12;
    summary.accounting.overflowEvents = 345;
    QVERIFY(toJson(summary).find("\"coroutines_not_kept\": 12,") != std::string::npos);
    QVERIFY(toJson(summary).find("\"events_not_kept\": 345,") != std::string::npos);
    QVERIFY(toJson(summary).find("\"names_not_kept\": 0,") != std::string::npos);
    summary.overflowNames = 7;
    QVERIFY(toJson(summary).find("\"names_not_kept\": 7,") != std::string::npos);
}

void TestOverflowReport::theClosingLineReportsOverflow()
{
    Accounting sums;
    QVERIFY(describe(sums, 1).find("found no room") == std::string::npos);
    sums.overflowCoroutines = 12;
    sums.overflowEvents = 345;
    QVERIFY(describe(sums, 1).find(", 12 coroutines with 345 events found no room in memory") != std::string::npos);
    QVERIFY(describe(sums, 1).find("names found no room") == std::string::npos);
    QVERIFY(describe(sums, 1, 7).find(", 7 names found no room in memory (give coroutines names that repeat") !=
            std::string::npos);
}

void TestOverflowReport::anExportReportsOverflow()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    Trace trace(3, 3);
    trace.consume(manyEvents(5, 0, 10));
    const auto report = trace.exportTo(path);
    QVERIFY(bool(report));
    QCOMPARE(report->rows, 30U);
    QCOMPARE(report->coroutines, 3U);
    QCOMPARE(report->overflowCoroutines, 2U);
    QCOMPARE(report->overflowEvents, 20U);
    QCOMPARE(report->evictedEvents, 0U);
    QCOMPARE(report->rows + report->overflowEvents, trace.population.captured());
    const Database db(path);
    QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name = 'coroutines_not_kept'"),
             QStringList(QStringLiteral("2")));
    QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name = 'events_not_kept'"), QStringList(QStringLiteral("20")));
}

void TestOverflowReport::anExportOmitsEvictedCoroutines()
{
    constexpr CoroutineId kBorn = 6400;
    constexpr CoroutineId kChild = kBorn - 1;
    const RecordLimits limits{640, 6400};
    Population population(Population::kMostCoroutines, limits);
    History history(16U << 20, 0, History::kMostCoroutines, 0, limits);
    for (CoroutineId first = 0; first < kBorn; first += 100) {
        Batch batch;
        batch.now = 1000 + first;
        for (CoroutineId id = first; id < first + 100; ++id) {
            batch.births.push_back(birth(id, id));
            for (std::uint64_t n = 0; n < 10; ++n)
                batch.transitions.push_back(transition(id, n, batch.now + n, n % 2 != 0));
            batch.deaths.push_back({id, batch.now + 20});
        }
        // One child's parent is evicted, the other child's parent is still in memory.
        if (first + 100 == kBorn)
            batch.notes.parents = {{kChild, 3}, {kChild - 1, kChild - 2}};
        QVERIFY(bool(population.consume(batch)));
        QVERIFY(bool(history.consume(batch)));
    }
    const std::uint64_t kept = population.keptCount();
    QVERIFY(kept >= 320 && kept <= 640);
    const QTemporaryDir dir;
    const std::string path = dir.filePath(QStringLiteral("t.sqlite")).toStdString();
    const auto report = exportTrace(population, history, *exportFormatFor(path), path, {});
    QVERIFY(bool(report));
    QCOMPARE(report->coroutines, kept);
    QCOMPARE(report->rows, kept * 10);
    QCOMPARE(report->overflowCoroutines, kBorn - kept);
    QCOMPARE(report->evictedEvents, 0U);
    QCOMPARE(report->rows + report->overflowEvents, population.captured());
    const Database db(QString::fromStdString(path));
    QCOMPARE(db.rows("SELECT count(*), sum(events) FROM coroutines"),
             QStringList(QStringLiteral("%1|%2").arg(kept).arg(kept * 10)));
    QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name = 'coroutines_not_kept'"),
             QStringList(QString::number(kBorn - kept)));
    QCOMPARE(db.rows("SELECT coroutine, parent FROM coroutines WHERE parent IS NOT NULL"),
             QStringList(QStringLiteral("%1|%2").arg(kChild - 1).arg(kChild - 2)));
}

void TestOverflowReport::eventsOutsideASmallerHistoryAreReported()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    Trace trace(4, 3);
    trace.consume(manyEvents(5, 0, 10));
    const auto report = trace.exportTo(path);
    QVERIFY(bool(report));
    QCOMPARE(report->rows, 30U);
    QCOMPARE(report->evictedEvents, 10U);
    QCOMPARE(report->overflowEvents, 10U);
    QCOMPARE(report->rows + report->evictedEvents + report->overflowEvents, trace.population.captured());
}

CT_QT_SUITE(TestOverflowReport)
#include "tst_overflowreport.moc"
