// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/region/processstat.h"
#include "core/target/mappingprocesses.h"

#include "tests/core/target/regionsupport.h"
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

#include <csignal>
#include <fcntl.h>
#include <optional>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ct;
using namespace regionsupport;

class RegionListTest : public QObject {
    Q_OBJECT

    RuntimeFolder m_runtime;

    std::string newPath(const char *name) const { return m_runtime.newPath(name); }

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_runtime.use()); }

    void distinguishesOwnedFromFreeRegions()
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
            QVERIFY(info->hasExtension);
            QVERIFY(info->targets.empty());  // this process maps it, but as the engine
            QVERIFY(!deleteRegion(path));
        }
        QCOMPARE(find(path)->owner, 0);
        QVERIFY(deleteRegion(path));
        QVERIFY(!find(path));
    }

    void listsTheTargetsOfARegion()
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
        QVERIFY(process.waitForFinished(runner::kPatienceMs));
        QVERIFY(find(path)->targets.empty());
        QVERIFY(deleteRegion(path));
    }

    /// Its maps are empty, and its state is that of a zombie.
    void aTargetMayOutliveItsMainThread()
    {
        const std::string path = m_runtime.otherPath("mapped");
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
                ::syscall(SYS_exit, 0);  // ends this thread only, without a test's destructors
            ::_exit(1);
        }
        ::close(fd);
        QVERIFY(pid > 0);
        QTRY_COMPARE(ProcessStat::of(pid).state, 'Z');
        QVERIFY(processRuns(pid));
        QVERIFY(processMaps(pid, FileIdentity::of(path)));
        ::kill(pid, SIGKILL);
        QTRY_VERIFY(!processRuns(pid));
        QVERIFY(!processMaps(pid, FileIdentity::of(path)));
        ::waitpid(pid, nullptr, 0);
    }

    void recognisesFlightRecorders()
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
        QVERIFY(process.waitForFinished(runner::kPatienceMs));
        info = find(path.toStdString());
        QVERIFY(info->flightRecorder && info->targets.empty());
        QVERIFY(deleteRegion(info->path));
    }

    void omitsFilesThatAreNoRegion()
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
