// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// --batch --listen: the printed lines that start a target, messages when it comes and goes, and the end.
#include "tests/support/runner.h"

#include "core/target/tracinginstructions.h"
#include "tests/support/qtsuite.h"

using runner::Batch;
using runner::integer;

namespace {

/// A listening run in its own directory.
class Listening {
public:
    explicit Listening(const QStringList &options = {QStringLiteral("--until-idle")})
        : m_batch(QStringList{QStringLiteral("--shm"), QStringLiteral("r.shm")} + options, {QStringLiteral("--listen")})
    {
        m_batch.process().setWorkingDirectory(QFileInfo(m_batch.path("x")).path());
    }
    bool begin() { return m_batch.start() && m_batch.waitForError("docker run "); }
    Batch &batch() { return m_batch; }
    /// Starts a target as the printed line says. `words`: the program and its arguments.
    void startTarget(QProcess &target, const QString &words)
    {
        static const QRegularExpression line(QStringLiteral("^  (CTP_SHM_PATH=.*) \\./your-program$"),
                                             QRegularExpression::MultilineOption);
        const QString said = line.match(QString::fromUtf8(m_batch.err())).captured(1);
        QVERIFY(!said.isEmpty());
        target.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), said + QStringLiteral(" exec ") + words});
        QVERIFY(target.waitForStarted());
    }

private:
    Batch m_batch;
};

QString storm(const char *arguments)
{
    return runner::binary("ct_storm") + u' ' + QLatin1String(arguments);
}

}  // namespace

class ListeningTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Prints the same lines as the window.
    void printsTheInstructionsOfTheWindow()
    {
        Listening listening{QStringList()};
        QVERIFY(listening.begin());
        Batch &batch = listening.batch();
        batch.signal(SIGINT);
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 0);
        const QString said = QString::fromUtf8(batch.err());
        QVERIFY2(said.contains(QLatin1String("  CTP_SHM_PATH=")), qPrintable(said));
        const QString region = QFileInfo(batch.path("r.shm")).absoluteFilePath();
        QVERIFY(said.contains(QStringLiteral("  [Service]\n  Environment=\"CTP_SHM_PATH=%1\"\n").arg(region)));
        QVERIFY(said.contains(QStringLiteral("-e CTP_SHM_PATH=%1 ").arg(ct::shellQuoted(region))));
    }

    void endsAfterTheLastTarget()
    {
        Listening listening;
        QVERIFY(listening.begin());
        Batch &batch = listening.batch();
        QProcess first;
        QProcess second;
        listening.startTarget(first, storm("--coroutines 3 --seconds 600 --rate 1000"));
        const QByteArray firstPid = QByteArray::number(first.processId());
        QVERIFY2(batch.waitForError("target " + firstPid + " (ct_storm) uses the region"), batch.err().constData());
        listening.startTarget(second, storm("--coroutines 4 --seconds 600 --rate 1000"));
        const QByteArray secondPid = QByteArray::number(second.processId());
        QVERIFY2(batch.waitForError("target " + secondPid + " (ct_storm) uses the region"), batch.err().constData());
        first.terminate();
        QVERIFY2(batch.waitForError("target " + firstPid + " (ct_storm) no longer uses the region; 1 left"),
                 batch.err().constData());
        QCOMPARE(batch.process().state(), QProcess::Running);
        second.terminate();
        QVERIFY(batch.wait());
        QVERIFY2(batch.err().contains("target " + secondPid + " (ct_storm) no longer uses the region; none is left"),
                 batch.err().constData());
        QCOMPARE(batch.exitCode(), 0);
        const QJsonObject summary = batch.summary();
        QCOMPARE(summary.value(QLatin1String("ended_by")).toString(), QStringLiteral("exit"));
        QCOMPARE(integer(summary, "coroutines"), 7);
        QCOMPARE(integer(summary, "processes"), 2);
        QVERIFY(summary.value(QLatin1String("exit_code")).isNull());
        QVERIFY(!QFile::exists(batch.path("r.shm")));
        for (QProcess *target : {&first, &second})
            QVERIFY(target->state() == QProcess::NotRunning || target->waitForFinished(runner::kPatienceMs));
    }

    /// A target counts however short its life is, even with a version-1 SDK, which has no entry in the process table.
    void countsATargetThatEndsAtOnce_data()
    {
        QTest::addColumn<QString>("target");
        QTest::newRow("probe") << storm("--coroutines 2 --transitions 100");
        QTest::newRow("version 1") << runner::binary("ct_oldsdk") +
                                          QStringLiteral(" --coroutines 5 --threads 1 --transitions 20");
    }
    void countsATargetThatEndsAtOnce()
    {
        QFETCH(QString, target);
        Listening listening;
        QVERIFY(listening.begin());
        QProcess process;
        listening.startTarget(process, target);
        QVERIFY(process.waitForFinished(runner::kPatienceMs));
        QVERIFY(listening.batch().wait());
        QCOMPARE(listening.batch().exitCode(), 0);
        QVERIFY(integer(listening.batch().summary(), "coroutines") > 0);
    }

    void waitsUntilATargetComes()
    {
        Listening listening({QStringLiteral("--until-idle"), QStringLiteral("--duration"), QStringLiteral("2")});
        QVERIFY(listening.begin());
        QVERIFY(listening.batch().wait());
        QCOMPARE(listening.batch().summary().value(QLatin1String("ended_by")).toString(), QStringLiteral("duration"));
    }

    void captureContinuesWithoutUntilIdle()
    {
        Listening listening{QStringList()};
        QVERIFY(listening.begin());
        Batch &batch = listening.batch();
        QProcess target;
        listening.startTarget(target, storm("--coroutines 3 --seconds 600 --rate 1000"));
        QVERIFY(batch.waitForError(" uses the region"));
        target.terminate();
        QVERIFY(batch.waitForError("none is left"));
        QCOMPARE(batch.process().state(), QProcess::Running);
        batch.signal(SIGTERM);
        QVERIFY(batch.wait());
        QCOMPARE(batch.summary().value(QLatin1String("ended_by")).toString(), QStringLiteral("signal"));
        QVERIFY(target.state() == QProcess::NotRunning || target.waitForFinished(runner::kPatienceMs));
    }
};

CT_QT_SUITE(ListeningTest)
#include "tst_listening.moc"
