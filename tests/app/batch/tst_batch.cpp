// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"
#include "tests/support/terminals.h"

#include <cerrno>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

using runner::Batch;
using runner::integer;
using runner::shell;
using runner::target;

namespace {

/// A session leader on its own terminal, like a login shell.
class Terminal {
public:
    explicit Terminal(const QByteArray &shellLine)
    {
        m_pid = forkpty(&m_master, nullptr, nullptr, nullptr);
        if (m_pid == 0) {
            execl("/bin/sh", "sh", "-c", shellLine.constData(), nullptr);
            _exit(127);
        }
    }
    ~Terminal()
    {
        close(m_master);
        if (m_pid > 0 && waitpid(m_pid, nullptr, WNOHANG) == 0) {
            kill(m_pid, SIGKILL);
            waitpid(m_pid, nullptr, 0);
        }
    }
    void type(const QByteArray &keys) { QCOMPARE(write(m_master, keys.constData(), size_t(keys.size())), keys.size()); }
    bool waitFor(const QByteArray &text)
    {
        const QDeadlineTimer deadline(runner::kPatienceMs);
        while (!output.contains(text) && !deadline.hasExpired()) {
            pollfd ready{m_master, POLLIN, 0};
            if (poll(&ready, 1, 100) <= 0)
                continue;
            char buffer[4096];
            const ssize_t got = read(m_master, buffer, sizeof buffer);
            if (got <= 0)
                break;
            output.append(buffer, got);
        }
        return output.contains(text);
    }

    QByteArray output;

private:
    int m_master = -1;
    pid_t m_pid = -1;
};

QByteArray engine()
{
    return runner::binary("corotracer-gui").toUtf8() + " --batch ";
}

}  // namespace

class BatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void exitStatusIsTheTargets_data()
    {
        QTest::addColumn<QStringList>("source");
        QTest::addColumn<int>("status");
        QTest::addColumn<QJsonValue>("exitCode");
        QTest::addColumn<QJsonValue>("signal");
        const QJsonValue none(QJsonValue::Null);
        QTest::newRow("zero") << shell("exit 0") << 0 << QJsonValue(0) << none;
        QTest::newRow("seven") << shell("exit 7") << 7 << QJsonValue(7) << none;
        QTest::newRow("255") << shell("exit 255") << 255 << QJsonValue(255) << none;
        QTest::newRow("segv") << shell("kill -SEGV $$") << 128 + SIGSEGV << none << QJsonValue(SIGSEGV);
        QTest::newRow("kill") << shell("kill -KILL $$") << 128 + SIGKILL << none << QJsonValue(SIGKILL);
        QTest::newRow("pipe") << shell("kill -PIPE $$") << 128 + SIGPIPE << none << QJsonValue(SIGPIPE);
        QTest::newRow("argv") << QStringList{QStringLiteral("--"),      QStringLiteral("sh"), QStringLiteral("-c"),
                                             QStringLiteral("exit $#"), QStringLiteral("a"),  QStringLiteral("b c"),
                                             QStringLiteral("")}
                              << 2 << QJsonValue(2) << none;
    }
    void exitStatusIsTheTargets()
    {
        QFETCH(QStringList, source);
        QFETCH(int, status);
        Batch batch({}, source);
        QCOMPARE(batch.run(), status);
        const QJsonObject summary = batch.summary();
        QTEST(summary.value(QLatin1String("exit_code")), "exitCode");
        QTEST(summary.value(QLatin1String("signal")), "signal");
        QCOMPARE(summary.value(QLatin1String("ended_by")).toString(), QStringLiteral("exit"));
    }

    void streamsPassThroughUnchanged()
    {
        Batch batch({}, shell("cat; printf 'err\\000or' >&2; exit 5"));
        QByteArray bytes;
        for (int i = 0; i < 200'000; ++i)
            bytes += char(i * 7);
        QVERIFY(batch.start());
        batch.process().write(bytes);
        batch.process().closeWriteChannel();
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 5);
        QVERIFY(batch.out() == bytes);
        QVERIFY(batch.err().startsWith(QByteArray("err\0or", 6)));
    }

    void reportsAProgramThatCannotStart()
    {
        Batch batch({}, {QStringLiteral("--"), QStringLiteral("no-such-program")});
        QCOMPARE(batch.run(), 127);
        QVERIFY(batch.err().contains("cannot start 'no-such-program': not found in PATH"));
        QVERIFY(batch.out().isEmpty());
        QVERIFY(!QFile::exists(batch.path("summary.json")));
    }

    /// An older recording is replaced only when there is a new one.
    void aFailedStartKeepsOlderRecordings_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"old.jsonl", "old.csv", "old.sqlite", "old.ctr", "old.pftrace"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void aFailedStartKeepsOlderRecordings()
    {
        QFETCH(QString, name);
        const QByteArray old("what an earlier run recorded\n");
        Batch batch({QStringLiteral("-o"), name}, {QStringLiteral("--"), QStringLiteral("no-such-program")});
        const QString path = batch.path(qPrintable(name));
        batch.process().setWorkingDirectory(QFileInfo(path).path());
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(old) == old.size());
        file.close();
        QCOMPARE(batch.run(), 127);
        QCOMPARE(runner::readAll(path), old);
        QVERIFY(QFile::remove(path));
        Batch fresh({QStringLiteral("-o"), path}, {QStringLiteral("--"), QStringLiteral("no-such-program")});
        QCOMPARE(fresh.run(), 127);
        QVERIFY(!QFile::exists(path));
    }

    void usageErrorsStartNothing()
    {
        QTemporaryDir directory;
        const QString mark = directory.filePath(QStringLiteral("mark"));
        const QStringList source{QStringLiteral("--"), QStringLiteral("touch"), mark};
        for (const QStringList &options : {QStringList{QStringLiteral("-n"), QStringLiteral("0")},
                                           QStringList{QStringLiteral("-o"), QStringLiteral("a.txt")},
                                           QStringList{QStringLiteral("--sock"), QString(101, QLatin1Char('s'))},
                                           QStringList{QStringLiteral("--nonsense")}}) {
            Batch batch(options, source);
            QCOMPARE(batch.run(), 2);
            QVERIFY(batch.err().contains(options.first().toUtf8()));
            QCOMPARE(batch.err().count('\n'), 1);
        }
        QVERIFY(!QFile::exists(mark));
    }

    void unwritableOutputsStartNothing()
    {
        QTemporaryDir directory;
        const QString mark = directory.filePath(QStringLiteral("mark"));
        const QStringList source{QStringLiteral("--"), QStringLiteral("touch"), mark};
        Batch output({QStringLiteral("-o"), QStringLiteral("/no/such/dir/a.jsonl")}, source);
        QCOMPARE(output.run(), 4);
        QVERIFY(output.err().contains("/no/such/dir/a.jsonl"));
        Batch summary({QStringLiteral("--summary"), QStringLiteral("/no/such/dir/s.json")}, source);
        QCOMPARE(summary.run(), 4);
        QVERIFY(summary.err().contains("/no/such/dir/s.json"));
        QVERIFY(!QFile::exists(mark));
    }

    void captureErrorsStartNothing()
    {
        QTemporaryDir directory;
        const QString mark = directory.filePath(QStringLiteral("mark"));
        Batch region({QStringLiteral("--shm"), QStringLiteral("/no/such/dir/r.shm")},
                     {QStringLiteral("--"), QStringLiteral("touch"), mark});
        QCOMPARE(region.run(), 3);
        QVERIFY(region.err().contains("/no/such/dir/r.shm"));
        QVERIFY(!QFile::exists(mark));
        Batch attach({}, {QStringLiteral("--attach"), QStringLiteral("/no/such/r.shm")});
        QCOMPARE(attach.run(), 3);
        QVERIFY(attach.err().contains("/no/such/r.shm"));
    }

    void theTargetContinuesOnAFullDisk()
    {
        if (!QFile::exists(QStringLiteral("/dev/full")))
            CT_QSKIP("no /dev/full");
        QTemporaryDir directory;
        const QString link = directory.filePath(QStringLiteral("full.jsonl"));
        QVERIFY(QFile::link(QStringLiteral("/dev/full"), link));
        Batch batch({QStringLiteral("-o"), link},
                    target("ct_storm", {QStringLiteral("--coroutines"), QStringLiteral("10"),
                                        QStringLiteral("--transitions"), QStringLiteral("100000")}));
        QCOMPARE(batch.run(), 4);
        const QJsonObject summary = batch.summary();
        QCOMPARE(integer(summary, "exit_code"), 0);
        QVERIFY(!summary.value(QLatin1String("output_error")).toString().isEmpty());
        runner::compareAccounts(summary, batch.truth());
    }

    /// The file lacks no event, but it lacks its header line.
    void aFailedOutputWithoutEventsIsNoSuccess()
    {
        if (!QFile::exists(QStringLiteral("/dev/full")))
            CT_QSKIP("no /dev/full");
        QTemporaryDir directory;
        const QString link = directory.filePath(QStringLiteral("full.csv"));
        QVERIFY(QFile::link(QStringLiteral("/dev/full"), link));
        Batch batch({QStringLiteral("-o"), link}, shell("exit 0"));
        QCOMPARE(batch.run(), 4);
        const QJsonObject summary = batch.summary();
        QCOMPARE(integer(summary, "events_not_written"), 0);
        QVERIFY(!summary.value(QLatin1String("output_error")).toString().isEmpty());
    }

    void aCaptureThatFailsIsNoSuccess()
    {
        Batch batch({}, target("ct_hostile", runner::words("--mode truncate --seconds 1")));
        QCOMPARE(batch.run(), 3);
        QVERIFY(!batch.summary().value(QLatin1String("capture_error")).toString().isEmpty());
    }

    void durationEndsALaunchedTarget()
    {
        // Blocked until the target handles it, the signal cannot kill a target that is slow to start.
        Batch batch({QStringLiteral("--duration"), QStringLiteral("0.3")},
                    {QStringLiteral("--"), QStringLiteral("env"), QStringLiteral("--block-signal=TERM"),
                     runner::binary("ct_many")});
        QCOMPARE(batch.run(), 0);
        const QJsonObject summary = batch.summary();
        QCOMPARE(summary.value(QLatin1String("ended_by")).toString(), QStringLiteral("duration"));
        QVERIFY(integer(summary, "duration_ns") >= 300'000'000);
        runner::compareAccounts(summary, batch.truth());
    }

    /// We sent the signal that ended the target, so it is no failure.
    void endedByDurationIsSuccess()
    {
        Batch batch({QStringLiteral("--duration"), QStringLiteral("0.3")}, shell("exec sleep 600"));
        QCOMPARE(batch.run(), 0);
        const QJsonObject summary = batch.summary();
        QCOMPARE(summary.value(QLatin1String("ended_by")).toString(), QStringLiteral("duration"));
        QCOMPARE(integer(summary, "signal"), SIGTERM);
    }

    void signalsAreForwarded_data()
    {
        QTest::addColumn<int>("number");
        QTest::newRow("INT") << SIGINT;
        QTest::newRow("TERM") << SIGTERM;
        QTest::newRow("HUP") << SIGHUP;
    }
    void signalsAreForwarded()
    {
        QFETCH(int, number);
        Batch batch({}, shell("trap 'echo caught; exit 23' INT TERM HUP; echo ready; while :; do sleep 0.05; done"));
        QVERIFY(batch.start());
        QTRY_VERIFY(batch.out().contains("ready"));
        batch.signal(number);
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 23);
        QVERIFY(batch.out().contains("caught"));
        QCOMPARE(batch.summary().value(QLatin1String("ended_by")).toString(), QStringLiteral("signal"));
    }

    /// A request for a dump without --keep gets a message and does not end the run.
    void answersADumpSignalWithoutKeep()
    {
        Batch batch({}, shell("echo ready; read line; exit 3"));
        QVERIFY(batch.start());
        QTRY_VERIFY(batch.out().contains("ready"));
        batch.signal(SIGUSR1);
        QVERIFY(batch.waitForError("without --keep"));
        batch.process().write("go on\n");
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 3);
        QCOMPARE(batch.summary().value(QLatin1String("ended_by")).toString(), QStringLiteral("exit"));
    }

    void secondSignalTerminatesThirdKills()
    {
        Batch batch({}, shell("trap '' INT TERM; echo ready; while :; do sleep 0.05; done"));
        QVERIFY(batch.start());
        QTRY_VERIFY(batch.out().contains("ready"));
        batch.signal(SIGINT);
        QVERIFY(batch.waitForError("forwarded"));
        batch.signal(SIGINT);
        QVERIFY(batch.waitForError("terminating"));
        batch.signal(SIGINT);
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 128 + SIGKILL);
        QCOMPARE(integer(batch.summary(), "signal"), SIGKILL);
    }

    void listensUntilInterrupted()
    {
        Batch batch({QStringLiteral("--shm"), QStringLiteral("r")}, {QStringLiteral("--listen")});
        batch.process().setWorkingDirectory(QFileInfo(batch.path("x")).path());
        QVERIFY(batch.start());
        QVERIFY(batch.waitForError("CTP_SHM_PATH="));
        batch.signal(SIGINT);
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 0);
        QCOMPARE(batch.summary().value(QLatin1String("ended_by")).toString(), QStringLiteral("signal"));
        QVERIFY(!QFile::exists(batch.path("r")));
    }

    void targetHasTheTerminalUntilItsExit()
    {
        if (!haveTerminals())
            CT_QSKIP("this system has no pseudo terminals");
        Terminal terminal(engine() +
                          "--cmd 'read -r pid name state parent group session tty foreground rest < /proc/$$/stat; "
                          "test $group = $foreground && echo in front; read line; echo \"[$line]\"; exit 4'; "
                          "echo \"status $?\"; read more; echo \"<$more>\"");
        QVERIFY2(terminal.waitFor("in front"), terminal.output.constData());
        terminal.type("hello\n");
        QVERIFY2(terminal.waitFor("[hello]"), terminal.output.constData());
        QVERIFY2(terminal.waitFor("status 4"), terminal.output.constData());
        terminal.type("again\n");
        QVERIFY2(terminal.waitFor("<again>"), terminal.output.constData());
    }

    void interruptKeyReachesTheTargetAlone()
    {
        if (!haveTerminals())
            CT_QSKIP("this system has no pseudo terminals");
        Terminal terminal("trap '' INT; " + engine() +
                          "--cmd 'trap \"echo caught; exit 6\" INT; echo ready; while :; do sleep 0.05; done'; "
                          "echo \"status $?\"");
        QVERIFY2(terminal.waitFor("ready"), terminal.output.constData());
        terminal.type("\x03");
        QVERIFY2(terminal.waitFor("status 6"), terminal.output.constData());
    }

    void engineAndTargetStopAndContinueTogether()
    {
        if (!haveTerminals())
            CT_QSKIP("this system has no pseudo terminals");
        Terminal terminal(
            "set -m; " + engine() +
            "--cmd 'while read line; do echo \"[$line]\"; done'; echo \"stopped $?\"; fg; echo \"ended $?\"");
        terminal.type("one\n");
        QVERIFY2(terminal.waitFor("[one]"), terminal.output.constData());
        terminal.type("\x1a");
        QVERIFY2(terminal.waitFor("stopped " + QByteArray::number(128 + SIGTSTP)), terminal.output.constData());
        terminal.type("two\n");
        QVERIFY2(terminal.waitFor("[two]"), terminal.output.constData());
        terminal.type("\x03");
        QVERIFY2(terminal.waitFor("ended " + QByteArray::number(128 + SIGINT)), terminal.output.constData());
    }

    void progressOnATerminal()
    {
        if (!haveTerminals())
            CT_QSKIP("this system has no pseudo terminals");
        Terminal terminal(engine() + "--duration 1.2 -- " + runner::binary("ct_many").toUtf8());
        QVERIFY2(terminal.waitFor(" events, "), terminal.output.constData());
        QVERIFY2(terminal.waitFor("missed before attach 0"), terminal.output.constData());
    }

    void aMissingDisplayIsReportedInOneLine()
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char *name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            environment.remove(QLatin1String(name));
        process.setProcessEnvironment(environment);
        process.start(runner::binary("corotracer-gui"), QStringList());
        QVERIFY(process.waitForFinished(runner::kPatienceMs));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 3);
        QCOMPARE(process.readAllStandardError().count('\n'), 1);
    }
};

CT_QT_SUITE(BatchTest)
#include "tst_batch.moc"
