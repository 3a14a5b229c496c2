// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mainwindow.h"

#include "core/addresses/resolverlookup.h"
#include "core/base/fileending.h"
#include "core/target/printable.h"
#include "ui/actions.h"
#include "ui/capture.h"
#include "ui/dialogs/attachdialog.h"
#include "ui/dialogs/capturesettings.h"
#include "ui/dialogs/rundialog.h"
#include "ui/docks/capturedock.h"
#include "ui/docks/coroutinedock.h"
#include "ui/docks/creationdock.h"
#include "ui/docks/detailsdock.h"
#include "ui/docks/outputdock.h"
#include "ui/docks/recordingsdock.h"
#include "ui/docks/stuckdock.h"
#include "ui/docks/throughputdock.h"
#include "ui/format/colors.h"
#include "ui/format/format.h"
#include "ui/format/icons.h"
#include "ui/format/theme.h"
#include "ui/jobs/exportjob.h"
#include "ui/jobs/savejob.h"
#include "ui/timeline/timelineview.h"
#include "ui/widgets/exportbar.h"
#include "ui/widgets/infobar.h"
#include "ui/widgets/startpage.h"
#include "ui/widgets/statusbar.h"

#include <QApplication>
#include <QCloseEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>

namespace ct {

MainWindow::MainWindow(QWidget *parent)
    : QMainWindow(parent), m_actions(std::make_unique<Actions>(this)), m_capture(std::make_unique<Capture>())
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(icons::application());
    if (!appliedTheme())
        applyTheme(savedTheme(QSettings()));
    makeViews();
    makeMenus();
    makeToolBar();
    connectActions();
    connectCapture();
    connectViews();
    connectReplay();
    restoreLayout();
    applyDebugSearchPath();
    onStateChanged();
}

MainWindow::~MainWindow()
{
    m_capture->disconnect(this);
    m_exportBar->disconnect(this);
    m_saveBar->disconnect(this);
}

void MainWindow::start(const StartRequest &request)
{
    if (std::holds_alternative<std::monostate>(request.what))
        return;
    settleTarget(tr("A new capture replaces this one. Leave the target running, or terminate it?"), [this, request] {
        const Result<void> begun = begin(request);
        if (!begun)
            showError(tr("Cannot start"), QString::fromStdString(begun.error().message));
        else if (std::holds_alternative<ListenRequest>(request.what))
            showInstructions();
    });
}

Result<void> MainWindow::begin(const StartRequest &request)
{
    const CaptureSettings settings = CaptureSettings::load(QSettings());
    m_capture->setKeep(settings.keepBytes(), settings.keepNs());
    m_capture->setRecording(settings.recordingFolder());
    Result<void> begun = m_capture->start(request);
    if (begun && (m_capture->isRecorded() || m_capture->isInput()))
        m_recordings->freeSpace(settings.recordBytes(), settings.recordTotalBytes());
    return begun;
}

void MainWindow::openFile(const QString &path)
{
    StartRequest request;
    if (hasEnding(path.toStdString(), ".shm"))
        request.what = AttachRequest{path.toStdString()};
    else
        request.what = OpenRequest{path.toStdString()};
    start(request);
}

void MainWindow::exportTo(const ExportFormat &format, const QString &path)
{
    if (!m_capture->population() || isBusy(*m_exportBar))
        return;
    auto job = std::make_unique<ExportJob>(m_capture->population(), m_capture->history(), m_capture->accounting(),
                                           format, path);
    job->setRecorded(m_capture->recorded());
    job->setLookup(lookupIn(m_capture->resolver()));
    const ExportJob *const started = job.get();
    m_exportBar->start(std::move(job), tr("Exporting %1").arg(QFileInfo(path).fileName()),
                       [this, started] { onExported(started->path(), started->report()); });
}

/// Returns true, with a notice, if a job is running. A new job does not replace it.
bool MainWindow::isBusy(const ExportBar &bar)
{
    if (bar.isRunning())
        onNotice(tr("%1 is still running. Try again when it has finished.").arg(bar.text()));
    return bar.isRunning();
}

