// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Replays a recording as if it were live. A live session, its recording and its replay must show the same.
#include "core/playback/replaygate.h"
#include "core/session/run.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "tests/ui/lostwakeups.h"
#include "ui/dialogs/capturesettings.h"
#include "ui/format/theme.h"
#include "ui/mainwindow.h"
#include "ui/timeline/timelineview.h"
#include "ui/widgets/jobbar.h"
#include "ui/widgets/replaybar.h"

#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QSlider>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QSqlRecord>
#include <QTableView>
#include <QToolBar>
#include <QTreeView>
#include <QWheelEvent>

#include <csignal>

using namespace ct;

namespace {

using ct::test::kPatienceMs;

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Every row of every table of an SQLite file.
QStringList rowsOf(const QString &path)
{
    QStringList rows;
    {
        QSqlDatabase base = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), path);
        base.setDatabaseName(path);
        if (!base.open())
            return {base.lastError().text()};
        QStringList tables = base.tables();
        tables.sort();
        for (const QString &table : tables) {
            QSqlQuery query(QStringLiteral("SELECT * FROM \"%1\"").arg(table), base);
            while (query.next()) {
                QString row = table;
                for (int i = 0; i < query.record().count(); ++i)
                    row += u'|' + query.value(i).toString();
                rows << row;
            }
        }
    }
    QSqlDatabase::removeDatabase(path);
    rows.sort();
    return rows;
}

void addRows(const QAbstractItemModel *model, const QModelIndex &parent, QStringList &rows)
{
    for (int row = 0; row < model->rowCount(parent); ++row) {
        QString text;
        for (int column = 0; column < model->columnCount(parent); ++column)
            text += model->index(row, column, parent).data().toString() + u'|';
        rows << text;
        addRows(model, model->index(row, 0, parent), rows);
    }
}

/// The rows of a table or tree of the window.
QStringList shownIn(const MainWindow &window, const char *view)
{
    QStringList rows;
    addRows(window.findChild<QAbstractItemView *>(QLatin1String(view))->model(), {}, rows);
    return rows;
}

/// The output of the target with its times. The line about the end has no time: runs and replays notice the end at
/// different times.
QStringList outputOf(const MainWindow &window)
{
    QStringList lines = window.findChild<QPlainTextEdit *>(QStringLiteral("outputText"))
                            ->toPlainText()
                            .split(u'\n', Qt::SkipEmptyParts);
    if (!lines.isEmpty() && lines.back().contains(u'—'))
        lines.back() = lines.back().mid(lines.back().indexOf(u'—'));
    return lines;
}

/// The data that the window shows and exports at the end of a run.
struct Seen {
    QStringList table;
    QStringList findings;
    QStringList output;
    QByteArray csv;
    QByteArray jsonl;
    QStringList sqlite;
    std::uint64_t now = 0;
    Accounting sums;
};

}  // namespace

