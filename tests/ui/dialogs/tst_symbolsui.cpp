// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Targets built with existing SDKs: the window shows functions and lines instead of addresses, live and from the
// recording of an ended process. Without debug information, it says what to do.
#include "core/recording/read/segments.h"
#include "core/session/run.h"
#include "models/coroutinetablemodel.h"
#include "models/findingsmodel.h"
#include "tests/core/symbols/programrun.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/dialogs/symboldialog.h"
#include "ui/format/theme.h"
#include "ui/mainwindow.h"
#include "ui/timeline/timelinescene.h"
#include "ui/timeline/timelineview.h"

#include <QAction>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QTableView>
#include <QToolTip>
#include <QTreeView>

#include <csignal>

using namespace ct;
using Model = CoroutineTableModel;

namespace {

using ct::test::kPatienceMs;
constexpr CoroutineId kTaker = 0;
constexpr CoroutineId kFetcher = 1;

StartRequest launchOf(const char *name, const char *coroutines = "3")
{
    LaunchSpec spec;
    spec.argv = {made::path(name), "6000", coroutines};
    StartRequest request;
    request.what = spec;
    return request;
}

QString fetchLocation()
{
#if defined(__x86_64__)
    return QStringLiteral("fetch_from_the_far_side waiting.cpp:%1").arg(made::marked("waiting.cpp", "fetch"));
#else
    return QStringLiteral("fetch_from_the_far_side");
#endif
}

struct Window {
    MainWindow window;
    QTableView *table = window.findChild<QTableView *>(QStringLiteral("coroutineTable"));
    QTreeView *findings = window.findChild<QTreeView *>(QStringLiteral("findingsTree"));

    Window()
    {
        window.resize(1500, 900);
        window.show();
    }
    ~Window() { killTarget(); }
    Window(const Window &) = delete;
    Window &operator=(const Window &) = delete;

    QModelIndex cell(CoroutineId id, int column) const
    {
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            const QModelIndex index = table->model()->index(row, column);
            if (index.data(Model::CoroutineIdRole).toUInt() == id)
                return index;
        }
        return {};
    }
    QString text(CoroutineId id, int column) const { return cell(id, column).data().toString(); }
    /// "3 at f() a.cpp:1": the first finding.
    QString finding() const
    {
        const QModelIndex first = findings->model()->index(0, FindingsModel::CountColumn);
        return first.data().toString() + QStringLiteral(" at ") +
               first.siblingAtColumn(FindingsModel::WhereColumn).data().toString();
    }
    QString where(CoroutineId id) const { return text(id, Model::WhereColumn); }
    QString field(const char *name) const { return window.findChild<QLineEdit *>(QLatin1String(name))->text(); }
    QString tip(const char *name) const { return window.findChild<QLineEdit *>(QLatin1String(name))->toolTip(); }
    void click(CoroutineId id) const
    {
        const QModelIndex index = cell(id, Model::IdColumn);
        table->scrollTo(index);
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(index).center());
    }
    /// The tooltip of a row's label in the timeline.
    QString timelineToolTip(int row)
    {
        QWidget *area = window.findChild<TimelineView *>()->viewport();
        const QPoint at(20,
                        TimelineScene::kAxisHeight + row * TimelineScene::kRowHeight + TimelineScene::kRowHeight / 2);
        QHelpEvent event(QEvent::ToolTip, at, area->mapToGlobal(at));
        QCoreApplication::sendEvent(area, &event);
        const QString text = QToolTip::text();
        QToolTip::hideText();
        return text;
    }
    void killTarget()
    {
        if (window.run().targetRuns())
            ::kill(window.run().launchedPid(), SIGKILL);
        static_cast<void>(QTest::qWaitFor([this] { return !window.run().targetRuns(); }, kPatienceMs));
    }
};

}  // namespace

