// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run without a window: connects the session with sinks, signals and a summary. Messages go to stderr only.
#pragma once

#include "app/commandline/commandline.h"

namespace ct {

enum ExitCode : int {
    kExitSuccess = 0,
    kExitUsage = 2,
    kExitCapture = 3,  ///< also: no display
    kExitOutput = 4,
    kExitFindings = 10,  ///< --fail-on, and the target itself ended with 0
    kExitCannotStart = 127,
    kExitSignalBase = 128,
};

/// Captures a run, or judges or converts a recording. Needs a QCoreApplication. Returns the exit status at the
/// end.
int runBatch(const CommandLine &line);

}  // namespace ct
