// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/filejobs.h"

#include "core/addresses/exportresolveradapter.h"
#include "core/databases/serveraddress.h"
#include "core/exporting/rowestimate.h"
#include "core/recording/read/segments.h"
#include "core/recording/write/systemfacts.h"
#include "core/session/run.h"
#include "core/session/runjudge.h"
#include "ui/dialogs/dumpdialog.h"
#include "ui/dialogs/exportdialog.h"
#include "ui/dialogs/filedialogs.h"
#include "ui/dialogs/messageboxes.h"
#include "ui/format/format.h"
#include "ui/jobs/exportjob.h"
#include "ui/jobs/savejob.h"
#include "ui/widgets/jobbar.h"
#include "ui/widgets/spreadsheetbox.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QMessageBox>
#include <QSettings>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ct {

namespace {

/// For a message: the address of a server without its options.
QString shown(const QString &target)
{
    const Result<ServerAddress> server = parseServerAddress(target.toStdString());
    return server ? QString::fromStdString(server->name()) : target;
}

/// Begins a message of core with a capital letter, but not a path or an address.
QString asSentence(QString message)
{
    if (message.startsWith(QLatin1String("the ")))
        message[0] = u'T';
    return message;
}

QString exportNotice(const QString &target, const ExportReport &report, bool isPart)
{
    QString text = FileJobs::tr("%1 written to %2").arg(format::events(report.rows), shown(target));
    if (isPart)
        text += FileJobs::tr("; only a part of the recording was read");
    if (report.notSelected > 0)
        text +=
            (report.notSelected == 1 ? FileJobs::tr("; %1 was not selected") : FileJobs::tr("; %1 were not selected"))
                .arg(format::events(report.notSelected));
    if (!report.causesPath.empty())
        text += FileJobs::tr("; %1 causes, such as waits and wakes, to %2")
                    .arg(format::count(report.causes), QString::fromStdString(report.causesPath));
    if (report.evictedEvents > 0)
        text += FileJobs::tr("; %1 older events are neither in memory nor in the recording")
                    .arg(format::count(report.evictedEvents));
    if (report.evictedNotes > 0)
        text += FileJobs::tr("; %1 older wakes, waits and uses are neither in memory nor in the recording")
                    .arg(format::count(report.evictedNotes));
    if (report.missingSamples > 0)
        text += FileJobs::tr("; %1 older samples of threads and descriptors are neither in memory nor in the recording")
                    .arg(format::count(report.missingSamples));
    if (report.overflowCoroutines > 0)
        text += FileJobs::tr("; %1 with %2 did not fit in memory")
                    .arg(format::coroutines(report.overflowCoroutines), format::events(report.overflowEvents));
    if (!report.isInOrder)
        text += FileJobs::tr("; coroutine by coroutine, because no complete recording has their order");
    if (!report.remark.empty())
        text += QStringLiteral("; ") + QString::fromStdString(report.remark);
    return text;
}

/// Returns the facts of a run that has no recording file.
RecordingInfo infoOf(const Run &run)
{
    RecordingInfo info = run.recordedInfo();
    if (!info.program.empty())
        return info;
    info.program = QCoreApplication::applicationName().toStdString();
    info.version = QCoreApplication::applicationVersion().toStdString();
    if (!readsRecording(run.kind())) {
        info.machine = machineFacts();
        info.clocks = {clocksNow()};
    }
    if (run.resolver())
        info.processes = run.resolver()->processes();
    return info;
}

/// Reads the facts of the run from the recording when it is called, even while the run lasts.
std::function<RecordingInfo()> infoReader(const Run &run)
{
    return [path = run.recordingPath(), known = infoOf(run)] {
        const std::vector<std::string> files = ctr::segmentsOf(path);
        const Result<RecordingOverview> overview = overviewOf(files.empty() ? path : files.front());
        return overview && !overview->info.program.empty() ? overview->info : known;
    };
}

/// The key of the run among the sessions of a server.
std::string sourceOf(const Run &run)
{
    const std::string input = run.recordingPath();
    return input.empty() ? run.name().toStdString() : sourceOfInput(input);
}

}  // namespace

