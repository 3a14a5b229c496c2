// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Clicks through the Run dialog: programs, shell lines, mistakes, Terminate, and closing the window.
#include "core/session/run.h"
#include "models/coroutinetablemodel.h"
#include "models/findingsmodel.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "tests/ui/lostwakeups.h"
#include "ui/dialogs/rundialog.h"
#include "ui/dialogs/runfields.h"
#include "ui/format/format.h"
#include "ui/mainwindow.h"
#include "ui/widgets/infobar.h"

#include <QCheckBox>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTextBrowser>
#include <QToolBar>

#include <csignal>
#include <deque>

using namespace ct;

namespace {

using ct::test::kPatienceMs;

template <class Widget>
Widget *child(QWidget &parent, const char *name)
{
    return parent.findChild<Widget *>(QLatin1String(name));
}

QWidget *openRunDialog(MainWindow &window)
{
    window.findChild<QAction *>(QStringLiteral("actionRun"))->trigger();
    return gui::topLevel<QWidget>("runDialog");
}

void runProgram(MainWindow &window, const QString &command, const QString &arguments)
{
    QWidget *dialog = openRunDialog(window);
    QVERIFY(dialog);
    child<QCheckBox>(*dialog, "runShell")->setChecked(false);
    child<QLineEdit>(*dialog, "runCommand")->setText(command);
    child<QLineEdit>(*dialog, "runArguments")->setText(arguments);
    QVERIFY(gui::click(dialog, "runStart"));
}

void runShell(MainWindow &window, const QString &line)
{
    QWidget *dialog = openRunDialog(window);
    QVERIFY(dialog);
    child<QCheckBox>(*dialog, "runShell")->setChecked(true);
    child<QLineEdit>(*dialog, "runCommand")->setText(line);
    QVERIFY(gui::click(dialog, "runStart"));
}

QString output(MainWindow &window)
{
    return child<QPlainTextEdit>(window, "outputText")->toPlainText();
}

}  // namespace

