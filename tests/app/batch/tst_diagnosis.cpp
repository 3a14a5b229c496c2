// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// --report and --fail-on: a live run and its recording have the same verdict, and the exit status follows it.
#include "app/batch/batch.h"
#include "core/recording/write/recordingwriter.h"
#include "tests/support/runner.h"

#include <sys/stat.h>

using runner::Batch;

namespace {

/// A server that loses wake-ups until it is ended. Tasks that were lost wait until then.
QStringList lossyServer()
{
    return {QStringLiteral("--"), runner::binary("ct_server_lossy"), QStringLiteral("--seconds"),
            QStringLiteral("600")};
}

/// Runs the program with `arguments`. Returns its exit status.
int run(const QStringList &arguments, QByteArray *errors = nullptr, QByteArray *output = nullptr)
{
    QProcess process;
    process.start(runner::binary("corotracer-gui"), arguments);
    if (!process.waitForFinished(runner::kPatienceMs))
        return -1;
    if (errors)
        *errors = process.readAllStandardError();
    if (output)
        *output = process.readAllStandardOutput();
    return process.exitCode();
}

/// Runs the batch in its directory until its verdict has a line that matches, and interrupts it. It must exit with
/// `status`.
void runUntilVerdict(const char *pattern, Batch &batch, int status)
{
    batch.process().setWorkingDirectory(batch.path(""));
    QVERIFY(batch.start());
    QVERIFY2(batch.waitForVerdict(pattern), batch.err().constData());
    batch.signal(SIGINT);
    QVERIFY(batch.wait());
    QCOMPARE(batch.exitCode(), status);
}

QJsonArray findingsIn(const QString &path)
{
    return runner::objectIn(path).value(QLatin1String("findings")).toArray();
}

}  // namespace

class DiagnosisTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRunAndItsRecordingHaveTheSameVerdict()
    {
        Batch batch({QStringLiteral("-o"), QStringLiteral("run.ctr"), QStringLiteral("--report"),
                     QStringLiteral("json"), QStringLiteral("--report-out"), QStringLiteral("live.json"),
                     QStringLiteral("--fail-on"), QStringLiteral("lost-wakeup")},
                    lossyServer());
        runUntilVerdict(Batch::kLostWakeUp, batch, ct::kExitFindings);
        if (QTest::currentTestFailed())
            return;
        const QByteArray messages = batch.err();
        QVERIFY2(messages.contains("corotracer-gui: failed by --fail-on: lost-wakeup: "), messages.constData());
        const QJsonArray live = findingsIn(batch.path("live.json"));
        QVERIFY(!live.isEmpty());
        QVERIFY(live.at(0)
                    .toObject()
                    .value(QLatin1String("message"))
                    .toString()
                    .contains(QLatin1String("suspended in server::handleConnection")));

        QByteArray errors;
        const QStringList judge{QStringLiteral("--batch"),  QStringLiteral("--input"), batch.path("run.ctr"),
                                QStringLiteral("--report"), QStringLiteral("json"),    QStringLiteral("--report-out")};
        QCOMPARE(run(judge + QStringList{batch.path("judged.json")}, &errors), 0);
        QCOMPARE(errors, QByteArray());
        QCOMPARE(findingsIn(batch.path("judged.json")), live);
        QCOMPARE(run(judge + QStringList{batch.path("judged.json"), QStringLiteral("--fail-on"),
                                         QStringLiteral("deadlock,stall")}),
                 0);
        QCOMPARE(run(judge + QStringList{batch.path("judged.json"), QStringLiteral("--fail-on"), QStringLiteral("any"),
                                         QStringLiteral("--confidence"), QStringLiteral("0.99")}),
                 0);
        QCOMPARE(run(judge + QStringList{batch.path("again.json"), QStringLiteral("--fail-on"), QStringLiteral("any"),
                                         QStringLiteral("--baseline"), batch.path("live.json")}),
                 0);
        QCOMPARE(findingsIn(batch.path("again.json")), QJsonArray());

        // What was an information is a warning or an error now: that is news.
        QFile baseline(batch.path("information.json"));
        QVERIFY(baseline.open(QIODevice::WriteOnly));
        baseline.write(runner::readAll(batch.path("live.json"))
                           .replace("\"severity\": \"error\"", "\"severity\": \"info\"")
                           .replace("\"severity\": \"warning\"", "\"severity\": \"info\""));
        baseline.close();
        QVERIFY(runner::readAll(baseline.fileName()).contains("\"info\""));
        QCOMPARE(run(judge + QStringList{batch.path("again.json"), QStringLiteral("--fail-on"), QStringLiteral("any"),
                                         QStringLiteral("--baseline"), baseline.fileName()}),
                 int{ct::kExitFindings});
        QVERIFY(!findingsIn(batch.path("again.json")).isEmpty());

        // The rest of a cut recording is judged, and the reason of --fail-on is printed. The damage is the exit status.
        QFile recording(batch.path("run.ctr"));
        QVERIFY(recording.resize(recording.size() - 100));
        QCOMPARE(run(judge + QStringList{batch.path("again.json"), QStringLiteral("--fail-on"), QStringLiteral("any")},
                     &errors),
                 int{ct::kExitCapture});
        QVERIFY2(errors.contains("corotracer-gui: failed by --fail-on: "), errors.constData());
        QVERIFY(!findingsIn(batch.path("again.json")).isEmpty());
    }

    void aRunThatIsEndedIsJudgedBefore()
    {
        Batch batch({QStringLiteral("-o"), QStringLiteral("run.ctr"), QStringLiteral("--report"),
                     QStringLiteral("json"), QStringLiteral("--report-out"), QStringLiteral("live.json")},
                    lossyServer());
        runUntilVerdict(Batch::kLostWakeUp, batch, 0);
        const QJsonArray live = findingsIn(batch.path("live.json"));
        QVERIFY(!live.isEmpty());
        QCOMPARE(run({QStringLiteral("--batch"), QStringLiteral("--input"), batch.path("run.ctr"),
                      QStringLiteral("--report"), QStringLiteral("json"), QStringLiteral("--report-out"),
                      batch.path("judged.json")}),
                 0);
        QCOMPARE(findingsIn(batch.path("judged.json")), live);
    }

    /// They name no sites. Without a recording, and with one.
    void version1CoroutinesAreComparedByTheirFunctions()
    {
        if (!QFile::exists(runner::binary("corpus_programs")))
            CT_QSKIP("the programs of the corpus are not built with sanitizers");
        const QStringList program{QStringLiteral("--"),        runner::binary("corpus_programs"),
                                  QStringLiteral("--program"), QStringLiteral("missed-waiter"),
                                  QStringLiteral("--broken"),  QStringLiteral("--variant"),
                                  QStringLiteral("version1"),  QStringLiteral("--threads"),
                                  QStringLiteral("2"),         QStringLiteral("--unit"),
                                  QStringLiteral("20")};
        const QStringList report{QStringLiteral("--report"), QStringLiteral("json"), QStringLiteral("--report-out"),
                                 QStringLiteral("live.json")};
        // On a busy machine, there may be warnings about other coroutines, too.
        const auto isFound = [](const QJsonArray &findings) {
            return std::any_of(findings.begin(), findings.end(), [](const QJsonValue &value) {
                const QJsonObject finding = value.toObject();
                return finding.value(QLatin1String("severity")) == QLatin1String("warning") &&
                       finding.value(QLatin1String("rule")) == QLatin1String("lost-wakeup") &&
                       finding.value(QLatin1String("message")).toString().contains(QLatin1String("follow("));
            });
        };
        const char *const warning = "^warning: lost-wakeup: .*follow\\(";
        Batch unrecorded(report, program);
        runUntilVerdict(warning, unrecorded, 128 + SIGINT);
        QVERIFY(isFound(findingsIn(unrecorded.path("live.json"))));

        Batch batch(report + QStringList{QStringLiteral("-o"), QStringLiteral("run.ctr")}, program);
        runUntilVerdict(warning, batch, 128 + SIGINT);
        const QJsonArray live = findingsIn(batch.path("live.json"));
        QVERIFY(isFound(live));
        QCOMPARE(run({QStringLiteral("--batch"), QStringLiteral("--input"), batch.path("run.ctr"),
                      QStringLiteral("--report"), QStringLiteral("json"), QStringLiteral("--report-out"),
                      batch.path("judged.json")}),
                 0);
        QCOMPARE(findingsIn(batch.path("judged.json")), live);
    }

    void anInstantThatComesLateInTheFileCounts_data()
    {
        QTest::addColumn<bool>("isOlder");
        QTest::newRow("a new report") << false;
        QTest::newRow("an older report") << true;
    }
    void anInstantThatComesLateInTheFileCounts()
    {
        QFETCH(const bool, isOlder);
        constexpr std::uint64_t kSecond = 1'000'000'000;
        ct::CoroutineId born = 0;
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("run.ctr"));
        auto writer = ct::RecordingWriter::open(path.toStdString());
        QVERIFY(writer);
        ct::Batch batch;
        const auto consume = [&](std::uint64_t now) {
            batch.clear();
            batch.now = now;
            ct::Birth birth;
            birth.coroutine = birth.station = born++;
            birth.birthTs = now;
            batch.births.push_back(birth);
            return (*writer)->consume(batch);
        };
        for (const std::uint64_t seconds : {1, 2, 5, 6, 7})
            QVERIFY(consume(seconds * kSecond));
        ct::RecordingInfo info;
        info.decided = 3 * kSecond;
        (*writer)->addInfo(info);
        QVERIFY((*writer)->finish({}));
        const QString report = folder.filePath(QStringLiteral("report.json"));
        QFile older(report);
        QVERIFY(!isOlder || (older.open(QIODevice::WriteOnly) && older.write("{}") == 2 && older.flush()));
        QCOMPARE(run({QStringLiteral("--batch"), QStringLiteral("--input"), path, QStringLiteral("--report"),
                      QStringLiteral("json"), QStringLiteral("--report-out"), report}),
                 0);
        QCOMPARE(runner::objectIn(report).value(QLatin1String("judged_at_ns")).toInteger(), 3 * kSecond);
    }

    void aHealthyServerHasNoFindings()
    {
        Batch batch({QStringLiteral("--report"), QStringLiteral("json"), QStringLiteral("--report-out"),
                     QStringLiteral("report.json"), QStringLiteral("--fail-on"), QStringLiteral("any")},
                    {QStringLiteral("--"), runner::binary("ct_server_healthy"), QStringLiteral("--seconds"),
                     QStringLiteral("2")});
        batch.process().setWorkingDirectory(batch.path(""));
        QCOMPARE(batch.run(), 0);
        QVERIFY(runner::objectIn(batch.path("report.json")).value(QLatin1String("events")).toDouble() > 1000);
        for (const QJsonValue finding : findingsIn(batch.path("report.json")))
            QCOMPARE(finding.toObject().value(QLatin1String("severity")).toString(), QStringLiteral("info"));
    }

    void theReportGoesToStandardOutput()
    {
        QByteArray output;
        QCOMPARE(run({QStringLiteral("--batch"), QStringLiteral("--report"), QStringLiteral("text"),
                      QStringLiteral("--"), runner::binary("ct_ucontext")},
                     nullptr, &output),
                 0);
        QVERIFY2(output.endsWith("lost\nno findings\n") && output.contains("ct_ucontext: 20 coroutines, "),
                 output.constData());
    }

    void badInputIsExplained_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char *line, int status, const char *expected) {
            QTest::newRow(line) << runner::words(line) << status << QByteArray(expected);
        };
        row("--input no.ctr --report text", ct::kExitCapture, "no.ctr");
        row("--input empty.json --report text", ct::kExitCapture, "empty.json");
        row("--input empty.json --report text --baseline no.json", ct::kExitCapture, "no.json cannot be read");
        row("--attach no.shm --report text --baseline no.json", ct::kExitCapture, "--baseline no.json cannot be read");
        row("--attach no.shm --report text --baseline empty.json", ct::kExitCapture, "give a file of --report json");
        row("--attach no.shm --report text --baseline .", ct::kExitCapture, "is not a regular file");
        row("--attach no.shm --report text --baseline /dev/zero", ct::kExitCapture, "is not a regular file");
        row("--attach no.shm --report text --baseline pipe", ct::kExitCapture, "is not a regular file");
        row("--attach no.shm --report text --baseline large.json", ct::kExitCapture, "is larger than 64 MiB");
        // An older report stays, because nothing was judged.
        row("--input no.ctr --report json --report-out empty.json", ct::kExitCapture, "no.ctr");
        row("--attach no.shm --report json --report-out empty.json", ct::kExitCapture, "no.shm");
        row("--report json --report-out empty.json -- /no/program", ct::kExitCannotStart, "/no/program");
        row("--attach no.shm --report text --report-out no/x", ct::kExitOutput, "no/x");
        row("--input empty.json --report json --report-out empty.json", ct::kExitOutput, "are the same file");
    }
    void badInputIsExplained()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const int, status);
        QFETCH(const QByteArray, expected);
        const QTemporaryDir folder;
        QFile empty(folder.filePath(QStringLiteral("empty.json")));
        QVERIFY(empty.open(QIODevice::WriteOnly) && empty.write("{}\n") == 3 && empty.flush());
        QVERIFY(mkfifo(QFile::encodeName(folder.filePath(QStringLiteral("pipe"))).constData(), 0600) == 0);
        QFile large(folder.filePath(QStringLiteral("large.json")));
        QVERIFY(large.open(QIODevice::WriteOnly) && large.resize(65 << 20));
        QProcess process;
        process.setWorkingDirectory(folder.path());
        process.start(runner::binary("corotracer-gui"), QStringList{QStringLiteral("--batch")} + arguments);
        QVERIFY(process.waitForFinished(runner::kPatienceMs));
        const QByteArray errors = process.readAllStandardError();
        QVERIFY2(errors.contains(expected), errors.constData());
        QCOMPARE(process.exitCode(), status);
        QCOMPARE(runner::readAll(empty.fileName()), QByteArray("{}\n"));
    }
};

CT_QT_SUITE(DiagnosisTest)
#include "tst_diagnosis.moc"
