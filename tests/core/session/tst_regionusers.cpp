// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Entries in a region's process table: processes in a container, processes of another user, and ended processes.
#include "tests/core/target/regionsupport.h"

#include "core/region/processstat.h"
#include "core/session/session.h"
#include "core/target/pidnamespaces.h"
#include "tests/support/qtsuite.h"
#include "tests/support/sleepers.h"

using namespace ct;
using namespace regionsupport;
using namespace sleepers;

namespace {

using ct::test::kPatienceMs;

QStringList noticesOfUse(const Session &session)
{
    return session.notices().filter(QStringLiteral("The region may be in use by process 1 "));
}

/// Writes as process 1 of the container does. The engine reads at the same time, so the entry always names a living
/// process.
void writeOneCoroutine(corotracer::GlobalHeader &header, const Container &container)
{
    const lanewriter::Process process(header, static_cast<std::uint32_t>(container.pid()),
                                      ProcessStat::of(container.pid()).startTicks);
    process.entry().pid_namespace.store(container.space());
    process.entry().pid.store(1);
    std::optional<lanewriter::Lane> lane = process.claimLane(1);
    QVERIFY(lane);
    QVERIFY(lanewriter::Coroutine::create(process, *lane, 1, writers::kTsBase));
}

/// Lets only root examine this process, as if it belonged to another user.
void hideFromOtherUsers()
{
    ::prctl(PR_SET_DUMPABLE, 0);
}

constexpr int kRefused = 77;  ///< no user namespace can be made here

/// Returns the state of the region's only entry as a process without root rights sees it, or kRefused. Other values are
/// failures.
int stateForAnotherUser(const FileIdentity &file)
{
    const pid_t looker = ::fork();
    if (looker == 0) {
        if (::unshare(CLONE_NEWUSER) != 0)
            ::_exit(kRefused);
        const std::vector<RegionUser> users = regionUsers(file);
        ::_exit(users.size() == 1 ? static_cast<int>(users.front().state) : kRefused + 1);
    }
    int status = -1;
    if (looker > 0)
        ::waitpid(looker, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

class RegionUsersTest : public QObject {
    Q_OBJECT

    RuntimeFolder m_runtime;

    std::string newPath(const char *name) const { return m_runtime.newPath(name); }

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_runtime.use()); }

    /// The process is alive, but does not map the region under a path that is known here.
    void keepsARegionThatAContainerMayUse()
    {
        const std::string path = newPath("container.shm");
        const Container container;
        if (container.isRefused())
            CT_QSKIP("no pid namespace can be made here");
        QVERIFY(container.runs());
        leaveRegion(path, 1, ProcessStat::of(container.pid()).startTicks, container.space());
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
        QVERIFY(session.start({AttachRequest{path}, {}}));
        QVERIFY(!session.isPostMortem());
        const QStringList notices = noticesOfUse(session);
        QCOMPARE(notices.size(), 1);
        QVERIFY(notices.front().contains(QStringLiteral("The capture continues until this program notices the end of "
                                                        "that process, or until you stop the capture.")));
        QVERIFY(notices.front().contains(remedy));
        QCOMPARE(mayBeInUse({1, "ct_storm", UserState::Unknown}),
                 std::string("may be in use by ct_storm (process 1 of another user or container)"));
        session.stop();
        QTRY_COMPARE(session.state(), RunState::Ended);
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

    void endsAnAttachedCaptureWithTheContainer()
    {
        const std::string path = newPath("ending.shm");
        Container container;
        if (container.isRefused())
            CT_QSKIP("no pid namespace can be made here");
        QVERIFY(container.runs());
        leaveRegion(path, 1, ProcessStat::of(container.pid()).startTicks, container.space());
        Session session;
        QVERIFY(session.start({AttachRequest{path}, {}}));
        QVERIFY(!session.isPostMortem());
        container.end();
        QTRY_VERIFY(!processRuns(container.pid()));
        const bool isVisible = ProcessListing::read().isComplete;
        if (!isVisible)
            session.stop();
        QTRY_COMPARE_WITH_TIMEOUT(session.state(), RunState::Ended, kPatienceMs);
        QCOMPARE(session.endReason(), isVisible ? EndReason::TargetExited : EndReason::Stopped);
        QCOMPARE(QFile::exists(QString::fromStdString(path)), !isVisible);
    }

    void continuesAfterAKnownTargetEnds_data()
    {
        QTest::addColumn<bool>("comesLater");
        QTest::newRow("there at the attach") << false;
        QTest::newRow("comes later") << true;
    }
    void continuesAfterAKnownTargetEnds()
    {
        QFETCH(const bool, comesLater);
        const std::string path = newPath(comesLater ? "later.shm" : "there.shm");
        const Container container;
        if (container.isRefused())
            CT_QSKIP("no pid namespace can be made here");
        QVERIFY(container.runs());
        leaveRegion(path, 1, ProcessStat::of(container.pid()).startTicks, container.space());
        Session session;
        QSignalSpy seen(&session, &Session::targetDiscovered);
        QSignalSpy gone(&session, &Session::targetEnded);
        if (comesLater)
            QVERIFY(session.start({AttachRequest{path}, {}}));
        Sleeper known([&path] { mapFile(path); });
        QVERIFY(known.pid() > 0);
        if (comesLater)
            QTRY_COMPARE_WITH_TIMEOUT(seen.size(), 1, kPatienceMs);
        else
            QVERIFY(session.start({AttachRequest{path}, {}}));
        QCOMPARE(session.targetPids(), std::vector<pid_t>{known.pid()});
        known.end();
        QTRY_COMPARE_WITH_TIMEOUT(gone.size(), 1, kPatienceMs);
        QCOMPARE(session.state(), RunState::Waiting);
        QCOMPARE(noticesOfUse(session).size(), 1);
        session.stop();
        QTRY_COMPARE_WITH_TIMEOUT(session.state(), RunState::Ended, kPatienceMs);
        QVERIFY(session.regionLeftOver());
    }

    /// After the visible process has ended, a search finds no other one.
    void listensUntilTheContainerHasEnded()
    {
        const std::string path = newPath("listening.shm");
        Container container;
        if (container.isRefused())
            CT_QSKIP("no pid namespace can be made here");
        QVERIFY(container.runs());
        Session session;
        CaptureSpec capture;
        capture.stations = 64;
        capture.regionPath = path;
        capture.untilIdle = true;
        QVERIFY(session.start({ListenRequest{}, capture}));
        QSignalSpy seen(&session, &Session::targetDiscovered);
        QSignalSpy gone(&session, &Session::targetEnded);
        Sleeper sleeper([&path] { mapFile(path); });
        QVERIFY(sleeper.pid() > 0);
        const TargetMapping mapping(path);
        QVERIFY(mapping.isMapped());
        writeOneCoroutine(mapping.header(), container);
        QTRY_COMPARE_WITH_TIMEOUT(seen.size(), 1, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(session.state(), RunState::Capturing, kPatienceMs);
        sleeper.end();
        QTRY_COMPARE_WITH_TIMEOUT(gone.size(), 1, kPatienceMs);
        QCOMPARE(session.state(), RunState::Capturing);
        QCOMPARE(noticesOfUse(session).size(), 1);

        container.end();
        QTRY_VERIFY(!processRuns(container.pid()));
        if (!ProcessListing::read().isComplete)
            session.stop();
        QTRY_COMPARE_WITH_TIMEOUT(session.state(), RunState::Ended, kPatienceMs);
        QCOMPARE(session.accounting().coroutines, 1U);
    }

    /// If not all processes of this machine are visible, the end of the target cannot be noticed.
    void followsATargetInAContainer()
    {
        const std::string path = newPath("inside.shm");
        leaveRegion(path, 1, 1);
        Container container(path);
        if (container.isRefused())
            CT_QSKIP("no pid namespace can be made here");
        QVERIFY(container.runs());
        {
            auto region = Region::open(path);
            QVERIFY(region && region->writableHeader());
            region->writableProcesses().front().start_ticks.store(ProcessStat::of(container.pid()).startTicks);
            region->writableProcesses().front().pid_namespace.store(container.space());
        }
        QCOMPARE(regionUsers(FileIdentity::of(path)).front().state, UserState::Alive);
        QCOMPARE(find(path)->targets, std::vector<pid_t>{container.pid()});
        QVERIFY(!deleteRegion(path));

        container.end();
        QTRY_VERIFY(!processRuns(container.pid()));
        const bool isVisible = ProcessListing::read().isComplete;
        QCOMPARE(regionUsers(FileIdentity::of(path)).front().state, isVisible ? UserState::Ended : UserState::Unknown);
        if (!isVisible)
            return;
        Session session;
        QVERIFY(session.start({AttachRequest{path}, {}}));
        QVERIFY(session.isPostMortem());
        QTRY_COMPARE(session.state(), RunState::Ended);
        QVERIFY(deleteRegion(path));
    }

    /// The table still calls the target active.
    void recognisesATargetThatHasEnded()
    {
        const std::string path = newPath("ended.shm");
        Sleeper sleeper([] {});
        QVERIFY(sleeper.pid() > 0);
        leaveRegion(path, sleeper.pid(), ProcessStat::of(sleeper.pid()).startTicks);
        // The process is alive, but does not map the region.
        QCOMPARE(regionUsers(FileIdentity::of(path)).front().state, UserState::Ended);
        sleeper.end();
        QCOMPARE(regionUsers(FileIdentity::of(path)).front().state, UserState::Ended);
        QVERIFY(find(path)->unknownUsers.empty());
        Session session;
        QVERIFY(session.start({AttachRequest{path}, {}}));
        QVERIFY(session.isPostMortem());
        QTRY_COMPARE(session.state(), RunState::Ended);
        QVERIFY(deleteRegion(path));
        QVERIFY(regionUsers(FileIdentity{0, 0, path}).empty());
    }

    /// One process has several entries. Other entries differ from it in one number each.
    void searchesForEachProcessOnce()
    {
        const std::string path = newPath("repeated.shm");
        const NamespacedPid repeated{17, 4711, 5000};
        std::vector<NamespacedPid> entries(9, repeated);
        const std::vector<NamespacedPid> others{{18, 4711, 5000}, {17, 4712, 5000}, {17, 4711, 5001}};
        for (const NamespacedPid &other : others)
            entries.insert(entries.end(), {other, repeated});
        {
            auto region = Region::create({path, 64});
            QVERIFY2(region, region ? "" : region.error().message.c_str());
            QVERIFY(region->processes().size() >= entries.size());
            for (const NamespacedPid &entry : entries) {
                const lanewriter::Process process(*region->writableHeader(), entry.pid, entry.startTicks);
                process.entry().pid_namespace.store(entry.space);
            }
        }
        std::vector<NamespacedPid> asked;
        const std::vector<RegionUser> users = regionUsers(FileIdentity::of(path), [&](const NamespacedPid &process) {
            asked.push_back(process);
            return process == repeated ? UserState::Alive : UserState::Ended;
        });
        QCOMPARE(asked.size(), std::size_t{4});
        QCOMPARE(users.size(), entries.size());
        for (std::size_t i = 0; i < users.size(); ++i) {
            QCOMPARE(users[i].pid, entries[i].pid);
            QCOMPARE(users[i].state, entries[i] == repeated ? UserState::Alive : UserState::Ended);
        }
        // In a container, processes outside of it may use the region, and cannot be listed.
        QCOMPARE(bool(deleteRegion(path)), ProcessListing::read().isComplete);
    }

    void keepsARegionThatAnotherUserMayUse()
    {
        const std::string path = newPath("foreign.shm");
        Sleeper sleeper(hideFromOtherUsers);
        QVERIFY(sleeper.pid() > 0);
        leaveRegion(path, sleeper.pid(), ProcessStat::of(sleeper.pid()).startTicks);
        const FileIdentity file = FileIdentity::of(path);
        const int answer = stateForAnotherUser(file);
        sleeper.end();
        if (answer == kRefused)
            CT_QSKIP("no user namespace can be made here");
        QCOMPARE(answer, static_cast<int>(UserState::Unknown));
        QVERIFY(unknownUsers(file).empty());
        QVERIFY(deleteRegion(path));
    }

    /// A process that started later has the pid now.
    void recognisesAnEarlierProcessOfAnotherUser()
    {
        const std::string path = newPath("earlier.shm");
        const Sleeper sleeper(hideFromOtherUsers);
        QVERIFY(sleeper.pid() > 0);
        leaveRegion(path, sleeper.pid(), ProcessStat::of(sleeper.pid()).startTicks - 1);
        const int answer = stateForAnotherUser(FileIdentity::of(path));
        if (answer == kRefused)
            CT_QSKIP("no user namespace can be made here");
        QCOMPARE(answer, static_cast<int>(UserState::Ended));
        QVERIFY(deleteRegion(path));
    }

    /// The process writes the start time of its own shifted clock.
    void keepsARegionOfAUserWithAnotherClock()
    {
        const std::string path = newPath("shifted.shm");
        const Container shifted(CLONE_NEWTIME, hideFromOtherUsers);
        if (shifted.isRefused())
            CT_QSKIP("no time namespace can be made here");
        QVERIFY(shifted.runs());
        const auto shift = static_cast<std::uint64_t>(kShiftSeconds * ::sysconf(_SC_CLK_TCK));
        leaveRegion(path, shifted.pid(), ProcessStat::of(shifted.pid()).startTicks + shift);
        const int answer = stateForAnotherUser(FileIdentity::of(path));
        if (answer == kRefused)
            CT_QSKIP("no user namespace can be made here");
        QCOMPARE(answer, static_cast<int>(UserState::Unknown));
    }
};

CT_QT_SUITE(RegionUsersTest)
#include "tst_regionusers.moc"
