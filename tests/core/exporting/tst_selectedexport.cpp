// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exports of a selection: chosen coroutines, and a time range. What is left out never counts as lost.
#include "core/databases/openstream.h"
#include "core/recording/write/recordingwriter.h"
#include "tests/core/exporting/evictingtrace.h"
#include "tests/core/exporting/exportsupport.h"
#include "tests/support/qtsuite.h"

#include <random>

using namespace ct;
using namespace exporttest;

namespace {

constexpr const char *kSums =
    "SELECT sum(events), sum(lost), sum(missed_before_attach), sum(dropped), count(*) FROM coroutines";

Result<ExportReport> exported(const Population &population, const History &history, const QString &path,
                              const TraceSelection &selection, std::shared_ptr<const StreamIndex> index = {},
                              const Accounting &sums = {})
{
    const std::string name = path.toStdString();
    return exportTrace(population, history, *exportFormatFor(name), name, {}, sums, {}, std::move(index), selection);
}

const char *whyNot(const Result<ExportReport> &report)
{
    return report ? "" : report.error().message.c_str();
}

TraceSelection between(std::uint64_t from, std::uint64_t to)
{
    TraceSelection selection;
    selection.from = from;
    selection.to = to;
    return selection;
}

TraceSelection of(std::vector<CoroutineId> coroutines)
{
    TraceSelection selection;
    selection.coroutines = std::move(coroutines);
    return selection;
}

/// Coroutines with losses, waits and wakes, whose events alternate.
Batch eventfulRun(CoroutineId coroutines, int events, std::uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<std::uint64_t> next(coroutines);
    Batch batch;
    batch.now = 10'000;
    for (CoroutineId id = 0; id < coroutines; ++id) {
        batch.births.push_back(birth(id, 100 + id, Dialect::Lane));
        batch.notes.names.push_back({id, "job " + std::to_string(id)});
        if (id > 0)
            batch.notes.parents.push_back({id, id - 1});
    }
    for (int i = 0; i < events; ++i) {
        const CoroutineId id = random() % coroutines;
        if (random() % 20 == 0) {
            batch.losses.push_back({id, next[id], 3, random() % 4 == 0 && next[id] == 0});
            next[id] += 3;
        }
        batch.now += random() % 50;
        const std::uint64_t n = next[id]++;
        batch.transitions.push_back(
            transition(id, n, batch.now, n % 2 == 1, kUnknownSite, PointKind::Await, Dialect::Lane));
        if (n % 2 == 0)
            batch.notes.waits.push_back({id, n, WaitKind::Lock, 0xBEEF, kNoCoroutine});
        batch.notes.wakes.push_back({id, (id + 1) % coroutines, n + 1, batch.now, 4242, 78});
    }
    batch.deaths.push_back({0, batch.now});
    return batch;
}

class TestSelectedExport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void onlyChosenCoroutinesAreExported();
    void chosenCoroutinesKeepTheirGaps();
    void aTimeRangeHasNoGapsAtItsBorders();
    void aTimeRangeKeepsTheLossesWithinIt();
    void coroutinesThatOnlyWaitedAreExported();
    void causesOutsideAreLeftOut();
    void sumsAgreeInEverySelection();
    void textFilesStateWhatIsLeftOut();
    void aSelectionIsReadBackWithoutLosses();
    void viewerFilesStateWhatIsLeftOut();
    void evictedEventsComeFromTheRecording();
    void anExportOfEverythingMentionsNoSelection();
};

void TestSelectedExport::onlyChosenCoroutinesAreExported()
{
    Trace trace;
    trace.consume(manyEvents(5, 0, 100));
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    const auto report = exported(trace.population, trace.history, path, of({1, 3}));
    QVERIFY2(report, whyNot(report));
    QCOMPARE(report->rows, 200U);
    QCOMPARE(report->coroutines, 2U);
    QCOMPARE(report->notSelected, 300U);
    QCOMPARE(Database(path).rows("SELECT coroutine, events, dropped FROM coroutines ORDER BY 1"),
             (QStringList{QStringLiteral("1|100|0"), QStringLiteral("3|100|0")}));
    QCOMPARE(Database(path).rows("SELECT DISTINCT coroutine FROM coro_trace_events ORDER BY 1"),
             (QStringList{QStringLiteral("1"), QStringLiteral("3")}));
    QCOMPARE(infoOf(path, "events"), 200U);
    QCOMPARE(infoOf(path, "events_not_selected"), 300U);
    QCOMPARE(infoOf(path, "coroutines_not_selected"), 3U);
    QCOMPARE(infoOf(path, "dropped_events"), 0U);
}

