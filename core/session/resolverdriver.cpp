// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/resolverdriver.h"

#include <utility>

namespace ct {

namespace {

constexpr int kLookMs = 50;

}  // namespace

ResolverDriver::ResolverDriver(Session &session, std::shared_ptr<AddressResolver> places, QObject *parent)
    : QObject(parent), m_session(session), m_places(std::move(places))
{
    m_places->setLive(true);
    m_places->setReadsAhead(true);
    connect(&m_timer, &QTimer::timeout, this, &ResolverDriver::poll);
    connect(&session, &Session::stateChanged, this, &ResolverDriver::onState);
    m_timer.start(kLookMs);
}

/// Ends the reading of frames, because a session that captures may be destroyed next.
ResolverDriver::~ResolverDriver()
{
    m_places->stopReading();
}

void ResolverDriver::poll()
{
    // The resolver keeps the pid after the process has ended, because addresses keep their meaning.
    if (const pid_t target = m_session.targetPid(); target != 0)
        m_places->setTarget(target);
    m_places->poll();
    if (m_session.state() == SessionState::Ended && m_places->isIdle())
        m_timer.stop();
}

void ResolverDriver::onState(SessionState state)
{
    if (state == SessionState::Draining) {
        m_places->poll();
        m_places->stopReading();
    }
    if (state == SessionState::Ended) {
        m_places->setLive(false);
        m_places->poll();
    }
}

}  // namespace ct
