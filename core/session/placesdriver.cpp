// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/placesdriver.h"

#include <utility>

namespace ct {

namespace {

constexpr int kLookMs = 50;

}  // namespace

PlacesDriver::PlacesDriver(Session &session, std::shared_ptr<Places> places, QObject *parent)
    : QObject(parent), m_session(session), m_places(std::move(places))
{
    m_places->setLive(true);
    m_places->setLooksAhead(true);
    connect(&m_timer, &QTimer::timeout, this, &PlacesDriver::look);
    connect(&session, &Session::stateChanged, this, &PlacesDriver::onState);
    m_timer.start(kLookMs);
}

/// A session that captures may be about to be destroyed.
PlacesDriver::~PlacesDriver()
{
    m_places->stopReading();
}

void PlacesDriver::look()
{
    // Kept when the process is gone: its addresses go on meaning what they meant.
    if (const pid_t target = m_session.targetPid(); target != 0)
        m_places->setTarget(target);
    m_places->look();
    if (m_session.state() == SessionState::Ended && m_places->isIdle())
        m_timer.stop();
}

void PlacesDriver::onState(SessionState state)
{
    if (state == SessionState::Draining) {
        m_places->look();
        m_places->stopReading();
    }
    if (state == SessionState::Ended) {
        m_places->setLive(false);
        m_places->look();
    }
}

}  // namespace ct