void TestSelectedExport::chosenCoroutinesKeepTheirGaps()
{
    Trace trace;
    trace.consume(sampleBatch());
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    QVERIFY(exported(trace.population, trace.history, path, of({0})));
    QCOMPARE(Database(path).rows("SELECT coroutine, first_n, events, kind FROM gaps"),
             QStringList{QStringLiteral("0|2|3|lost")});
    QCOMPARE(infoOf(path, "lost_events"), 3U);
    QVERIFY(exported(trace.population, trace.history, path, of({1})));
    QCOMPARE(Database(path).rows("SELECT count(*) FROM gaps"), QStringList{QStringLiteral("0")});
    QCOMPARE(infoOf(path, "lost_events"), 0U);
    QCOMPARE(Database(path).rows("SELECT death_ts FROM coroutines"), QStringList{QStringLiteral("7000")});
}

void TestSelectedExport::aTimeRangeHasNoGapsAtItsBorders()
{
    Trace trace;
    trace.consume(manyEvents(3, 0, 100));
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    // Event n of coroutine 0 is at 1,000,000 + 10,000 n. The end is exclusive.
    const auto report = exported(trace.population, trace.history, path, between(1'100'000, 1'200'000));
    QVERIFY2(report, whyNot(report));
    QCOMPARE(report->rows, 30U);
    QCOMPARE(report->notSelected, 270U);
    QCOMPARE(Database(path).rows("SELECT min(n), max(n), count(*) FROM coro_trace_events WHERE coroutine = 0"),
             QStringList{QStringLiteral("10|19|10")});
    QCOMPARE(Database(path).rows("SELECT count(*) FROM gaps"), QStringList{QStringLiteral("0")});
    QCOMPARE(Database(path).rows(kSums), QStringList{QStringLiteral("30|0|0|0|3")});
    QCOMPARE(infoOf(path, "dropped_events"), 0U);
    QCOMPARE(infoOf(path, "selected_from"), 1'100'000U);
    QCOMPARE(infoOf(path, "selected_to"), 1'200'000U);
}

void TestSelectedExport::aTimeRangeKeepsTheLossesWithinIt()
{
    Trace trace;
    Batch batch;
    batch.births = {birth(0, 1, Dialect::Lane)};
    std::uint64_t n = 0;
    for (std::uint64_t ts = 2000; ts <= 6000; ts += 1000) {
        batch.losses.push_back({0, n, 2, false});
        n += 2;
        batch.transitions.push_back(transition(0, n++, ts, ts % 2000 != 0, 0, PointKind::Await, Dialect::Lane));
    }
    trace.consume(batch);
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    // Events at 3000, 4000 and 5000. The losses before 3000 are outside: they may be older than the range.
    const auto report = exported(trace.population, trace.history, path, between(3000, 6000));
    QVERIFY2(report, whyNot(report));
    QCOMPARE(Database(path).rows("SELECT first_n, events, kind FROM gaps"),
             (QStringList{QStringLiteral("6|2|lost"), QStringLiteral("9|2|lost")}));
    QCOMPARE(report->lostEvents, 4U);
    QCOMPARE(Database(path).rows(kSums), QStringList{QStringLiteral("3|4|0|0|1")});
}

