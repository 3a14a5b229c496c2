// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Batch runs of programs in C, and of a program with several probes. The expected counts follow from their sources.
#include "tests/core/exporting/database.h"
#include "tests/core/session/recordings.h"
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

using runner::Batch;
using runner::integer;
using runner::target;
using runner::words;

class CProgramsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Each pair has 4 * rounds + 4 events: both tasks begin and end, and both suspend once per round.
    void everyEventOfAUcontextSchedulerIsCaptured()
    {
        Batch batch({}, target("ct_ucontext", words("--pairs 50 --rounds 200")));
        recordings::recordTo(batch, "run.sqlite");
        QVERIFY2(batch.run() == 0, batch.err().constData());
        QCOMPARE(integer(batch.summary(), "events"), 50 * (4 * 200 + 4));
        QCOMPARE(integer(batch.summary(), "lost_events"), 0);
        QCOMPARE(integer(batch.summary(), "coroutines"), 100);
        QCOMPARE(integer(batch.summary(), "stuck_at_end"), 0);
        runner::compareAccounts(batch.summary(), batch.truth());

        const exporttest::Database rows(batch.path("run.sqlite"));
        const auto count = [&rows](const char *sql) { return rows.rows(sql).value(0).toInt(); };
        QCOMPARE(count("SELECT count(*) FROM wakes WHERE by_coroutine IS NOT NULL"), 50 * 200);
        QCOMPARE(count("SELECT count(*) FROM uses"), 50 * 200);
        QCOMPARE(count("SELECT count(*) FROM waits"), 50 * 200);
        QCOMPARE(count("SELECT count(*) FROM coroutines WHERE name LIKE 'consumer %' AND death_ts IS NOT NULL"), 50);
    }

    /// The consumer that checks, gives up its turn and then waits is shown, with the line of its wait. Whether it waits
    /// in vain cannot be judged: the scheduler waits for a signal, which may let it go on.
    void showsTheLostWakeUpOfAUcontextTask()
    {
        const QByteArray source = runner::readAll(runner::sourceFile("tests/targets/ct_ucontext.c"));
        const qsizetype at = source.indexOf("the wait that never ends");
        QVERIFY(at > 0);
        const QByteArray line = QByteArray::number(source.left(at).count('\n') + 1);

        Batch batch({}, target("ct_ucontext", words("--pairs 3 --rounds 50 --lose --seconds 600")));
        QVERIFY(batch.start());
        QVERIFY2(batch.waitForVerdict("not judged:"), batch.err().constData());
        batch.signal(SIGINT);
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 0);
        const QByteArray errors = batch.err();
        QVERIFY2(errors.contains("    consume_carelessly (ct_ucontext.c:" + line + ')'), errors.constData());
        QVERIFY2(errors.contains("corotracer-gui: not judged: lost-wakeup, 1: "), errors.constData());
        QCOMPARE(batch.summary().value(QLatin1String("stuck")).toArray().size(), 0);
        QCOMPARE(batch.summary().value(QLatin1String("abstained")).toArray().size(), 1);
        QCOMPARE(integer(batch.summary(), "events"), 3 * (4 * 50 + 4) + 8);
        runner::compareAccounts(batch.summary(), batch.truth());
    }

    /// One process, several probes: C, C++ and Rust, of each compiler, unloaded and loaded again.
    void everyEventOfAllProbesInOneProcessIsCaptured_data()
    {
        QTest::addColumn<QString>("end");
        QTest::addColumn<int>("processes");
        QTest::addColumn<int>("status");
        for (int i = 0; i < 5; ++i) {
            QTest::addRow("exit %d", i) << QString() << 1 << 0;
            QTest::addRow("fork %d", i) << QStringLiteral("--fork") << 2 << 0;
            QTest::addRow("kill %d", i) << QStringLiteral("--kill") << 1 << 128 + SIGKILL;
        }
    }
    void everyEventOfAllProbesInOneProcessIsCaptured()
    {
        QFETCH(QString, end);
        QFETCH(int, processes);
        QFETCH(int, status);
        const QStringList options = words("--rounds 4 --events 3001") + words(qPrintable(end));
        Batch batch({}, target("ct_images", options));
        QCOMPARE(batch.run(), status);
        const QJsonObject truth = batch.truth();
        const QJsonObject summary = batch.summary();
        QVERIFY2(integer(truth, "probes") >= 5, "C and C++ modules share a state");
        QCOMPARE(integer(truth, "emitted"), integer(truth, "traced_coroutines") * 3001);
        QCOMPARE(integer(summary, "events"), integer(truth, "emitted"));
        QCOMPARE(integer(summary, "lost_events"), 0);
        QCOMPARE(integer(summary, "missed_before_attach"), 0);
        QCOMPARE(integer(summary, "coroutines"), integer(truth, "traced_coroutines"));
        QCOMPARE(integer(summary, "untraced_coroutines"), 0);
        QCOMPARE(integer(summary, "processes"), processes);
        QCOMPARE(integer(summary, "flagged_stations"), 0);
    }
};

CT_QT_SUITE(CProgramsTest)
#include "tst_cprograms.moc"
