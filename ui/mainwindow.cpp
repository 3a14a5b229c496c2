// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mainwindow.h"

#include "core/base/monotonic.h"
#include "core/session/run.h"
#include "core/session/runjudge.h"
#include "core/target/printabletext.h"
#include "ui/actions.h"
#include "ui/dialogs/attachdialog.h"
#include "ui/dialogs/capturesettings.h"
#include "ui/dialogs/filedialogs.h"
#include "ui/dialogs/messageboxes.h"
#include "ui/dialogs/opendatabasedialog.h"
#include "ui/dialogs/rundialog.h"
#include "ui/dialogs/selectionfields.h"
#include "ui/dialogs/symboldialog.h"
#include "ui/docks/capturedock.h"
#include "ui/docks/coroutinedock.h"
#include "ui/docks/creationdock.h"
#include "ui/docks/findingsdock.h"
#include "ui/docks/graphdock.h"
#include "ui/docks/outputdock.h"
#include "ui/docks/recordingsdock.h"
#include "ui/docks/throughputdock.h"
#include "ui/filejobs.h"
#include "ui/format/followformat.h"
#include "ui/format/format.h"
#include "ui/format/icons.h"
#include "ui/format/runformat.h"
#include "ui/format/theme.h"
#include "ui/historyfetcher.h"
#include "ui/layout.h"
#include "ui/menus.h"
#include "ui/notices.h"
#include "ui/replaycontrol.h"
#include "ui/sampler.h"
#include "ui/targetquestion.h"
#include "ui/timeline/timelineview.h"
#include "ui/widgets/statusbar.h"
#include "ui/widgets/untracedbar.h"

#include <QCloseEvent>
#include <QSettings>

#include <utility>

namespace ct {

namespace {

/// The icons of actions and views have the colours of the theme, so it comes first.
std::unique_ptr<Actions> makeThemedActions(QObject *parent)
{
    if (!appliedTheme())
        applyTheme(savedTheme(QSettings()));
    return std::make_unique<Actions>(parent);
}

}  // namespace

MainWindow::MainWindow(QWidget *parent)
    : QMainWindow(parent),
      m_actions(makeThemedActions(this)),
      m_views(*this, *m_actions),
      m_symbols(std::make_shared<SymbolWorker>()),
      m_run(std::make_unique<Run>()),
      m_sampler(new Sampler(this)),
      m_fetcher(new HistoryFetcher(*m_sampler, *m_views.timeline, this)),
      m_replay(new ReplayControl(*m_views.replayBar, this)),
      m_notices(new Notices(*m_views.notice, this)),
      m_jobs(new FileJobs(*m_views.exportBar, *m_views.saveBar, this)),
      m_question(new TargetQuestion(this))
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(icons::application());
    m_replay->setRun(m_run.get());
    m_jobs->setRun(m_run.get());
    m_question->setRun(m_run.get());
    makeMenus(*this, *m_actions, m_views);
    makeToolBars(*this, *m_actions, m_views);
    connectActions();
    connectViews(m_views, *m_actions);
    connectParts();
    connectRun();
    restoreLayout(*this, m_views);
    applyDebugSearchPath();
    onStateChanged();
}

MainWindow::~MainWindow()
{
    m_run->disconnect();
    m_jobs->disconnect(this);
}

void MainWindow::start(const StartRequest &request)
{
    if (request.kind() == RunKind::None)
        return;
    askThenReplace([this, request] {
        const Result<void> begun = beginRun(request);
        if (!begun)
            showError(tr("Cannot start"), QString::fromStdString(begun.error().message));
        else
            showInstructions();
    });
}

void MainWindow::askThenReplace(std::function<void()> next)
{
    m_question->ask(tr("A new capture replaces this one. Leave the target running, or terminate it?"), std::move(next));
}

Result<void> MainWindow::beginRun(const StartRequest &request)
{
    const CaptureSettings settings = CaptureSettings::load(QSettings());
    Result<std::unique_ptr<Run>> run = Run::start(request, {settings.keepBytes(), settings.keepNs(), m_mostCoroutines,
                                                            settings.recordingFolder(), m_symbols, m_thresholds});
    m_startError = run ? std::optional<Error>() : run.error();
    if (!run)
        return run.error();
    replaceRun(std::move(*run));
    if (m_run->isBeingRecorded() || m_run->kind() == RunKind::Input)
        m_views.recordings->freeSpace(settings.recordBytes(), settings.recordTotalBytes());
    return {};
}

