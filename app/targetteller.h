// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a batch run says of targets that are started elsewhere: how to start them, and when they come and go.
#pragma once

#include "core/session/session.h"

#include <QHash>
#include <QObject>
#include <QString>

namespace ct {

class ProgressLine;

class TargetTeller final : public QObject {
    Q_OBJECT
public:
    /// `session` was started, and listens or is attached.
    TargetTeller(Session &session, ProgressLine &progress, QObject *parent = nullptr);

    /// The lines for a shell, systemd and a container.
    void sayHowToStart();

    /// A parallel build is a thousand targets: so many comings are announced, and their goings.
    static constexpr int kMostAnnounced = 200;

private:
    void came(int pid);
    void went(int pid);
    void addBlock(const QString &title, const QString &lines);

    Session &m_session;
    ProgressLine &m_progress;
    QHash<int, QString> m_names;  ///< of those that were announced and are here
    int m_announced = 0;
};

}  // namespace ct