class TestReplayWindow : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        // A server that loses wake-ups, captured live until a lost wake-up has been found.
        MainWindow window;
        window.show();
        StartRequest request;
        LaunchSpec target;
        // exec makes the shell the server. Coroutines of a process that has ended are not judged.
        target.shellLine = "echo it begins; seq 1 2000; exec \"" + gui::targetPath("ct_server_lossy").toStdString() +
                           "\" --seconds 600";
        request.what = target;
        window.start(request);
        QTRY_VERIFY_WITH_TIMEOUT(gui::lostWakeUp(window).isValid() &&
                                     !outputOf(window).filter(QStringLiteral("requests/s")).isEmpty(),
                                 4 * kPatienceMs);
        // On SIGTERM the server ends as it does when its time is over.
        QVERIFY(window.run().launchedPid() > 0);
        QCOMPARE(::kill(window.run().launchedPid(), SIGTERM), 0);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QVERIFY(window.run().accounting().captured > 1000);
        QTRY_VERIFY_WITH_TIMEOUT(!shownIn(window, "findingsTree").isEmpty(), kPatienceMs);
        m_live = see(window, QStringLiteral("live"));
        QCOMPARE(stateOf(window), QStringLiteral("Target exited with status 0"));
        QVERIFY(m_live.output.size() > 2002);
        QVERIFY(m_live.output.front().endsWith(QLatin1String("  it begins")));
        QCOMPARE(m_live.output.back(), QStringLiteral("— Target exited with status 0 —"));
        const QDir kept(QFileInfo(QString::fromStdString(window.run().recordingPath())).path());
        const QStringList files = kept.entryList({QStringLiteral("*.ctr")}, QDir::Files);
        QCOMPARE(files.size(), 1);
        m_path = kept.filePath(files.front());
    }

    void init() { QSettings().clear(); }

    void liveRecordingAndReplayAreEqual()
    {
        QVERIFY(!m_live.findings.isEmpty());
        MainWindow window;
        window.show();
        auto *replay = window.findChild<QAction *>(QStringLiteral("actionReplay"));
        QVERIFY(!replay->isEnabled());
        window.openFile(m_path);
        QTRY_VERIFY_WITH_TIMEOUT(replay->isEnabled(), kPatienceMs);
        compare(window, see(window, QStringLiteral("recording")));
        QCOMPARE(stateOf(window), QStringLiteral("Recording; target exited with status 0"));
        window.findChild<QDockWidget *>(QStringLiteral("outputDock"))->raise();
        gui::takePicture(&window, "recording-output");

        window.findChild<QComboBox *>(QStringLiteral("replaySpeed"))->setCurrentIndex(9);  // 100 x
        replay->trigger();
        QVERIFY(window.run().gate());
        QCOMPARE(window.run().gate()->speed(), 100.0);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        compare(window, see(window, QStringLiteral("replay")));
        QTRY_COMPARE(stateOf(window), QStringLiteral("Replay, at its end; target exited with status 0"));
        gui::takePicture(&window, "replay-end");
    }

    /// Replays a run in the window that captured it, without opening the recording first.
    void replaysAnEndedRunInItsWindow()
    {
        MainWindow window;
        window.show();
        auto *replay = window.findChild<QAction *>(QStringLiteral("actionReplay"));
        start(window, "exec \"$SERVER\" --seconds 1");
        QVERIFY(!replay->isEnabled());
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QVERIFY(replay->isEnabled());
        const Accounting live = window.run().accounting();
        window.findChild<QComboBox *>(QStringLiteral("replaySpeed"))->setCurrentIndex(9);  // 100 x
        replay->trigger();
        QVERIFY(window.run().gate());
        QVERIFY(window.findChild<QToolBar *>(QStringLiteral("replayBar"))->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QCOMPARE(window.run().accounting().captured, live.captured);
        QCOMPARE(window.run().accounting().coroutines, live.coroutines);
        // Replay it again, then return to the whole recording.
        window.findChild<QAction *>(QStringLiteral("replayRestart"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        window.findChild<QAction *>(QStringLiteral("replayClose"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(window), QStringLiteral("Recording; target exited with status 0"),
                                  kPatienceMs);
        QCOMPARE(window.run().accounting().captured, live.captured);
        QVERIFY(replay->isEnabled());
    }

    void reportsADeletedRecording()
    {
        MainWindow window;
        auto *replay = window.findChild<QAction *>(QStringLiteral("actionReplay"));
        start(window, "exec \"$SERVER\" --seconds 1");
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QVERIFY(replay->isEnabled());
        QVERIFY(QFile::remove(QString::fromStdString(window.run().replayPath())));
        replay->trigger();
        auto *box = gui::topLevel<QMessageBox>("errorBox");
        QVERIFY(box);
        QVERIFY(box->informativeText().contains(QLatin1String("was deleted")));
        QVERIFY(!replay->isEnabled());
    }

    /// The capture was stopped, but its target still runs: the window asks about the target first.
    void aReplayAsksForARunningTarget()
    {
        MainWindow window;
        window.show();
        auto *replay = window.findChild<QAction *>(QStringLiteral("actionReplay"));
        start(window, "exec \"$SERVER\" --seconds 600");
        QTRY_VERIFY_WITH_TIMEOUT(window.run().accounting().captured > 100, kPatienceMs);
        const QString region = window.run().environment().regionPath;  // kept, for the target that still runs
        window.run().stop();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QTRY_VERIFY(replay->isEnabled());
        replay->trigger();
        QVERIFY(!window.run().gate());
        QVERIFY(gui::click(gui::topLevel<QWidget>("runningTargetBox"), "cancelButton"));
        QVERIFY(!window.run().gate() && window.run().targetRuns());
        QVERIFY(window.findChild<QToolBar *>(QStringLiteral("replayBar"))->isHidden());
        replay->trigger();
        QTRY_VERIFY(gui::topLevel<QWidget>("runningTargetBox"));
        QVERIFY(gui::click(gui::topLevel<QWidget>("runningTargetBox"), "terminateButton"));
        QTRY_VERIFY_WITH_TIMEOUT(window.run().gate(), kPatienceMs);
        QVERIFY(QFile::remove(region));
    }

    void replayNeedsARecording()
    {
        CaptureSettings settings;
        settings.record = false;
        QSettings stored;
        settings.save(stored);
        MainWindow window;
        start(window, "exec \"$SERVER\" --seconds 1");
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QVERIFY(window.run().accounting().captured > 0);
        QVERIFY(!window.findChild<QAction *>(QStringLiteral("actionReplay"))->isEnabled());
    }

    void replayPausesStepsAndSeeks()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window, ct::test::kPatienceMs));
        const auto *bar = window.findChild<QToolBar *>(QStringLiteral("replayBar"));
        QVERIFY(bar->isHidden());
        open(window);
        window.findChild<QComboBox *>(QStringLiteral("replaySpeed"))->setCurrentIndex(0);  // 0.1 x
        window.findChild<QAction *>(QStringLiteral("actionReplay"))->trigger();
        QVERIFY(bar->isVisible());
        const std::uint64_t end = m_live.now;
        const auto now = [&] { return window.run().population()->now(); };
        const auto captured = [&] { return window.run().accounting().captured; };
        QTRY_VERIFY_WITH_TIMEOUT(captured() > 0, kPatienceMs);
        QVERIFY(captured() < m_live.sums.captured);
        QVERIFY(window.findChild<TimelineView *>()->followLive());
        QTRY_COMPARE(stateOf(window), QStringLiteral("Replay, 0.1 ×"));
        QTRY_VERIFY(!outputOf(window).isEmpty());
        QCOMPARE(outputOf(window).front(), m_live.output.front());
        QVERIFY(!outputOf(window).contains(m_live.output.at(m_live.output.size() - 2)));  // it appears later
        gui::takePicture(&window, "replay");

        // Time advances until the space bar pauses the replay.
        const std::uint64_t before = now();
        QTRY_VERIFY(now() > before);
        // Shortcuts reach only the active window, and a real display activates it later.
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window, kPatienceMs));
        QTest::keyClick(&window, Qt::Key_Space);
        QTRY_COMPARE(stateOf(window), QStringLiteral("Replay, paused"));
        // Each step emits one event.
        awaitDueEvents(window);
        for (int i = 0; i < 20; ++i) {
            const std::uint64_t events = captured();
            QTest::keyClick(&window, Qt::Key_Period);
            awaitDueEvents(window);
            QCOMPARE(captured(), events + 1);
        }
        applyTheme(Theme::Dark);
        gui::takePicture(&window, "replay-paused-dark");
        applyTheme(Theme::Light);

        // A click on the slider seeks forward. The replay stays paused.
        auto *slider = window.findChild<QSlider *>(QStringLiteral("replaySlider"));
        const std::uint64_t events = captured();
        QTest::mouseClick(slider, Qt::LeftButton, {}, QPoint(slider->width() / 2, slider->height() / 2));
        awaitDueEvents(window);
        QVERIFY(captured() > events);
        const std::uint64_t middle = captured();
        QVERIFY(middle < m_live.sums.captured && now() < end);
        QVERIFY(!window.run().gate()->isPlaying());
        // A click further left seeks backward: the replay starts from the beginning again.
        QTest::mouseClick(slider, Qt::LeftButton, {}, QPoint(slider->width() * 2 / 5, slider->height() / 2));
        awaitDueEvents(window);
        QTRY_VERIFY(captured() > 0 && captured() < middle);
        QVERIFY(!window.run().gate()->isPlaying());
        // Change the speed, continue, and replay to the end.
        QTest::keyClick(&window, Qt::Key_BracketRight);
        QCOMPARE(window.run().gate()->speed(), 0.2);
        QTest::keyClick(&window, Qt::Key_Space);
        QTRY_VERIFY(window.run().gate()->isPlaying());
        window.findChild<QComboBox *>(QStringLiteral("replaySpeed"))->setCurrentIndex(9);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QCOMPARE(captured(), m_live.sums.captured);
        QTRY_VERIFY(!window.findChild<QAction *>(QStringLiteral("replayStep"))->isEnabled());  // not at once

        // Escape, which other views use, does not end the replay. Closing the replay shows the whole recording.
        QTest::keyClick(&window, Qt::Key_Escape);
        QVERIFY(window.run().gate());
        window.findChild<QAction *>(QStringLiteral("replayClose"))->trigger();
        QTRY_VERIFY(!window.run().gate());
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(window), QStringLiteral("Recording; target exited with status 0"),
                                  kPatienceMs);
        QVERIFY(bar->isHidden());
        QCOMPARE(captured(), m_live.sums.captured);
    }

    /// The slider stays at the time that the user chose while the replay catches up, also after a seek backward.
    void sliderKeysStartFromTheChosenTime()
    {
        QWidget window;
        ReplayBar bar(&window);
        QSignalSpy sought(&bar, &ReplayBar::seekRequested);
        auto *slider = bar.findChild<QSlider *>(QStringLiteral("replaySlider"));
        bar.showReplay(1000, 101'000);
        bar.sample(51'000, true, false);
        QTest::keyClick(slider, Qt::Key_Left);
        QCOMPARE(sought.takeFirst().at(0).toULongLong(), 50'000ULL);
        bar.sample(0, true, false);
        QTest::keyClick(slider, Qt::Key_Left);
        QCOMPARE(sought.takeFirst().at(0).toULongLong(), 49'000ULL);
        bar.sample(20'000, true, false);
        QCOMPARE(slider->value(), slider->maximum() * 48 / 100);
        bar.sample(49'500, true, false);
        bar.sample(20'000, true, false);
        QCOMPARE(slider->value(), slider->maximum() * 19 / 100);
        QWheelEvent wheel({5, 5}, slider->mapToGlobal(QPointF(5, 5)), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(slider, &wheel);
        QCOMPARE(sought.size(), 1);
        QVERIFY(sought.takeFirst().at(0).toULongLong() > 20'000ULL);
    }

    void stopEndsTheReplay()
    {
        MainWindow window;
        window.show();
        open(window);
        window.findChild<QAction *>(QStringLiteral("actionReplay"))->trigger();
        QVERIFY(window.run().gate());
        // A replay can be restarted at any time, many times in a row.
        for (int i = 0; i < 5; ++i)
            window.findChild<QAction *>(QStringLiteral("replayRestart"))->trigger();
        QVERIFY(window.run().gate());
        window.findChild<QAction *>(QStringLiteral("actionStop"))->trigger();
        QTRY_VERIFY(!window.run().gate());
        QTRY_COMPARE_WITH_TIMEOUT(window.run().accounting().captured, m_live.sums.captured, kPatienceMs);
    }

private:
    static QString stateOf(const MainWindow &window)
    {
        return window.findChild<QLabel *>(QStringLiteral("statusState"))->text();
    }

    void open(MainWindow &window)
    {
        window.openFile(m_path);
        QTRY_VERIFY_WITH_TIMEOUT(window.findChild<QAction *>(QStringLiteral("actionReplay"))->isEnabled(), kPatienceMs);
    }

    /// Waits until the paused replay has emitted all due events.
    static void awaitDueEvents(const MainWindow &window)
    {
        QVERIFY(!window.run().gate()->isPlaying());
        QTRY_VERIFY_WITH_TIMEOUT(window.run().gate()->isWaiting(), kPatienceMs);
    }

    Seen see(MainWindow &window, const QString &name)
    {
        Seen seen;
        seen.now = window.run().population()->now();
        seen.sums = window.run().accounting();
        const auto isExporting = [&] {
            const auto bars = window.findChildren<JobBar *>();
            return std::any_of(bars.begin(), bars.end(), [](const JobBar *bar) { return bar->isRunning(); });
        };
        for (std::size_t i = 0; i < exportFormats().size(); ++i) {
            const std::string_view extension = exportFormats()[i].extension;
            const QString path = m_sandbox.path(
                name + u'.' + QString::fromLatin1(extension.data(), static_cast<qsizetype>(extension.size())));
            window.exportTo(exportFormats()[i], path);
            static_cast<void>(QTest::qWaitFor([&] { return !isExporting(); }, kPatienceMs));
            if (extension == "csv")
                seen.csv = contentOf(path);
            else if (extension == "jsonl")
                seen.jsonl = contentOf(path);
            else if (extension == "sqlite")
                seen.sqlite = rowsOf(path);
        }
        // A run is judged in the background: two equal results, 1.5 s apart, are final.
        QStringList before;
        do {
            before = seen.findings;
            QTest::qWait(1500);
            seen.findings = shownIn(window, "findingsTree");
        } while (before != seen.findings);
        seen.table = shownIn(window, "coroutineTable");
        seen.output = outputOf(window);
        return seen;
    }

    /// Launches a shell line. $SERVER is the server that loses wake-ups.
    static void start(MainWindow &window, const char *line)
    {
        LaunchSpec target;
        target.shellLine = line;
        target.environment["SERVER"] = gui::targetPath("ct_server_lossy").toStdString();
        StartRequest request;
        request.what = target;
        window.start(request);
    }

    void compare(const MainWindow &window, const Seen &seen) const
    {
        const Seen &live = m_live;
        QTRY_COMPARE_WITH_TIMEOUT(shownIn(window, "findingsTree"), live.findings, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(shownIn(window, "coroutineTable"), live.table, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(outputOf(window), live.output, kPatienceMs);
        QCOMPARE(seen.now, live.now);
        QCOMPARE(seen.sums.captured, live.sums.captured);
        QCOMPARE(seen.sums.lost, live.sums.lost);
        QCOMPARE(seen.sums.coroutines, live.sums.coroutines);
        QVERIFY(!live.csv.isEmpty() && !live.jsonl.isEmpty() && live.sqlite.size() > 1000);
        QVERIFY(seen.csv == live.csv);
        QVERIFY(seen.jsonl == live.jsonl);
        QCOMPARE(seen.sqlite.size(), live.sqlite.size());
        // A recording knows more about its run than the window knew at its end: name, program and command are equal.
        const auto comparable = [](const QString &row) {
            return row.startsWith(QLatin1String("sessions|")) ? row.section(QLatin1Char('|'), 0, 3) : row;
        };
        for (qsizetype i = 0; i < seen.sqlite.size(); ++i)
            QCOMPARE(comparable(seen.sqlite[i]), comparable(live.sqlite[i]));
    }

    gui::Sandbox m_sandbox;
    QString m_path;
    Seen m_live;
};

CT_QT_SUITE(TestReplayWindow)
#include "tst_replaywindow.moc"
