// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/batch.h"

#include "app/batch/backlog.h"
#include "app/batch/batchoutput.h"
#include "app/batch/console.h"
#include "app/batch/consolesignals.h"
#include "app/batch/convertregion.h"
#include "app/batch/databasepassword.h"
#include "app/batch/diagnosis.h"
#include "app/batch/dumper.h"
#include "app/batch/filesdiffer.h"
#include "app/batch/findinglines.h"
#include "app/batch/recordedrun.h"
#include "app/batch/spillfolder.h"
#include "app/batch/stacksonrequest.h"
#include "app/batch/stuckatend.h"
#include "app/batch/targetreporter.h"
#include "core/addresses/exportresolveradapter.h"
#include "core/base/monotonic.h"
#include "core/session/recordinginfowriter.h"
#include "core/session/resolverdriver.h"
#include "core/target/tracinginstructions.h"

#include <QCoreApplication>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace ct {

namespace {

constexpr int kProgressMs = 500;
/// Nothing is judged before the end, and then the time is requested.
constexpr std::chrono::milliseconds kHeartbeat{2000};
constexpr std::chrono::milliseconds kDumpHeartbeat{250};  ///< with dumps, which follow what happens

QString signalName(int signal)
{
    const char *name = sigabbrev_np(signal);
    return name ? QStringLiteral("SIG%1").arg(QLatin1String(name)) : QString::number(signal);
}

/// A name of the run for the title of a report.
std::string nameOf(const StartRequest &request)
{
    const LaunchSpec *target = request.launchSpec();
    if (target && target->argv.empty())
        return target->shellLine;
    const std::string path = target ? target->argv.front() : request.inputPath();
    return path.empty() ? "programs that were started elsewhere" : path.substr(path.rfind('/') + 1);
}

/// With -o -, standard output carries the recording.
StartRequest requestOf(const CommandLine &line)
{
    StartRequest request = line.start;
    request.backlog.spillFolder = spillFolderOf(line);
    request.heartbeat = line.dumps() ? kDumpHeartbeat : kHeartbeat;
    if (LaunchSpec *target = request.launchSpec(); target && line.streams())
        target->output = OutputMode::StdoutToStderr;
    return request;
}

class BatchRun final : public QObject {
public:
    explicit BatchRun(const CommandLine &line) : m_line(line), m_source(openSource(requestOf(line))) {}
    int run();

private:
    void makeResolver();
    void addSinks();
    Result<void> openOutputs();
    void connectSession();
    void armDuration();
    void decideEnd(const std::string &endedBy);
    void beginEnd();
    void passSignalOn();
    void onSignal(int signal);
    void onDuration();
    void printStart();
    void connectDumper();
    void outputFailed(const QString &message);
    void connectStacks();
    void connectBacklog();
    [[noreturn]] void endAtOnce();
    int finish();
    bool report();
    int exitCode();
    Dumper::Ending ending() const;
    bool isLaunched() const { return m_line.start.launchSpec() != nullptr; }

