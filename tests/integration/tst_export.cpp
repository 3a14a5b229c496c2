// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/exporting.h"

#include <QElapsedTimer>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QSqlRecord>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

using namespace ct;

namespace {

constexpr std::uint64_t kHugeId = 18446744073709551615ULL;

Birth birth(CoroutineId id, std::uint64_t probeId, Dialect dialect = Dialect::Seqlock)
{
    Birth birth;
    birth.coroutine = id;
    birth.station = id;
    birth.probeId = probeId;
    birth.birthTs = 1000 + id;
    birth.pid = 4242;
    birth.dialect = dialect;
    return birth;
}

Transition transition(CoroutineId id, std::uint64_t n, std::uint64_t ts, bool active, SiteId site = kUnknownSite,
                      PointKind kind = PointKind::Await, Dialect dialect = Dialect::Seqlock)
{
    Transition event;
    event.coroutine = id;
    event.n = n;
    event.seq = slotSeq(dialect, n);
    event.ts = ts;
    event.addr = active ? 0 : 0x401234;
    event.tid = 77;
    event.site = site;
    event.kind = kind;
    event.active = active;
    return event;
}

/// Three coroutines: one with a gap, one monotonic and dead, one without any transition.
Batch sampleBatch()
{
    Batch batch;
    batch.sites.push_back({1, 88, 5, "a \"b\", c.cpp", "task\nserve(int)"});
    batch.sites.push_back({2, 0, 0, "plain.cpp", "f"});
    batch.births = {birth(0, kHugeId), birth(1, 2, Dialect::Monotonic), birth(2, 3)};
    batch.transitions = {transition(0, 0, 5000, false, 1, PointKind::Initial), transition(0, 1, 5010, true, 1)};
    batch.losses.push_back({0, 2, 3, false});
    batch.transitions.push_back(transition(0, 5, 5050, true));
    batch.transitions.push_back(transition(0, 6, 5060, false, 2, PointKind::Final));
    batch.transitions.push_back(transition(1, 1, 6000, false, kUnknownSite, PointKind::Await, Dialect::Monotonic));
    batch.deaths.push_back({1, 7000});
    batch.now = 8000;
    return batch;
}

const QByteArray kSampleCsv = "probe_id,tid,addr,seq,is_active,ts,n,coroutine,pid,kind,file,line,function\n"
                              "18446744073709551615,77,0x0000000000401234,2,false,5000,0,0,4242,initial,"
                              "\"a \"\"b\"\", c.cpp\",88,\"task\nserve(int)\"\n"
                              "18446744073709551615,77,0x0000000000000000,2,true,5010,1,0,4242,await,,,\n"
                              "18446744073709551615,77,0x0000000000000000,2,true,5050,5,0,4242,await,,,\n"
                              "18446744073709551615,77,0x0000000000401234,2,false,5060,6,0,4242,final,plain.cpp,,f\n"
                              "2,77,0x0000000000401234,1,false,6000,1,1,4242,await,,,\n";

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void putContent(const QString &path, const QByteArray &content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
}

/// A database opened for the length of a test.
class Database {
public:
    explicit Database(const QString &path)
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_name);
        database.setConnectOptions(QStringLiteral("QSQLITE_OPEN_READONLY"));
        database.setDatabaseName(path);
        database.open();
    }
    ~Database()
    {
        QSqlDatabase::database(m_name, false).close();
        QSqlDatabase::removeDatabase(m_name);
    }

    /// All rows, columns joined by '|', NULL as nothing.
    QStringList rows(const char *sql) const
    {
        QSqlQuery query(QSqlDatabase::database(m_name, false));
        QStringList rows;
        if (!query.exec(QString::fromLatin1(sql)))
            return {query.lastError().text()};
        while (query.next()) {
            QStringList row;
            for (int column = 0; column < query.record().count(); ++column)
                row << query.value(column).toString();
            rows << row.join(QLatin1Char('|'));
        }
        return rows;
    }

private:
    const QString m_name = QStringLiteral("tst_export");
};

struct Trace {
    Population population;
    History history{16U << 20};
    void consume(const Batch &batch)
    {
        QVERIFY(bool(population.consume(batch)));
        QVERIFY(bool(history.consume(batch)));
    }
};

const ExportFormat &format(std::string_view extension)
{
    return *exportFormatFor("x." + std::string(extension));
}

QStringList filesIn(const QTemporaryDir &dir)
{
    return QDir(dir.path()).entryList(QDir::Files | QDir::Hidden);
}

}  // namespace

