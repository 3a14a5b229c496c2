// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An engine and its target are killed together, or an engine detaches from a flight recorder whose target still runs.
// In every sink, captured + lost + missed must equal the published events of each coroutine. Reading a dead region must
// not change it: a second reading gives the same result.
#include "tests/core/session/recordedsums.h"
#include "tests/support/qtsuite.h"

#include <QCryptographicHash>

#include <unistd.h>

using recordings::compareSums;
using recordings::readSums;
using recordings::RecordedSums;
using recordings::recordTo;
using runner::Batch;
using runner::integer;
using runner::words;

namespace {

/// Returns 2 * events of the coroutine with the first compact station, or 0. Reads the file without mapping it.
quint64 newestSeq(const QString &region)
{
    QFile file(region);
    const auto number = [&file](quint64 offset) {
        quint64 value = 0;
        return file.seek(qint64(offset)) && file.read(reinterpret_cast<char *>(&value), sizeof value) == sizeof value
                   ? value
                   : 0;
    };
    return file.open(QIODevice::ReadOnly) ? number(number(0x110)) : 0;  // states_offset, then seq
}

/// Returns a digest of all pages that are not zero. A region is sparse, and a hole reads as zeros also once it has
/// memory.
QByteArray digestOf(const QString &path)
{
    QFile file(path);
    QCryptographicHash hash(QCryptographicHash::Md5);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray zeros(4096, '\0');
    for (off_t at = 0; (at = ::lseek(file.handle(), at, SEEK_DATA)) >= 0;) {
        for (const off_t hole = ::lseek(file.handle(), at, SEEK_HOLE); at < hole; at += zeros.size()) {
            QByteArray page(zeros.size(), '\0');
            if (::pread(file.handle(), page.data(), static_cast<std::size_t>(page.size()), at) > 0 && page != zeros) {
                hash.addData(QByteArray::number(qint64(at)));
                hash.addData(page);
            }
        }
    }
    return hash.result();
}

/// Returns the sums of the independent reader.
QJsonObject independently(const QString &region)
{
    QProcess python;
    python.start(QStringLiteral("python3"), {QStringLiteral("-B"), runner::sourceFile("tests/support/ctp.py"), region});
    return python.waitForFinished(runner::kPatienceMs)
               ? QJsonDocument::fromJson(python.readAllStandardOutput()).object()
               : QJsonObject();
}

QProcessEnvironment environmentFor(const QString &region)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("CTP_SHM_PATH"), region);
    environment.insert(QStringLiteral("CTP_SOCK_PATH"), region + QStringLiteral(".sock"));
    environment.insert(QStringLiteral("CTP_MAX_STATIONS"), QStringLiteral("131072"));
    return environment;
}

/// Returns true if the last eight events of the coroutine were captured, or all if it has fewer.
bool hasItsLast(const RecordedSums::One &one)
{
    const std::size_t count = std::min<std::size_t>(8, one.sum());
    if (one.numbers.size() < count)
        return false;
    for (std::size_t i = 0; i < count; ++i) {
        if (one.numbers[one.numbers.size() - 1 - i] != one.sum() - 1 - i)
            return false;
    }
    return true;
}

}  // namespace

class KilledTogetherTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void repeatedReadsGiveTheSameLastEvents_data()
    {
        QTest::addColumn<QString>("lanes");
        QTest::addColumn<QString>("target");
        QTest::addColumn<int>("coroutines");
        QTest::newRow("long lanes") << QString()
                                    << QStringLiteral("ct_storm --coroutines 20 --seconds 600 --rate 20000") << 20;
        QTest::newRow("lanes that went round")
            << QStringLiteral("--lane-size 64KiB --lane-pool 512KiB")
            << QStringLiteral("ct_storm --coroutines 20 --threads 4 --seconds 600 --rate 20000") << 20;
        QTest::newRow("lives and threads that end")
            << QStringLiteral("--lane-size 256KiB --lane-pool 2MiB")
            << QStringLiteral("ct_kill --coroutines 100 --threads 2 --visits-per-ms 1") << 0;
    }
    void repeatedReadsGiveTheSameLastEvents()
    {
        QFETCH(QString, lanes);
        QFETCH(QString, target);
        QFETCH(int, coroutines);
        QTemporaryDir directory;
        const QString region = directory.filePath(QStringLiteral("r.shm"));
        Batch engine(QStringList{QStringLiteral("--shm"), region} + lanes.split(QLatin1Char(' '), Qt::SkipEmptyParts),
                     {QStringLiteral("--listen")});
        QVERIFY(engine.start());
        QVERIFY(engine.waitForError("CTP_SHM_PATH="));
        QStringList command = target.split(QLatin1Char(' '));
        QProcess process;
        process.setProcessEnvironment(environmentFor(region));
        process.start(runner::binary(qPrintable(command.takeFirst())), command);
        QVERIFY(process.waitForStarted());
        if (coroutines != 0)
            QTRY_VERIFY(newestSeq(region) > 600);
        else
            QTRY_VERIFY(integer(independently(region), "generations_ever") > 2000);
        engine.signal(SIGKILL);
        process.kill();
        QVERIFY(process.waitForFinished(runner::kPatienceMs));
        QVERIFY(engine.wait());

        const QByteArray before = digestOf(region);
        const QJsonObject expected = independently(region);
        QJsonObject first;
        for (int reading = 0; reading < 3; ++reading) {
            Batch batch({}, {QStringLiteral("--attach"), region});
            const char *const name = reading % 2 ? "run.sqlite" : "run.ctr";
            recordTo(batch, name);
            QVERIFY2(batch.run() == 0, batch.err().constData());
            const QJsonObject summary = batch.summary();
            compareSums(summary, reading % 2 ? QString() : batch.path(name),
                        reading % 2 ? batch.path(name) : QString());
            if (QTest::currentTestFailed())
                return;
            QCOMPARE(integer(summary, "coroutines_missed"), 0);
            if (reading == 0) {
                first = summary;
                for (const auto &[id, one] : readSums(batch.path(name)).coroutines)
                    QVERIFY(coroutines == 0 || hasItsLast(one));
            }
            for (const char *const sum : {"events", "lost_events", "missed_before_attach", "coroutines", "notes_lost"})
                QCOMPARE(integer(summary, sum), integer(first, sum));
            QCOMPARE(digestOf(region), before);
        }
        QCOMPARE(integer(first, "coroutines"), integer(expected, "coroutines"));
        QCOMPARE(integer(first, "events") + integer(first, "lost_events") + integer(first, "missed_before_attach"),
                 integer(expected, "emitted"));
        QVERIFY(integer(first, "events") >= integer(expected, "in_lanes"));
        QVERIFY(integer(expected, "in_lanes") > 160);
        if (coroutines != 0)
            QCOMPARE(integer(first, "coroutines"), coroutines);
    }

    /// The lanes of the flight recorder lap all the time, also during the engine's last pass.
    void sumsAgreeWhileTheFlightRecorderContinues()
    {
        QTemporaryDir directory;
        const QString region = directory.filePath(QStringLiteral("flight.shm"));
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("CTP_FLIGHT_RECORDER"), region);
        process.setProcessEnvironment(environment);
        process.start(runner::binary("ct_flight"), words("--coroutines 50 --rate 100000"));
        QVERIFY(process.waitForStarted());
        QVERIFY(QTest::qWaitFor([&] { return process.canReadLine(); }, ct::test::kPatienceMs));
        const auto hasLapped = [&region] {
            const QJsonObject sums = independently(region);
            return integer(sums, "events_ever") > integer(sums, "in_lanes");
        };
        QTRY_VERIFY(hasLapped());
        for (int visit = 0; visit < 6; ++visit) {
            // With sanitizers, SQLite is slower than the target. A higher rate would take it minutes.
            Batch batch(words(visit % 2 ? "--duration 0.1" : "--duration 0.3"), {QStringLiteral("--attach"), region});
            const char *const name = visit % 2 ? "run.sqlite" : "run.ctr";
            recordTo(batch, name);
            QVERIFY2(batch.run() == 0, batch.err().constData());
            QVERIFY(integer(batch.summary(), "missed_before_attach") > 0);
            compareSums(batch.summary(), visit % 2 ? QString() : batch.path(name),
                        visit % 2 ? batch.path(name) : QString());
            if (QTest::currentTestFailed())
                return;
        }
        QCOMPARE(process.state(), QProcess::Running);
        process.kill();
        process.waitForFinished();
    }
};

CT_QT_SUITE(KilledTogetherTest)
#include "tst_killedtogether.moc"
