// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exporting/evictingtrace.h"
#include "tests/support/qtsuite.h"

#include <QFileInfo>

#include <atomic>
#include <sys/stat.h>
#include <thread>

using namespace exporttest;

namespace {

/// Each format's existing file survives `attempt(trace, path)`, an export that fails.
template <class Attempt>
void everyFormatKeepsItsFile(Attempt attempt)
{
    const QTemporaryDir dir;
    Trace trace;
    trace.consume(manyEvents(100, 0, 300));
    for (const ExportFormat &each : exportFormats()) {
        putContent(pathFor(dir, each), "precious");
        attempt(trace, pathFor(dir, each));
        QCOMPARE(contentOf(pathFor(dir, each)), QByteArray("precious"));
    }
    QCOMPARE(filesIn(dir).size(), static_cast<qsizetype>(exportFormats().size()));
}

}  // namespace

class TestExportTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lossesWithoutCoroutineAreInTheSums();
    void exportsNotes();
    void exportsToEveryFormat();
    void exportsMissedEventsOfAnAttachedRun();
    void distinguishesMissedFromLost();
    void unrecordedEventsAreNotLost();
    void lossesAtTheEndAreCounted();
    void jumpsAreNotLost();
    void existingFileIsKeptOnCancel();
    void existingFileIsKeptOnFailure();
    void linkAndPermissionsStay();
    void reportsEvictedHistory();
    void exportsWakesAndWaitsInMemory();
    void traceGrowsDuringTheExport();
    void countsRecordsEvictedDuringTheExport();
    void countsARecordEvictedWhileItsEventsAreWritten();
    void lossesWithoutARecordAreInTheSumsOfAnyMoment();
    void exportsEveryRowOfALargeTrace();
};

void TestExportTrace::exportsToEveryFormat()
{
    const QTemporaryDir dir;
    Trace trace;
    trace.consume(sampleBatch());
    double latest = -1;
    const ExportProgress progress = [&latest](double value) {
        const bool grows = value >= latest;
        latest = value;
        return grows;
    };
    for (const ExportFormat &each : exportFormats()) {
        latest = -1;
        const QString path = pathFor(dir, each);
        putContent(path, "older");
        const Result<ExportReport> report = trace.exportTo(path, progress);
        QVERIFY2(bool(report), report ? "" : report.error().message.c_str());
        QCOMPARE(report->rows, 5U);
        QCOMPARE(report->coroutines, 3U);
        QCOMPARE(report->lostEvents, 3U);
        QCOMPARE(report->evictedEvents, 0U);
        QCOMPARE(latest, 1.0);
    }
    QCOMPARE(contentOf(dir.filePath(QStringLiteral("t.csv"))), kSampleCsv);
    const QByteArray jsonl = contentOf(dir.filePath(QStringLiteral("t.jsonl")));
    QCOMPARE(jsonl.count('\n') - jsonl.count("{\"note\":"), 5);
    QVERIFY(jsonl.endsWith("{\"note\":\"death\",\"coroutine\":1,\"ts\":7000}\n"
                           "{\"note\":\"birth\",\"coroutine\":2,\"probe_id\":3,\"birth_ts\":1002,\"pid\":4242}\n"));
    QVERIFY(jsonl.contains("\"n\":5,\"coroutine\":0,\"lost_before\":3}"));
    {
        const Database db(dir.filePath(QStringLiteral("t.sqlite")));
        QCOMPARE(db.rows("SELECT events, lost, death_ts FROM coroutines ORDER BY coroutine"),
                 QStringList({QStringLiteral("4|3|"), QStringLiteral("1|0|7000"), QStringLiteral("0|0|")}));
        QCOMPARE(db.rows("SELECT n, site_id FROM coro_trace_events WHERE is_active = 1 ORDER BY n"),
                 QStringList({QStringLiteral("1|1"), QStringLiteral("5|")}));
    }
    QCOMPARE(filesIn(dir).size(), static_cast<qsizetype>(exportFormats().size()));
}

void TestExportTrace::exportsMissedEventsOfAnAttachedRun()
{
    const QTemporaryDir dir;
    Trace trace;
    Batch batch;
    batch.births = {birth(0, 1)};
    batch.losses.push_back({0, 0, 10, true});
    batch.transitions = {transition(0, 10, 5000, false)};
    batch.now = 6000;
    trace.consume(batch);
    const QString path = dir.filePath(QStringLiteral("t.jsonl"));
    const auto report = trace.exportTo(path);
    QVERIFY(bool(report));
    QCOMPARE(report->lostEvents, 0U);
    QVERIFY(contentOf(path).contains("\"missed_before\":10}"));
}

