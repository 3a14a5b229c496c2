// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The recordings that runs of a window leave on the disk: by default, without events, on a full disk, and when the
// window ends before its target.
#include "core/recording/read/recordingreader.h"
#include "core/recording/read/segments.h"
#include "core/recording/write/fileclaim.h"
#include "core/session/run.h"
#include "tests/support/privatetmpfs.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/dialogs/capturesettings.h"
#include "ui/docks/capturedock.h"
#include "ui/mainwindow.h"
#include "ui/widgets/infobar.h"

#include <QDir>
#include <QLabel>
#include <QProcess>

#include <csignal>

using namespace ct;

namespace {

using ct::test::kPatienceMs;
constexpr std::uint64_t kSmall = 64ULL << 10;

StartRequest launchOf(const QString &line)
{
    LaunchSpec spec;
    for (const QString &word : line.split(u' '))
        spec.argv.push_back(word.toStdString());
    StartRequest request;
    request.what = spec;
    return request;
}

/// A launch of ct_storm with 50 coroutines.
StartRequest storm(const QString &more)
{
    return launchOf(gui::targetPath("ct_storm") + QStringLiteral(" --coroutines 50 ") + more);
}

QStringList files(const QString &directory)
{
    return QDir(directory).entryList(QDir::Files, QDir::Name);
}

struct Read {
    std::uint64_t transitions = 0;
    QByteArray output;
    RecordingInfo info;
    Accounting sums;
    bool ended = false;
    QString error;
};

Read read(const std::string &path)
{
    Read result;
    const auto reader = RecordingReader::open(
        path, [&result](const ctr::OutputPiece &piece) { result.output += QByteArray::fromStdString(piece.bytes); });
    if (!reader) {
        result.error = QString::fromStdString(reader.error().message);
        return result;
    }
    Batch batch;
    for (;;) {
        const Result<bool> more = (*reader)->next(batch);
        result.transitions += batch.transitions.size();
        if (!more)
            result.error = QString::fromStdString(more.error().message);
        if (!more || !*more)
            break;
    }
    result.info = (*reader)->info();
    result.sums = (*reader)->accounting();
    result.ended = (*reader)->hasEnded();
    return result;
}

/// Mounted before Qt starts threads, because a mount namespace is per thread. Targets inherit it.
std::optional<smalltmpfs::Tmpfs> g_small;

QString smallDirectory()
{
    return QString::fromStdString(*g_small->path());
}

}  // namespace

