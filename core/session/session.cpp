// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/regiondescription.h"
#include "core/session/sessiondata.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ct {

namespace {

/// Intervals of checkProgress() while nothing happens, which saves wake-ups of some 50 us each: first, and after
/// kShortIdle checks.
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
    if (const int interval = isIdle ? idleMs : kProgressMs; m_data->progressTimer->interval() != interval) {
        // At whole seconds, together with other timers: one wake-up for all.
        m_data->progressTimer->setTimerType(interval == kLongIdleMs ? Qt::VeryCoarseTimer : Qt::CoarseTimer);
        m_data->progressTimer->setInterval(interval);
    }
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
    m_data->evidence.requestStop();
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

void Session::addFinishes(const std::vector<Finish> &finishes)
{
    std::uint64_t latest = 0;
    for (const Finish &finish : finishes)
        latest = std::max(latest, finish.ts);
    Notes notes;
    notes.finishes = finishes;
    m_data->samples->add(latest, std::move(notes));
}

void Session::setNothingTracedDelay(int milliseconds)
{
    m_data->nothingTraced->setDelay(milliseconds);
}

}  // namespace ct