void TestExportTrace::distinguishesMissedFromLost()
{
    // A flight recorder overwrites each thread's lane at its own pace, so the missed numbers are not contiguous.
    const QTemporaryDir dir;
    Trace trace;
    Batch batch;
    batch.births = {birth(0, 1), birth(1, 2)};
    batch.losses = {{0, 0, 10, true}, {0, 11, 4, true}, {0, 16, 3, false}, {1, 1, 5, true}};
    batch.transitions = {transition(0, 10, 5000, false), transition(0, 15, 5100, true), transition(0, 19, 5200, true),
                         transition(1, 0, 5000, false)};
    batch.now = 6000;
    trace.consume(batch);
    // Missed numbers directly followed by lost ones.
    batch = Batch();
    batch.losses = {{1, 6, 2, false}};
    batch.transitions = {transition(1, 8, 6500, false)};
    batch.now = 7000;
    trace.consume(batch);
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    const auto report = trace.exportTo(path);
    QVERIFY(bool(report));
    QCOMPARE(report->lostEvents, 5U);
    const Database db(path);
    QCOMPARE(db.rows("SELECT events, lost, missed_before_attach, dropped FROM coroutines ORDER BY coroutine"),
             QStringList({QStringLiteral("3|3|14|0"), QStringLiteral("2|2|5|0")}));
    QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name = 'missed_before_attach'"),
             QStringList(QStringLiteral("19")));
    const MissingEvents both = trace.population.whyMissing(1, 1, 7);
    QCOMPARE(both.missed, 5U);
    QCOMPARE(both.lost, 2U);
    QCOMPARE(both.unexplained, 0U);
}

void TestExportTrace::unrecordedEventsAreNotLost()
{
    // As in a recording saved after memory had evicted the beginning: an unexplained jump of numbers.
    const QTemporaryDir dir;
    Trace trace;
    Batch batch;
    batch.births = {birth(0, 1)};
    batch.losses = {{0, 501, 2, false}};
    batch.transitions = {transition(0, 500, 5000, false), transition(0, 503, 5100, true)};
    batch.now = 6000;
    trace.consume(batch);
    QCOMPARE(trace.population.at(0).unexplained, 500U);
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    const auto report = trace.exportTo(path);
    QVERIFY(bool(report));
    QCOMPARE(report->lostEvents, 2U);
    QCOMPARE(Database(path).rows("SELECT events, lost, missed_before_attach, dropped FROM coroutines"),
             QStringList(QStringLiteral("2|2|0|500")));
}

void TestExportTrace::lossesAtTheEndAreCounted()
{
    const QTemporaryDir dir;
    Trace trace;
    Batch batch;
    batch.births = {birth(0, 1), birth(1, 2)};
    batch.transitions = {transition(0, 0, 5000, false)};
    batch.losses = {{0, 1, 7, false}, {1, 0, 2, false}};
    batch.now = 6000;
    trace.consume(batch);
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    const auto report = trace.exportTo(path);
    QVERIFY(bool(report));
    QCOMPARE(report->lostEvents, 9U);
    QCOMPARE(Database(path).rows("SELECT events, lost, dropped FROM coroutines ORDER BY coroutine"),
             QStringList({QStringLiteral("1|7|0"), QStringLiteral("0|2|0")}));
}

/// A flight recorder overwrote all records of some coroutines, so only the sums include their events.
void TestExportTrace::lossesWithoutCoroutineAreInTheSums()
{
    const QTemporaryDir dir;
    Trace trace;
    Batch batch;
    batch.births = {birth(0, 1)};
    batch.losses = {{0, 0, 3, true}, {0, 4, 2, false}};
    batch.transitions = {transition(0, 3, 5000, false)};
    batch.now = 6000;
    trace.consume(batch);
    Accounting sums;
    sums.captured = 1;
    sums.lost = 2 + 40;
    sums.missedBeforeAttach = 3 + 500;
    sums.coroutinesMissed = 7;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    const auto report = trace.exportTo(path, {}, sums);
    QVERIFY(bool(report));
    QCOMPARE(report->lostEvents, 42U);
    QCOMPARE(Database(path).rows("SELECT name, value FROM trace_info WHERE name IN ('lost_events', "
                                 "'missed_before_attach') OR name LIKE '%without_coroutine' ORDER BY name"),
             QStringList({QStringLiteral("lost_events|42"), QStringLiteral("lost_without_coroutine|40"),
                          QStringLiteral("missed_before_attach|503"), QStringLiteral("missed_without_coroutine|500")}));
    // Sums that do not fit the trace belong to another moment, and are ignored.
    sums.captured = 2;
    QCOMPARE(trace.exportTo(path, {}, sums)->lostEvents, 2U);
}

