// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exporting/exportsupport.h"
#include "tests/support/qtsuite.h"

#include <thread>

using namespace exporttest;

class TestExportSinks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsFormatsByFileEnding();
    void writesCsvRows();
    void csvForSpreadsheetsEscapesFormulas();
    void sqliteHasSchemaAndContent();
    void writesSqliteBehindALink();
    void writesNotesIntoSqlite();
    void writesNotesIntoCsvAndJsonl();
    void sinkMovesToTheThreadThatConsumes();
    void sqliteWithoutFinishIsValid();
    void refusesSqliteNamesOfOtherEncodings();
    void makingASinkReportsUnwritableFiles_data();
    void makingASinkReportsUnwritableFiles();
    void oldContentStaysUntilThereIsNew_data();
    void oldContentStaysUntilThereIsNew();
    void reportsAFullDisk();
    void sqliteFullDiskStaysValid();
};

void TestExportSinks::findsFormatsByFileEnding()
{
    QCOMPARE(exportFormats().size(), std::size_t(6));
    QCOMPARE(exportFormatFor("a/b.c.SQLite")->name, std::string_view("SQLite"));
    QCOMPARE(exportFormatFor("run.csv")->name, std::string_view("CSV"));
    QCOMPARE(exportFormatFor("run.jsonl")->name, std::string_view("JSONL"));
    QCOMPARE(exportFormatFor("run.pftrace")->name, std::string_view("Perfetto"));
    QCOMPARE(exportFormatFor("run.json")->name, std::string_view("Chrome trace"));
    QCOMPARE(exportFormatFor("run.ctr")->name, std::string_view("Recording"));
    QCOMPARE(exportFormatFor("run.csv.gz")->name, std::string_view("CSV"));
    QCOMPARE(exportFormatFor("run.JSONL.zst")->name, std::string_view("JSONL"));
    QVERIFY(!exportFormatFor("-"));  // standard output is for recordings
    for (const char *none : {"", "csv", "runcsv", "run.csv.xz", "run.sqlite.gz", ".gz", "run.", "sqlite", ".csvx"})
        QVERIFY2(!exportFormatFor(none), none);
}

void TestExportSinks::writesCsvRows()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("a.csv"));
    auto sink = format("csv").makeSink(path.toStdString());
    QVERIFY(bool(sink));
    QVERIFY(bool((*sink)->consume(sampleBatch())));
    QVERIFY(bool((*sink)->finish({})));
    QCOMPARE(contentOf(path), kSampleCsv);
}

void TestExportSinks::csvForSpreadsheetsEscapesFormulas()
{
    // Quoted like the raw text, with one apostrophe in front. Other text is unchanged.
    const std::vector<std::pair<std::string, QByteArray>> names{
        {"=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"},
        {"+1+2", "'+1+2"},
        {"-2", "'-2"},
        {"@SUM(1,2)", "\"'@SUM(1,2)\""},
        {"\t=1", "'\t=1"},
        {"\tplain", "'\tplain"},
        {"\r=1", "\"'\r=1\""},
        {"\nplain", "\"'\nplain\""},
        {"  =1", "'  =1"},
        {"\x01=1", "'\x01=1"},
        {"\xC2\xA0=1", "'\xC2\xA0=1"},
        {"\xEF\xBC\x9D\x31", "'\xEF\xBC\x9D\x31"},
        {"=\"a\"", "\"'=\"\"a\"\"\""},
        {"plain=1", "plain=1"},
        {"'quoted", "'quoted"},
        {"12", "12"},
        {" ", " "},
    };
    for (const auto &[name, cell] : names) {
        Batch batch;
        batch.sites.push_back({1, 7, 0, name, name});
        batch.births = {birth(0, 5)};
        batch.notes.names = {{0, name}};
        batch.transitions = {transition(0, 0, 5000, false, 1)};
        const QTemporaryDir dir;
        QByteArray rows[2];
        for (const bool escaped : {false, true}) {
            const QString path = dir.filePath(QStringLiteral("a.csv"));
            const ExportFormat &csv = format("csv");
            const auto sink = (escaped ? forSpreadsheets(csv) : csv).makeSink(path.toStdString());
            QVERIFY(bool(sink) && (*sink)->consume(batch) && (*sink)->finish({}));
            rows[escaped] = contentOf(path).mid(contentOf(path).indexOf('\n') + 1);
        }
        QCOMPARE(rows[1],
                 "5,77,0x0000000000401234,2,false,5000,0,0,4242,await," + cell + ",7," + cell + ',' + cell + ",\n");
        QCOMPARE(rows[0] == rows[1], QByteArray::fromStdString(name) == cell);
        QCOMPARE(rows[0].count('\''), 3 * QByteArray::fromStdString(name).count('\''));
    }
    QCOMPARE(&forSpreadsheets(format("sqlite")), &format("sqlite"));
    QCOMPARE(&forSpreadsheets(format("jsonl")), &format("jsonl"));
}

