// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// History in memory, dumped on a death, on request and on a finding.
#include "tests/core/session/recordings.h"
#include "tests/support/qtsuite.h"

using recordings::readRecording;
using recordings::recordTo;
using runner::Batch;
using runner::integer;
using runner::target;
using runner::words;

class DumpsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void dumpsTheHistoryOnADeath()
    {
        Batch batch(words("--keep 60s --dump-on death"), target("ct_crash", words("--after 20")));
        recordTo(batch, "run.jsonl");
        QCOMPARE(batch.run(), 128 + SIGSEGV);
        QVERIFY(!QFile::exists(batch.path("run.jsonl")));
        const QJsonArray dumps = batch.summary().value(QLatin1String("dumps")).toArray();
        QCOMPARE(dumps.size(), 1);
        QCOMPARE(dumps.first().toString(), batch.path("run.1.jsonl"));
        QCOMPARE(readRecording(batch.path("run.1.jsonl")).lines, integer(batch.summary(), "events"));
    }

    void everyDeathIsDumped()
    {
        Batch batch(words("--keep 60s --dump-on death"),
                    target("ct_processes", words("--processes 3 --coroutines 20 --turns 20")));
        recordTo(batch, "run.jsonl");
        QCOMPARE(batch.run(), 0);
        QCOMPARE(batch.summary().value(QLatin1String("dumps")).toArray().size(), 3);
        QCOMPARE(batch.err().count("(ct_processes) has ended"), 3);
        QCOMPARE(readRecording(batch.path("run.3.jsonl")).lines, integer(batch.summary(), "events"));
    }

    /// Each death is dumped while another process runs on.
    void deathsAreDumpedWhileListening()
    {
        Batch batch(words("--keep 60s --dump-on death"), {QStringLiteral("--listen")});
        batch.process().setArguments(batch.process().arguments() +
                                     QStringList{QStringLiteral("--shm"), batch.path("r.shm")});
        recordTo(batch, "run.jsonl");
        QVERIFY(batch.start());
        QVERIFY(batch.waitForError("CTP_SHM_PATH="));
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("CTP_SHM_PATH"), batch.path("r.shm"));
        environment.insert(QStringLiteral("CTP_SOCK_PATH"), batch.path("r.shm.sock"));
        environment.insert(QStringLiteral("CTP_MAX_STATIONS"), QStringLiteral("2097150"));
        QProcess stays;
        stays.setProcessEnvironment(environment);
        stays.start(runner::binary("ct_many"), words("--coroutines 10"));
        for (const char *const dump : {"run.1.jsonl", "run.2.jsonl"}) {
            QProcess dies;
            dies.setProcessEnvironment(environment);
            dies.start(runner::binary("ct_crash"), words("--after 20"));
            QVERIFY(dies.waitForFinished(runner::kPatienceMs));
            QVERIFY2(batch.waitForError(batch.path(dump).toUtf8()), batch.err().constData());
            QVERIFY(readRecording(batch.path(dump)).lines > 0);
        }
        QCOMPARE(stays.state(), QProcess::Running);
        batch.signal(SIGTERM);
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 0);
        QCOMPARE(batch.summary().value(QLatin1String("dumps")).toArray().size(), 2);
        QCOMPARE(integer(batch.summary(), "processes"), 3);
        stays.kill();
        QVERIFY(stays.waitForFinished(runner::kPatienceMs));
    }

    void dumpsTheHistoryOnASignal()
    {
        Batch batch(words("--keep 64MiB"), target("ct_many", words("--coroutines 100")));
        recordTo(batch, "run.csv");
        QVERIFY(batch.start());
        QTRY_VERIFY(batch.out().contains("suspended"));
        int dumps = 0;
        qint64 rows = 0;
        while (dumps < 1000 && rows < 2) {  // early dumps may precede the events
            batch.signal(SIGUSR1);
            const QString path = batch.path(qPrintable(QStringLiteral("run.%1.csv").arg(++dumps)));
            QVERIFY(batch.waitForError(path.toUtf8()));
            rows = runner::readAll(path).count('\n');
        }
        QVERIFY(rows > 1);
        batch.signal(SIGTERM);
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 0);
        QCOMPARE(batch.summary().value(QLatin1String("dumps")).toArray().size(), dumps);  // none at the end
        QVERIFY(!QFile::exists(batch.path("run.csv")));
    }

    void dumpsTheHistoryOnAFinding()
    {
        Batch batch(words("--keep 60s --dump-on finding"), target("ct_causality", words("--workers 5 --hold")));
        recordTo(batch, "run.jsonl");
        QVERIFY(batch.start());
        QVERIFY2(batch.waitForError("run.1.jsonl"), batch.err().constData());
        batch.signal(SIGTERM);
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 0);
        QStringList names;
        for (const QJsonValue &stuck : batch.summary().value(QLatin1String("stuck")).toArray())
            names << stuck.toObject().value(QLatin1String("name")).toString();
        names.sort();
        QCOMPARE(names, QStringList({QStringLiteral("worker 0"), QStringLiteral("worker 1"), QStringLiteral("worker 2"),
                                     QStringLiteral("worker 3"), QStringLiteral("worker 4")}));
        QCOMPARE(batch.summary().value(QLatin1String("dumps")).toArray().size(), 1);  // known findings: no dump
        QVERIFY(readRecording(batch.path("run.1.jsonl")).lines > 0);
    }

    void reportsUnwritableDumpsAtOnce()
    {
        Batch batch({QStringLiteral("-o"), QStringLiteral("/no/such/place/run.jsonl"), QStringLiteral("--keep"),
                     QStringLiteral("1s")},
                    target("ct_many"));
        QCOMPARE(batch.run(), 4);
        QVERIFY(batch.err().contains("/no/such/place"));
    }
};

CT_QT_SUITE(DumpsTest)
#include "tst_dumps.moc"