void TestExportTrace::exportsNotes()
{
    const QTemporaryDir dir;
    Trace trace;
    Batch batch = sampleBatch();
    batch.notes = sampleNotes();
    trace.consume(batch);
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    QVERIFY(bool(trace.exportTo(path)));
    const Database db(path);
    QCOMPARE(
        db.rows("SELECT coroutine, name, parent FROM coroutines ORDER BY coroutine"),
        QStringList({QStringLiteral("0|say \"hi\", 'you'|2"), QStringLiteral("1|plain|0"), QStringLiteral("2||")}));
    QCOMPARE(db.rows("SELECT pid, name, first_ts, end_ts FROM processes ORDER BY process"),
             QStringList({QStringLiteral("4242|ser'ver|500|"), QStringLiteral("4243|client|600|6900")}));
    QCOMPARE(db.rows("SELECT pid, tid, name FROM threads"), QStringList(QStringLiteral("4242|77|io\u00E4")));
    // The coroutines no longer wait, but the history still has the waits.
    QCOMPARE(
        db.rows("SELECT coroutine, n, kind, object, target, mode, position FROM waits"),
        QStringList({QStringLiteral("1|1|coroutine||0|one|0"), QStringLiteral("0|6|lock|0x000000000000beef||one|0")}));
    QCOMPARE(db.rows("SELECT coroutine, n, ts, by_coroutine, pid, tid FROM wakes ORDER BY coroutine"),
             QStringList({QStringLiteral("1|2|6500|0|4242|78"), QStringLiteral("2|0|6600||4243|9")}));
    QCOMPARE(db.rows("SELECT pid, tid, records, first_ts, last_ts FROM drops"),
             QStringList(QStringLiteral("4242|77|12|5100|5200")));
    QCOMPARE(db.rows("SELECT pid, ts, is_on FROM switches"), QStringList(QStringLiteral("4243|6700|0")));
    QCOMPARE(db.rows("SELECT pid, tid, ts, state, call, is_timed, object, cpu_ns, run_delay_ns FROM thread_samples "
                     "ORDER BY tid, ts"),
             kSampleThreads);
    QCOMPARE(db.rows("SELECT pid, descriptor, epoll, ts, kind, events, pending, deadline, tcp_state, read_ends, "
                     "can_write FROM descriptor_samples ORDER BY descriptor"),
             kSampleDescriptors);
    QCOMPARE(db.rows("SELECT pid, ts, descriptors_ts, threads, stopped_since, threads_known, calls_known, "
                     "descriptors_known, machine_suspended_ns FROM process_samples"),
             kSampleProcesses);
}

/// The sums of a coroutine say how many missing numbers were lost. A contradiction can make other numbers jump.
void TestExportTrace::jumpsAreNotLost()
{
    const QTemporaryDir dir;
    Trace trace;
    Batch batch;
    batch.births = {birth(0, 1), birth(1, 2)};
    batch.transitions = {transition(0, 0, 5000, false), transition(0, 9, 5010, true), transition(1, 0, 5020, false)};
    batch.flags = {{0, Flag::Reason::TwoWriters}};
    batch.now = 5030;
    trace.consume(batch);
    batch.clear();
    batch.losses = {{1, 1, 3, false}};
    batch.transitions = {transition(1, 4, 5040, false), transition(1, 9, 5050, true)};
    batch.now = 6000;
    trace.consume(batch);
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    const auto report = trace.exportTo(path);
    QVERIFY(bool(report));
    QCOMPARE(report->lostEvents, 3U);
    const Database db(path);
    QCOMPARE(db.rows("SELECT lost, dropped FROM coroutines ORDER BY coroutine"),
             QStringList({QStringLiteral("0|8"), QStringLiteral("3|4")}));
    QCOMPARE(db.rows("SELECT first_n, events, kind FROM gaps ORDER BY coroutine, first_n"),
             QStringList({QStringLiteral("1|8|dropped"), QStringLiteral("1|3|lost"), QStringLiteral("5|4|dropped")}));
}

