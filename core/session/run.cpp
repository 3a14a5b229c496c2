// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run.h"

#include "core/base/fileending.h"
#include "core/base/monotonic.h"
#include "core/databases/openstream.h"
#include "core/databases/serveraddress.h"
#include "core/playback/historyrestorer.h"
#include "core/recording/read/segments.h"
#include "core/session/resolverdriver.h"
#include "core/session/runjudge.h"
#include "core/session/windowrecording.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <chrono>
#include <unistd.h>
#include <utility>

namespace ct {

namespace {

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

Shares sharesOf(const RunSettings &settings)
{
    return Shares(settings.keepBytes == 0 ? usualBudget() : settings.keepBytes);
}

/// Live coroutines have their share of the machine's memory, whatever the budget is: their records are never evicted.
RecordLimits limitsOf(const Shares &shares)
{
    constexpr std::uint64_t kEach = 256;  // bytes per coroutine in the population, the history and the views
    const auto records = [](std::uint64_t bytes) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes / kEach, Population::kMostCoroutines));
    };
    return {records(shares.coroutines), records(usualBudget())};
}

/// Of a file, or of a session in a database.
QString baseName(const std::string &path)
{
    if (const Result<ServerAddress> address = parseServerAddress(path))
        return QString::fromStdString(address->database +
                                      (address->session.empty() ? "" : ", session " + address->session));
    return QFileInfo(QString::fromStdString(path)).fileName();
}

QString nameOf(const LaunchSpec &spec)
{
    return spec.argv.empty() ? QString::fromStdString(spec.shellLine).simplified().left(60) : baseName(spec.argv[0]);
}

/// Returns the title of a run.
QString nameOf(const StartRequest &request)
{
    if (const LaunchSpec *launch = request.launchSpec())
        return nameOf(*launch);
    if (const std::string path = request.inputPath(); !path.empty())
        return baseName(path);
    return request.kind() == RunKind::Input ? Run::tr("Standard input") : Run::tr("Listening");
}

/// Returns the name of a live run for a file name; not translated.
std::string fileNameOf(const StartRequest &request)
{
    if (request.kind() == RunKind::Listening)
        return "listening";
    const std::string name = nameOf(request).toStdString();
    return hasEnding(name, ".shm") ? name.substr(0, name.size() - 4) : name;
}

/// The window reads the output of a launched target, to show it. A backlog may wait beside the recording.
StartRequest forWindow(StartRequest request, const RunSettings &settings)
{
    if (LaunchSpec *launch = request.launchSpec())
        launch->output = OutputMode::Pty;
    if (settings.recordingFolder)
        request.backlog.spillFolder = QFile::encodeName(settings.recordingFolder->directory).toStdString();
    return request;
}

}  // namespace

Run::Run() = default;

Run::~Run()
{
    if (m_source)
        m_source->disconnect(this);
    // A source that captures stops when it is destroyed, which must not wait long for a slow disk.
    if (m_recording && state() != RunState::Idle && state() != RunState::Ended)
        m_recording->endRecording();
}

Result<std::unique_ptr<Run>> Run::start(const StartRequest &request, const RunSettings &settings)
{
    auto run = std::make_unique<Run>();
    if (Result<void> begun = run->startWith(request, settings); !begun)
        return begun.error();
    return run;
}

Result<void> Run::startWith(const StartRequest &request, const RunSettings &settings)
{
    m_kind = request.kind();
    m_name = nameOf(request);
    makeTrace(settings);
    OpenedSource opened = openSource(forWindow(request, settings));
    m_source = std::move(opened.source);
    m_live = opened.live;
    m_recorded = opened.recorded;
    m_source->addSink(m_judge->instantJudge());
    m_source->addSink(m_population);
    m_source->addSink(m_history);
    m_source->addSink(m_judge->data());
    connectSource();
    if (m_live)
        record(request, settings);
    else
        m_recorded->setResolver(m_resolver);
    m_startedAt = static_cast<std::int64_t>(monotonicNow());
    if (Result<void> started = m_source->start(); !started)
        return started;
    if (m_recording)
        m_recording->started();
    if (m_recorded)
        m_restorer = std::make_unique<HistoryRestorer>(m_history, m_recorded->streamIndex());
    return {};
}

void Run::makeTrace(const RunSettings &settings)
{
    const Shares shares = sharesOf(settings);
    const RecordLimits limits = limitsOf(shares);
    m_population = std::make_shared<Population>(settings.mostCoroutines, limits);
    // The time limit does not apply to a file. Standard input may never end.
    const bool isFile = m_kind == RunKind::File || m_kind == RunKind::Replay;
    m_history = std::make_shared<History>(shares.history, isFile ? 0 : settings.keepNs, settings.mostCoroutines,
                                          shares.restored, limits);
    m_resolver = std::make_shared<AddressResolver>(settings.symbols, m_population);
    m_judge = std::make_unique<RunJudge>(m_population, m_history, m_resolver, settings.thresholds);
}

void Run::connectSource()
{
    connect(m_source.get(), &Source::stateChanged, this, &Run::stateChanged);
    connect(m_source.get(), &Source::outputReady, this, &Run::outputReady);
    connect(m_source.get(), &Source::outputLeftOut, this, &Run::outputLeftOut);
    connect(m_source.get(), &Source::targetExited, this, &Run::targetExited);
    connect(m_source.get(), &Source::noticeAdded, this, &Run::noticeAdded);
    if (m_live) {
        m_driver = std::make_unique<ResolverDriver>(*m_live, m_resolver);
        connect(m_live, &Session::nothingTraced, this, &Run::nothingTraced);
        connect(m_live, &Session::sinkFailed, this, &Run::failed);
    } else {
        connect(m_recorded, &RecordedSource::grows, this, &Run::grows);
        connect(m_recorded, &RecordedSource::readingEnded, this, &Run::readingEnded);
        if (!isReplay())
            m_recorded->setWhenDecided(
                [judge = m_judge->instantJudge()](std::uint64_t instant) { judge->judgeAt(instant); });
    }
}

