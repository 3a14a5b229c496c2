// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A recording that is shown while it arrives on standard input, or while another process writes it.
#include "core/playback/fileloader.h"
#include "core/playback/inputspool.h"
#include "core/recording/read/recordingoverview.h"
#include "core/recording/read/recordingreader.h"
#include "core/session/recordingsdirectory.h"
#include "core/session/run.h"
#include "tests/support/filesizelimit.h"
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"
#include "tests/ui/guisupport.h"
#include "ui/actions.h"
#include "ui/dialogs/capturesettings.h"
#include "ui/format/followformat.h"
#include "ui/format/format.h"
#include "ui/format/theme.h"
#include "ui/mainwindow.h"
#include "ui/sampler.h"
#include "ui/timeline/timelineview.h"
#include "ui/widgets/infobar.h"

#include <QDir>
#include <QDirIterator>
#include <QLabel>
#include <QMessageBox>
#include <QProcess>

#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ct;

namespace {

using ct::test::kPatienceMs;
constexpr qsizetype kPartOfBlock = 100;  ///< bytes; less than a block

/// A pipe whose reading end is this process's standard input.
class InputPipe {
public:
    InputPipe()
    {
        int ends[2] = {-1, -1};
        if (pipe2(ends, O_CLOEXEC) != 0 || dup2(ends[0], STDIN_FILENO) != STDIN_FILENO)
            qFatal("no pipe");
        ::close(ends[0]);
        m_writing = ends[1];
    }
    ~InputPipe() { close(); }
    InputPipe(const InputPipe &) = delete;
    InputPipe &operator=(const InputPipe &) = delete;

    bool write(const QByteArray &bytes)
    {
        return ::write(m_writing, bytes.constData(), static_cast<std::size_t>(bytes.size())) == bytes.size();
    }
    void close()
    {
        if (m_writing >= 0)
            ::close(std::exchange(m_writing, -1));
    }

private:
    int m_writing = -1;
};

/// A batch run of ct_storm, with its summary.
class RecordingProcess {
public:
    RecordingProcess(const QString &directory, const QStringList &options, const QString &storm)
        : m_summary(directory + QStringLiteral("/summary.json"))
    {
        m_process.setProgram(gui::targetPath("corotracer-gui"));
        m_process.setArguments(QStringList{QStringLiteral("--batch"), QStringLiteral("--summary"), m_summary} +
                               options + QStringList{QStringLiteral("--"), gui::targetPath("ct_storm")} +
                               storm.split(u' '));
    }
    ~RecordingProcess()
    {
        m_process.kill();
        m_process.waitForFinished();
    }
    QProcess &process() { return m_process; }
    /// The storm ends in order.
    void endTarget()
    {
        const pid_t storm = runner::childOf(m_process);
        QVERIFY(storm > 0);
        QCOMPARE(::kill(storm, SIGTERM), 0);
    }
    bool wait() { return m_process.state() == QProcess::NotRunning || m_process.waitForFinished(kPatienceMs); }
    std::uint64_t sum(const char *name) const
    {
        return static_cast<std::uint64_t>(runner::integer(runner::objectIn(m_summary), name));
    }

private:
    const QString m_summary;
    QProcess m_process;
};

QString stateOf(const MainWindow &window)
{
    return window.findChild<QLabel *>(QStringLiteral("statusState"))->text();
}

QString noticeOf(const MainWindow &window)
{
    const auto *bar = window.findChild<InfoBar *>(QStringLiteral("noticeBar"));
    return bar->isHidden() ? QString() : bar->text();
}

StartRequest inputRequest()
{
    StartRequest request;
    request.what = InputRequest{};
    return request;
}

/// A window that shows a recording from a pipe.
struct PipedWindow {
    PipedWindow()
    {
        window.show();
        window.start(inputRequest());
    }
    InputPipe pipe;
    MainWindow window;
};

}  // namespace

