// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A recording that is shown once more, as if live; and that a live session, its recording and its replay are equal.
#include "core/session/replaygate.h"
#include "tests/gui/guisupport.h"
#include "tests/support/qtsuite.h"
#include "ui/capture.h"
#include "ui/capturesettings.h"
#include "ui/exportbar.h"
#include "ui/mainwindow.h"
#include "ui/replaybar.h"
#include "ui/theme.h"
#include "ui/timelineview.h"

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

constexpr int kPatienceMs = 60'000;

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Every row of every table.
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

/// What a table or tree shows.
QStringList shownIn(const MainWindow &window, const char *view)
{
    QStringList rows;
    addRows(window.findChild<QAbstractItemView *>(QLatin1String(view))->model(), {}, rows);
    return rows;
}

/// What the target printed, with the times; of its end, the time at which it was noticed is left out.
QStringList outputOf(const MainWindow &window)
{
    QStringList lines = window.findChild<QPlainTextEdit *>(QStringLiteral("outputText"))
                            ->toPlainText()
                            .split(u'\n', Qt::SkipEmptyParts);
    if (!lines.isEmpty() && lines.back().contains(u'—'))
        lines.back() = lines.back().mid(lines.back().indexOf(u'—'));
    return lines;
}

/// What one looks at in the end.
struct Seen {
    QStringList table;
    QStringList stuck;
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
        // A server that loses wake-ups, watched live until some have been found.
        MainWindow window;
        window.show();
        StartRequest request;
        LaunchSpec target;
        // The shell becomes the server: what waits in a process that has ended is not stuck.
        target.shellLine = "echo it begins; seq 1 2000; exec \"" + gui::targetPath("ct_server_lossy").toStdString() +
                           "\" --seconds 600";
        request.what = target;
        window.start(request);
        QTRY_VERIFY_WITH_TIMEOUT(!shownIn(window, "stuckTree").filter(QStringLiteral("handleConnection")).isEmpty() &&
                                     !outputOf(window).filter(QStringLiteral("requests/s")).isEmpty(),
                                 4 * kPatienceMs);
        // It ends by itself, as it does when its time is over.
        QCOMPARE(::kill(window.capture().session()->target()->pid(), SIGTERM), 0);
        QTRY_COMPARE_WITH_TIMEOUT(window.capture().state(), SessionState::Ended, kPatienceMs);
        QVERIFY(window.capture().accounting().captured > 1000);
        QTRY_VERIFY_WITH_TIMEOUT(!shownIn(window, "stuckTree").isEmpty(), kPatienceMs);
        m_live = see(window, QStringLiteral("live"));
        QCOMPARE(stateOf(window), QStringLiteral("Target exited with status 0"));
        QVERIFY(m_live.output.size() > 2002);
        QVERIFY(m_live.output.front().endsWith(QLatin1String("  it begins")));
        QCOMPARE(m_live.output.back(), QStringLiteral("— Target exited with status 0 —"));
        const QDir kept(QFileInfo(QString::fromStdString(window.capture().recordingPath())).path());
        const QStringList files = kept.entryList({QStringLiteral("*.ctr")}, QDir::Files);
        QCOMPARE(files.size(), 1);
        m_path = kept.filePath(files.front());
    }

    void init() { QSettings().clear(); }

    void liveRecordingAndReplayAreEqual()
    {
        QVERIFY(!m_live.stuck.isEmpty());
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

        window.findChild<QComboBox *>(QStringLiteral("replaySpeed"))->setCurrentIndex(9);  // 100
        replay->trigger();
        QVERIFY(window.capture().gate());
        QCOMPARE(window.capture().gate()->speed(), 100.0);
        QTRY_COMPARE_WITH_TIMEOUT(window.capture().state(), SessionState::Ended, kPatienceMs);
        compare(window, see(window, QStringLiteral("replay")));
        QTRY_COMPARE(stateOf(window), QStringLiteral("Replay, at its end; target exited with status 0"));
        gui::takePicture(&window, "replay-end");
    }

    /// From the window that captured it: nothing is opened first.
    void aRunThatEndedIsReplayedAtOnce()
    {
        MainWindow window;
        window.show();
        auto *replay = window.findChild<QAction *>(QStringLiteral("actionReplay"));
        start(window, "exec \"$SERVER\" --seconds 1");
        QVERIFY(!replay->isEnabled());
        QTRY_COMPARE_WITH_TIMEOUT(window.capture().state(), SessionState::Ended, kPatienceMs);
        QVERIFY(replay->isEnabled());
        const Accounting live = window.capture().accounting();
        window.findChild<QComboBox *>(QStringLiteral("replaySpeed"))->setCurrentIndex(9);  // 100
        replay->trigger();
        QVERIFY(window.capture().gate());
        QVERIFY(window.findChild<QToolBar *>(QStringLiteral("replayBar"))->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(window.capture().state(), SessionState::Ended, kPatienceMs);
        QCOMPARE(window.capture().accounting().captured, live.captured);
        QCOMPARE(window.capture().accounting().coroutines, live.coroutines);
        // Once more, and back to the whole.
        window.findChild<QAction *>(QStringLiteral("replayRestart"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window.capture().state(), SessionState::Ended, kPatienceMs);
        window.findChild<QAction *>(QStringLiteral("replayClose"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(window), QStringLiteral("Recording; target exited with status 0"),
                                  kPatienceMs);
        QCOMPARE(window.capture().accounting().captured, live.captured);
        QVERIFY(replay->isEnabled());
    }

    void aRecordingThatIsGoneIsNamed()
    {
        MainWindow window;
        auto *replay = window.findChild<QAction *>(QStringLiteral("actionReplay"));
        start(window, "exec \"$SERVER\" --seconds 1");
        QTRY_COMPARE_WITH_TIMEOUT(window.capture().state(), SessionState::Ended, kPatienceMs);
        QVERIFY(replay->isEnabled());
        QVERIFY(QFile::remove(QString::fromStdString(window.capture().replayPath())));
        replay->trigger();
        auto *box = gui::topLevel<QMessageBox>("errorBox");
        QVERIFY(box);
        QVERIFY(box->informativeText().contains(QLatin1String("no longer there")));
        QVERIFY(!replay->isEnabled());
    }

    /// The capture was stopped and its target goes on: that is settled first.
    void aReplayAsksForARunningTarget()
    {
        MainWindow window;
        window.show();
        auto *replay = window.findChild<QAction *>(QStringLiteral("actionReplay"));
        start(window, "exec \"$SERVER\" --seconds 600");
        QTRY_VERIFY_WITH_TIMEOUT(window.capture().accounting().captured > 100, kPatienceMs);
        window.capture().stopCapture();
        QTRY_COMPARE_WITH_TIMEOUT(window.capture().state(), SessionState::Ended, kPatienceMs);
        QTRY_VERIFY(replay->isEnabled());
        replay->trigger();
        QVERIFY(!window.capture().gate());
        QVERIFY(gui::click(gui::topLevel<QWidget>("runningTargetBox"), "cancelButton"));
        QVERIFY(!window.capture().gate() && window.capture().targetRuns());
        QVERIFY(window.findChild<QToolBar *>(QStringLiteral("replayBar"))->isHidden());
        replay->trigger();
        QTRY_VERIFY(gui::topLevel<QWidget>("runningTargetBox"));
        QVERIFY(gui::click(gui::topLevel<QWidget>("runningTargetBox"), "terminateButton"));
        QTRY_VERIFY_WITH_TIMEOUT(window.capture().gate(), kPatienceMs);
    }

    void withoutARecordingThereIsNoReplay()
    {
        CaptureSettings settings;
        settings.record = false;
        QSettings stored;
        settings.save(stored);
        MainWindow window;
        start(window, "exec \"$SERVER\" --seconds 1");
        QTRY_COMPARE_WITH_TIMEOUT(window.capture().state(), SessionState::Ended, kPatienceMs);
        QVERIFY(window.capture().accounting().captured > 0);
        QVERIFY(!window.findChild<QAction *>(QStringLiteral("actionReplay"))->isEnabled());
    }

    void isPlayedLikeAFilm()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const auto *bar = window.findChild<QToolBar *>(QStringLiteral("replayBar"));
        QVERIFY(bar->isHidden());
        open(window);
        window.findChild<QComboBox *>(QStringLiteral("replaySpeed"))->setCurrentIndex(0);  // 0.1
        window.findChild<QAction *>(QStringLiteral("actionReplay"))->trigger();
        QVERIFY(bar->isVisible());
        const std::uint64_t end = m_live.now;
        const auto now = [&] { return window.capture().population()->now(); };
        const auto captured = [&] { return window.capture().accounting().captured; };
        QTRY_VERIFY_WITH_TIMEOUT(captured() > 0, kPatienceMs);
        QVERIFY(captured() < m_live.sums.captured);
        QVERIFY(window.findChild<TimelineView *>()->followLive());
        QTRY_COMPARE(stateOf(window), QStringLiteral("Replay, 0.1 ×"));
        QTRY_VERIFY(!outputOf(window).isEmpty());
        QCOMPARE(outputOf(window).front(), m_live.output.front());
        QVERIFY(!outputOf(window).contains(m_live.output.at(m_live.output.size() - 2)));  // in its time
        gui::takePicture(&window, "replay");

        // Time goes by; a space holds it.
        const std::uint64_t before = now();
        QTRY_VERIFY(now() > before);
        // Shortcuts reach the active window alone, which a real display makes it when it likes.
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window, kPatienceMs));
        QTest::keyClick(&window, Qt::Key_Space);
        QTRY_COMPARE(stateOf(window), QStringLiteral("Replay, standing still"));
        // One event a step.
        settle(window);
        for (int i = 0; i < 20; ++i) {
            const std::uint64_t events = captured();
            QTest::keyClick(&window, Qt::Key_Period);
            settle(window);
            QCOMPARE(captured(), events + 1);
        }
        applyTheme(Theme::Dark);
        gui::takePicture(&window, "replay-paused-dark");
        applyTheme(Theme::Light);

        // Forward by a click on the slider; it still stands.
        auto *slider = window.findChild<QSlider *>(QStringLiteral("replaySlider"));
        const std::uint64_t events = captured();
        QTest::mouseClick(slider, Qt::LeftButton, {}, QPoint(slider->width() / 2, slider->height() / 2));
        settle(window);
        QVERIFY(captured() > events);
        const std::uint64_t middle = captured();
        QVERIFY(middle < m_live.sums.captured && now() < end);
        QVERIFY(!window.capture().gate()->isPlaying());
        // And back: from the beginning again.
        QTest::mouseClick(slider, Qt::LeftButton, {}, QPoint(slider->width() / 10, slider->height() / 2));
        settle(window);
        QVERIFY(captured() > 0 && captured() < middle);
        QVERIFY(!window.capture().gate()->isPlaying());
        // Another speed, on, and to the end.
        QTest::keyClick(&window, Qt::Key_BracketRight);
        QCOMPARE(window.capture().gate()->speed(), 0.2);
        QTest::keyClick(&window, Qt::Key_Space);
        QTRY_VERIFY(window.capture().gate()->isPlaying());
        window.findChild<QComboBox *>(QStringLiteral("replaySpeed"))->setCurrentIndex(9);
        QTRY_COMPARE_WITH_TIMEOUT(window.capture().state(), SessionState::Ended, kPatienceMs);
        QCOMPARE(captured(), m_live.sums.captured);
        QTRY_VERIFY(!window.findChild<QAction *>(QStringLiteral("replayStep"))->isEnabled());  // it is told next

        // Its end shows the whole; Escape, which other views want, is none.
        QTest::keyClick(&window, Qt::Key_Escape);
        QVERIFY(window.capture().gate());
        window.findChild<QAction *>(QStringLiteral("replayClose"))->trigger();
        QTRY_VERIFY(!window.capture().gate());
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(window), QStringLiteral("Recording; target exited with status 0"),
                                  kPatienceMs);
        QVERIFY(bar->isHidden());
        QCOMPARE(captured(), m_live.sums.captured);
    }

    /// While it catches up, the slider stays where it was put; backward that begins at the beginning.
    void aKeyCountsFromWhereItWasPut()
    {
        QWidget window;
        ReplayBar bar(&window);
        QSignalSpy sought(&bar, &ReplayBar::sought);
        auto *slider = bar.findChild<QSlider *>(QStringLiteral("replaySlider"));
        bar.begin(1000, 101'000);
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

    void stopEndsIt()
    {
        MainWindow window;
        window.show();
        open(window);
        window.findChild<QAction *>(QStringLiteral("actionReplay"))->trigger();
        QVERIFY(window.capture().gate());
        // Closed and begun again in the middle, as often as one likes.
        for (int i = 0; i < 5; ++i)
            window.findChild<QAction *>(QStringLiteral("replayRestart"))->trigger();
        QVERIFY(window.capture().gate());
        window.findChild<QAction *>(QStringLiteral("actionStop"))->trigger();
        QTRY_VERIFY(!window.capture().gate());
        QTRY_COMPARE_WITH_TIMEOUT(window.capture().accounting().captured, m_live.sums.captured, kPatienceMs);
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

    /// Until what was due has come, and it stands still.
    static void settle(const MainWindow &window)
    {
        QVERIFY(!window.capture().gate()->isPlaying());
        QTRY_VERIFY_WITH_TIMEOUT(window.capture().gate()->isWaiting(), kPatienceMs);
    }

    Seen see(MainWindow &window, const QString &name)
    {
        Seen seen;
        seen.now = window.capture().population()->now();
        seen.sums = window.capture().accounting();
        const auto isExporting = [&] {
            const auto bars = window.findChildren<ExportBar *>();
            return std::any_of(bars.begin(), bars.end(), [](const ExportBar *bar) { return bar->isRunning(); });
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
            else
                seen.sqlite = rowsOf(path);
        }
        // The models look on their own; twice the same is what they have come to.
        QStringList before;
        do {
            before = seen.stuck;
            QTest::qWait(1500);
            seen.stuck = shownIn(window, "stuckTree");
        } while (before != seen.stuck);
        seen.table = shownIn(window, "coroutineTable");
        seen.output = outputOf(window);
        return seen;
    }

    /// A shell line in which $SERVER is the server that loses wake-ups.
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
        QTRY_COMPARE_WITH_TIMEOUT(shownIn(window, "stuckTree"), live.stuck, kPatienceMs);
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
        for (qsizetype i = 0; i < seen.sqlite.size(); ++i)
            QCOMPARE(seen.sqlite[i], live.sqlite[i]);
    }

    gui::Sandbox m_sandbox;
    QString m_path;
    Seen m_live;
};

CT_QT_SUITE(TestReplayWindow)
#include "tst_replaywindow.moc"
