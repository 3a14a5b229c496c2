// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Databases that lack a part of their session.
#include "tests/core/databases/sessiontest.h"
#include "tests/support/qtsuite.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <sys/resource.h>

using namespace ct;
using namespace ct::test;

namespace {

/// No write of this process makes a file longer than `bytes`.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes)
    {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &m_before); }
    FileSizeLimit(const FileSizeLimit &) = delete;
    FileSizeLimit &operator=(const FileSizeLimit &) = delete;

private:
    rlimit m_before{};
};

constexpr std::uint64_t kEventsPerBatch = 20'000;

/// Events of one coroutine; with its birth if they are its first ones.
Batch batchFrom(std::uint64_t firstN)
{
    Batch batch;
    if (firstN == 0) {
        batch.births.resize(1);
        batch.births.front().coroutine = 0;
    }
    for (std::uint64_t n = firstN; n < firstN + kEventsPerBatch; ++n) {
        Transition event;
        event.coroutine = 0;
        event.n = n;
        event.ts = 1000 + n;
        event.active = n % 2 == 1;
        batch.transitions.push_back(event);
    }
    batch.now = batch.transitions.back().ts;
    return batch;
}

}  // namespace

class TestIncompleteSession : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void keepsTheSumsOfACaptureThatFilledItsDisk();
    void keepsTheSumsOfASessionWithoutItsLastParts();
    void detectsChangesOfASessionThatLacksEvents();
    void reportsChangedFactsAndSums_data();
    void reportsChangedFactsAndSums();
    void readsEverythingBeforeAnUnknownCoroutine_data();
    void readsEverythingBeforeAnUnknownCoroutine();

private:
    std::string path(const char *name) const { return m_folder->filePath(QString::fromLatin1(name)).toStdString(); }
    /// Writes a capture whose second batch does not fit. Returns the sums that a reader reports.
    Accounting fillDisk(const std::string &database) const;

    std::unique_ptr<QTemporaryDir> m_folder;
};

