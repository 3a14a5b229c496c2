// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The estimate that the export dialog shows is what the export then writes.
#include "core/exporting/rowestimate.h"
#include "tests/core/exporting/recordedrun.h"
#include "tests/support/qtsuite.h"

using namespace exporttest;

class TestRowEstimate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void evictedEventsCountOnlyWithARecording()
    {
        RecordedRun run;
        run.run(kEvents);
        run.end();
        const Population &population = run.smallBudget.population;
        const History &history = run.smallBudget.history;
        QVERIFY(history.evictedEvents() != 0 && history.evictedNotes() != 0);
        const std::string path = run.dir.filePath(QStringLiteral("x.csv")).toStdString();
        for (const bool hasRecording : {false, true}) {
            const Result<ExportReport> report = exportTrace(population, history, format("csv"), path, {}, {}, {},
                                                            hasRecording ? run.streamIndex : nullptr);
            QVERIFY(report);
            const RowEstimate estimate = estimateRows(population, history, {}, hasRecording);
            QCOMPARE(estimate.events, report->rows);
            QCOMPARE(estimate.coroutines, report->coroutines);
            QCOMPARE(estimate.isExact, hasRecording);
            TraceSelection chosen;
            chosen.coroutines = {3};
            const Result<ExportReport> ofOne = exportTrace(population, history, format("csv"), path, {}, {}, {},
                                                           hasRecording ? run.streamIndex : nullptr, chosen);
            QVERIFY(ofOne);
            QCOMPARE(estimateRows(population, history, chosen, hasRecording).events, ofOne->rows);
        }
    }

    void causesOfAPartAreAnEstimate()
    {
        Trace trace;
        Batch batch = sampleBatch();
        batch.notes = sampleNotes();
        trace.consume(batch);
        const RowEstimate all = estimateRows(trace.population, trace.history, {}, false);
        QVERIFY(all.isExact && all.areCausesExact);
        QCOMPARE(all.causes, std::uint64_t{trace.history.noteCount()});
        TraceSelection chosen;
        chosen.coroutines = {0};
        const RowEstimate part = estimateRows(trace.population, trace.history, chosen, false);
        QVERIFY(part.isExact && !part.areCausesExact);
    }

    void sumOfManyCoroutinesIsKnown()
    {
        Trace trace;
        trace.consume(manyEvents(150'000, 0, 1));
        const RowEstimate estimate = estimateRows(trace.population, trace.history, {}, false);
        QVERIFY(estimate.isExact);
        QCOMPARE(estimate.events, std::uint64_t{150'000});
        QCOMPARE(estimate.coroutines, std::uint64_t{150'000});
    }

    /// Coroutines that are active only at the beginning.
    void countsTheEventsOfATimeRange()
    {
        Trace trace;
        trace.consume(manyEvents(10, 0, 100));  // until 2 ms
        Batch late;
        late.births = {birth(10, 10)};
        late.now = 1'000'000'000;
        for (CoroutineId id = 0; id < 10; ++id)
            late.transitions.push_back(transition(id, 100, late.now, false, 1));
        trace.consume(late);
        TraceSelection begin;
        begin.to = 1'500'000;
        QCOMPARE(estimateRows(trace.population, trace.history, begin, false).events, std::uint64_t{500});
        begin.from = begin.to;
        begin.to = 500'000'000;
        QCOMPARE(estimateRows(trace.population, trace.history, begin, false).events, std::uint64_t{500});
    }
};

CT_QT_SUITE(TestRowEstimate)
#include "tst_rowestimate.moc"