/// Shows another run. The previous one ends here, after the views have released its trace.
void MainWindow::replaceRun(std::unique_ptr<Run> run)
{
    const std::unique_ptr<Run> previous = std::exchange(m_run, std::move(run));
    previous->disconnect();
    connectRun();
    m_sampler->setRun(m_run.get());
    m_fetcher->setRun(m_run.get());
    m_replay->setRun(m_run.get());
    m_jobs->setRun(m_run.get());
    m_question->setRun(m_run.get());
    showTrace();
    onStateChanged();
    showPast();
    Q_EMIT runStateChanged(m_run->state());
    for (const QString &notice : m_run->notices())
        m_notices->addNotice(notice);
}

void MainWindow::openFile(const QString &path)
{
    start(StartRequest::forFile(path.toStdString()));
}

void MainWindow::exportTo(const ExportFormat &format, const QString &path)
{
    m_jobs->exportRun(format, path);
}

void MainWindow::saveRecording(const QString &recording, const QString &path)
{
    m_jobs->saveRecording(recording, path);
}

void MainWindow::resetLayout()
{
    ct::resetLayout(*this, m_views);
}

void MainWindow::connectActions()
{
    connect(m_actions->run, &QAction::triggered, this, &MainWindow::showRunDialog);
    connect(m_actions->attach, &QAction::triggered, this, &MainWindow::showAttachDialog);
    connect(m_actions->open, &QAction::triggered, this,
            [this] { askForRecording(this, [this](const QString &path) { openFile(path); }); });
    connect(m_actions->openDatabase, &QAction::triggered, this,
            [this] { askForSession(this, [this](const QString &input) { openFile(input); }); });
    connect(m_actions->exportTrace, &QAction::triggered, this, [this] {
        findOrigin();
        m_jobs->askForExport(exportChoices(m_views, *m_run, m_origin));
    });
    for (QAction *action : std::as_const(m_actions->exports))
        connect(action, &QAction::triggered, this, [this, action] {
            m_jobs->askForExport(exportFormats()[static_cast<std::size_t>(action->data().toInt())]);
        });
    connect(m_actions->saveRecording, &QAction::triggered, m_jobs, &FileJobs::askForSave);
    connect(m_actions->quit, &QAction::triggered, this, &QWidget::close);
    connect(m_actions->stop, &QAction::triggered, this, [this] { m_run->isReplay() ? endReplay() : m_run->stop(); });
    connect(m_actions->terminate, &QAction::triggered, this, [this] { m_run->terminateTarget(); });
    connect(m_actions->replay, &QAction::triggered, this, &MainWindow::beginReplay);
    connect(m_actions->dump, &QAction::triggered, m_jobs, &FileJobs::dump);
    connect(m_actions->dumpSettings, &QAction::triggered, m_jobs, &FileJobs::askForDump);
    connect(m_actions->debugFiles, &QAction::triggered, this, &MainWindow::showSymbolDialog);
    connect(m_actions->tracing, &QAction::triggered, this, [this](bool on) { m_run->setTracing(on); });
    connect(m_actions->pause, &QAction::toggled, m_sampler, &Sampler::setPaused);
    connect(m_actions->instructions, &QAction::triggered, this, &MainWindow::showInstructions);
    connect(m_actions->resetLayout, &QAction::triggered, this, &MainWindow::resetLayout);
    connect(m_actions->about, &QAction::triggered, this, [this] { showAbout(this); });
}

void MainWindow::connectParts()
{
    connect(m_views.output, &OutputDock::inputEntered, this,
            [this](const QByteArray &line) { m_run->writeInput(line); });
    connect(m_views.recordings, &RecordingsDock::openRequested, this, &MainWindow::openFile);
    connect(m_views.recordings, &RecordingsDock::failed, this, &MainWindow::showError);
    connect(m_views.graph, &GraphDock::failed, this, &MainWindow::showError);
    connect(m_views.recordings, &RecordingsDock::saveRequested, m_jobs, &FileJobs::askForSaveOf);
    connect(m_sampler, &Sampler::sampled, this, &MainWindow::onSampled);
    connect(m_sampler, &Sampler::ticked, this, &MainWindow::onTicked);
    connect(m_sampler, &Sampler::ratesChanged, this, [this] { m_views.throughput->show(m_sampler->rates()); });
    connect(m_sampler, &Sampler::pausedChanged, m_actions->pause, &QAction::setChecked);
    connect(m_sampler, &Sampler::pausedChanged, m_views.coroutines, &CoroutineDock::setPaused);
    connect(m_sampler, &Sampler::pausedChanged, this, &MainWindow::onStateChanged);
    connect(m_replay, &ReplayControl::changed, this, &MainWindow::onStateChanged);
    connect(m_replay, &ReplayControl::closeRequested, this, &MainWindow::endReplay);
    connect(m_replay, &ReplayControl::replayRequested, this, [this](const ReplayRequest &replay) {
        StartRequest request;
        request.what = replay;
        if (const Result<void> begun = beginRun(request); !begun)
            showError(tr("Cannot replay"), QString::fromStdString(begun.error().message));
    });
    connect(m_views.findings, &FindingsDock::failed, this, &MainWindow::showError);
    connect(m_jobs, &FileJobs::finished, m_notices, &Notices::replace);
    connect(m_jobs, &FileJobs::refused, m_notices, &Notices::addNotice);
    connect(m_jobs, &FileJobs::failed, this, &MainWindow::showError);
}

