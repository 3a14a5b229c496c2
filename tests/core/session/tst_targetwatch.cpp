// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Version-1 programs have no entries in the process table. The session still reports when each process comes and goes.
#include "core/session/session.h"
#include "core/target/targetwatch.h"
#include "core/trace/population.h"

#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

#include <fcntl.h>
#include <set>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ct;

namespace {

const QStringList kEndless =
    QStringLiteral("--coroutines 5 --threads 1 --transitions 1000000000 --pace 500").split(QLatin1Char(' '));
const QStringList kBrief = QStringLiteral("--coroutines 5 --threads 1 --transitions 20").split(QLatin1Char(' '));

QProcessEnvironment environmentOf(const QString &region, const QString &socket)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("CTP_SHM_PATH"), region);
    environment.insert(QStringLiteral("CTP_SOCK_PATH"), socket);
    environment.insert(QStringLiteral("CTP_MAX_STATIONS"), QStringLiteral("4096"));
    return environment;
}

struct Listening {
    QTemporaryDir directory;
    Session session;
    QSignalSpy seen{&session, &Session::targetDiscovered};
    QSignalSpy gone{&session, &Session::targetEnded};

    bool begin()
    {
        CaptureSpec capture;
        capture.stations = 4096;
        capture.regionPath = directory.filePath(QStringLiteral("r.shm")).toStdString();
        return bool(session.start({ListenRequest{}, capture}));
    }
    void start(QProcess &process, const QStringList &arguments) const
    {
        process.setProcessEnvironment(environmentOf(session.regionPath(), session.socketPath()));
        process.start(runner::binary("ct_oldsdk"), arguments);
    }
    static bool reported(const QSignalSpy &spy, qint64 pid)
    {
        return std::any_of(spy.begin(), spy.end(),
                           [pid](const QList<QVariant> &arguments) { return arguments.first().toLongLong() == pid; });
    }
};

/// Connects and stays until it is killed, but maps nothing. Forked before the region exists, because the child would
/// inherit a mapping until its exec.
class Stranger {
public:
    Stranger()
    {
        if (pipe2(m_path, O_CLOEXEC) != 0)
            qFatal("no pipe");
        m_pid = fork();
        if (m_pid < 0)
            qFatal("no process");
        if (m_pid == 0)
            run();
        ::close(m_path[0]);
    }
    ~Stranger()
    {
        ::close(m_path[1]);
        kill(m_pid, SIGKILL);
        waitpid(m_pid, nullptr, 0);
    }
    void connectTo(const QString &path) const
    {
        const QByteArray text = path.toLocal8Bit();
        QCOMPARE(::write(m_path[1], text.constData(), size_t(text.size())), text.size());
    }
    pid_t pid() const { return m_pid; }

private:
    [[noreturn]] void run() const
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (::read(m_path[0], address.sun_path, sizeof address.sun_path - 1) > 0 &&
            connect(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
            execlp("sleep", "sleep", "1000", nullptr);
        _exit(1);
    }

    int m_path[2] = {-1, -1};
    pid_t m_pid = -1;
};

/// Maps a file until it is killed. Stays a zombie until the end of its parent's Mapper.
class Mapper {
public:
    explicit Mapper(const QString &path)
    {
        m_pid = fork();
        if (m_pid != 0)
            return;
        const int fd = open(path.toLocal8Bit().constData(), O_RDWR | O_CLOEXEC);
        if (mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED) {
            for (;;)
                pause();
        }
        _exit(1);
    }
    ~Mapper()
    {
        kill(m_pid, SIGKILL);
        waitpid(m_pid, nullptr, 0);
    }
    Mapper(const Mapper &) = delete;
    Mapper &operator=(const Mapper &) = delete;
    pid_t pid() const { return m_pid; }

private:
    pid_t m_pid = -1;
};

}  // namespace

class TargetWatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reportsEveryTarget()
    {
        Listening listening;
        QVERIFY(listening.begin());
        QProcess first;
        QProcess second;
        listening.start(first, kEndless);
        QTRY_COMPARE(listening.seen.size(), 1);
        listening.start(second, kEndless);
        QTRY_COMPARE(listening.seen.size(), 2);
        QTRY_COMPARE(listening.session.state(), RunState::Capturing);
        QVERIFY(listening.reported(listening.seen, first.processId()) &&
                listening.reported(listening.seen, second.processId()));
        QCOMPARE(listening.session.targetPids().size(), 2U);
        for (QProcess *process : {&second, &first}) {
            const qint64 pid = process->processId();
            QVERIFY(!listening.reported(listening.gone, pid));
            process->kill();
            QTRY_VERIFY(listening.reported(listening.gone, pid));
        }
        QCOMPARE(listening.gone.size(), 2);
        QVERIFY(listening.session.targetPids().empty());
        QCOMPARE(listening.session.state(), RunState::Capturing);  // another target may come
    }

    /// A process may have ended before the session searches for it.
    void reportsTargetsThatEndSoon()
    {
        Listening listening;
        QVERIFY(listening.begin());
        QProcess stays;
        listening.start(stays, kEndless);
        QTRY_COMPARE(listening.seen.size(), 1);
        std::set<qint64> pids;
        for (int i = 0; i < 5; ++i) {
            QProcess brief;
            listening.start(brief, kBrief);
            QVERIFY(brief.waitForStarted());
            pids.insert(brief.processId());
            QVERIFY(brief.waitForFinished(runner::kPatienceMs));
        }
        QTRY_COMPARE(listening.gone.size(), 5);
        QCOMPARE(listening.seen.size(), 6);
        for (const qint64 pid : pids)
            QVERIFY(listening.reported(listening.seen, pid) && listening.reported(listening.gone, pid));
        QCOMPARE(listening.session.targetPids(), std::vector<pid_t>{static_cast<pid_t>(stays.processId())});
        stays.kill();
        QTRY_COMPARE(listening.gone.size(), 6);
    }

    /// A process that does not connect is found by searching.
    void reportsTargetsThatDoNotConnect()
    {
        Listening listening;
        QVERIFY(listening.begin());
        QProcess process;
        listening.start(process, kEndless + QStringList(QStringLiteral("--no-socket")));
        QTRY_COMPARE(listening.seen.size(), 1);
        process.kill();
        QTRY_COMPARE(listening.gone.size(), 1);
    }

    /// A killed process keeps its pid until its parent calls waitpid(). Its end is reported before that.
    void reportsTheEndOfAZombie()
    {
        Listening listening;
        QVERIFY(listening.begin());
        const QByteArray program = runner::binary("ct_oldsdk").toLocal8Bit();
        const QByteArray region = listening.session.regionPath().toLocal8Bit();
        const QByteArray socket = listening.session.socketPath().toLocal8Bit();
        const pid_t pid = fork();
        if (pid == 0) {
            setenv("CTP_SHM_PATH", region.constData(), 1);
            setenv("CTP_SOCK_PATH", socket.constData(), 1);
            setenv("CTP_MAX_STATIONS", "4096", 1);
            execl(program.constData(), program.constData(), "--coroutines", "5", "--threads", "1", "--transitions",
                  "1000000000", "--pace", "500", "--no-socket", nullptr);
            _exit(1);
        }
        QTRY_VERIFY(listening.reported(listening.seen, pid));
        kill(pid, SIGKILL);
        QTRY_VERIFY(listening.reported(listening.gone, pid));
        waitpid(pid, nullptr, 0);
    }

    /// A check that finds the size of a process unchanged does not read its mappings. A zombie has none.
    void reportsTheEndOfAZombieThatWasCheckedBefore()
    {
        QTemporaryDir directory;
        QFile file(directory.filePath(QStringLiteral("mapped")));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.resize(4096));
        const FileIdentity identity = FileIdentity::of(file.fileName().toStdString());
        const Mapper first(file.fileName());
        const Mapper second(file.fileName());
        QTRY_VERIFY(processMaps(first.pid(), identity) && processMaps(second.pid(), identity));
        TargetWatch watch(identity);
        const QSignalSpy gone(&watch, &TargetWatch::gone);
        watch.start({first.pid(), second.pid()});
        kill(first.pid(), SIGKILL);
        QTRY_COMPARE(gone.size(), 1);  // one check reads the mappings of both
        kill(second.pid(), SIGKILL);
        QTRY_COMPARE(gone.size(), 2);
        QVERIFY(watch.pids().empty());
    }

    /// Connects as another engine does to check for a listener.
    void ignoresProcessesThatOnlyConnect()
    {
        auto stranger = std::make_unique<Stranger>();
        Listening listening;
        QVERIFY(listening.begin());
        QProcess process;
        stranger->connectTo(listening.session.socketPath());
        const auto isSleeping = [&stranger] {
            return runner::readAll(QStringLiteral("/proc/%1/comm").arg(stranger->pid())) == "sleep\n";
        };
        QTRY_VERIFY(isSleeping());
        listening.start(process, kEndless);
        QTRY_VERIFY(listening.reported(listening.seen, process.processId()));
        QVERIFY(!listening.reported(listening.seen, stranger->pid()));
        stranger.reset();
        const qint64 pid = process.processId();
        process.kill();
        QTRY_VERIFY(listening.reported(listening.gone, pid));
        QCOMPARE(listening.seen.size(), 1);
        QCOMPARE(listening.gone.size(), 1);
    }

    /// An attached session ends when the last process has ended.
    void anAttachedSessionEndsWithTheLastTarget()
    {
        Listening listening;
        QVERIFY(listening.begin());
        QProcess first;
        QProcess second;
        listening.start(first, kEndless);
        listening.start(second, kEndless);
        QTRY_COMPARE(listening.session.targetPids().size(), 2U);
        QSignalSpy ended(&listening.session, &Session::ended);
        listening.session.stop();
        QTRY_COMPARE(ended.size(), 1);
        Session attached;
        QSignalSpy gone(&attached, &Session::targetEnded);
        QSignalSpy over(&attached, &Session::ended);
        QVERIFY(attached.start({AttachRequest{listening.session.regionPath().toStdString()}, {}}));
        QCOMPARE(attached.targetPids().size(), 2U);
        first.kill();
        QTRY_COMPARE(gone.size(), 1);
        QTRY_COMPARE(attached.state(), RunState::Capturing);
        second.kill();
        QTRY_COMPARE(gone.size(), 2);
        QTRY_COMPARE(over.size(), 1);
        QCOMPARE(attached.endReason(), EndReason::TargetExited);
    }

    void everyDeathIsDumped()
    {
        runner::Batch batch(QStringLiteral("--keep 60s --dump-on death --listen").split(QLatin1Char(' ')));
        batch.process().setArguments(
            QStringList{QStringLiteral("-o"), batch.path("run.jsonl"), QStringLiteral("--shm"), batch.path("r.shm")} +
            batch.process().arguments());
        QVERIFY(batch.start());
        QVERIFY(batch.waitForError("CTP_SHM_PATH="));
        QProcess processes[3];
        for (QProcess &process : processes) {
            process.setProcessEnvironment(environmentOf(batch.path("r.shm"), batch.path("r.shm.sock")));
            process.start(runner::binary("ct_oldsdk"), kEndless);
            QVERIFY(process.waitForStarted());
            const QString maps = QStringLiteral("/proc/%1/maps").arg(process.processId());
            QTRY_VERIFY(runner::readAll(maps).contains("r.shm"));
        }
        for (QProcess &process : processes) {
            const QByteArray line = "process " + QByteArray::number(process.processId()) + " has ended: wrote ";
            process.kill();
            QVERIFY2(batch.waitForError(line), batch.err().constData());
        }
        batch.signal(SIGTERM);
        QVERIFY(batch.wait());
        QCOMPARE(batch.summary().value(QLatin1String("dumps")).toArray().size(), 3);
    }
};

CT_QT_SUITE(TargetWatchTest)
#include "tst_targetwatch.moc"
