// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Output files of a batch run that fail half-way, that are the same file, or that belong to another program.
#include "tests/app/batch/batchoutputs.h"
#include "tests/core/session/recordings.h"
#include "tests/support/qtsuite.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace batchoutputs;
using runner::Batch;
using runner::integer;

namespace {

QStringList storm()
{
    return runner::target("ct_storm", runner::words("--seconds 1 --rate 20000 --coroutines 10"));
}

}  // namespace

class BatchFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// SIGXFSZ does not end the program. The written part is valid, and the rest is counted.
    void countsEventsBeyondTheFileSizeLimit_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<quint64>("limit");
        QTest::newRow("ctr") << "run.ctr" << (quint64{64} << 10);
        QTest::newRow("jsonl") << "run.jsonl" << (quint64{3} << 20);
        QTest::newRow("csv") << "run.csv" << (quint64{3} << 20);
        QTest::newRow("sqlite") << "run.sqlite" << (quint64{12} << 20);
    }
    void countsEventsBeyondTheFileSizeLimit()
    {
        QFETCH(QString, name);
        QFETCH(quint64, limit);
        Batch batch;
        const QString path = batch.path(name.toLatin1().constData());
        WaitingTarget target(batch);
        setArguments(batch,
                     QStringList{QStringLiteral("--summary"), batch.path("summary.json"), QStringLiteral("-o"), path} +
                         target.manyEvents());
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting());
        const rlimit size{limit, limit};
        QVERIFY(::prlimit(static_cast<pid_t>(batch.process().processId()), RLIMIT_FSIZE, &size, nullptr) == 0);
        target.proceed();
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 4, batch.err().constData());
        const QJsonObject summary = batch.summary();
        const qint64 missing = integer(summary, "events_not_written");
        QVERIFY(missing > 0);
        QCOMPARE(rowsIn(path) + missing, integer(summary, "events"));
        QVERIFY2(batch.err().contains(QByteArray::number(missing) + " of these events are not in"), batch.err());
        const QString error = summary.value(QLatin1String("output_error")).toString();
        QVERIFY2(error.contains(QLatin1String("(ulimit -f)")), qPrintable(error));
        runner::compareAccounts(summary, batch.truth());
        QVERIFY(!QFile::exists(summary.value(QLatin1String("region")).toString()));
    }

    void aFullDeviceReceivesNoEvent_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("jsonl") << "run.jsonl";
        QTest::newRow("csv") << "run.csv";
        QTest::newRow("ctr") << "run.ctr";
    }
    void aFullDeviceReceivesNoEvent()
    {
        QFETCH(QString, name);
        Batch batch;
        const QString path = batch.path(name.toLatin1().constData());
        QVERIFY(QFile::link(QStringLiteral("/dev/full"), path));
        batch.process().setArguments(batch.process().arguments() + QStringList{QStringLiteral("-o"), path} + storm());
        QCOMPARE(batch.run(), 4);
        const QJsonObject summary = batch.summary();
        QVERIFY(integer(summary, "events") > 0);
        QCOMPARE(integer(summary, "events_not_written"), integer(summary, "events"));
    }

    /// A partial summary never remains.
    void aSummaryIsWholeOrNotThere_data()
    {
        QTest::addColumn<QString>("older");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("new") << "" << QByteArray("summary.json: File too large; the file was removed; raise");
        QTest::newRow("older") << "summary.json" << QByteArray("summary.json: File too large; the file was removed; ");
        QTest::newRow("link") << "older.json" << QByteArray("summary.json: File too large; the file is empty now; ");
    }
    void aSummaryIsWholeOrNotThere()
    {
        QFETCH(QString, older);
        QFETCH(QByteArray, said);
        Batch batch;
        const QString path = batch.path(older.toLatin1().constData());
        if (!older.isEmpty())
            write(path, "{\"events\": 1}\n");
        const bool isLink = path.endsWith(QLatin1String("older.json"));
        QVERIFY(!isLink || QFile::link(path, batch.path("summary.json")));
        WaitingTarget target(batch);
        batch.process().setArguments(batch.process().arguments() + target.arguments("1"));
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting());
        const rlimit size{100, 100};
        QVERIFY(::prlimit(static_cast<pid_t>(batch.process().processId()), RLIMIT_FSIZE, &size, nullptr) == 0);
        target.proceed();
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 4, batch.err().constData());
        QVERIFY2(batch.err().contains(said), batch.err().constData());
        QCOMPARE(QFile::exists(batch.path("summary.json")), isLink);
        QCOMPARE(runner::readAll(batch.path("summary.json")), QByteArray());
    }

    void refusesOneFileForTwoPurposes_data()
    {
        QTest::addColumn<QString>("line");
        QTest::newRow("another spelling") << "-o keep.jsonl --summary ./keep.jsonl -- true";
        QTest::newRow("symbolic link") << "-o keep.jsonl --summary soft -- true";
        QTest::newRow("hard link") << "-o keep.ctr --summary hard -- true";
        QTest::newRow("a segment") << "-o new.ctr --limit 1min --summary new.0.ctr -- true";
        QTest::newRow("database") << "-o keep.sqlite --summary db -- true";
        QTest::newRow("both are new") << "-o new.csv --summary ./new.csv -- true";
        QTest::newRow("region") << "--attach keep.shm --summary region";
        QTest::newRow("region as output") << "--attach keep.shm -o region.ctr";
        QTest::newRow("standard output") << "-o keep.jsonl --summary - -- true >> keep.jsonl";
        QTest::newRow("recording on standard output") << "-o - --summary keep.ctr -- true >> keep.ctr";
        QTest::newRow("messages") << "-o - -- true >> keep.ctr 2>&1";
        QTest::newRow("messages in the output") << "-o keep.csv -- true 2>> keep.csv";
        QTest::newRow("target's output in the output") << "-o keep.jsonl -- true >> keep.jsonl";
        QTest::newRow("target's output in the summary") << "--summary keep.jsonl -- true >> keep.jsonl";
        QTest::newRow("messages in the summary") << "--summary keep.csv -- true 2>> keep.csv";
        QTest::newRow("both are new, through links") << "-o link.csv --summary ./new.csv -- true";
        QTest::newRow("causes") << "-o new.csv --summary ./new.causes.csv -- true";
        QTest::newRow("a later segment") << "-o new.ctr --limit 1min --summary new.3.ctr -- true";
        QTest::newRow("the name of a rotated one") << "-o keep.ctr --limit 1min --summary hard -- true";
        QTest::newRow("a segment without a limit") << "-o new.ctr --summary ./new.3.ctr -- true";
        QTest::newRow("new region") << "-o new.ctr --shm ./new.ctr -- true";
        QTest::newRow("older file and region") << "-o keep.ctr --shm hard -- true";
        QTest::newRow("summary and region") << "--summary keep.shm --shm region -- true";
        QTest::newRow("new socket") << "-o new.ctr --sock ./new.ctr -- true";
        QTest::newRow("older file and socket") << "-o keep.ctr --sock hard -- true";
        QTest::newRow("socket of the region") << "--shm new --summary new.sock -- true";
        QTest::newRow("recording and summary on standard output") << "-o - --summary /dev/stdout -- true >> keep.ctr";
        QTest::newRow("output and summary on standard output")
            << "-o keep.jsonl --summary /dev/stdout -- true >> keep.jsonl";
        for (const char *suffix : {"journal", "wal", "shm"})
            QTest::addRow("%s of the database", suffix)
                << QStringLiteral("-o new.sqlite --summary new.sqlite-%1 -- true").arg(QLatin1String(suffix));
        QTest::newRow("journal of the database behind a link") << "-o link.sqlite --summary new.sqlite-journal -- true";
        QTest::newRow("database in the descriptor of the summary")
            << "-o keep.sqlite --summary /dev/fd/3 -- true 3>> keep.sqlite";
        QTest::newRow("link to a descriptor") << "--summary descriptor -- true 5>> keep.csv";
        QTest::newRow("descriptor of the thread") << "--summary /proc/thread-self/fd/5 -- true 5>> keep.csv";
        QTest::newRow("descriptor with a double slash") << "--summary //dev/fd/5 -- true 5>> keep.csv";
        QTest::newRow("descriptor of the output") << "-o keep.csv -- true 5>> keep.csv";
    }
    void refusesOneFileForTwoPurposes()
    {
        QFETCH(QString, line);
        QTemporaryDir directory;
        const auto path = [&](const char *name) { return directory.filePath(QLatin1String(name)); };
        for (const char *name : {"keep.jsonl", "keep.ctr", "keep.csv", "keep.sqlite", "keep.shm"})
            write(path(name), "precious\n");
        QVERIFY(QFile::link(path("keep.jsonl"), path("soft")));
        QVERIFY(QFile::link(path("keep.shm"), path("region")));
        QVERIFY(QFile::link(path("keep.shm"), path("region.ctr")));
        QVERIFY(::link(qPrintable(path("keep.ctr")), qPrintable(path("hard"))) == 0);
        QVERIFY(::link(qPrintable(path("keep.sqlite")), qPrintable(path("db"))) == 0);
        QVERIFY(QFile::link(QStringLiteral("new.csv"), path("link.csv")));
        QVERIFY(QFile::link(QStringLiteral("new.sqlite"), path("link.sqlite")));
        QVERIFY(QFile::link(QStringLiteral("/dev/fd/5"), path("descriptor")));
        const QStringList before = QDir(directory.path()).entryList(QDir::AllEntries | QDir::System);
        QProcess shell;
        shell.setWorkingDirectory(directory.path());
        shell.start(QStringLiteral("/bin/sh"),
                    {QStringLiteral("-c"), runner::binary("corotracer-gui") + QStringLiteral(" --batch ") + line});
        QVERIFY(shell.waitForFinished(runner::kPatienceMs));
        const bool toFile = line.contains(QLatin1String("2>"));
        const QByteArray said = shell.readAllStandardError();
        QVERIFY2(shell.exitCode() == 4, said.constData());
        QVERIFY2(toFile || said.contains("same file"), said.constData());
        for (const char *name : {"keep.jsonl", "keep.ctr", "keep.csv", "keep.sqlite", "keep.shm"})
            QVERIFY2(runner::readAll(path(name)).startsWith("precious\n"), name);
        QCOMPARE(QDir(directory.path()).entryList(QDir::AllEntries | QDir::System), before);
    }

    void aSecondRunIsRefused_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"run.ctr", "run.jsonl", "run.csv", "run.sqlite"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void aSecondRunIsRefused()
    {
        QFETCH(QString, name);
        Batch first;
        const QString path = first.path(name.toLatin1().constData());
        WaitingTarget target(first);
        first.process().setArguments(first.process().arguments() + QStringList{QStringLiteral("-o"), path} +
                                     target.arguments("1"));
        QVERIFY(first.start());
        QVERIFY(target.isWaiting());
        Batch second({QStringLiteral("-o"), path}, runner::target("ct_many"));
        QCOMPARE(second.run(), 4);
        QVERIFY2(second.err().contains("is being written by another process"), second.err().constData());
        Batch third;
        setArguments(third,
                     QStringList{QStringLiteral("--summary"), first.path("summary.json")} + runner::target("ct_many"));
        QCOMPARE(third.run(), 4);
        target.proceed();
        QVERIFY(first.wait());
        QCOMPARE(first.exitCode(), 0);
        QCOMPARE(rowsIn(path), integer(first.summary(), "events"));
        QCOMPARE(integer(first.summary(), "events_not_written"), 0);
    }

    void refusesToMixSegmentsOfTwoRuns_data()
    {
        QTest::addColumn<QString>("old");
        QTest::addColumn<QStringList>("options");
        const QStringList limit{QStringLiteral("--limit"), QStringLiteral("1min")};
        QTest::newRow("a later segment") << "run.3.ctr" << limit;
        QTest::newRow("the first one") << "run.0.ctr" << limit;
        QTest::newRow("a whole recording") << "run.ctr" << limit;
        QTest::newRow("a recording without a limit") << "run.0.ctr" << QStringList();
    }
    void refusesToMixSegmentsOfTwoRuns()
    {
        QFETCH(QString, old);
        QFETCH(QStringList, options);
        Batch batch;
        const QString older = batch.path(old.toLatin1().constData());
        write(older, "precious");
        batch.process().setArguments(batch.process().arguments() + options +
                                     QStringList{QStringLiteral("-o"), batch.path("run.ctr")} +
                                     runner::target("ct_many"));
        QCOMPARE(batch.run(), 4);
        QVERIFY2(batch.err().contains("would be mixed with"), batch.err().constData());
        QCOMPARE(runner::readAll(older), QByteArray("precious"));
        const QDir directory = QFileInfo(older).dir();
        QCOMPARE(directory.entryList({QStringLiteral("*.ctr")}, QDir::Files), QStringList{old});
    }

    /// Similar names of different files.
    void differentFilesAreAccepted_data()
    {
        QTest::addColumn<QString>("line");
        QTest::newRow("one name in two folders") << "-o run.csv --summary sub/run.csv";
        QTest::newRow("a number of another recording") << "-o run.ctr --summary walk.0.ctr";
        QTest::newRow("the socket given") << "--shm run --sock s --summary run.sock";
        QTest::newRow("no file at all") << "--summary /dev/null";
    }
    void differentFilesAreAccepted()
    {
        QFETCH(QString, line);
        Batch batch;
        QVERIFY(QDir(QFileInfo(batch.path("x")).path()).mkdir(QStringLiteral("sub")));
        batch.process().setWorkingDirectory(QFileInfo(batch.path("x")).path());
        setArguments(batch, line.split(u' ') + QStringList{QStringLiteral("--"), QStringLiteral("true")});
        QVERIFY2(batch.run() == 0, batch.err().constData());
    }

    /// A read-only descriptor of the summary file, as flock(1) uses one, does not prevent the run.
    void acceptsAReadOnlyDescriptorOfTheSummary()
    {
        QTemporaryDir directory;
        const QString path = directory.filePath(QStringLiteral("summary.json"));
        write(path, "{}");
        QProcess shell;
        shell.setWorkingDirectory(directory.path());
        const QString line =
            runner::binary("corotracer-gui") + QStringLiteral(" --batch --summary summary.json -- true");
        shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), line + QStringLiteral(" 5< summary.json")});
        QVERIFY(shell.waitForFinished(runner::kPatienceMs));
        QVERIFY2(shell.exitCode() == 0, shell.readAllStandardError().constData());
        QCOMPARE(integer(runner::objectIn(path), "events"), 0);
    }

    /// The summary is appended behind all other text in the file of the stream.
    void aSummaryIsAppendedToAStream_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("redirection");
        QTest::newRow("standard output") << "/dev/stdout"
                                         << "> out 2> /dev/null";
        QTest::newRow("its descriptor") << "/proc/self/fd/1"
                                        << "> out 2> /dev/null";
        QTest::newRow("standard error") << "/dev/stderr"
                                        << "2> out > /dev/null";
        QTest::newRow("descriptor for both streams") << "/dev/fd/3"
                                                     << "3> out >&3 2> /dev/null";
        QTest::newRow("descriptor for appending") << "/proc/self/fd/5"
                                                  << "5>> out >> out 2> /dev/null";
    }
    void aSummaryIsAppendedToAStream()
    {
        QFETCH(QString, path);
        QFETCH(QString, redirection);
        QTemporaryDir directory;
        QProcess shell;
        shell.setWorkingDirectory(directory.path());
        const QString line =
            QStringLiteral(
                "(echo first; echo first >&2; exec %1 --batch --summary %2 --cmd 'echo line; echo line >&2') ")
                .arg(runner::binary("corotracer-gui"), path);
        shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), line + redirection});
        QVERIFY(shell.waitForFinished(runner::kPatienceMs));
        QCOMPARE(shell.exitCode(), 0);
        const QByteArray all = runner::readAll(directory.filePath(QStringLiteral("out")));
        QVERIFY2(all.startsWith("first\nline\n"), all.constData());
        const QByteArray summary = all.mid(all.indexOf("\n{") + 1);
        QVERIFY2(!QJsonDocument::fromJson(summary).object().isEmpty(), all.constData());
    }

    /// An older summary is removed. A script would mistake it for the summary of this run.
    void anOlderSummaryDoesNotOutliveAFailedStart_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("status");
        QTest::newRow("no such program") << QStringList{QStringLiteral("--"), QStringLiteral("/nonexistent/program")}
                                         << 127;
        QTest::newRow("no such region") << runner::words("--attach /nonexistent/region.shm") << 3;
        QTest::newRow("no directory for the output") << runner::words("-o /nonexistent/run.ctr -- true") << 4;
    }
    void anOlderSummaryDoesNotOutliveAFailedStart()
    {
        QFETCH(QStringList, options);
        QFETCH(int, status);
        Batch batch({}, options);
        write(batch.path("summary.json"), "{\"events\": 1}\n");
        QVERIFY2(batch.run() == status, batch.err().constData());
        QVERIFY(!QFile::exists(batch.path("summary.json")));
    }

    /// A process that waits for the end, or reads after the run was killed, finds no older summary.
    void emptiesAnOlderSummaryAtTheStart()
    {
        Batch batch;
        WaitingTarget target(batch);
        write(batch.path("summary.json"), "{\"events\": 1}\n");
        batch.process().setArguments(batch.process().arguments() + target.fewEvents());
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting());
        QCOMPARE(runner::readAll(batch.path("summary.json")), QByteArray());
        target.proceed();
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 0);
        QVERIFY(integer(batch.summary(), "events") > 1);
    }

    /// A link and a pipe stay. Only regular files are removed.
    void removesOnlyRegularFilesForASummary()
    {
        Batch batch({}, {QStringLiteral("--"), QStringLiteral("/nonexistent/program")});
        write(batch.path("older.json"), "{\"events\": 1}\n");
        QVERIFY(QFile::link(batch.path("older.json"), batch.path("summary.json")));
        QCOMPARE(batch.run(), 127);
        QVERIFY(QFileInfo(batch.path("summary.json")).isSymLink());
        QCOMPARE(runner::readAll(batch.path("older.json")), QByteArray());

        Batch toPipe({QStringLiteral("--summary"), batch.path("pipe")},
                     {QStringLiteral("--"), QStringLiteral("/nonexistent/program")});
        QVERIFY(::mkfifo(qPrintable(batch.path("pipe")), 0600) == 0);
        const int reader = ::open(qPrintable(batch.path("pipe")), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        QCOMPARE(toPipe.run(), 127);
        ::close(reader);
        struct stat status {};
        QVERIFY(::stat(qPrintable(batch.path("pipe")), &status) == 0 && S_ISFIFO(status.st_mode));
    }

    void anOlderSummaryThatCannotBeEmptiedIsAnError()
    {
        const int fd = ::memfd_create("summary", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        QVERIFY(fd >= 0 && ::write(fd, "older", 5) == 5 && ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
        const QString path = QStringLiteral("/proc/%1/fd/%2").arg(::getpid()).arg(fd);
        Batch batch;
        setArguments(batch, {QStringLiteral("--summary"), path, QStringLiteral("--"), QStringLiteral("/bin/touch"),
                             batch.path("started")});
        QCOMPARE(batch.run(), 4);
        ::close(fd);
        QVERIFY2(batch.err().contains("cannot empty " + path.toLatin1()), batch.err().constData());
        QVERIFY(!QFile::exists(batch.path("started")));
    }

    void replacesAnOlderFile()
    {
        Batch batch;
        const QString path = batch.path("run.ctr");
        write(path, "an older file");
        batch.process().setArguments(batch.process().arguments() + QStringList{QStringLiteral("-o"), path} + storm());
        QCOMPARE(batch.run(), 0);
        QCOMPARE(rowsIn(path), integer(batch.summary(), "events"));
    }
};

CT_QT_SUITE(BatchFilesTest)
#include "tst_batchfiles.moc"