void TestExportSinks::sqliteHasSchemaAndContent()
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
                          QStringLiteral("2|18446744073709551615|77|0x0000000000000000|2|1|5010|1|0|4242|1|await"),
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
    QCOMPARE(
        db.rows("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'idx_coro_trace%' ORDER BY name"),
        QStringList({QStringLiteral("idx_coro_trace_events_coroutine_n"),
                     QStringLiteral("idx_coro_trace_events_probe_seq"), QStringLiteral("idx_coro_trace_events_tid_ts"),
                     QStringLiteral("idx_coro_trace_events_ts")}));
    QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name IN ('complete', 'lost_events') ORDER BY name"),
             QStringList({QStringLiteral("1"), QStringLiteral("3")}));
    QCOMPARE(db.rows("PRAGMA integrity_check"), QStringList(QStringLiteral("ok")));
}

/// Files next to the link belong to another database.
void TestExportSinks::writesSqliteBehindALink()
{
    const QTemporaryDir dir;
    const QString link = dir.filePath(QStringLiteral("link.sqlite"));
    putContent(dir.filePath(QStringLiteral("real.sqlite")), "not a database at all");
    QVERIFY(QFile::link(QStringLiteral("real.sqlite"), link));
    for (const char *suffix : {"-journal", "-wal", "-shm"}) {
        putContent(link + QLatin1String(suffix), "precious");
        putContent(dir.filePath(QStringLiteral("real.sqlite")) + QLatin1String(suffix), "left over");
    }
    auto sink = format("sqlite").makeSink(link.toStdString());
    QVERIFY(bool(sink));
    QVERIFY(bool((*sink)->consume(sampleBatch())));
    QVERIFY(bool((*sink)->finish({})));
    QCOMPARE(filesIn(dir), QStringList({QStringLiteral("link.sqlite"), QStringLiteral("link.sqlite-journal"),
                                        QStringLiteral("link.sqlite-shm"), QStringLiteral("link.sqlite-wal"),
                                        QStringLiteral("real.sqlite")}));
    for (const char *suffix : {"-journal", "-wal", "-shm"})
        QCOMPARE(contentOf(link + QLatin1String(suffix)), QByteArray("precious"));
    QCOMPARE(Database(link).rows("SELECT count(*) FROM coro_trace_events"), QStringList(QStringLiteral("5")));
}