void MainWindow::saveRecording(const QString &recording, const QString &path)
{
    if (isBusy(*m_saveBar))
        return;
    auto job = std::make_unique<SaveJob>(QFile::encodeName(recording).toStdString(), path);
    const SaveJob *const started = job.get();
    m_saveBar->start(std::move(job), tr("Saving %1").arg(QFileInfo(path).fileName()), [this, started] {
        m_notices.clear();
        onNotice(tr("The recording was saved to %1: %2 events, %3")
                     .arg(started->path(), format::count(started->report().transitions),
                          format::bytes(started->report().bytes)));
    });
}

void MainWindow::connectCapture()
{
    Capture *capture = m_capture.get();
    connect(capture, &Capture::traceChanged, this, &MainWindow::onTraceChanged);
    connect(capture, &Capture::stateChanged, this, &MainWindow::onStateChanged);
    connect(capture, &Capture::stateChanged, this, &MainWindow::showWholeHistory);
    connect(capture, &Capture::followed, this, &MainWindow::onFollowed);
    connect(capture, &Capture::sampled, this, &MainWindow::onSampled);
    connect(capture, &Capture::ticked, this, &MainWindow::onTicked);
    connect(capture, &Capture::targetExited, this, &MainWindow::onTargetExited);
    connect(capture, &Capture::nothingTraced, this, &MainWindow::onNothingTraced);
    connect(capture, &Capture::noticeAdded, this, &MainWindow::onNotice);
    connect(capture, &Capture::outputReady, m_output, &OutputDock::append);
    connect(capture, &Capture::outputLeftOut, m_output, &OutputDock::leaveOut);
    connect(capture, &Capture::ratesChanged, this, [this] { m_throughput->show(m_capture->rates()); });
    connect(capture, &Capture::pausedChanged, m_actions->pause, &QAction::setChecked);
    connect(capture, &Capture::pausedChanged, m_coroutines, &CoroutineDock::setPaused);
    connect(capture, &Capture::pausedChanged, this, &MainWindow::onStateChanged);
    connect(capture, &Capture::failed, this,
            [this](const QString &message) { showError(tr("An error occurred"), message); });
}

void MainWindow::connectViews()
{
    connect(m_warning, &InfoBar::linkActivated, this, &MainWindow::showChecklist);
    connect(m_coroutines, &CoroutineDock::coroutineSelected, this, &MainWindow::select);
    connect(m_stuck, &StuckDock::coroutineSelected, this, &MainWindow::select);
    connect(m_timeline, &TimelineView::coroutineActivated, this, &MainWindow::select);
    connect(m_creation, &CreationDock::coroutineSelected, this, &MainWindow::select);
    connect(m_details, &DetailsDock::coroutineSelected, this, &MainWindow::select);
    connect(m_details, &DetailsDock::treeRequested, m_creation, &CreationDock::showCoroutine);
    connect(m_stuck, &StuckDock::siteActivated, this, [this](const QString &text) {
        m_coroutines->show();
        m_coroutines->raise();
        m_coroutines->setFilterText(text);
    });
    connect(m_coroutines, &CoroutineDock::rowsChanged, this,
            [this] { m_timeline->setRows(m_coroutines->model()->visibleOrder()); });
    connect(m_timeline, &TimelineView::followLiveChanged, m_actions->follow, &QAction::setChecked);
    connect(m_output, &OutputDock::inputEntered, this, [this](const QByteArray &line) {
        if (m_capture->targetRuns())
            m_capture->session()->target()->writeInput(line);
    });
    connect(m_recordings, &RecordingsDock::openRequested, this, &MainWindow::openFile);
    connect(m_recordings, &RecordingsDock::failed, this, &MainWindow::showError);
    connect(m_recordings, &RecordingsDock::saveRequested, this, &MainWindow::showSaveDialog);
    connect(m_saveBar, &ExportBar::failed, this,
            [this](const QString &message) { showError(tr("The recording was not saved"), message); });
    connect(m_exportBar, &ExportBar::failed, this,
            [this](const QString &message) { showError(tr("The export failed"), message); });
}

