// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Child processes that sleep until a test ends them, also in namespaces of their own.
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

/// Sleepers read from this pipe until the test's process ends. So they do not outlive a test that ends early.
struct Lifeline {
    Lifeline() { isOpen = ::pipe2(ends, O_CLOEXEC) == 0; }
    int ends[2] = {-1, -1};
    bool isOpen = false;
};

/// Make the first call in the test's own process.
inline const Lifeline &lifeline()
{
    static const Lifeline made;
    return made;
}

/// Starts a child process that runs `body` and then sleeps. Returns -1 on failure.
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

/// Maps the first page of a file; for the body of a sleeper.
inline void mapFile(const std::string &path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0);
}

/// A child process that runs `body` and then sleeps, at most until end().
class Sleeper {
public:
    template <class Body>
    explicit Sleeper(Body body) : m_pid(forkSleeper(body))
    {
    }
    ~Sleeper() { end(); }
    Sleeper(const Sleeper &) = delete;
    Sleeper &operator=(const Sleeper &) = delete;

    pid_t pid() const { return m_pid; }  ///< -1 if it could not be started or has ended
    void end()
    {
        if (m_pid <= 0)
            return;  // kill(-1) would signal every process
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
        m_pid = -1;
    }

private:
    pid_t m_pid;
};

/// Seconds by which a CLONE_NEWTIME container shifts the boot clock.
inline constexpr int kShiftSeconds = 1000;

/// A process in a new namespace. It runs `body` and then sleeps, at most until end().
class Container {
public:
    /// Process 1 of a new pid namespace. It maps the file if `mapped` is not empty.
    explicit Container(const std::string &mapped = {})
        : Container(CLONE_NEWPID, [&mapped] {
              ::prctl(PR_SET_DUMPABLE, 1);
              if (!mapped.empty())
                  mapFile(mapped);
          })
    {
    }
    /// `kind` is the namespace flag of unshare(2).
    template <class Body>
    Container(int kind, Body body) : m_made(start(kind, body)), m_runs(m_made.pid > 0)
    {
    }
    ~Container() { end(); }
    Container(const Container &) = delete;
    Container &operator=(const Container &) = delete;

    bool isRefused() const { return m_made.isRefused; }  ///< this machine cannot create such a namespace
    bool runs() const { return m_runs && m_made.space != 0; }
    pid_t pid() const { return m_made.pid; }              ///< in our pid namespace
    std::uint64_t space() const { return m_made.space; }  ///< inode of its pid namespace
    void end()
    {
        if (m_runs)
            ::kill(m_made.pid, SIGKILL);
        m_runs = false;
    }

private:
    struct Made {
        pid_t pid = -1;
        std::uint64_t space = 0;
        bool isRefused = false;
    };
    template <class Body>
    static Made start(int kind, Body body)
    {
        int result[2];
        if (!lifeline().isOpen || ::pipe(result) != 0)
            return {};
        const pid_t maker = ::fork();
        if (maker == 0) {
            const Made made = startHere(kind, body);
            ::_exit(::write(result[1], &made, sizeof made) == sizeof made ? 0 : 1);
        }
        ::close(result[1]);
        Made made;
        if (::read(result[0], &made, sizeof made) != sizeof made)
            made = {};
        ::close(result[0]);
        if (maker > 0)
            ::waitpid(maker, nullptr, 0);
        return made;
    }
    template <class Body>
    static Made startHere(int kind, Body body)
    {
        Made made;
        struct stat space {};
        made.isRefused = ::unshare(kind) != 0 && ::unshare(CLONE_NEWUSER | kind) != 0;
        if (made.isRefused || (kind == CLONE_NEWTIME && !shiftClock()))
            return made;
        made.pid = forkSleeper(body);
        made.space = ::stat("/proc/self/ns/pid_for_children", &space) == 0 ? space.st_ino : 0;
        return made;
    }
    /// Shifts the clock of the namespace that the next child enters.
    static bool shiftClock()
    {
        const std::string text = "boottime " + std::to_string(kShiftSeconds) + " 0";
        ::prctl(PR_SET_DUMPABLE, 1);
        const int fd = ::open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
        const bool isShifted = fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
        if (fd >= 0)
            ::close(fd);
        return isShifted;
    }

    const Made m_made;
    bool m_runs;
};

}  // namespace sleepers
