// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/format/theme.h"
#include "ui/mainwindow.h"
#include "ui/widgets/infobar.h"
#include "ui/widgets/startpage.h"
#include "ui/widgets/statusbar.h"

#include <QDockWidget>
#include <QLabel>
#include <QLayout>
#include <QMenu>
#include <QTableView>
#include <QTreeView>

using namespace ct;

namespace {

const char *const kDocks[] = {"coroutineDock",  "timelineDock", "findingsDock",   "creationDock",
                              "detailsDock",    "outputDock",   "throughputDock", "captureDock",
                              "recordingsDock", "stacksDock",   "graphDock",      "queryDock"};

QDockWidget *dock(const MainWindow &window, const char *name)
{
    return window.findChild<QDockWidget *>(QLatin1String(name));
}

}  // namespace

class TestMainWindow : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    void everyViewIsADock()
    {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window, ct::test::kPatienceMs));
        const auto *menu = window.findChild<QMenu *>(QStringLiteral("viewMenu"));
        QVERIFY(menu);
        for (const char *name : kDocks) {
            QDockWidget *view = dock(window, name);
            QVERIFY2(view, name);
            QVERIFY2(menu->findChild<QAction *>(QLatin1String("show_") + QLatin1String(name)), name);
            QVERIFY2(!view->isHidden(), name);
        }
        // The most important docks are in front of the others in their tabs.
        for (const char *name : {"coroutineDock", "timelineDock", "findingsDock", "detailsDock", "throughputDock"})
            QTRY_VERIFY2(!dock(window, name)->visibleRegion().isEmpty(), name);
        gui::takePicture(&window, "empty");
    }

    void theViewMenuBringsADockToTheFront()
    {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window, ct::test::kPatienceMs));
        const auto *menu = window.findChild<QMenu *>(QStringLiteral("viewMenu"));
        auto *query = menu->findChild<QAction *>(QStringLiteral("show_queryDock"));
        auto *timeline = menu->findChild<QAction *>(QStringLiteral("show_timelineDock"));
        QTRY_VERIFY(timeline->isChecked() && !query->isChecked());
        query->trigger();
        QTRY_VERIFY(!dock(window, "queryDock")->visibleRegion().isEmpty());
        QTRY_VERIFY(query->isChecked() && !timeline->isChecked());
        query->trigger();
        QTRY_VERIFY(dock(window, "queryDock")->isHidden());
        QVERIFY(!query->isChecked());
    }

    void startPageOffersThreeWays()
    {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window, ct::test::kPatienceMs));
        auto *page = window.findChild<QWidget *>(QStringLiteral("startPage"));
        QVERIFY(page && page->isVisible());
        QVERIFY(gui::click(page, "startRunButton"));
        QTRY_VERIFY(gui::topLevel<QWidget>("runDialog"));
        gui::takePicture(gui::topLevel<QWidget>("runDialog"), "rundialog");
        gui::topLevel<QWidget>("runDialog")->close();
        QVERIFY(gui::click(page, "startAttachButton"));
        QTRY_VERIFY(gui::topLevel<QWidget>("attachDialog"));
        gui::takePicture(gui::topLevel<QWidget>("attachDialog"), "attachdialog");
        gui::topLevel<QWidget>("attachDialog")->close();
        QVERIFY(gui::click(page, "startOpenButton"));
        QTRY_VERIFY(gui::topLevel<QWidget>("openFileDialog"));
        gui::topLevel<QWidget>("openFileDialog")->close();
    }

    /// The path of a program or region is never read as HTML, and its control characters are escaped.
    void startPageShowsPathsVerbatim()
    {
        QAction action;
        StartPage page(&action, &action, &action);
        page.showMessage(QStringLiteral("Waiting"), QStringLiteral("<b>x</b>\x1b[2J\nnext"), false);
        const QList<QLabel *> labels = page.findChildren<QLabel *>();
        const auto path = std::find_if(labels.begin(), labels.end(), [](const QLabel *label) {
            return label->text() == QLatin1String("<b>x</b>\\x1b[2J\nnext");
        });
        QVERIFY(path != labels.end());
        QCOMPARE((*path)->textFormat(), Qt::PlainText);
    }

    void exportAndStopAreDisabledWithoutARun()
    {
        MainWindow window;
        for (const char *name : {"actionExportSQLite", "actionExportCSV", "actionStop", "actionTerminate"}) {
            const auto *action = window.findChild<QAction *>(QLatin1String(name));
            QVERIFY2(action && !action->isEnabled(), name);
        }
        QCOMPARE(window.windowTitle(), QStringLiteral("corotracer-gui"));
    }

    void layoutIsRestored()
    {
        {
            MainWindow window;
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window, ct::test::kPatienceMs));
            dock(window, "detailsDock")->hide();
            window.resize(1111, 777);
            window.close();
        }
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window, ct::test::kPatienceMs));
        QVERIFY(dock(window, "detailsDock")->isHidden());
        QTRY_COMPARE(window.size(), QSize(1111, 777));
        window.findChild<QAction *>(QStringLiteral("actionResetLayout"))->trigger();
        QVERIFY(!dock(window, "detailsDock")->isHidden());
    }

    void themesApplyAndAreRemembered()
    {
        MainWindow window;
        window.findChild<QAction *>(QStringLiteral("actionThemeDark"))->trigger();
        QCOMPARE(QApplication::palette().color(QPalette::Base), darkPalette().color(QPalette::Base));
        QCOMPARE(savedTheme(QSettings()), Theme::Dark);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window, ct::test::kPatienceMs));
        gui::takePicture(&window, "empty-dark");
        window.findChild<QAction *>(QStringLiteral("actionThemeLight"))->trigger();
        QCOMPARE(QApplication::palette().color(QPalette::Base), lightPalette().color(QPalette::Base));
    }

    void reportsAFailedStart()
    {
        MainWindow window;
        window.show();
        StartRequest request;
        LaunchSpec spec;
        spec.argv = {"/nonexistent/program"};
        request.what = spec;
        window.start(request);
        QTRY_VERIFY(gui::topLevel<QWidget>("errorBox"));
        gui::topLevel<QWidget>("errorBox")->close();
        QCOMPARE(window.run().state(), RunState::Idle);
    }

    /// The loss is shown even while it is zero, and stands out once it is not.
    void theStatusBarShowsEverySum()
    {
        StatusBar bar;
        bar.resize(1400, 40);
        bar.show();
        QVERIFY(QTest::qWaitForWindowExposed(&bar, ct::test::kPatienceMs));
        const auto shown = [&bar](const char *name) {
            const auto *label = bar.findChild<QLabel *>(QLatin1String(name));
            return label && label->isVisible() ? label->text() : QStringLiteral("hidden");
        };
        QCOMPARE(shown("statusLost"), QStringLiteral("0 lost"));
        QCOMPARE(shown("statusUntraced"), QStringLiteral("0 untraced"));
        QCOMPARE(shown("statusEvents"), QStringLiteral("0 events"));
        QCOMPARE(shown("statusFull"), QStringLiteral("hidden"));
        Accounting sums;
        sums.captured = 12;
        sums.lost = 34;
        sums.untraced = 56;
        sums.missedBeforeAttach = 78;
        sums.stationsMax = 8;
        sums.stationsAllocated = 9;
        sums.growthStopped = true;
        bar.showSums(sums, 0);
        QCOMPARE(shown("statusEvents"), QStringLiteral("12 events"));
        QCOMPARE(shown("statusMissed"), QStringLiteral("78 missed before attach"));
        const std::pair<const char *, const char *> warnings[] = {
            {"statusLost", ">34 lost<"}, {"statusUntraced", ">56 untraced<"}, {"statusFull", ">region full<"}};
        for (const auto &[name, text] : warnings) {
            QVERIFY2(shown(name).contains(QLatin1String(text)), qPrintable(shown(name)));
            QVERIFY2(shown(name).startsWith(QLatin1String("<b ")), name);
        }
        QVERIFY(shown("statusStations").startsWith(QLatin1String("<b ")));
    }

    void loadsARecording()
    {
        const QString path = smallRecording();
        MainWindow window;
        window.show();
        window.openFile(path);
        auto *table = window.findChild<QTableView *>(QStringLiteral("coroutineTable"));
        QTRY_COMPARE(window.run().state(), RunState::Ended);
        QTRY_COMPARE(table->model()->rowCount(), 25);
        QVERIFY(window.windowTitle().startsWith(QLatin1String("small.jsonl")));
        QTRY_VERIFY(window.findChild<QLabel *>(QStringLiteral("statusEvents"))->text().startsWith(u'1'));
    }

    void reportsCoroutineOverflow()
    {
        const QString path = smallRecording();
        MainWindow window;
        window.show();
        window.setMostCoroutines(20);
        window.openFile(path);
        QTRY_COMPARE(window.run().state(), RunState::Ended);
        QCOMPARE(window.run().accounting().coroutines, 25U);
        QCOMPARE(window.run().accounting().overflowCoroutines, 5U);
        QCOMPARE(window.run().accounting().overflowEvents, 20U);
        const auto *table = window.findChild<QTableView *>(QStringLiteral("coroutineTable"));
        QTRY_COMPARE(table->model()->rowCount(), 20);
        const auto *notice = window.findChild<InfoBar *>(QStringLiteral("noticeBar"));
        QVERIFY(notice);
        QTRY_VERIFY(notice->isVisible() && notice->text().contains(QLatin1String("more than 20 coroutines")));
        // A capture with enough room shows no notice.
        window.setMostCoroutines(Population::kMostCoroutines);
        window.openFile(path);
        QTRY_COMPARE(table->model()->rowCount(), 25);
        QTRY_COMPARE(window.run().state(), RunState::Ended);
        QVERIFY(!notice->isVisible());
    }

    /// All lines of a long notice are visible, when it appears and when it changes.
    void longNoticesFit()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window, ct::test::kPatienceMs));
        auto *notice = window.findChild<InfoBar *>(QStringLiteral("noticeBar"));
        const auto fits = [notice] {
            return notice->isVisible() && notice->height() >= notice->layout()->heightForWidth(notice->width());
        };
        const QString path =
            QStringLiteral("/home/somebody/.cache/corotracer-gui/corotracer-gui/recordings/2026-11-22");
        Q_EMIT window.run().noticeAdded(path + QStringLiteral(" is one of several words. ").repeated(9));
        QTRY_VERIFY2(fits(), qPrintable(QStringLiteral("%1 of %2 at %3")
                                            .arg(notice->height())
                                            .arg(notice->layout()->heightForWidth(notice->width()))
                                            .arg(notice->width())));
        Q_EMIT window.run().noticeAdded(path + QStringLiteral(" is another one of them. ").repeated(9));
        QTRY_VERIFY(fits());
        gui::takePicture(&window, "longnotice");
    }

    /// A window fits on a small laptop screen, with all its bars, while it shows a finding and the details of a
    /// coroutine.
    void fitsOnASmallScreen()
    {
        constexpr QSize kSmall(1280, 740);  // of 1280 x 800, less a panel and a title bar
        MainWindow window;
        window.resize(kSmall);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window, ct::test::kPatienceMs));
        window.openFile(QString::fromStdString(ct::test::kSourceDir) +
                        QStringLiteral("/tests/corpus/recordings/causes/await-cycle.broken.ctr"));
        QTRY_COMPARE(window.run().state(), RunState::Ended);
        auto *findings = window.findChild<QTreeView *>(QStringLiteral("findingsTree"));
        QTRY_VERIFY(findings->model()->rowCount() > 0);
        QTest::keyClick(findings, Qt::Key_Down);
        auto *table = window.findChild<QTableView *>(QStringLiteral("coroutineTable"));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(1, 1)).center());
        const auto *chain = window.findChild<QLabel *>(QStringLiteral("detailsChain"));
        QTRY_VERIFY(chain->isVisible());
        gui::takePicture(&window, "small-screen");
        QCOMPARE(window.size(), kSmall);
    }

private:
    /// 25 coroutines with four events each.
    QString smallRecording()
    {
        QFile file(m_sandbox.path(QStringLiteral("small.jsonl")));
        if (!file.open(QIODevice::WriteOnly))
            return {};
        for (int i = 0; i < 100; ++i)
            file.write(QStringLiteral("{\"probe_id\":%1,\"tid\":7,\"addr\":\"0x0000000000001234\",\"seq\":%2,"
                                      "\"is_active\":%3,\"ts\":%4}\n")
                           .arg(i / 4)
                           .arg(2)
                           .arg(i % 2 == 0 ? QStringLiteral("true") : QStringLiteral("false"))
                           .arg(1000000 + i * 1000)
                           .toLatin1());
        return file.fileName();
    }

    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestMainWindow)
#include "tst_mainwindow.moc"