void MainWindow::onTraceChanged()
{
    const auto &population = m_capture->population();
    const bool hasTarget = m_capture->session() && m_capture->session()->target();
    m_origin = 0;
    m_notices.clear();
    m_reportedApproximate = false;
    m_unkept = {};
    m_reportedNoSymbols = false;
    m_exit.clear();
    m_notice->hide();
    m_warning->hide();
    const std::shared_ptr<AddressResolver> &resolver = m_capture->resolver();
    m_timeline->setTrace(population.get(), m_capture->history().get(), resolver);
    m_coroutines->setTrace(population, resolver);
    m_stuck->setTrace(population, m_capture->knowsDeaths(), resolver);
    m_details->setTrace(population, m_capture->history(), resolver);
    const bool isLoadedFile = m_capture->isFile() && !m_capture->gate();
    m_creation->setTrace(population, isLoadedFile, resolver);
    m_captureDock->setTrace(population);
    m_output->begin(m_capture->startedAt(), hasTarget);
    m_throughput->clear();
    m_actions->follow->setChecked(!isLoadedFile);
    sampleReplay();
    showInstant();
}

/// Shows a recording that is still being written like a live capture.
void MainWindow::onFollowed()
{
    m_creation->setRunEnded(false);
    m_actions->follow->setChecked(true);
    onStateChanged();
}

QString MainWindow::stateText() const
{
    const SessionState state = m_capture->state();
    const bool ended = state == SessionState::Ended;
    if (!m_capture->isFile())
        return ended && !m_exit.isEmpty() ? exitText() : format::sessionStateName(state);
    return ended && !m_exit.isEmpty() ? tr("%1; target %2").arg(recordingText(), m_exit) : recordingText();
}

QString MainWindow::exitText() const
{
    return m_exit.isEmpty() ? QString() : tr("Target %1").arg(m_exit);
}

void MainWindow::onStateChanged()
{
    const SessionState state = m_capture->state();
    m_actions->enableFor(state, m_capture->targetRuns(), m_capture->population() != nullptr, m_capture->isListening());
    m_actions->enableSaving(m_capture->hasRecording());
    m_actions->replay->setEnabled(m_capture->canReplay());
    m_actions->stop->setEnabled(m_actions->stop->isEnabled() || m_capture->gate());
    QString text = stateText();
    if (m_capture->session() && m_capture->session()->isObserver() && state != SessionState::Ended)
        text += tr(", read-only");
    const bool tracing = m_capture->isTracing() || state == SessionState::Ended;
    if (!tracing)
        text += tr(", tracing is off");
    if (m_capture->isPaused())
        text += tr(", view paused");
    m_actions->showTracing(tracing, m_capture->canSwitchTracing());
    m_statusBar->showState(text, !tracing);
    if (state == SessionState::Ended)
        m_creation->setRunEnded(true);
    const QString program = QStringLiteral("corotracer-gui");
    setWindowTitle(m_capture->name().isEmpty()
                       ? program
                       : QStringLiteral("%1 – %2 – %3").arg(printable(m_capture->name()), text, program));
    updateStartPage();
    showInstant();
    // The session is drained, so its region is gone. Queue the call, because it may replace the session that emits this
    // signal.
    if (state == SessionState::Ended && m_afterExit)
        QMetaObject::invokeMethod(this, std::exchange(m_afterExit, nullptr), Qt::QueuedConnection);
}

/// Shows the whole run if all of it lies in the past: a loaded recording, or a post-mortem region.
void MainWindow::showWholeHistory()
{
    const bool isOver = (m_capture->isFile() && !m_capture->isFollowed() && !m_capture->gate()) ||
                        (m_capture->session() && m_capture->session()->isPostMortem());
    if (!isOver || m_capture->state() != SessionState::Ended)
        return;
    onSampled();
    m_timeline->zoomToFit();
}

