// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of MainWindow that creates views, menus, tool bar and layout.
#include "ui/actions.h"
#include "ui/capture.h"
#include "ui/docks/capturedock.h"
#include "ui/docks/coroutinedock.h"
#include "ui/docks/creationdock.h"
#include "ui/docks/detailsdock.h"
#include "ui/docks/outputdock.h"
#include "ui/docks/recordingsdock.h"
#include "ui/docks/stuckdock.h"
#include "ui/docks/throughputdock.h"
#include "ui/format/theme.h"
#include "ui/historyfetcher.h"
#include "ui/mainwindow.h"
#include "ui/timeline/timelineview.h"
#include "ui/widgets/exportbar.h"
#include "ui/widgets/infobar.h"
#include "ui/widgets/replaybar.h"
#include "ui/widgets/startpage.h"
#include "ui/widgets/statusbar.h"

#include <QMenuBar>
#include <QSettings>
#include <QToolBar>

namespace ct {

namespace {

/// Increase this number when a dock is added or renamed, so that old saved layouts are ignored.
constexpr int kLayoutVersion = 3;
const QSize kDefaultSize(1440, 900);

}  // namespace

void MainWindow::makeViews()
{
    m_startPage = new StartPage(m_actions->run, m_actions->attach, m_actions->open);
    m_coroutines = new CoroutineDock(m_startPage, this);
    m_timelineDock = new QDockWidget(tr("Timeline"), this);
    m_timelineDock->setObjectName(QStringLiteral("timelineDock"));
    m_timeline = new TimelineView(m_timelineDock);
    m_timeline->setObjectName(QStringLiteral("timelineView"));
    m_timeline->setAccessibleName(tr("Timeline"));
    m_timelineDock->setWidget(m_timeline);
    new HistoryFetcher(*m_capture, *m_timeline, m_timeline);
    m_stuck = new StuckDock(this);
    m_details = new DetailsDock(this);
    m_output = new OutputDock(this);
    m_throughput = new ThroughputDock(this);
    m_creation = new CreationDock(this);
    m_captureDock = new CaptureDock(this);
    m_recordings = new RecordingsDock(recordingsDirectory(), this);

    m_statusBar = new StatusBar(this);
    setStatusBar(m_statusBar);
    m_exportBar = new ExportBar(QStringLiteral("export"), tr("Cancel the export"), m_statusBar);
    m_saveBar = new ExportBar(QStringLiteral("save"), tr("Do not save the recording"), m_statusBar);
    for (ExportBar *bar : {m_exportBar, m_saveBar}) {
        m_statusBar->insertWidget(1, bar);
        bar->hide();
    }

    m_warning = new InfoBar(InfoBar::Kind::Warning);
    m_warning->setObjectName(QStringLiteral("nothingTracedBar"));
    m_notice = new InfoBar(InfoBar::Kind::Notice);
    m_notice->setObjectName(QStringLiteral("noticeBar"));
    // All docks are below the central widget, so the info bars are at the top of the window.
    setCentralWidget(new InfoArea({m_warning, m_notice}, this));
    setDockNestingEnabled(true);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setDocumentMode(true);
}

void MainWindow::makeMenus()
{
    QMenu *file = menuBar()->addMenu(tr("&File"));
    file->addAction(m_actions->run);
    file->addAction(m_actions->attach);
    file->addAction(m_actions->open);
    file->addAction(m_actions->saveRecording);
    file->addSeparator();
    file->addAction(m_actions->dump);
    file->addAction(m_actions->dumpSettings);
    QMenu *exports = file->addMenu(tr("&Export"));
    exports->setObjectName(QStringLiteral("exportMenu"));
    exports->addActions(m_actions->exports);
    file->addSeparator();
    file->addAction(m_actions->quit);

    QMenu *capture = menuBar()->addMenu(tr("&Capture"));
    capture->addAction(m_actions->tracing);
    capture->addSeparator();
    capture->addAction(m_actions->replay);
    capture->addSeparator();
    capture->addAction(m_actions->stop);
    capture->addAction(m_actions->terminate);
    capture->addSeparator();
    capture->addAction(m_actions->instructions);

    makeViewMenu();

    QMenu *help = menuBar()->addMenu(tr("&Help"));
    help->addAction(m_actions->about);
}

void MainWindow::makeViewMenu()
{
    QMenu *view = menuBar()->addMenu(tr("&View"));
    view->setObjectName(QStringLiteral("viewMenu"));
    view->addAction(m_actions->pause);
    view->addAction(m_actions->follow);
    view->addAction(m_actions->filter);
    view->addSeparator();
    view->addAction(m_actions->zoomIn);
    view->addAction(m_actions->zoomOut);
    view->addAction(m_actions->zoomToFit);
    view->addSeparator();
    for (const QDockWidget *dock : docks())
        view->addAction(dock->toggleViewAction());
    view->addMenu(m_coroutines->columnsMenu());
    view->addAction(m_actions->resetLayout);
    view->addSeparator();
    view->addAction(m_actions->debugFiles);
    QMenu *theme = view->addMenu(tr("&Theme"));
    theme->addActions(m_actions->themes->actions());
    const Theme present = appliedTheme().value_or(Theme::System);
    for (QAction *action : m_actions->themes->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(present));
}

void MainWindow::makeToolBar()
{
    QToolBar *bar = addToolBar(tr("Main tool bar"));
    bar->setObjectName(QStringLiteral("mainToolBar"));
    bar->setMovable(false);
    bar->setIconSize(QSize(20, 20));
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->addActions({m_actions->run, m_actions->attach, m_actions->open});
    bar->addSeparator();
    bar->addActions({m_actions->tracing, m_actions->stop, m_actions->terminate});
    bar->addSeparator();
    bar->addAction(m_actions->dump);
    bar->addSeparator();
    bar->addActions({m_actions->pause, m_actions->follow});
    bar->addSeparator();
    bar->addAction(m_actions->replay);

    m_replayBar = new ReplayBar(this);
    addToolBar(Qt::BottomToolBarArea, m_replayBar);
    m_replayBar->end();
}

QList<QDockWidget *> MainWindow::docks() const
{
    return {m_coroutines, m_timelineDock, m_stuck,       m_creation,  m_details,
            m_output,     m_throughput,   m_captureDock, m_recordings};
}

void MainWindow::resetLayout()
{
    for (QDockWidget *dock : docks()) {
        dock->setFloating(false);
        removeDockWidget(dock);
        addDockWidget(Qt::BottomDockWidgetArea, dock);
        dock->show();
    }
    splitDockWidget(m_coroutines, m_stuck, Qt::Horizontal);
    splitDockWidget(m_coroutines, m_timelineDock, Qt::Vertical);
    splitDockWidget(m_timelineDock, m_output, Qt::Vertical);
    tabifyDockWidget(m_output, m_throughput);
    tabifyDockWidget(m_throughput, m_captureDock);
    tabifyDockWidget(m_captureDock, m_recordings);
    splitDockWidget(m_stuck, m_details, Qt::Vertical);  // before the tabs, else it would become another tab
    tabifyDockWidget(m_stuck, m_creation);
    m_throughput->raise();
    m_stuck->raise();
    const int height = std::max(this->height() - 100, 400);
    resizeDocks({m_coroutines, m_stuck}, {width() * 66 / 100, width() * 34 / 100}, Qt::Horizontal);
    resizeDocks({m_coroutines, m_timelineDock, m_output}, {height * 42 / 100, height * 38 / 100, height * 20 / 100},
                Qt::Vertical);
    resizeDocks({m_stuck, m_details}, {height / 2, height / 2}, Qt::Vertical);
}

void MainWindow::restoreLayout()
{
    resize(kDefaultSize);
    resetLayout();
    QSettings settings;
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    restoreState(settings.value(QStringLiteral("window/state")).toByteArray(), kLayoutVersion);
    m_replayBar->end();  // hidden, whatever the saved state was
}

void MainWindow::saveLayout()
{
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/state"), saveState(kLayoutVersion));
}

void MainWindow::connectActions()
{
    connect(m_actions->run, &QAction::triggered, this, &MainWindow::showRunDialog);
    connect(m_actions->attach, &QAction::triggered, this, &MainWindow::showAttachDialog);
    connect(m_actions->open, &QAction::triggered, this, &MainWindow::showOpenDialog);
    for (QAction *action : std::as_const(m_actions->exports))
        connect(action, &QAction::triggered, this, [this, action] {
            showExportDialog(exportFormats()[static_cast<std::size_t>(action->data().toInt())]);
        });
    connect(m_actions->saveRecording, &QAction::triggered, this, &MainWindow::saveThisRecording);
    connect(m_actions->quit, &QAction::triggered, this, &QWidget::close);
    connect(m_actions->terminate, &QAction::triggered, m_capture.get(), &Capture::terminateTarget);
    connect(m_actions->dump, &QAction::triggered, this, &MainWindow::dump);
    connect(m_actions->dumpSettings, &QAction::triggered, this, &MainWindow::showDumpDialog);
    connect(m_actions->debugFiles, &QAction::triggered, this, &MainWindow::showSymbolDialog);
    connect(m_actions->tracing, &QAction::triggered, m_capture.get(), &Capture::setTracing);
    connect(m_actions->pause, &QAction::toggled, m_capture.get(), &Capture::setPaused);
    connect(m_actions->follow, &QAction::toggled, m_timeline, &TimelineView::setFollowLive);
    connect(m_actions->zoomIn, &QAction::triggered, m_timeline, &TimelineView::zoomIn);
    connect(m_actions->zoomOut, &QAction::triggered, m_timeline, &TimelineView::zoomOut);
    connect(m_actions->zoomToFit, &QAction::triggered, m_timeline, &TimelineView::zoomToFit);
    connect(m_actions->instructions, &QAction::triggered, this, &MainWindow::showInstructions);
    connect(m_actions->resetLayout, &QAction::triggered, this, &MainWindow::resetLayout);
    connect(m_actions->about, &QAction::triggered, this, &MainWindow::showAbout);
    connect(m_actions->filter, &QAction::triggered, m_coroutines, &CoroutineDock::focusFilter);
    connect(m_actions->themes, &QActionGroup::triggered, this, [](const QAction *action) {
        QSettings settings;
        saveTheme(settings, static_cast<Theme>(action->data().toInt()));
        applyTheme(savedTheme(settings));
    });
}

}  // namespace ct
