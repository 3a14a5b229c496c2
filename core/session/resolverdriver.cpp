// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/resolverdriver.h"

#include <utility>

namespace ct {

namespace {

constexpr int kPollMs = 50;        ///< while there is work; each wake-up costs some 50 us
constexpr int kSamplePollMs = 10;  ///< while lines of short suspensions of a new function are read; hardly for a second

}  // namespace

ResolverDriver::ResolverDriver(Session &session, std::shared_ptr<AddressResolver> resolver, QObject *parent)
    : QObject(parent), m_session(session), m_resolver(std::move(resolver))
{
    m_resolver->setLive(true);
    m_resolver->setReadsAhead(true);
    connect(&m_timer, &QTimer::timeout, this, &ResolverDriver::poll);
    connect(&session, &Session::stateChanged, this, &ResolverDriver::onState);
    // A short run ends before the timer's first poll, and the session forgets ended processes.
    connect(&session, &Session::targetDiscovered, this, &ResolverDriver::poll);
    m_resolver->setAwaken([this] { QMetaObject::invokeMethod(this, &ResolverDriver::poll, Qt::QueuedConnection); });
    connect(&session, &Session::progressChecked, this, &ResolverDriver::poll);
    m_resolver->setFinishListener([&session](const std::vector<Finish> &finishes) { session.addFinishes(finishes); });
    m_timer.start(kPollMs);
}

/// Ends the reading of frames, because a session that captures may be destroyed next.
ResolverDriver::~ResolverDriver()
{
    m_resolver->setAwaken({});
    m_resolver->setFinishListener({});
    m_resolver->stopReading();
}

void ResolverDriver::poll()
{
    // The resolver keeps the pid after the process has ended, because addresses keep their meaning.
    if (const pid_t target = m_session.targetPid(); target != 0)
        m_resolver->setTarget(target);
    m_resolver->poll();
    const int pollMs = m_resolver->samplesMany() ? kSamplePollMs : kPollMs;
    if (m_resolver->isIdle() && pollMs == kPollMs)
        m_timer.stop();
    else if (!m_timer.isActive() || m_timer.interval() != pollMs)
        m_timer.start(pollMs);
}

void ResolverDriver::onState(RunState state)
{
    if (state == RunState::Draining) {
        m_resolver->poll();
        m_resolver->stopReading();
    }
    if (state == RunState::Ended) {
        m_resolver->setLive(false);
        m_resolver->poll();
    }
}

}  // namespace ct
