// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/consolesignals.h"

#include "core/base/monotonic.h"

#include <QSocketNotifier>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <iterator>
#include <string_view>
#include <unistd.h>

namespace ct {

namespace {

// Global, because handlers have no other access to it. Set before they are installed, closed after they are removed.
volatile int pipeEnds[2] = {-1, -1};

void writeSignal(int signal)
{
    const int savedErrno = errno;
    const unsigned char byte = static_cast<unsigned char>(signal);
    [[maybe_unused]] const ssize_t written = write(pipeEnds[1], &byte, 1);
    errno = savedErrno;
}

void doNothing(int) {}

template <UserSignalsOf What>
void refuse(int signal)
{
    const int savedErrno = errno;
    constexpr bool kIsWindow = What == UserSignalsOf::Window;
    static constexpr std::string_view kDump =
        kIsWindow ? "corotracer-gui: SIGUSR1 was ignored: it requests dumps with --batch only; use File > Dump\n"
                  : "corotracer-gui: SIGUSR1 was ignored: it requests dumps of a run, not of a recording\n";
    static constexpr std::string_view kStacks =
        kIsWindow ? "corotracer-gui: SIGUSR2 was ignored: it requests stacks with --batch only; use View > Stacks\n"
                  : "corotracer-gui: SIGUSR2 was ignored: it requests stacks of a run; the report has those of a "
                    "recording\n";
    const std::string_view text = signal == SIGUSR1 ? kDump : kStacks;
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    errno = savedErrno;
}

volatile std::sig_atomic_t noted = 0;
std::uint64_t notedAt = 0;  ///< of the first signal, ns; only handlers use it

/// timeout(1) sends its signal twice: to the program and to its group. So a second signal soon after the first one
/// says nothing new.
constexpr std::uint64_t kSameRequestNs = 1'000'000'000;

void note(int signal)
{
    const int savedErrno = errno;
    const std::uint64_t now = monotonicNow();
    if (noted == 0)
        notedAt = now;
    else if (now - notedAt > kSameRequestNs) {
        std::signal(signal, SIG_DFL);
        raise(signal);
    }
    noted = signal;
    errno = savedErrno;
}

bool isIgnored(int signal)
{
    struct sigaction current {};
    return sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

void install(int signal, void (*handler)(int), int flags = SA_RESTART)
{
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

}  // namespace

bool isRequest(int signal)
{
    return signal == SIGUSR1 || signal == SIGUSR2;
}

void refuseUserSignals(UserSignalsOf what)
{
    const bool isWindow = what == UserSignalsOf::Window;
    for (const int signal : {SIGUSR1, SIGUSR2})
        install(signal, isWindow ? refuse<UserSignalsOf::Window> : refuse<UserSignalsOf::Recording>);
}

void noteEndSignals()
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        if (!isIgnored(signal))
            install(signal, note);
}

int notedEndSignal()
{
    return noted;
}

ConsoleSignals::ConsoleSignals(QObject *parent) : QObject(parent)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    pipeEnds[0] = ends[0];
    pipeEnds[1] = ends[1];
    auto *notifier = new QSocketNotifier(ends[0], QSocketNotifier::Read, this);
    connect(notifier, &QSocketNotifier::activated, this, [this] { readPipe(); });
    for (std::size_t i = 0; i < std::size(kForwarded); ++i) {
        sigaction(kForwarded[i], nullptr, &m_before[i]);
        if (kForwarded[i] != SIGHUP || !isIgnored(SIGHUP))
            install(kForwarded[i], writeSignal);
    }
    // Not SIG_IGN, because the target would inherit that. It does not inherit a handler.
    if (!isIgnored(SIGPIPE))
        install(SIGPIPE, doNothing);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
}

ConsoleSignals::~ConsoleSignals()
{
    if (pipeEnds[0] < 0)
        return;
    for (std::size_t i = 0; i < std::size(kForwarded); ++i) {
        // A late request must not turn success into failure.
        if (isRequest(kForwarded[i]))
            install(kForwarded[i], doNothing);
        else
            sigaction(kForwarded[i], &m_before[i], nullptr);
    }
    passOn();
    close(pipeEnds[0]);
    close(pipeEnds[1]);
    pipeEnds[0] = -1;
    pipeEnds[1] = -1;
}

/// Raises the signals again that are still in the pipe, so that the restored handlers receive them. If the default
/// action is restored, these signals are dropped: they came after the work was done, and would end the program.
void ConsoleSignals::passOn()
{
    unsigned char byte = 0;
    while (read(pipeEnds[0], &byte, 1) == 1) {
        struct sigaction current {};
        if (sigaction(byte, nullptr, &current) == 0 && current.sa_handler != SIG_DFL)
            raise(byte);
    }
}

bool ConsoleSignals::takeEnd()
{
    bool isEnd = false;
    unsigned char byte = 0;
    while (read(pipeEnds[0], &byte, 1) == 1)
        isEnd = isEnd || !isRequest(byte);
    return isEnd;
}

void ConsoleSignals::readPipe()
{
    unsigned char byte = 0;
    while (read(pipeEnds[0], &byte, 1) == 1)
        Q_EMIT received(byte);
}

}  // namespace ct