class TestExport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void formatsByEnding();
    void csvRows();
    void sqliteSchemaAndContent();
    void sinkMovesToTheThreadThatConsumes();
    void sqliteWithoutFinishIsValid();
    void unwritableIsNoticedBeforeTheStart_data();
    void unwritableIsNoticedBeforeTheStart();
    void fullDisk();
    void sqliteFullDiskStaysValid();
    void traceToEveryFormat();
    void traceOfAnAttachedRun();
    void lossesAtTheEndAreCounted();
    void existingFileIsKeptOnCancel();
    void existingFileIsKeptOnFailure();
    void linkAndPermissionsStay();
    void droppedHistoryIsReported();
    void traceGrowsMeanwhile();
    void aMillionTransitions();
};

void TestExport::formatsByEnding()
{
    QCOMPARE(exportFormats().size(), std::size_t(3));
    QCOMPARE(exportFormatFor("a/b.c.SQLite")->name, std::string_view("SQLite"));
    QCOMPARE(exportFormatFor("run.csv")->name, std::string_view("CSV"));
    QCOMPARE(exportFormatFor("run.jsonl")->name, std::string_view("JSONL"));
    QCOMPARE(exportFormatFor("-")->name, std::string_view("JSONL"));
    for (const char *none : {"", "csv", "runcsv", "run.csv.gz", "run.", "sqlite", ".csvx"})
        QVERIFY2(!exportFormatFor(none), none);
}

void TestExport::csvRows()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("a.csv"));
    auto sink = format("csv").makeSink(path.toStdString());
    QVERIFY(bool(sink));
    QVERIFY(bool((*sink)->consume(sampleBatch())));
    QVERIFY(bool((*sink)->finish({})));
    QCOMPARE(contentOf(path), kSampleCsv);
}

void TestExport::sqliteSchemaAndContent()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("a.sqlite"));
    putContent(path, "not a database at all");
    putContent(path + QStringLiteral("-journal"), "left over");
    auto sink = format("sqlite").makeSink(path.toStdString());
    QVERIFY(bool(sink));
    QVERIFY(bool((*sink)->consume(sampleBatch())));
    Accounting sums;
    sums.captured = 5;
    sums.lost = 3;
    sums.coroutines = 3;
    QVERIFY(bool((*sink)->finish(sums)));
    QCOMPARE(QSqlDatabase::connectionNames(), QStringList());
    QCOMPARE(filesIn(dir), QStringList({QStringLiteral("a.sqlite")}));

    const Database db(path);
    QCOMPARE(db.rows("SELECT group_concat(name) FROM pragma_table_info('coro_trace_events')"),
             QStringList(QStringLiteral("id,probe_id,tid,addr,seq,is_active,ts,n,coroutine,pid,site_id,kind")));
    QCOMPARE(db.rows("SELECT * FROM coro_trace_events ORDER BY id"),
             QStringList({QStringLiteral("1|18446744073709551615|77|0x0000000000401234|2|0|5000|0|0|4242|1|initial"),
                          QStringLiteral("2|18446744073709551615|77|0x0000000000000000|2|1|5010|1|0|4242||await"),
                          QStringLiteral("3|18446744073709551615|77|0x0000000000000000|2|1|5050|5|0|4242||await"),
                          QStringLiteral("4|18446744073709551615|77|0x0000000000401234|2|0|5060|6|0|4242|2|final"),
                          QStringLiteral("5|2|77|0x0000000000401234|1|0|6000|1|1|4242||await")}));
    QCOMPARE(db.rows("SELECT typeof(probe_id), typeof(tid), typeof(addr), typeof(seq), typeof(is_active), typeof(ts)"
                     " FROM coro_trace_events LIMIT 1"),
             QStringList(QStringLiteral("text|integer|text|integer|integer|integer")));
    QCOMPARE(db.rows("SELECT coroutine, probe_id, pid, dialect, birth_ts, death_ts, flagged, events, lost,"
                     " missed_before_attach, dropped FROM coroutines ORDER BY coroutine"),
             QStringList({QStringLiteral("0|18446744073709551615|4242|seqlock|1000||0|4|3|0|0"),
                          QStringLiteral("1|2|4242|monotonic|1001|7000|0|1|0|0|0"),
                          QStringLiteral("2|3|4242|seqlock|1002||0|0|0|0|0")}));
    QCOMPARE(
        db.rows("SELECT * FROM sites ORDER BY site_id"),
        QStringList({QStringLiteral("1|a \"b\", c.cpp|88|5|task\nserve(int)"), QStringLiteral("2|plain.cpp|||f")}));
    QCOMPARE(db.rows("SELECT file, line FROM coro_trace WHERE id = 1"),
             QStringList(QStringLiteral("a \"b\", c.cpp|88")));
    QCOMPARE(db.rows("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'idx%' ORDER BY name"),
             QStringList({QStringLiteral("idx_coro_trace_events_coroutine_n"),
                          QStringLiteral("idx_coro_trace_events_probe_seq"),
                          QStringLiteral("idx_coro_trace_events_tid_ts"), QStringLiteral("idx_coro_trace_events_ts")}));
    QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name IN ('complete', 'lost_events') ORDER BY name"),
             QStringList({QStringLiteral("1"), QStringLiteral("3")}));
    QCOMPARE(db.rows("PRAGMA integrity_check"), QStringList(QStringLiteral("ok")));
}

