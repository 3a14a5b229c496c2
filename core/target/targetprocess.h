// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A launched target: a process group of its own, its exit status, and its output through a pty or passed through.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QObject>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ct {

enum class OutputMode {
    PassThrough,     ///< stdin, stdout, stderr are inherited; the group becomes the terminal's foreground group
    StdoutToStderr,  ///< as PassThrough, but stdout goes to our stderr: our stdout carries other data
    /// A pseudo terminal that we read: outputReady(). It is not the target's controlling terminal, so its hang-up does
    /// not kill a target that outlives us. Lines end in \n alone. TERM=dumb, unless LaunchSpec::environment changes it.
    Pty,
};

struct LaunchSpec {
    std::vector<std::string> argv;  ///< without a slash, argv[0] is searched in PATH
    std::string shellLine;          ///< run by /bin/sh -c if argv is empty
    std::string workingDirectory;   ///< empty: that of this process
    /// Changes to our environment: a value sets, nullopt removes.
    std::map<std::string, std::optional<std::string>> environment;
    OutputMode output = OutputMode::PassThrough;
    std::vector<int> keptDescriptors;  ///< above 2, inherited as well (a shell's <(...)); all others are closed
};

struct ExitStatus {
    int code = 0;    ///< valid when signal == 0
    int signal = 0;  ///< 0 = exited
    /// ns; processor time of the program and of the descendants that it has waited for; 0 = unknown
    std::uint64_t cpuNs = 0;
};

class TargetProcess : public QObject {
    Q_OBJECT
public:
    explicit TargetProcess(QObject *parent = nullptr);
    ~TargetProcess() override;  ///< leaves a running process alone, but still reaps it

    /// Fails with the reason if the program cannot be executed (not found, not executable, no such directory).
    Result<void> start(const LaunchSpec &spec);
    bool isRunning() const;
    pid_t pid() const;
    std::optional<ExitStatus> exitStatus() const;
    /// True while processes of its group exist, with or without the launched one.
    bool groupAlive() const;

    void sendSignal(int signal);               ///< to the whole group
    void terminate();                          ///< SIGTERM, SIGKILL after 5 s
    void writeInput(const QByteArray &bytes);  ///< Pty mode

Q_SIGNALS:
    void outputReady(const QByteArray &bytes, qint64 monotonicNs);  ///< Pty mode
    /// Emitted after the last output that the pty holds. Other members of the group may still run.
    void exited(const ct::ExitStatus &status);
    /// Emitted after exited(): all processes of the group have ended, or had a moment for it. That is 0.3 s, or 6 s
    /// after terminate().
    void groupEnded();

private:
    void awaitGroup();
    struct Data;
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