FileJobs::FileJobs(JobBar &exportBar, JobBar &saveBar, QWidget *window)
    : QObject(window), m_exportBar(exportBar), m_saveBar(saveBar), m_window(window)
{
    connect(&exportBar, &JobBar::failed, this,
            [this](const QString &message) { Q_EMIT failed(tr("The export failed"), message); });
    connect(&saveBar, &JobBar::failed, this,
            [this](const QString &message) { Q_EMIT failed(tr("The recording was not saved"), message); });
    for (const JobBar *bar : {&exportBar, &saveBar})
        connect(bar, &JobBar::cancelled, this,
                [this](const QString &message) { Q_EMIT finished(asSentence(message)); });
    for (const JobBar *bar : {&exportBar, &saveBar})
        connect(bar, &JobBar::ended, this, &FileJobs::showQuestion);
}

void FileJobs::exportRun(const ExportFormat &format, const QString &target, const TraceSelection &selection)
{
    // A copy of the recording has its stream, output and facts as they are.
    if (format.kind == kRecordingKind && m_run->hasRecording())
        return saveRecording(QFile::decodeName(m_run->recordingPath().c_str()), target);
    if (!format.isOfServer() && refusesName(format, target))
        return;
    if (!m_run->population() || refuses(m_exportBar))
        return;
    auto job = std::make_unique<ExportJob>(m_run->population(), m_run->history(), m_run->accounting(), format, target);
    job->setStreamIndex(m_run->streamIndex());
    job->setExportResolver(exportResolverOf(m_run->resolver()));
    job->setSelection(selection);
    job->setInfo(infoReader(*m_run), sourceOf(*m_run));
    const bool isPart = m_run->isPart();  // at the beginning: that is what the export has
    if (isPart)
        job->setPart();
    if (m_run->judge())
        job->setJudge(m_run->judge()->judgingReporter(m_run->name().toStdString()));
    job->setRows(static_cast<double>(
        estimateRows(*m_run->population(), *m_run->history(), selection, m_run->hasRecording()).events));
    if (format.isDatabase())
        job->setEnd(tr("making indexes"));
    const ExportJob *const started = job.get();
    m_exportBar.start(std::move(job),
                      tr("Exporting %1").arg(format.isOfServer() ? shown(target) : QFileInfo(target).fileName()),
                      [this, started, isPart] { finish(exportNotice(started->path(), started->report(), isPart)); });
}

void FileJobs::saveRecording(const QString &recording, const QString &path)
{
    if (refuses(m_saveBar) || refusesName(*exportFormatOfKind(kRecordingKind), path))
        return;
    auto job = std::make_unique<SaveJob>(QFile::encodeName(recording).toStdString(), path);
    const SaveJob *const started = job.get();
    m_saveBar.start(std::move(job), tr("Saving %1").arg(QFileInfo(path).fileName()), [this, started] {
        finish(tr("The recording was saved to %1: %2, %3")
                   .arg(started->path(), format::events(started->report().transitions),
                        format::bytes(started->report().bytes)));
    });
}

void FileJobs::finish(const QString &notice)
{
    m_input.reset();
    Q_EMIT finished(notice);
}

/// Returns true and reports it if a job is running, which another one must not replace.
bool FileJobs::refuses(const JobBar &bar)
{
    if (bar.isRunning())
        Q_EMIT refused(tr("%1 is still running. Try again when it has finished.").arg(bar.text()));
    return bar.isRunning();
}

/// Returns true and reports it if the name promises a compressed file, which the format does not have.
bool FileJobs::refusesName(const ExportFormat &format, const QString &path)
{
    const bool isMisnamed = format.isMisnamed(path.toStdString());
    if (isMisnamed)
        Q_EMIT refused(tr("%1 would not be compressed: only JSONL and CSV can be. Choose a name without .gz and .zst.")
                           .arg(QFileInfo(path).fileName()));
    return isMisnamed;
}

