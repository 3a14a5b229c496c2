// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Messages of a batch run about targets that are started elsewhere: how to start them, and which of them use the
// region.
#pragma once

#include "core/session/session.h"

#include <QHash>
#include <QObject>
#include <QString>

namespace ct {

class Console;

class TargetReporter final : public QObject {
    Q_OBJECT
public:
    /// `session`: has started, and listens or is attached.
    TargetReporter(Session &session, Console &console, QObject *parent = nullptr);

    /// Prints the lines for a shell, systemd and a container.
    void printInstructions();

    /// Most targets whose arrival and departure is reported: a parallel build is a thousand targets.
    static constexpr int kMostReported = 200;

private:
    void reportSeen(int pid);
    void reportGone(int pid);
    void addBlock(const QString &title, const QString &lines);

    Session &m_session;
    Console &m_console;
    QHash<int, QString> m_names;  ///< reported targets that use the region
    int m_reported = 0;
};

}  // namespace ct