class TestSymbolsUi : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    void showsFunctionsAndLinesOfALiveTarget_data()
    {
        QTest::addColumn<QString>("program");
        QTest::newRow("g++") << QStringLiteral("waiting_gxx");
        QTest::newRow("clang") << QStringLiteral("waiting_clang");
    }
    void showsFunctionsAndLinesOfALiveTarget()
    {
        QFETCH(QString, program);
        if (!made::exists(program.toStdString()))
            CT_QSKIP("its compiler is missing here");
        Window w;
        w.window.start(launchOf(program.toLatin1().constData()));
        QTRY_COMPARE_WITH_TIMEOUT(w.where(kFetcher), fetchLocation(), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(w.where(kTaker).startsWith(QLatin1String("taker")), kPatienceMs);
        QCOMPARE(w.text(kFetcher, Model::NameColumn), QStringLiteral("work::fetch_from_the_far_side"));
        const QString tip = w.cell(kFetcher, Model::WhereColumn).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QLatin1String("std::vector<std::pair<unsigned int, double>")), qPrintable(tip));
        QVERIFY2(tip.contains(program), qPrintable(tip));

        // Coroutines of one location are one finding, although each has its own address.
        QTRY_COMPARE_WITH_TIMEOUT(w.finding(), QStringLiteral("3 at ") + fetchLocation(), kPatienceMs);
        QCOMPARE(w.findings->model()->rowCount(), 1);

        w.click(kFetcher);
        QTRY_VERIFY_WITH_TIMEOUT(w.field("detailsFunction").startsWith(QLatin1String("work::fetch_from_the_far_side(")),
                                 kPatienceMs);
        QVERIFY(w.tip("detailsLocation").contains(program));
        QVERIFY(w.field("detailsModule").endsWith(program));
        QVERIFY(w.window.findChild<QLineEdit *>(QStringLiteral("detailsModule"))->isVisible());
        QVERIFY(!w.window.findChild<QLineEdit *>(QStringLiteral("detailsInlined"))->isVisible());
        const QString timelineTip = w.timelineToolTip(kFetcher);
        QVERIFY2(timelineTip.contains(fetchLocation().section(u' ', -1)), qPrintable(timelineTip));
        QVERIFY(timelineTip.contains(QLatin1String("work::fetch_from_the_far_side(")));
        takePictures(w, program);

        auto *filter = w.window.findChild<QLineEdit *>(QStringLiteral("coroutineFilter"));
        QTest::keyClicks(filter, QStringLiteral("far_side"));
        QTRY_COMPARE_WITH_TIMEOUT(w.table->model()->rowCount(), 3, kPatienceMs);
        filter->clear();
        w.table->sortByColumn(Model::WhereColumn, Qt::AscendingOrder);
        QTRY_COMPARE_WITH_TIMEOUT(w.table->model()->index(5, Model::WhereColumn).data().toString(), fetchLocation(),
                                  kPatienceMs);
    }

    void recordingHasTheLocationsOfAnEndedTarget()
    {
        std::string path;
        {
            Window w;
            w.window.start(launchOf("waiting_gxx"));
            for (const CoroutineId id : {1U, 3U, 5U})
                QTRY_COMPARE_WITH_TIMEOUT(w.where(id), fetchLocation(), kPatienceMs);
            for (const CoroutineId id : {0U, 2U, 4U})
                QTRY_VERIFY_WITH_TIMEOUT(w.where(id).startsWith(QLatin1String("taker")), kPatienceMs);
            // Time stands still in a recording: the coroutines must be found before the target is killed.
            QTRY_COMPARE_WITH_TIMEOUT(w.finding(), QStringLiteral("3 at ") + fetchLocation(), kPatienceMs);
            w.killTarget();
            QTRY_COMPARE_WITH_TIMEOUT(w.window.run().state(), RunState::Ended, kPatienceMs);
            QCOMPARE(w.where(kFetcher), fetchLocation());
            path = ctr::segmentPath(w.window.run().recordingPath(), 0);
        }
        Window again;
        again.window.openFile(QString::fromStdString(path));
        QTRY_COMPARE_WITH_TIMEOUT(again.window.run().state(), RunState::Ended, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(again.where(kFetcher), fetchLocation(), kPatienceMs);
        QVERIFY(again.where(kTaker).startsWith(QLatin1String("taker")));
        QTRY_COMPARE_WITH_TIMEOUT(again.finding(), QStringLiteral("3 at ") + fetchLocation(), kPatienceMs);
        again.click(kFetcher);
        QTRY_VERIFY_WITH_TIMEOUT(again.tip("detailsLocation").contains(QLatin1String("waiting_gxx")), kPatienceMs);
        const QString picture = QStringLiteral("symbols-recording");
        gui::takePicture(&again.window, picture.toLatin1().constData());
    }

    /// The last frames that were read are compared when the stream is complete, by the window and its recording alike.
    void recordingHasTheLocationsOfATargetKilledEarly()
    {
        bool any = false;
        // The kill may interrupt the reading, hence up to 10 runs. It usually ends within milliseconds.
        for (int run = 0; run < 10 && !any; ++run) {
            Window w;
            w.window.start(launchOf("waiting_gxx"));
            const std::shared_ptr<AddressResolver> resolver = w.window.run().resolver();
            QTRY_COMPARE_WITH_TIMEOUT(w.table->model()->rowCount(), 6, kPatienceMs);
            QTRY_VERIFY_WITH_TIMEOUT(resolver->isRead() && !resolver->isIdle(), kPatienceMs);
            w.killTarget();
            QTRY_COMPARE_WITH_TIMEOUT(w.window.run().state(), RunState::Ended, kPatienceMs);
            QTRY_VERIFY_WITH_TIMEOUT(resolver->isIdle(), kPatienceMs);
            Window again;
            again.window.openFile(QString::fromStdString(ctr::segmentPath(w.window.run().recordingPath(), 0)));
            QTRY_COMPARE_WITH_TIMEOUT(again.window.run().state(), RunState::Ended, kPatienceMs);
            for (CoroutineId id = 0; id < 6; ++id) {
                QTRY_VERIFY_WITH_TIMEOUT(!again.where(id).isEmpty(), kPatienceMs);
                QTRY_COMPARE_WITH_TIMEOUT(again.where(id), w.where(id), kPatienceMs);
                QCOMPARE(again.text(id, Model::NameColumn), w.text(id, Model::NameColumn));
            }
            any = w.where(kFetcher).startsWith(QLatin1String("fetch_from_the_far_side"));
        }
        QVERIFY(any);
    }

    void showsTheRemedyForAStrippedTarget()
    {
        Window w;
        w.window.start(launchOf("waiting_stripped"));
        auto *bar = w.window.findChild<QWidget *>(QStringLiteral("noticeBar"));
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kPatienceMs);
        QVERIFY(w.where(kFetcher).startsWith(QLatin1String("0x")));
        w.click(kFetcher);
        QTRY_VERIFY_WITH_TIMEOUT(w.field("detailsMissing").contains(QLatin1String("-g")), kPatienceMs);
        QVERIFY(w.cell(kFetcher, Model::WhereColumn).data(Qt::ToolTipRole).toString().contains(QLatin1String("-g")));
        QString notices;
        for (const QLabel *label : bar->findChildren<QLabel *>())
            notices += label->text();
        QCOMPARE(notices.count(QLatin1String("Some addresses have no function")), 1);
        gui::takePicture(&w.window, "symbols-stripped");
    }

    void resolvesWithAFolderOfDebugFiles()
    {
        if (!made::exists("waiting_bare"))
            CT_QSKIP("there is no objcopy here");
        Window w;
        w.window.start(launchOf("waiting_bare"));
        auto *bar = w.window.findChild<QWidget *>(QStringLiteral("noticeBar"));
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kPatienceMs);
        QVERIFY(w.where(kFetcher).startsWith(QLatin1String("0x")));
        w.window.findChild<QAction *>(QStringLiteral("actionDebugFiles"))->trigger();
        auto *dialog = gui::topLevel<SymbolDialog>("symbolDialog");
        QVERIFY(dialog);
        dialog->addFolder(
            QStringLiteral("/a/folder/with/a/long/name/that/is/not/there/at/all/but/is/kept/all/the/same"));
        dialog->addFolder(QString::fromStdString(made::path("apart")));
        dialog->addFolder(QString::fromStdString(made::path("apart")));
        auto *folders = dialog->findChild<QListWidget *>(QStringLiteral("symbolFolders"));
        QCOMPARE(folders->count(), 2);
        gui::takePicture(dialog, "symbols-dialog");
        folders->setCurrentRow(0);
        QVERIFY(gui::click(dialog, "removeFolderButton"));
        QVERIFY(gui::click(dialog, "symbolOkButton"));
        QTRY_COMPARE_WITH_TIMEOUT(w.where(kFetcher), fetchLocation(), kPatienceMs);
        QCOMPARE(SymbolSettings::load(QSettings()).folders, QStringList{QString::fromStdString(made::path("apart"))});
    }

private:
    static void takePictures(Window &w, const QString &program)
    {
        if (qEnvironmentVariableIsEmpty("CT_PICTURES"))
            return;
        for (const Theme theme : {Theme::Light, Theme::Dark}) {
            applyTheme(theme);
            const QString name =
                QStringLiteral("symbols-%1-%2")
                    .arg(program, theme == Theme::Dark ? QStringLiteral("dark") : QStringLiteral("light"));
            gui::takePicture(&w.window, name.toLatin1().constData());
        }
    }

    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestSymbolsUi)
#include "tst_symbolsui.moc"