Accounting TestIncompleteSession::fillDisk(const std::string &database) const
{
    const std::unique_ptr<SessionWriter> writer = writerOf(database);
    Accounting sums;
    sums.captured = 2 * kEventsPerBatch;
    sums.coroutines = 3;
    sums.untraced = 3;
    if (!writer->consume(batchFrom(0)))
        return {};
    const FileSizeLimit limit(static_cast<rlim_t>(QFileInfo(QString::fromStdString(database)).size()) + 65'536);
    Batch second = batchFrom(kEventsPerBatch);
    second.births.resize(2);
    second.births[0].coroutine = 1;
    second.births[1].coroutine = 2;
    if (writer->consume(second))
        return {};
    writer->finishFailed(sums);
    sums.captured = kEventsPerBatch;
    sums.eventsNotWritten = kEventsPerBatch;
    sums.coroutines = 1;
    sums.coroutinesNotWritten = 2;
    return sums;
}

/// Nothing that was counted vanishes, neither here nor in what is written from it.
void TestIncompleteSession::keepsTheSumsOfACaptureThatFilledItsDisk()
{
    const std::string first = path("first.sqlite");
    const Accounting expected = fillDisk(first);
    QCOMPARE(expected.captured, kEventsPerBatch);
    const Content stored = read(first);
    QCOMPARE(stored.events.size(), qsizetype(kEventsPerBatch));
    QCOMPARE(sumsOf(stored.sums), sumsOf(expected));
    QVERIFY(!stored.hasEnded);
    QVERIFY2(contains(stored.error, "first.sqlite lacks 20000 of the 40000 events of the run: they could not be "
                                    "written, for example because the disk was full"),
             stored.error.c_str());

    const std::string second = path("second.sqlite");
    const std::unique_ptr<SessionWriter> writer = writerOf(second);
    QVERIFY(bool(writer->finish(read(first, writer.get()).sums)));
    const Content again = read(second);
    QCOMPARE(again.error, std::string());
    QCOMPARE(again.events, stored.events);
    QCOMPARE(sumsOf(again.sums), sumsOf(expected));
    QVERIFY(again.hasEnded);
    for (const std::string &database : {first, second}) {
        QVERIFY(rowsOf(database).contains(QLatin1String("trace_info|events|40000")));
        QVERIFY(rowsOf(database).contains(QLatin1String("trace_info|events_not_written|20000")));
        QVERIFY(rowsOf(database).contains(QLatin1String("trace_info|coroutines|3")));
        QVERIFY(rowsOf(database).contains(QLatin1String("trace_info|coroutines_not_written|2")));
        QCOMPARE(rowsOf(database).filter(QRegularExpression(QStringLiteral("^coroutines\\|"))).size(), 1);
    }
}

void TestIncompleteSession::keepsTheSumsOfASessionWithoutItsLastParts()
{
    const std::string database = path("run.sqlite");
    const Content written = write(recording("causes/await-cycle.ctr"), database);
    QCOMPARE(change(database, QStringLiteral("UPDATE trace_info SET value = 0 WHERE name = 'complete'")), QString());
    const Content stored = read(database);
    QCOMPARE(stored.events, written.events);
    QCOMPARE(sumsOf(stored.sums), sumsOf(written.sums));
    QVERIFY(!stored.hasEnded);
    QVERIFY2(contains(stored.error, "run.sqlite has all events of the run, but was not completed"),
             stored.error.c_str());
}

void TestIncompleteSession::detectsChangesOfASessionThatLacksEvents()
{
    const std::string database = path("run.sqlite");
    QCOMPARE(fillDisk(database).captured, kEventsPerBatch);
    QCOMPARE(change(database, QStringLiteral("DELETE FROM coro_trace_events WHERE id = 20000")), QString());
    const Content stored = read(database);
    QCOMPARE(stored.sums.captured, kEventsPerBatch - 1);
    QVERIFY2(contains(stored.error, "has 19999 events, and should have 20000: another program has changed it"),
             stored.error.c_str());
}

void TestIncompleteSession::reportsChangedFactsAndSums_data()
{
    QTest::addColumn<QString>("statement");
    QTest::addColumn<QByteArray>("message");
    const QByteArray noFacts("run.sqlite has no valid facts of the run in its table sessions");
    QTest::newRow("invalid facts") << QStringLiteral("UPDATE sessions SET info = '{'") << noFacts;
    QTest::newRow("no facts") << QStringLiteral("DELETE FROM sessions") << noFacts;
    QTest::newRow("sum") << QStringLiteral("UPDATE trace_info SET value = 5 WHERE name = 'events'")
                         << QByteArray(" events, and should have 5: another program has changed it");
}

/// The events are read nevertheless.
void TestIncompleteSession::reportsChangedFactsAndSums()
{
    QFETCH(const QString, statement);
    QFETCH(const QByteArray, message);
    const std::string database = path("run.sqlite");
    const Content written = write(recording("causes/await-cycle.ctr"), database);
    QCOMPARE(change(database, statement), QString());
    const Content stored = read(database);
    QVERIFY2(contains(stored.error, message), stored.error.c_str());
    QCOMPARE(stored.events, written.events);
    QVERIFY(!stored.hasEnded);
}

void TestIncompleteSession::readsEverythingBeforeAnUnknownCoroutine_data()
{
    QTest::addColumn<QString>("statement");
    QTest::addColumn<QByteArray>("row");
    QTest::addColumn<int>("events");
    QTest::newRow("event") << QStringLiteral("UPDATE coro_trace_events SET coroutine = 99999999 WHERE id = 15")
                           << QByteArray("in the table events, the row with id 15 names") << 14;
    QTest::newRow("no coroutine") << QStringLiteral("UPDATE coro_trace_events SET coroutine = 4294967295 WHERE id = 15")
                                  << QByteArray("in the table events, the row with id 15 names coroutine 4294967295,")
                                  << 14;
    const QString note = QStringLiteral("INSERT INTO %1 VALUES (%2)");
    QTest::newRow("wait") << note.arg(QStringLiteral("waits"),
                                      QStringLiteral("99999999, 1, 'coroutine', NULL, 0, 'one', 0, 15"))
                          << QByteArray("in the table waits, the row with after_event 15 names") << 15;
    QTest::newRow("target") << note.arg(QStringLiteral("waits"),
                                        QStringLiteral("0, 1, 'coroutine', NULL, 99999999, 'one', 0, 15"))
                            << QByteArray("in the table waits, the row with after_event 15 names") << 15;
    QTest::newRow("waker") << note.arg(QStringLiteral("wakes"), QStringLiteral("0, 1, 5, 99999999, 1, 1, 15"))
                           << QByteArray("in the table wakes, the row with after_event 15 names") << 15;
}

void TestIncompleteSession::readsEverythingBeforeAnUnknownCoroutine()
{
    QFETCH(const QString, statement);
    QFETCH(const QByteArray, row);
    QFETCH(const int, events);
    const std::string database = path("run.sqlite");
    const Content written = write(recording("causes/await-cycle.ctr"), database);
    QVERIFY(written.events.size() > 20);
    // Rows are read in the order in which they were added.
    if (statement.startsWith(QLatin1String("INSERT")))
        QCOMPARE(change(database, QStringLiteral("DELETE FROM %1 WHERE after_event >= 15")
                                      .arg(statement.section(QLatin1Char(' '), 2, 2))),
                 QString());
    QCOMPARE(change(database, statement), QString());
    const Content stored = read(database);
    QCOMPARE(stored.events, written.events.first(events));
    QCOMPARE(stored.sums.captured, static_cast<std::uint64_t>(events));
    QVERIFY2(contains(stored.error, row.constData()) &&
                 contains(stored.error, ", which does not exist; everything before it was read"),
             stored.error.c_str());
}

CT_QT_SUITE(TestIncompleteSession)
#include "tst_incompletesession.moc"