class TestRecordedWindow : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        QSettings().clear();
        m_cache.emplace();
        qputenv("XDG_CACHE_HOME", QFile::encodeName(m_cache->path()));
    }
    void cleanup() { m_cache.reset(); }

    void everyRunIsRecorded()
    {
        MainWindow window;
        window.start(storm(QStringLiteral("--transitions 200000")));
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        const std::string path = window.run().recordingPath();
        QVERIFY(QString::fromStdString(path).startsWith(recordingsDirectory() + u'/'));
        QVERIFY(path.ends_with("-ct_storm.ctr"));
        QCOMPARE(files(recordingsDirectory()).size(), 1);
        QVERIFY(recordingsDirectory().startsWith(m_cache->path()));
        const Read kept = read(ctr::segmentPath(path, 0));
        QCOMPARE(kept.error, QString());
        QVERIFY(kept.ended);
        const Accounting sums = window.run().accounting();
        QVERIFY(sums.captured > 1000);
        QCOMPARE(kept.transitions, sums.captured);
        QCOMPARE(kept.sums.lost, sums.lost);
        QCOMPARE(kept.info.command.front(), gui::targetPath("ct_storm").toStdString());
        QVERIFY(kept.info.exit && kept.info.exit->status == 0U);
        // Only the owner may access the folder.
        QCOMPARE(QFile::permissions(recordingsDirectory()) & (QFile::ReadGroup | QFile::ReadOther | QFile::ExeOther),
                 QFile::Permissions());
    }

    void anOpenedRecordingStatesTheObserverEffect()
    {
        // A gauge shows its value while its dock is visible.
        const auto show = [](MainWindow &window) {
            window.resize(1500, 900);
            window.show();
            auto *const dock = window.findChild<CaptureDock *>();
            dock->show();
            dock->raise();
        };
        const auto effectIn = [](const MainWindow &window) {
            const auto *const label = window.findChild<QLabel *>(QStringLiteral("gaugeEffect"));
            return label->isVisible() ? label->text() : QString();
        };
        MainWindow window;
        show(window);
        window.start(storm(QStringLiteral("--transitions 200000")));
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        const Accounting live = window.run().accounting();
        QVERIFY(live.observerEffect() > 0);
        QTRY_VERIFY(effectIn(window).endsWith(QLatin1String(" %")));
        MainWindow opened;
        show(opened);
        opened.openFile(QString::fromStdString(ctr::segmentPath(window.run().recordingPath(), 0)));
        QTRY_COMPARE_WITH_TIMEOUT(opened.run().state(), RunState::Ended, kPatienceMs);
        QCOMPARE(opened.run().accounting().targetCpuNs, live.targetCpuNs);
        QTRY_COMPARE(effectIn(opened), effectIn(window));
        gui::takePicture(&opened, "opened-effect");
    }

    /// A recording that was cut off between two blocks has no damage, but no end either.
    void aRecordingWithoutItsEndIsAPart()
    {
        QFile whole(QString::fromStdString(test::kSourceDir) +
                    QStringLiteral("/tests/corpus/recordings/causes/await-cycle.ctr"));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray content = whole.readAll();
        QFile cut(m_cache->filePath(QStringLiteral("cut.ctr")));
        QVERIFY(cut.open(QIODevice::WriteOnly) && cut.write(content.left(content.lastIndexOf("ctBk"))) > 0);
        cut.close();
        MainWindow window;
        for (const auto &[path, isPart] : {std::pair(cut.fileName(), true), std::pair(whole.fileName(), false)}) {
            window.openFile(path);
            QTRY_COMPARE(window.run().state(), RunState::Ended);
            QCOMPARE(window.run().isPart(), isPart);
            QCOMPARE(window.windowTitle().contains(QLatin1String("Part of a recording")), isPart);
        }
    }

    void noRecordingWhenSwitchedOff()
    {
        CaptureSettings settings;
        settings.record = false;
        QSettings stored;
        settings.save(stored);
        MainWindow window;
        window.start(storm(QStringLiteral("--transitions 2000")));
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QCOMPARE(window.run().recordingPath(), std::string());
        QVERIFY(!QFileInfo::exists(recordingsDirectory()));
    }

    void aRunWithoutEventsLeavesNoFile()
    {
        MainWindow window;
        window.start(launchOf(QStringLiteral("/bin/true")));
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QCOMPARE(files(recordingsDirectory()), QStringList());
        StartRequest listening;
        listening.what = ListenRequest{};
        window.start(listening);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Waiting, kPatienceMs);
        QCOMPARE(files(recordingsDirectory()).size(), 1);
        window.run().stop();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QCOMPARE(files(recordingsDirectory()), QStringList());
        window.start(launchOf(QStringLiteral("/nonexistent/program")));
        QCOMPARE(files(recordingsDirectory()), QStringList());
    }

    void recordsTheLastOutputOfTheTarget()
    {
        MainWindow window;
        window.start(launchOf(QStringLiteral("/bin/echo gone at once")));
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        const Read kept = read(ctr::segmentPath(window.run().recordingPath(), 0));
        QCOMPARE(kept.error, QString());
        QCOMPARE(kept.output, QByteArray("gone at once\n"));
        QVERIFY(kept.info.exit && kept.info.exit->status == 0U);
        QCOMPARE(kept.transitions, std::uint64_t{0});
    }

    void captureContinuesWithoutADirectory()
    {
        QFile inTheWay(m_cache->filePath(QStringLiteral("file")));
        QVERIFY(inTheWay.open(QIODevice::WriteOnly));
        qputenv("XDG_CACHE_HOME", QFile::encodeName(inTheWay.fileName()));
        MainWindow window;
        window.show();
        window.start(storm(QStringLiteral("--transitions 20000")));
        const auto *notice = window.findChild<InfoBar *>(QStringLiteral("noticeBar"));
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible() && notice->text().contains(QLatin1String("is not recorded")),
                                 kPatienceMs);
        QVERIFY2(notice->text().contains(QLatin1String("XDG_CACHE_HOME")), qPrintable(notice->text()));
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QVERIFY(window.run().accounting().captured > 1000);
        QVERIFY(!gui::topLevel<QWidget>("errorBox"));
    }

    void captureContinuesOnAFullDisk()
    {
        if (!g_small->path())
            CT_QSKIP("no file system can be mounted here");
        qputenv("XDG_CACHE_HOME", QFile::encodeName(smallDirectory()));
        MainWindow window;
        window.show();
        window.start(storm(QStringLiteral("--seconds 600 --rate 30000")));
        const auto *notice = window.findChild<InfoBar *>(QStringLiteral("noticeBar"));
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kPatienceMs);
        QVERIFY2(notice->text().contains(QLatin1String("recording of this run has stopped")),
                 qPrintable(notice->text()));
        QVERIFY2(notice->text().contains(QLatin1String("free some space")), qPrintable(notice->text()));
        // No longer written, but still claimed by this window: it is not deleted to make room.
        QVERIFY(ctr::claimsOn(ctr::segmentPath(window.run().recordingPath(), 0)).read);
        const std::uint64_t atThatTime = window.run().accounting().captured;
        QTRY_VERIFY_WITH_TIMEOUT(window.run().accounting().captured > atThatTime, kPatienceMs);
        window.run().terminateTarget();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        gui::takePicture(&window, "recording-full");
        const std::uint64_t captured = window.run().accounting().captured;
        const std::string segment = ctr::segmentPath(window.run().recordingPath(), 0);
        QVERIFY(!gui::topLevel<QWidget>("errorBox"));
        // The events up to the full disk are readable, and the file is not claimed for writing any more.
        const Read kept = read(segment);
        QVERIFY(kept.transitions > 0 && kept.transitions < captured);
        QCOMPARE(kept.error, QString());
        QVERIFY(!ctr::claimsOn(segment).written);
    }

    /// During the run, its recording is claimed for writing, and its readers are about a second late.
    void aLiveRunCanBeRead()
    {
        MainWindow window;
        window.start(storm(QStringLiteral("--seconds 600 --rate 2000")));
        QTRY_VERIFY_WITH_TIMEOUT(window.run().accounting().captured > 100, kPatienceMs);
        const std::string segment = ctr::segmentPath(window.run().recordingPath(), 0);
        const std::uint64_t captured = window.run().accounting().captured;
        QTRY_VERIFY_WITH_TIMEOUT(read(segment).transitions >= captured, kPatienceMs);
        QVERIFY(ctr::claimsOn(segment).written);
        window.run().terminateTarget();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        // The run has ended. The window still claims the file for reading, to restore events from it.
        QVERIFY(!ctr::claimsOn(segment).written);
        QVERIFY(ctr::claimsOn(segment).read);
    }

    void eachWindowHasItsOwnRecording()
    {
        MainWindow one;
        MainWindow two;
        one.start(storm(QStringLiteral("--transitions 20000")));
        two.start(storm(QStringLiteral("--transitions 40000")));
        for (const MainWindow *window : {&one, &two})
            QTRY_COMPARE_WITH_TIMEOUT(window->run().state(), RunState::Ended, kPatienceMs);
        QVERIFY(one.run().recordingPath() != two.run().recordingPath());
        QCOMPARE(files(recordingsDirectory()).size(), 2);
        for (const MainWindow *window : {&one, &two})
            QCOMPARE(read(ctr::segmentPath(window->run().recordingPath(), 0)).transitions,
                     window->run().accounting().captured);
    }

    /// The window closes before its target ends: the recording is finished, including the facts of its end.
    void aClosedWindowEndsItsRecording()
    {
        std::string path;
        QString region;
        pid_t target = 0;
        {
            MainWindow window;
            window.start(storm(QStringLiteral("--seconds 600 --rate 2000")));
            QTRY_VERIFY_WITH_TIMEOUT(window.run().accounting().captured > 100, kPatienceMs);
            path = window.run().recordingPath();
            region = window.run().environment().regionPath;
            target = window.run().launchedPid();
        }
        QVERIFY(target > 0);
        ::kill(target, SIGKILL);
        QVERIFY(QFile::remove(region));
        // The closed window does not wait for a slow disk for long.
        Read kept;
        QTRY_VERIFY_WITH_TIMEOUT((kept = read(ctr::segmentPath(path, 0))).ended, kPatienceMs);
        QCOMPARE(kept.error, QString());
        QVERIFY(kept.transitions > 100);
        QVERIFY(kept.info.clocks.size() >= 2);
        QVERIFY(!kept.info.exit);
        QVERIFY(!ctr::claimsOn(ctr::segmentPath(path, 0)).read);
    }

    void aKilledWindowLeavesAReadableRecording()
    {
        QProcess process;
        process.start(gui::targetPath("corotracer-gui"),
                      {QStringLiteral("--"), gui::targetPath("ct_storm"), QStringLiteral("--seconds"),
                       QStringLiteral("600"), QStringLiteral("--rate"), QStringLiteral("2000")});
        QVERIFY(process.waitForStarted(kPatienceMs));
        // The folder has the name of the program, not of this test.
        const QString directory = m_cache->filePath(QStringLiteral("corotracer-gui/corotracer-gui/recordings"));
        const auto path = [&directory] {
            const QStringList all = files(directory);
            return all.isEmpty() ? std::string() : (directory + u'/' + all.first()).toStdString();
        };
        QTRY_VERIFY_WITH_TIMEOUT(!path().empty() && read(path()).transitions > 100, kPatienceMs);
        QVERIFY(ctr::claimsOn(path()).written);
        process.kill();
        QVERIFY(process.waitForFinished(kPatienceMs));
        const Read kept = read(path());
        QVERIFY(kept.transitions > 100);
        QCOMPARE(kept.error, QString());
        QVERIFY(!kept.ended);
        QVERIFY(!ctr::claimsOn(path()).written);
        cleanUpAfter(kept.info);
    }

private:
    /// Kills the target and removes the region and the socket that a killed window left.
    static void cleanUpAfter(const RecordingInfo &info)
    {
        QVERIFY(!info.processes.empty());
        QVERIFY(info.processes.front().executable.ends_with("/ct_storm"));
        const auto target = static_cast<pid_t>(info.processes.front().pid);
        QVERIFY(target > 0);
        ::kill(target, SIGKILL);
        for (const char *variable : {"CTP_SHM_PATH", "CTP_SOCK_PATH"}) {
            const auto found = info.environment.find(variable);
            QVERIFY2(found != info.environment.end(), variable);
            QFile::remove(QString::fromStdString(found->second));
        }
    }

    gui::Sandbox m_sandbox;
    std::optional<QTemporaryDir> m_cache;
};

CT_QT_SUITE_PREPARED(TestRecordedWindow, [] { g_small.emplace(kSmall); })
#include "tst_recordedwindow.moc"
