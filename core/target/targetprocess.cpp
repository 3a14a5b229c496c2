// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/targetprocess.h"

#include "core/target/childexec.h"
#include "core/target/pseudoterminal.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QSocketNotifier>
#include <QTimer>

#include <cerrno>
#include <csignal>
#include <functional>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace ct {

namespace {

constexpr int kKillAfterMs = 5000;
constexpr int kGroupPollMs = 10;
constexpr int kGroupMs = 300;
constexpr int kTerminatedGroupMs = 6000;  ///< longer than kKillAfterMs
constexpr int kPollMs = 20;               ///< poll interval where the kernel has no pidfd
constexpr int kJobControlMs = 200;

std::vector<std::string> environmentOf(const LaunchSpec &spec)
{
    std::map<std::string, std::optional<std::string>> changes = spec.environment;
    if (spec.output == OutputMode::Pty)
        changes.try_emplace("TERM", "dumb");
    std::vector<std::string> result;
    for (char **entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        if (!changes.contains(text.substr(0, text.find('='))))
            result.push_back(text);
    }
    for (const auto &[name, value] : changes) {
        if (value)
            result.push_back(name + "=" + *value);
    }
    return result;
}

std::uint64_t nanoseconds(const timeval &time)
{
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_usec) * 1000U;
}

ExitStatus exitStatusOf(int waitStatus, const rusage &used)
{
    const std::uint64_t cpuNs = nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime);
    if (WIFSIGNALED(waitStatus))
        return {0, WTERMSIG(waitStatus), cpuNs};
    return {WEXITSTATUS(waitStatus), 0, cpuNs};
}

int openPidFd(pid_t pid)
{
#ifdef SYS_pidfd_open
    return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
#else
    return -1;
#endif
}

/// Calls onExit when the process has ended and was reaped. Uses a pidfd, or else polls.
class ExitWatch final : public QObject {
public:
    ExitWatch(pid_t pid, QObject *parent) : QObject(parent), m_pid(pid), m_pidFd(openPidFd(pid))
    {
        if (m_pidFd >= 0) {
            auto *notifier = new QSocketNotifier(m_pidFd, QSocketNotifier::Read, this);
            connect(notifier, &QSocketNotifier::activated, this, [this] { tryReap(); });
        } else {
            auto *timer = new QTimer(this);
            connect(timer, &QTimer::timeout, this, [this] { tryReap(); });
            timer->start(kPollMs);
        }
    }
    ~ExitWatch() override
    {
        if (m_pidFd >= 0)
            close(m_pidFd);
    }

    std::function<void(ExitStatus)> onExit;

private:
    void tryReap()
    {
        int status = 0;
        rusage used{};
        const pid_t reaped = wait4(m_pid, &status, WNOHANG, &used);
        if (reaped == 0 || (reaped < 0 && errno == EINTR))
            return;
        for (QObject *child : children())
            child->deleteLater();
        const auto callback = std::exchange(onExit, {});
        if (callback)
            callback(reaped == m_pid ? exitStatusOf(status, used) : ExitStatus{});
    }

    pid_t m_pid;
    int m_pidFd;
};

}  // namespace

struct TargetProcess::Data {
    pid_t pid = 0;
    bool running = false;
    std::optional<ExitStatus> status;
    ExitWatch *watch = nullptr;
    PseudoTerminal *terminal = nullptr;
    QTimer *killTimer = nullptr;
    QTimer *jobControl = nullptr;
    QDeadlineTimer groupPatience;
    int controlling = -1;  ///< our controlling terminal, which the target uses except in Pty mode

    bool inForeground(pid_t group) const { return controlling >= 0 && tcgetpgrp(controlling) == group; }
    void takeTerminalBack() const;
    void followStop() const;
};

/// Makes our group the foreground group. Does nothing if the target's group is no longer in the foreground: the user
/// may have switched to another job.
void TargetProcess::Data::takeTerminalBack() const
{
    if (inForeground(pid))
        setForegroundGroup(controlling, getpgrp());
}

/// Ctrl-Z reaches only the target's group. We stop as well, so that the shell shows its prompt, and fg resumes both.
void TargetProcess::Data::followStop() const
{
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WNOHANG) != 0 || info.si_pid != pid)
        return;
    if (info.si_status != SIGTSTP && info.si_status != SIGTTIN && info.si_status != SIGTTOU)
        return;
    takeTerminalBack();
    kill(0, SIGTSTP);  // stops our whole job, as the terminal would have done
    if (inForeground(getpgrp()))
        setForegroundGroup(controlling, pid);
    kill(-pid, SIGCONT);
}