void TestExport::sinkMovesToTheThreadThatConsumes()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("a.sqlite"));
    auto sink = format("sqlite").makeSink(path.toStdString());
    QVERIFY(bool(sink));
    bool good = false;
    std::thread([&] {
        good = bool((*sink)->consume(sampleBatch())) && bool((*sink)->consume(Batch())) && bool((*sink)->finish({}));
    }).join();
    sink->reset();
    QVERIFY(good);
    QCOMPARE(Database(path).rows("SELECT count(*) FROM coro_trace_events"), QStringList(QStringLiteral("5")));
}

void TestExport::sqliteWithoutFinishIsValid()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("a.sqlite"));
    {
        auto sink = format("sqlite").makeSink(path.toStdString());
        QVERIFY(bool(sink));
        QVERIFY(bool((*sink)->consume(sampleBatch())));
    }
    const Database db(path);
    QCOMPARE(db.rows("SELECT count(*) FROM coro_trace_events"), QStringList(QStringLiteral("5")));
    QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name = 'complete'"), QStringList(QStringLiteral("0")));
    QCOMPARE(db.rows("PRAGMA integrity_check"), QStringList(QStringLiteral("ok")));
}

void TestExport::unwritableIsNoticedBeforeTheStart_data()
{
    QTest::addColumn<QString>("extension");
    for (const ExportFormat &each : exportFormats())
        QTest::newRow(each.extension.data()) << QString::fromLatin1(each.extension.data());
}

void TestExport::unwritableIsNoticedBeforeTheStart()
{
    QFETCH(QString, extension);
    const QTemporaryDir dir;
    const ExportFormat &tried = format(extension.toStdString());
    const std::string missing = dir.filePath(QStringLiteral("no/such/file.")).toStdString();
    const auto sink = tried.makeSink(missing);
    QVERIFY(!sink);
    QCOMPARE(sink.error().code, ErrorCode::NotFound);
    QVERIFY(sink.error().message.find("no/such/file.") != std::string::npos);
    QVERIFY(!tried.makeSink(dir.path().toStdString()));
    QVERIFY(!tried.makeSink(""));

    Trace trace;
    trace.consume(sampleBatch());
    QVERIFY(!exportTrace(trace.population, trace.history, tried, missing, {}));
    QVERIFY(!exportTrace(trace.population, trace.history, tried, dir.path().toStdString(), {}));
    QVERIFY(!exportTrace(trace.population, trace.history, tried, "/dev/full", {}));
}

void TestExport::fullDisk()
{
    auto csv = format("csv").makeSink("/dev/full");
    QVERIFY(bool(csv));
    QVERIFY(bool((*csv)->consume(sampleBatch())));
    const Result<void> finished = (*csv)->finish({});
    QVERIFY(!finished);
    QCOMPARE(finished.error().code, ErrorCode::NoSpace);
    QVERIFY(finished.error().message.find("/dev/full") != std::string::npos);
    // SQLite cannot live in a device.
    QVERIFY(!format("sqlite").makeSink("/dev/full"));
}

namespace {

/// The largest size of a file this process may write: the disk is full beyond.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes)
    {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &m_before); }

private:
    rlimit m_before{};
};

