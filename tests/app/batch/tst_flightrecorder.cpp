// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Flight recorders: an engine attaches while they write, or reads their region after the process has ended.
#include "tests/core/session/recordedsums.h"
#include "tests/support/qtsuite.h"

using recordings::compareSums;
using recordings::readRecording;
using recordings::recordTo;
using runner::Batch;
using runner::integer;
using runner::words;

namespace {

/// A target with a flight recorder, started without an engine.
struct FlightRecorder {
    QTemporaryDir directory;
    QString region = directory.filePath(QStringLiteral("flight.shm"));
    QString truthFile = directory.filePath(QStringLiteral("emitted.json"));
    QProcess process;

    bool start(const QStringList &arguments, const char *program = "ct_flight")
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("CTP_FLIGHT_RECORDER"), region);
        environment.insert(QStringLiteral("CT_EMITTED_FILE"), truthFile);
        process.setProcessEnvironment(environment);
        process.start(runner::binary(program), arguments);
        return process.waitForStarted() &&
               QTest::qWaitFor([this] { return process.canReadLine(); }, ct::test::kPatienceMs);
    }
    /// Waits until the process has ended. It may have ended before the call.
    bool wait() { return process.state() == QProcess::NotRunning || process.waitForFinished(runner::kPatienceMs); }
    QJsonObject truth() const { return runner::objectIn(truthFile); }
};

}  // namespace

class FlightRecorderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void attachesToALiveFlightRecorder()
    {
        FlightRecorder flightRecorder;
        QVERIFY(flightRecorder.start(words("--coroutines 50")));
        Batch batch(words("--duration 1"), {QStringLiteral("--attach"), flightRecorder.region});
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        QCOMPARE(integer(batch.summary(), "coroutines"), 50);
        QVERIFY(integer(batch.summary(), "events") > 1000);
        QCOMPARE(flightRecorder.process.state(), QProcess::Running);  // the target continues
        QVERIFY(QFile::exists(flightRecorder.region));
        flightRecorder.process.terminate();
        QVERIFY(flightRecorder.wait());
        QCOMPARE(flightRecorder.process.exitCode(), 0);
    }

    void flightRecorderSurvivesTheCrash()
    {
        FlightRecorder flightRecorder;
        QVERIFY(flightRecorder.start(words("--coroutines 50 --turns 2000 --rate 0 --crash")));
        QVERIFY(flightRecorder.wait());
        QCOMPARE(flightRecorder.process.exitStatus(), QProcess::CrashExit);
        Batch batch({}, {QStringLiteral("--attach"), flightRecorder.region});
        recordTo(batch, "run.jsonl");
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        QVERIFY2(batch.err().contains("as a flight recorder keeps them"), batch.err().constData());
        const QJsonObject summary = batch.summary();
        runner::compareAccounts(summary, flightRecorder.truth());
        QCOMPARE(integer(summary, "coroutines"), 50);
        QVERIFY(integer(summary, "events") > 1024);  // a lane has 2,048 records; more than one block is intact
        QVERIFY(integer(summary, "missed_before_attach") > 0);
        QCOMPARE(integer(summary, "coroutines_missed"), 0);
        QCOMPARE(readRecording(batch.path("run.jsonl")).inversions, 0);
        QVERIFY(QFile::exists(flightRecorder.region));  // reading does not delete the region
    }

    /// Reading the region does not change it, so a second engine gets the same sums.
    void flightRecorderCanBeReadTwice()
    {
        FlightRecorder flightRecorder;
        QVERIFY(flightRecorder.start(words("--coroutines 50 --turns 2000 --rate 0 --crash")));
        QVERIFY(flightRecorder.wait());
        QJsonObject first;
        for (int engine = 0; engine < 2; ++engine) {
            Batch batch({}, {QStringLiteral("--attach"), flightRecorder.region});
            const int status = batch.run();
            QVERIFY2(status == 0, batch.err().constData());
            const QJsonObject summary = batch.summary();
            runner::compareAccounts(summary, flightRecorder.truth());
            QCOMPARE(integer(summary, "lost_events"), 0);  // overwritten events are missed, not lost
            if (engine == 0)
                first = summary;
            for (const char *const sum : {"events", "missed_before_attach", "coroutines"})
                QCOMPARE(integer(summary, sum), integer(first, sum));
        }
        QVERIFY(integer(first, "events") > 1024);
    }

    /// Nothing is left of most coroutines but their number, and that of their events. Every output counts them.
    void countsEventsOfOverwrittenCoroutines()
    {
        FlightRecorder flightRecorder;
        QVERIFY(flightRecorder.start(words("--count 100000"), "ct_shortlived"));
        QVERIFY(flightRecorder.wait());
        Batch batch(words("--export sqlite"), {QStringLiteral("--attach"), flightRecorder.region});
        recordTo(batch, "run.ctr");
        QVERIFY2(batch.run() == 0, batch.err().constData());
        const QJsonObject summary = batch.summary();
        runner::compareAccounts(summary, flightRecorder.truth());
        QVERIFY(integer(summary, "coroutines_missed") > 0);
        QVERIFY(integer(summary, "missed_without_coroutine") > 0);
        compareSums(summary, batch.path("run.ctr"), batch.path("run.sqlite"));
        if (QTest::currentTestFailed())
            return;
        for (const auto &[kind, output] :
             {std::pair("ctr", "converted.ctr"), std::pair("sqlite", "converted.sqlite")}) {
            QProcess convert;
            convert.start(runner::binary("corotracer-gui"),
                          {QStringLiteral("--batch"), QStringLiteral("--input"), batch.path("run.ctr"),
                           QStringLiteral("--export"), QLatin1String(kind), QStringLiteral("-o"), batch.path(output)});
            QVERIFY(convert.waitForFinished(runner::kPatienceMs));
            QCOMPARE(convert.exitCode(), 0);
        }
        compareSums(summary, batch.path("converted.ctr"), batch.path("converted.sqlite"));
    }

    /// One word of the region is damaged. The engine still reads the rest, and the capture ends.
    void readsAScribbledFlightRecorder_data()
    {
        QTest::addColumn<quint64>("ahead");
        QTest::newRow("at its index, far ahead") << quint64{2000};
        QTest::newRow("at another index") << quint64{2001};
        QTest::newRow("nonsense") << ~quint64{0} / 3;
    }
    void readsAScribbledFlightRecorder()
    {
        QFETCH(quint64, ahead);
        FlightRecorder flightRecorder;
        QVERIFY(flightRecorder.start(words("--coroutines 50 --turns 2000 --rate 0 --crash")));
        QVERIFY(flightRecorder.wait());
        {
            QFile file(flightRecorder.region);
            QVERIFY(file.open(QIODevice::ReadWrite));
            const auto word = [&file](qint64 offset) {
                quint64 value = 0;
                file.seek(offset);
                return file.read(reinterpret_cast<char *>(&value), sizeof value) == sizeof value ? value : 0;
            };
            const auto lane = static_cast<qint64>(word(0x108));  // the directory's first lane, see docs/ctp.md
            const auto numbers = static_cast<qint64>(word(lane + 0x20));
            const quint64 scribbled = word(numbers) + ahead;
            QVERIFY(lane != 0 && numbers != 0);
            QVERIFY(file.seek(numbers));
            QCOMPARE(file.write(reinterpret_cast<const char *>(&scribbled), sizeof scribbled), qint64{8});
        }
        Batch batch({}, {QStringLiteral("--attach"), flightRecorder.region});
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        runner::compareAccounts(batch.summary(), flightRecorder.truth());
        QVERIFY(integer(batch.summary(), "events") > 1024);
        QCOMPARE(integer(batch.summary(), "lost_events"), 0);
    }
};

CT_QT_SUITE(FlightRecorderTest)
#include "tst_flightrecorder.moc"
