// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// SIGUSR2: the stacks of a run that continues.
#include "tests/support/runner.h"

#include <csignal>

using runner::Batch;

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
        Batch batch({}, waitingForALock());
        QVERIFY(batch.start());
        QTRY_VERIFY(batch.out().contains("all wait for the lock"));
        batch.signal(SIGUSR2);
        QVERIFY(batch.waitForError("5 x waits for a lock, the longest for "));
        QVERIFY(batch.waitForError("coroutines that are alive, equal ones together"));
        QVERIFY(!batch.err().contains("not judged"));  // no rules without --report and --fail-on
        batch.signal(SIGTERM);
        QVERIFY(batch.wait());
        QCOMPARE(batch.summary().value(QLatin1String("ended_by")).toString(), QStringLiteral("signal"));
    }

    void withRulesTheFindingsAreReportedToo()
    {
        Batch batch({QStringLiteral("--report"), QStringLiteral("json"), QStringLiteral("--report-out"),
                     QStringLiteral("report.json")},
                    {QStringLiteral("--"), runner::binary("ct_server_lossy"), QStringLiteral("--seconds"),
                     QStringLiteral("100")});
        batch.process().setWorkingDirectory(batch.path(""));
        QVERIFY(batch.start());
        // By then, the signal has its handler. Before, it would end the program.
        QVERIFY(batch.waitForOutput("requests/s"));
        const auto isFound = [&batch] {
            batch.signal(SIGUSR2);
            return batch.err().contains("lost-wakeup: ");
        };
        QTRY_VERIFY(isFound());
        batch.signal(SIGTERM);
        QVERIFY(batch.wait());
        QVERIFY(!runner::objectIn(batch.path("report.json")).value(QLatin1String("findings")).toArray().isEmpty());
    }

    void beforeTheFirstCoroutine()
    {
        Batch batch({}, runner::shell("echo ready; read line; exit 3"));
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
