// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/capture.h"

#include "core/analysis/stuck.h"
#include "core/base/startthread.h"
#include "core/playback/fileloader.h"
#include "core/playback/historyrestorer.h"
#include "core/playback/inputspool.h"
#include "core/playback/replaygate.h"
#include "core/session/resolverdriver.h"
#include "core/session/runrecording.h"

#include <QFileInfo>

#include <algorithm>
#include <ctime>
#include <unistd.h>

namespace ct {

namespace {

constexpr int kSampleIntervalMs = 33;

std::uint64_t monotonicNow()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

/// A quarter of the machine's memory, at least 256 MiB.
std::uint64_t usualBudget()
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long pageSize = sysconf(_SC_PAGESIZE);
    const std::uint64_t memory =
        pages > 0 && pageSize > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(pageSize) : 0;
    return std::max<std::uint64_t>(memory / 4, 256ULL << 20);
}

/// Divides a budget (bytes) between its uses.
struct Shares {
    explicit Shares(std::uint64_t budget)
        : restored(budget / 4),
          queue(std::clamp<std::uint64_t>(budget / 8, 16ULL << 20, 1ULL << 30)),
          coroutines(budget / 8),
          history(budget - restored - std::min(queue, budget / 8) - coroutines)
    {
    }
    std::uint64_t restored;    ///< events restored from the recording
    std::uint64_t queue;       ///< events not yet written to the recording
    std::uint64_t coroutines;  ///< coroutines that have ended
    std::uint64_t history;
};

/// Live coroutines have their share of the machine's memory, whatever the budget is: their records are never evicted.
RecordLimits limitsOf(const Shares &shares)
{
    constexpr std::uint64_t kEach = 256;  // bytes per coroutine in the population, the history and the views
    const auto records = [](std::uint64_t bytes) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes / kEach, Population::kMostCoroutines));
    };
    return {records(shares.coroutines), records(usualBudget())};
}

QString baseName(const std::string &path)
{
    return QFileInfo(QString::fromStdString(path)).fileName();
}

/// Returns an unused path for the recording of standard input, among the recordings of other runs.
Result<std::string> inputPath(QStringList &notices)
{
    const QString directory = recordingsDirectory();
    const Result<std::string> made = makeRecordingsDirectory(directory);
    if (!made)
        return made.error();
    notices << QString::fromStdString(*made);
    const std::string first = directory.toStdString() + '/' + recordingFileName(std::time(nullptr), "stdin");
    std::string path = first;
    for (int i = 2; QFileInfo::exists(QString::fromStdString(path)); ++i)
        path = first.substr(0, first.size() - 4) + '-' + std::to_string(i) + ".ctr";
    return path;
}

QString nameOf(const LaunchSpec &spec)
{
    return spec.argv.empty() ? QString::fromStdString(spec.shellLine).simplified().left(60) : baseName(spec.argv[0]);
}

/// Returns the title of a capture that is not a file.
QString nameOf(const StartRequest &request)
{
    if (const auto *launch = std::get_if<LaunchSpec>(&request.what))
        return nameOf(*launch);
    if (const auto *attach = std::get_if<AttachRequest>(&request.what))
        return baseName(attach->regionPath);
    return Capture::tr("Listening");
}

/// Returns the name of a capture for a file name; not translated.
std::string fileNameOf(const StartRequest &request)
{
    if (std::holds_alternative<ListenRequest>(request.what))
        return "listening";
    const std::string name = nameOf(request).toStdString();
    return hasEnding(name, ".shm") ? name.substr(0, name.size() - 4) : name;
}

}  // namespace

/// The parts of a new capture. start() discards them on an error.
struct Capture::Source {
    std::shared_ptr<Population> population;
    std::shared_ptr<History> history;
    std::unique_ptr<RunRecording> recording;
    std::unique_ptr<HistoryRestorer> restorer;
    std::shared_ptr<AddressResolver> resolver;
    std::unique_ptr<Session> session;
    std::unique_ptr<ResolverDriver> driver;  ///< of the session
    std::unique_ptr<InputSpool> input;
    std::unique_ptr<FileLoader> loader;
    std::string openedPath;
    QString name;
    QStringList notices;
};

Capture::Capture(QObject *parent) : QObject(parent)
{
    m_timer.setInterval(kSampleIntervalMs);
    connect(&m_timer, &QTimer::timeout, this, &Capture::tick);
}

Capture::~Capture()
{
    endRecording();
}

/// Call before the session is destroyed: ends the recording of a live session.
void Capture::endRecording()
{
    const bool live = m_session && m_session->state() != SessionState::Ended;
    if (m_recording && live)
        m_recording->endRecording();
}

