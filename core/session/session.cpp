// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/session.h"

#include "core/base/monotonic.h"
#include "core/session/capturedregion.h"
#include "core/session/nothingtraced.h"
#include "core/session/observereffect.h"
#include "core/session/regiondescription.h"
#include "core/session/shortagenotices.h"
#include "core/target/targetwatch.h"
#include "core/target/untraced.h"

#include <QTimer>

#include <algorithm>
#include <optional>
#include <utility>

namespace ct {

namespace {

constexpr int kProgressMs = 100;
/// While nothing happens, which saves wake-ups of some 50 us each: first, and after kShortIdle checks.
constexpr int kShortIdleMs = 500;
constexpr int kLongIdleMs = 2000;
constexpr int kShortIdle = 12;

QString text(const std::string &utf8)
{
    return QString::fromStdString(utf8);
}

bool isNothing(const Accounting &sums)
{
    return sums.stationsAllocated == 0 && sums.coroutines == 0;
}

}  // namespace

struct Session::Data {
    RunKind kind = RunKind::None;
    StartRequest request;  ///< for start()
    RunState state = RunState::Idle;
    EndReason endReason = EndReason::None;
    UntracedWatch untraced;
    std::vector<std::shared_ptr<Sink>> sinks{untraced.sink()};
    CapturedRegion region;                   // destroyed after the harvest thread, which reads it
    std::unique_ptr<HarvestThread> harvest;  // reset after the end
    TargetProcess *process = nullptr;
    const std::shared_ptr<LatestSums> sums = std::make_shared<LatestSums>();
    std::string socketPath;
    QStringList notices;
    ShortageNotices shortageNotices;
    TargetWatch *targets = nullptr;
    bool untilIdle = false;
    bool anyCame = false;  ///< a target was seen, if only for a moment
    bool paused = false;   ///< as the user requested; the harvest follows
    bool limited = false;  ///< tracing is off to limit the observer effect
    ObserverEffect *effect = nullptr;
    bool postMortem = false;
    bool hadUnknownUser = false;  ///< an unknown process may have used the region when we attached
    bool reportedMayBeInUse = false;
    bool reportedLimit = false;
    bool leftOver = false;
    bool terminating = false;
    NothingTraced *nothingTraced = nullptr;
    QTimer *progressTimer = nullptr;
    int idleChecks = 0;          ///< in a row, of checkProgress()
    std::uint64_t activity = 0;  ///< a sum that grows while anything happens, at the latest checkProgress()
};

Session::Session(const StartRequest &request) : m_data(std::make_unique<Data>())
{
    m_data->request = request;
    m_data->nothingTraced = new NothingTraced([this] { return whyNothingIsTraced(); }, this);
    connect(m_data->nothingTraced, &NothingTraced::reported, this, &Session::nothingTraced);
}

Session::~Session()
{
    if (m_data->harvest && m_data->state != RunState::Ended) {
        m_data->harvest->disconnect(this);
        m_data->harvest->requestEnd();
        m_data->harvest->wait();
        closeRegion();
    }
    // Members are destroyed in reverse order: the thread before the region that it reads.
}

void Session::addSink(std::shared_ptr<Sink> sink)
{
    m_data->sinks.push_back(std::move(sink));
}

Result<void> Session::start()
{
    const StartRequest &request = m_data->request;
    if (const LaunchSpec *target = request.launchSpec())
        return launch(request.capture, *target);
    return request.kind() == RunKind::Attached ? attach(request.inputPath()) : listen(request.capture);
}

Result<void> Session::start(const StartRequest &request)
{
    m_data->request = request;
    return start();
}

Result<void> Session::launch(const CaptureSpec &capture, const LaunchSpec &target)
{
    if (Result<void> listening = listen(capture); !listening)
        return listening;
    m_data->kind = RunKind::Launched;

    LaunchSpec traced = target;
    traced.environment["CTP_SHM_PATH"] = m_data->region.path();
    traced.environment["CTP_SOCK_PATH"] = m_data->socketPath;
    traced.environment["CTP_MAX_STATIONS"] = std::to_string(m_data->region.stations());
    m_data->process = new TargetProcess(this);
    connect(m_data->process, &TargetProcess::outputReady, this, &Session::outputReady);
    connect(m_data->process, &TargetProcess::exited, this, [this](const ExitStatus &status) {
        m_data->effect->setFinalTime(status.cpuNs);
        Q_EMIT targetExited(status, static_cast<qint64>(monotonicNow()));
    });
    connect(m_data->process, &TargetProcess::groupEnded, this,
            [this] { drain(m_data->terminating ? EndReason::Terminated : EndReason::TargetExited); });
    if (Result<void> started = m_data->process->start(traced); !started) {
        m_data->harvest->abandon();
        m_data->harvest.reset();
        m_data->region.discard();
        delete std::exchange(m_data->progressTimer, nullptr);
        delete std::exchange(m_data->effect, nullptr);
        delete std::exchange(m_data->targets, nullptr);
        delete std::exchange(m_data->process, nullptr);
        m_data->state = RunState::Idle;
        return Error{ErrorCode::CannotExecute, started.error().message};
    }
    m_data->targets->processConnected(m_data->process->pid());
    m_data->effect->addLaunched(m_data->process->pid());
    m_data->untraced.launched(target, m_data->process->pid());
    targetCame();
    return {};
}

Result<void> Session::listen(const CaptureSpec &wanted)
{
    const CaptureSpec capture = independentOfDirectory(wanted);
    // Refuse a path that cannot work before anything is created.
    if (!capture.regionPath.empty() || !capture.socketPath.empty()) {
        if (Result<std::string> socket = socketPathOf(capture, capture.regionPath); !socket)
            return socket.error();
    }
    Result<Region> region = Region::create(regionSpecOf(capture));
    if (!region)
        return region.error();
    m_data->region.adopt(std::move(*region));
    const Result<std::string> socket = socketPathOf(capture, m_data->region.path());
    Result<void> started = socket ? startHarvest(*socket) : Result<void>(socket.error());
    if (!started) {
        m_data->region.discard();
        return started;
    }
    if (const std::string &warning = m_data->region->warning(); !warning.empty())
        addNotice(text(warning));
    m_data->kind = RunKind::Listening;
    m_data->untilIdle = capture.untilIdle;
    setState(RunState::Waiting);
    beginWatching({});
    return {};
}

Result<void> Session::attach(const std::string &regionPath)
{
    m_data->region.setFile(regionPath);
    std::vector<pid_t> targets;
    for (const MappingProcess &process : m_data->region.targets())
        targets.push_back(process.pid);
    const std::vector<RegionUser> unknown = m_data->region.unknownTargets();
    const bool postMortem = targets.empty() && unknown.empty() && !m_data->region.isOwnedByAnotherEngine();
    Result<Region> region = Region::open(regionPath, postMortem ? RegionUse::PostMortem : RegionUse::Harvest);
    if (!region)
        return region.error();
    m_data->region.adopt(std::move(*region));
    m_data->kind = RunKind::Attached;
    m_data->postMortem = postMortem;
    m_data->hadUnknownUser = !unknown.empty();

    if (!unknown.empty())
        reportMayBeInUse(unknown.front());
    std::string socketPath;
    if (m_data->region.isObserved()) {
        addNotice(tr("Read-only, by polling: %1").arg(text(m_data->region->observerReason())));
    } else if (!m_data->postMortem && !m_data->region.isFlightRecorder()) {  // its target knows no socket
        if (const Result<std::string> socket = socketPathFor(m_data->region.path()))
            socketPath = *socket;
        else
            addNotice(text(socket.error().message));
    }
    if (Result<void> started = startHarvest(socketPath); !started) {
        m_data->region.close();
        return started;
    }
    setState(RunState::Waiting);
    if (m_data->postMortem) {
        addNotice(leftoverNotice(m_data->region->laneMode()));
        QTimer::singleShot(0, this, [this] { drain(EndReason::TargetExited); });
        return {};
    }
    // With coroutines in the region, a target is already at work.
    if (hasCoroutines(*m_data->region))
        setState(RunState::Capturing);
    beginWatching(targets);
    return {};
}

Result<void> Session::startHarvest(const std::string &socketPath)
{
    m_data->socketPath = socketPath;
    m_data->harvest = std::make_unique<HarvestThread>(*m_data->region, socketPath, m_data->sinks,
                                                      m_data->request.backlog, m_data->sums);
    HarvestThread *harvest = m_data->harvest.get();
    harvest->setHeartbeat(m_data->request.heartbeat);
    if (m_data->postMortem)
        harvest->setPostMortem();
    // Queued, because these signals come from the harvest thread.
    connect(harvest, &HarvestThread::sinkFailed, this, &Session::sinkFailed, Qt::QueuedConnection);
    connect(harvest, &HarvestThread::regionFailed, this, &Session::captureFailed, Qt::QueuedConnection);
    connect(harvest, &HarvestThread::regionFailed, this, &Session::addNotice, Qt::QueuedConnection);
    connect(harvest, &HarvestThread::noticed, this, &Session::addNotice, Qt::QueuedConnection);
    connect(harvest, &HarvestThread::harvestEnded, this, &Session::onHarvestEnded, Qt::QueuedConnection);
    const auto connected = [this](int pid) {
        m_data->untraced.connected(pid);
        targetCame();
    };
    connect(harvest, &HarvestThread::targetConnected, this, connected, Qt::QueuedConnection);
    m_data->targets = new TargetWatch(m_data->region.file(), this);
    connect(harvest, &HarvestThread::targetConnected, m_data->targets, &TargetWatch::processConnected,
            Qt::QueuedConnection);
    connect(harvest, &HarvestThread::targetDisconnected, m_data->targets, &TargetWatch::processDisconnected,
            Qt::QueuedConnection);
    if (Result<void> started = harvest->startHarvest(); !started) {
        m_data->harvest.reset();
        return started;
    }
    return {};
}

/// The processes in `targets` map the region already.
void Session::beginWatching(const std::vector<pid_t> &targets)
{
    m_data->progressTimer = new QTimer(this);
    connect(m_data->progressTimer, &QTimer::timeout, this, &Session::checkProgress);
    m_data->progressTimer->start(kProgressMs);
    connect(m_data->targets, &TargetWatch::seen, this, [this](int pid) {
        m_data->anyCame = true;
        targetCame();
        Q_EMIT targetDiscovered(pid);
    });
    connect(m_data->targets, &TargetWatch::gone, this, [this](int pid) {
        if (m_data->kind != RunKind::Launched)
            Q_EMIT targetEnded(pid);
    });
    connect(m_data->targets, &TargetWatch::noneFound, this, &Session::onNoneFound);
    m_data->targets->start(targets);
    m_data->effect = new ObserverEffect(
        m_data->request.maxOverhead, [this] { return accounting(); }, [this] { return targetPids(); }, this);
    connect(m_data->effect, &ObserverEffect::tracingWanted, this, &Session::setLimited);
    connect(m_data->effect, &ObserverEffect::limitFailed, this, [this] {
        addNotice(tr("The limit of the observer effect has no effect: the target's probe cannot be switched off. Only "
                     "probes of this project can."));
    });
    m_data->effect->sample();
}

/// Not for an attached region, which may have stations or not. Only a new target can lack a step of its setup.
void Session::targetCame()
{
    if (m_data->kind != RunKind::Attached)
        m_data->nothingTraced->targetCame();
}

std::optional<QString> Session::whyNothingIsTraced() const
{
    if (!isNothing(accounting()))
        return std::nullopt;
    return Untraced::why(m_data->untraced.facts(m_data->region.file(), m_data->targets->hasSeenAny()));
}

void Session::checkProgress()
{
    const Accounting sums = accounting();
    if (m_data->state == RunState::Waiting && sums.coroutines > 0)
        setState(RunState::Capturing);
    reportShortages(sums);
    m_data->effect->sample();
    const std::uint64_t activity = sums.captured + sums.lost + sums.coroutines;
    const bool isIdle = m_data->state == RunState::Capturing && activity == std::exchange(m_data->activity, activity);
    m_data->idleChecks = isIdle ? m_data->idleChecks + 1 : 0;
    const int idleMs = m_data->idleChecks > kShortIdle ? kLongIdleMs : kShortIdleMs;
    if (const int interval = isIdle ? idleMs : kProgressMs; m_data->progressTimer->interval() != interval)
        m_data->progressTimer->setInterval(interval);
    Q_EMIT progressChecked();
}

void Session::reportShortages(const Accounting &sums)
{
    for (const QString &shortage : m_data->shortageNotices.newNotices(sums))
        addNotice(shortage);
}

/// Ends a capture that is attached, or that listens until idle, once all its targets have gone.
void Session::onNoneFound()
{
    const bool attached = m_data->kind == RunKind::Attached && !m_data->region.isOwnedByAnotherEngine();
    const bool idle =
        m_data->kind == RunKind::Listening && m_data->untilIdle && (m_data->anyCame || !isNothing(accounting()));
    if (!attached && !idle)
        return;
    // If /proc hides processes from us, a target that was seen and then killed looks like an unknown user.
    const bool hasSeenAll = attached && m_data->targets->hasSeenAny() && !m_data->hadUnknownUser;
    const std::vector<RegionUser> unknown = hasSeenAll ? std::vector<RegionUser>() : m_data->region.unknownTargets();
    if (unknown.empty())
        drain(EndReason::TargetExited);
    else
        reportMayBeInUse(unknown.front());
}

void Session::reportMayBeInUse(const RegionUser &user)
{
    if (!std::exchange(m_data->reportedMayBeInUse, true))
        addNotice(tr("The region %1. The capture continues until this program notices the end of that process, or "
                     "until you stop the capture. %2")
                      .arg(text(mayBeInUse(user)), text(onceItHasEnded(m_data->region.file()))));
}

void Session::drain(EndReason reason)
{
    if (m_data->state == RunState::Draining || m_data->state == RunState::Ended || !m_data->harvest)
        return;
    m_data->endReason = reason;
    m_data->paused = m_data->limited = false;  // when the harvest ends, it withdraws its announcement in the region
    if (m_data->effect) {
        m_data->effect->sample();
        m_data->effect->stop();
    }
    if (m_data->progressTimer)
        m_data->progressTimer->stop();
    m_data->nothingTraced->stop();
    m_data->targets->stop();
    setState(RunState::Draining);
    m_data->harvest->requestEnd();
}

void Session::onHarvestEnded()
{
    m_data->harvest->wait();
    reportShortages(accounting());
    if (const QString when = dateNotice(*m_data->region, m_data->harvest->latestEventNs()); !when.isEmpty())
        addNotice(when);
    closeRegion();
    if (m_data->kind == RunKind::Launched && m_data->endReason != EndReason::Stopped)
        m_data->nothingTraced->check();
    setState(RunState::Ended);
    Q_EMIT ended();
}

void Session::closeRegion()
{
    const std::vector<MappingProcess> users = m_data->region.targets();
    m_data->harvest.reset();
    const CapturedRegion::Outcome outcome = m_data->region.retire(users, m_data->postMortem);
    m_data->leftOver = outcome.isLeftOver;
    if (!outcome.notice.isEmpty())
        addNotice(outcome.notice);
}

void Session::stop()
{
    drain(EndReason::Stopped);
}

void Session::setPaused(bool paused)
{
    if (!canPause() || m_data->paused == paused)
        return;
    m_data->paused = paused;
    m_data->harvest->setPaused(paused || m_data->limited);
}

/// Switches tracing off or on, unless the user has switched it off.
void Session::setLimited(bool isTracing)
{
    if (!canPause())
        return;
    m_data->limited = !isTracing;
    if (m_data->limited && !std::exchange(m_data->reportedLimit, true))
        addNotice(
            tr("To cost the target no more than %1 % of its processor time, tracing is off now and then. Coroutines "
               "that are born while it is off are not traced. To see everything, start without this limit "
               "(--max-overhead).")
                .arg(*m_data->request.maxOverhead * 100));
    m_data->harvest->setPaused(m_data->paused || m_data->limited);
}

void Session::requestTime()
{
    if (m_data->harvest)
        m_data->harvest->requestTime();
}

void Session::terminateTarget()
{
    if (!m_data->process || !m_data->process->isRunning())
        return;
    m_data->terminating = true;
    m_data->process->terminate();
}

void Session::setState(RunState state)
{
    if (m_data->state == state)
        return;
    m_data->state = state;
    Q_EMIT stateChanged(state);
}

void Session::addNotice(const QString &notice)
{
    m_data->notices.append(notice);
    Q_EMIT noticeAdded(notice);
}

RunState Session::state() const
{
    return m_data->state;
}

EndReason Session::endReason() const
{
    return m_data->endReason;
}

Accounting Session::accounting() const
{
    Accounting sums = m_data->sums->get();
    if (m_data->effect)
        m_data->effect->addTo(sums);
    return sums;
}

std::shared_ptr<const LatestSums> Session::sums() const
{
    return m_data->sums;
}

const TargetProcess *Session::target() const
{
    return m_data->process;
}

TargetProcess *Session::target()
{
    return m_data->process;
}

QString Session::regionPath() const
{
    return text(m_data->region.path());
}

QString Session::socketPath() const
{
    return text(m_data->socketPath);
}

std::uint32_t Session::stations() const
{
    return m_data->region.stations();
}

QStringList Session::notices() const
{
    return m_data->notices;
}

bool Session::isObserver() const
{
    return m_data->region.isObserved();
}

bool Session::canPause() const
{
    const bool live = m_data->state == RunState::Waiting || m_data->state == RunState::Capturing;
    return live && m_data->harvest && !m_data->region.isObserved() && !m_data->postMortem &&
           m_data->region.isExtended();
}

bool Session::isPaused() const
{
    return m_data->paused;
}

bool Session::isPostMortem() const
{
    return m_data->postMortem;
}

bool Session::regionLeftOver() const
{
    return m_data->leftOver;
}

std::vector<pid_t> Session::targetPids() const
{
    return m_data->targets ? m_data->targets->pids() : std::vector<pid_t>();
}

pid_t Session::targetPid() const
{
    const std::vector<pid_t> pids = targetPids();
    // A shell maps nothing; the programs that it starts do.
    if (m_data->process && std::find(pids.begin(), pids.end(), m_data->process->pid()) != pids.end())
        return m_data->process->pid();
    return pids.size() == 1 ? pids.front() : 0;
}

void Session::setNothingTracedDelay(int milliseconds)
{
    m_data->nothingTraced->setDelay(milliseconds);
}

}  // namespace ct
