// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "scheduler/reactor.h"

namespace server {

/// Runs the server and its clients in one process, with --connections, --threads and --seconds (default: `seconds`).
/// Prints a status line every second. Returns the exit status of the program. If coroutines are left, it ends the
/// process itself, like a server that is told to stop, and never destroys their frames.
int runDemo(int argc, char **argv, sched::Registration registration, unsigned seconds);

}  // namespace server