Result<void> Capture::start(const StartRequest &request)
{
    if (std::holds_alternative<std::monostate>(request.what))
        return {};
    const bool isFile =
        std::holds_alternative<OpenRequest>(request.what) || std::holds_alternative<ReplayRequest>(request.what);
    Source source;
    const Shares shares(m_keepBytes == 0 ? usualBudget() : m_keepBytes);
    const RecordLimits limits = limitsOf(shares);
    source.population = std::make_shared<Population>(m_mostCoroutines, limits);
    // The time limit does not apply to a file.
    source.history =
        std::make_shared<History>(shares.history, isFile ? 0 : m_keepNs, m_mostCoroutines, shares.restored, limits);
    if (m_recordingFolder)
        m_recordingFolder->queueBytes = shares.queue;
    source.resolver = std::make_shared<AddressResolver>(m_symbols, source.population);
    const auto startedAt = static_cast<std::int64_t>(monotonicNow());
    const Result<void> begun = begin(source, request);
    m_targetFailed = !begun && source.session && source.session->targetFailedToStart();
    if (!begun)
        return begun;
    endRecording();
    m_driver = std::move(source.driver);
    const std::shared_ptr<AddressResolver> oldResolver = std::exchange(m_resolver, std::move(source.resolver));
    const std::unique_ptr<RunRecording> oldRecording = std::exchange(m_recording, std::move(source.recording));
    const std::unique_ptr<Session> oldSession = std::exchange(m_session, std::move(source.session));
    const std::unique_ptr<InputSpool> oldInput = std::exchange(m_input, std::move(source.input));
    const std::unique_ptr<FileLoader> oldLoader = std::exchange(m_loader, std::move(source.loader));
    const std::unique_ptr<HistoryRestorer> oldRestorer = std::exchange(m_historyRestorer, std::move(source.restorer));
    const std::shared_ptr<Population> oldPopulation = std::exchange(m_population, std::move(source.population));
    const std::shared_ptr<History> oldHistory = std::exchange(m_history, std::move(source.history));
    for (QObject *old : {static_cast<QObject *>(oldSession.get()), static_cast<QObject *>(oldLoader.get()),
                         static_cast<QObject *>(oldRecording.get())})
        if (old)
            old->disconnect(this);
    m_name = source.name;
    m_openedPath = source.openedPath;
    m_stopAsked = false;
    m_loaded = false;
    m_judged.reset();
    m_listening = std::holds_alternative<ListenRequest>(request.what);
    m_startedAt = m_recording ? static_cast<std::int64_t>(m_recording->startedAt()) : m_loader ? 0 : startedAt;
    m_rates.clear();
    setPaused(false);
    Q_EMIT traceChanged();
    m_timer.start();
    Q_EMIT stateChanged(state());
    for (const QString &notice : (m_session ? m_session->notices() : QStringList()) + source.notices)
        Q_EMIT noticeAdded(notice);
    return {};
}

Result<void> Capture::begin(Source &source, const StartRequest &request)
{
    if (const auto *open = std::get_if<OpenRequest>(&request.what)) {
        source.name = baseName(open->path);
        return beginFile(source, open->path);
    }
    if (std::holds_alternative<InputRequest>(request.what))
        return beginInput(source);
    if (const auto *replay = std::get_if<ReplayRequest>(&request.what))
        return beginReplay(source, *replay);
    source.session = std::make_unique<Session>();
    source.session->addSink(source.population);
    source.session->addSink(source.history);
    source.driver = std::make_unique<ResolverDriver>(*source.session, source.resolver);
    watch(*source.session);
    record(source, request);
    Result<void> begun = beginLive(source, request);
    if (begun && source.recording)
        source.recording->started();
    return begun;
}

Result<void> Capture::beginLive(Source &source, const StartRequest &request)
{
    source.name = nameOf(request);
    if (const auto *launch = std::get_if<LaunchSpec>(&request.what)) {
        LaunchSpec spec = *launch;
        spec.output = OutputMode::Pty;
        Result<void> launched = source.session->launch(request.capture, spec);
        if (launched && source.session->target())
            connect(source.session->target(), &TargetProcess::outputReady, this, &Capture::outputReady);
        return launched;
    }
    if (const auto *attach = std::get_if<AttachRequest>(&request.what))
        return source.session->attach(attach->regionPath);
    return source.session->listen(request.capture);
}

/// Adds a recording to the session, if that is switched on.
void Capture::record(Source &source, const StartRequest &request)
{
    if (!m_recordingFolder)
        return;
    Result<std::unique_ptr<RunRecording>> begun =
        RunRecording::create(*source.session, source.population, request, fileNameOf(request), *m_recordingFolder);
    if (!begun) {
        source.notices << tr("This run is not recorded: %1.").arg(QString::fromStdString(begun.error().message));
        return;
    }
    source.recording = std::move(*begun);
    source.notices << QString::fromStdString(source.recording->notice());
    source.restorer = std::make_unique<HistoryRestorer>(source.history, source.recording->streamIndex());
    source.recording->recordFrameLocations(source.resolver);
    connect(source.recording.get(), &RunRecording::failed, this, [this](const QString &message) {
        Q_EMIT noticeAdded(tr("The recording of this run has stopped: %1. The capture "
                              "continues.")
                               .arg(message));
    });
}

std::shared_ptr<const StreamIndex> Capture::recorded() const
{
    if (m_recording)
        return m_recording->streamIndex();
    return m_loader ? m_loader->streamIndex() : nullptr;
}

std::string Capture::recordingPath() const
{
    return m_recording ? m_recording->path() : m_openedPath;
}