Batch manyEvents(CoroutineId coroutines, std::uint64_t first, std::uint64_t count)
{
    Batch batch;
    if (first == 0) {
        batch.sites.push_back({1, 10, 0, "server.cpp", "serve"});
        for (CoroutineId id = 0; id < coroutines; ++id)
            batch.births.push_back(birth(id, 0x7f0000000000ULL + id * 64));
    }
    for (std::uint64_t n = first; n < first + count; ++n) {
        for (CoroutineId id = 0; id < coroutines; ++id)
            batch.transitions.push_back(transition(id, n, 1'000'000 + n * 10'000 + id, n % 2 == 1, n % 2 == 1 ? 0 : 1));
    }
    batch.now = 1'000'000 + (first + count) * 10'000;
    return batch;
}

}  // namespace

void TestExport::sqliteFullDiskStaysValid()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("a.sqlite"));
    auto sink = format("sqlite").makeSink(path.toStdString());
    QVERIFY(bool(sink));
    Result<void> written;
    {
        const FileSizeLimit limit(4U << 20);
        for (std::uint64_t n = 0; n < 3000 && written; n += 10) {
            Batch batch = manyEvents(100, n, 10);
            batch.now = n * 100'000'000;  // a commit per batch
            written = (*sink)->consume(batch);
        }
    }
    QVERIFY(!written);
    QVERIFY(written.error().message.find("a.sqlite") != std::string::npos);
    sink->reset();
    const Database db(path);
    QCOMPARE(db.rows("PRAGMA integrity_check"), QStringList(QStringLiteral("ok")));
    const QStringList count = db.rows("SELECT count(*) FROM coro_trace_events");
    QVERIFY2(count.value(0).toLongLong() >= 10'000, qPrintable(count.value(0)));
}

void TestExport::traceToEveryFormat()
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
        const QString path = dir.filePath(QStringLiteral("t.") + QString::fromLatin1(each.extension.data()));
        putContent(path, "older");
        const Result<ExportReport> report =
            exportTrace(trace.population, trace.history, each, path.toStdString(), progress);
        QVERIFY2(bool(report), report ? "" : report.error().message.c_str());
        QCOMPARE(report->rows, 5U);
        QCOMPARE(report->coroutines, 3U);
        QCOMPARE(report->lostEvents, 3U);
        QCOMPARE(report->droppedEvents, 0U);
        QCOMPARE(latest, 1.0);
    }
    QCOMPARE(contentOf(dir.filePath(QStringLiteral("t.csv"))), kSampleCsv);
    const QByteArray jsonl = contentOf(dir.filePath(QStringLiteral("t.jsonl")));
    QCOMPARE(jsonl.count('\n'), 5);
    QVERIFY(jsonl.contains("\"n\":5,\"coroutine\":0,\"lost_before\":3}"));
    {
        const Database db(dir.filePath(QStringLiteral("t.sqlite")));
        QCOMPARE(db.rows("SELECT events, lost, death_ts FROM coroutines ORDER BY coroutine"),
                 QStringList({QStringLiteral("4|3|"), QStringLiteral("1|0|7000"), QStringLiteral("0|0|")}));
    }
    QCOMPARE(filesIn(dir).size(), 3);
}

void TestExport::traceOfAnAttachedRun()
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
    const auto report = exportTrace(trace.population, trace.history, format("jsonl"), path.toStdString(), {});
    QVERIFY(bool(report));
    QCOMPARE(report->lostEvents, 0U);
    QVERIFY(contentOf(path).contains("\"missed_before\":10}"));
}

void TestExport::lossesAtTheEndAreCounted()
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
    const auto report = exportTrace(trace.population, trace.history, format("sqlite"), path.toStdString(), {});
    QVERIFY(bool(report));
    QCOMPARE(report->lostEvents, 9U);
    QCOMPARE(Database(path).rows("SELECT events, lost, dropped FROM coroutines ORDER BY coroutine"),
             QStringList({QStringLiteral("1|7|0"), QStringLiteral("0|2|0")}));
}

void TestExport::existingFileIsKeptOnCancel()
{
    const QTemporaryDir dir;
    Trace trace;
    trace.consume(manyEvents(100, 0, 300));
    for (const ExportFormat &each : exportFormats()) {
        const QString path = dir.filePath(QStringLiteral("t.") + QString::fromLatin1(each.extension.data()));
        putContent(path, "precious");
        for (int calls = 1; calls <= 4; ++calls) {
            int left = calls;
            const auto report = exportTrace(trace.population, trace.history, each, path.toStdString(),
                                            [&left](double) { return --left > 0; });
            QVERIFY(!report);
            QCOMPARE(report.error().code, ErrorCode::Cancelled);
            QCOMPARE(contentOf(path), QByteArray("precious"));
        }
    }
    QCOMPARE(filesIn(dir).size(), 3);
    QCOMPARE(QSqlDatabase::connectionNames(), QStringList());
}