/// Adds a recording to the session, if the settings ask for it.
void Run::record(const StartRequest &request, const RunSettings &settings)
{
    if (!settings.recordingFolder)
        return;
    RecordingFolder folder = *settings.recordingFolder;
    folder.queueBytes = sharesOf(settings).queue;
    Result<std::unique_ptr<WindowRecording>> created =
        WindowRecording::create(*m_live, m_population, request, fileNameOf(request), folder);
    if (!created) {
        m_notices << tr("This run is not recorded: %1.").arg(QString::fromStdString(created.error().message));
        return;
    }
    m_recording = std::move(*created);
    m_notices << QString::fromStdString(m_recording->notice());
    m_restorer = std::make_unique<HistoryRestorer>(m_history, m_recording->streamIndex());
    m_recording->recordFrameLocations(m_resolver);
    connect(m_recording.get(), &WindowRecording::failed, this, [this](const QString &message) {
        Q_EMIT noticeAdded(tr("The recording of this run has stopped: %1. The capture continues.").arg(message));
    });
}

RunState Run::state() const
{
    return m_source ? m_source->state() : RunState::Idle;
}

Accounting Run::accounting() const
{
    if (!m_source)
        return {};
    Accounting sums = m_source->accounting();
    m_population->overflow().together(m_history->overflow()).addTo(sums);
    return sums;
}

std::int64_t Run::startedAt() const
{
    if (m_recorded)
        return m_recorded->startedAt();
    return m_recording ? static_cast<std::int64_t>(m_recording->startedAt()) : m_startedAt;
}

std::int64_t Run::wallClock() const
{
    if (m_recorded)
        return m_recorded->wallClock();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() -
           static_cast<std::int64_t>(monotonicNow());
}

QStringList Run::notices() const
{
    const QStringList own = m_live ? m_live->notices() : m_recorded ? m_recorded->notices() : QStringList();
    return own + m_notices;
}

std::shared_ptr<const StreamIndex> Run::streamIndex() const
{
    if (m_recording)
        return m_recording->streamIndex();
    return m_recorded ? m_recorded->streamIndex() : nullptr;
}

bool Run::isLoading() const
{
    return m_kind == RunKind::File && !isGrowing() && state() != RunState::Ended;
}

bool Run::isPast() const
{
    return (m_kind == RunKind::File && !isGrowing()) || (m_live && m_live->isPostMortem());
}

bool Run::isCutShort() const
{
    return m_recorded && state() == RunState::Ended && m_recorded->readingEnd().isCutShort;
}

bool Run::isPart() const
{
    return m_recorded && (state() != RunState::Ended || m_recorded->readingEnd().isPart);
}

bool Run::knowsDeaths() const
{
    if (!m_recorded || m_population->alive() < m_population->keptCount())
        return true;
    return hasEnding(m_recorded->path(), ".ctr") || isDatabase(m_recorded->path());
}

bool Run::canReplay() const
{
    return state() == RunState::Ended && !isReplay() && !isCutShort() && m_population->size() > 0 &&
           !replayPath().empty();
}

std::string Run::replayPath() const
{
    if (m_recorded)
        return m_recorded->path();
    if (!m_recording || m_recording->hasFailed())
        return {};
    const std::vector<std::string> files = ctr::segmentsOf(m_recording->path());
    return files.empty() ? std::string() : files.front();
}

bool Run::hasRecording() const
{
    return isBeingRecorded() || (m_recorded && hasEnding(m_recorded->path(), ".ctr"));
}

std::string Run::recordingPath() const
{
    if (m_recording)
        return m_recording->path();
    return m_recorded ? m_recorded->path() : std::string();
}

void Run::sampleJudge()
{
    using Stage = RunJudge::Stage;
    if (m_judge)
        m_judge->sample(state() == RunState::Ended ? Stage::Ended : isLoading() ? Stage::Loading : Stage::Running);
}

bool Run::targetRuns() const
{
    return m_live && m_live->target() && m_live->target()->isRunning();
}

pid_t Run::launchedPid() const
{
    return targetRuns() ? m_live->target()->pid() : 0;
}

TracedEnvironment Run::environment() const
{
    return {m_live->regionPath(), m_live->socketPath(), m_live->stations()};
}

void Run::writeInput(const QByteArray &bytes)
{
    if (targetRuns())
        m_live->target()->writeInput(bytes);
}

bool Run::canSwitchTracing() const
{
    return m_live && m_live->canPause();
}

bool Run::isTracing() const
{
    return !m_live || !m_live->isPaused();
}

void Run::setTracing(bool on)
{
    if (!canSwitchTracing() || on == isTracing())
        return;
    m_live->setPaused(!on);
    Q_EMIT stateChanged(state());
}

void Run::terminateTarget()
{
    if (!m_live)
        return;
    if (targetRuns()) {
        m_judge->instantJudge()->judgeNow([this](std::uint64_t instant) {
            if (m_recording)
                m_recording->recordDecision(instant);
        });
    }
    m_live->terminateTarget();
}

void Run::stop()
{
    if (m_source)
        m_source->stop();
}

}  // namespace ct