Result<void> Capture::beginFile(Source &source, const std::string &path, std::shared_ptr<ReplayGate> gate)
{
    source.openedPath = path;
    source.loader =
        std::make_unique<FileLoader>(path, std::vector<std::shared_ptr<Sink>>{source.population, source.history});
    source.restorer = std::make_unique<HistoryRestorer>(source.history, source.loader->streamIndex());
    source.loader->setResolver(source.resolver);
    source.loader->setGate(std::move(gate));
    watch(*source.loader);
    return startQThread(*source.loader, "to read " + path);
}

Result<void> Capture::beginReplay(Source &source, const ReplayRequest &request)
{
    source.name = baseName(request.path);
    const auto gate = std::make_shared<ReplayGate>();
    gate->setSpeed(request.speed);
    if (!request.playing)
        gate->pause();
    gate->runTo(request.through);
    return beginFile(source, request.path, gate);
}

Result<void> Capture::beginInput(Source &source)
{
    source.name = tr("Standard input");
    // Get the descriptor first: if recording fails, closing it gives the writer a broken pipe.
    const Result<int> input = InputSpool::detachStandardInput();
    if (!input)
        return input.error();
    const Result<std::string> path = inputPath(source.notices);
    if (!path) {
        ::close(*input);
        return path.error();
    }
    Result<std::unique_ptr<InputSpool>> spool = InputSpool::start(*input, *path);
    if (!spool)
        return spool.error();
    source.input = std::move(*spool);
    return beginFile(source, source.input->path());
}

void Capture::watch(Session &session)
{
    connect(&session, &Session::stateChanged, this, &Capture::stateChanged);
    connect(&session, &Session::targetExited, this,
            [this](const ExitStatus &status) { Q_EMIT targetExited(status, static_cast<qint64>(monotonicNow())); });
    connect(&session, &Session::nothingTraced, this, &Capture::nothingTraced);
    connect(&session, &Session::noticeAdded, this, &Capture::noticeAdded);
    connect(&session, &Session::sinkFailed, this, &Capture::failed);
}

bool Capture::knowsDeaths() const
{
    return !m_loader || hasEnding(m_openedPath, ".ctr");
}

void Capture::setDebugSearchPath(const DebugSearchPath &searchPath)
{
    m_symbols->setSearchPath(searchPath);
    if (m_resolver)
        m_resolver->forgetGaps();
}

SessionState Capture::state() const
{
    if (m_session)
        return m_session->state();
    if (m_loader)
        return m_loader->isFinished() ? SessionState::Ended : SessionState::Capturing;
    return SessionState::Idle;
}

bool Capture::targetRuns() const
{
    return m_session && m_session->target() && m_session->target()->isRunning();
}

Accounting Capture::accounting() const
{
    Accounting sums;
    if (m_session)
        sums = m_session->accounting();
    else if (m_loader)
        sums = m_loader->accounting();
    if (m_population && m_history)
        m_population->overflow().together(m_history->overflow()).addTo(sums);
    return sums;
}

void Capture::setPaused(bool paused)
{
    if (paused == m_paused)
        return;
    m_paused = paused;
    Q_EMIT pausedChanged(paused);
}

bool Capture::canSwitchTracing() const
{
    const bool live = state() == SessionState::Waiting || state() == SessionState::Capturing;
    return live && m_session && m_session->canPause();
}

bool Capture::isTracing() const
{
    return !m_session || !m_session->isPaused();
}

void Capture::setTracing(bool on)
{
    if (!canSwitchTracing() || on == isTracing())
        return;
    m_session->setPaused(!on);
    Q_EMIT stateChanged(state());
}

void Capture::setKeep(std::uint64_t bytes, std::uint64_t ns)
{
    m_keepBytes = bytes;
    m_keepNs = ns;
}

void Capture::stopCapture()
{
    if (m_session)
        m_session->stopCapture();
    else if (m_loader && isFollowed() && !std::exchange(m_stopAsked, true))
        m_input ? m_input->stop() : m_loader->stopFollowing();
    else if (m_loader)
        m_loader->cancel();  // ends the loading of a complete file
}

void Capture::terminateTarget()
{
    if (!m_session)
        return;
    if (targetRuns() && !m_judged) {
        const std::uint64_t now = m_population->now();
        std::uint32_t stuck = 0;
        for (const StuckGroup &group : findStuck(*m_population, now))
            stuck += static_cast<std::uint32_t>(group.coroutines.size());
        m_judged = {now, stuck};
        if (m_recording)
            m_recording->recordJudgement(now, stuck);
    }
    m_session->terminateTarget();
}

void Capture::tick()
{
    const Accounting sums = accounting();
    // For a file use the stream's time, independent of the speed of reading.
    const std::uint64_t now = m_loader ? m_population->now() : monotonicNow();
    if (now != 0 && m_rates.add(now, sums.captured, sums.lost, m_population->alive()))
        Q_EMIT ratesChanged();
    if (m_loader)
        takeOutput(*m_loader);
    if (!m_paused)
        Q_EMIT sampled();
    Q_EMIT ticked();
}

}  // namespace ct