void MainWindow::connectRun()
{
    const Run *run = m_run.get();
    connect(run, &Run::stateChanged, this, &MainWindow::onStateChanged);
    connect(run, &Run::stateChanged, this, &MainWindow::showPast);
    connect(run, &Run::stateChanged, this, &MainWindow::runStateChanged);
    connect(run, &Run::grows, this, &MainWindow::onGrows);
    connect(run, &Run::readingEnded, this, &MainWindow::onReadingEnded);
    connect(run, &Run::targetExited, this, &MainWindow::onTargetExited);
    connect(run, &Run::nothingTraced, m_views.untraced, &UntracedBar::showCause);
    connect(run, &Run::noticeAdded, m_notices, &Notices::addNotice);
    connect(run, &Run::outputReady, m_views.output, &OutputDock::append);
    connect(run, &Run::outputLeftOut, m_views.output, &OutputDock::leaveOut);
    if (run->judge())
        connect(run->judge(), &RunJudge::judged, this, [this] {
            showJudgement(m_views, *m_run);
            showInstant();
        });
    connect(run, &Run::failed, this, [this](const QString &message) { showError(tr("An error occurred"), message); });
}

/// Shows the trace of a run that has just begun.
void MainWindow::showTrace()
{
    m_origin = 0;
    m_exit.clear();
    m_notices->clear();
    showRun(m_views, *m_run);
    m_actions->follow->setChecked(!m_run->isOpened());
    m_replay->sample();
    showInstant();
}

void MainWindow::beginReplay()
{
    m_question->ask(tr("A replay replaces this capture. Leave the target running, or terminate it?"), [this] {
        if (!m_run->canReplay()) {
            showError(tr("Cannot replay"), tr("The recording of this run was deleted, or is incomplete. Open another "
                                              "recording, or run the target again."));
            m_actions->replay->setEnabled(false);
            return;
        }
        // The whole run is shown, so its start and end are known.
        findOrigin();
        m_replay->beginReplay(m_origin);
    });
}

/// Ends the replay and opens the whole recording.
void MainWindow::endReplay()
{
    if (m_run->isReplay())
        openFile(QString::fromStdString(m_run->recordingPath()));
}

/// Shows a recording that is still being written like a live capture.
void MainWindow::onGrows()
{
    m_views.creation->setRunEnded(false);
    m_actions->follow->setChecked(true);
    onStateChanged();
    Q_EMIT runGrows();
}

void MainWindow::onReadingEnded()
{
    const auto [text, isError] = format::readingEnd(*m_run);
    if (isError)
        showError(tr("An error occurred"), text);
    else
        m_notices->addNotice(text);
}

void MainWindow::onStateChanged()
{
    const bool ended = m_run->state() == RunState::Ended;
    m_actions->enableFor(*m_run);
    QString text = format::runState(*m_run, m_exit);
    if (m_run->isObserver() && !ended)
        text += tr(", read-only");
    const bool tracing = m_run->isTracing() || ended;
    if (!tracing)
        text += tr(", tracing is off");
    if (m_sampler->isPaused())
        text += tr(", view paused");
    m_views.statusBar->showState(text, !tracing);
    if (ended)
        m_views.creation->setRunEnded(true);
    const QString program = QStringLiteral("corotracer-gui");
    setWindowTitle(m_run->name().isEmpty()
                       ? program
                       : QStringLiteral("%1 – %2 – %3").arg(printable(m_run->name()), text, program));
    showStartPage(m_views, *m_run, exitText());
    showInstant();
    // Only now is the region gone, so that another run may replace this one.
    if (ended)
        m_question->onRunEnded();
}

/// Shows the whole run, if it was over when it was opened and is loaded by now.
void MainWindow::showPast()
{
    if (!m_run->isPast() || m_run->state() != RunState::Ended)
        return;
    onSampled();
    m_views.timeline->zoomToFit();
}

/// Updates the text about the time of the judgement.
void MainWindow::showInstant()
{
    m_views.findings->setInstant(format::judgedInstant(*m_run, m_sampler->isPaused()));
}