/// Sets the origin of shown times: the birth of the first coroutine, or the first event. Also while the view is paused.
void MainWindow::findOrigin()
{
    if (m_origin != 0 || m_capture->population()->size() == 0)
        return;
    const std::uint64_t birth = m_capture->population()->at(0).birthTs;
    const std::uint64_t first = m_capture->history()->firstTs();
    m_origin = birth != 0 && (first == 0 || birth < first) ? birth : first;
    m_coroutines->setOrigin(m_origin);
    m_captureDock->setOrigin(m_origin);
    m_warning->hide();
}

void MainWindow::onSampled()
{
    findOrigin();
    m_coroutines->sample();
    m_stuck->sample();
    m_details->sample();
    m_creation->sample();
    m_timeline->sample();
}

void MainWindow::onTicked()
{
    findOrigin();
    m_output->setOrigin(m_capture->startedAt());
    m_output->sample();
    const Accounting sums = m_capture->accounting();
    m_statusBar->showSums(sums, m_capture->rates().eventsPerSecond());
    m_captureDock->sample(sums);
    // Show this once per capture. onNotice() skips notices that it has shown, but an export clears its list.
    if (sums.timesApproximate && !std::exchange(m_reportedApproximate, true))
        onNotice(tr("The processor's counter jumped or ran backwards. Times near that moment are "
                    "approximate; counts are exact. A target with the current probe switches to "
                    "the system's clock, which costs more per event."));
    if (const Population *population = m_capture->population().get()) {
        const QStringList notices =
            m_unkept.fresh(population->overflow(), population->overflowNames(), population->keptCount());
        for (const QString &notice : notices)
            onNotice(notice);
    }
    if (!m_reportedNoSymbols && m_capture->resolver()) {
        const std::string problem = m_capture->resolver()->problem();
        m_reportedNoSymbols = !problem.empty();
        if (m_reportedNoSymbols)
            onNotice(tr("Some addresses have no function: %1.").arg(QString::fromStdString(problem)));
    }
    showBehind();
    sampleReplay();
    if (m_capture->isFile() && !m_capture->isFollowed() && !m_capture->gate() &&
        m_capture->state() != SessionState::Ended)
        m_statusBar->showState(format::loading(m_capture->fileProgress(), m_capture->fileOverview().get()));
}

void MainWindow::onTargetExited(const ExitStatus &status, qint64 monotonicNs)
{
    m_exit = format::exitText(status);
    m_output->setOrigin(m_capture->startedAt());
    m_output->end(exitText(), monotonicNs);
    onStateChanged();
}

void MainWindow::onNotice(const QString &notice)
{
    const QString shown = format::printableLines(notice);
    if (shown.isEmpty() || m_notices.contains(shown))
        return;
    m_notices << shown;
    m_notice->showText(m_notices.join(u'\n').toHtmlEscaped().replace(u'\n', QLatin1String("<br>")));
}

void MainWindow::onExported(const QString &path, const ExportReport &report)
{
    QString text = tr("%1 events written to %2").arg(format::count(report.rows), path);
    if (report.droppedEvents > 0)
        text += tr("; %1 older ones were no longer in memory").arg(format::count(report.droppedEvents));
    if (report.droppedNotes > 0)
        text += tr("; %1 older wakes and waits were no longer in memory").arg(format::count(report.droppedNotes));
    if (report.overflowCoroutines > 0)
        text += tr("; %1 coroutines with %2 events did not fit in memory")
                    .arg(format::count(report.overflowCoroutines), format::count(report.overflowEvents));
    m_notices.clear();
    onNotice(text);
}

