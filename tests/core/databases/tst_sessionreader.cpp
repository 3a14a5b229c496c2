// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/sessionname.h"
#include "core/databases/storedsessions.h"
#include "core/recording/write/recordingwriter.h"
#include "tests/core/databases/sessiontest.h"
#include "tests/support/qtsuite.h"

#include <QDirIterator>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <random>

using namespace ct;
using namespace ct::test;

class TestSessionReader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void readsBackWhatARecordingHas_data();
    void readsBackWhatARecordingHas();
    void writesTheSameRowsAgain();
    void keepsExtremeValues();
    void keepsEndsAtUnknownTimes();
    void readsSelections();
    void keepsTheEndOfAnUnnamedProcess();
    void reportsDeletedGaps();
    void reportsDeletedCoroutines();
    void keepsEverySum();
    void leavesOutClocksThatDoNotFitTheirColumn();
    void opensAnInterruptedExport();
    void keepsLocationsOfAddresses();
    void listsTheSessionOfAFile();
    void refusesOtherFiles();
    void reportsInvalidRows_data();
    void reportsInvalidRows();
    void refusesEndlessViews();
    void endsWhenCancelled();
    void survivesDamage();

private:
    std::string path(const char *name) const { return m_folder->filePath(QString::fromLatin1(name)).toStdString(); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSessionReader::readsBackWhatARecordingHas_data()
{
    QTest::addColumn<QString>("file");
    QDirIterator files(QString::fromStdString(recording("")), {QStringLiteral("*.ctr")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString file = files.next();
        QTest::newRow(qPrintable(file.section(QLatin1Char('/'), -2))) << file;
    }
}

void TestSessionReader::readsBackWhatARecordingHas()
{
    QFETCH(const QString, file);
    const std::string database = path("run.sqlite");
    const Content expected = write(file.toStdString(), database);
    QCOMPARE(expected.error, std::string());
    QVERIFY(!expected.events.isEmpty());
    const Content stored = read(database);
    QCOMPARE(stored.error, std::string());
    QCOMPARE(stored.events, expected.events);
    QCOMPARE(stored.others, expected.others);
    QCOMPARE(sumsOf(stored.sums), sumsOf(expected.sums));
    QVERIFY(stored.info == expected.info);
    QCOMPARE(stored.now, expected.now);
    QVERIFY(stored.hasEnded);
}

/// So every row also has the same position in the stream.
void TestSessionReader::writesTheSameRowsAgain()
{
    for (const char *name : {"causes/channel-without-sender.broken.ctr", "causes/await-cycle.ctr"}) {
        const std::string first = path("first.sqlite");
        const std::string second = path("second.sqlite");
        QCOMPARE(write(recording(name), first).error, std::string());
        QCOMPARE(write(first, second).error, std::string());
        const QStringList expected = rowsOf(first);
        QVERIFY(expected.size() > 100);
        QCOMPARE(rowsOf(second), expected);
    }
}

void TestSessionReader::keepsExtremeValues()
{
    constexpr std::uint64_t kHuge = ~std::uint64_t{0};
    const std::string text = "it's \"quoted\", \\ back\tslash,\nlines \xC3\xA4\xF0\x9F\x98\x80 %s";
    Batch batch;
    batch.sites = {{1, 4294967295, 7, text, text}, {2, 0, 0, "", ""}};
    Birth birth;
    birth.coroutine = 0;
    birth.station = 4294967295;
    birth.dialect = Dialect::Lane;
    birth.probeId = kHuge;
    birth.birthTs = std::uint64_t{1} << 63;
    batch.births = {birth};
    Transition event;
    event.coroutine = 0;
    event.ts = event.addr = event.n = event.seq = kHuge;
    event.tid = 4294967295;
    event.site = 1;
    event.kind = PointKind::Yield;
    batch.transitions = {event};
    batch.losses = {{0, 5, std::uint64_t{1} << 63, true}};
    batch.flags = {{0, Flag::Reason::DialectContradiction}};
    batch.notes.names = {{0, text}};
    WaitsOn waits{0, kHuge, WaitKind::Timer, kHuge, kNoCoroutine};
    waits.part = 6;
    batch.notes.waits = {waits, {0, 0, WaitKind::Descriptor, 0, kNoCoroutine}, {0, 1, WaitKind::Coroutine, kHuge, 0}};
    batch.notes.processSamples = {{9, kHuge, 0, 1, kHuge, true, false, true, 12}};
    batch.now = kHuge;
    const std::unique_ptr<SessionWriter> writer = writerOf(path("run.sqlite"));
    QVERIFY(bool(writer->consume(batch)));
    Accounting sums;
    sums.captured = 1;
    sums.coroutines = 1;
    sums.missedBeforeAttach = std::uint64_t{1} << 63;
    sums.timesApproximate = true;
    QVERIFY(bool(writer->finish(sums)));

    const Content stored = read(path("run.sqlite"));
    QCOMPARE(stored.error, std::string());
    QStringList expected = QString::fromStdString(textOf(batch)).split(QLatin1Char('\n'));
    expected.removeDuplicates();  // lines of the text
    for (const QString &line : stored.events + stored.others)
        QVERIFY2(expected.removeOne(line), qPrintable(line));
    QCOMPARE(expected, QStringList({QStringLiteral("now %1").arg(kHuge), QString()}));
    QCOMPARE(sumsOf(stored.sums), sumsOf(sums));
}

/// JSONL of other programs may lack the times at which coroutines and processes ended.
void TestSessionReader::keepsEndsAtUnknownTimes()
{
    Batch batch;
    Birth birth;
    for (birth.coroutine = 0; birth.coroutine < 3; ++birth.coroutine)
        batch.births.push_back(birth);
    batch.deaths = {{0, 0}};
    batch.notes.finishes = {{1, 0, kUnknownSite}};
    batch.notes.processes = {{7, 0, "server"}};
    batch.notes.processEnds = {{7, 0}};
    batch.notes.parents = {{0, 2}, {1, 0}};
    batch.now = 5;
    const std::unique_ptr<SessionWriter> writer = writerOf(path("run.sqlite"));
    QVERIFY(bool(writer->consume(batch)));
    Accounting sums;
    sums.coroutines = 3;
    QVERIFY(bool(writer->finish(sums)));
    const Content stored = read(path("run.sqlite"));
    QCOMPARE(stored.error, std::string());
    QStringList expected = QString::fromStdString(textOf(batch)).split(QLatin1Char('\n'));
    expected.removeOne(QStringLiteral("now 5"));
    expected.removeOne(QString());
    expected.sort();
    QCOMPARE(stored.others, expected);
}

void TestSessionReader::reportsDeletedCoroutines()
{
    Batch batch;
    batch.births.resize(2);
    batch.births[0].coroutine = 0;
    batch.births[1].coroutine = 1;
    batch.now = 5;
    const std::unique_ptr<SessionWriter> writer = writerOf(path("run.sqlite"));
    QVERIFY(bool(writer->consume(batch)));
    Accounting sums;
    sums.coroutines = 2;
    QVERIFY(bool(writer->finish(sums)));
    QCOMPARE(read(path("run.sqlite")).error, std::string());
    QCOMPARE(change(path("run.sqlite"), QStringLiteral("DELETE FROM coroutines WHERE coroutine = 1")), QString());
    const Content stored = read(path("run.sqlite"));
    QVERIFY2(contains(stored.error, "run.sqlite has 1 coroutines, and should have 2: another program has changed it"),
             stored.error.c_str());
}

/// Also those that only a capture can know.
void TestSessionReader::keepsEverySum()
{
    Accounting sums;
    std::uint64_t value = 100;
    for (const StoredSum &sum : storedSums())
        sum.set(sums, ++value);
    // A recording has the whole run, and these are sums over its rows.
    sums.captured = sums.coroutines = sums.flaggedStations = 0;
    sums.lost = sums.lostWithoutCoroutine;
    sums.missedBeforeAttach = sums.missedWithoutCoroutine;
    sums.overflowCoroutines = sums.overflowEvents = sums.overflowNames = 0;
    const Result<std::shared_ptr<RecordingWriter>> writer = RecordingWriter::open(path("run.ctr"));
    QVERIFY(bool(writer));
    QVERIFY(bool((*writer)->finish(sums)));
    QCOMPARE(sumsOf(read(path("run.ctr")).sums), sumsOf(sums));
    const Content stored = write(path("run.ctr"), path("run.sqlite"));
    QCOMPARE(stored.error, std::string());
    QCOMPARE(sumsOf(read(path("run.sqlite")).sums), sumsOf(sums));
}

/// In a database, the coroutines of a selection keep their numbers, and those of a stream begin with 0.
void TestSessionReader::readsSelections()
{
    Batch batch;
    for (const CoroutineId coroutine : {3U, 7U}) {
        Birth birth;
        birth.coroutine = coroutine;
        birth.probeId = coroutine;
        batch.births.push_back(birth);
        Transition event;
        event.coroutine = coroutine;
        event.ts = coroutine;
        batch.transitions.push_back(event);
        batch.deaths.push_back({coroutine, 9});
    }
    batch.notes.parents = {{7, 3}};
    batch.notes.wakes = {{3, 7, 1, 5, 0, 0}};
    RecordingInfo info;
    info.session = "run";
    Result<std::unique_ptr<RowStore>> store = makeSqliteStore(path("run.sqlite"));
    QVERIFY(bool(store));
    ExportContext context;
    context.info = [info] { return info; };
    const auto unselected = std::make_shared<Unselected>();
    unselected->firstNumbers[7] = batch.transitions.back().n = 5;
    context.unselected = unselected;
    SessionWriter writer(std::move(*store), context);
    QVERIFY(bool(writer.consume(batch)) && bool(writer.finish({})));
    const auto sessions = storedSessions(path("run.sqlite"));
    QVERIFY(sessions && sessions->size() == 1);
    QCOMPARE(sessions->front().name, std::string("run (selection)"));

    for (Birth &birth : batch.births)
        birth.coroutine = birth.coroutine == 3 ? 0 : 1;
    for (Transition &event : batch.transitions)
        event.coroutine = event.coroutine == 3 ? 0 : 1;
    for (Death &death : batch.deaths)
        death.coroutine = death.coroutine == 3 ? 0 : 1;
    batch.notes.parents = {{1, 0}};
    batch.notes.wakes = {{0, 1, 1, 5, 0, 0}};
    const QStringList expected = QString::fromStdString(textOf(batch)).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    const Content stored = read(path("run.sqlite"));
    QCOMPARE(stored.error, std::string());
    QVERIFY(stored.hasEnded);
    QCOMPARE(stored.info.session, std::string("run (selection)"));
    QCOMPARE(stored.notSelected, std::uint64_t{5});
    QCOMPARE(stored.events.size(), qsizetype{2});
    for (const QString &line : stored.events + stored.others)
        QVERIFY2(expected.contains(line), qPrintable(line));
    QCOMPARE(stored.events.size() + stored.others.size() + 1, expected.size());  // the time of the batch
    // A selection of a selection is not named twice.
    QCOMPARE(nameOfSelection("run (selection)"), std::string("run (selection)"));
}

/// The note that names the process can be lost, for example with a damaged block.
void TestSessionReader::keepsTheEndOfAnUnnamedProcess()
{
    Batch batch;
    batch.births.resize(1);
    batch.births.front().coroutine = 0;
    batch.births.front().pid = 9;
    batch.notes.processEnds = {{9, 150}};
    const std::unique_ptr<SessionWriter> writer = writerOf(path("run.sqlite"));
    QVERIFY(writer && bool(writer->consume(batch)) && bool(writer->finish({})));
    const Content stored = read(path("run.sqlite"));
    QCOMPARE(stored.error, std::string());
    const QStringList expected = QString::fromStdString(textOf(batch)).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    for (const QString &line : expected.filter(QRegularExpression(QStringLiteral("^(?!now )"))))
        QVERIFY2(stored.others.contains(line), qPrintable(line));
}

void TestSessionReader::reportsDeletedGaps()
{
    Batch batch;
    batch.births.resize(1);
    batch.births.front().coroutine = 0;
    batch.losses = {{0, 0, 5, true}, {0, 5, 3, false}};
    batch.now = 5;
    const std::unique_ptr<SessionWriter> writer = writerOf(path("run.sqlite"));
    QVERIFY(bool(writer->consume(batch)));
    Accounting sums;
    sums.coroutines = 1;
    sums.lost = 3;
    sums.missedBeforeAttach = 5;
    QVERIFY(bool(writer->finish(sums)));
    QCOMPARE(read(path("run.sqlite")).error, std::string());
    QCOMPARE(change(path("run.sqlite"), QStringLiteral("DELETE FROM gaps WHERE kind = 'missed'")), QString());
    QVERIFY(contains(read(path("run.sqlite")).error, "has 0 missed events in its gaps, and should have 5"));
    QCOMPARE(change(path("run.sqlite"), QStringLiteral("DELETE FROM gaps")), QString());
    QVERIFY(contains(read(path("run.sqlite")).error, "has 0 lost events in its gaps, and should have 3"));
}

void TestSessionReader::leavesOutClocksThatDoNotFitTheirColumn()
{
    for (const std::uint64_t realtime : {std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1}) {
        RecordingInfo info;
        info.clocks = {{0, realtime, 0}};
        const std::string database = path("run.sqlite");
        QVERIFY(bool(writerOf(database, info)->finish({})));
        const QStringList sessions = rowsOf(database).filter(QRegularExpression(QStringLiteral("^sessions\\|")));
        QCOMPARE(sessions.size(), 1);
        QCOMPARE(sessions.front().section(QLatin1Char('|'), 8, 8),
                 realtime <= INT64_MAX ? QString::number(realtime) : QString());
    }
}

void TestSessionReader::opensAnInterruptedExport()
{
    const std::string database = path("run.sqlite");
    std::unique_ptr<SessionWriter> writer = writerOf(database);
    const Content expected = read(recording("causes/await-cycle.ctr"), writer.get());
    writer.reset();
    const Content stored = read(database);
    QCOMPARE(stored.error, std::string());
    QCOMPARE(stored.events, expected.events);
    QCOMPARE(stored.sums.captured, static_cast<std::uint64_t>(expected.events.size()));
    QVERIFY(!stored.hasEnded);
}

/// Knows one code address.
class OneAddress final : public ExportResolver {
public:
    Answer known(const EventAddress &address) override { return address.addr == 0x401234 ? m_answer : nullptr; }
    void resolve(const std::vector<EventAddress> &) override {}
    std::uint64_t lineSince(const EventAddress &) override { return 0; }

private:
    const Answer m_answer = std::make_shared<const DescribedAddress>(DescribedAddress{
        {{"serve(int)", "server.cpp", 88, 5, true}, {"main", "main.cpp", 9, 1, false}}, "server", {}, {}});
};

void TestSessionReader::keepsLocationsOfAddresses()
{
    Result<std::unique_ptr<RowStore>> store = makeSqliteStore(path("run.sqlite"));
    SessionWriter writer(std::move(*store), ExportContext(std::make_shared<OneAddress>()));
    Batch batch;
    Birth birth;
    birth.coroutine = 0;
    batch.births = {birth};
    Transition event;
    event.coroutine = 0;
    event.addr = 0x401234;
    batch.transitions = {event};
    QVERIFY(bool(writer.consume(batch)));
    QVERIFY(bool(writer.finish({})));
    const Content stored = read(path("run.sqlite"));
    QCOMPARE(stored.frames.size(), std::size_t(1));
    QVERIFY(stored.frames.front() == (FrameLocation{0, 0x401234, 0, 0, 88, 5, "server.cpp", "serve(int)"}));
}

void TestSessionReader::listsTheSessionOfAFile()
{
    const std::string database = path("run.sqlite");
    const Content written = write(recording("causes/await-cycle.ctr"), database);
    const auto sessions = storedSessions(database);
    QVERIFY(bool(sessions));
    QCOMPARE(sessions->size(), std::size_t(1));
    QCOMPARE(sessions->front().input, database);
    QCOMPARE(sessions->front().events, written.sums.captured);
    QCOMPARE(sessions->front().coroutines, written.sums.coroutines);
    QVERIFY(sessions->front().ns > 0);
    QVERIFY(contains(sessions->front().program, "corotracer-gui"));
}

void TestSessionReader::refusesOtherFiles()
{
    const std::string database = path("other.sqlite");
    QCOMPARE(change(database, QStringLiteral("CREATE TABLE other (a)")), QString());
    QVERIFY(isDatabase(database));
    QVERIFY(contains(read(database).error, "only databases that corotracer-gui has exported can be opened"));
    QVERIFY(!isDatabase(path("none.sqlite")));
    QVERIFY(!isDatabase(recording("causes/await-cycle.ctr")));
    QVERIFY(isDatabase("postgresql://nobody@localhost/none"));
    QVERIFY(contains(read("mysql://nobody@localhost/none").error, "not from MariaDB"));
}

void TestSessionReader::reportsInvalidRows_data()
{
    QTest::addColumn<QString>("statement");
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("version") << QStringLiteral("UPDATE trace_info SET value = 3 WHERE name = 'format'")
                             << QByteArray("has tables of version 3, and this program reads version 4");
    QTest::newRow("no column") << QStringLiteral("ALTER TABLE wakes RENAME COLUMN by_coroutine TO other")
                               << QByteArray("has no table wakes as an export makes it");
    QTest::newRow("no table") << QStringLiteral("DROP TABLE gaps")
                              << QByteArray("has no table gaps as an export makes it");
    QTest::newRow("text as number") << QStringLiteral("UPDATE coro_trace_events SET tid = 'x' WHERE id = 5")
                                    << QByteArray("the table events has a row whose tid no export can have written");
    QTest::newRow("too large") << QStringLiteral("UPDATE coro_trace_events SET coroutine = -1 WHERE id = 5")
                               << QByteArray("a row whose coroutine no export");
    QTest::newRow("unknown word") << QStringLiteral("UPDATE coroutines SET dialect = 'x'")
                                  << QByteArray("the table coroutines has a row whose dialect");
    QTest::newRow("unknown coroutine") << QStringLiteral(
                                              "UPDATE coro_trace_events SET coroutine = 4000000 WHERE id = 5")
                                       << QByteArray("names coroutine 4000000, which does not exist");
    QTest::newRow("missing rows") << QStringLiteral("DELETE FROM coro_trace_events WHERE id IN (4, 5)")
                                  << QByteArray("another program has changed it; export the run again");
    QTest::newRow("sums") << QStringLiteral("UPDATE trace_info SET value = 5 WHERE name = 'events'")
                          << QByteArray("another program has changed it");
    QTest::newRow("blob") << QStringLiteral("UPDATE sites SET file = x'00ff00'") << QByteArray();
    QTest::newRow("positions") << QStringLiteral("UPDATE coroutines SET born_after_event = 1000000000")
                               << QByteArray("which does not exist");
    QTest::newRow("negative position") << QStringLiteral("UPDATE waits SET after_event = -1")
                                       << QByteArray("the table waits has a row whose after_event no export");
}

void TestSessionReader::reportsInvalidRows()
{
    QFETCH(const QString, statement);
    QFETCH(const QByteArray, message);
    const std::string database = path("run.sqlite");
    const Content written = write(recording("causes/await-cycle.ctr"), database);
    QCOMPARE(change(database, statement), QString());
    const Content stored = read(database);
    QVERIFY2(contains(stored.error, message) && stored.error.empty() == message.isEmpty(), stored.error.c_str());
    QVERIFY(stored.hasEnded ? stored.error.empty() : contains(stored.error, "run.sqlite"));
    QVERIFY(stored.events.size() <= written.events.size());
    QVERIFY(stored.sums.captured >= static_cast<std::uint64_t>(stored.events.size()));
}

void TestSessionReader::refusesEndlessViews()
{
    const std::string database = path("run.sqlite");
    QCOMPARE(write(recording("causes/await-cycle.ctr"), database).error, std::string());
    QCOMPARE(change(database, QStringLiteral("ALTER TABLE gaps RENAME TO old")), QString());
    QCOMPARE(
        change(database, QStringLiteral("CREATE VIEW gaps AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
                                        "FROM c) SELECT 0 AS coroutine, x AS first_n, 1 AS events, 'lost' AS kind, x "
                                        "AS after_event FROM c")),
        QString());
    QVERIFY(contains(read(database).error, "has no table gaps as an export makes it"));
}

void TestSessionReader::endsWhenCancelled()
{
    const std::string database = path("run.sqlite");
    QCOMPARE(write(recording("causes/await-cycle.ctr"), database).error, std::string());
    ReadOptions options;
    options.isCancelled = [] { return true; };
    const Result<std::unique_ptr<StreamFile>> file = openStream(database, nullptr, nullptr, {}, options);
    QVERIFY(file || file.error().code == ErrorCode::Cancelled);
}

void TestSessionReader::survivesDamage()
{
    const std::string database = path("run.sqlite");
    const Content written = write(recording("causes/await-cycle.ctr"), database);
    QFile file(QString::fromStdString(database));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray content = file.readAll();
    file.close();
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) {
        QByteArray damaged = content;
        for (int byte = 0; byte < 8; ++byte)
            damaged[static_cast<qsizetype>(random() % static_cast<unsigned>(damaged.size()))] =
                static_cast<char>(random());
        if (i % 4 == 0)
            damaged.truncate(static_cast<qsizetype>(random() % static_cast<unsigned>(damaged.size())));
        QFile to(QString::fromStdString(path("damaged.sqlite")));
        QVERIFY(to.open(QIODevice::WriteOnly | QIODevice::Truncate));
        to.write(damaged);
        to.close();
        const Content stored = read(path("damaged.sqlite"));
        QVERIFY(stored.events.size() <= written.events.size() + 64 || !stored.error.empty());
    }
}

CT_QT_SUITE(TestSessionReader)
#include "tst_sessionreader.moc"