class TestGrowingRecording : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        std::signal(SIGPIPE, SIG_IGN);
        // A recording to send in pieces.
        RecordingProcess recordingProcess(m_sandbox.path(QString()),
                                          {QStringLiteral("-o"), m_sandbox.path(QStringLiteral("whole.ctr"))},
                                          QStringLiteral("--transitions 60000 --rate 30000 --coroutines 20"));
        recordingProcess.process().start();
        QVERIFY(recordingProcess.wait());
        const QString whole = m_sandbox.path(QStringLiteral("whole.ctr"));
        m_whole = runner::readAll(whole);
        QVERIFY(m_whole.size() > 10'000);
        m_events = recordingProcess.sum("events");
        const Result<RecordingOverview> overview = overviewOf(whole.toStdString());
        QVERIFY(bool(overview));
        std::uint64_t events = 0;
        for (const RecordingOverview::Block &block : overview->blocks) {
            if (block.location.transitions == 0)
                continue;
            m_broken = m_whole.left(static_cast<qsizetype>(block.location.offset) + kPartOfBlock);
            m_brokenEvents = std::exchange(events, events + block.location.transitions);
        }
        QVERIFY(m_brokenEvents > 0 && m_brokenEvents < m_events);
    }

    void init()
    {
        QSettings().clear();
        m_cache = std::make_unique<QTemporaryDir>();
        qputenv("XDG_CACHE_HOME", m_cache->path().toLocal8Bit());
    }

    /// The pipeline that users run, but without ssh.
    void aPipeIsShownLive()
    {
        const QString fifo = m_sandbox.path(QStringLiteral("fifo"));
        QCOMPARE(mkfifo(qPrintable(fifo), 0600), 0);
        const int input = ::open(qPrintable(fifo), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        QCOMPARE(dup2(input, STDIN_FILENO), STDIN_FILENO);
        ::close(input);
        RecordingProcess sender(m_sandbox.path(QString()), {QStringLiteral("-o"), QStringLiteral("-")},
                                QStringLiteral("--seconds 600 --rate 30000 --coroutines 20"));
        sender.process().setStandardOutputFile(fifo);
        MainWindow window;
        window.show();
        window.start(inputRequest());
        QTRY_VERIFY(window.run().isGrowing());
        QCOMPARE(stateOf(window), QStringLiteral("Receiving"));
        sender.process().start();
        QTRY_VERIFY_WITH_TIMEOUT(window.run().accounting().captured > 0, kPatienceMs);
        QVERIFY(window.findChild<TimelineView *>()->followLive());
        QCOMPARE(window.run().state(), RunState::Capturing);
        QTRY_COMPARE(window.findChild<QLabel *>(QStringLiteral("statusBehind"))->text(), QStringLiteral("up to date"));
        gui::takePicture(&window, "live");
        sender.endTarget();
        QVERIFY(sender.wait());
        QCOMPARE(sender.process().exitCode(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QCOMPARE(window.run().accounting().captured, sender.sum("events"));
        QCOMPARE(window.run().accounting().lost, sender.sum("lost_events"));
        QTRY_COMPARE(stateOf(window), QStringLiteral("Recording; target exited with status 0"));
        QTRY_VERIFY(noticeOf(window).contains(QLatin1String("ended in order")));
        QTRY_VERIFY(window.findChild<QLabel *>(QStringLiteral("statusBehind"))->isHidden());
        gui::takePicture(&window, "ended");
        // The kept copy opens like any other recording.
        QCOMPARE(kept().size(), 1);
        window.openFile(kept().front());
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QVERIFY(!window.run().isGrowing());
        QCOMPARE(window.run().accounting().captured, sender.sum("events"));
    }

    /// The view is paused from the start. The run can still be replayed.
    void aStreamPausedFromTheStartCanBeReplayed()
    {
        PipedWindow piped;
        MainWindow &window = piped.window;
        window.findChild<QAction *>(QStringLiteral("actionPause"))->trigger();
        QVERIFY(piped.pipe.write(m_whole));
        piped.pipe.close();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QVERIFY(window.sampler().isPaused());
        auto *replay = window.findChild<QAction *>(QStringLiteral("actionReplay"));
        QTRY_VERIFY(replay->isEnabled());
        replay->trigger();
        // "0:00.0 / 0:03.1": the time since the start of the run, not since the machine was booted.
        const auto *time = window.findChild<QLabel *>(QStringLiteral("replayTime"));
        QTRY_VERIFY2(time->text().contains(QLatin1String(" / 0:")), qPrintable(time->text()));
    }

    /// Earlier streams are deleted to make room, like the recordings of other runs.
    void deletesOlderStreamsForSpace()
    {
        QSettings().setValue(QStringLiteral("capture/recordMiB"), CaptureSettings::kSmallestRecordMiB);
        QSettings().setValue(QStringLiteral("capture/recordTotalMiB"), CaptureSettings::kSmallestRecordMiB);
        QVERIFY(QDir().mkpath(recordingsDirectory()));
        const QString older = recordingsDirectory() + QStringLiteral("/2026-11-21T07.31.05-stdin.ctr");
        QFile file(older);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(m_whole) == m_whole.size());
        file.close();
        PipedWindow piped;
        QVERIFY(piped.pipe.write(m_whole));
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(older), kPatienceMs);
        piped.pipe.close();
        QTRY_COMPARE_WITH_TIMEOUT(piped.window.run().state(), RunState::Ended, kPatienceMs);
        QVERIFY(QFile::exists(QString::fromStdString(piped.window.run().recordingPath())));
        QCOMPARE(piped.window.run().accounting().captured, m_events);
    }

    void aBrokenStreamStaysVisible()
    {
        PipedWindow piped;
        auto &[pipe, window] = piped;
        // The beginning arrives byte by byte.
        for (int i = 0; i < 300; ++i)
            QVERIFY(pipe.write(m_whole.mid(i, 1)));
        QVERIFY(pipe.write(m_broken.mid(300)));
        QTRY_COMPARE(window.run().accounting().captured, m_brokenEvents);
        QCOMPARE(window.run().state(), RunState::Capturing);
        pipe.close();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QCOMPARE(window.run().accounting().captured, m_brokenEvents);
        // The exit status may be recorded before the last events.
        QTRY_VERIFY(stateOf(window).startsWith(QLatin1String("Recording, not completed")));
        QTRY_VERIFY(noticeOf(window).contains(QLatin1String("broke off")));
        // The notice is tall enough for its whole text.
        QLabel *notice = nullptr;
        for (auto *label : window.findChild<InfoBar *>(QStringLiteral("noticeBar"))->findChildren<QLabel *>())
            notice = label->wordWrap() ? label : notice;
        QTRY_VERIFY(notice->height() >= notice->heightForWidth(notice->width()));
        QCOMPARE(runner::readAll(kept().value(0)), m_broken);
        QVERIFY(!gui::topLevel<QMessageBox>("errorBox"));
        gui::takePicture(&window, "broken");
        applyTheme(Theme::Dark);
        gui::takePicture(&window, "broken-dark");
        applyTheme(Theme::Light);
    }

    /// The stream is damaged, and breaks off later. The notice reports both.
    void reportsDamageBeforeTheBreak()
    {
        PipedWindow piped;
        auto &[pipe, window] = piped;
        QByteArray harmed = m_whole.left(m_whole.size() * 9 / 10);
        harmed[m_whole.size() / 5] = static_cast<char>(harmed[m_whole.size() / 5] ^ 1);
        QVERIFY(pipe.write(harmed));
        pipe.close();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QTRY_VERIFY(noticeOf(window).contains(QLatin1String("broke off")));
        const QString said = noticeOf(window);
        QVERIFY2(said.contains(QLatin1String("were left out")), qPrintable(said));
        QVERIFY2(!said.contains(QLatin1String("Everything up to")), qPrintable(said));
    }

    void stopClosesTheInput()
    {
        PipedWindow piped;
        auto &[pipe, window] = piped;
        QVERIFY(pipe.write(m_whole.left(m_whole.size() / 2)));
        QTRY_VERIFY_WITH_TIMEOUT(window.run().accounting().captured > 0, kPatienceMs);
        auto *stop = window.findChild<QAction *>(QStringLiteral("actionStop"));
        QVERIFY(stop->isEnabled());
        stop->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QVERIFY(!pipe.write("x"));  // EPIPE
        QTRY_VERIFY(noticeOf(window).contains(QLatin1String("input was stopped")));
        QVERIFY(!stop->isEnabled());
        QCOMPARE(runner::readAll(kept().value(0)), m_whole.left(m_whole.size() / 2));
    }

    void quotesInputThatIsNoRecording_data()
    {
        QTest::addColumn<QByteArray>("sent");
        QTest::addColumn<QString>("named");
        QTest::newRow("text") << QByteArray("bash: corotracer-gui: command \x1b[31mnot found\nand more\n")
                              << QStringLiteral("\"bash: corotracer-gui: command \\x1b[31mnot found\"");
        QTest::newRow("short") << QByteArray("CTRE") << QStringLiteral("\"CTRE\"");
        QTest::newRow("binary") << QByteArray(5000, '\xff') << QString(120, QChar(0xFFFD)) + QChar(0x2026);
        QTest::newRow("nothing") << QByteArray() << QStringLiteral("ended before any data arrived");
    }
    void quotesInputThatIsNoRecording()
    {
        QFETCH(const QByteArray, sent);
        QFETCH(const QString, named);
        PipedWindow piped;
        auto &[pipe, window] = piped;
        QVERIFY(pipe.write(sent));
        pipe.close();
        QTRY_VERIFY_WITH_TIMEOUT(gui::topLevel<QMessageBox>("errorBox"), kPatienceMs);
        auto *box = gui::topLevel<QMessageBox>("errorBox");
        QVERIFY2(box->informativeText().contains(named), qPrintable(box->informativeText()));
        QVERIFY(box->informativeText().contains(QLatin1String("--batch -o -")));
        gui::takePicture(box, "garbage");
        box->close();
        QCOMPARE(window.run().state(), RunState::Ended);
        QVERIFY(kept().isEmpty());
    }

    void aFullDiskKeepsTheEventsThatFit()
    {
        PipedWindow piped;
        auto &[pipe, window] = piped;
        QVERIFY(pipe.write(m_whole.left(m_whole.size() / 2)));
        QTRY_VERIFY_WITH_TIMEOUT(window.run().accounting().captured > 0, kPatienceMs);
        {
            const test::FileSizeLimit full(static_cast<rlim_t>(m_whole.size() / 2 + 10));
            QVERIFY(pipe.write(m_whole.mid(m_whole.size() / 2, 2000)));
            QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        }
        QTRY_VERIFY(noticeOf(window).contains(QLatin1String("File too large")));
        QVERIFY(noticeOf(window).contains(QLatin1String("are shown")));
        QVERIFY(window.run().accounting().captured > 0);
        QVERIFY(!pipe.write("x"));
    }

    void reportsAnUnusableCacheDirectory()
    {
        qputenv("XDG_CACHE_HOME", "/dev/null/cache");
        PipedWindow piped;
        auto &[pipe, window] = piped;
        QTRY_VERIFY(gui::topLevel<QMessageBox>("errorBox"));
        auto *box = gui::topLevel<QMessageBox>("errorBox");
        QVERIFY2(box->informativeText().contains(QLatin1String("/dev/null/cache")), qPrintable(box->informativeText()));
        box->close();
        QVERIFY(!pipe.write("x"));  // EPIPE: the sender notices it
    }

    void followsAFileThatIsWritten_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("file");
        QTest::newRow("one file") << QStringList{} << QStringLiteral("run.ctr");
        QTest::newRow("rotated") << QStringList{QStringLiteral("--limit"), QStringLiteral("4s")}
                                 << QStringLiteral("run.0.ctr");
    }
    void followsAFileThatIsWritten()
    {
        QFETCH(const QStringList, options);
        QFETCH(const QString, file);
        const QTemporaryDir folder;
        RecordingProcess recordingProcess(
            folder.path(), QStringList{QStringLiteral("-o"), folder.filePath(QStringLiteral("run.ctr"))} + options,
            QStringLiteral("--seconds 600 --rate 30000 --coroutines 20"));
        recordingProcess.process().start();
        const QString path = folder.filePath(file);
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(path).size() > 0, kPatienceMs);
        MainWindow window;
        window.show();
        window.openFile(path);
        QTRY_VERIFY_WITH_TIMEOUT(window.run().isGrowing(), kPatienceMs);
        QTRY_COMPARE(stateOf(window), QStringLiteral("Following"));
        recordingProcess.endTarget();
        QVERIFY(recordingProcess.wait());
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QTRY_VERIFY(noticeOf(window).contains(QLatin1String("was completed")));
        QCOMPARE(window.run().accounting().captured, recordingProcess.sum("events"));
    }

    /// Runs both programs in a shell: once the window ends first, once the sender is killed.
    void eachEndOfAPipelineReportsItsStatus_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QByteArray>("statuses");
        const QString window = QStringLiteral("%1 -platform offscreen --input - --screenshot %2/a.png "
                                              "--screenshot-after %3")
                                   .arg(gui::targetPath("corotracer-gui"), m_sandbox.path(QString()));
        const QString sender = QStringLiteral("%1 --batch -o - -- %2 --transitions %3 --rate 30000 --coroutines 20")
                                   .arg(gui::targetPath("corotracer-gui"), gui::targetPath("ct_storm"));
        QTest::newRow("window ends") << QStringLiteral("%1 | %2").arg(sender.arg(900000), window.arg(1))
                                     << QByteArray("statuses 4 0");
        QTest::newRow("sender is killed")
            << QStringLiteral("(%1 & while kill -0 $! && ! find \"$XDG_CACHE_HOME\" -name '*.ctr' -size +16k | "
                              "grep -q .; do sleep 0.05; done; kill -9 $!; wait $!) | %2")
                   .arg(sender.arg(900000), window.arg(15))
            << QByteArray("statuses 137 0");
    }
    void eachEndOfAPipelineReportsItsStatus()
    {
        QFETCH(const QString, line);
        QFETCH(const QByteArray, statuses);
        QProcess shell;
        shell.start(QStringLiteral("bash"),
                    {QStringLiteral("-c"), line + QStringLiteral("; echo statuses ${PIPESTATUS[@]}")});
        QVERIFY(shell.waitForFinished(kPatienceMs));
        const QByteArray said = shell.readAllStandardError();
        QVERIFY2(shell.readAllStandardOutput().contains(statuses), said.constData());
        QCOMPARE(said.contains("standard output: Broken pipe"), statuses.contains("4"));
        QVERIFY(QFile::exists(m_sandbox.path(QStringLiteral("a.png"))));
        QCOMPARE(kept().size(), 1);
        auto reader = RecordingReader::open(kept().front().toStdString());
        QVERIFY(reader);
        Batch batch;
        for (Result<bool> more = true; more && *more;)
            more = (*reader)->next(batch);
        if (statuses.contains("137"))
            cleanUpAfter((*reader)->info());
    }

    void formatsTheDelayOfAFollower()
    {
        FileGrowth::Figures figures{true, true, 5000, 5000, 10'000'000'000, 1'000'000'000};
        QVERIFY(format::behind({}, 0, 1).text.isEmpty());
        RunLag lag{999'999'999, 5'000'000'000, 1, 0.9};
        QVERIFY(format::behind(lag).text.isEmpty());
        lag.behindNs = 2'500'000'000;
        QVERIFY(format::behind(lag).text.endsWith(QStringLiteral(" behind the target")));
        QVERIFY(format::behind(lag).alert);
        lag.memoryFill = 0.5;
        QVERIFY(!format::behind(lag).alert);
        QCOMPARE(format::behind(figures, 1, 2'000'000'000).text, QStringLiteral("up to date"));
        const format::Behind silent = format::behind(figures, 1, 13'400'000'000);
        QCOMPARE(silent.text, QStringLiteral("nothing received for 12\u00a0s"));
        QVERIFY(silent.alert);
        figures.waiting = false;
        figures.bytes = 5000 + (3U << 20);
        const format::Behind late = format::behind(figures, 8'600'000'000, 2'000'000'000);
        QCOMPARE(late.text, format::bytes(3U << 20) + QStringLiteral(" and ") + format::duration(1'400'000'000) +
                                QStringLiteral(" behind"));
        QVERIFY(!late.alert);
    }

private:
    /// Kills the target and removes the region and the socket that a killed sender left.
    static void cleanUpAfter(const RecordingInfo &info)
    {
        QVERIFY(!info.processes.empty() && info.processes.front().executable.ends_with("/ct_storm"));
        const auto target = static_cast<pid_t>(info.processes.front().pid);
        QVERIFY(target > 0);
        ::kill(target, SIGKILL);
        for (const char *variable : {"CTP_SHM_PATH", "CTP_SOCK_PATH"})
            QVERIFY(QFile::remove(QString::fromStdString(info.environment.at(variable))));
    }

    /// The recordings that were kept of standard input.
    QStringList kept() const
    {
        QStringList found;
        QDirIterator files(m_cache->path(), {QStringLiteral("*-stdin*.ctr")}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext())
            found << files.next();
        return found;
    }

    gui::Sandbox m_sandbox;
    std::unique_ptr<QTemporaryDir> m_cache;
    QByteArray m_whole;
    QByteArray m_broken;  ///< the beginning of m_whole, up to kPartOfBlock bytes of its last block with events
    std::uint64_t m_brokenEvents = 0;  ///< number of events in the whole blocks of m_broken
    std::uint64_t m_events = 0;
};

CT_QT_SUITE(TestGrowingRecording)
#include "tst_growingrecording.moc"