void MainWindow::showBehind()
{
    format::Behind behind;
    if (m_run->isGrowing() && m_run->state() != RunState::Ended)
        behind = format::behind(m_run->growth(), m_run->population()->now(), monotonicNow());
    else if (!m_run->readsRecording())
        behind = format::behind(m_run->accounting());
    m_views.statusBar->showBehind(behind.text, behind.alert);
}

/// Sets the origin of shown times: the birth of the first coroutine, or the first event. Also while the view is paused.
void MainWindow::findOrigin()
{
    if (m_origin != 0 || m_run->population()->size() == 0)
        return;
    const std::uint64_t birth = m_run->population()->at(0).birthTs;
    const std::uint64_t first = m_run->history()->firstTs();
    m_origin = birth != 0 && (first == 0 || birth < first) ? birth : first;
    m_views.coroutines->setOrigin(m_origin);
    m_views.capture->setOrigin(m_origin);
    m_views.findings->setOrigin(m_origin, m_run->wallClock());
    m_views.untraced->hide();
}

void MainWindow::onSampled()
{
    findOrigin();
    m_run->sampleJudge();
    sampleViews(m_views);
}

void MainWindow::onTicked()
{
    findOrigin();
    m_views.output->setOrigin(m_run->startedAt());
    m_views.output->sample();
    const Accounting sums = m_run->accounting();
    m_views.statusBar->showSums(sums, m_sampler->rates().eventsPerSecond());
    m_views.capture->sample(sums);
    m_notices->sample(*m_run, sums);
    showBehind();
    m_replay->sample();
    if (m_run->isLoading())
        m_views.statusBar->showState(format::loading(m_run->progress(), m_run->overview().get()));
}

void MainWindow::onTargetExited(const ExitStatus &status, qint64 monotonicNs)
{
    m_exit = format::exitText(status);
    m_views.output->setOrigin(m_run->startedAt());
    m_views.output->showExit(exitText(), monotonicNs);
    onStateChanged();
}

QString MainWindow::exitText() const
{
    return m_exit.isEmpty() ? QString() : tr("Target %1").arg(m_exit);
}

void MainWindow::showRunDialog()
{
    if (!m_runDialog) {
        m_runDialog = new RunDialog(this);
        connect(m_runDialog, &RunDialog::startRequested, this, [this](const StartRequest &request) {
            askThenReplace([this, request] {
                if (const Result<void> begun = beginRun(request); !begun)
                    m_runDialog->showError(QString::fromStdString(begun.error().message));
                else if (request.kind() == RunKind::Listening)
                    showInstructions();
                else
                    m_runDialog->accept();
            });
        });
    }
    m_runDialog->showLaunch();
}

/// Shows how to start a target, if the run waits for one.
void MainWindow::showInstructions()
{
    if (m_run->kind() != RunKind::Listening)
        return;
    if (!m_runDialog || !m_runDialog->isVisible())
        showRunDialog();
    m_runDialog->showListening(m_run->environment());
}

void MainWindow::showAttachDialog()
{
    auto *dialog = new AttachDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &AttachDialog::attachRequested, this, [this](const QString &path) {
        StartRequest request;
        request.what = AttachRequest{path.toStdString()};
        start(request);
    });
    dialog->open();
}

void MainWindow::showSymbolDialog()
{
    auto *dialog = new SymbolDialog(SymbolSettings::load(QSettings()), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SymbolDialog::chosen, this, [this](const SymbolSettings &chosen) {
        QSettings settings;
        chosen.save(settings);
        applyDebugSearchPath();
    });
    dialog->open();
}

void MainWindow::setDebugFolders(const QStringList &folders)
{
    m_debugFolders = folders;
    applyDebugSearchPath();
}

/// Applies the debug search path of the settings, also to the present run.
void MainWindow::applyDebugSearchPath()
{
    SymbolSettings settings = SymbolSettings::load(QSettings());
    settings.folders = m_debugFolders + settings.folders;
    m_symbols->setSearchPath(settings.searchPath());
    if (m_run->resolver())
        m_run->resolver()->retryUnresolved();
    m_notices->expectSymbols();
}

void MainWindow::showError(const QString &title, const QString &message)
{
    Q_EMIT failed(message);
    showErrorBox(this, title, message);
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (m_jobs->askBeforeClosing([this] { close(); })) {
        event->ignore();
        return;
    }
    if (m_closing || !m_run->targetRuns()) {
        saveLayout(*this);
        event->accept();
        return;
    }
    event->ignore();
    m_question->ask(tr("If you leave it running, the target continues without being traced. "
                       "Attach to its region to see it again."),
                    [this] {
                        m_closing = true;
                        close();
                    });
}

}  // namespace ct
