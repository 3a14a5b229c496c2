// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/passwordprompt.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <termios.h>
#include <unistd.h>

namespace ct {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};

volatile std::sig_atomic_t caughtSignal = 0;

/// During its life, signals only interrupt a read.
class SignalsNoted {
public:
    SignalsNoted()
    {
        caughtSignal = 0;
        struct sigaction note {};
        note.sa_handler = [](int signal) { caughtSignal = signal; };
        sigemptyset(&note.sa_mask);
        for (std::size_t i = 0; i < kSignals.size(); ++i)
            ::sigaction(kSignals[i], &note, &m_before[i]);
    }
    ~SignalsNoted()
    {
        for (std::size_t i = 0; i < kSignals.size(); ++i)
            ::sigaction(kSignals[i], &m_before[i], nullptr);
    }
    SignalsNoted(const SignalsNoted &) = delete;
    SignalsNoted &operator=(const SignalsNoted &) = delete;

private:
    std::array<struct sigaction, kSignals.size()> m_before{};
};

/// During its life, the terminal of standard input does not echo.
class EchoOff {
public:
    EchoOff()
    {
        ::tcgetattr(STDIN_FILENO, &m_before);
        termios silent = m_before;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    }
    ~EchoOff()
    {
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &m_before);
        std::fputs("\n", stderr);
    }
    EchoOff(const EchoOff &) = delete;
    EchoOff &operator=(const EchoOff &) = delete;

private:
    termios m_before{};
};

std::optional<std::string> readLine()
{
    std::string line;
    char character = 0;
    while (caughtSignal == 0) {
        const ssize_t count = ::read(STDIN_FILENO, &character, 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        if (character == '\n')
            return line;
        line += character;
    }
    return line.empty() || caughtSignal != 0 ? std::nullopt : std::optional(line);
}

}  // namespace

bool canAskForPassword()
{
    return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

std::optional<std::string> askForPassword(const std::string &question)
{
    std::optional<std::string> password;
    {
        const SignalsNoted noted;
        const EchoOff silent;
        std::fputs(question.c_str(), stderr);
        std::fflush(stderr);
        password = readLine();
    }
    if (caughtSignal != 0)
        ::raise(caughtSignal);
    return password && !password->empty() ? password : std::nullopt;
}

}  // namespace ct
