// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A launched target: fork and exec in a process group of its own, true exit status, output over a pty or passed
// through.
#pragma once

#include "core/result.h"

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
    PassThrough,     ///< stdin, stdout, stderr unchanged; the group becomes the terminal's foreground group
    StdoutToStderr,  ///< the same, but what it prints goes to our stderr: our stdout is for something else
    /// A pseudo terminal, read by us: outputReady(). Not the target's controlling terminal, so that its hang-up does
    /// not kill a target that outlives us. Lines end in \n alone; TERM=dumb unless the environment says otherwise.
    Pty,
};

struct LaunchSpec {
    std::vector<std::string> argv;  ///< argv[0] looked up in PATH; or
    std::string shellLine;          ///< run by /bin/sh -c when argv is empty
    std::string workingDirectory;   ///< empty: ours
    /// Changes to our environment: a value sets, nullopt removes.
    std::map<std::string, std::optional<std::string>> environment;
    OutputMode output = OutputMode::PassThrough;
    std::vector<int> keptDescriptors;  ///< above 2, inherited as well (a shell's <(...)); all others are closed
};

struct ExitStatus {
    int code = 0;    ///< valid when signal == 0
    int signal = 0;  ///< 0 = exited
};

class TargetProcess : public QObject {
    Q_OBJECT
public:
    explicit TargetProcess(QObject *parent = nullptr);
    ~TargetProcess() override;  ///< leaves a running process alone

    /// Fails with the reason when the program cannot be executed (not found, not executable, no such directory).
    Result<void> start(const LaunchSpec &spec);
    bool isRunning() const;
    pid_t pid() const;
    std::optional<ExitStatus> exitStatus() const;
    /// Processes of its group are left, possibly without the one that we started.
    bool groupAlive() const;
    bool hasTerminal() const;  ///< Pty mode and not hung up

    void sendSignal(int signal);                  ///< to the whole group
    void terminate();                             ///< SIGTERM, SIGKILL after 5 s
    void writeInput(const QByteArray &bytes);     ///< Pty mode
    void setTerminalSize(int columns, int rows);  ///< Pty mode

Q_SIGNALS:
    void outputReady(const QByteArray &bytes, qint64 monotonicNs);  ///< Pty mode
    /// After the last output that the pty holds; members of its group may still run.
    void exited(const ct::ExitStatus &status);

private:
    struct Data;
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
