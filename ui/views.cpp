// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views.h"

#include "core/addresses/exportresolveradapter.h"
#include "core/session/recordingsdirectory.h"
#include "core/session/run.h"
#include "core/session/runjudge.h"
#include "ui/actions.h"
#include "ui/dialogs/selectionfields.h"
#include "ui/docks/capturedock.h"
#include "ui/docks/coroutinedock.h"
#include "ui/docks/creationdock.h"
#include "ui/docks/detailsdock.h"
#include "ui/docks/findingsdock.h"
#include "ui/docks/graphdock.h"
#include "ui/docks/outputdock.h"
#include "ui/docks/querydock.h"
#include "ui/docks/recordingsdock.h"
#include "ui/docks/stacksdock.h"
#include "ui/docks/throughputdock.h"
#include "ui/format/theme.h"
#include "ui/timeline/timelineview.h"
#include "ui/widgets/jobbar.h"
#include "ui/widgets/replaybar.h"
#include "ui/widgets/startpage.h"
#include "ui/widgets/statusbar.h"
#include "ui/widgets/untracedbar.h"

#include <QCoreApplication>
#include <QMainWindow>
#include <QPointer>
#include <QSettings>

namespace ct {

namespace {

struct ViewText {
    Q_DECLARE_TR_FUNCTIONS(ViewText)
};

/// Selects a coroutine in all views.
void select(const Views &views, CoroutineId coroutine)
{
    views.coroutines->select(coroutine);
    views.findings->select(coroutine);
    views.timeline->setSelected(coroutine);
    views.details->select(coroutine);
    views.creation->select(coroutine);
    views.graph->select(coroutine);
}

/// Selects a coroutine in all views, and brings the table and the timeline to the front.
void activate(const Views &views, CoroutineId coroutine)
{
    for (QDockWidget *dock : {static_cast<QDockWidget *>(views.coroutines), views.timelineDock}) {
        dock->show();
        dock->raise();
    }
    select(views, coroutine);
}

/// Selects a coroutine of the query's result in all views, and brings the table to the front unless it would cover the
/// result.
void activateQueried(const Views &views, CoroutineId coroutine)
{
    const auto *window = qobject_cast<QMainWindow *>(views.query->parentWidget());
    if (!window || !window->tabifiedDockWidgets(views.query).contains(views.coroutines)) {
        views.coroutines->show();
        views.coroutines->raise();
    }
    select(views, coroutine);
    const CoroutineTableModel &table = *views.coroutines->model();
    if (table.isFiltered() && table.rowShowing(coroutine) < 0)
        views.query->say(
            ViewText::tr("Selected the coroutine %1. The filter of the table of coroutines hides it.").arg(coroutine));
}

}  // namespace

Views::Views(QMainWindow &window, const Actions &actions)
{
    startPage = new StartPage(actions.run, actions.attach, actions.open);
    coroutines = new CoroutineDock(startPage, &window);
    timelineDock = new QDockWidget(ViewText::tr("Timeline"), &window);
    timelineDock->setObjectName(QStringLiteral("timelineDock"));
    timeline = new TimelineView(timelineDock);
    timeline->setObjectName(QStringLiteral("timelineView"));
    timeline->setAccessibleName(ViewText::tr("Timeline"));
    timelineDock->setWidget(timeline);
    findings = new FindingsDock(&window);
    details = new DetailsDock(&window);
    output = new OutputDock(&window);
    throughput = new ThroughputDock(&window);
    creation = new CreationDock(&window);
    stacks = new StacksDock(&window);
    graph = new GraphDock(&window);
    query = new QueryDock(&window);
    capture = new CaptureDock(&window);
    recordings = new RecordingsDock(recordingsDirectory(), &window);

    statusBar = new StatusBar(&window);
    window.setStatusBar(statusBar);
    exportBar = new JobBar(QStringLiteral("export"), ViewText::tr("Cancel the export"), statusBar);
    saveBar = new JobBar(QStringLiteral("save"), ViewText::tr("Cancel saving the recording"), statusBar);
    for (JobBar *bar : {exportBar, saveBar}) {
        statusBar->insertWidget(1, bar);
        bar->hide();
    }

    untraced = new UntracedBar;
    notice = new InfoBar(InfoBar::Kind::Notice);
    notice->setObjectName(QStringLiteral("noticeBar"));
    finding = new InfoBar(InfoBar::Kind::Warning);
    finding->setObjectName(QStringLiteral("findingBar"));
    // All docks are below the central widget, so the info bars are at the top of the window.
    window.setCentralWidget(new InfoArea({untraced, notice, finding}, &window));
    window.setDockNestingEnabled(true);
    window.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    window.setDocumentMode(true);

    replayBar = new ReplayBar(&window);
    replayBar->hide();
}

QList<QDockWidget *> Views::docks() const
{
    return {coroutines, timelineDock, findings, creation,   stacks,  graph,
            query,      details,      output,   throughput, capture, recordings};
}

void connectViews(const Views &views, const Actions &actions)
{
    const auto selectEverywhere = [views](CoroutineId coroutine) { select(views, coroutine); };
    QObject::connect(views.coroutines, &CoroutineDock::coroutineSelected, views.coroutines, selectEverywhere);
    QObject::connect(views.findings, &FindingsDock::coroutineSelected, views.findings, selectEverywhere);
    QObject::connect(views.timeline, &TimelineView::coroutineActivated, views.timeline, selectEverywhere);
    QObject::connect(views.creation, &CreationDock::coroutineSelected, views.creation, selectEverywhere);
    const auto activateEverywhere = [views](CoroutineId coroutine) { activate(views, coroutine); };
    QObject::connect(views.stacks, &StacksDock::coroutineSelected, views.stacks, selectEverywhere);
    QObject::connect(views.stacks, &StacksDock::coroutineActivated, views.stacks, activateEverywhere);
    QObject::connect(views.graph, &GraphDock::coroutineSelected, views.graph, selectEverywhere);
    QObject::connect(views.graph, &GraphDock::coroutineActivated, views.graph, activateEverywhere);
    QObject::connect(views.query, &QueryDock::coroutineActivated, views.query,
                     [views](CoroutineId coroutine) { activateQueried(views, coroutine); });
    QObject::connect(views.details, &DetailsDock::coroutineSelected, views.details, selectEverywhere);
    QObject::connect(views.details, &DetailsDock::treeRequested, views.creation, &CreationDock::showCoroutine);
    QObject::connect(views.findings, &FindingsDock::siteActivated, views.coroutines, [views](const QString &text) {
        views.coroutines->show();
        views.coroutines->raise();
        views.coroutines->setFilterText(text);
    });
    QObject::connect(views.findings, &FindingsDock::timelineRequested, views.timeline,
                     [views](CoroutineId coroutine, std::uint64_t from, std::uint64_t to) {
                         select(views, coroutine);
                         views.timelineDock->show();
                         views.timelineDock->raise();
                         views.timeline->zoomTo(static_cast<std::int64_t>(from), static_cast<std::int64_t>(to));
                     });
    QObject::connect(views.findings, &FindingsDock::appeared, views.finding, [views](const QString &text) {
        views.finding->showText(
            QStringLiteral("%1 <a href=\"findings\">%2</a>").arg(text.toHtmlEscaped(), ViewText::tr("Show")));
    });
    QObject::connect(views.finding, &InfoBar::linkActivated, views.findings, [views] {
        views.findings->show();
        views.findings->raise();
        views.finding->hide();
    });
    QObject::connect(views.finding, &InfoBar::closed, views.finding, &QWidget::hide);
    QObject::connect(views.coroutines, &CoroutineDock::rowsChanged, views.timeline,
                     [views] { views.timeline->setRows(views.coroutines->model()->visibleOrder()); });
    QObject::connect(views.timeline, &TimelineView::followLiveChanged, actions.follow, &QAction::setChecked);
    QObject::connect(actions.follow, &QAction::toggled, views.timeline, &TimelineView::setFollowLive);
    QObject::connect(actions.zoomIn, &QAction::triggered, views.timeline, &TimelineView::zoomIn);
    QObject::connect(actions.zoomOut, &QAction::triggered, views.timeline, &TimelineView::zoomOut);
    QObject::connect(actions.zoomToFit, &QAction::triggered, views.timeline, &TimelineView::zoomToFit);
    QObject::connect(actions.filter, &QAction::triggered, views.coroutines, &CoroutineDock::focusFilter);
    QObject::connect(actions.themes, &QActionGroup::triggered, [](const QAction *action) {
        QSettings settings;
        saveTheme(settings, static_cast<Theme>(action->data().toInt()));
        applyTheme(savedTheme(settings));
    });
}

void showRun(const Views &views, const Run &run)
{
    const std::shared_ptr<Population> &population = run.population();
    const std::shared_ptr<AddressResolver> &resolver = run.resolver();
    views.untraced->hide();
    views.timeline->setTrace(population.get(), run.history().get(), resolver);
    views.coroutines->setTrace(population, resolver);
    views.finding->hide();
    views.findings->setTrace({population, run.judge()->data(), run.history(), resolver, run.name(),
                              !run.readsRecording() && !run.isPast(), run.knowsDeaths()});
    views.coroutines->setSuspects({});
    views.timeline->setSuspects({});
    views.details->setTrace(population, run.history(), resolver);
    views.creation->setTrace(population, run.isOpened(), resolver);
    views.stacks->setTrace(population, resolver);
    const std::shared_ptr<const JudgeData> data = run.judge()->data();
    views.graph->setTrace(population, {data, &data->objects()}, resolver, run.name());
    views.capture->setTrace(population);
    views.query->setTrace([current = QPointer<const Run>(&run)] {
        return current ? QueriedTrace{current->population(),  current->history(),
                                      current->accounting(),  exportResolverOf(current->resolver()),
                                      current->streamIndex(), current->judge()->reporter(current->name().toStdString())}
                       : QueriedTrace();
    });
    views.output->beginRun(run.startedAt(), run.kind() == RunKind::Launched);
    views.throughput->clear();
}

void showJudgement(const Views &views, const Run &run)
{
    const std::shared_ptr<const Judgement> judgement = run.judge()->latest();
    views.findings->setJudgement(judgement);
    const std::shared_ptr<const Suspects> suspects(judgement, &judgement->suspects);
    views.coroutines->setSuspects(suspects);
    views.timeline->setSuspects(suspects);
}

void showStartPage(const Views &views, const Run &run, const QString &exit)
{
    StartPage *page = views.startPage;
    if (run.state() == RunState::Idle)
        page->showWelcome();
    else if (run.state() == RunState::Ended)
        page->showMessage(ViewText::tr("No coroutine was seen"), exit, true);
    else if (run.kind() == RunKind::Listening)
        page->showMessage(ViewText::tr("Waiting for a target…"),
                          ViewText::tr("Region: %1").arg(run.environment().regionPath), false);
    else
        page->showMessage(ViewText::tr("Waiting for the first coroutine…"), run.name(), false);
}

ExportChoices exportChoices(const Views &views, const Run &run, std::uint64_t origin)
{
    const CoroutineTableModel &table = *views.coroutines->model();
    ExportChoices choices;
    choices.hasFilter = table.isFiltered();
    if (choices.hasFilter)
        choices.filtered = table.filteredIds();
    choices.selected = views.coroutines->selectedCoroutines();
    choices.origin = origin;
    choices.end = run.history()->lastTs();
    choices.visibleFrom = views.timeline->visibleFrom();
    choices.visibleTo = views.timeline->visibleFrom() + views.timeline->visibleSpan();
    return choices;
}

void sampleViews(const Views &views)
{
    views.coroutines->sample();
    views.details->sample();
    views.creation->sample();
    views.stacks->sample();
    views.graph->sample();
    views.timeline->sample();
}

}  // namespace ct
