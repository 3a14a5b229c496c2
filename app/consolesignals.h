// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// SIGINT, SIGTERM, SIGHUP and SIGUSR1 as Qt signals, through a pipe that the handlers write to.
#pragma once

#include <QObject>

namespace ct {

/// At most one at a time. A SIGHUP that was ignored at the start (nohup) stays ignored. SIGPIPE becomes an error of the
/// write, SIGTTOU is blocked: both would end or stop the capture for the sake of a message.
class ConsoleSignals final : public QObject {
    Q_OBJECT
public:
    explicit ConsoleSignals(QObject *parent = nullptr);
    ~ConsoleSignals() override;

Q_SIGNALS:
    void received(int signal);

private:
    void readPipe();
};

/// For the window, which takes no signals: SIGUSR1 is answered on stderr instead of ending us.
void refuseUserSignal();

}  // namespace ct
