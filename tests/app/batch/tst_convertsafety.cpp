// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Conversions that must leave nothing half-visible, and never touch their input.
#include "tests/app/batch/batchoutputs.h"
#include "tests/app/batch/conversions.h"
#include "tests/support/filesizelimit.h"
#include "tests/support/qtsuite.h"

#include <random>
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

/// Lines that even a recording cannot compress much.
QByteArray irregularJsonl(int events)
{
    std::mt19937_64 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same lines in each run
    QByteArray lines;
    std::uint64_t ts = 1000;
    for (int i = 0; i < events; ++i)
        lines += QByteArray("{\"probe_id\":") + QByteArray::number(i % 100 + 1) + ",\"tid\":7,\"addr\":\"0x" +
                 QByteArray::number(qulonglong{random()}, 16).rightJustified(16, '0') +
                 "\",\"seq\":" + QByteArray::number((i / 100 / 8 + 1) * 2) +
                 ",\"is_active\":" + (i / 100 % 2 == 0 ? "true" : "false") +
                 ",\"ts\":" + QByteArray::number(qulonglong{ts += random() % 1'000'000}) +
                 ",\"n\":" + QByteArray::number(i / 100) + "}\n";
    return lines;
}

/// Starts a conversion, and waits until a temporary file of it has `bytes`. Returns false if it ended before.
bool startAndReach(const Folder &folder, QProcess &process, const QString &words, qint64 bytes)
{
    folder.prepare(process, words);
    process.start();
    const auto written = [&] {
        const QString pattern = QStringLiteral("*.%1-*.part").arg(process.processId());
        qint64 most = -1;
        for (const QFileInfo &file : QDir(folder.path({})).entryInfoList({pattern}, QDir::Files))
            most = std::max(most, file.size());
        return most;
    };
    while (process.state() != QProcess::NotRunning && written() < bytes)
        process.waitForFinished(1);
    return process.state() != QProcess::NotRunning;
}

/// Reads a mask of signals, such as "SigCgt:".
std::uint64_t signalsOf(const QProcess &process, const QByteArray &mask)
{
    const QByteArray status = runner::readAll(QStringLiteral("/proc/%1/status").arg(process.processId()));
    const qsizetype at = status.indexOf(mask);
    return at < 0 ? 0 : status.mid(at + mask.size() + 1, 16).toULongLong(nullptr, 16);
}

