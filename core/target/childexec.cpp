// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/childexec.h"

#include "core/base/fileremedy.h"
#include "core/target/processlimits.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ct {

namespace {

enum Stage : int { ChangingDirectory, Redirecting, Executing };

struct Failure {
    int stage = Executing;
    int error = 0;
};

/// Everything that the child needs, allocated before the fork.
struct Prepared {
    std::vector<char *> argv;
    std::vector<char *> environment;
    std::vector<std::string> candidates;  ///< paths to try, in order
    std::vector<char *> shellArgv;        ///< /bin/sh PATH ARG..., for a script without a #! line; the child sets [1]
    const char *workingDirectory = nullptr;
};

std::string searchPathOf(const std::vector<std::string> &environment)
{
    for (const std::string &entry : environment) {
        if (entry.rfind("PATH=", 0) == 0)
            return entry.substr(5);
    }
    return kUsualPath;
}

std::vector<std::string> candidatesFor(const std::string &program, const std::string &searchPath)
{
    if (program.find('/') != std::string::npos)
        return {program};
    std::vector<std::string> candidates;
    std::size_t start = 0;
    while (start <= searchPath.size()) {
        const std::size_t end = std::min(searchPath.find(':', start), searchPath.size());
        const std::string directory = searchPath.substr(start, end - start);
        candidates.push_back((directory.empty() ? "." : directory) + "/" + program);
        start = end + 1;
    }
    return candidates;
}

std::vector<char *> pointersTo(const std::vector<std::string> &strings)
{
    std::vector<char *> pointers;
    pointers.reserve(strings.size() + 1);
    for (const std::string &string : strings)
        pointers.push_back(const_cast<char *>(string.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

Prepared prepare(const ChildSpec &spec)
{
    Prepared prepared;
    prepared.argv = pointersTo(spec.argv);
    prepared.environment = pointersTo(spec.environment);
    prepared.candidates = candidatesFor(spec.argv.front(), searchPathOf(spec.environment));
    prepared.shellArgv = pointersTo(spec.argv);
    prepared.shellArgv.insert(prepared.shellArgv.begin(), const_cast<char *>("/bin/sh"));
    if (!spec.workingDirectory.empty())
        prepared.workingDirectory = spec.workingDirectory.c_str();
    return prepared;
}

// From here to runChild(): code of the child, async-signal-safe calls only.

[[noreturn]] void giveUp(int pipe, Stage stage, int error)
{
    const Failure failure{stage, error};
    [[maybe_unused]] const ssize_t written = write(pipe, &failure, sizeof failure);
    _exit(127);
}

/// Resets caught signals: once unblocked, they would run our handlers in the child. Ignored signals stay ignored
/// (nohup).
void resetHandlers()
{
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction action;
        if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL)
            continue;
        memset(&action, 0, sizeof action);
        action.sa_handler = SIG_DFL;
        sigaction(signal, &action, nullptr);
    }
}

void closeOthersOnExec(const std::vector<int> &kept)
{
    if (syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) != 0) {
        struct rlimit limit;
        const rlim_t end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? limit.rlim_cur : 65536;
        for (int fd = 3; fd < static_cast<int>(end); ++fd)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    for (const int fd : kept)
        fcntl(fd, F_SETFD, 0);
}

int execute(Prepared &prepared)
{
    int error = ENOENT;
    for (const std::string &path : prepared.candidates) {
        execve(path.c_str(), prepared.argv.data(), prepared.environment.data());
        if (errno == ENOEXEC) {
            prepared.shellArgv[1] = const_cast<char *>(path.c_str());
            execve("/bin/sh", prepared.shellArgv.data(), prepared.environment.data());
        }
        // As in execvp, the error of an existing file counts; a missing file does not.
        if (errno != ENOENT && errno != ENOTDIR)
            error = errno;
    }
    return error;
}

[[noreturn]] void runChild(const ChildSpec &spec, Prepared &prepared, int pipe)
{
    if (spec.terminal >= 0) {
        setsid();
        for (int fd = 0; fd <= 2; ++fd) {
            if (dup2(spec.terminal, fd) < 0)
                giveUp(pipe, Redirecting, errno);
        }
    } else {
        setpgid(0, 0);
        if (spec.stdoutToStderr && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
            giveUp(pipe, Redirecting, errno);
    }
    if (spec.foregroundOf >= 0)
        tcsetpgrp(spec.foregroundOf, getpid());  // SIGTTOU is still blocked
    if (prepared.workingDirectory && chdir(prepared.workingDirectory) != 0)
        giveUp(pipe, ChangingDirectory, errno);
    resetHandlers();
    restoreProcessLimits();
    closeOthersOnExec(spec.keptDescriptors);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    giveUp(pipe, Executing, execute(prepared));
}

/// Returns the remedy for a program that the kernel refused to execute.
std::string remedyFor(int error, const ChildSpec &spec, bool isSearched)
{
    // The child resolves a relative path in its own working directory.
    const std::filesystem::path file = std::filesystem::path(spec.workingDirectory) / spec.argv.front();
    struct stat info {};
    if (!isSearched && ::stat(file.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
        return "it is a folder; name a program in it";
    switch (error) {
    case EACCES:
        return isSearched ? "a folder of PATH has it, but you may not execute it there: correct PATH, or give its path"
                          : "make it executable (chmod +x), and check that its folders can be entered";
    case ENOENT:
    case ENOTDIR: return "check its path, and that the interpreter it names is installed";
    case ENOEXEC: return "build it for this machine";
    case E2BIG: return "give it fewer arguments or a smaller environment";
    default: return "check that it starts in a shell";
    }
}

Error describe(const Failure &failure, const ChildSpec &spec)
{
    const std::string &program = spec.argv.front();
    if (failure.stage == ChangingDirectory)
        return errnoError(failure.error, "cannot enter the working directory '" + spec.workingDirectory + "'",
                          "choose another one");
    if (failure.stage == Redirecting)
        return errnoError(failure.error, "cannot redirect the output of '" + program + "'",
                          spec.terminal >= 0 ? kMoreDescriptors
                                             : "connect standard error to a terminal, a file or a pipe");
    const bool isSearched = program.find('/') == std::string::npos;
    if (failure.error == ENOENT && isSearched)
        return {ErrorCode::NotFound,
                "cannot start '" + program + "': not found in PATH; give its path, as in ./" + program};
    return errnoError(failure.error, "cannot start '" + program + "'", remedyFor(failure.error, spec, isSearched));
}

/// Moves `fd` above the standard descriptors, so the child's redirection cannot overwrite it.
int raised(int fd)
{
    if (fd > 2)
        return fd;
    const int higher = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    return higher;
}

}  // namespace

Result<pid_t> spawnChild(const ChildSpec &spec)
{
    if (spec.argv.empty() || spec.argv.front().empty())
        return Error{ErrorCode::InvalidArgument, "no program to start was given; name one"};
    Prepared prepared = prepare(spec);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errnoError(errno, "cannot start '" + spec.argv.front() + "'", kMoreDescriptors);
    const int reading = raised(ends[0]);
    const int writing = raised(ends[1]);

    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = fork();
    if (pid == 0)
        runChild(spec, prepared, writing);
    const int forkError = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    close(writing);
    if (pid < 0) {
        close(reading);
        return errnoError(forkError, "cannot start '" + spec.argv.front() + "'",
                          "end other programs, or raise the limits of processes and memory (ulimit -u, ulimit -v)");
    }
    if (spec.terminal < 0)
        // Parent and child both set the group, because either may run first. Once the child has called exec, this call
        // fails, which is harmless.
        setpgid(pid, pid);

    Failure failure;
    ssize_t got = 0;
    do {
        got = read(reading, &failure, sizeof failure);
    } while (got < 0 && errno == EINTR);
    close(reading);
    if (got == static_cast<ssize_t>(sizeof failure)) {
        while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
        }
        return describe(failure, spec);
    }
    return pid;
}

int controllingTerminal()
{
    for (const int fd : {STDIN_FILENO, STDERR_FILENO, STDOUT_FILENO}) {
        // tcgetpgrp fails with ENOTTY on a terminal that is not our controlling one.
        if (isatty(fd) && tcgetpgrp(fd) >= 0)
            return fd;
    }
    return -1;
}

void setForegroundGroup(int terminal, pid_t group)
{
    sigset_t blocked;
    sigset_t before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    tcsetpgrp(terminal, group);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace ct
