// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Delivers SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 as Qt signals, through a pipe that the handlers write to.
#pragma once

#include <QObject>

#include <csignal>
#include <iterator>

namespace ct {

/// At most one object at a time. A SIGHUP that was ignored at the start (nohup) stays ignored. SIGPIPE becomes an error
/// of the write, and SIGTTOU is blocked: otherwise a mere message could end or stop the capture. The destructor
/// restores the earlier handlers, such as that of noteEndSignals(), and passes them the signals it has not delivered.
class ConsoleSignals final : public QObject {
    Q_OBJECT
public:
    explicit ConsoleSignals(QObject *parent = nullptr);
    ~ConsoleSignals() override;

    /// True if a signal other than a request is pending. For code that blocks the event loop; delivers nothing.
    bool takeEnd();

Q_SIGNALS:
    void received(int signal);

private:
    static constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

    void readPipe();
    void passOn();

    struct sigaction m_before[std::size(kForwarded)] = {};  ///< the earlier handlers, by the index in kForwarded
};

/// True for a signal that does not end the run: SIGUSR1 requests a dump, SIGUSR2 the stacks.
bool isRequest(int signal);

enum class UserSignalsOf { Window, Recording };
/// For a window, or while a recording is judged: SIGUSR1 and SIGUSR2 print a message on stderr instead of ending the
/// program.
void refuseUserSignals(UserSignalsOf what);

/// For work without an event loop: from now on, the first SIGINT, SIGTERM or SIGHUP is only noted, so that the work can
/// clean up. Another one, a second later or more, ends the program at once.
void noteEndSignals();
/// The latest signal that was noted; 0 = none.
int notedEndSignal();

}  // namespace ct