class TestRunDialog : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    void argumentsAreSplitLikeAShell_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("words");
        QTest::newRow("empty") << QString() << QStringList();
        QTest::newRow("plain") << QStringLiteral(" a  b\tc ") << QStringLiteral("a|b|c").split(u'|');
        QTest::newRow("quotes") << QStringLiteral("'a b' \"c d\"e") << QStringLiteral("a b|c de").split(u'|');
        QTest::newRow("empty word") << QStringLiteral("'' x") << QStringLiteral("|x").split(u'|');
        QTest::newRow("backslash") << QStringLiteral("a\\ b \"\\\"\\n\" '\\'")
                                   << QStringLiteral("a b|\"\\n|\\").split(u'|');
    }
    void argumentsAreSplitLikeAShell()
    {
        QFETCH(QString, text);
        QFETCH(QStringList, words);
        const auto split = splitArguments(text);
        QVERIFY(split);
        QStringList found;
        for (const std::string &word : *split)
            found << QString::fromStdString(word);
        QCOMPARE(found, words);
        QVERIFY(!splitArguments(QStringLiteral("a 'b")));
    }

    void recentRunsAreKept()
    {
        QSettings settings;
        RunFields form;
        form.command = QStringLiteral("/bin/true");
        form.arguments = QStringLiteral("--x 'y z'");
        form.environment = {{QStringLiteral("A"), QStringLiteral("1"), false}, {QStringLiteral("B"), {}, true}};
        form.stations = 77;
        RunFields other;
        other.shell = true;
        other.command = QStringLiteral("true | cat");
        addRecentRun(settings, form);
        addRecentRun(settings, other);
        addRecentRun(settings, form);
        QCOMPARE(recentRuns(settings).size(), 2);
        QVERIFY(recentRuns(settings)[0] == form);
        QVERIFY(recentRuns(settings)[1] == other);
    }

    void everyFieldReachesTheRequest()
    {
        RunDialog dialog;
        dialog.showLaunch();
        child<QLineEdit>(dialog, "runCommand")->setText(QStringLiteral(" /bin/program "));
        child<QLineEdit>(dialog, "runArguments")->setText(QStringLiteral("-x 'y z'"));
        child<QLineEdit>(dialog, "runDirectory")->setText(m_sandbox.path(QStringLiteral(".")));
        child<QSpinBox>(dialog, "runStations")->setValue(4321);
        auto *table = child<QTableWidget>(dialog, "runEnvironment");
        const char *const names[] = {"SET", "REMOVED", "EMPTY"};
        const char *const values[] = {"a value", "of no use", ""};
        for (int row = 0; row < 3; ++row) {
            QVERIFY(gui::click(&dialog, "runAddVariable"));
            table->item(row, 0)->setText(QLatin1String(names[row]));
            table->item(row, 1)->setText(QLatin1String(values[row]));
        }
        table->item(1, 0)->setCheckState(Qt::Unchecked);
        std::deque<StartRequest> requests;  // a deque keeps references valid
        connect(&dialog, &RunDialog::startRequested, this,
                [&requests](const StartRequest &request) { requests.push_back(request); });
        QVERIFY(gui::click(&dialog, "runStart"));
        QCOMPARE(requests.size(), 1U);
        const auto *spec = std::get_if<LaunchSpec>(&requests[0].what);
        QVERIFY(spec);
        QVERIFY(spec->argv == (std::vector<std::string>{"/bin/program", "-x", "y z"}));
        QVERIFY(spec->shellLine.empty());
        QCOMPARE(spec->workingDirectory, m_sandbox.path(QStringLiteral(".")).toStdString());
        QCOMPARE(requests[0].capture.stations, 4321U);
        QCOMPARE(spec->environment.size(), 3U);
        QVERIFY(spec->environment.at("SET") == "a value");
        QVERIFY(!spec->environment.at("REMOVED").has_value());
        QVERIFY(spec->environment.at("EMPTY") == "");
        dialog.close();
        // The fields of the next dialog contain the last launch.
        RunDialog next;
        next.showLaunch();
        QVERIFY(gui::click(&next, "runCancel"));
        connect(&next, &RunDialog::startRequested, this,
                [&requests](const StartRequest &request) { requests.push_back(request); });
        next.showLaunch();
        QVERIFY(gui::click(&next, "runStart"));
        QCOMPARE(requests.size(), 2U);
        const auto *again = std::get_if<LaunchSpec>(&requests[1].what);
        QVERIFY(again && again->argv == spec->argv && again->environment == spec->environment);
        QCOMPARE(again->workingDirectory, spec->workingDirectory);
        QCOMPARE(requests[1].capture.stations, 4321U);
        next.close();
    }

    void refusesAMissingDirectory()
    {
        RunFields form;
        form.command = QStringLiteral("true");
        form.directory = m_sandbox.path(QStringLiteral("nothing/here"));
        const Result<StartRequest> request = form.request();
        QVERIFY(!request);
        QVERIFY(QString::fromStdString(request.error().message).contains(form.directory));
    }

    void showsMistakesInTheDialog()
    {
        MainWindow window;
        window.show();
        runProgram(window, QString(), QString());
        QWidget *dialog = gui::topLevel<QWidget>("runDialog");
        QVERIFY(dialog);
        auto *error = child<QLabel>(*dialog, "runError");
        QVERIFY(error->isVisible());
        child<QLineEdit>(*dialog, "runCommand")->setText(QStringLiteral("/nonexistent/program"));
        QVERIFY(gui::click(dialog, "runStart"));
        QTRY_VERIFY(error->isVisible() && error->text().contains(QLatin1String("/nonexistent/program")));
        QVERIFY(dialog->isVisible());
        QCOMPARE(window.run().state(), RunState::Idle);
        QVERIFY(gui::click(dialog, "runCancel"));
    }

    void aShellLineRunsWithItsEnvironment()
    {
        MainWindow window;
        window.show();
        QWidget *dialog = openRunDialog(window);
        QVERIFY(dialog);
        QVERIFY(gui::click(dialog, "runAddVariable"));
        auto *table = child<QTableWidget>(*dialog, "runEnvironment");
        table->item(0, 0)->setText(QStringLiteral("CT_TEST_WORD"));
        table->item(0, 1)->setText(QStringLiteral("two words"));
        runShell(window, QStringLiteral("echo \"[$CT_TEST_WORD]\"; exit 3"));
        QVERIFY(!gui::topLevel<QWidget>("runDialog"));
        QTRY_VERIFY_WITH_TIMEOUT(output(window).contains(QLatin1String("[two words]")), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(output(window).contains(format::exitText({3, 0})), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QVERIFY(window.windowTitle().contains(QLatin1String("status 3")));
        // Nothing was traced: one sentence gives the reason, and a link shows a checklist and the lines to add.
        auto *bar = child<InfoBar>(window, "nothingTracedBar");
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kPatienceMs);
        QVERIFY(bar->text().contains(QLatin1String("never connected")));
        QVERIFY(!bar->text().contains(QLatin1String("InitTracer(); /*")));
        const auto *text = bar->findChild<QLabel *>(QStringLiteral("infoBarText"));
        QVERIFY(text && text->height() < 3 * text->fontMetrics().lineSpacing());
        Q_EMIT bar->linkActivated(QStringLiteral("checklist"));
        QVERIFY(bar->text().contains(QLatin1String("never connected")));
        QVERIFY(bar->text().contains(QLatin1String("InitTracer(); /*")));
        gui::takePicture(&window, "nothingtraced");
    }

    void inputReachesTheTarget()
    {
        MainWindow window;
        window.show();
        runShell(window, QStringLiteral("read line; echo \"got <$line>\""));
        window.findChild<QWidget *>(QStringLiteral("outputDock"))->raise();
        auto *input = child<QLineEdit>(window, "outputInput");
        QTRY_VERIFY(input->isVisible());
        QTest::keyClicks(input, QStringLiteral("hello"));
        QTest::keyClick(input, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(output(window).contains(QLatin1String("got <hello>")), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
    }

    void aServerIsWatchedAndTerminated()
    {
        MainWindow window;
        window.show();
        runProgram(window, gui::targetPath("ct_server_lossy"), QStringLiteral("--seconds 600"));
        QVERIFY(!gui::topLevel<QWidget>("runDialog"));
        auto *table = child<QTableView>(window, "coroutineTable");
        QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() > 10, kPatienceMs);
        QVERIFY(window.windowTitle().startsWith(QLatin1String("ct_server_lossy")));
        auto *findings = child<QAbstractItemView>(window, "findingsTree");
        QTRY_VERIFY_WITH_TIMEOUT(gui::lostWakeUp(window).isValid(), 4 * kPatienceMs);
        selectsInEveryView(window);
        findings->setCurrentIndex(gui::lostWakeUp(window));
        const QString evidence = child<QTextBrowser>(window, "findingEvidence")->toPlainText();
        QVERIFY2(evidence.contains(QLatin1String("Last transitions")), qPrintable(evidence));
        filtersBySite(window);
        gui::takePicture(&window, "lossy-light");
        window.findChild<QAction *>(QStringLiteral("actionThemeDark"))->trigger();
        QCoreApplication::processEvents();
        gui::takePicture(&window, "lossy-dark");
        window.findChild<QAction *>(QStringLiteral("actionThemeLight"))->trigger();
        window.findChild<QAction *>(QStringLiteral("actionTerminate"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QVERIFY(!window.run().targetRuns());
        const Accounting sums = window.run().accounting();
        QCOMPARE(window.run().population()->captured(), sums.captured);
    }

    void pausingKeepsTheViewsStill()
    {
        MainWindow window;
        window.show();
        runProgram(window, gui::targetPath("ct_server_lossy"), QStringLiteral("--seconds 600"));
        auto *table = child<QTableView>(window, "coroutineTable");
        QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() > 10, kPatienceMs);
        auto *pause = window.findChild<QAction *>(QStringLiteral("actionPause"));
        pause->trigger();
        const QVariant events = table->model()->index(0, CoroutineTableModel::EventsColumn).data();
        const std::uint64_t captured = window.run().accounting().captured;
        QTRY_VERIFY_WITH_TIMEOUT(window.run().accounting().captured > captured, kPatienceMs);
        QCOMPARE(table->model()->index(0, CoroutineTableModel::EventsColumn).data(), events);
        pause->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(table->model()->index(0, CoroutineTableModel::EventsColumn).data() != events,
                                 kPatienceMs);
        window.run().terminateTarget();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
    }

    void tracingIsSwitchedOffAndOn()
    {
        MainWindow window;
        window.show();
        auto *tracing = window.findChild<QAction *>(QStringLiteral("actionTracing"));
        QVERIFY(!tracing->isEnabled());
        QVERIFY(tracing->isChecked());
        runProgram(window, gui::targetPath("ct_server_lossy"), QStringLiteral("--seconds 600"));
        QTRY_VERIFY_WITH_TIMEOUT(window.run().accounting().captured > 1000, kPatienceMs);
        QVERIFY(tracing->isEnabled());
        QWidget *button = child<QToolBar>(window, "mainToolBar")->widgetForAction(tracing);
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(!tracing->isChecked());
        QVERIFY(window.windowTitle().contains(QLatin1String("tracing is off")));
        QCOMPARE(tracing->text(), QStringLiteral("T&racing is off"));
        QTRY_VERIFY_WITH_TIMEOUT(window.run().accounting().paused, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!window.run().population()->switches().empty(), kPatienceMs);
        gui::takePicture(&window, "tracing-off");
        tracing->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!window.run().accounting().paused, kPatienceMs);
        QVERIFY(!window.windowTitle().contains(QLatin1String("tracing is off")));
        QCOMPARE(tracing->text(), QStringLiteral("T&racing"));
        // Coroutines from before the switch are traced again, too.
        const std::uint64_t events = window.run().population()->at(0).events;
        QTRY_VERIFY_WITH_TIMEOUT(window.run().population()->at(0).events > events, kPatienceMs);
        gui::takePicture(&window, "tracing-on-again");
        window.run().terminateTarget();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QVERIFY(!tracing->isEnabled());
    }

    void closingCanLeaveTheTargetRunning()
    {
        auto window = std::make_unique<MainWindow>();
        window->show();
        runProgram(*window, gui::targetPath("ct_server_lossy"), QStringLiteral("--seconds 600"));
        QTRY_VERIFY_WITH_TIMEOUT(window->run().state() == RunState::Capturing, kPatienceMs);
        const pid_t pid = window->run().launchedPid();
        QVERIFY(pid > 0);
        const QString region = window->run().environment().regionPath;
        window->close();
        QTRY_VERIFY(gui::topLevel<QWidget>("runningTargetBox"));
        QVERIFY(window->isVisible());
        QTest::keyClick(gui::topLevel<QWidget>("runningTargetBox"), Qt::Key_Escape);
        QTRY_VERIFY(!gui::topLevel<QWidget>("runningTargetBox"));
        QVERIFY(window->isVisible());
        window->close();
        QTRY_VERIFY(gui::topLevel<QWidget>("runningTargetBox"));
        auto *box = gui::topLevel<QMessageBox>("runningTargetBox");
        gui::takePicture(box, "closing");
        // Return leaves the target running.
        QVERIFY(box->defaultButton());
        QCOMPARE(box->defaultButton()->objectName(), QStringLiteral("leaveRunningButton"));
        QTest::keyClick(box, Qt::Key_Return);
        QTRY_VERIFY(!window->isVisible());
        window.reset();
        // The target is still running, and a window can attach to it again.
        QCOMPARE(::kill(pid, 0), 0);
        {
            MainWindow second;
            second.show();
            second.openFile(region);
            QTRY_VERIFY_WITH_TIMEOUT(second.run().accounting().captured > 0, kPatienceMs);
            QCOMPARE(::kill(-pid, SIGTERM), 0);
            QTRY_COMPARE_WITH_TIMEOUT(::kill(pid, 0), -1, kPatienceMs);
            second.run().stop();
            QTRY_COMPARE_WITH_TIMEOUT(second.run().state(), RunState::Ended, kPatienceMs);
        }
        QFile::remove(region);
    }

    void aNewRunReplacesATerminatedRun()
    {
        MainWindow window;
        window.show();
        runShell(window, QStringLiteral("exec sleep 1000"));
        QTRY_VERIFY_WITH_TIMEOUT(window.run().targetRuns(), kPatienceMs);
        runProgram(window, gui::targetPath("ct_server_lossy"), QStringLiteral("--seconds 600"));
        QTRY_VERIFY(gui::topLevel<QWidget>("runningTargetBox"));
        QVERIFY(gui::click(gui::topLevel<QWidget>("runningTargetBox"), "terminateButton"));
        QTRY_VERIFY_WITH_TIMEOUT(window.windowTitle().startsWith(QLatin1String("ct_server_lossy")), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(window.run().accounting().captured > 0, kPatienceMs);
        window.run().terminateTarget();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
    }

    /// A closing window waits for a target that ignores SIGTERM. Another run replaces that target first, so the window
    /// stays open.
    void aRunThatReplacesATerminatingTargetKeepsTheWindowOpen()
    {
        MainWindow window;
        window.show();
        runShell(window, QStringLiteral("trap '' TERM; echo ready; while :; do sleep 0.1; done"));
        QTRY_VERIFY_WITH_TIMEOUT(output(window).contains(QLatin1String("ready")), kPatienceMs);
        const pid_t ignoring = window.run().launchedPid();
        QVERIFY(ignoring > 0);
        window.close();
        QTRY_VERIFY(gui::topLevel<QWidget>("runningTargetBox"));
        QVERIFY(gui::click(gui::topLevel<QWidget>("runningTargetBox"), "terminateButton"));
        QTRY_VERIFY(!gui::topLevel<QWidget>("runningTargetBox"));
        runShell(window, QStringLiteral("exec sleep 1000"));
        QTRY_VERIFY(gui::topLevel<QWidget>("runningTargetBox"));
        QVERIFY(gui::click(gui::topLevel<QWidget>("runningTargetBox"), "leaveRunningButton"));
        QTRY_VERIFY_WITH_TIMEOUT(window.run().targetRuns() && window.run().launchedPid() != ignoring, kPatienceMs);
        window.run().terminateTarget();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QCoreApplication::processEvents();  // a call of close() would have been queued
        QVERIFY(window.isVisible());
        ::kill(-ignoring, SIGKILL);
    }

    void closingCanTerminateTheTarget()
    {
        MainWindow window;
        window.show();
        runShell(window, QStringLiteral("exec sleep 1000"));
        QTRY_VERIFY_WITH_TIMEOUT(window.run().targetRuns(), kPatienceMs);
        window.close();
        QTRY_VERIFY(gui::topLevel<QWidget>("runningTargetBox"));
        QVERIFY(gui::click(gui::topLevel<QWidget>("runningTargetBox"), "terminateButton"));
        QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), kPatienceMs);
        QVERIFY(!window.run().targetRuns());
    }

    void aCancelledCloseSendsNoSignal()
    {
        MainWindow window;
        window.show();
        runShell(window,
                 QStringLiteral("trap 'exit 9' TERM; echo ready; while read line; do echo \"got <$line>\"; done"));
        QTRY_VERIFY_WITH_TIMEOUT(output(window).contains(QLatin1String("ready")), kPatienceMs);
        window.close();
        QTRY_VERIFY(gui::topLevel<QWidget>("runningTargetBox"));
        QVERIFY(gui::click(gui::topLevel<QWidget>("runningTargetBox"), "cancelButton"));
        QTRY_VERIFY(!gui::topLevel<QWidget>("runningTargetBox"));
        // A signal would have ended the target before it answers.
        window.findChild<QWidget *>(QStringLiteral("outputDock"))->raise();
        auto *input = child<QLineEdit>(window, "outputInput");
        QTRY_VERIFY(input->isVisible());
        QTest::keyClicks(input, QStringLiteral("hello"));
        QTest::keyClick(input, Qt::Key_Return);
        const auto answered = [&window] { return output(window).contains(QLatin1String("got <hello>")); };
        QTRY_VERIFY_WITH_TIMEOUT(answered() || !window.run().targetRuns(), kPatienceMs);
        QVERIFY(answered());
        QVERIFY(window.isVisible());
        QVERIFY(window.run().targetRuns());
        window.run().terminateTarget();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
    }

    void listenTabShowsCommandsToCopy()
    {
        MainWindow window;
        window.show();
        QWidget *dialog = openRunDialog(window);
        QVERIFY(dialog);
        auto *tabs = child<QTabWidget>(*dialog, "runTabs");
        tabs->setCurrentIndex(1);
        child<QSpinBox>(*dialog, "listenStations")->setValue(4096);
        QVERIFY(gui::click(dialog, "runStart"));
        QTRY_COMPARE(window.run().state(), RunState::Waiting);
        auto *line = child<QPlainTextEdit>(*dialog, "listenShell");
        QVERIFY(line->isVisible());
        QVERIFY(line->toPlainText().contains(window.run().environment().regionPath));
        QVERIFY(line->toPlainText().contains(QLatin1String("CTP_MAX_STATIONS=4096")));
        QVERIFY(gui::click(dialog, "listenShellCopy"));
        QCOMPARE(QGuiApplication::clipboard()->text(), line->toPlainText());
        gui::takePicture(dialog, "listening");
        QVERIFY(gui::click(dialog, "runStart"));
        QVERIFY(!dialog->isVisible());
        window.findChild<QAction *>(QStringLiteral("actionStop"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
    }

private:
    void selectsInEveryView(MainWindow &window)
    {
        auto *table = child<QTableView>(window, "coroutineTable");
        table->setCurrentIndex(table->model()->index(3, 0));
        QTRY_VERIFY(child<QLabel>(window, "detailsTitle")
                        ->text()
                        .contains(table->model()->index(table->currentIndex().row(), 0).data().toString()));
        QTRY_VERIFY(child<QAbstractItemView>(window, "detailsEvents")->model()->rowCount() > 0);
    }

    void filtersBySite(MainWindow &window)
    {
        auto *findings = child<QAbstractItemView>(window, "findingsTree");
        auto *filter = child<QLineEdit>(window, "coroutineFilter");
        Q_EMIT findings->doubleClicked(findings->currentIndex());
        QVERIFY(filter->text().contains(QLatin1String("server.cpp:")));
        auto *table = child<QTableView>(window, "coroutineTable");
        const auto total = static_cast<int>(window.run().population()->size());
        QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() > 0 && table->model()->rowCount() < total, kPatienceMs);
        filter->clear();
        QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() >= total, kPatienceMs);
    }

    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestRunDialog)
#include "tst_rundialog.moc"
