// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// SIGUSR2: the stacks of a run that continues.
#include "app/batch/diagnosis.h"
#include "tests/support/events.h"
#include "tests/support/runner.h"
#include "tests/support/sleepingprocess.h"

#include <csignal>

using namespace ct;

namespace {

QStringList waitingForALock()
{
    return {QStringLiteral("--"),    runner::binary("ct_causality"), QStringLiteral("--workers"),
            QStringLiteral("5"),     QStringLiteral("--rounds"),     QStringLiteral("2"),
            QStringLiteral("--hold")};
}

}  // namespace

class StacksOnRequestTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theRunContinues()
    {
        runner::Batch batch({}, waitingForALock());
        QVERIFY(batch.start());
        QTRY_VERIFY(batch.out().contains("all wait for the lock"));
        // The engine may not have read the latest events yet when the target prints that all wait.
        QVERIFY2(batch.waitForVerdict("5 x waits for a lock, the longest for "), batch.err().constData());
        QVERIFY2(batch.waitForError("coroutines that are alive, equal ones together"), batch.err().constData());
        batch.signal(SIGTERM);
        QVERIFY(batch.wait());
        QCOMPARE(batch.summary().value(QLatin1String("ended_by")).toString(), QStringLiteral("signal"));
    }

    void theFindingsAreReportedToo()
    {
        runner::Batch batch({QStringLiteral("--report"), QStringLiteral("json"), QStringLiteral("--report-out"),
                             QStringLiteral("report.json")},
                            {QStringLiteral("--"), runner::binary("ct_server_lossy"), QStringLiteral("--seconds"),
                             QStringLiteral("600")});
        batch.process().setWorkingDirectory(batch.path(""));
        QVERIFY(batch.start());
        QVERIFY2(batch.waitForLostWakeUp(), batch.err().constData());
        batch.signal(SIGTERM);
        QVERIFY(batch.wait());
        QVERIFY(!runner::objectIn(batch.path("report.json")).value(QLatin1String("findings")).toArray().isEmpty());
    }

    void theThresholdsOfTheRunCount()
    {
        const auto population = std::make_shared<Population>();
        Batch lost;
        lost.births.push_back({0, 0, 1, 7, Dialect::Lane, 1, 1});
        lost.transitions = {ct::test::eventOf(Dialect::Lane, 0, 0, 1'000'000'000, false)};
        lost.notes.wakes = {{0, kNoCoroutine, 0, 1'000'000'001, 7, 100}};
        ct::test::addSleepingProcess(lost.notes, 7, 100, 59'000'000'000);
        lost.now = 60'000'000'000;
        CommandLine::Diagnosis options;
        const auto findings = [&] {
            Diagnosis diagnosis(options, population, "a program");
            for (const std::shared_ptr<Sink> &sink : diagnosis.sinks())
                (void)sink->consume(lost);
            return diagnosis.presentVerdict().findings.size();
        };
        QVERIFY(bool(population->consume(lost)));
        QCOMPARE(findings(), std::size_t{1});
        QVERIFY(bool(setThreshold(options.thresholds, "woken=60min")));
        QCOMPARE(findings(), std::size_t{0});
    }

    void beforeTheFirstCoroutine()
    {
        runner::Batch batch({}, runner::shell("echo ready; read line; exit 3"));
        QVERIFY(batch.start());
        QTRY_VERIFY(batch.out().contains("ready"));
        batch.signal(SIGUSR2);
        QVERIFY(batch.waitForError("no coroutine is alive"));
        batch.process().write("go on\n");
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 3);
    }
};

CT_QT_SUITE(StacksOnRequestTest)
#include "tst_stacksonrequest.moc"
