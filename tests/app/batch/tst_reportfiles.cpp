// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The files of --report in every format: of 100,000 coroutines, live and recorded, and where they cannot be written.
#include "app/batch/batch.h"
#include "core/reporting/reportformats.h"
#include "tests/support/runner.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using runner::Batch;

namespace {

QStringList formats()
{
    QStringList names;
    for (const ct::ReportFormat &format : ct::reportFormats())
        names << QString::fromUtf8(format.name.data(), qsizetype(format.name.size()));
    return names;
}

/// Runs the program through a shell that executes `first` before. Returns its exit status.
int runAfter(const QString &first, const QStringList &arguments, QByteArray &errors)
{
    QProcess process;
    process.start(QStringLiteral("/bin/sh"),
                  QStringList{QStringLiteral("-c"), first + QStringLiteral("; exec \"$0\" \"$@\""),
                              runner::binary("corotracer-gui"), QStringLiteral("--batch")} +
                      arguments);
    if (!process.waitForFinished(runner::kPatienceMs))
        return -1;
    errors = process.readAllStandardError();
    return process.exitCode();
}

/// The tables in an HTML report.
QJsonObject tablesIn(const QByteArray &html)
{
    const qsizetype begin = html.indexOf('{', html.indexOf("id=\"data-tables\">"));
    const qsizetype end = html.indexOf("</script>", begin);
    return QJsonDocument::fromJson(html.mid(begin, end - begin)).object();
}

}  // namespace

class ReportFilesTest : public QObject {
    Q_OBJECT

    Batch m_batch{{QStringLiteral("-o"), QStringLiteral("run.ctr"), QStringLiteral("--report"), QStringLiteral("html"),
                   QStringLiteral("--report-out"), QStringLiteral("live.html")},
                  runner::target("ct_many", {QStringLiteral("--coroutines"), QStringLiteral("100000"),
                                             QStringLiteral("--seconds"), QStringLiteral("1")})};

    QStringList reporting(const QString &format, const QString &path) const
    {
        return {QStringLiteral("--input"),      m_batch.path("run.ctr"),
                QStringLiteral("--report"),     format,
                QStringLiteral("--report-out"), path};
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_batch.process().setWorkingDirectory(m_batch.path(""));
        QCOMPARE(m_batch.run(), 0);
    }