TargetProcess::TargetProcess(QObject *parent) : QObject(parent), m_data(std::make_unique<Data>()) {}

TargetProcess::~TargetProcess()
{
    if (!m_data->running)
        return;
    m_data->takeTerminalBack();
    QObject *heir = QCoreApplication::instance();
    if (!heir)
        return;
    // While the application runs, a process that outlives this object is still reaped, and its terminal drained.
    ExitWatch *watch = m_data->watch;
    watch->setParent(heir);
    PseudoTerminal *terminal = m_data->terminal;
    if (terminal) {
        terminal->disconnect();
        terminal->setParent(watch);
    }
    watch->onExit = [watch](ExitStatus) { watch->deleteLater(); };
}

Result<void> TargetProcess::start(const LaunchSpec &spec)
{
    ChildSpec child;
    child.argv = spec.argv.empty() ? std::vector<std::string>{"/bin/sh", "-c", spec.shellLine} : spec.argv;
    child.environment = environmentOf(spec);
    child.workingDirectory = spec.workingDirectory;
    child.keptDescriptors = spec.keptDescriptors;

    std::unique_ptr<PseudoTerminal> terminal;
    if (spec.output == OutputMode::Pty) {
        auto opened = PseudoTerminal::open();
        if (!opened)
            return opened.error();
        terminal = std::move(*opened);
        child.terminal = terminal->slave();
    } else {
        child.stdoutToStderr = spec.output == OutputMode::StdoutToStderr;
        m_data->controlling = controllingTerminal();
        if (m_data->inForeground(getpgrp()))
            child.foregroundOf = m_data->controlling;
    }

    const Result<pid_t> pid = spawnChild(child);
    if (!pid) {
        if (child.foregroundOf >= 0)
            setForegroundGroup(child.foregroundOf, getpgrp());
        return pid.error();
    }
    m_data->pid = *pid;
    m_data->running = true;
    if (terminal) {
        terminal->closeSlave();
        m_data->terminal = terminal.release();
        m_data->terminal->setParent(this);
        connect(m_data->terminal, &PseudoTerminal::outputReady, this, &TargetProcess::outputReady);
    }
    if (m_data->controlling >= 0) {
        m_data->jobControl = new QTimer(this);
        connect(m_data->jobControl, &QTimer::timeout, this, [this] { m_data->followStop(); });
        m_data->jobControl->start(kJobControlMs);
    }
    m_data->watch = new ExitWatch(*pid, this);
    m_data->watch->onExit = [this](ExitStatus status) {
        m_data->running = false;
        m_data->status = status;
        m_data->takeTerminalBack();
        delete std::exchange(m_data->jobControl, nullptr);
        if (m_data->terminal)
            m_data->terminal->drain();
        m_data->groupPatience.setRemainingTime(m_data->killTimer ? kTerminatedGroupMs : kGroupMs);
        // Queued, because a receiver of exited() may delete this object.
        QMetaObject::invokeMethod(this, &TargetProcess::awaitGroup, Qt::QueuedConnection);
        Q_EMIT exited(status);
    };
    return {};
}

bool TargetProcess::isRunning() const
{
    return m_data->running;
}

pid_t TargetProcess::pid() const
{
    return m_data->pid;
}

std::optional<ExitStatus> TargetProcess::exitStatus() const
{
    return m_data->status;
}

bool TargetProcess::groupAlive() const
{
    return m_data->pid > 0 && kill(-m_data->pid, 0) == 0;
}

/// Gives the rest of a shell line, or of a terminated group, a moment to end after its leader.
void TargetProcess::awaitGroup()
{
    if (groupAlive() && !m_data->groupPatience.hasExpired())
        QTimer::singleShot(kGroupPollMs, this, &TargetProcess::awaitGroup);
    else
        Q_EMIT groupEnded();
}

void TargetProcess::sendSignal(int signal)
{
    if (m_data->running)
        kill(-m_data->pid, signal);
}

void TargetProcess::terminate()
{
    if (!m_data->running || m_data->killTimer)
        return;
    sendSignal(SIGTERM);
    sendSignal(SIGCONT);  // a stopped process cannot act on SIGTERM
    m_data->killTimer = new QTimer(this);
    m_data->killTimer->setSingleShot(true);
    // Needed even when the leader has ended: while its group has members, no other group can have the number.
    connect(m_data->killTimer, &QTimer::timeout, this, [this] { kill(-m_data->pid, SIGKILL); });
    m_data->killTimer->start(kKillAfterMs);
}

void TargetProcess::writeInput(const QByteArray &bytes)
{
    if (m_data->terminal)
        m_data->terminal->write(bytes);
}

}  // namespace ct