    const CommandLine &m_line;
    std::shared_ptr<Population> m_population = std::make_shared<Population>();
    /// Shared with outputs, whose threads can outlive the run if a disk does not answer.
    const std::shared_ptr<Diagnosis> m_diagnosis =
        std::make_shared<Diagnosis>(m_line.diagnosis, m_population, nameOf(m_line.start));
    std::shared_ptr<AddressResolver> m_resolver;
    std::unique_ptr<Dumper> m_dumper;    ///< with --keep only
    std::unique_ptr<Backlog> m_backlog;  ///< reports what waits in the queues at the end
    const OpenedSource m_source;
    Session &m_session = *m_source.live;  ///< the command line has refused recordings
    std::unique_ptr<ResolverDriver> m_driver;
    ConsoleSignals m_signals;
    std::unique_ptr<BatchOutput> m_output;
    Console m_console;
    QTimer m_progressTimer;
    QTimer m_durationTimer;
    Summary m_summary;
    std::uint64_t m_startedNs = 0;
    std::uint64_t m_decidedNs = 0;  ///< when the end was decided, ns, CLOCK_MONOTONIC
    std::uint64_t m_endNs = 0;      ///< when the end began, ns, CLOCK_MONOTONIC
    std::unique_ptr<StuckAtEnd> m_stuckAtEnd;
    std::unique_ptr<StacksOnRequest> m_stacks;
    std::unique_ptr<TargetReporter> m_targetReporter;  ///< for targets that are started elsewhere
    int m_signalsSeen = 0;
    int m_lastSignal = 0;
};

void BatchRun::addSinks()
{
    m_session.addSink(m_diagnosis->judge());
    m_resolver->addListener(m_diagnosis->frameListener());
    m_resolver->setHistory(m_diagnosis->history());
    m_session.addSink(m_population);
    for (const std::shared_ptr<Sink> &sink : m_diagnosis->sinks())
        m_session.addSink(sink);
}

Result<void> BatchRun::openOutputs()
{
    addSinks();
    m_output = std::make_unique<BatchOutput>(
        m_line, m_session, m_population, m_resolver,
        [diagnosis = m_diagnosis, resolver = m_resolver] { return diagnosis->presentReport(resolver.get()); });
    if (m_line.diagnosis.any()) {
        if (Result<void> checked = checkFilesDiffer(m_line); !checked)
            return checked;
        if (Result<void> opened = m_diagnosis->open(); !opened)
            return opened;
    }
    connect(m_output.get(), &BatchOutput::reported, this, [this](const QString &message) { m_console.print(message); });
    if (Result<void> opened = m_output->open(m_signals); !opened || !m_line.keepsOnly())
        return opened;
    m_dumper = std::make_unique<Dumper>(m_line, m_population, [this] {
        const std::shared_ptr<const Diagnosis::Stuck> judged = m_diagnosis->stuck();
        return judged ? judged->groups : m_diagnosis->presentlyStuck();
    });
    m_dumper->setExportResolver(exportResolverOf(m_resolver));
    m_session.addSink(m_dumper->history());
    return m_dumper->checkFolder();
}

void BatchRun::makeResolver()
{
    DebugSearchPath searchPath;
    searchPath.folders = m_line.debugFolders;
    m_resolver = std::make_shared<AddressResolver>(std::make_shared<SymbolWorker>(searchPath), m_population);
    m_driver = std::make_unique<ResolverDriver>(m_session, m_resolver);
    m_stuckAtEnd = std::make_unique<StuckAtEnd>(*m_diagnosis, m_population, m_resolver);
}

void BatchRun::connectSession()
{
    connect(&m_session, &Session::ended, QCoreApplication::instance(), &QCoreApplication::quit, Qt::QueuedConnection);
    connect(&m_session, &Session::nothingTraced, this,
            [this](const QString &why) { m_console.print(why + u' ' + Instructions::nothingTracedPointer()); });
    connect(&m_session, &Session::noticeAdded, this, [this](const QString &notice) { m_console.print(notice); });
    connect(&m_session, &Session::sinkFailed, this, [this](const QString &message) { outputFailed(message); });
    connect(&m_session, &Session::captureFailed, this,
            [this](const QString &message) { m_summary.captureError = message.toStdString(); });
    connect(&m_session, &Session::stateChanged, this, [this](RunState state) {
        if (m_summary.endedBy.empty() && (state == RunState::Draining || state == RunState::Ended))
            decideEnd("exit");
        if ((state == RunState::Draining || state == RunState::Ended) && m_stuckAtEnd->isDeciding())
            m_stuckAtEnd->endResolving();  // the run has ended by itself
        if (state == RunState::Draining && m_backlog) {
            m_progressTimer.stop();
            m_backlog->beginReporting(m_signalsSeen > 0);
        }
    });
    connect(&m_signals, &ConsoleSignals::received, this, [this](int signal) { onSignal(signal); });
    connect(&m_durationTimer, &QTimer::timeout, this, [this] { onDuration(); });
    connect(m_stuckAtEnd.get(), &StuckAtEnd::reported, this,
            [this](const QString &message) { m_console.print(message); });
    connect(m_stuckAtEnd.get(), &StuckAtEnd::resolved, this, [this] { beginEnd(); });
    connect(&m_progressTimer, &QTimer::timeout, this,
            [this] { m_console.updateStatus(m_session.accounting(), m_population->alive(), monotonicNow()); });
    if (m_console.isShown())
        m_progressTimer.start(kProgressMs);
}

void BatchRun::connectDumper()
{
    if (!m_dumper)
        return;
    connect(m_dumper.get(), &Dumper::reported, this, [this](const QString &message) { m_console.print(message); });
    connect(m_dumper.get(), &Dumper::failed, this, [this](const QString &message) { outputFailed(message); });
    connect(&m_session, &Session::targetEnded, m_dumper.get(), &Dumper::processEnded);
    m_dumper->watch([this] { return m_session.accounting(); });
}

void BatchRun::connectStacks()
{
    m_stacks = std::make_unique<StacksOnRequest>(*m_diagnosis, m_population, m_resolver, nameOf(m_line.start));
    connect(m_stacks.get(), &StacksOnRequest::written, this, [this](const std::string &text) {
        m_console.clear();
        std::fputs(text.c_str(), stderr);
    });
}

void BatchRun::connectBacklog()
{
    if (m_output->queues().empty())
        return;
    m_backlog = std::make_unique<Backlog>(
        m_output->queues(), [this] { return m_session.accounting().recordsBehind; }, m_output->names());
    connect(m_backlog.get(), &Backlog::reported, this, [this](const QString &message) { m_console.print(message); });
    connect(m_backlog.get(), &Backlog::left, this, [this](const QString &line) { m_console.showStatus(line); });
    connect(m_backlog.get(), &Backlog::endWanted, this, [this] { endAtOnce(); });
}

/// Ends while an output is stuck or slow to complete. Discards the summary, and leaves everything else as it is.
void BatchRun::endAtOnce()
{
    m_console.print(
        tr("ended at once, without completing the output; the region remains: %1").arg(m_session.regionPath()));
    m_output->discardSummary();
    m_diagnosis->discard();
    std::_Exit(kExitOutput);
}

void BatchRun::outputFailed(const QString &message)
{
    m_console.print(message);
    if (m_summary.outputError.empty())
        m_summary.outputError = message.toStdString();
}

/// Waits in steps, because long durations exceed a timer's int of milliseconds.
void BatchRun::armDuration()
{
    if (!m_line.durationSec || !m_summary.endedBy.empty())
        return;
    const double elapsed = static_cast<double>(monotonicNow() - m_startedNs) / 1e9;
    const double left = std::clamp((*m_line.durationSec - elapsed) * 1e3, 0.0, 1e9);
    m_durationTimer.setTimerType(Qt::PreciseTimer);
    m_durationTimer.setSingleShot(true);
    m_durationTimer.start(static_cast<int>(std::ceil(left)));
}

/// Called once, for the first reason. Judges which coroutines are stuck before ending the run changes anything.
void BatchRun::decideEnd(const std::string &endedBy)
{
    m_summary.endedBy = endedBy;
    m_decidedNs = m_endNs = monotonicNow();
    m_durationTimer.stop();
    if (endedBy == "exit")
        return;
    if (isLaunched()) {
        m_decidedNs = m_endNs = m_diagnosis->judgeNow([this](std::uint64_t instant) {
            for (const std::shared_ptr<QueuedSink> &queue : m_output->queues())
                queue->keepApart(instant);
            if (RecordingInfoWriter *const infoWriter = m_output->infoWriter())
                infoWriter->recordDecision(instant);
        });
    }
    m_session.requestTime();
    m_stuckAtEnd->decide(isLaunched(), m_decidedNs);
}

/// Does nothing more if the capture has ended by itself.
void BatchRun::beginEnd()
{
    m_endNs = monotonicNow();
    if (m_session.state() == RunState::Draining || m_session.state() == RunState::Ended)
        return;
    RecordingInfoWriter *const infoWriter = m_output->infoWriter();
    if (const std::optional<StuckInstant> decided = m_stuckAtEnd->decided(); decided && infoWriter)
        infoWriter->recordJudgement(decided->ts, decided->coroutines);
    if (m_summary.endedBy == "signal")
        passSignalOn();
    else if (isLaunched())
        m_session.terminateTarget();
    else
        m_session.stop();
}

void BatchRun::onSignal(int signal)
{
    if (signal == SIGUSR1) {
        if (m_dumper)
            m_dumper->dump(tr("on request"));
        else
            m_console.print(tr("SIGUSR1 was ignored: there are no dumps without --keep; the capture continues"));
        return;
    }
    if (signal == SIGUSR2) {
        m_session.requestTime();  // counts durations up to now, even if nothing has happened for long
        m_stacks->begin();
        return;
    }
    m_lastSignal = signal;
    if (m_backlog && m_backlog->hasBegun()) {
        m_backlog->onSignal();
        return;
    }
    if (m_summary.endedBy.empty())
        decideEnd("signal");
    else if (m_stuckAtEnd->isDeciding())
        m_stuckAtEnd->stopResolving();
    else
        passSignalOn();
}

void BatchRun::passSignalOn()
{
    ++m_signalsSeen;
    TargetProcess *target = m_session.target();
    if (!target || !target->isRunning()) {
        m_session.stop();
        return;
    }
    if (m_signalsSeen == 1) {
        target->sendSignal(m_lastSignal);
        m_console.print(tr("%1 forwarded to the target; the next signal terminates it").arg(signalName(m_lastSignal)));
    } else if (m_signalsSeen == 2) {
        m_session.terminateTarget();
        m_console.print(tr("terminating the target; the next signal kills it"));
    } else {
        target->sendSignal(SIGKILL);
    }
}

void BatchRun::onDuration()
{
    if (static_cast<double>(monotonicNow() - m_startedNs) < *m_line.durationSec * 1e9 - 1e6) {
        armDuration();
        return;
    }
    decideEnd("duration");
}

void BatchRun::printStart()
{
    for (const QString &notice : m_session.notices())
        m_console.print(notice);
    if (isLaunched())
        return;
    m_targetReporter = std::make_unique<TargetReporter>(m_session, m_console);
    if (m_line.start.kind() == RunKind::Listening)
        m_targetReporter->printInstructions();
}

int BatchRun::exitCode()
{
    if (!m_summary.outputError.empty() || m_summary.eventsNotWritten != 0)
        return kExitOutput;
    if (!m_summary.captureError.empty())
        return kExitCapture;
    // The signal may have come when the capture had ended by itself.
    if (m_line.convertsRegion && m_session.isPostMortem() && (m_lastSignal != 0 || m_signals.takeEnd()))
        return kExitSignalBase + (m_lastSignal != 0 ? m_lastSignal : SIGINT);
    if (m_summary.endedBy == "duration" || !isLaunched())
        return kExitSuccess;
    if (m_summary.signal)
        return kExitSignalBase + *m_summary.signal;
    return m_summary.exitCode.value_or(kExitSignalBase + m_lastSignal);
}

Dumper::Ending BatchRun::ending() const
{
    if (m_session.isPostMortem())
        return Dumper::Ending::Found;
    if (m_summary.endedBy == "exit")
        return Dumper::Ending::TargetDied;
    return isLaunched() ? Dumper::Ending::Terminated : Dumper::Ending::Left;
}

/// Returns false if the report cannot be written.
bool BatchRun::report()
{
    if (!m_line.diagnosis.any())
        return true;
    m_diagnosis->resolveLocations(*m_resolver);
    const Result<void> written = m_diagnosis->write(m_resolver.get(), [this] { return m_signals.takeEnd(); });
    if (!written)
        m_console.print(QString::fromStdString(written.error().message));
    return bool(written);
}

int BatchRun::finish()
{
    m_console.clear();
    m_diagnosis->finishJudging();
    if (m_dumper) {
        m_dumper->finish(ending(), m_decidedNs);
        m_summary.dumps = m_dumper->files();
        m_summary.findingsNotDumped = m_dumper->findingsNotDumped();
    }
    m_summary.accounting = m_session.accounting();
    const Overflow dumped = m_dumper ? m_dumper->history()->overflow() : Overflow();
    m_population->overflow().together(dumped).addTo(m_summary.accounting);
    m_summary.overflowNames = m_population->overflowNames();
    m_output->check(m_summary);
    m_summary.processes = m_population->processes().size();
    m_summary.durationNs = m_endNs - m_startedNs;
    m_summary.regionPath = m_session.regionPath().toStdString();
    m_summary.regionKept = m_session.regionLeftOver() || m_session.isObserver();
    m_stuckAtEnd->finish(m_summary);
    m_summary.abstained = m_diagnosis->abstained();
    if (m_session.target() && m_session.target()->exitStatus()) {
        const ExitStatus status = *m_session.target()->exitStatus();
        if (status.signal != 0)
            m_summary.signal = status.signal;
        else
            m_summary.exitCode = status.code;
    }
    if (const std::string instants = describeInstants(m_summary); !instants.empty())
        m_console.print(QString::fromStdString(instants));
    for (const QString &text : findingLines(m_summary, m_resolver->problem()))
        m_console.print(text);
    m_console.print(
        QString::fromStdString(describe(m_summary.accounting, m_summary.durationNs, m_summary.overflowNames)));
    m_output->reportRows();
    const bool reported = report();
    const int code = exitCode();
    if (!m_output->writeSummary(m_summary, [this] { return m_signals.takeEnd(); }) || !reported)
        return kExitOutput;
    if (code != kExitSuccess || m_diagnosis->failure().empty())
        return code;
    m_console.print(QString::fromStdString(m_diagnosis->failure()));
    return kExitFindings;
}

int BatchRun::run()
{
    const auto fail = [this](const Error &error, int code) {
        m_console.print(QString::fromStdString(error.message));
        if (m_output)
            m_output->discardSummary();
        m_diagnosis->discard();
        return code;
    };
    makeResolver();
    if (const Result<void> known = m_diagnosis->readBaseline(); !known)
        return fail(known.error(), kExitCapture);
    if (const Result<void> opened = openOutputs(); !opened)
        return fail(opened.error(), kExitOutput);
    m_startedNs = monotonicNow();
    if (const Result<void> started = m_session.start(); !started)
        return fail(started.error(),
                    started.error().code == ErrorCode::CannotExecute ? kExitCannotStart : kExitCapture);
    if (const Result<void> dropped = m_diagnosis->dropOlder(); !dropped)
        outputFailed(QString::fromStdString(dropped.error().message));
    if (RecordingInfoWriter *const infoWriter = m_output->infoWriter())
        infoWriter->started();
    printStart();
    connectSession();
    connectDumper();
    connectStacks();
    connectBacklog();
    armDuration();
    QCoreApplication::exec();
    return finish();
}

}  // namespace

int runBatch(const CommandLine &line)
{
    for (const std::string &warning : line.warnings)
        Console().print(QString::fromStdString(warning));
    provideDatabasePasswords(line);
    if (readsRecording(line.start.kind()))
        return runRecorded(line);
    const auto capture = [](const CommandLine &captured) { return BatchRun(captured).run(); };
    return line.convertsRegion ? convertRegion(line, capture) : capture(line);
}

}  // namespace ct
