// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/targetprocess.h"
#include "tests/support/paths.h"

#include "tests/support/qtsuite.h"
#include "tests/support/terminals.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

using namespace ct;

namespace {

using ct::test::kPatienceMs;

/// Runs a process to its end and keeps its terminal output.
struct Run {
    TargetProcess process;
    QByteArray output;
    std::optional<ExitStatus> status;
    QByteArray outputAtExit;

    Run()
    {
        QObject::connect(&process, &TargetProcess::outputReady, &process,
                         [this](const QByteArray &bytes) { output += bytes; });
        QObject::connect(&process, &TargetProcess::exited, &process, [this](const ExitStatus &ended) {
            status = ended;
            outputAtExit = output;
        });
    }
    bool wait()
    {
        return QTest::qWaitFor([this] { return status.has_value(); }, kPatienceMs);
    }
    bool waitForOutput(const QByteArray &text)
    {
        return QTest::qWaitFor([&] { return output.contains(text); }, kPatienceMs);
    }
};

LaunchSpec onTerminal(const char *shellLine)
{
    LaunchSpec spec;
    spec.shellLine = shellLine;
    spec.output = OutputMode::Pty;
    return spec;
}

}  // namespace

class TargetProcessTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void givesTheTrueExitCode()
    {
        Run run;
        LaunchSpec spec;
        spec.argv = {"sh", "-c", "exit 42"};
        QVERIFY(run.process.start(spec));
        QVERIFY(run.process.isRunning());
        QVERIFY(run.wait());
        QCOMPARE(run.status->code, 42);
        QCOMPARE(run.status->signal, 0);
        QVERIFY(!run.process.isRunning());
        QCOMPARE(waitpid(run.process.pid(), nullptr, WNOHANG), -1);  // no zombie is left
        QCOMPARE(errno, ECHILD);
    }

    void givesTheTrueSignal()
    {
        Run run;
        LaunchSpec spec;
        spec.shellLine = "kill -SEGV $$";
        QVERIFY(run.process.start(spec));
        QVERIFY(run.wait());
        QCOMPARE(run.status->signal, SIGSEGV);
    }

    void reportsWhyTheProgramCannotStart_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("directory");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<int>("code");
        QTest::newRow("no such name") << "no-such-program-at-all"
                                      << ""
                                      << "not found in PATH" << int(ErrorCode::NotFound);
        QTest::newRow("no such file") << "/no/such/file"
                                      << ""
                                      << "/no/such/file" << int(ErrorCode::NotFound);
        const QString readme = QString::fromStdString(ct::test::kSourceDir + "/README.md");
        QTest::newRow("not executable") << readme << "" << readme << int(ErrorCode::PermissionDenied);
        QTest::newRow("no such directory") << "true"
                                           << "/no/such/dir"
                                           << "/no/such/dir" << int(ErrorCode::NotFound);
        QTest::newRow("empty name") << ""
                                    << ""
                                    << "no program" << int(ErrorCode::InvalidArgument);
    }
    void reportsWhyTheProgramCannotStart()
    {
        QFETCH(QString, program);
        QFETCH(QString, directory);
        QFETCH(QString, reason);
        QFETCH(int, code);
        TargetProcess process;
        LaunchSpec spec;
        spec.argv = {program.toStdString()};
        spec.workingDirectory = directory.toStdString();
        const auto started = process.start(spec);
        QVERIFY(!started);
        QVERIFY2(QString::fromStdString(started.error().message).contains(reason), started.error().message.c_str());
        QCOMPARE(int(started.error().code), code);
        QVERIFY(!process.isRunning());
    }

    void runsAScriptWithoutInterpreterLine()
    {
        QTemporaryDir directory;
        QFile script(directory.filePath(QStringLiteral("script")));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("exit 9\n");
        script.close();
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        Run run;
        LaunchSpec spec;
        spec.argv = {script.fileName().toStdString()};
        QVERIFY(run.process.start(spec));
        QVERIFY(run.wait());
        QCOMPARE(run.status->code, 9);
    }

    void changesEnvironmentAndDirectory()
    {
        qputenv("CT_TEST_REMOVED", "1");
        qputenv("CT_TEST_KEPT", "kept");
        Run run;
        LaunchSpec spec = onTerminal("echo \"[$CT_TEST_SET][$CT_TEST_REMOVED][$CT_TEST_KEPT]\"; pwd; echo end");
        spec.environment = {{"CT_TEST_SET", "a b"}, {"CT_TEST_REMOVED", std::nullopt}};
        spec.workingDirectory = "/usr";
        QVERIFY(run.process.start(spec));
        QVERIFY(run.wait());
        QCOMPARE(run.outputAtExit, QByteArray("[a b][][kept]\n/usr\nend\n"));
    }

    void terminalHasASizeAndIsDrainedBeforeTheEnd()
    {
        if (!haveTerminals())
            CT_QSKIP("this system has no pseudo terminals");
        Run run;
        QVERIFY(run.process.start(onTerminal("stty size; test -t 0 && test -t 1 && test -t 2 && echo all; "
                                             "i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done; exit 3")));
        QVERIFY(run.wait());
        QCOMPARE(run.status->code, 3);
        QVERIFY(run.outputAtExit.startsWith("40 120\nall\nline 0\n"));
        QVERIFY(run.outputAtExit.endsWith("line 1999\n"));
    }

    void terminalAcceptsInput()
    {
        if (!haveTerminals())
            CT_QSKIP("this system has no pseudo terminals");
        Run run;
        QVERIFY(run.process.start(onTerminal("read line; echo \"got $line\"")));
        run.process.writeInput("hello\n");
        QVERIFY(run.wait());
        QVERIFY(run.outputAtExit.contains("got hello\n"));
    }

    void inheritsOnlyTheKeptDescriptors()
    {
        const int leaking = open("/dev/null", O_RDONLY);  // without close-on-exec on purpose
        const int kept = open("/dev/null", O_RDONLY);
        QVERIFY(leaking > 2 && kept > 2);
        Run run;
        LaunchSpec spec = onTerminal("for f in /proc/self/fd/*; do echo ${f##*/}; done; echo end");
        spec.keptDescriptors = {kept};
        QVERIFY(run.process.start(spec));
        QVERIFY(run.wait());
        QList<QByteArray> numbers = run.outputAtExit.split('\n');
        QVERIFY(numbers.contains(QByteArray::number(kept)));
        QVERIFY2(!numbers.contains(QByteArray::number(leaking)), run.outputAtExit.constData());
        close(leaking);
        close(kept);
    }

    void handlersAndMaskAreReset()
    {
        sigset_t blocked;
        sigset_t before;
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &blocked, &before);
        Run run;
        QVERIFY(run.process.start(onTerminal("cat /proc/self/status")));
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        QVERIFY(run.wait());
        QVERIFY2(run.outputAtExit.contains("SigBlk:\t0000000000000000\n") &&
                     run.outputAtExit.contains("SigCgt:\t0000000000000000\n"),
                 run.outputAtExit.constData());
    }

    void hasItsOwnProcessGroup_data()
    {
        QTest::addColumn<int>("mode");
        QTest::newRow("terminal") << int(OutputMode::Pty);
        QTest::newRow("pass through") << int(OutputMode::PassThrough);
    }
    void hasItsOwnProcessGroup()
    {
        QFETCH(int, mode);
        Run run;
        LaunchSpec spec;
        spec.argv = {"sleep", "1000"};
        spec.output = OutputMode(mode);
        QVERIFY(run.process.start(spec));
        QCOMPARE(getpgid(run.process.pid()), run.process.pid());
        run.process.sendSignal(SIGINT);
        QVERIFY(run.wait());
        QCOMPARE(run.status->signal, SIGINT);
    }

    void terminateEndsTheWholeGroup()
    {
        Run run;
        QVERIFY(run.process.start(onTerminal("sleep 1000 & echo started; wait")));
        QVERIFY(run.waitForOutput("started"));
        run.process.terminate();
        QVERIFY(run.wait());
        QCOMPARE(run.status->signal, SIGTERM);
        QTRY_VERIFY(!run.process.groupAlive());
    }

    /// A part of a terminated group may end later than its leader.
    void aTerminatedGroupIsAwaited()
    {
        const QTemporaryDir directory;
        const QString file = directory.filePath(QStringLiteral("done"));
        Run run;
        QSignalSpy ended(&run.process, &TargetProcess::groupEnded);
        const QString rest = QStringLiteral("(trap '' TERM; echo ready; sleep 0.5; echo > '%1') & wait").arg(file);
        QVERIFY(run.process.start(onTerminal(rest.toUtf8().constData())));
        QVERIFY(run.waitForOutput("ready"));
        run.process.terminate();
        QVERIFY(run.wait());
        QTRY_COMPARE(ended.size(), 1);
        QVERIFY(QFile::exists(file));
    }

    /// What outlives its leader for long does not delay the end of the run.
    void aGroupThatStaysIsNotAwaited()
    {
        Run run;
        QSignalSpy ended(&run.process, &TargetProcess::groupEnded);
        QVERIFY(run.process.start(onTerminal("trap '' HUP; sleep 1000 & exit 0")));
        QVERIFY(run.wait());
        QTRY_COMPARE(ended.size(), 1);
        QVERIFY(run.process.groupAlive());
        kill(-run.process.pid(), SIGKILL);
    }

    void terminateKillsAProcessThatIgnoresIt()
    {
        Run run;
        QVERIFY(run.process.start(onTerminal("trap '' TERM; echo ready; while :; do sleep 1; done")));
        QVERIFY(run.waitForOutput("ready"));
        run.process.terminate();
        QVERIFY(run.wait());
        QCOMPARE(run.status->signal, SIGKILL);
    }

    void terminateEndsAStoppedProcess()
    {
        Run run;
        QVERIFY(run.process.start(onTerminal("echo ready; kill -STOP $$; echo continued")));
        QVERIFY(run.waitForOutput("ready"));
        run.process.terminate();
        QVERIFY(run.wait());
        QCOMPARE(run.status->signal, SIGTERM);
    }

    void destructionLeavesTheProcessAndReapsLater()
    {
        QTemporaryDir directory;
        const QString mark = directory.filePath(QStringLiteral("mark"));
        pid_t pid = 0;
        {
            TargetProcess process;
            LaunchSpec spec =
                onTerminal("while [ ! -e \"$MARK\" ]; do echo waiting; sleep 0.05; done; echo x > \"$MARK.2\"");
            spec.environment["MARK"] = mark.toStdString();
            QVERIFY(process.start(spec));
            pid = process.pid();
        }
        QCOMPARE(kill(pid, 0), 0);
        QFile file(mark);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.close();
        QTRY_VERIFY(QFile::exists(mark + QStringLiteral(".2")));  // output was discarded, and the target continued
        QTRY_COMPARE(kill(pid, 0), -1);                           // reaped, not a zombie
    }
};

CT_QT_SUITE(TargetProcessTest)
#include "tst_targetprocess.moc"