void TestExportSinks::writesNotesIntoSqlite()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("a.sqlite"));
    auto sink = format("sqlite").makeSink(path.toStdString());
    QVERIFY(bool(sink));
    Batch batch = sampleBatch();
    batch.notes = sampleNotes();
    batch.births.push_back(birth(3, 4));
    batch.births.back().pid = 17;  // a process without a row
    QVERIFY(bool((*sink)->consume(batch)));
    batch.clear();
    batch.notes.names = {{1, "renamed"}, {3, "bad\xFFutf"}};
    batch.notes.waits = {{2, 4, WaitKind::Timer, 1234567, kNoCoroutine},
                         {3, 0, WaitKind::Lock, 5, kNoCoroutine, 1},
                         {3, 0, WaitKind::Timer, 6, kNoCoroutine, 3},
                         {3, 2, WaitKind::Other, 7, kNoCoroutine, 2}};
    batch.notes.uses = {{1, 3, UseKind::Acquired, 0xABC, 1, 7000, 4242, 78},
                        {kNoCoroutine, 0, UseKind::Released, 0xABC, kUnknownSite, 7001, 4242, 0},
                        {2, 9, UseKind::Signalled, ~std::uint64_t{0}, 2, 7002, 0, 9}};
    batch.notes.wakersLeft = {{1, 4, 2, 7003}, {1, 4, 0, 7004}};
    batch.notes.finishes = {{2, 7005, 1}};
    QVERIFY(bool((*sink)->consume(batch)));
    Accounting sums;
    sums.recordsDropped = 12;
    sums.bornWhileOff = 2;
    QVERIFY(bool((*sink)->finish(sums)));

    const Database db(path);
    QCOMPARE(db.rows("SELECT coroutine, name, parent FROM coroutines ORDER BY coroutine"),
             QStringList({QStringLiteral("0|say \"hi\", 'you'|2"), QStringLiteral("1|renamed|0"), QStringLiteral("2||"),
                          QStringLiteral("3|bad\uFFFDutf|")}));
    QCOMPARE(db.rows("SELECT pid, name, first_ts, end_ts FROM processes ORDER BY process"),
             QStringList({QStringLiteral("4242|ser'ver|500|"), QStringLiteral("4243|client|600|6900"),
                          QStringLiteral("17|||")}));
    QCOMPARE(db.rows("SELECT pid, tid, name FROM threads"), QStringList(QStringLiteral("4242|77|io\u00E4")));
    QCOMPARE(
        db.rows("SELECT coroutine, n, kind, object, target, mode, position FROM waits ORDER BY coroutine"),
        QStringList({QStringLiteral("0|6|lock|0x000000000000beef||one|0"), QStringLiteral("1|1|coroutine||0|one|0"),
                     QStringLiteral("2|4|timer|1234567||one|0"), QStringLiteral("3|0|lock|0x0000000000000005||any|0"),
                     QStringLiteral("3|0|timer|6||any|1"), QStringLiteral("3|2|other|0x0000000000000007||all|0")}));
    QCOMPARE(db.rows("SELECT kind, object, ts, by_coroutine, n, site_id, pid, tid FROM uses ORDER BY ts"),
             QStringList({QStringLiteral("acquired|0x0000000000000abc|7000|1|3|1|4242|78"),
                          QStringLiteral("released|0x0000000000000abc|7001||0||4242|"),
                          QStringLiteral("signalled|0xffffffffffffffff|7002|2|9|2||9")}));
    QCOMPARE(db.rows("SELECT coroutine, n, ts, wakers FROM wakers_left ORDER BY ts"),
             QStringList({QStringLiteral("1|4|7003|2"), QStringLiteral("1|4|7004|0")}));
    QCOMPARE(db.rows("SELECT coroutine, finish_ts FROM coroutines WHERE finish_ts IS NOT NULL"),
             QStringList(QStringLiteral("2|7005")));
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
    QCOMPARE(db.rows("SELECT name, parent FROM coro_trace WHERE coroutine = 1"),
             QStringList(QStringLiteral("renamed|0")));
    QCOMPARE(db.rows("SELECT value FROM trace_info WHERE name IN ('records_dropped', 'born_while_off') ORDER BY name"),
             QStringList({QStringLiteral("2"), QStringLiteral("12")}));
}

void TestExportSinks::writesNotesIntoCsvAndJsonl()
{
    const QTemporaryDir dir;
    Batch batch = sampleBatch();
    batch.notes = sampleNotes();
    QHash<QByteArray, QList<QByteArray>> lines;
    for (const char *extension : {"csv", "jsonl"}) {
        const QString path = dir.filePath(QStringLiteral("a.") + QLatin1String(extension));
        auto sink = format(extension).makeSink(path.toStdString());
        QVERIFY(bool(sink));
        QVERIFY(bool((*sink)->consume(batch)));
        QVERIFY(bool((*sink)->finish({})));
        lines[extension] = contentOf(path).trimmed().split('\n');
    }
    // The first row of the sample has a line feed of its own.
    QCOMPARE(lines["csv"].at(6), QByteArray("18446744073709551615,77,0x0000000000401234,2,false,5060,6,0,4242,final,"
                                            "plain.cpp,,f,\"say \"\"hi\"\", 'you'\",2"));
    QVERIFY(lines["csv"].at(7).endsWith(",4242,await,,,,plain,0"));
    // Each note is written once. Lines of coroutines without notes have no additional fields.
    const QByteArray expected = ",\"name\":\"say \\\"hi\\\", 'you'\",\"parent\":2";
    const QList<QByteArray> &jsonl = lines["jsonl"];
    const qsizetype first =
        jsonl.indexOf("{\"note\":\"birth\",\"coroutine\":2,\"probe_id\":3,\"birth_ts\":1002,\"pid\":4242}") + 1;
    QCOMPARE(first, 4);  // behind two processes and a thread: the parent of coroutine 0 has no event
    QVERIFY(jsonl.at(first).contains(expected));
    QVERIFY(!jsonl.at(first + 1).contains("name") && !jsonl.at(first + 1).contains("parent"));
    QVERIFY(jsonl.at(first + 4).contains(",\"name\":\"plain\",\"parent\":0"));
}

