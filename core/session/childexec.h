// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// fork and exec in a process group of its own. Qt-free. Everything that allocates is done before the fork; the child
// calls async-signal-safe functions only and reports the stage and errno of a failure through a close-on-exec pipe.
#pragma once

#include "core/result.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace ct {

struct ChildSpec {
    std::vector<std::string> argv;         ///< not empty; argv[0] without a slash is looked up in PATH
    std::vector<std::string> environment;  ///< NAME=value
    std::string workingDirectory;          ///< empty: ours
    /// Becomes stdin, stdout and stderr, in a session of its own; -1: the three pass through unchanged. It is not made
    /// the controlling terminal: its hang-up, when this process is killed, would kill the child.
    int terminal = -1;
    bool stdoutToStderr = false;       ///< without a terminal: stdout becomes what stderr is
    int foregroundOf = -1;             ///< terminal that gets the child's group as its foreground group; -1: none
    std::vector<int> keptDescriptors;  ///< above 2, that the child inherits as well; all others are closed
};

/// Returns once the program runs, or with the reason why it cannot.
Result<pid_t> spawnChild(const ChildSpec &spec);

/// A terminal that is our controlling one, by stdin, stderr or stdout; -1: none.
int controllingTerminal();
/// Makes `group` the foreground group, also when we are not in the foreground ourselves.
void setForegroundGroup(int terminal, pid_t group);

}  // namespace ct