    void aLiveRunAndItsRecordingListAllCoroutines()
    {
        QByteArray errors;
        QCOMPARE(runAfter(QStringLiteral(":"), reporting(QStringLiteral("html"), m_batch.path("judged.html")), errors),
                 0);
        QCOMPARE(errors, QByteArray());
        const QJsonObject live = tablesIn(runner::readAll(m_batch.path("live.html")));
        QCOMPARE(live.value(QLatin1String("count")).toInt(), 100'000);
        const QJsonObject judged = tablesIn(runner::readAll(m_batch.path("judged.html")));
        QCOMPARE(judged.value(QLatin1String("count")).toInt(), 100'000);
        QCOMPARE(judged.value(QLatin1String("judged")), live.value(QLatin1String("judged")));
        const QJsonArray texts = live.value(QLatin1String("texts")).toArray();
        QVERIFY(std::any_of(texts.begin(), texts.end(), [](const QJsonValue &text) {
            return text.toString().endsWith(QLatin1String("::waitForTheEnd()"));
        }));
    }

    void everyFormatIsWritten()
    {
        for (const QString &format : formats()) {
            QByteArray errors;
            const QString path = m_batch.path("report.") + format;
            QCOMPARE(runAfter(QStringLiteral(":"), reporting(format, path), errors), 0);
            QCOMPARE(errors, QByteArray());
            QVERIFY(!runner::readAll(path).isEmpty());
        }
    }

    void aFullDiskIsReportedAndLeavesNothing()
    {
        QByteArray errors;
        const QString path = m_batch.path("cut.html");
        QCOMPARE(runAfter(QStringLiteral("ulimit -f 64"), reporting(QStringLiteral("html"), path), errors),
                 int{ct::kExitOutput});
        QVERIFY2(errors.contains("cannot write " + path.toUtf8() + ": File too large; the file was removed; "),
                 errors.constData());
        QVERIFY(!QFile::exists(path));
        for (const QString &format : formats()) {
            QCOMPARE(runAfter(QStringLiteral(":"), reporting(format, QStringLiteral("/dev/full")), errors),
                     int{ct::kExitOutput});
            QVERIFY2(errors.contains("cannot write /dev/full: No space left on device; free some space"),
                     errors.constData());
        }
    }

    /// Under each limit, a whole report is written, or none: no empty file. If memory runs out while the recording is
    /// read, it is one about the part that was read, and the status is not 0.
    void aReportForWhichMemoryRunsOutLeavesNothing()
    {
        if (ct::test::kAddressSanitizer)
            CT_QSKIP("no program starts under these limits with address sanitizer, which reserves terabytes of address "
                     "space");
        const QString path = m_batch.path("memory.html");
        for (const int kib : {180'000, 220'000, 260'000, 300'000, 340'000, 400'000}) {
            QFile::remove(path);
            QByteArray errors;
            const int status =
                runAfter(QStringLiteral("ulimit -v %1").arg(kib), reporting(QStringLiteral("html"), path), errors);
            const QByteArray report = runner::readAll(path);
            QVERIFY2(QFile::exists(path) ? report.endsWith("</html>\n") : status != 0,
                     qPrintable(QString::number(kib) + u' ' + QString::fromUtf8(errors)));
        }
    }

    void aFileThatCannotBeWrittenIsReportedBeforeTheRun()
    {
        QByteArray errors;
        QCOMPARE(runAfter(QStringLiteral(":"), reporting(QStringLiteral("html"), m_batch.path("")), errors),
                 int{ct::kExitOutput});
        QVERIFY2(errors.contains("Is a directory"), errors.constData());
        QCOMPARE(
            runAfter(QStringLiteral(":"), reporting(QStringLiteral("html"), m_batch.path("no/report.html")), errors),
            int{ct::kExitOutput});
        QVERIFY2(errors.contains("no/report.html: No such file or directory"), errors.constData());
    }

    void signalsForARunDoNotEndTheJudgingOfARecording()
    {
        const QByteArray pipe = m_batch.path("report.pipe").toLocal8Bit();
        QVERIFY(mkfifo(pipe.constData(), 0600) == 0);
        const int reader = open(pipe.constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        QVERIFY(reader >= 0);
        QProcess process;
        process.start(runner::binary("corotracer-gui"),
                      QStringList{QStringLiteral("--batch")} +
                          reporting(QStringLiteral("html"), QString::fromLocal8Bit(pipe)));
        QByteArray report;
        const auto readMore = [&] {
            QByteArray part(1 << 20, Qt::Uninitialized);
            const ssize_t count = read(reader, part.data(), static_cast<std::size_t>(part.size()));
            report += part.left(std::max<qsizetype>(0, count));
            return !report.isEmpty();
        };
        // The report is much larger than a pipe. So the program still writes it.
        QVERIFY(QTest::qWaitFor(readMore, runner::kPatienceMs));
        const QList<std::pair<int, QByteArray>> signalsAndAnswers = {
            {SIGUSR1, "SIGUSR1 was ignored: it requests dumps of a run, not of a recording\n"},
            {SIGUSR2, "SIGUSR2 was ignored: it requests stacks of a run; the report has those of a recording\n"}};
        QByteArray errors;
        for (const auto &[signal, answer] : signalsAndAnswers) {
            QVERIFY(kill(static_cast<pid_t>(process.processId()), signal) == 0);
            const auto isAnswered = [&, text = answer] {
                errors += process.readAllStandardError();
                return errors.contains(text);
            };
            QVERIFY2(QTest::qWaitFor(isAnswered, runner::kPatienceMs), errors.constData());
        }
        QVERIFY(QTest::qWaitFor([&] { return readMore() && process.state() == QProcess::NotRunning; },
                                runner::kPatienceMs));
        readMore();
        ::close(reader);
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 0);
        QVERIFY(report.endsWith("</html>\n"));
    }

    void aSignalThatEndsTheJudgingLeavesNoReport()
    {
        QFile recording(m_batch.path("long.jsonl"));
        QVERIFY(recording.open(QIODevice::WriteOnly));
        for (int i = 0; i < 200'000; ++i)
            recording.write(QStringLiteral(R"({"probe_id":1,"tid":7,"addr":"0x10","seq":%1,"is_active":%2,"ts":%3})"
                                           "\n")
                                .arg(2 * i + 2)
                                .arg(i % 2 == 0 ? QLatin1String("false") : QLatin1String("true"))
                                .arg(1'000'000 + i)
                                .toLatin1());
        recording.close();
        const QString report = m_batch.path("interrupted.json");
        int status = 0;
        for (int attempt = 0; attempt < 10 && status == 0; ++attempt) {  // it may be faster than the signal
            QFile::remove(report);
            QProcess process;
            process.start(runner::binary("corotracer-gui"),
                          {QStringLiteral("--batch"), QStringLiteral("--input"), recording.fileName(),
                           QStringLiteral("--report"), QStringLiteral("json"), QStringLiteral("--report-out"), report});
            QVERIFY(process.waitForStarted(runner::kPatienceMs));
            QVERIFY(QTest::qWaitFor([&] { return QFile::exists(report); }, runner::kPatienceMs));
            runner::signalTo(process, SIGINT);
            QVERIFY(process.state() == QProcess::NotRunning || process.waitForFinished(runner::kPatienceMs));
            QCOMPARE(process.exitStatus(), QProcess::NormalExit);
            status = process.exitCode();
        }
        QCOMPARE(status, 128 + SIGINT);
        QVERIFY(!QFile::exists(report));
    }

    void theOptionsOfTheFirstCollectorWriteItsFiles()
    {
        for (const char *option : {"-html", "-deepdive"}) {
            QProcess process;
            process.setWorkingDirectory(m_batch.path(""));
            process.start(runner::binary("corotracer-gui"),
                          {QLatin1String(option), QStringLiteral("-out"), QStringLiteral("run.ctr")});
            QVERIFY(process.waitForFinished(runner::kPatienceMs));
            QCOMPARE(process.exitCode(), 0);
        }
        QVERIFY(runner::readAll(m_batch.path("coro_dashboard.html")).endsWith("</html>\n"));
        QVERIFY(runner::readAll(m_batch.path("coro_report.md")).startsWith("# run.ctr"));
    }
};

CT_QT_SUITE(ReportFilesTest)
#include "tst_reportfiles.moc"
