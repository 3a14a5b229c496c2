// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Copies out of another process's memory. Qt-free.
#pragma once

#include "core/symbols/codewalk.h"

#include <sys/types.h>

namespace ct {

/// Reads without stopping the process; needs the rights of a debugger (ptrace(2), "PTRACE_MODE_ATTACH"), and fails
/// without them, when the process is gone, or where nothing is mapped. Any thread.
MemoryReader processMemory(pid_t pid);

}  // namespace ct
