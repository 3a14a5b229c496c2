// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Drives an AddressResolver while a session lives.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/session/session.h"

#include <QObject>
#include <QTimer>

#include <memory>

namespace ct {

/// Lives on the session's thread, and must not outlive the session. Create it before the session starts.
class ResolverDriver final : public QObject {
    Q_OBJECT
public:
    ResolverDriver(Session &session, std::shared_ptr<AddressResolver> resolver, QObject *parent = nullptr);
    ~ResolverDriver() override;

private:
    void poll();
    void onState(RunState state);

    Session &m_session;
    std::shared_ptr<AddressResolver> m_resolver;
    QTimer m_timer;
};

}  // namespace ct