void TestExport::existingFileIsKeptOnFailure()
{
    const QTemporaryDir dir;
    Trace trace;
    trace.consume(manyEvents(100, 0, 300));
    for (const ExportFormat &each : exportFormats()) {
        const QString path = dir.filePath(QStringLiteral("t.") + QString::fromLatin1(each.extension.data()));
        putContent(path, "precious");
        const FileSizeLimit limit(200'000);
        const auto report = exportTrace(trace.population, trace.history, each, path.toStdString(), {});
        QVERIFY(!report);
        QCOMPARE(contentOf(path), QByteArray("precious"));
    }
    QCOMPARE(filesIn(dir).size(), 3);
}

void TestExport::linkAndPermissionsStay()
{
    const QTemporaryDir dir;
    Trace trace;
    trace.consume(sampleBatch());
    const QString target = dir.filePath(QStringLiteral("target.csv"));
    const QString link = dir.filePath(QStringLiteral("link.csv"));
    putContent(target, "older");
    QVERIFY(QFile::link(target, link));
    QVERIFY(chmod(target.toLocal8Bit().constData(), 0640) == 0);
    QVERIFY(bool(exportTrace(trace.population, trace.history, format("csv"), link.toStdString(), {})));
    QVERIFY(QFileInfo(link).isSymLink());
    QCOMPARE(contentOf(target), kSampleCsv);
    struct stat info = {};
    QVERIFY(stat(target.toLocal8Bit().constData(), &info) == 0);
    QCOMPARE(info.st_mode & 07777, 0640U);
}

void TestExport::droppedHistoryIsReported()
{
    const QTemporaryDir dir;
    Trace trace;
    constexpr std::uint64_t kPerCoroutine = 40'000;
    for (std::uint64_t n = 0; n < kPerCoroutine; n += 500)
        trace.consume(manyEvents(100, n, 500));
    QVERIFY(trace.history.droppedEvents() > 0);
    const QString path = dir.filePath(QStringLiteral("t.sqlite"));
    const auto report = exportTrace(trace.population, trace.history, format("sqlite"), path.toStdString(), {});
    QVERIFY(bool(report));
    QCOMPARE(report->droppedEvents, trace.history.droppedEvents());
    QCOMPARE(report->rows + report->droppedEvents, trace.population.captured());
    QCOMPARE(report->lostEvents, 0U);
    const QString dropped = QString::number(report->droppedEvents);
    const Database db(path);
    QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name = 'dropped_events'"), QStringList(dropped));
    QCOMPARE(db.rows("SELECT sum(dropped) FROM coroutines"), QStringList(dropped));
}

void TestExport::traceGrowsMeanwhile()
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
    const auto report = exportTrace(trace.population, trace.history, format("jsonl"), path.toStdString(), {});
    stop.store(true, std::memory_order_relaxed);
    target.join();
    QVERIFY(bool(report));
    QVERIFY(report->rows >= 20'000);
    const QByteArray text = contentOf(path);
    QCOMPARE(static_cast<std::uint64_t>(text.count('\n')), report->rows);
    QVERIFY(!text.contains("lost_before") && !text.contains("dropped_before"));
}

void TestExport::aMillionTransitions()
{
    const QTemporaryDir dir;
    Trace trace;
    History roomy(256U << 20);
    for (std::uint64_t n = 0; n < 1000; n += 100) {
        const Batch batch = manyEvents(1000, n, 100);
        trace.consume(batch);
        QVERIFY(bool(roomy.consume(batch)));
    }
    for (const ExportFormat &each : exportFormats()) {
        const QString path = dir.filePath(QStringLiteral("t.") + QString::fromLatin1(each.extension.data()));
        QElapsedTimer timer;
        timer.start();
        const auto report = exportTrace(trace.population, roomy, each, path.toStdString(), {});
        qInfo("%s: %.0f ns per row", each.name.data(), static_cast<double>(timer.nsecsElapsed()) / 1e6);
        QVERIFY(bool(report));
        QCOMPARE(report->rows, 1'000'000U);
    }
    QCOMPARE(Database(dir.filePath(QStringLiteral("t.sqlite"))).rows("SELECT count(*), sum(n) FROM coro_trace_events"),
             QStringList(QStringLiteral("1000000|499500000")));
    QCOMPARE(contentOf(dir.filePath(QStringLiteral("t.csv"))).count('\n'), 1'000'001);
}

QTEST_GUILESS_MAIN(TestExport)
#include "tst_export.moc"
