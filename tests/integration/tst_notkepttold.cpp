// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// More coroutines than memory has records for: batch mode's closing lines and summary say so, and so does an export.
#include "app/findings.h"
#include "tests/integration/exportsupport.h"
#include "tests/support/qtsuite.h"

using namespace exporttest;

class TestNotKept : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theSummarySaysSo();
    void theClosingLineSaysSo();
    void anExportSaysSo();
    void aHistoryThatKnowsFewerDroppedTheirEvents();
};

void TestNotKept::theSummarySaysSo()
{
    Summary summary;
    QVERIFY(toJson(summary).find("\"coroutines_not_kept\": 0,") != std::string::npos);
    QVERIFY(toJson(summary).find("\"events_not_kept\": 0,") != std::string::npos);
    summary.accounting.coroutinesNotKept = 12;
    summary.accounting.eventsNotKept = 345;
    QVERIFY(toJson(summary).find("\"coroutines_not_kept\": 12,") != std::string::npos);
    QVERIFY(toJson(summary).find("\"events_not_kept\": 345,") != std::string::npos);
}

void TestNotKept::theClosingLineSaysSo()
{
    Accounting sums;
    QVERIFY(describe(sums, 1).find("not kept") == std::string::npos);
    sums.coroutinesNotKept = 12;
    sums.eventsNotKept = 345;
    QVERIFY(describe(sums, 1).find("not kept in memory 12 coroutines with 345 events") != std::string::npos);
}

void TestNotKept::anExportSaysSo()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    Trace trace(3, 3);
    trace.consume(manyEvents(5, 0, 10));
    const auto report = trace.exportTo(path);
    QVERIFY(bool(report));
    QCOMPARE(report->rows, 30U);
    QCOMPARE(report->coroutines, 3U);
    QCOMPARE(report->coroutinesNotKept, 2U);
    QCOMPARE(report->eventsNotKept, 20U);
    QCOMPARE(report->droppedEvents, 0U);
    QCOMPARE(report->rows + report->eventsNotKept, trace.population.captured());
    const Database db(path);
    QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name = 'coroutines_not_kept'"),
             QStringList(QStringLiteral("2")));
    QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name = 'events_not_kept'"), QStringList(QStringLiteral("20")));
}

void TestNotKept::aHistoryThatKnowsFewerDroppedTheirEvents()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    Trace trace(4, 3);
    trace.consume(manyEvents(5, 0, 10));
    const auto report = trace.exportTo(path);
    QVERIFY(bool(report));
    QCOMPARE(report->rows, 30U);
    QCOMPARE(report->droppedEvents, 10U);
    QCOMPARE(report->eventsNotKept, 10U);
    QCOMPARE(report->rows + report->droppedEvents + report->eventsNotKept, trace.population.captured());
}

CT_QT_SUITE(TestNotKept)
#include "tst_notkepttold.moc"