void MainWindow::updateStartPage()
{
    const SessionState state = m_capture->state();
    if (state == SessionState::Idle)
        m_startPage->showWelcome();
    else if (state == SessionState::Ended)
        m_startPage->showMessage(tr("No coroutine was seen"), exitText(), true);
    else if (m_capture->isListening())
        m_startPage->showMessage(tr("Waiting for a target…"), tr("Region: %1").arg(m_capture->session()->regionPath()),
                                 false);
    else
        m_startPage->showMessage(tr("Waiting for the first coroutine…"), m_capture->name(), false);
}

void MainWindow::select(CoroutineId coroutine)
{
    m_coroutines->select(coroutine);
    m_stuck->select(coroutine);
    m_timeline->setSelected(coroutine);
    m_details->select(coroutine);
    m_creation->select(coroutine);
}

void MainWindow::settleTarget(const QString &question, std::function<void()> next)
{
    if (!m_capture->targetRuns()) {
        next();
        return;
    }
    auto *box =
        new QMessageBox(QMessageBox::Question, tr("The target is running"),
                        tr("%1 is still running.").arg(printable(m_capture->name())), QMessageBox::NoButton, this);
    box->setObjectName(QStringLiteral("runningTargetBox"));
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(question);
    box->setIconPixmap(icons::icon(QStringLiteral("warning"), colorsFor(palette()).accent).pixmap(QSize(40, 40)));
    QPushButton *leave = box->addButton(tr("&Leave running"), QMessageBox::AcceptRole);
    QPushButton *terminate = box->addButton(tr("&Terminate"), QMessageBox::DestructiveRole);
    QPushButton *cancel = box->addButton(QMessageBox::Cancel);
    leave->setObjectName(QStringLiteral("leaveRunningButton"));
    terminate->setObjectName(QStringLiteral("terminateButton"));
    cancel->setObjectName(QStringLiteral("cancelButton"));
    box->setDefaultButton(leave);
    connect(box, &QMessageBox::buttonClicked, this, [this, leave, terminate, next](QAbstractButton *button) {
        if (button == leave || (button == terminate && !m_capture->targetRuns())) {
            next();
        } else if (button == terminate) {
            m_afterExit = next;
            m_capture->terminateTarget();
        }
    });
    box->open();
}

/// Asks the user what to do about running jobs when the window closes.
void MainWindow::settleJobs(std::function<void()> next)
{
    QStringList running;
    for (const ExportBar *bar : {m_saveBar, m_exportBar}) {
        if (bar->isRunning())
            running << bar->text();
    }
    auto *box = new QMessageBox(QMessageBox::Question, tr("A file is still being written"),
                                tr("%1 is still running.").arg(running.join(QStringLiteral(", "))),
                                QMessageBox::NoButton, this);
    box->setObjectName(QStringLiteral("runningJobBox"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(tr("If you close the window now, the file is discarded."));
    box->setIconPixmap(icons::icon(QStringLiteral("warning"), colorsFor(palette()).accent).pixmap(QSize(40, 40)));
    QPushButton *close = box->addButton(tr("&Close anyway"), QMessageBox::DestructiveRole);
    close->setObjectName(QStringLiteral("closeButton"));
    QPushButton *cancel = box->addButton(QMessageBox::Cancel);
    cancel->setObjectName(QStringLiteral("cancelButton"));
    box->setDefaultButton(cancel);
    connect(box, &QMessageBox::buttonClicked, this, [this, close, next = std::move(next)](QAbstractButton *button) {
        if (button != close)
            return;
        m_saveBar->giveUp();
        m_exportBar->giveUp();
        next();
    });
    box->open();
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (m_saveBar->isRunning() || m_exportBar->isRunning()) {
        event->ignore();
        settleJobs([this] { close(); });
        return;
    }
    if (m_closing || !m_capture->targetRuns()) {
        saveLayout();
        event->accept();
        return;
    }
    event->ignore();
    settleTarget(tr("If you leave it running, the target continues without being traced. "
                    "Attach to its region to see it again."),
                 [this] {
                     m_closing = true;
                     close();
                 });
}

}  // namespace ct
