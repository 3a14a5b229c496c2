// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/playback/fileloader.h"
#include "core/session/session.h"
#include "core/target/regionlist.h"
#include "core/target/tracinginstructions.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

#include <csignal>

using namespace ct;

namespace {

/// A session with a population, in its own directory.
struct Capture {
    QTemporaryDir directory;
    std::shared_ptr<Population> population = std::make_shared<Population>();
    Session session;
    QSignalSpy ended{&session, &Session::ended};
    QSignalSpy nothing{&session, &Session::nothingTraced};

    Capture() { session.addSink(population); }
    CaptureSpec spec(const char *name = "region.shm") const
    {
        CaptureSpec capture;
        capture.stations = 4096;
        capture.regionPath = directory.filePath(QLatin1String(name)).toStdString();
        return capture;
    }
    bool waitForEnd() { return !ended.isEmpty() || ended.wait(runner::kPatienceMs); }
};

LaunchSpec program(const char *name, std::vector<std::string> arguments)
{
    LaunchSpec spec;
    spec.argv = {runner::binary(name).toStdString()};
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    spec.output = OutputMode::Pty;
    return spec;
}

/// Starts a program outside of the session, with the environment that a listening session prints.
void startElsewhere(QProcess &process, const Session &session, const char *name, const QStringList &arguments)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("CTP_SHM_PATH"), session.regionPath());
    environment.insert(QStringLiteral("CTP_SOCK_PATH"), session.socketPath());
    environment.insert(QStringLiteral("CTP_MAX_STATIONS"), QString::number(session.stations()));
    process.setProcessEnvironment(environment);
    process.start(runner::binary(name), arguments);
}

const QStringList kMany{QStringLiteral("--coroutines"), QStringLiteral("20")};

}  // namespace

class SessionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theRegionHasTheRequestedSizes()
    {
        CaptureSpec capture;
        capture.regionPath = "/dev/shm/some.shm";
        capture.stations = 77;
        capture.stationsAtStart = true;
        capture.lanes = false;
        capture.laneBytes = 1 << 20;
        capture.lanePoolBytes = 3 << 20;
        capture.laneRetentionMs = 4321;
        const RegionSpec region = regionSpecOf(capture);
        QCOMPARE(region.path, capture.regionPath);
        QCOMPARE(region.stations, capture.stations);
        QCOMPARE(region.stationsAtStart, capture.stationsAtStart);
        QCOMPARE(region.lanes, capture.lanes);
        QCOMPARE(region.laneBytes, capture.laneBytes);
        QCOMPARE(region.lanePoolBytes, capture.lanePoolBytes);
        QCOMPARE(region.laneRetentionMs, capture.laneRetentionMs);
    }

    void launchRunsToTheEndAndLeavesNothing()
    {
        Capture capture;
        QSignalSpy states(&capture.session, &Session::stateChanged);
        QSignalSpy exits(&capture.session, &Session::targetExited);
        QVERIFY(capture.session.start(
            {program("ct_storm", {"--coroutines", "8", "--transitions", "1000"}), capture.spec()}));
        QCOMPARE(capture.session.state(), RunState::Waiting);
        QVERIFY(QFile::exists(capture.session.regionPath()));
        QVERIFY(capture.waitForEnd());
        QCOMPARE(capture.session.state(), RunState::Ended);
        QCOMPARE(capture.session.endReason(), EndReason::TargetExited);
        QCOMPARE(exits.size(), 1);
        QCOMPARE(capture.session.target()->exitStatus()->code, 0);
        const Accounting sums = capture.session.accounting();
        QCOMPARE(sums.coroutines, 8U);
        QCOMPARE(sums.captured + sums.lost, 1000U);
        QCOMPARE(sums.captured, capture.population->captured());
        QVERIFY(capture.nothing.isEmpty());
        QVERIFY(!capture.session.regionLeftOver());
        QVERIFY(QDir(capture.directory.path()).isEmpty());
        QCOMPARE(states.last().first().value<RunState>(), RunState::Ended);
    }

    void failedLaunchLeavesNothing()
    {
        Capture capture;
        LaunchSpec missing;
        missing.argv = {"/no/such/program"};
        const Result<void> launched = capture.session.start({missing, capture.spec()});
        QVERIFY(!launched);
        QCOMPARE(launched.error().code, ErrorCode::CannotExecute);
        QCOMPARE(capture.session.state(), RunState::Idle);
        QVERIFY(QDir(capture.directory.path()).isEmpty());
    }

    void captureErrorsPreventTheLaunch()
    {
        Capture capture;
        CaptureSpec spec = capture.spec();
        spec.socketPath = "/no/such/directory/socket";
        const Result<void> launched = capture.session.start({program("ct_many", {}), spec});
        QVERIFY(!launched);
        QVERIFY(launched.error().code != ErrorCode::CannotExecute);
        QVERIFY(QDir(capture.directory.path()).isEmpty());

        Session second;
        spec.socketPath = "/tmp/" + std::string(100, 'x');
        const auto refused = second.start({program("ct_many", {}), spec});
        QVERIFY(!refused);
        QVERIFY(QString::fromStdString(refused.error().message).contains(QStringLiteral("xxx")));
        QVERIFY(QDir(capture.directory.path()).isEmpty());
    }

    void terminateEndsTheSession()
    {
        Capture capture;
        QVERIFY(capture.session.start({program("ct_many", {"--coroutines", "20"}), capture.spec()}));
        QTRY_COMPARE(capture.session.state(), RunState::Capturing);
        capture.session.terminateTarget();
        QVERIFY(capture.waitForEnd());
        QCOMPARE(capture.session.endReason(), EndReason::Terminated);
        QVERIFY(QDir(capture.directory.path()).isEmpty());
    }

    /// Addresses belong to the program, not to the shell that started it.
    void aShellIsNotTheTarget()
    {
        Capture capture;
        LaunchSpec line;
        line.shellLine = "true && '" + runner::binary("ct_many").toStdString() + "' --coroutines 20";
        line.output = OutputMode::Pty;
        QSignalSpy seen(&capture.session, &Session::targetDiscovered);
        QSignalSpy gone(&capture.session, &Session::targetEnded);
        QVERIFY(capture.session.start({line, capture.spec()}));
        const pid_t shell = capture.session.target()->pid();
        QCOMPARE(capture.session.targetPid(), 0);
        QTRY_VERIFY(capture.session.targetPid() != 0);
        QVERIFY(capture.session.targetPid() != shell);
        QCOMPARE(runner::readAll(QStringLiteral("/proc/%1/comm").arg(capture.session.targetPid())),
                 QByteArray("ct_many\n"));
        QCOMPARE(seen.size(), 1);
        capture.session.terminateTarget();
        QVERIFY(capture.waitForEnd());
        QVERIFY(gone.isEmpty());
    }

    void theLaunchedProcessIsTheTarget()
    {
        Capture capture;
        QVERIFY(capture.session.start({program("ct_many", {"--coroutines", "20"}), capture.spec()}));
        QTRY_COMPARE(capture.session.targetPid(), capture.session.target()->pid());
        capture.session.terminateTarget();
        QVERIFY(capture.waitForEnd());
        QCOMPARE(capture.session.state(), RunState::Ended);
    }

    void stopLeavesTargetAndRegionToTheNextEngine()
    {
        Capture capture;
        QVERIFY(capture.session.start({program("ct_many", {"--coroutines", "20"}), capture.spec()}));
        QTRY_COMPARE(capture.session.state(), RunState::Capturing);
        capture.session.stop();
        QVERIFY(capture.waitForEnd());
        QCOMPARE(capture.session.endReason(), EndReason::Stopped);
        QVERIFY(capture.session.target()->isRunning());
        QVERIFY(capture.session.regionLeftOver());
        QVERIFY(!capture.session.notices().isEmpty());

        Capture next;
        QVERIFY(next.session.start({AttachRequest{capture.session.regionPath().toStdString()}, {}}));
        QVERIFY(!next.session.isObserver());
        QCOMPARE(next.session.state(), RunState::Capturing);  // does not wait for a target
        QTRY_COMPARE(next.session.accounting().coroutines, 20U);
        capture.session.terminateTarget();
        QVERIFY(next.waitForEnd());  // all processes that mapped it have ended
        QCOMPARE(next.session.endReason(), EndReason::TargetExited);
        QVERIFY(!QFile::exists(capture.session.regionPath()));
    }

    void pausesAndContinues()
    {
        Capture capture;
        QVERIFY(!capture.session.canPause());
        QVERIFY(capture.session.start(
            {program("ct_storm", {"--coroutines", "20", "--seconds", "600", "--rate", "100000", "--order", "round"}),
             capture.spec()}));
        QTRY_VERIFY(capture.population->captured() > 1000);
        QVERIFY(capture.session.canPause() && !capture.session.isPaused());
        capture.session.setPaused(true);
        QVERIFY(capture.session.isPaused());
        QTRY_VERIFY(capture.session.accounting().paused);
        // Silent: no new event in 100 ms, in which thousands would have come.
        const auto isSilent = [&] {
            const std::uint64_t before = capture.population->captured();
            QTest::qWait(100);
            return capture.population->captured() == before;
        };
        QTRY_VERIFY(isSilent());
        QCOMPARE(capture.session.accounting().lost, 0U);  // unpublished events are not lost
        const std::uint64_t quiet = capture.population->captured();
        capture.session.setPaused(false);
        QVERIFY(!capture.session.isPaused());
        QTRY_VERIFY(capture.population->captured() > quiet + 1000);
        QCOMPARE(capture.session.accounting().coroutines, 20U);
        QTRY_VERIFY(capture.population->switches().size() >= 2);
        capture.session.setPaused(true);
        capture.session.terminateTarget();
        QVERIFY(capture.waitForEnd());
        QCOMPARE(capture.session.accounting().lost, 0U);
        QVERIFY(!capture.session.canPause());
    }

    void observersCannotPause()
    {
        Capture capture;
        QVERIFY(capture.session.start({program("ct_many", {"--coroutines", "20"}), capture.spec()}));
        QTRY_COMPARE(capture.session.accounting().coroutines, 20U);
        Capture observer;
        QVERIFY(observer.session.start({AttachRequest{capture.session.regionPath().toStdString()}, {}}));
        QVERIFY(!observer.session.canPause());
        observer.session.setPaused(true);
        QVERIFY(!observer.session.isPaused());
        capture.session.terminateTarget();
        QVERIFY(capture.waitForEnd());
        QVERIFY(observer.waitForEnd());
    }

    void secondEngineOnlyObserves()
    {
        Capture capture;
        QVERIFY(capture.session.start({program("ct_many", {"--coroutines", "20"}), capture.spec()}));
        Capture observer;
        QTRY_COMPARE(capture.session.accounting().coroutines, 20U);
        QVERIFY(observer.session.start({AttachRequest{capture.session.regionPath().toStdString()}, {}}));
        QVERIFY(observer.session.isObserver());
        QVERIFY(observer.session.notices().join(QLatin1Char(' ')).contains(QStringLiteral("owned by process")));
        QTRY_COMPARE(observer.session.accounting().coroutines, 20U);
        QTRY_COMPARE(observer.session.state(), RunState::Capturing);
        capture.session.terminateTarget();
        QVERIFY(capture.waitForEnd());
        QVERIFY(observer.waitForEnd());
    }

    void capturesATargetStartedElsewhere()
    {
        Capture capture;
        QVERIFY(capture.session.start({ListenRequest{}, capture.spec()}));
        QSignalSpy seen(&capture.session, &Session::targetDiscovered);
        QProcess process;
        startElsewhere(process, capture.session, "ct_many", kMany);
        QVERIFY(process.waitForStarted());
        QTRY_COMPARE(capture.session.accounting().coroutines, 20U);
        QTRY_COMPARE(seen.size(), 1);
        QCOMPARE(seen.first().first().toLongLong(), process.processId());
        QTRY_COMPARE(capture.session.state(), RunState::Capturing);
        process.terminate();
        QVERIFY(process.waitForFinished(runner::kPatienceMs));
        QCOMPARE(capture.session.state(), RunState::Capturing);  // another target may come
        capture.session.stop();
        QVERIFY(capture.waitForEnd());
        QVERIFY(QDir(capture.directory.path()).isEmpty());
    }

    void readsTheRegionOfADeadProcess()
    {
        Capture capture;
        QVERIFY(capture.session.start({ListenRequest{}, capture.spec()}));
        QProcess process;
        startElsewhere(process, capture.session, "ct_many", kMany);
        QTRY_COMPARE(capture.session.accounting().coroutines, 20U);
        capture.session.stop();
        QVERIFY(capture.waitForEnd());
        process.kill();
        QVERIFY(process.waitForFinished(runner::kPatienceMs));

        const QString region = capture.session.regionPath();
        Capture late;
        QVERIFY(late.session.start({AttachRequest{region.toStdString()}, {}}));
        QVERIFY(late.session.isPostMortem());
        QVERIFY(late.waitForEnd());
        QCOMPARE(late.session.accounting().coroutines, 20U);
        QCOMPARE(late.population->size(), 20U);
        QVERIFY(!late.session.notices().filter(QStringLiteral("that no engine had read")).isEmpty());
        QVERIFY(QFile::exists(region));  // reading a region does not delete it
        QVERIFY(late.session.regionLeftOver());
        QVERIFY(deleteRegion(region.toStdString()));
    }

    void attachRefusesFilesThatAreNoRegion()
    {
        Capture capture;
        QFile junk(capture.directory.filePath(QStringLiteral("junk.shm")));
        QVERIFY(junk.open(QIODevice::WriteOnly));
        junk.write(QByteArray(8192, 'x'));
        junk.close();
        QVERIFY(!capture.session.start({AttachRequest{junk.fileName().toStdString()}, {}}));
        QVERIFY(!Session().start({AttachRequest{"/no/such/file.shm"}, {}}));
        QVERIFY(junk.exists());
    }

    void reportsWhenNothingIsTraced()
    {
        Capture capture;
        capture.session.setNothingTracedDelay(50);
        LaunchSpec spec;
        spec.argv = {"sleep", "1000"};
        QVERIFY(capture.session.start({spec, capture.spec()}));
        QVERIFY(capture.nothing.wait(runner::kPatienceMs));
        QCOMPARE(capture.session.state(), RunState::Waiting);
        capture.session.terminateTarget();
        QVERIFY(capture.waitForEnd());
        QCOMPARE(capture.nothing.size(), 1);
    }

    void reportsAnUntracedTargetAtAnEarlyEnd()
    {
        Capture capture;
        LaunchSpec spec;
        spec.argv = {"true"};
        QVERIFY(capture.session.start({spec, capture.spec()}));
        QVERIFY(capture.waitForEnd());
        QCOMPARE(capture.nothing.size(), 1);
    }

    void destructionLeavesTheTargetRunning()
    {
        pid_t pid = 0;
        QTemporaryDir directory;
        {
            Session session;
            CaptureSpec spec;
            spec.stations = 64;
            spec.regionPath = directory.filePath(QStringLiteral("r.shm")).toStdString();
            QVERIFY(session.start({program("ct_many", {"--coroutines", "20"}), spec}));
            pid = session.target()->pid();
            QTRY_COMPARE(session.accounting().coroutines, 20U);
        }
        QCOMPARE(kill(pid, 0), 0);
        QVERIFY(QFile::exists(directory.filePath(QStringLiteral("r.shm"))));
        QCOMPARE(kill(pid, SIGTERM), 0);
        QTRY_COMPARE(kill(pid, 0), -1);
    }

    void loadsARecording()
    {
        QTemporaryDir directory;
        QFile file(directory.filePath(QStringLiteral("run.jsonl")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        for (int i = 0; i < 100; ++i)
            file.write(QStringLiteral("{\"probe_id\":7,\"tid\":1,\"addr\":\"0x0000000000000010\",\"seq\":%1,"
                                      "\"is_active\":%2,\"ts\":%3,\"n\":%4,\"coroutine\":0}\n")
                           .arg(QString::number((i / 8 + 1) * 2),
                                i % 2 ? QStringLiteral("true") : QStringLiteral("false"), QString::number(1000 + i),
                                QString::number(i))
                           .toUtf8());
        file.close();
        const auto population = std::make_shared<Population>();
        const auto history = std::make_shared<History>(1 << 24);
        FileLoader loader(file.fileName().toStdString(), {population, history});
        loader.start();
        QVERIFY(loader.wait(QDeadlineTimer(runner::kPatienceMs)));
        QVERIFY2(loader.errorMessage().isEmpty(), qPrintable(loader.errorMessage()));
        QCOMPARE(population->size(), 1U);
        QCOMPARE(history->eventCount(), 100U);
        QCOMPARE(loader.accounting().captured, 100U);
        QCOMPARE(loader.progress(), 1.0);

        FileLoader missing("/no/such/file.jsonl", {population});
        missing.start();
        QVERIFY(missing.wait(QDeadlineTimer(runner::kPatienceMs)));
        QVERIFY(missing.errorMessage().contains(QStringLiteral("/no/such/file.jsonl")));
    }

    void instructionsQuotePaths()
    {
        const TracedEnvironment environment{QStringLiteral("/dev/shm/it's here/r.shm"), QStringLiteral("/tmp/s"), 64};
        QCOMPARE(Instructions::shellLine(environment),
                 QStringLiteral("CTP_SHM_PATH='/dev/shm/it'\\''s here/r.shm' CTP_SOCK_PATH=/tmp/s CTP_MAX_STATIONS=64 "
                                "./your-program"));
        QVERIFY(Instructions::systemdUnit(environment)
                    .contains(QStringLiteral("Environment=\"CTP_SHM_PATH=/dev/shm/it's here/r.shm\"\n")));
        const QString container = Instructions::containerLine(environment);
        QVERIFY(container.contains(QStringLiteral("-v '/dev/shm/it'\\''s here:/dev/shm/it'\\''s here'")));
        QVERIFY(container.contains(QStringLiteral("-v /tmp:/tmp")));
        QVERIFY(container.contains(QStringLiteral("-e CTP_MAX_STATIONS=64")));
        QCOMPARE(Instructions::fiveLines().count(QLatin1Char('\n')), 5);
    }
};

CT_QT_SUITE(SessionTest)
#include "tst_session.moc"
