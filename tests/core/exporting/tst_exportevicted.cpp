// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exports of a trace that evicts records during the export.
#include "tests/core/exporting/evictingtrace.h"
#include "tests/support/qtsuite.h"

#include <atomic>
#include <thread>

using namespace exporttest;

namespace {

constexpr CoroutineId kCoroutines = 20'000;

/// Checks that the report, the sums in the file and its rows agree, and cover all events and losses of the run.
void compareSums(const QString &path, const ExportReport &report, std::uint64_t coroutines)
{
    QCOMPARE(report.rows + report.overflowEvents, coroutines);
    QCOMPARE(report.lostEvents, 3 * coroutines);
    QCOMPARE(report.evictedEvents, 0U);
    QCOMPARE(infoOf(path, "events"), report.rows);
    QCOMPARE(infoOf(path, "events_not_kept"), report.overflowEvents);
    QCOMPARE(infoOf(path, "lost_events"), report.lostEvents);
    QCOMPARE(infoOf(path, "coroutines"), report.coroutines);
    QCOMPARE(infoOf(path, "coroutines_not_kept"), report.overflowCoroutines);
    QCOMPARE(Database(path).rows("SELECT count(*), ifnull(sum(events), 0) FROM coroutines"),
             QStringList(QStringLiteral("%1|%2").arg(report.coroutines).arg(report.rows)));
    QCOMPARE(Database(path).rows("SELECT count(*) FROM coro_trace_events"), QStringList(QString::number(report.rows)));
}

}  // namespace

class TestExportEvicted : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Records are evicted while the export counts the coroutines, which it does first and in parts.
    void recordsMayBeEvictedDuringTheCount()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("t.sqlite"));
        EvictingTrace trace;
        trace.run(kCoroutines);
        int calls = 0;
        const auto report = trace.exportTo(path, [&](double done) {
            if (done == 0 && ++calls > 1 && calls < 6)
                trace.run(5000);
            return true;
        });
        QVERIFY(bool(report));
        QVERIFY(calls >= 6);
        QVERIFY(report->coroutines > 0);
        QCOMPARE(report->coroutines + report->overflowCoroutines, trace.sums.coroutines);
        compareSums(path, *report, trace.sums.coroutines);
    }

    /// Records are evicted in every try that reports progress. Later tries report none.
    void recordsMayBeEvictedInEveryTry()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("t.sqlite"));
        EvictingTrace trace;
        trace.run(kCoroutines);
        int calls = 0;
        const auto report = trace.exportTo(path, [&](double done) {
            if (done == 0 && ++calls % 2 == 0 && calls <= 100)
                trace.run(8192);
            return true;
        });
        QVERIFY(bool(report));
        QVERIFY2(calls >= 100, qPrintable(QString::number(calls)));
        QCOMPARE(report->coroutines + report->overflowCoroutines, trace.sums.coroutines);
        compareSums(path, *report, trace.sums.coroutines);
    }

    /// Memory has room for two names only.
    void nameOverflowIsInTheSums()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("t.sqlite"));
        RecordLimits limits;
        limits.nameBytes = 300;
        Population population(Population::kMostCoroutines, limits);
        const History history(16U << 20);
        Batch batch;
        for (CoroutineId id = 0; id < 3; ++id) {
            batch.births.push_back(birth(id, id));
            batch.notes.names.push_back({id, "name " + std::to_string(id)});
        }
        QVERIFY(bool(population.consume(batch)));
        QCOMPARE(population.overflowNames(), 1U);
        const std::string file = path.toStdString();
        QVERIFY(bool(exportTrace(population, history, *exportFormatFor(file), file, {})));
        QCOMPARE(infoOf(path, "names_not_kept"), 1U);
    }

    /// Another thread evicts records during the whole export.
    void recordsMayBeEvictedDuringTheWholeExport()
    {
        constexpr CoroutineId kMany = 200'000;
        for (int run = 0; run < 3; ++run) {
            const QTemporaryDir dir;
            const QString path = dir.filePath(QStringLiteral("t.sqlite"));
            EvictingTrace trace(kMany);
            trace.run(kMany);
            std::atomic<bool> isOver = false;
            std::thread target([&] {
                while (!isOver.load(std::memory_order_relaxed) && trace.population.size() < 4'000'000)
                    trace.runIdle(1000);
            });
            while (trace.population.isKept(0))
                std::this_thread::yield();
            const auto report = exportTrace(trace.population, trace.history, format("sqlite"), path.toStdString(), {});
            isOver.store(true, std::memory_order_relaxed);
            target.join();
            QVERIFY(bool(report));
            QVERIFY(report->coroutines + report->overflowCoroutines >= kMany);
            compareSums(path, *report, kMany);
        }
    }

    /// After eviction, missed events still count as missed, and lost events as lost.
    void lossesOfAnEvictedRecordAreInTheSums()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("t.sqlite"));
        EvictingTrace trace;
        Batch batch = manyEvents(1, 0, 50'000);
        batch.losses = {{0, 50'000, 7, true}, {0, 50'007, 5, false}};
        batch.deaths.push_back({0, batch.now});
        trace.consume(batch);
        trace.run(kCoroutines);
        const auto report = trace.exportWhileRunning(path);
        QVERIFY(bool(report));
        QVERIFY(!trace.population.isKept(0));
        QCOMPARE(infoOf(path, "missed_before_attach"), 7U);
        QCOMPARE(report->lostEvents, 60'005U);
    }

    void aCancelEndsTheCounting()
    {
        const QTemporaryDir dir;
        EvictingTrace trace;
        trace.run(kCoroutines);
        std::vector<double> calls;
        const auto report = trace.exportTo(dir.filePath(QStringLiteral("t.sqlite")), [&](double done) {
            calls.push_back(done);
            trace.run(5000);
            return calls.size() < 3;
        });
        QVERIFY(!report);
        QCOMPARE(report.error().code, ErrorCode::Cancelled);
        QCOMPARE(calls, std::vector<double>(3, 0.0));
        QVERIFY(filesIn(dir).isEmpty());
    }

    /// The export skips coroutines without a record. There may be millions, so skipping can be cancelled.
    void aCancelEndsThePassOverEvictedRecords()
    {
        const QTemporaryDir dir;
        EvictingTrace trace(60'000);
        trace.run(50'000);
        std::vector<double> later;
        const auto report = trace.exportTo(dir.filePath(QStringLiteral("t.sqlite")), [&](double done) {
            if (done == 0)
                return true;
            if (later.empty())
                trace.run(60'000);
            later.push_back(done);
            return later.size() < 3;
        });
        QVERIFY(!report);
        QCOMPARE(report.error().code, ErrorCode::Cancelled);
        QVERIFY2(later.back() < 0.9, qPrintable(QString::number(later.back())));
        QVERIFY(filesIn(dir).isEmpty());
    }
};

CT_QT_SUITE(TestExportEvicted)
#include "tst_exportevicted.moc"
