// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The system stops the engine again and again, in the middle of a pass. Lanes that were empty fill up before the engine
// reads the next ones. Nothing may be counted twice.
#include "tests/core/session/recordedsums.h"
#include "tests/support/qtsuite.h"

#include <random>
#include <thread>

using recordings::compareSums;
using recordings::recordTo;
using runner::Batch;
using runner::integer;
using runner::target;
using runner::words;

namespace {

/// Stops the engine for 0.5 to 4 ms and lets it run for 20 to 400 us, again and again until it has ended.
void stall(Batch &batch, unsigned seed)
{
    std::minstd_rand random(seed);
    const auto wait = [&random](int fromUs, int toUs) {
        std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(fromUs, toUs)(random)));
    };
    for (; batch.process().state() != QProcess::NotRunning; QCoreApplication::processEvents()) {
        batch.signal(SIGSTOP);
        wait(500, 4000);
        batch.signal(SIGCONT);
        wait(20, 400);
    }
}

}  // namespace

class StalledEngineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Threads come and go. Their coroutines end, and the stations are reused at once.
    void aStalledEngineCountsEachEventOnce_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("arguments");
        const auto row = [](const char *name, const char *program, const char *arguments) {
            QTest::newRow(name) << QString::fromLatin1(program) << QString::fromLatin1(arguments);
        };
        for (const char *name : {"threads 1", "threads 2", "threads 3", "threads 4"})
            row(name, "ct_kill", "--seconds 1 --visits-per-ms 60 --coroutines 60");
        row("short-lived", "ct_shortlived", "--count 30000");
        row("causality", "ct_causality", "--workers 200");
        row("processes", "ct_processes", "--processes 4 --coroutines 50 --turns 400 --rate 200000");
    }
    void aStalledEngineCountsEachEventOnce()
    {
        QFETCH(QString, program);
        QFETCH(QString, arguments);
        Batch batch({}, target(qPrintable(program), words(qPrintable(arguments))));
        recordTo(batch, "run.ctr");
        QVERIFY(batch.start());
        stall(batch, qHash(QLatin1String(QTest::currentDataTag())));
        QVERIFY2(batch.exitCode() == 0, batch.err().constData());
        const QJsonObject summary = batch.summary();
        runner::compareAccounts(summary, batch.truth());
        QCOMPARE(integer(summary, "coroutines"), integer(batch.truth(), "traced_coroutines"));
        compareSums(summary, batch.path("run.ctr"), {});
    }
};

CT_QT_SUITE(StalledEngineTest)
#include "tst_stalledengine.moc"
