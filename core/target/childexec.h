// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Starts a program with fork and exec, in a process group of its own. Qt-free. spawnChild() allocates everything before
// the fork. The child only calls async-signal-safe functions, and reports the stage and errno of a failure through a
// close-on-exec pipe.
#pragma once

#include "core/base/result.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace ct {

struct ChildSpec {
    std::vector<std::string> argv;         ///< not empty; argv[0] without a slash is searched in PATH
    std::vector<std::string> environment;  ///< NAME=value
    std::string workingDirectory;          ///< empty: that of this process
    /// Becomes stdin, stdout and stderr of the child, in a session of its own; -1: the child inherits all three. It
    /// does not become the controlling terminal: its hang-up, when this process is killed, would kill the child.
    int terminal = -1;
    bool stdoutToStderr = false;       ///< without a terminal: stdout goes where stderr goes
    int foregroundOf = -1;             ///< terminal that makes the child's group its foreground group; -1: none
    std::vector<int> keptDescriptors;  ///< above 2, inherited as well; all others are closed
};

/// Directories in which a program is searched if its environment has no PATH; separated by colons.
inline constexpr char kUsualPath[] = "/usr/local/bin:/usr/bin:/bin";

/// Returns once the program runs. Otherwise fails with the reason.
Result<pid_t> spawnChild(const ChildSpec &spec);

/// Returns stdin, stderr or stdout if it is our controlling terminal; -1: none is.
int controllingTerminal();
/// Makes `group` the foreground group, even while our group is in the background.
void setForegroundGroup(int terminal, pid_t group);

}  // namespace ct
