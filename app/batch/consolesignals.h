// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Delivers SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 as Qt signals, through a pipe that the handlers write to.
#pragma once

#include <QObject>

namespace ct {

/// At most one object at a time. A SIGHUP that was ignored at the start (nohup) stays ignored. SIGPIPE becomes an error
/// of the write, and SIGTTOU is blocked: both would end or stop the capture because of a mere message.
class ConsoleSignals final : public QObject {
    Q_OBJECT
public:
    explicit ConsoleSignals(QObject *parent = nullptr);
    ~ConsoleSignals() override;

    /// Returns true if a signal other than a request has come that was not delivered. For code that blocks the event
    /// loop; delivers nothing.
    bool takeEnd();

Q_SIGNALS:
    void received(int signal);

private:
    void readPipe();
};

/// True for a request that does not end the run: SIGUSR1 for a dump, SIGUSR2 for the stacks.
bool isRequest(int signal);

enum class UserSignalsOf { Window, Recording };
/// For a window, and for a recording that is judged: SIGUSR1 and SIGUSR2 are answered on stderr instead of ending the
/// program.
void refuseUserSignals(UserSignalsOf what);

/// For work without an event loop: from now on, the first SIGINT, SIGTERM and SIGHUP are only noted, so that the work
/// can clean up. A second one of the same kind ends the program at once.
void noteEndSignals();
/// The latest signal that was noted; 0 = none.
int notedEndSignal();

}  // namespace ct