void TestSelectedExport::coroutinesThatOnlyWaitedAreExported()
{
    Trace trace;
    Batch batch;
    batch.births = {birth(0, 1), birth(1, 2), birth(2, 3), birth(3, 4)};
    batch.births[3].birthTs = 9000;
    batch.transitions = {transition(0, 0, 2000, false), transition(1, 0, 2000, false), transition(2, 0, 5000, false)};
    batch.deaths.push_back({1, 3000});
    batch.now = 9500;
    trace.consume(batch);
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    QVERIFY(exported(trace.population, trace.history, path, between(4000, 6000)));
    // Coroutine 0 waits in the range; 1 has died before it, and 3 was born after it.
    QCOMPARE(Database(path).rows("SELECT coroutine, events FROM coroutines ORDER BY 1"),
             (QStringList{QStringLiteral("0|0"), QStringLiteral("2|1")}));
}

void TestSelectedExport::causesOutsideAreLeftOut()
{
    Trace trace;
    Batch batch = sampleBatch();
    batch.notes = sampleNotes();
    trace.consume(batch);
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    const auto report = exported(trace.population, trace.history, path, of({1}));
    QVERIFY2(report, whyNot(report));
    QCOMPARE(Database(path).rows("SELECT coroutine, by_coroutine FROM wakes"), QStringList{QStringLiteral("1|")});
    QCOMPARE(Database(path).rows("SELECT coroutine, kind, target FROM waits"),
             QStringList{QStringLiteral("1|coroutine|")});
    QCOMPARE(Database(path).rows("SELECT parent FROM coroutines"), QStringList{QString()});
    QCOMPARE(report->causes, 2U);
    QCOMPARE(infoOf(path, "causes_not_selected"), 2U);
    // The wake at 6500 is after the range, and so is the wait of the suspension at 6000.
    QVERIFY(exported(trace.population, trace.history, path, between(5000, 6000)));
    QCOMPARE(Database(path).rows("SELECT (SELECT count(*) FROM wakes), (SELECT count(*) FROM waits)"),
             QStringList{QStringLiteral("0|1")});
}

void TestSelectedExport::sumsAgreeInEverySelection()
{
    for (std::uint32_t seed = 1; seed <= 12; ++seed) {
        const Batch batch = eventfulRun(10, 2000, seed);
        Trace trace;
        trace.consume(batch);
        const std::uint64_t length = batch.now - 10'000;
        TraceSelection selection = between(10'000 + length * (seed % 4) / 8, batch.now - length * (seed % 3) / 8);
        if (seed % 2 == 0)
            selection.coroutines = {2, 3, 7};
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("t.sqlite"));
        const auto report = exported(trace.population, trace.history, path, selection);
        QVERIFY2(report, whyNot(report));
        const auto info = [&path](const char *name) { return QString::number(infoOf(path, name)); };
        const QStringList sums{info("events"), info("lost_events"), info("missed_before_attach"),
                               info("dropped_events"), info("coroutines")};
        QCOMPARE(Database(path).rows(kSums), QStringList{sums.join(QLatin1Char('|'))});
        QCOMPARE(infoOf(path, "dropped_events"), 0U);
        QCOMPARE(infoOf(path, "events") + infoOf(path, "events_not_selected"), batch.transitions.size());
        QCOMPARE(report->rows, infoOf(path, "events"));
        QCOMPARE(Database(path).rows("SELECT sum(events) FROM gaps").value(0).toULongLong(),
                 infoOf(path, "lost_events") + infoOf(path, "missed_before_attach"));
        std::uint64_t expected = 0;
        for (const Transition &event : batch.transitions) {
            const bool isChosen =
                selection.coroutines.empty() || event.coroutine == 2 || event.coroutine == 3 || event.coroutine == 7;
            expected += isChosen && event.ts >= selection.from && event.ts < selection.to ? 1 : 0;
        }
        QCOMPARE(report->rows, expected);
    }
}

void TestSelectedExport::textFilesStateWhatIsLeftOut()
{
    Trace trace;
    trace.consume(manyEvents(2, 0, 10));
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.jsonl"));
    QVERIFY(exported(trace.population, trace.history, path, between(1'050'000, TraceSelection::kNoEnd)));
    const QList<QByteArray> lines = contentOf(path).trimmed().split('\n');
    QCOMPARE(lines.size(), 11);
    QVERIFY2(lines[0].contains(R"("n":5,)") && lines[0].contains(R"("not_selected_before":5)"), lines[0].constData());
    QVERIFY(!lines[1].contains("_before"));
    QCOMPARE(lines[10], QByteArray(R"({"note":"selection","from":1050000,"events_not_selected":10,)"
                                   R"("coroutines_not_selected":0,"causes_not_selected":0})"));
}

