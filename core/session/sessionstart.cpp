// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The beginning of a session: launch, listen or attach, and then start the harvest.
#include "core/base/monotonic.h"
#include "core/session/regiondescription.h"
#include "core/session/sessiondata.h"
#include "core/target/mappingprocesses.h"
#include "core/target/regionlist.h"

#include <utility>

namespace ct {

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
        m_data->evidence.stop();
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
    if (capture.replacesUnused && FileIdentity::of(capture.regionPath).inode != 0) {
        if (Result<void> deleted = deleteRegion(capture.regionPath); !deleted)
            return deleted;
        addNotice(tr("%1 was left by an earlier run; it was deleted").arg(QString::fromStdString(capture.regionPath)));
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
        addNotice(QString::fromStdString(warning));
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
        addNotice(tr("Read-only, by polling: %1").arg(QString::fromStdString(m_data->region->observerReason())));
    } else if (!m_data->postMortem && !m_data->region.isFlightRecorder()) {  // its target knows no socket
        if (const Result<std::string> socket = socketPathFor(m_data->region.path()))
            socketPath = *socket;
        else
            addNotice(QString::fromStdString(socket.error().message));
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
    harvest->setAddedNotes(m_data->samples);
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
        m_data->evidence.setProcesses(targetPids());
        targetCame();
        Q_EMIT targetDiscovered(pid);
    });
    connect(m_data->targets, &TargetWatch::gone, this, [this](int pid) {
        m_data->evidence.setProcesses(targetPids());
        if (m_data->kind != RunKind::Launched)
            Q_EMIT targetEnded(pid);
    });
    connect(m_data->targets, &TargetWatch::noneFound, this, &Session::onNoneFound);
    m_data->targets->start(targets);
    if (const Result<void> sampling = m_data->evidence.start(); !sampling)
        addNotice(QString::fromStdString(sampling.error().message));
    m_data->evidence.setProcesses(targetPids());
    m_data->effect = new ObserverEffect(
        m_data->request.maxOverhead, [this] { return accounting(); }, [this] { return targetPids(); }, this);
    connect(m_data->effect, &ObserverEffect::tracingWanted, this, &Session::setLimited);
    connect(m_data->effect, &ObserverEffect::limitFailed, this, [this] {
        addNotice(tr("The limit of the observer effect has no effect: the target's probe cannot be switched off. Only "
                     "probes of this project can."));
    });
    m_data->effect->sample();
}

}  // namespace ct
