// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/processstat.h"
#include "core/harvest/region.h"
#include "core/session/mappings.h"
#include "core/session/pidnamespaces.h"
#include "core/session/regionlist.h"
#include "core/session/session.h"

#include "runner.h"
#include "tests/support/lanewriter.h"
#include "tests/support/qtsuite.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ct;

namespace {

std::optional<RegionInfo> find(const std::string &path)
{
    for (const RegionInfo &info : listRegions()) {
        if (info.path == path)
            return info;
    }
    return std::nullopt;
}

/// A region with one entry in its process table, whose engine has gone. `space`: inode of the pid namespace of that
/// process, if it is not ours.
void leaveRegion(const std::string &path, pid_t pid, std::uint64_t startTicks, std::uint64_t space = 0)
{
    auto region = Region::create({path, 64});
    QVERIFY2(region, region ? "" : region.error().message.c_str());
    const lanewriter::Process process(*region->writableHeader(), static_cast<std::uint32_t>(pid), startTicks);
    if (space != 0)
        process.entry().pid_namespace.store(space);
}

/// Sleepers read from it until the test's process has ended: they must not outlive a test that ends early.
struct Lifeline {
    Lifeline() { isOpen = ::pipe2(ends, O_CLOEXEC) == 0; }
    int ends[2] = {-1, -1};
    bool isOpen = false;
};

/// The first call has to be in the test's own process.
const Lifeline &lifeline()
{
    static const Lifeline made;
    return made;
}

/// A child process that runs `body` and then sleeps. -1: there is none.
template <class Body>
pid_t forkSleeper(Body body)
{
    int ready[2];
    if (!lifeline().isOpen || ::pipe(ready) != 0)
        return -1;
    const pid_t pid = ::fork();
    char byte = 0;
    if (pid == 0) {
        ::close(lifeline().ends[1]);
        body();
        while (::write(ready[1], "x", 1) != 1)
            ;
        ::close(ready[1]);
        while (::read(lifeline().ends[0], &byte, 1) != 0)
            ;
        ::_exit(0);
    }
    ::close(ready[1]);
    ssize_t got = -1;
    while (pid > 0 && (got = ::read(ready[0], &byte, 1)) < 0)
        ;
    ::close(ready[0]);
    return got == 1 ? pid : -1;
}

/// Process 1 of a pid namespace of its own.
struct Container {
    pid_t pid = 0;  ///< in our pid namespace; 0: no pid namespace can be made here
    std::uint64_t space = 0;
};

/// The process maps the file, if there is one, and sleeps.
Container startContainer(const std::string &mapped = {})
{
    int result[2];
    if (!lifeline().isOpen || ::pipe(result) != 0)
        return {};
    const pid_t maker = ::fork();
    if (maker == 0) {
        Container made;
        struct stat space {};
        if (::unshare(CLONE_NEWPID) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0) {
            made.pid = forkSleeper([&mapped] {
                ::prctl(PR_SET_DUMPABLE, 1);
                const int fd = mapped.empty() ? -1 : ::open(mapped.c_str(), O_RDONLY | O_CLOEXEC);
                if (fd >= 0)
                    ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0);
            });
            made.space = ::stat("/proc/self/ns/pid_for_children", &space) == 0 ? space.st_ino : 0;
        }
        ::_exit(::write(result[1], &made, sizeof made) == sizeof made ? 0 : 1);
    }
    ::close(result[1]);
    Container made;
    if (::read(result[0], &made, sizeof made) != sizeof made || made.space == 0 || made.pid < 0)
        made = {};
    ::close(result[0]);
    ::waitpid(maker, nullptr, 0);
    return made;
}

void end(pid_t pid)
{
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
}

}  // namespace

class RegionListTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_runtime;

    std::string newPath(const char *name)
    {
        return m_runtime.filePath(QStringLiteral("corotracer/") + QLatin1String(name)).toStdString();
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(QDir(m_runtime.path()).mkdir(QStringLiteral("corotracer")));
        qputenv("XDG_RUNTIME_DIR", QFile::encodeName(m_runtime.path()));
    }

    void tellsOwnedFromFree()
    {
        const std::string path = newPath("owned.shm");
        {
            auto region = Region::create({path, 64});
            QVERIFY2(region, region ? "" : region.error().message.c_str());
            const auto info = find(path);
            QVERIFY(info);
            QCOMPARE(info->owner, getpid());
            QCOMPARE(info->stationsMax, 64U);
            QCOMPARE(info->stationsAllocated, 0U);
            QVERIFY(info->ours);
            QVERIFY(info->targets.empty());  // we map it, but are the engine
            QVERIFY(!deleteRegion(path));
        }
        QCOMPARE(find(path)->owner, 0);
        QVERIFY(deleteRegion(path));
        QVERIFY(!find(path));
    }

    void namesTheTargets()
    {
        const std::string path = newPath("used.shm");
        std::optional<Region> region;
        {
            auto created = Region::create({path, 64});
            QVERIFY(created);
            region.emplace(std::move(*created));
        }
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("CTP_SHM_PATH"), QString::fromStdString(path));
        environment.insert(QStringLiteral("CTP_SOCK_PATH"), QString::fromStdString(path + ".sock"));
        environment.insert(QStringLiteral("CTP_MAX_STATIONS"), QStringLiteral("64"));
        process.setProcessEnvironment(environment);
        process.start(runner::binary("ct_many"), {QStringLiteral("--coroutines"), QStringLiteral("10")});
        QVERIFY(process.waitForStarted());
        QTRY_COMPARE(find(path)->compactStations, 10U);
        QVERIFY(!find(path)->flightRecorder);
        region.reset();  // the engine goes

        const auto info = find(path);
        QCOMPARE(info->targets, std::vector<pid_t>{pid_t(process.processId())});
        QCOMPARE(info->targetNames, std::vector<std::string>{"ct_many"});
        QCOMPARE(info->owner, 0);
        QVERIFY(info->bytesUsed > 0);
        QVERIFY(processMaps(pid_t(process.processId()), FileIdentity::of(path)));
        const auto refused = deleteRegion(path);
        QVERIFY(!refused);
        QVERIFY(QString::fromStdString(refused.error().message).contains(QStringLiteral("ct_many")));

        process.terminate();
        QVERIFY(process.waitForFinished());
        QVERIFY(find(path)->targets.empty());
        QVERIFY(deleteRegion(path));
    }

    /// Its maps are empty, and its state is that of a zombie.
    void aTargetWhoseMainThreadHasEndedIsOne()
    {
        const std::string path = m_runtime.filePath(QStringLiteral("mapped")).toStdString();
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        QVERIFY(fd >= 0 && ::ftruncate(fd, 4096) == 0);
        const pid_t pid = ::fork();
        if (pid == 0) {
            const auto sleep = [](void *) -> void * {
                for (;;)
                    ::pause();
            };
            pthread_t thread;
            if (::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED &&
                ::pthread_create(&thread, nullptr, sleep, nullptr) == 0)
                ::syscall(SYS_exit, 0);  // of this thread only, and without the destructors of a test
            ::_exit(1);
        }
        ::close(fd);
        QTRY_COMPARE(ProcessStat::of(pid).state, 'Z');
        QVERIFY(processRuns(pid));
        QVERIFY(processMaps(pid, FileIdentity::of(path)));
        ::kill(pid, SIGKILL);
        QTRY_VERIFY(!processRuns(pid));
        QVERIFY(!processMaps(pid, FileIdentity::of(path)));
        ::waitpid(pid, nullptr, 0);
    }

    void tellsFlightRecorders()
    {
        const QString path = QString::fromStdString(newPath("flight.shm"));
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("CTP_FLIGHT_RECORDER"), path);
        process.setProcessEnvironment(environment);
        process.start(runner::binary("ct_flight"), {});
        QTRY_VERIFY(process.canReadLine());
        QCOMPARE(QString::fromUtf8(process.readLine()).trimmed(), path);
        QTRY_COMPARE(find(path.toStdString())->compactStations, 100U);
        auto info = find(path.toStdString());
        QVERIFY(info->flightRecorder);
        QCOMPARE(info->targetNames, std::vector<std::string>{"ct_flight"});
        QVERIFY(!deleteRegion(info->path));
        process.kill();
        QVERIFY(process.waitForFinished());
        info = find(path.toStdString());
        QVERIFY(info->flightRecorder && info->targets.empty());
        QVERIFY(deleteRegion(info->path));
    }

    /// The process is known to live, but does not map the region under a name that is known here.
    void keepsWhatAContainerMayUse()
    {
        const std::string path = newPath("container.shm");
        const Container container = startContainer();
        if (container.pid == 0)
            CT_QSKIP("no pid namespace can be made here");
        const auto killed = qScopeGuard([&container] { ::kill(container.pid, SIGKILL); });
        leaveRegion(path, 1, ProcessStat::of(container.pid).startTicks, container.space);
        QCOMPARE(find(path)->unknownUsers.size(), std::size_t{1});
        QCOMPARE(find(path)->unknownUsers.front().pid, 1U);
        QVERIFY(find(path)->targets.empty());
        const auto refused = deleteRegion(path);
        QVERIFY(!refused);
        const QString why = QString::fromStdString(refused.error().message);
        QVERIFY2(why.contains(QStringLiteral("may be in use by process 1 of another user or container")),
                 qPrintable(why));
        const QString remedy =
            QStringLiteral("If you know that it has ended, remove the file: rm ") + QString::fromStdString(path);
        QVERIFY2(why.contains(remedy), qPrintable(why));

        Session session;
        QVERIFY(session.attach(path));
        QVERIFY(!session.isPostMortem());
        const QStringList notices = session.notices().filter(QStringLiteral("may be in use by process 1 "));
        QCOMPARE(notices.size(), 1);
        QVERIFY(notices.front().contains(QStringLiteral("the capture continues until you stop it (Ctrl+C, ")));
        QVERIFY(notices.front().contains(remedy));
        QCOMPARE(mayBeInUse({1, "ct_storm", UserState::Unknown}),
                 std::string("may be in use by ct_storm (process 1 of another user or container)"));
        session.stopCapture();
        QTRY_COMPARE(session.state(), SessionState::Ended);
        QVERIFY(session.regionLeftOver());
        QVERIFY(session.notices().last().contains(QStringLiteral("The region was kept")));
        QVERIFY(session.notices().last().contains(remedy));
        QVERIFY(QFile::exists(QString::fromStdString(path)));
        {
            auto region = Region::open(path);
            QVERIFY(region && region->writableHeader());
            region->writableProcesses().front().state.store(corotracer::kProcessEnded);
        }
        QVERIFY(find(path)->unknownUsers.empty());
        QVERIFY(deleteRegion(path));
    }

    /// Where not all processes of this machine are visible, its end cannot be noticed.
    void followsATargetInAContainer()
    {
        const std::string path = newPath("inside.shm");
        leaveRegion(path, 1, 1);
        const Container container = startContainer(path);
        if (container.pid == 0)
            CT_QSKIP("no pid namespace can be made here");
        const auto killed = qScopeGuard([&container] { ::kill(container.pid, SIGKILL); });
        {
            auto region = Region::open(path);
            QVERIFY(region && region->writableHeader());
            region->writableProcesses().front().start_ticks.store(ProcessStat::of(container.pid).startTicks);
            region->writableProcesses().front().pid_namespace.store(container.space);
        }
        QCOMPARE(regionUsers(FileIdentity::of(path)).front().state, UserState::Alive);
        QCOMPARE(find(path)->targets, std::vector<pid_t>{container.pid});
        QVERIFY(!deleteRegion(path));

        ::kill(container.pid, SIGKILL);
        QTRY_VERIFY(!processRuns(container.pid));
        const bool isVisible = ProcessListing::read().isComplete;
        QCOMPARE(regionUsers(FileIdentity::of(path)).front().state, isVisible ? UserState::Ended : UserState::Unknown);
        if (!isVisible)
            return;
        Session session;
        QVERIFY(session.attach(path));
        QVERIFY(session.isPostMortem());
        QTRY_COMPARE(session.state(), SessionState::Ended);
        QVERIFY(deleteRegion(path));
    }

    /// The table still calls it active.
    void recognisesATargetThatHasEnded()
    {
        const std::string path = newPath("ended.shm");
        const pid_t pid = forkSleeper([] {});
        const std::uint64_t startTicks = ProcessStat::of(pid).startTicks;
        leaveRegion(path, pid, startTicks);
        // It lives, but maps the region no longer.
        QCOMPARE(regionUsers(FileIdentity::of(path)).front().state, UserState::Ended);
        end(pid);
        QCOMPARE(regionUsers(FileIdentity::of(path)).front().state, UserState::Ended);
        QVERIFY(find(path)->unknownUsers.empty());
        Session session;
        QVERIFY(session.attach(path));
        QVERIFY(session.isPostMortem());
        QTRY_COMPARE(session.state(), SessionState::Ended);
        QVERIFY(deleteRegion(path));
        QVERIFY(regionUsers(FileIdentity{0, 0, path}).empty());
    }

    /// As of another user: here a process that allows no look at it, and a look without the rights of root.
    void keepsWhatAnotherUserMayUse()
    {
        const std::string path = newPath("foreign.shm");
        const pid_t pid = forkSleeper([] { ::prctl(PR_SET_DUMPABLE, 0); });
        QVERIFY(pid > 0);
        leaveRegion(path, pid, ProcessStat::of(pid).startTicks);
        const FileIdentity file = FileIdentity::of(path);
        const pid_t looker = ::fork();
        if (looker == 0) {
            if (::unshare(CLONE_NEWUSER) != 0)
                ::_exit(2);
            const std::vector<RegionUser> users = unknownUsers(file);
            ::_exit(users.size() == 1 && users.front().pid == static_cast<std::uint32_t>(pid) ? 0 : 1);
        }
        int status = -1;
        ::waitpid(looker, &status, 0);
        end(pid);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
            CT_QSKIP("no user namespace can be made here");
        QCOMPARE(status, 0);
        QVERIFY(unknownUsers(file).empty());
        QVERIFY(deleteRegion(path));
    }

    void leavesOutWhatIsNoRegion()
    {
        QFile junk(QString::fromStdString(newPath("junk.shm")));
        QVERIFY(junk.open(QIODevice::WriteOnly));
        junk.write(QByteArray(4096, 'x'));
        junk.close();
        QFile small(QString::fromStdString(newPath("small.shm")));
        QVERIFY(small.open(QIODevice::WriteOnly));
        small.write("x");
        small.close();
        QVERIFY(!find(newPath("junk.shm")));
        QVERIFY(!find(newPath("small.shm")));
        QVERIFY(!deleteRegion(newPath("junk.shm")));
        QVERIFY(junk.exists());
        QVERIFY(!deleteRegion(newPath("missing.shm")));
    }
};

CT_QT_SUITE(RegionListTest)
#include "tst_regionlist.moc"