/// Waits until the signal has been delivered: two that are pending together count once.
bool hasTaken(const QProcess &process, int signal)
{
    return QTest::qWaitFor([&] { return (signalsOf(process, "ShdPnd:") >> (signal - 1) & 1) == 0; },
                           runner::kPatienceMs);
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
        row("journal of the input", "--input same.sqlite --export csv --output same.sqlite-journal");
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

    void anOpenDescriptorIsNotReplaced_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("output");
        for (const char *kind : {"csv", "jsonl", "sqlite", "ctr", "perfetto", "chrome"})
            QTest::newRow(kind) << QString::fromLatin1(kind) << QStringLiteral("/dev/stdout");
        for (const char *output : {"/dev/fd/1", "/proc/self/fd/1", "../../../../../../dev/stdout"})
            QTest::newRow(output) << QStringLiteral("csv") << QString::fromLatin1(output);
    }
    void anOpenDescriptorIsNotReplaced()
    {
        QFETCH(QString, kind);
        QFETCH(QString, output);
        Folder folder;
        QVERIFY(folder.write("run.jsonl", jsonl(1000)));
        QVERIFY(folder.write("app", "older"));
        QProcess process;
        folder.prepare(process, QStringLiteral("--input run.jsonl --export %1 --output %2").arg(kind, output));
        process.setStandardOutputFile(folder.path(QStringLiteral("app")), QIODevice::Append);
        process.start();
        const Outcome outcome = Folder::outcomeOf(process);
        QVERIFY2(outcome.status == 4, outcome.err);
        if (output.startsWith(QLatin1Char('/')))
            QVERIFY2(outcome.says("is an open file, which a new file cannot replace; give the name of the file"),
                     outcome.err);
        QCOMPARE(folder.content("app"), QByteArray("older"));
        QCOMPARE(folder.names(), QStringList({QStringLiteral("app"), QStringLiteral("run.jsonl")}));
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
        for (const char *kind : {"csv", "jsonl", "sqlite", "perfetto", "chrome"})
            QTest::newRow(kind) << QString::fromLatin1(kind) << quint64{1'000'000};
        QTest::newRow("ctr") << QStringLiteral("ctr") << quint64{300};
    }
    void aFullDiskLeavesTheOlderFile()
    {
        QFETCH(QString, kind);
        QFETCH(quint64, limit);
        Folder folder;
        const QByteArray lines = jsonl(100'000);
        QVERIFY(folder.write("run.jsonl", lines));
        QVERIFY(folder.write("out", "older"));
        QProcess process;
        folder.prepare(process, QStringLiteral("--input run.jsonl --export %1 --output out").arg(kind));
        {
            const ct::test::FileSizeLimit most(limit);
            process.start();
            QVERIFY(process.waitForStarted());
        }
        const Outcome outcome = Folder::outcomeOf(process);
        QVERIFY2(outcome.status == 4, outcome.err);
        QVERIFY2(outcome.says("corotracer-gui: out: ") && outcome.says("; nothing was written; "), outcome.err);
        QVERIFY2(outcome.says("choose another folder"), outcome.err);
        QCOMPARE(folder.content("out"), QByteArray("older"));
        QCOMPARE(folder.content("run.jsonl"), lines);
        QCOMPARE(folder.names(), QStringList({QStringLiteral("out"), QStringLiteral("run.jsonl")}));
    }

    void aKilledConversionShowsNothing_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("name");
        const auto row = [](const char *kind, const char *name) {
            QTest::newRow(kind) << QString::fromLatin1(kind) << QString::fromLatin1(name);
        };
        row("csv", "run.csv");
        row("jsonl", "out.jsonl");
        row("sqlite", "run.sqlite");
        row("ctr", "run.ctr");
        row("perfetto", "run.pftrace");
        row("chrome", "run.json");
    }
    /// The temporary file may stay, but the output is the older file or the new one.
    void aKilledConversionShowsNothing()
    {
        QFETCH(QString, kind);
        QFETCH(QString, name);
        constexpr int kEvents = 60'000;
        constexpr int kKills = 4;
        Folder folder;
        const QByteArray lines = irregularJsonl(kEvents);
        QVERIFY(folder.write("run.jsonl", lines));
        const QByteArray output = name.toLatin1();
        const QString words = QStringLiteral("--input run.jsonl --export %1 --output %2").arg(kind, name);
        QCOMPARE(folder.run(words).status, 0);
        const QByteArray whole = folder.content(output);
        QVERIFY(whole.size() > kEvents);
        // A recording and a database contain the time at which they are written.
        const bool isCounted = kind == QStringLiteral("ctr") || kind == QStringLiteral("sqlite");
        const auto isWhole = [&](const QByteArray &content) {
            return isCounted ? rowsIn(folder.path(name)) == kEvents : content == whole;
        };
        int killed = 0;
        for (int i = kKills - 1; i >= 0; --i) {  // the last one leaves a temporary file
            for (const QString &left : folder.names().filter(QStringLiteral(".part")))
                QFile::remove(folder.path(left));
            QVERIFY(folder.write(output, "older"));
            QProcess process;
            if (startAndReach(folder, process, words, whole.size() * i / kKills))
                ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
            QVERIFY(process.state() == QProcess::NotRunning || process.waitForFinished(runner::kPatienceMs));
            const QByteArray content = folder.content(output);
            QVERIFY(content == "older" || isWhole(content));
            killed += content == "older" ? 1 : 0;
        }
        QVERIFY(killed > 1);
        // What the killed ones have left does not disturb the next one.
        const QStringList left = folder.names();
        const Outcome outcome = folder.run(words);
        QVERIFY2(outcome.status == 0, outcome.err);
        QVERIFY(isWhole(folder.content(output)));
        QCOMPARE(folder.names(), left);
        QCOMPARE(folder.content("run.jsonl"), lines);
    }

    void aSignalCancels_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addColumn<int>("count");
        QTest::newRow("Ctrl-C") << SIGINT << 1;
        QTest::newRow("SIGTERM") << SIGTERM << 1;
        QTest::newRow("timeout, which sends two") << SIGTERM << 2;
    }
    void aSignalCancels()
    {
        QFETCH(int, signal);
        QFETCH(int, count);
        Folder folder;
        QVERIFY(folder.write("run.jsonl", jsonl(1'000'000)));
        QProcess process;
        QVERIFY(startAndReach(folder, process, QStringLiteral("--input run.jsonl --export sqlite --export csv"),
                              1'000'000));
        for (int i = 0; i < count; ++i) {
            runner::signalTo(process, signal);
            QVERIFY(hasTaken(process, signal));
        }
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
            return (signalsOf(process, "SigCgt:") >> (SIGINT - 1) & 1) != 0;
        };
        QVERIFY(QTest::qWaitFor(catches, runner::kPatienceMs));
        runner::signalTo(process, SIGINT);
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