void TestSelectedExport::aSelectionIsReadBackWithoutLosses()
{
    Trace trace;
    trace.consume(manyEvents(2, 0, 10));
    const QTemporaryDir dir;
    for (const char *name : {"t.jsonl", "t.sqlite"}) {
        const QString path = dir.filePath(QLatin1String(name));
        QVERIFY(exported(trace.population, trace.history, path, between(1'050'000, 1'080'000)));
        auto reader = openStream(path.toStdString());
        QVERIFY(reader);
        Population again;
        Batch batch;
        for (Result<bool> more = (*reader)->next(batch); more && *more; more = (*reader)->next(batch)) {
            QVERIFY(batch.losses.empty());
            QVERIFY(again.consume(batch));
        }
        QCOMPARE(again.captured(), 6U);
        QCOMPARE(again.at(0).unexplained, 5U);
    }
}

void TestSelectedExport::viewerFilesStateWhatIsLeftOut()
{
    Trace trace;
    trace.consume(manyEvents(2, 0, 10));
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.json"));
    QVERIFY(exported(trace.population, trace.history, path, between(1'050'000, TraceSelection::kNoEnd)));
    const QByteArray content = contentOf(path);
    QVERIFY(content.contains("events_not_selected"));
    QVERIFY(!content.contains("not captured") && !content.contains("\"cat\":\"gap\""));
    QVERIFY(exported(trace.population, trace.history, path, {}));
    QVERIFY(!contentOf(path).contains("events_not_selected"));
}

void TestSelectedExport::evictedEventsComeFromTheRecording()
{
    const QTemporaryDir dir;
    auto streamIndex = std::make_shared<StreamIndex>();
    auto writer = RecordingWriter::open(dir.filePath(QStringLiteral("run.ctr")).toStdString(), {});
    QVERIFY(writer);
    (*writer)->setStreamIndex(streamIndex);
    Population population;
    History history(1);
    Trace whole(64U << 20);
    for (std::uint64_t first = 0; first < 150'000; first += 5000) {
        const Batch batch = manyEvents(4, first, 5000);
        QVERIFY((*writer)->consume(batch) && population.consume(batch) && history.consume(batch));
        whole.consume(batch);
    }
    QVERIFY((*writer)->finish({}));
    QVERIFY(history.evictedEvents() > 0);
    const TraceSelection selection = between(10'000'000, 30'000'000);  // evicted
    const QString evicted = dir.filePath(QStringLiteral("evicted.sqlite"));
    const QString complete = dir.filePath(QStringLiteral("complete.sqlite"));
    const auto report = exported(population, history, evicted, selection, streamIndex);
    QVERIFY2(report, whyNot(report));
    QVERIFY(exported(whole.population, whole.history, complete, selection));
    QCOMPARE(report->evictedEvents, 0U);
    QCOMPARE(report->rows, 8000U);
    const char *all = "SELECT coroutine, n, ts FROM coro_trace_events ORDER BY coroutine, n";
    const QStringList expected = Database(complete).rows(all);
    QCOMPARE(Database(evicted).rows(all), expected);
    QCOMPARE(expected.size(), 8000);
    QCOMPARE(infoOf(evicted, "dropped_events"), 0U);
    QCOMPARE(infoOf(evicted, "events_not_selected"), 600'000U - 8000);
}

void TestSelectedExport::anExportOfEverythingMentionsNoSelection()
{
    Trace trace;
    trace.consume(sampleBatch());
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    const auto report = exported(trace.population, trace.history, path, {});
    QVERIFY(report);
    QCOMPARE(report->notSelected, 0U);
    QCOMPARE(Database(path).rows("SELECT name FROM trace_info WHERE name LIKE '%select%'"), QStringList());
}

}  // namespace

CT_QT_SUITE(TestSelectedExport)
#include "tst_selectedexport.moc"