void TestExportTrace::existingFileIsKeptOnCancel()
{
    everyFormatKeepsItsFile([](const Trace &trace, const QString &path) {
        for (int calls = 1; calls <= 4; ++calls) {
            int left = calls;
            const auto report = trace.exportTo(path, [&left](double) { return --left > 0; });
            QVERIFY(!report);
            QCOMPARE(report.error().code, ErrorCode::Cancelled);
        }
    });
    QCOMPARE(QSqlDatabase::connectionNames(), QStringList());
}

void TestExportTrace::existingFileIsKeptOnFailure()
{
    everyFormatKeepsItsFile([](const Trace &trace, const QString &path) {
        // A recording of these events needs less than a kilobyte.
        const FileSizeLimit limit(path.endsWith(QLatin1String(".ctr")) ? 100 : 200'000);
        QVERIFY(!trace.exportTo(path));
    });
}

void TestExportTrace::linkAndPermissionsStay()
{
    const QTemporaryDir dir;
    Trace trace;
    trace.consume(sampleBatch());
    const QString target = dir.filePath(QStringLiteral("target.csv"));
    const QString link = dir.filePath(QStringLiteral("link.csv"));
    putContent(target, "older");
    QVERIFY(QFile::link(target, link));
    QVERIFY(chmod(target.toLocal8Bit().constData(), 0640) == 0);
    QVERIFY(bool(trace.exportTo(link)));
    QVERIFY(QFileInfo(link).isSymLink());
    QCOMPARE(contentOf(target), kSampleCsv);
    struct stat info = {};
    QVERIFY(stat(target.toLocal8Bit().constData(), &info) == 0);
    QCOMPARE(info.st_mode & 07777, 0640U);
}

void TestExportTrace::reportsEvictedHistory()
{
    const QTemporaryDir dir;
    Trace trace;
    constexpr std::uint64_t kPerCoroutine = 40'000;
    for (std::uint64_t n = 0; n < kPerCoroutine; n += 500)
        trace.consume(manyEvents(100, n, 500));
    QVERIFY(trace.history.evictedEvents() > 0);
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    const auto report = trace.exportTo(path);
    QVERIFY(bool(report));
    QCOMPARE(report->evictedEvents, trace.history.evictedEvents());
    QCOMPARE(report->rows + report->evictedEvents, trace.population.captured());
    QCOMPARE(report->lostEvents, 0U);
    const QString evicted = QString::number(report->evictedEvents);
    const Database db(path);
    QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name = 'dropped_events'"), QStringList(evicted));
    QCOMPARE(db.rows("SELECT sum(dropped) FROM coroutines"), QStringList(evicted));
}

void TestExportTrace::exportsWakesAndWaitsInMemory()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    Trace trace;
    Batch batch = manyEvents(3, 0, 10);
    for (std::uint64_t n = 0; n < 40'000; ++n)
        batch.notes.wakes.push_back({1, 0, n, 1'000'000 + n, 4242, 78});
    batch.notes.wakes.push_back({2, 0, 1, 1'000'001, 4242, 78});
    batch.notes.waits.push_back({0, 2, WaitKind::Lock, 0xF00, kNoCoroutine});
    trace.consume(batch);
    const auto dump = [&] {
        const auto report = trace.exportTo(path);
        return report ? report->evictedNotes : ~std::uint64_t{0};
    };
    QCOMPARE(dump(), 0U);
    {
        const Database db(path);
        QCOMPARE(db.rows("SELECT coroutine, count(*), count(DISTINCT n) FROM wakes GROUP BY coroutine"),
                 QStringList({QStringLiteral("1|40000|40000"), QStringLiteral("2|1|1")}));
        QCOMPARE(db.rows("SELECT coroutine, n FROM waits"), QStringList(QStringLiteral("0|2")));
        QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name = 'dropped_notes'"),
                 QStringList(QStringLiteral("0")));
    }
    // Wakes beyond an eighth of the budget: the oldest are evicted, but each coroutine keeps its latest.
    constexpr std::uint64_t kRoom = (16U << 20) / 8 / 40;
    batch.clear();
    for (std::uint64_t n = 40'000; n < 120'000; ++n)
        batch.notes.wakes.push_back({1, 0, n, 1'000'000 + n, 4242, 78});
    batch.now = 2'000'000;
    trace.consume(batch);
    constexpr std::uint64_t kEvicted = 120'002 - kRoom - 1;
    QCOMPARE(dump(), kEvicted);
    const Database db(path);
    QCOMPARE(db.rows("SELECT coroutine, count(*), max(n) FROM wakes GROUP BY coroutine"),
             QStringList({QStringLiteral("1|%1|119999").arg(kRoom), QStringLiteral("2|1|1")}));
    QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name = 'dropped_notes'"),
             QStringList(QString::number(kEvicted)));
}

