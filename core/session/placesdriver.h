// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Keeps Places at work while a session lives.
#pragma once

#include "core/session/places.h"
#include "core/session/session.h"

#include <QObject>
#include <QTimer>

#include <memory>

namespace ct {

/// Lives on the session's thread, and no longer than it. Make it before the session starts.
class PlacesDriver final : public QObject {
    Q_OBJECT
public:
    PlacesDriver(Session &session, std::shared_ptr<Places> places, QObject *parent = nullptr);
    ~PlacesDriver() override;

    const std::shared_ptr<Places> &places() const { return m_places; }

private:
    void look();
    void onState(SessionState state);

    Session &m_session;
    std::shared_ptr<Places> m_places;
    QTimer m_timer;
};

}  // namespace ct
