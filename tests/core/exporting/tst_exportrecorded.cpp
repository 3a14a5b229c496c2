// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// With its recording, the export of a run longer than memory equals the export of a run that fits in memory.
#include "tests/core/exporting/recordedrun.h"
#include "tests/support/qtsuite.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

using namespace ct;
using namespace exporttest;
using Run = RecordedRun;

namespace {

QByteArrayList sortedLines(const QString &path)
{
    QByteArrayList lines = contentOf(path).split('\n');
    std::sort(lines.begin(), lines.end());
    return lines;
}

}  // namespace

class TestExportRecorded : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void exportsEvictedEventsFromTheRecording_data()
    {
        QTest::addColumn<QString>("ending");
        QTest::newRow("csv") << QStringLiteral("csv");
        QTest::newRow("jsonl") << QStringLiteral("jsonl");
    }
    void exportsEvictedEventsFromTheRecording()
    {
        QFETCH(const QString, ending);
        Run run;
        run.run(kEvents);
        run.end();
        QVERIFY(run.smallBudget.history.evictedEvents() > 50'000);
        const QString got = run.dir.filePath(QStringLiteral("got.") + ending);
        const QString expected = run.dir.filePath(QStringLiteral("expected.") + ending);
        const auto report = run.exportSmallBudget(got);
        const auto full = run.whole.exportTo(expected);
        QVERIFY(report && full);
        QCOMPARE(report->rows, full->rows);
        QCOMPARE(report->lostEvents, full->lostEvents);
        QCOMPARE(report->evictedEvents, 0U);
        QCOMPARE(report->evictedNotes, 0U);
        QVERIFY(sortedLines(got) == sortedLines(expected));
    }

    void exportsEvictedWakesFromTheRecording()
    {
        Run run;
        run.run(150'000);
        run.end();
        QVERIFY(run.smallBudget.history.evictedNotes() > 0);
        const QString got = run.dir.filePath(QStringLiteral("got.sqlite"));
        const QString expected = run.dir.filePath(QStringLiteral("expected.sqlite"));
        QVERIFY(run.exportSmallBudget(got));
        QVERIFY(run.whole.exportTo(expected));
        const Database a(got);
        const Database b(expected);
        for (const char *query :
             {"SELECT count(*), sum(n), sum(ts) FROM wakes", "SELECT count(*), sum(n), sum(ts) FROM coro_trace_events",
              "SELECT * FROM coroutines ORDER BY coroutine"})
            QCOMPARE(a.rows(query), b.rows(query));
    }

    void countsEventsThatNeitherMemoryNorRecordingHas()
    {
        Run run({0, 10'000'000});
        run.run(kEvents);
        run.end();
        const auto report = run.exportSmallBudget(run.dir.filePath(QStringLiteral("got.csv")));
        QVERIFY(report);
        QVERIFY(report->evictedEvents > 0);
        QCOMPARE(report->rows + report->evictedEvents, std::uint64_t{kEvents});
        QVERIFY(report->rows >= run.smallBudget.history.eventCount());
    }

    void eventsInMemoryCompleteTheRecording()
    {
        Run run({0, 10'000'000});
        run.run(kEvents);
        run.end();
        QVERIFY(run.streamIndex->blocks() > 0);
        const auto report = run.exportSmallBudget(run.dir.filePath(QStringLiteral("got.csv")));
        QVERIFY(report);
        QCOMPARE(report->rows, run.smallBudget.history.eventCount());
    }

    void restoredEventsAreExportedOnce_data()
    {
        QTest::addColumn<bool>("all");
        QTest::newRow("all of it") << true;
        QTest::newRow("not what is damaged") << false;
    }
    void restoredEventsAreExportedOnce()
    {
        QFETCH(const bool, all);
        Run run;
        run.run(75'000);
        run.run(375'000, kCoroutines - 10);
        run.end();
        run.restore(all ? 0 : 50'000);
        run.damage(0);
        run.damage(150'000);
        const QString got = run.dir.filePath(QStringLiteral("got.csv"));
        const auto report = run.exportSmallBudget(got);
        QVERIFY(report);
        const QByteArrayList lines = sortedLines(got);
        QVERIFY(std::adjacent_find(lines.begin(), lines.end()) == lines.end());
        QCOMPARE(report->rows + report->evictedEvents, run.smallBudget.population.captured());
        QCOMPARE(report->evictedEvents == 0, all);
        if (!all)
            return;
        const QString expected = run.dir.filePath(QStringLiteral("expected.csv"));
        const auto full = run.whole.exportTo(expected);
        QVERIFY(full);
        QCOMPARE(report->lostEvents, full->lostEvents);
        QVERIFY(lines == sortedLines(expected));
    }

    void damageLosesNoEventInMemory()
    {
        Run run;
        run.run(150'000);
        run.end();
        QVERIFY(run.smallBudget.history.evictedNotes() > 0 && run.smallBudget.history.evictedEvents() == 0);
        run.damage(70'000);
        const auto report = run.exportSmallBudget(run.dir.filePath(QStringLiteral("got.csv")));
        QVERIFY(report);
        QCOMPARE(report->rows, 150'000U);
        QCOMPARE(report->evictedEvents, 0U);
        QVERIFY(report->evictedNotes > 0);
    }

    /// The record is evicted before the end of its coroutine is exported. A coroutine that lived when the export began
    /// has no end in the file.
    void exportsOnlyEndsKnownAtTheStart()
    {
        Run run({}, {4096, 4096});
        run.run(kEvents);
        Batch batch;
        batch.now = run.now;
        batch.flags.push_back({3, Flag::Reason::DialectContradiction});
        run.consume(batch);
        run.endFirstPage();
        const std::uint64_t ended = run.now;
        QVERIFY(run.writer->finish({}));
        QVERIFY(run.smallBudget.history.evictedEvents() > 0);
        const QString path = run.dir.filePath(QStringLiteral("got.sqlite"));
        bool hasContinued = false;
        const auto report = run.exportSmallBudget(path, [&](double done) {
            if (done > 0 && !std::exchange(hasContinued, true)) {
                Batch later;
                later.now = run.now += 1000;
                for (CoroutineId id = Population::kPageSize; id < 2 * Population::kPageSize; ++id)
                    later.deaths.push_back({id, run.now});
                run.smallBudget.consume(later);
                run.runShortLived(20'000);
            }
            return true;
        });
        QVERIFY(report);
        QVERIFY(!run.smallBudget.population.isKept(0) && !run.smallBudget.population.isKept(Population::kPageSize));
        const Database file(path);
        QCOMPARE(file.rows("SELECT count(*), min(death_ts), max(death_ts) FROM coroutines "
                           "GROUP BY coroutine >= 64 ORDER BY coroutine >= 64"),
                 (QStringList{QStringLiteral("64|%1|%1").arg(ended), QStringLiteral("64||")}));
        QCOMPARE(file.rows("SELECT count(*) FROM coroutines WHERE death_ts < birth_ts"),
                 QStringList(QStringLiteral("0")));
        QCOMPARE(file.rows("SELECT coroutine FROM coroutines WHERE flagged"), QStringList(QStringLiteral("3")));
        QCOMPARE(file.rows("SELECT coroutine, reason FROM flags"),
                 QStringList(QStringLiteral("3|dialect_contradiction")));
    }

    void leavesOutLaterEvents()
    {
        Run run;
        run.run(kEvents);
        const QString got = run.dir.filePath(QStringLiteral("got.csv"));
        const QString expected = run.dir.filePath(QStringLiteral("expected.csv"));
        QVERIFY(run.whole.exportTo(expected));
        const auto report = run.exportWhileRunning(got);
        QVERIFY(report);
        QCOMPARE(report->rows, std::uint64_t{kEvents});
        QCOMPARE(report->evictedEvents, 0U);
        QVERIFY(sortedLines(got) == sortedLines(expected));
    }

    void eventsEvictedDuringTheExportAreInTheRecording()
    {
        Run run;
        run.run(kEvents);
        run.damage(0);
        const std::uint64_t damaged = run.streamIndex->blockAt(0)->end;
        const auto report = run.exportWhileRunning(run.dir.filePath(QStringLiteral("got.csv")));
        QVERIFY(report);
        QCOMPARE(report->evictedEvents, damaged);
        QCOMPARE(report->rows, kEvents - damaged);
    }

    void countsUnrecordedEventsEvictedDuringTheExport()
    {
        Run run;
        run.run(kEvents);
        run.streamIndex.reset();
        const std::uint64_t had = run.smallBudget.history.eventCount();
        const auto report = run.exportWhileRunning(run.dir.filePath(QStringLiteral("got.csv")));
        QVERIFY(report);
        QVERIFY(report->rows < had);
        QCOMPARE(report->rows + report->evictedEvents, std::uint64_t{kEvents});
    }

    void countsEventsAfterAnEarlyEndOfTheRecording()
    {
        Run run;
        run.run(50'000);
        QVERIFY(run.writer->finish({}));
        const std::uint64_t recorded = run.streamIndex->endPosition();
        run.isRecording = false;
        run.run(375'000);
        const std::uint64_t before = run.smallBudget.history.firstInRing();
        QVERIFY(before > recorded);
        const auto report = run.exportSmallBudget(run.dir.filePath(QStringLiteral("got.csv")));
        QVERIFY(report);
        QCOMPARE(report->evictedEvents, before - recorded);
        QCOMPARE(report->rows + report->evictedEvents, 425'000U);
    }

    void exportsEventsInMemoryIfTheRecordingWasRemoved()
    {
        Run run;
        run.run(kEvents);
        run.end();
        QVERIFY(QFile::remove(run.recording()));
        const auto report = run.exportSmallBudget(run.dir.filePath(QStringLiteral("got.csv")));
        QVERIFY(report);
        QCOMPARE(report->rows, run.smallBudget.history.eventCount());
        QCOMPARE(report->evictedEvents, run.smallBudget.history.evictedEvents());
    }
};

CT_QT_SUITE(TestExportRecorded)
#include "tst_exportrecorded.moc"
