// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Conversions that must leave nothing half-visible, and never touch their input.
#include "tests/app/batch/batchoutputs.h"
#include "tests/app/batch/conversions.h"
#include "tests/support/filesizelimit.h"
#include "tests/support/qtsuite.h"

#include <unistd.h>

using namespace conversions;
using batchoutputs::rowsIn;

namespace {

QByteArray jsonl(int events)
{
    QByteArray lines;
    for (int i = 0; i < events; ++i)
        lines += QByteArray("{\"probe_id\":") + QByteArray::number(i % 100 + 1) +
                 ",\"tid\":7,\"addr\":\"0x0000000000000001\",\"seq\":" + QByteArray::number((i / 100 / 8 + 1) * 2) +
                 ",\"is_active\":" + (i / 100 % 2 == 0 ? "true" : "false") + ",\"ts\":" + QByteArray::number(1000 + i) +
                 ",\"n\":" + QByteArray::number(i / 100) + "}\n";
    return lines;
}

/// Starts a conversion, and waits until a temporary file has `bytes`. Returns false if it ended before.
bool startAndReach(const Folder &folder, QProcess &process, const QString &words, qint64 bytes)
{
    folder.prepare(process, words);
    process.start();
    const auto written = [&] {
        qint64 most = -1;
        for (const QFileInfo &file : QDir(folder.path({})).entryInfoList({QStringLiteral("*.part")}, QDir::Files))
            most = std::max(most, file.size());
        return most;
    };
    while (process.state() != QProcess::NotRunning && written() < bytes)
        process.waitForFinished(1);
    return process.state() != QProcess::NotRunning;
}

}  // namespace

class ConvertSafetyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anInputIsNoOutput_data()
    {
        QTest::addColumn<QString>("words");
        const auto row = [](const char *name, const char *words) { QTest::newRow(name) << words; };
        row("same name", "--input run.jsonl --export csv --output run.jsonl");
        row("derived", "--input same.csv --export csv");
        row("another spelling", "--input run.jsonl --export jsonl --output ./run.jsonl");
        row("symbolic link", "--input run.jsonl --export csv --output link.csv");
        row("hard link", "--input run.jsonl --export csv --output hard.csv");
        row("input through a link", "--input link.csv --export csv --output run.jsonl");
        row("second file", "--input run.causes.csv --export csv --output run.csv");
        row("journal", "--input run.sqlite-journal --export sqlite --output run.sqlite");
        row("standard input", "--input - --export csv --output run.jsonl");
        row("summary of the report", "--input run.jsonl --report text --report-out o.csv --export csv --output o.csv");
        row("two equal outputs", "--input run.jsonl --export csv --output o.csv --export jsonl --output o.csv");
        row("equal through a link", "--input run.jsonl --export csv --output dangling --export jsonl --output new");
        row("a segment", "--input LAST --export csv --output FIRST");
    }
    void anInputIsNoOutput()
    {
        QFETCH(QString, words);
        Folder folder;
        const QByteArray lines = jsonl(1000);
        for (const char *name : {"run.jsonl", "run.causes.csv", "run.sqlite-journal", "same.csv"})
            QVERIFY(folder.write(name, lines));
        QVERIFY(QFile::link(QStringLiteral("run.jsonl"), folder.path(QStringLiteral("link.csv"))));
        QVERIFY(QFile::link(QStringLiteral("new"), folder.path(QStringLiteral("dangling"))));
        QVERIFY(::link(qPrintable(folder.path(QStringLiteral("run.jsonl"))),
                       qPrintable(folder.path(QStringLiteral("hard.csv")))) == 0);
        QString first;
        if (words.contains(QStringLiteral("LAST"))) {
            QVERIFY(folder.record(QStringLiteral("rot.ctr --limit 1s"), "ct_storm",
                                  "--seconds 3 --rate 2000 --coroutines 10"));
            const QStringList segments = folder.names().filter(QStringLiteral("rot."));
            QVERIFY(segments.size() > 1);
            first = segments.first();
            words.replace(QStringLiteral("LAST"), segments.last()).replace(QStringLiteral("FIRST"), first);
        }
        const QByteArray segment = folder.content(first.toLatin1());
        const QStringList before = folder.names();
        const QString input = words.contains(QStringLiteral("--input -")) ? QStringLiteral("run.jsonl") : QString();
        const Outcome outcome = folder.run(words, {}, input);
        const bool isUsage = words == QStringLiteral("--input same.csv --export csv");
        QVERIFY2(outcome.status == (isUsage ? 2 : 4), outcome.err);
        QVERIFY2(outcome.says(isUsage ? "both its input and its output" : "the same file"), outcome.err);
        QCOMPARE(folder.names(), before);
        for (const char *name : {"run.jsonl", "run.causes.csv", "run.sqlite-journal", "same.csv"})
            QCOMPARE(folder.content(name), lines);
        QCOMPARE(folder.content(first.toLatin1()), segment);
    }

    void otherOutputsAreCompletedAfterAFailure()
    {
        Folder folder;
        QVERIFY(folder.write("run.jsonl", jsonl(1000)));
        const Outcome outcome = folder.run(QStringLiteral(
            "--input run.jsonl --export csv --output no/where.csv --export ctr --export sqlite --output ."));
        QVERIFY2(outcome.status == 4, outcome.err);
        QVERIFY2(outcome.says("no/where.csv cannot be written: No such file or directory"), outcome.err);
        QVERIFY2(outcome.says(". is not a regular file"), outcome.err);
        QCOMPARE(rowsIn(folder.path(QStringLiteral("run.ctr"))), 1000);
    }

    void aFullDiskLeavesTheOlderFile_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<quint64>("limit");
        for (const char *kind : {"csv", "jsonl", "sqlite"})
            QTest::newRow(kind) << QString::fromLatin1(kind) << quint64{1'000'000};
        QTest::newRow("ctr") << QStringLiteral("ctr") << quint64{300};
    }
    void aFullDiskLeavesTheOlderFile()
    {
        QFETCH(QString, kind);
        QFETCH(quint64, limit);
        Folder folder;
        QVERIFY(folder.write("run.jsonl", jsonl(100'000)));
        QVERIFY(folder.write("out", "older"));
        QVERIFY(folder.write("small.jsonl", jsonl(10)));
        QProcess process;
        folder.prepare(process, QStringLiteral("--input run.jsonl --export %1 --output out").arg(kind));
        {
            const ct::test::FileSizeLimit most(limit);
            process.start();
            QVERIFY(process.waitForStarted());
        }
        const Outcome outcome = Folder::outcomeOf(process);
        QVERIFY2(outcome.status == 4, outcome.err);
        QVERIFY2(outcome.says("out") && outcome.says("nothing was written"), outcome.err);
        QCOMPARE(folder.content("out"), QByteArray("older"));
        QCOMPARE(folder.names(),
                 QStringList({QStringLiteral("out"), QStringLiteral("run.jsonl"), QStringLiteral("small.jsonl")}));
    }

    /// The temporary file may stay, but the output is the older file or the new one.
    void aKilledConversionShowsNothing()
    {
        Folder folder;
        QVERIFY(folder.write("run.jsonl", jsonl(300'000)));
        QVERIFY(folder.write("run.csv", "older"));
        int killed = 0;
        for (qint64 bytes = 0; bytes < 20'000'000; bytes += 1'500'000) {
            QProcess process;
            const bool isRunning =
                startAndReach(folder, process, QStringLiteral("--input run.jsonl --export csv"), bytes);
            if (isRunning)
                ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
            QVERIFY(process.state() == QProcess::NotRunning || process.waitForFinished(runner::kPatienceMs));
            const QByteArray csv = folder.content("run.csv");
            const bool isWhole = csv.count('\n') == 300'001 && csv.endsWith('\n');
            QVERIFY(csv == "older" || isWhole);
            killed += csv == "older" ? 1 : 0;
            QVERIFY(folder.write("run.csv", "older"));
            for (const QString &name : folder.names().filter(QStringLiteral(".part")))
                QFile::remove(folder.path(name));
        }
        QVERIFY(killed > 3);
        QCOMPARE(folder.content("run.jsonl").size(), jsonl(300'000).size());
    }

    void aSignalCancels_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("Ctrl-C") << SIGINT;
        QTest::newRow("SIGTERM") << SIGTERM;
    }
    void aSignalCancels()
    {
        QFETCH(int, signal);
        Folder folder;
        QVERIFY(folder.write("run.jsonl", jsonl(1'000'000)));
        QProcess process;
        QVERIFY(startAndReach(folder, process, QStringLiteral("--input run.jsonl --export sqlite --export csv"),
                              1'000'000));
        ::kill(static_cast<pid_t>(process.processId()), signal);
        const Outcome outcome = Folder::outcomeOf(process);
        QVERIFY2(outcome.status == 128 + signal, outcome.err);
        QVERIFY2(outcome.says("interrupted: nothing was written"), outcome.err);
        QCOMPARE(folder.names(), QStringList(QStringLiteral("run.jsonl")));
    }

    void aSignalEndsTheWaitForStandardInput()
    {
        Folder folder;
        QProcess process;
        folder.prepare(process, QStringLiteral("--input - --export csv --output o.csv"));
        process.start();
        process.write("{");
        const auto catches = [&] {
            const QString proc = QStringLiteral("/proc/%1/").arg(process.processId());
            if (!QFile::symLinkTarget(proc + QStringLiteral("exe")).endsWith(QStringLiteral("corotracer-gui")))
                return false;  // before exec, it has the handlers of the test
            const QByteArray status = runner::readAll(proc + QStringLiteral("status"));
            const qsizetype at = status.indexOf("SigCgt:\t");
            return at >= 0 && (status.mid(at + 8, 16).toULongLong(nullptr, 16) >> (SIGINT - 1) & 1) != 0;
        };
        QVERIFY(QTest::qWaitFor(catches, runner::kPatienceMs));
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QCOMPARE(Folder::outcomeOf(process).status, 128 + SIGINT);
        QVERIFY(folder.names().isEmpty());
    }

    void aRecordingInUseIsNotReplaced()
    {
        Folder folder;
        QVERIFY(folder.record(QStringLiteral("rot.ctr --limit 1min"), "ct_storm",
                              "--seconds 1 --rate 2000 --coroutines 10"));
        QVERIFY(folder.write("run.jsonl", jsonl(10)));
        const Outcome outcome = folder.run(QStringLiteral("--input run.jsonl --export ctr --output rot.ctr"));
        QVERIFY2(outcome.status == 4, outcome.err);
        QVERIFY2(outcome.says("rot.ctr is the name of the recording that rot.0.ctr"), outcome.err);
    }
};

CT_QT_SUITE(ConvertSafetyTest)
#include "tst_convertsafety.moc"
