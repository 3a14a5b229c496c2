// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Processes that sleep until a test ends them, also in pid namespaces of their own.
#pragma once

#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sleepers {

/// Sleepers read from it until the test's process has ended: they must not outlive a test that ends early.
struct Lifeline {
    Lifeline() { isOpen = ::pipe2(ends, O_CLOEXEC) == 0; }
    int ends[2] = {-1, -1};
    bool isOpen = false;
};

/// The first call has to be in the test's own process.
inline const Lifeline &lifeline()
{
    static const Lifeline made;
    return made;
}

/// A child process that runs `body` and then sleeps. -1: there is none.
template <class Body>
pid_t forkSleeper(Body body)
{
    int ready[2];
    if (!lifeline().isOpen || ::pipe(ready) != 0)
        return -1;
    const pid_t pid = ::fork();
    char byte = 0;
    if (pid == 0) {
        ::close(lifeline().ends[1]);
        body();
        while (::write(ready[1], "x", 1) != 1)
            ;
        ::close(ready[1]);
        while (::read(lifeline().ends[0], &byte, 1) != 0)
            ;
        ::_exit(0);
    }
    ::close(ready[1]);
    ssize_t got = -1;
    while (pid > 0 && (got = ::read(ready[0], &byte, 1)) < 0)
        ;
    ::close(ready[0]);
    return got == 1 ? pid : -1;
}

/// For the body of a sleeper.
inline void mapFile(const std::string &path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0);
}

/// Process 1 of a pid namespace of its own.
struct Container {
    pid_t pid = 0;  ///< in our pid namespace; 0: no pid namespace can be made here
    std::uint64_t space = 0;
};

/// The process maps the file, if there is one, and sleeps.
inline Container startContainer(const std::string &mapped = {})
{
    int result[2];
    if (!lifeline().isOpen || ::pipe(result) != 0)
        return {};
    const pid_t maker = ::fork();
    if (maker == 0) {
        Container made;
        struct stat space {};
        if (::unshare(CLONE_NEWPID) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0) {
            made.pid = forkSleeper([&mapped] {
                ::prctl(PR_SET_DUMPABLE, 1);
                if (!mapped.empty())
                    mapFile(mapped);
            });
            made.space = ::stat("/proc/self/ns/pid_for_children", &space) == 0 ? space.st_ino : 0;
        }
        ::_exit(::write(result[1], &made, sizeof made) == sizeof made ? 0 : 1);
    }
    ::close(result[1]);
    Container made;
    if (::read(result[0], &made, sizeof made) != sizeof made || made.space == 0 || made.pid < 0)
        made = {};
    ::close(result[0]);
    ::waitpid(maker, nullptr, 0);
    return made;
}

inline void end(pid_t pid)
{
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
}

}  // namespace sleepers