void TestExportSinks::sinkMovesToTheThreadThatConsumes()
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

void TestExportSinks::sqliteWithoutFinishIsValid()
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

/// Qt passes names to SQLite as UTF-8, so the rows would be in a file with another name.
void TestExportSinks::refusesSqliteNamesOfOtherEncodings()
{
    const QTemporaryDir dir;
    Trace trace;
    trace.consume(sampleBatch());
    const std::string path = dir.path().toStdString() + "/caf\xe9.sqlite";
    const auto report = exportTrace(trace.population, trace.history, format("sqlite"), path, {});
    QVERIFY(!report);
    const std::string &message = report.error().message;
    QVERIFY2(message.find("must be valid UTF-8") != std::string::npos, message.c_str());
    QVERIFY2(message.starts_with(path + ": "), message.c_str());
    QCOMPARE(filesIn(dir), QStringList());
}

void TestExportSinks::makingASinkReportsUnwritableFiles_data()
{
    QTest::addColumn<QString>("extension");
    for (const ExportFormat &each : exportFormats())
        QTest::newRow(each.extension.data()) << QString::fromLatin1(each.extension.data());
}

void TestExportSinks::makingASinkReportsUnwritableFiles()
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

void TestExportSinks::oldContentStaysUntilThereIsNew_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"a.jsonl", "a.csv", "a.sqlite", "a.pftrace", "a.json", "a.ctr", "a.jsonl.gz", "a.csv.zst"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

/// A capture that begins sends batches without content, for seconds on a busy machine, and then the target may fail to
/// start.
void TestExportSinks::oldContentStaysUntilThereIsNew()
{
    QFETCH(QString, name);
    const QTemporaryDir dir;
    const QString path = dir.filePath(name);
    const ExportFormat &tried = *exportFormatFor(name.toStdString());
    putContent(path, "older");
    Batch batch;
    {
        const auto sink = tried.makeSink(path.toStdString());
        QVERIFY(bool(sink));
        for (batch.now = 1'000'000'000; batch.now < 4'000'000'000; batch.now += 500'000'000)
            QVERIFY(bool((*sink)->consume(batch)));
    }
    QCOMPARE(contentOf(path), QByteArray("older"));
    const auto sink = tried.makeSink(path.toStdString());
    QVERIFY(bool(sink));
    QVERIFY(bool((*sink)->consume(batch)));
    QVERIFY(bool((*sink)->finish({})));
    QVERIFY(!contentOf(path).contains("older"));
}

void TestExportSinks::reportsAFullDisk()
{
    auto csv = format("csv").makeSink("/dev/full");
    QVERIFY(bool(csv));
    QVERIFY(bool((*csv)->consume(sampleBatch())));
    const Result<void> finished = (*csv)->finish({});
    QVERIFY(!finished);
    QCOMPARE(finished.error().code, ErrorCode::NoSpace);
    QVERIFY(finished.error().message.find("/dev/full") != std::string::npos);
    // SQLite cannot use a device as a file.
    QVERIFY(!format("sqlite").makeSink("/dev/full"));
}

void TestExportSinks::sqliteFullDiskStaysValid()
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

CT_QT_SUITE(TestExportSinks)
#include "tst_exportsinks.moc"