bool FileJobs::askBeforeClosing(std::function<void()> close)
{
    if (!m_saveBar.isRunning() && !m_exportBar.isRunning())
        return false;
    if (m_question && m_question->isVisible())
        return true;
    m_question = makeJobQuestion(m_window, [this, close = std::move(close)] {
        m_saveBar.giveUp();
        m_exportBar.giveUp();
        close();
    });
    showQuestion();
    m_question->open();
    return true;
}

/// Adapts the question to the jobs that still run; without one, closes it.
void FileJobs::showQuestion()
{
    if (!m_question)
        return;
    QStringList titles;
    for (const JobBar *bar : {&m_saveBar, &m_exportBar}) {
        if (bar->isRunning())
            titles << bar->text();
    }
    if (titles.isEmpty()) {
        m_question->reject();
        return;
    }
    const bool storesSession = m_exportBar.isRunning() && isServerAddress(m_exportBar.path().toStdString());
    const bool writesFile = !storesSession || titles.size() > 1;
    QStringList losses;
    if (writesFile)
        losses << tr("the file is discarded");
    if (storesSession)
        losses << tr("nothing of the session is stored, unless the server is publishing it at that moment");
    m_question->setWindowTitle(writesFile ? tr("A file is still being written")
                                          : tr("A session is still being stored"));
    m_question->setText(tr("%1 is still running.").arg(titles.join(QStringLiteral(", "))));
    m_question->setInformativeText(tr("If you close the window now, %1.").arg(losses.join(tr(", and "))));
}

void FileJobs::askForExport(const ExportFormat &format)
{
    if (refuses(m_exportBar))
        return;
    ct::askForExport(m_window, format, QFileInfo(m_run->name()).completeBaseName(),
                     [this](const ExportFormat &chosen, const QString &path) { exportRun(chosen, path); });
}

void FileJobs::askForExport(const ExportChoices &choices)
{
    if (!m_run->population() || refuses(m_exportBar))
        return;
    const ExportedTrace trace{QFileInfo(m_run->name()).completeBaseName(),
                              QFile::decodeName(m_run->recordingPath().c_str()),
                              m_run->population(),
                              m_run->history(),
                              m_run->hasRecording(),
                              [this, population = m_run->population()] {
                                  return m_run->population() == population && m_run->state() != RunState::Ended;
                              }};
    auto *dialog = new ExportDialog(trace, choices, m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (m_input && m_inputOf.lock() == m_run->population())
        dialog->setInput(*m_input);
    // The user may have started another run while the dialog was open.
    connect(dialog, &ExportDialog::exportRequested, this,
            [this, dialog, population = m_run->population()](const ExportFormat &format, const QString &target,
                                                             const TraceSelection &selection) {
                if (population != m_run->population()) {
                    Q_EMIT refused(tr("Another run has begun. Open the export dialog again."));
                    return;
                }
                m_input = dialog->input();
                m_inputOf = population;
                exportRun(format, target, selection);
            });
    dialog->open();
}

void FileJobs::askForSave()
{
    const QString recording = QFile::decodeName(m_run->recordingPath().c_str());
    if (!recording.isEmpty() && !refuses(m_saveBar))
        askForSaveOf(recording, QFileInfo(recording).completeBaseName() + QStringLiteral(".ctr"));
}

void FileJobs::askForSaveOf(const QString &recording, const QString &name)
{
    ct::askForSave(m_window, name, [this, recording](const QString &path) { saveRecording(recording, path); });
}

void FileJobs::askForDump()
{
    auto *dialog = new DumpDialog(DumpSettings::load(QSettings()), m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &DumpDialog::dumpRequested, this, [this](const DumpSettings &chosen) {
        QSettings settings;
        chosen.save(settings);
        dump();
    });
    dialog->open();
}

void FileJobs::dump()
{
    if (!m_run->population())
        return;
    const DumpSettings settings = DumpSettings::load(QSettings());
    if (!settings.isUsable())
        askForDump();
    else
        exportRun(formatAsChosen(*settings.exportFormat()), settings.path(m_run->name(), QDateTime::currentDateTime()));
}

}  // namespace ct
