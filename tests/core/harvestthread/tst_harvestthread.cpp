// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The harvest thread end to end: socket, wake-up, sinks, second engine, adoption, end.
#include "core/base/monotonic.h"
#include "core/base/precedence.h"
#include "tests/core/harvestthread/harvestcapture.h"

#include <QLocalServer>
#include <QLocalSocket>
#include <QSignalSpy>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

using namespace harvestcapture;

namespace {

/// The nice value of the thread of this process that has this name.
std::optional<int> niceOf(const std::string &name)
{
    for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(task.path() / "comm");
        std::string found;
        if (std::getline(file, found) && found == name)
            return ::getpriority(PRIO_PROCESS, static_cast<id_t>(std::stoul(task.path().filename().string())));
    }
    return std::nullopt;
}

}  // namespace

class HarvestThreadTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The harvest thread is real-time only if the user's limit (RLIMIT_RTPRIO) permits it. Programs that it starts are
    /// not (SCHED_RESET_ON_FORK).
    void takesThePrecedenceThatTheSystemGrants()
    {
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_RTPRIO, &before), 0);
        for (const rlim_t limit : {rlim_t{0}, rlim_t{1}}) {
            // Only a privileged user can raise the limit.
            const rlimit wanted{limit, std::max(limit, before.rlim_max)};
            (void)::setrlimit(RLIMIT_RTPRIO, &wanted);
            rlimit granted{};
            QCOMPARE(::getrlimit(RLIMIT_RTPRIO, &granted), 0);
            int possible = 0, taken = 0;
            // Some systems grant real time, but give it no processor time.
            std::thread([&possible] {
                const sched_param lowest{1};
                possible = ::sched_setscheduler(0, SCHED_RR, &lowest) == 0 ? SCHED_RR : SCHED_OTHER;
            }).join();
            std::thread([&taken] {
                ct::takePrecedence();
                taken = ::sched_getscheduler(0);
            }).join();
            const bool isRealTime = granted.rlim_cur != 0 && possible == SCHED_RR;
            QCOMPARE(taken, isRealTime ? SCHED_RR | SCHED_RESET_ON_FORK : SCHED_OTHER);
        }
        QCOMPARE(::setrlimit(RLIMIT_RTPRIO, &before), 0);
    }
    /// What works behind the harvest thread leaves the processors to it.
    void otherThreadsGiveWay()
    {
        const int before = ::getpriority(PRIO_PROCESS, 0);
        const int expected = std::min(before + 5, 19);
        Capture c;
        QVERIFY(c.start());
        QTRY_COMPARE(niceOf("decode"), std::optional(expected));
        QTRY_COMPARE(niceOf("spill"), std::optional(expected));
        QVERIFY(niceOf("harvest") <= before);
    }

    void listensBeforeTheStartReturns()
    {
        Capture c;
        QVERIFY(c.start());
        QSignalSpy connected(c.thread.get(), &HarvestThread::targetConnected);
        struct stat info;
        QVERIFY(::lstat(c.socketPath.c_str(), &info) == 0);
        QCOMPARE(info.st_mode & 0777, 0600U);
        QLocalSocket target;
        target.connectToServer(qt(c.socketPath));
        QVERIFY(target.waitForConnected());
        QTRY_COMPARE(connected.count(), 1);
        c.thread->requestEnd();
        QVERIFY(c.thread->wait(10'000));
        QVERIFY(!std::filesystem::exists(c.socketPath));
    }

    void aByteWakesTheEngine()
    {
        Capture c;
        QVERIFY(c.start());
        QLocalSocket target;
        target.connectToServer(qt(c.socketPath));
        QVERIFY(target.waitForConnected());
        Writer writer = c.born(Style::Ours, 1);
        for (std::uint64_t i = 1; i <= 20; ++i) {
            QTRY_VERIFY(c.isAsleep());
            writer.write();
            if (writers::winsWakeUp(*c.region->writableHeader())) {
                target.write("1", 1);
                QVERIFY(target.waitForBytesWritten());
            }
            QTRY_COMPARE(c.sink->streamSums().captured, i);
        }
        QCOMPARE(target.state(), QLocalSocket::ConnectedState);  // the target keeps its connection
    }

    void wakesWithoutAnyByte()
    {
        Capture c;
        QVERIFY(c.start());
        QTRY_VERIFY(c.isAsleep());
        Writer writer = c.born(Style::OldSdk, 1);
        QTRY_COMPARE(c.sink->streamSums().coroutines.size(), std::size_t{1});  // births send no byte
        QTRY_VERIFY(c.isAsleep());
        writer.write();
        QVERIFY(writers::winsWakeUp(*c.region->writableHeader()));  // killed before it sends the byte
        QTRY_COMPARE(c.sink->streamSums().captured, std::uint64_t{1});
        QTRY_VERIFY(c.isAsleep());
        writer.write();  // does not read the flag
        writer.destroy();
        QTRY_COMPARE(c.sink->streamSums().captured, std::uint64_t{2});
        QTRY_COMPARE(c.sink->streamSums().deaths, std::uint64_t{1});
    }

    void drainsEventsFromBeforeTheEnd()
    {
        Capture c;
        QVERIFY(c.start());
        QSignalSpy ended(c.thread.get(), &HarvestThread::harvestEnded);
        Writer writer = c.born(Style::Ours, 1);
        writer.write(8);
        writer.destroy();
        c.thread->requestEnd();
        QVERIFY(c.thread->wait(10'000));
        QTRY_COMPARE(ended.count(), 1);
        const auto sums = c.sink->final();
        QVERIFY(sums);
        QCOMPARE(sums->captured + sums->lost, std::uint64_t{8});
        QCOMPARE(c.thread->accounting().captured, sums->captured);
        QCOMPARE(c.sink->streamSums().captured, sums->captured);
        QCOMPARE(c.sink->streamSums().deaths, std::uint64_t{1});
        QVERIFY(!c.isAsleep());
    }

    void aFailingSinkDoesNotAffectOtherSinks()
    {
        Capture c;
        const auto failing = std::make_shared<SumSink>();
        failing->failAfter(1);
        QVERIFY(c.start({failing}));
        QSignalSpy failed(c.thread.get(), &HarvestThread::sinkFailed);
        Writer writer = c.born(Style::Ours, 1);
        writer.write();
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(failed.at(0).at(0).toString(), QStringLiteral("disk full"));
        const int batches = failing->batches();
        writer.write();
        QTRY_COMPARE(c.sink->streamSums().captured, std::uint64_t{2});
        QCOMPARE(failing->batches(), batches);
        c.thread->requestEnd();
        QVERIFY(c.thread->wait(10'000));
        QVERIFY(!failing->final());
        QVERIFY(c.sink->final());
    }

    void sumsAreExactUnderStorm_data()
    {
        QTest::addColumn<int>("style");
        QTest::addColumn<bool>("socket");
        QTest::newRow("old SDK") << static_cast<int>(Style::OldSdk) << true;
        QTest::newRow("ours") << static_cast<int>(Style::Ours) << true;
        QTest::newRow("monotonic") << static_cast<int>(Style::Monotonic) << true;
        QTest::newRow("no socket") << static_cast<int>(Style::Ours) << false;
    }
    void sumsAreExactUnderStorm()
    {
        QFETCH(int, style);
        QFETCH(bool, socket);
        Capture c(600);
        if (!socket)
            c.socketPath.clear();
        QVERIFY(c.start());
        std::vector<std::thread> threads;
        for (std::uint64_t t = 0; t < 2; ++t) {
            threads.emplace_back([&c, t, style] {
                std::vector<Writer> mine;
                for (std::uint64_t i = 0; i < 250; ++i)
                    mine.push_back(c.born(static_cast<Style>(style), t * 250 + i + 1));
                for (int n = 0; n < 200; ++n) {
                    for (Writer &writer : mine) {
                        writer.write();
                        writers::winsWakeUp(*c.region->writableHeader());
                    }
                }
            });
        }
        for (std::thread &thread : threads)
            thread.join();
        c.thread->requestEnd();
        QVERIFY(c.thread->wait(20'000));
        const ct::Accounting sums = *c.sink->final();
        QCOMPARE(sums.captured + sums.lost, std::uint64_t{100'000});
        QCOMPARE(sums.coroutines, std::uint64_t{500});
        const regions::StreamSums streamSums = c.sink->streamSums();
        QCOMPARE(streamSums.captured, sums.captured);
        QCOMPARE(streamSums.lost, sums.lost);
        QCOMPARE(streamSums.inversions + streamSums.torn + streamSums.broken + streamSums.flags, std::uint64_t{0});
    }

    void theSecondEngineReadsWithoutWriting()
    {
        Capture c;
        QVERIFY(c.start());
        Writer writer = c.born(Style::Ours, 1);
        writer.write(3);
        auto observed = Region::open(c.region->path());
        QVERIFY(observed);
        QVERIFY(observed->access() == ct::RegionAccess::Observer);
        const auto sink = std::make_shared<SumSink>();
        HarvestThread observer(*observed, {}, {sink});
        QVERIFY(observer.startHarvest());
        QTRY_COMPARE(sink->streamSums().captured, std::uint64_t{3});
        writer.write(4);
        QTRY_COMPARE(sink->streamSums().captured, std::uint64_t{7});
        QTRY_COMPARE(c.sink->streamSums().captured, std::uint64_t{7});
        observer.requestEnd();
        QVERIFY(observer.wait(10'000));
        QTRY_VERIFY(c.isAsleep());  // the observer does not wake the owner
    }

    void anAdoptedRegionIsCaptured()
    {
        Capture c;
        Writer writer = c.born(Style::Ours, 1);
        writer.write(20);
        const std::string path = c.region->path();
        c.region.reset();  // like a killed engine: the file stays, without a lock
        auto adopted = Region::open(path);
        QVERIFY(adopted);
        QVERIFY(adopted->access() == ct::RegionAccess::Owner);
        // Real writers keep their own mapping. This one writes through the adopter's.
        auto *const station = const_cast<corotracer::StationData *>(&adopted->station(0));
        const auto sink = std::make_shared<SumSink>();
        HarvestThread thread(*adopted, c.socketPath, {sink});
        QVERIFY(thread.startHarvest());
        QTRY_COMPARE(sink->streamSums().captured, std::uint64_t{8});
        QCOMPARE(sink->streamSums().missed, std::uint64_t{12});
        QCOMPARE(station->header.birth_ts.load(), writers::tsOf(0) - 1);
        QTRY_COMPARE(adopted->header().tracer_sleeping.load(), 1U);
        thread.requestEnd();
        QVERIFY(thread.wait(10'000));
    }

    void replacesOnlyStaleSockets()
    {
        Capture c;
        {
            // The socket of a killed engine: bound, but without a listener.
            const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            std::snprintf(address.sun_path, sizeof address.sun_path, "%s", c.socketPath.c_str());
            QCOMPARE(::bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
            ::close(fd);
        }
        QVERIFY(c.start());
        HarvestThread second(*c.region, c.socketPath, {});
        const ct::Result<void> busy = second.startHarvest();
        QVERIFY(!busy);
        QVERIFY(qt(busy.error().message).contains(qt(c.socketPath)));
        QLocalSocket target;
        target.connectToServer(qt(c.socketPath));
        QVERIFY(target.waitForConnected());  // the first harvest thread still listens

        const std::string file = c.dir.file("precious");
        std::ofstream(file) << "data";
        HarvestThread third(*c.region, file, {});
        QVERIFY(!third.startHarvest());
        QVERIFY(std::filesystem::exists(file));
        HarvestThread fourth(*c.region, "/tmp/" + std::string(100, 'x'), {});
        QVERIFY(!fourth.startHarvest());
    }

    void connectionsStayOpenUntilTheEnd()
    {
        Capture c;
        QVERIFY(c.start());
        QSignalSpy connected(c.thread.get(), &HarvestThread::targetConnected);
        std::vector<std::unique_ptr<QLocalSocket>> targets;
        for (int i = 0; i < 50; ++i) {
            targets.push_back(std::make_unique<QLocalSocket>());
            targets.back()->connectToServer(qt(c.socketPath));
            QVERIFY(targets.back()->waitForConnected());
        }
        QTRY_COMPARE(connected.count(), 50);
        targets.front()->abort();
        for (std::size_t i = 1; i < targets.size(); ++i) {
            targets[i]->write("1", 1);
            QVERIFY(targets[i]->waitForBytesWritten());
            QCOMPARE(targets[i]->state(), QLocalSocket::ConnectedState);
        }
        c.thread->requestEnd();
        QTRY_COMPARE(targets.back()->state(), QLocalSocket::UnconnectedState);
    }

    void pausesAndContinues()
    {
        Capture c;
        QVERIFY(c.start());
        QTRY_VERIFY(c.isAsleep());
        c.thread->setPaused(true);
        QTRY_COMPARE(c.region->header().tracer_sleeping.load(), std::uint32_t{corotracer::kEnginePaused});
        QTRY_VERIFY(c.thread->accounting().paused);
        // A writer that ignores the pause is still read, by polling.
        Writer writer = c.born(Style::OldSdk, 1);
        writer.write(3);
        QTRY_COMPARE(c.sink->streamSums().captured, std::uint64_t{3});
        QCOMPARE(c.region->header().tracer_sleeping.load(), std::uint32_t{corotracer::kEnginePaused});
        c.thread->setPaused(false);
        QTRY_VERIFY(c.isAsleep());
        QTRY_VERIFY(!c.thread->accounting().paused);
    }

    void recordsInLanesWakeTheEngine()
    {
        Capture c;
        QVERIFY(c.start());
        QLocalSocket target;
        target.connectToServer(qt(c.socketPath));
        QVERIFY(target.waitForConnected());
        // The entry names this process, which is alive.
        const lanewriter::Process process(*c.region->writableHeader(), static_cast<std::uint32_t>(::getpid()), 1);
        lanewriter::Lane lane = *process.claimLane(1);
        auto coroutine = lanewriter::Coroutine::create(process, lane, 1, writers::tsOf(0) - 1);
        QVERIFY(coroutine);
        for (std::uint64_t i = 1; i <= 20; ++i) {
            QTRY_VERIFY(c.isAsleep());
            coroutine->step(lane);
            if (writers::winsWakeUp(*c.region->writableHeader())) {
                target.write("1", 1);
                QVERIFY(target.waitForBytesWritten());
            }
            QTRY_COMPARE(c.thread->accounting().captured, i);
        }
        QCOMPARE(c.thread->accounting().lanesInUse, 1U);
        c.thread->requestEnd();
        QVERIFY(c.thread->wait(10'000));
        QCOMPARE(c.sink->final()->captured, std::uint64_t{20});
        QCOMPARE(c.sink->final()->lost, std::uint64_t{0});
    }

    void aCutFileIsReported()
    {
        Capture c;
        QVERIFY(c.start());
        QSignalSpy failed(c.thread.get(), &HarvestThread::regionFailed);
        Writer writer = c.born(Style::Ours, 1);
        writer.write();
        QTRY_COMPARE(c.sink->streamSums().captured, std::uint64_t{1});
        std::filesystem::resize_file(c.region->path(), 100);
        QTRY_COMPARE(failed.count(), 1);
        c.thread->requestEnd();
        QVERIFY(c.thread->wait(10'000));
        QCOMPARE(c.sink->final()->captured, std::uint64_t{1});
    }
};

CT_QT_SUITE(HarvestThreadTest)
#include "tst_harvestthread.moc"
