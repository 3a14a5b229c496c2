// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs every test target with the real program. Compares the target's own counts with the captured and lost events.
#include "core/target/mappingprocesses.h"
#include "corotracer/layout.h"
#include "tests/core/session/recordings.h"
#include "tests/support/qtsuite.h"

#include <QFileInfo>

#include <algorithm>
#include <cerrno>
#include <map>

using recordings::readRecording;
using recordings::Recording;
using recordings::recordTo;
using runner::Batch;
using runner::integer;
using runner::target;
using runner::words;

namespace {

/// Returns the number at `offset` of the file, or 0 if there is none.
quint64 numberAt(QFile &file, quint64 offset)
{
    quint64 value = 0;
    return file.seek(qint64(offset)) && file.read(reinterpret_cast<char *>(&value), sizeof value) == sizeof value
               ? value
               : 0;
}

/// Returns 2 * events of the coroutine with the first compact station, or 0. Reads the file without mapping it.
quint64 newestSeq(const QString &region)
{
    QFile file(region);
    return file.open(QIODevice::ReadOnly) ? numberAt(file, numberAt(file, 0x110)) : 0;  // states_offset, then seq
}

/// Returns the number of records that engines have read and freed in all lanes. Reads the file without mapping it.
quint64 harvestedRecords(const QString &region)
{
    QFile file(region);
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    const quint64 directory = numberAt(file, 0x108);               // lane_directory_offset
    const quint64 lanes = numberAt(file, 0x1A8) & 0xFFFF'FFFFULL;  // lane_count
    quint64 sum = 0;
    for (quint64 lane = 0; lane < lanes; ++lane)
        sum +=
            numberAt(file, directory + lane * sizeof(corotracer::LaneHeader) + offsetof(corotracer::LaneHeader, tail));
    return sum;
}

}  // namespace

class EndToEndTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sumsAreExact_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<int>("coroutines");  // -1: the target's own count
        const auto row = [](const char *name, const char *program, const char *arguments, int coroutines) {
            QTest::newRow(name) << QString::fromLatin1(program) << QString::fromLatin1(arguments) << coroutines;
        };
        row("storm of 10", "ct_storm", "--coroutines 10 --transitions 300000", 10);
        row("storm of 1000", "ct_storm", "--coroutines 1000 --transitions 300000", 1000);
        row("storm of 100000", "ct_storm", "--coroutines 100000 --transitions 600000", 100'000);
        row("paced storm", "ct_storm", "--coroutines 50 --transitions 20000 --rate 40000", 50);
        row("short-lived", "ct_shortlived", "--count 20000", 20'000);
        row("monotonic", "ct_monotonicseq", "--coroutines 100 --transitions 100000", 100);
        row("monotonic without a socket", "ct_monotonicseq",
            "--coroutines 10 --transitions 5000 --pace 10000 --no-socket", 10);
        row("plain writes", "ct_oldsdk", "--coroutines 100 --transitions 100000", 100);
        row("plain writes without a socket", "ct_oldsdk", "--coroutines 10 --transitions 5000 --pace 10000 --no-socket",
            10);
        row("fork", "ct_fork", "--children 3", -1);
        row("slow", "ct_slow", "--seconds 1", 5);
        row("healthy server", "ct_server_healthy", "--seconds 1", -1);
    }
    void sumsAreExact()
    {
        QFETCH(QString, program);
        QFETCH(QString, arguments);
        QFETCH(int, coroutines);
        Batch batch({}, target(qPrintable(program), words(qPrintable(arguments))));
        recordTo(batch, "run.jsonl");
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        const QJsonObject summary = batch.summary();
        const QJsonObject truth = batch.truth();
        runner::compareAccounts(summary, truth);
        QCOMPARE(integer(summary, "coroutines"), coroutines < 0 ? integer(truth, "traced_coroutines") : coroutines);
        QCOMPARE(integer(summary, "untraced_coroutines"), integer(truth, "untraced"));
        QCOMPARE(integer(summary, "flagged_stations"), 0);
        QVERIFY(integer(summary, "events") > 0);

        const Recording recorded = readRecording(batch.path("run.jsonl"));
        QCOMPARE(recorded.lines, integer(summary, "events"));
        QCOMPARE(recorded.firstFields, recorded.lines);
        QCOMPARE(recorded.inversions, 0);
    }

    void tooFewStationsAreCounted()
    {
        Batch batch(words("-n 100"), target("ct_many", words("--coroutines 250 --seconds 1")));
        QCOMPARE(batch.run(), 0);
        QCOMPARE(integer(batch.summary(), "coroutines"), 100);
        QCOMPARE(integer(batch.summary(), "untraced_coroutines"), 150);
        QVERIFY(batch.err().contains("untraced 150"));
        runner::compareAccounts(batch.summary(), batch.truth());
    }

    void writesCsvAndSqlite_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("beginning");
        QTest::newRow("csv") << "run.csv" << QByteArray("probe_id,tid,addr,seq,is_active,ts");
        QTest::newRow("sqlite") << "run.sqlite" << QByteArray("SQLite format 3");
    }
    void writesCsvAndSqlite()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, beginning);
        Batch batch({QStringLiteral("-o"), file}, target("ct_storm", words("--coroutines 20 --transitions 5000")));
        batch.process().setWorkingDirectory(QFileInfo(batch.path("x")).path());
        QCOMPARE(batch.run(), 0);
        const QByteArray content = runner::readAll(batch.path(qPrintable(file)));
        QVERIFY(content.startsWith(beginning));
        if (file.endsWith(QStringLiteral(".csv"))) {
            QCOMPARE(content.count('\n'), integer(batch.summary(), "events") + 1);
        }
    }

    /// About one hang-up in 32 loses a wake-up, on machines of any speed. Dumps report findings while the server runs.
    /// Each is about a new finding and at least 1 s after the one before. After three, the first coroutines are stuck
    /// beyond doubt, and slow starts are over.
    void findsLostWakeUpsOfTheLossyServer()
    {
        Batch batch(words("--keep 1s --dump-on finding"), target("ct_server_lossy", words("--seconds 600")));
        recordTo(batch, "run.jsonl");
        QVERIFY(batch.start());
        QVERIFY2(QTest::qWaitFor([&] { return batch.err().contains("run.3.jsonl"); }, 4 * runner::kPatienceMs),
                 batch.err().constData());
        batch.signal(SIGINT);
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 0);
        const QJsonArray stuck = batch.summary().value(QLatin1String("stuck")).toArray();
        const auto lost = std::find_if(stuck.begin(), stuck.end(), [](const QJsonValue &one) {
            const QString site = one.toObject().value(QLatin1String("site")).toString();
            return site.contains(QLatin1String("server.cpp:")) && site.contains(QLatin1String("handleConnection"));
        });
        QVERIFY2(lost != stuck.end(), batch.err().constData());
        const QJsonObject first = lost->toObject();
        QVERIFY(integer(first, "suspended_ns") > 0 && integer(first, "coroutine") >= 0 &&
                integer(first, "probe_id") > 0);
        QVERIFY2(batch.err().contains("handleConnection server.cpp:"), batch.err().constData());
        runner::compareAccounts(batch.summary(), batch.truth());
    }

    /// Limits come from the waits of the same run, so they are longer on a slow machine. A coroutine that is resumed
    /// very late there may still cause a warning, until then.
    void findsNothingInTheHealthyServer()
    {
        Batch batch(words("--duration 4 --report json --report-out report.json"),
                    target("ct_server_healthy", words("--seconds 60")));
        batch.process().setWorkingDirectory(batch.path(""));
        QCOMPARE(batch.run(), 0);
        const QByteArray report = runner::readAll(batch.path("report.json"));
        QVERIFY(report.contains("\"findings\""));
        QVERIFY2(!report.contains("\"severity\": \"error\""), report.constData());
    }

    void crashIsHarvested()
    {
        Batch batch({}, target("ct_crash", words("--exact --after 200")));
        QCOMPARE(batch.run(), 128 + SIGSEGV);
        QCOMPARE(integer(batch.summary(), "signal"), SIGSEGV);
        runner::compareAccounts(batch.summary(), batch.truth());
    }

    void reportsAForgottenInit()
    {
        Batch batch({}, target("ct_untraced", words("--seconds 0")));
        QCOMPARE(batch.run(), 0);
        QVERIFY(batch.err().contains("InitTracer()"));
        QVERIFY(batch.err().contains("See WHEN NOTHING IS TRACED"));
    }

    void survivesHostileTargets_data()
    {
        QTest::addColumn<QString>("mode");
        for (const char *mode : {"scribble", "header", "allocated", "seqs", "dead", "sites", "truncate"})
            QTest::newRow(mode) << QString::fromLatin1(mode);
    }
    void survivesHostileTargets()
    {
        QFETCH(QString, mode);
        Batch batch({}, target("ct_hostile",
                               {QStringLiteral("--mode"), mode, QStringLiteral("--seconds"), QStringLiteral("1")}));
        recordTo(batch, "run.jsonl");
        const int status = batch.run();
        // A truncated region is a reported capture error. In the other modes, the target may crash by its own writes.
        const bool cut = mode == QLatin1String("truncate");
        QVERIFY2(cut ? status == 3 : status == 0 || status == 128 + SIGBUS, batch.err().constData());
        QVERIFY(!batch.summary().isEmpty());
        QCOMPARE(batch.summary().value(QLatin1String("capture_error")).isString(), cut);
        const Recording recorded = readRecording(batch.path("run.jsonl"));
        QCOMPARE(recorded.lines, integer(batch.summary(), "events"));
    }

    /// Killing the engine does not harm the target. The next engine captures the rest.
    void theNextEngineContinuesAfterAKill()
    {
        QTemporaryDir directory;
        const QString region = directory.filePath(QStringLiteral("r.shm"));
        const QString truthFile = directory.filePath(QStringLiteral("emitted.json"));
        Batch first({QStringLiteral("--shm"), region}, {QStringLiteral("--listen")});
        QVERIFY(first.start());
        QVERIFY(first.waitForError("CTP_SHM_PATH="));

        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("CT_EMITTED_FILE"), truthFile);
        environment.insert(QStringLiteral("CTP_SHM_PATH"), region);
        environment.insert(QStringLiteral("CTP_SOCK_PATH"), region + QStringLiteral(".sock"));
        environment.insert(QStringLiteral("CTP_MAX_STATIONS"), QStringLiteral("131072"));
        process.setProcessEnvironment(environment);
        process.start(runner::binary("ct_storm"), words("--coroutines 20 --seconds 600 --rate 20000"));
        QVERIFY(process.waitForStarted());
        // Exceeds the number of births, so the next engine misses events.
        QTRY_VERIFY(harvestedRecords(region) > 1000);
        first.signal(SIGKILL);
        QVERIFY(first.wait());
        const quint64 before = newestSeq(region);
        QTRY_VERIFY(newestSeq(region) > before + 20);  // events that no engine reads
        QCOMPARE(process.state(), QProcess::Running);

        Batch second({}, {QStringLiteral("--attach"), region});
        QVERIFY(second.start());
        const ct::FileIdentity identity = ct::FileIdentity::of(region.toStdString());
        QTRY_COMPARE(ct::lockHolder(identity), pid_t(second.process().processId()));
        const quint64 adopted = newestSeq(region);
        QTRY_VERIFY(newestSeq(region) > adopted + 20);
        process.terminate();
        QVERIFY(process.waitForFinished(runner::kPatienceMs));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QVERIFY(second.wait());
        QCOMPARE(second.exitCode(), 0);
        const QJsonObject summary = second.summary();
        runner::compareAccounts(summary, runner::objectIn(truthFile));
        QVERIFY(integer(summary, "missed_before_attach") > 0);
        QVERIFY(integer(summary, "events") > 0);
        QVERIFY(!QFile::exists(region));  // adopted, drained, deleted
    }

    void attachingDoesNotDisturbTheTarget()
    {
        QTemporaryDir directory;
        const QString region = directory.filePath(QStringLiteral("r.shm"));
        Batch owner({QStringLiteral("--shm"), region}, target("ct_many", words("--coroutines 30")));
        QVERIFY(owner.start());
        QTRY_VERIFY(newestSeq(region) > 0);
        Batch observer(words("--duration 1"), {QStringLiteral("--attach"), region});
        QCOMPARE(observer.run(), 0);
        QVERIFY(observer.err().contains("Read-only"));
        QCOMPARE(observer.summary().value(QLatin1String("ended_by")).toString(), QStringLiteral("duration"));
        QCOMPARE(integer(observer.summary(), "coroutines"), 30);
        QCOMPARE(owner.process().state(), QProcess::Running);
        owner.signal(SIGTERM);
        QVERIFY(owner.wait());
        runner::compareAccounts(owner.summary(), owner.truth());
        QVERIFY(!QFile::exists(region));
    }

    void savesAScreenshotOfTheWindow()
    {
        QTemporaryDir directory;
        const QString picture = directory.filePath(QStringLiteral("window.png"));
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), directory.path());
        environment.insert(QStringLiteral("XDG_CACHE_HOME"), directory.path());
        environment.insert(QStringLiteral("CT_EMITTED_FILE"), directory.filePath(QStringLiteral("emitted.json")));
        process.setProcessEnvironment(environment);
        process.start(runner::binary("corotracer-gui"),
                      QStringList{QStringLiteral("--screenshot"), picture, QStringLiteral("--screenshot-after"),
                                  QStringLiteral("1")} +
                          target("ct_many", words("--coroutines 10")));
        QVERIFY(process.waitForFinished(runner::kPatienceMs));
        QCOMPARE(process.exitCode(), 0);
        QVERIFY(runner::readAll(picture).startsWith("\x89PNG"));
        QVERIFY(QFile::exists(directory.filePath(QStringLiteral("emitted.json"))));  // terminated, not killed
    }
};

CT_QT_SUITE(EndToEndTest)
#include "tst_endtoend.moc"
