// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A batch run in its environment: standard streams, limits, descriptors, file names, and printed text.
#include "core/playback/inputspool.h"
#include "core/target/printabletext.h"
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using runner::Batch;

namespace {

constexpr int kPeers = 40;

struct ShellRun {
    int exitCode = -1;
    QByteArray out;
    QByteArray err;
};

/// Runs a shell line, where ENGINE stands for the program with --batch. Regions and files are made in `directory`.
ShellRun inShell(const char *line, const QString &directory = QDir::tempPath())
{
    QProcess shell;
    shell.setWorkingDirectory(directory);
    const QString engine = runner::binary("corotracer-gui") + QStringLiteral(" --batch");
    shell.start(QStringLiteral("/bin/sh"),
                {QStringLiteral("-c"), QString::fromUtf8(line).replace(QLatin1String("ENGINE"), engine)});
    if (!shell.waitForFinished(runner::kPatienceMs))
        return {};
    return {shell.exitCode(), shell.readAllStandardOutput(), shell.readAllStandardError()};
}

qsizetype descriptorsOf(qint64 pid)
{
    return QDir(QStringLiteral("/proc/%1/fd").arg(pid))
        .entryList(QDir::System | QDir::Files | QDir::NoDotAndDotDot)
        .size();
}

void limitFiles(qint64 pid, rlim_t soft)
{
    rlimit limit{};
    QVERIFY(::prlimit(static_cast<pid_t>(pid), RLIMIT_NOFILE, nullptr, &limit) == 0);
    limit.rlim_cur = std::min(soft, limit.rlim_max);
    QVERIFY(::prlimit(static_cast<pid_t>(pid), RLIMIT_NOFILE, &limit, nullptr) == 0);
}

/// Programs that connect to the engine's socket.
class Peers {
public:
    ~Peers()
    {
        for (const int fd : m_fds)
            ::close(fd);
    }
    void connectAll(const QByteArray &path)
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.constData(), sizeof address.sun_path - 1);
        for (int i = 0; i < kPeers; ++i) {
            m_fds.push_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
            QVERIFY(::connect(m_fds.back(), reinterpret_cast<sockaddr *>(&address), sizeof address) == 0);
        }
    }
    bool canAllWrite() const
    {
        return std::all_of(m_fds.begin(), m_fds.end(), [](int fd) { return ::send(fd, "1", 1, MSG_NOSIGNAL) == 1; });
    }

private:
    std::vector<int> m_fds;
};

}  // namespace

class BatchSystemTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void closedStandardOutputIsAnError_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("recording") << QByteArray("ENGINE -o - -- true >&-");
        QTest::newRow("summary") << QByteArray("ENGINE --summary - -- true >&-");
        QTest::newRow("recording, all closed") << QByteArray("ENGINE -o - -- true <&- >&- 2>&-");
        QTest::newRow("summary, all closed") << QByteArray("ENGINE --summary - -- true <&- >&- 2>&-");
        QTest::newRow("open for reading only") << QByteArray("ENGINE --summary - -- true 1< /dev/null");
        QTest::newRow("help") << QByteArray("ENGINE --help >&-");
        QTest::newRow("version") << QByteArray("ENGINE --version >&-");
        QTest::newRow("help on a full device") << QByteArray("ENGINE --help > /dev/full");
        QTest::newRow("summary on a full device") << QByteArray("ENGINE --summary - -- true > /dev/full");
        QTest::newRow("recording on a full device") << QByteArray("ENGINE -o - -- true > /dev/full");
    }
    void closedStandardOutputIsAnError()
    {
        QFETCH(QByteArray, line);
        const ShellRun run = inShell(line.constData());
        QVERIFY2(run.exitCode == 4, run.err.constData());
        QVERIFY(line.contains("2>&-") || run.err.contains("standard output"));
    }

    /// A summary to standard input is an error. It would be lost if that descriptor was closed.
    void standardInputIsNoOutput_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("descriptor, closed") << QByteArray("ENGINE --summary /dev/fd/0 -- true <&-");
        QTest::newRow("descriptor of the process, closed")
            << QByteArray("ENGINE --summary /proc/self/fd/0 -- true <&-");
        QTest::newRow("name, closed") << QByteArray("ENGINE --summary /dev/stdin -- true <&-");
        QTest::newRow("descriptor") << QByteArray("ENGINE --summary /dev/fd/0 -- true < /dev/null");
    }
    void standardInputIsNoOutput()
    {
        QFETCH(QByteArray, line);
        const ShellRun run = inShell(line.constData());
        QVERIFY2(run.exitCode == 4, run.err.constData());
        QVERIFY2(run.err.contains("is standard input and cannot be written"), run.err.constData());
    }

    void aClosedSummaryPipeIsAnError()
    {
        const QTemporaryDir directory;
        const ShellRun run = inShell("{ ENGINE --summary - --cmd 'until [ -e closed ]; do sleep 0.01; done';"
                                     "  echo status $? >&2; } | { exec 0<&-; : > closed; }",
                                     directory.path());
        QVERIFY2(run.err.contains("status 4"), run.err.constData());
    }

    /// With standard error closed, no output file gets its descriptor number, so no message is written into one.
    void closedStandardErrorDamagesNothing()
    {
        QTemporaryDir directory;
        const ShellRun run = inShell("ENGINE -o run.jsonl --summary sum.json --cmd 'exit 3' 2>&-", directory.path());
        QCOMPARE(run.exitCode, 3);
        QVERIFY(!runner::objectIn(directory.filePath(QStringLiteral("sum.json"))).isEmpty());
        QCOMPARE(runner::readAll(directory.filePath(QStringLiteral("run.jsonl"))), QByteArray());
    }

    /// The target inherits the standard streams that the program got, closed ones included.
    void targetsInheritClosedStreams()
    {
        QCOMPARE(inShell("ENGINE --cmd 'echo hi || exit 9' >&-").exitCode, 9);
        QCOMPARE(inShell("ENGINE --cmd 'read line 2>&1 && exit 1; exit 9' <&-").exitCode, 9);
    }

    void closedStandardInputIsAnError()
    {
        const int saved = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
        const int useless = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        ::dup2(useless, STDIN_FILENO);
        const auto input = ct::InputSpool::detachStandardInput();
        if (saved >= 0)
            ::dup2(saved, STDIN_FILENO);
        ::close(useless);
        ::close(saved);
        QVERIFY(!input);
        QVERIFY(input.error().message.find("standard input cannot be read") == 0);
    }

    /// The engine raises its own descriptor limit and ignores SIGXFSZ. Its target inherits neither.
    void targetsDoNotInheritLimitsOfTheEngine()
    {
        const ShellRun files = inShell("ulimit -S -n 200; ENGINE --cmd 'ulimit -S -n; "
                                       "sed -n s/Max.open.files//p /proc/$PPID/limits'");
        const QList<QByteArray> lines = files.out.trimmed().split('\n');
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines[0], QByteArray("200"));
        QVERIFY2(lines[1].simplified().split(' ').value(0).toLongLong() > 200, files.out.constData());
        QCOMPARE(inShell("ENGINE --cmd 'kill -XFSZ $$; exit 0'").exitCode, 128 + SIGXFSZ);
        QCOMPARE(inShell("trap '' XFSZ; ENGINE --cmd 'kill -XFSZ $$; exit 7'").exitCode, 7);
    }

    void aRegionBeyondTheFileSizeLimitIsRefused()
    {
        QTemporaryDir directory;
        const ShellRun run = inShell("ulimit -f 1000; ENGINE --shm ./r.shm -- true", directory.path());
        QCOMPARE(run.exitCode, 3);
        QVERIFY2(run.err.contains("ulimit -f"), run.err.constData());
        QVERIFY(QDir(directory.path()).isEmpty());
    }

    /// Connections without a free descriptor wait, and are accepted when there is one again.
    void connectionsSurviveAFullDescriptorTable()
    {
        if (ct::test::kAddressSanitizer)
            CT_QSKIP("the sanitizer's own checks need a descriptor");
        QTemporaryDir directory;
        const QString socket = directory.filePath(QStringLiteral("s"));
        Batch batch({QStringLiteral("--sock"), socket}, {QStringLiteral("--listen")});
        QVERIFY(batch.start());
        QVERIFY(batch.waitForError("waiting for a target"));
        const qint64 pid = batch.process().processId();
        const qsizetype before = descriptorsOf(pid);
        limitFiles(pid, static_cast<rlim_t>(before + 3));
        Peers peers;
        peers.connectAll(socket.toUtf8());
        QVERIFY2(batch.waitForError("ulimit -n"), batch.err().constData());
        QVERIFY(peers.canAllWrite());
        limitFiles(pid, 4096);
        QTRY_VERIFY_WITH_TIMEOUT(descriptorsOf(pid) >= before + kPeers, runner::kPatienceMs);
        QVERIFY(peers.canAllWrite());
        QCOMPARE(batch.err().count("ulimit -n"), 1);
        batch.signal(SIGINT);
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 0);
        QVERIFY(!QFile::exists(socket));
    }

    /// A file that another program has put under the name of ours stays.
    void keepsFilesThatReplacedRegionOrSocket_data()
    {
        QTest::addColumn<QString>("variable");
        QTest::newRow("socket") << "CTP_SOCK_PATH";
        QTest::newRow("region") << "CTP_SHM_PATH";
        QTest::newRow("socket of the region") << "CTP_SHM_PATH.sock";
    }
    void keepsFilesThatReplacedRegionOrSocket()
    {
        QFETCH(QString, variable);
        QTemporaryDir directory;
        const QString region = directory.filePath(QStringLiteral("r.shm"));
        const QString socket = directory.filePath(QStringLiteral("s"));
        const bool isRegion = variable == QLatin1String("CTP_SHM_PATH");
        const QString path = isRegion                                     ? region
                             : variable == QLatin1String("CTP_SOCK_PATH") ? socket
                                                                          : region + QStringLiteral(".sock");
        Batch batch({QStringLiteral("--shm"), region, QStringLiteral("--sock"), socket},
                    {QStringLiteral("--cmd"), QStringLiteral("rm -f %1; echo mine > %1").arg(path)});
        QCOMPARE(batch.run(), 0);
        QCOMPARE(runner::readAll(path), QByteArray("mine\n"));
        QVERIFY(isRegion || !QFile::exists(region));
    }

    /// By then another engine listens under this name.
    void keepsTheSocketOfAnotherEngine()
    {
        QTemporaryDir directory;
        const QString socket = directory.filePath(QStringLiteral("s"));
        const auto options = [&](const char *region) {
            return QStringList{QStringLiteral("--sock"), socket, QStringLiteral("--shm"),
                               directory.filePath(QLatin1String(region))};
        };
        Batch first(options("a.shm"), {QStringLiteral("--listen")});
        QVERIFY(first.start() && first.waitForError("waiting for a target"));
        QVERIFY(QFile::remove(socket));
        Batch second(options("b.shm"), {QStringLiteral("--listen")});
        QVERIFY(second.start() && second.waitForError("waiting for a target"));
        first.signal(SIGINT);
        QVERIFY(first.wait());
        QVERIFY(QFile::exists(socket));
        second.signal(SIGINT);
        QVERIFY(second.wait());
        QVERIFY(!QFile::exists(socket));
    }

    void printedTextIsEscaped_data()
    {
        QTest::addColumn<QByteArray>("line");
        const char *const name = "\"$(printf 'a\\033]0;owned\\007\\033[2J\\302\\233\\342\\200\\256b\\nc\\377')\"";
        for (const char *line :
             {"ENGINE -- ./%", "ENGINE -o /nowhere/%.csv -- true", "ENGINE --nothing=%", "ENGINE --attach ./%",
              "ENGINE --shm ./% -- false; ENGINE --shm /nowhere/% -- true", "ENGINE --summary /nowhere/% -- true"})
            QTest::newRow(line) << QByteArray(line).replace('%', name);
    }
    void printedTextIsEscaped()
    {
        QFETCH(QByteArray, line);
        QTemporaryDir directory;
        const ShellRun run = inShell(line.constData(), directory.path());
        QVERIFY(run.exitCode != 0);
        QVERIFY2(run.err.contains("a\\x1b]0;owned\\x07\\x1b[2J\\u009b\\u202eb\\nc"), run.err.constData());
        for (const char byte : run.err)
            QVERIFY((byte >= ' ' || byte < 0 || byte == '\n') && byte != 0x7F);
        QVERIFY(!run.err.contains("\xC2\x9B") && !run.err.contains("\xE2\x80\xAE"));
        QVERIFY(QString::fromUtf8(run.err).toUtf8() == run.err);
    }

    void escapesUnprintableText()
    {
        QCOMPARE(ct::printable(std::string("plain text")), QStringLiteral("plain text"));
        const QString shown = QStringLiteral("ärger 日本 😀 \\ é");
        QCOMPARE(ct::printable(shown), shown);
        QCOMPARE(ct::printable(std::string("\t\r\n\x1b\x7f")), QStringLiteral("\\t\\r\\n\\x1b\\x7f"));
        QCOMPARE(ct::printable(std::string("a\0b", 3)), QStringLiteral("a\\x00b"));
        QCOMPARE(ct::printable(QString(QChar(0x85)) + QChar(0x2066) + QChar(0xFEFF) + QChar(0x2028)),
                 QStringLiteral("\\u0085\\u2066\\ufeff\\u2028"));
        // Joiners belong to the spelling of scripts and emoji. The Arabic letter mark changes directions.
        const QString joined = QStringLiteral("می\u200cخواهم 👨\u200d👩");
        QCOMPARE(ct::printable(joined), joined);
        QCOMPARE(ct::printable(QString(QChar(0x061C)) + QChar(0x200F)), QStringLiteral("\\u061c\\u200f"));
        QCOMPARE(ct::printable(QString(QChar(0xD800))), QStringLiteral("\\ud800"));
        QCOMPARE(ct::printable(std::string("\xF3\xA0\x80\x81")), QStringLiteral("\\U000e0001"));
        QCOMPARE(ct::printable(std::string("\xFFx")), QString(QChar(0xFFFD)) + u'x');
    }
};

CT_QT_SUITE(BatchSystemTest)
#include "tst_batchsystem.moc"
