// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/display.h"

#include "core/base/fileremedy.h"

#include <QGuiApplication>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ct {

namespace {

constexpr int kPatienceMs = 10'000;

std::string environmentValue(const char *name)
{
    const char *value = std::getenv(name);
    return value ? value : "";
}

std::string wantedPlatform(int argc, char **argv)
{
    std::string platform = environmentValue("QT_QPA_PLATFORM");
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::string_view(argv[i]) == "-platform")
            platform = argv[i + 1];
    }
    return platform;
}

[[noreturn]] void tryInChild(int argc, char **argv)
{
    const rlimit noCore{0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    {
        QGuiApplication application(argc, argv);
    }
    _exit(0);
}

/// Waits for the child, with a time-out. The child's end of the pipe closes when it ends.
bool childSucceeded(pid_t child, int pipe)
{
    pollfd wait{pipe, POLLIN, 0};
    int ready = 0;
    do {
        ready = poll(&wait, 1, kPatienceMs);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0)
        kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return ready > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Result<void> checkDisplay(int argc, char **argv)
{
    const std::string platform = wantedPlatform(argc, argv);
    if (platform.starts_with("offscreen") || platform.starts_with("minimal"))
        return {};
    const std::string display = environmentValue("DISPLAY");
    const std::string wayland = environmentValue("WAYLAND_DISPLAY");
    const char *remedy = "; use --batch, or QT_QPA_PLATFORM=offscreen with --screenshot";
    if (platform.empty() && display.empty() && wayland.empty())
        return Error{ErrorCode::NotFound,
                     std::string("no display: neither DISPLAY nor WAYLAND_DISPLAY is set") + remedy};

    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errnoError(errno, "cannot check the display", kMoreDescriptors);
    const pid_t child = fork();
    if (child == 0)
        tryInChild(argc, argv);
    const int forkError = errno;
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return errnoError(forkError, "cannot check the display",
                          "end other programs, or raise the limits of processes and memory (ulimit -u, ulimit -v)");
    }
    const bool succeeded = childSucceeded(child, ends[0]);
    close(ends[0]);
    if (succeeded)
        return {};
    std::string which = !platform.empty() ? "platform " + platform : !wayland.empty() ? wayland : display;
    return Error{ErrorCode::NotFound, "cannot open the display (" + which + ")" + remedy};
}

}  // namespace ct