void TestExportTrace::traceGrowsDuringTheExport()
{
    const QTemporaryDir dir;
    Trace trace;
    trace.consume(manyEvents(100, 0, 200));
    std::atomic<bool> stop = false;
    std::thread target([&] {
        for (std::uint64_t n = 200; n < 4000 && !stop.load(std::memory_order_relaxed); n += 100)
            trace.consume(manyEvents(100, n, 100));
    });
    const QString path = dir.filePath(QStringLiteral("t.jsonl"));
    const auto report = trace.exportTo(path);
    stop.store(true, std::memory_order_relaxed);
    target.join();
    QVERIFY(bool(report));
    QVERIFY(report->rows >= 20'000);
    const QByteArray text = contentOf(path);
    QCOMPARE(static_cast<std::uint64_t>(text.count('\n')), report->rows);
    QVERIFY(!text.contains("lost_before") && !text.contains("dropped_before"));
}

/// Records are evicted before the export reaches them, with their events and losses.
void TestExportTrace::countsRecordsEvictedDuringTheExport()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    EvictingTrace trace;
    trace.run(20'000);
    const auto report = trace.exportWhileRunning(path);
    QVERIFY(bool(report));
    QVERIFY(report->overflowCoroutines > 0);
    QCOMPARE(report->coroutines + report->overflowCoroutines, 20'000U);
    QCOMPARE(report->rows + report->overflowEvents, 20'000U);
    QCOMPARE(report->lostEvents, 60'000U);
    QCOMPARE(report->evictedEvents, 0U);
    QCOMPARE(infoOf(path, "events") + infoOf(path, "events_not_kept"), 20'000U);
    QCOMPARE(infoOf(path, "lost_events"), 60'000U);
}

/// The record is evicted while the events of its coroutine are written.
void TestExportTrace::countsARecordEvictedWhileItsEventsAreWritten()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    EvictingTrace trace;
    Batch batch = manyEvents(1, 0, 50'000);
    batch.deaths.push_back({0, batch.now});
    trace.consume(batch);
    trace.run(20'000);
    const auto report = trace.exportWhileRunning(path);
    QVERIFY(bool(report));
    QVERIFY(report->overflowCoroutines > 0);
    QCOMPARE(report->rows + report->overflowEvents, 70'000U);
    QCOMPARE(infoOf(path, "events") + infoOf(path, "events_not_kept"), 70'000U);
    QCOMPARE(report->lostEvents, 60'000U);
}

/// Losses of evicted records are counted even if the given sums are of an earlier moment.
void TestExportTrace::lossesWithoutARecordAreInTheSumsOfAnyMoment()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    EvictingTrace trace;
    for (int i = 0; i < 4; ++i)
        trace.run(20'000);
    QVERIFY(trace.population.overflow().lost > 0);
    QCOMPARE(trace.exportTo(path)->lostEvents, 240'000U);
    --trace.sums.captured;
    QCOMPARE(trace.exportTo(path)->lostEvents, 240'000U);
}

void TestExportTrace::exportsEveryRowOfALargeTrace()
{
    const QTemporaryDir dir;
    Trace trace(256U << 20);
    trace.consume(manyEvents(1000, 0, 100));
    trace.consume(manyEvents(1000, 100, 100));
    for (const ExportFormat &each : exportFormats()) {
        const auto report = trace.exportTo(pathFor(dir, each));
        QVERIFY(bool(report));
        QCOMPARE(report->rows, 200'000U);
    }
    QCOMPARE(Database(dir.filePath(QStringLiteral("t.sqlite"))).rows("SELECT count(*), sum(n) FROM coro_trace_events"),
             QStringList(QStringLiteral("200000|19900000")));
    QCOMPARE(contentOf(dir.filePath(QStringLiteral("t.csv"))).count('\n'), 200'001);
}

CT_QT_SUITE(TestExportTrace)
#include "tst_exporttrace.moc"
