// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "scheduler/reactor.h"

namespace server {

/// The server and its clients in one process: --connections, --threads, --seconds (with the default given here).
/// Prints a status line each second. Returns the program's exit status, save that a run with coroutines left over ends
/// the process right here, as a server that is told to go does: their frames are never destroyed.
int runDemo(int argc, char **argv, sched::Registration registration, unsigned seconds);

}  // namespace server
