// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the memory of another process. Qt-free.
#pragma once

#include "core/symbols/codewalk.h"

#include <sys/types.h>

namespace ct {

/// Reads without stopping the process. Needs the rights of a debugger (ptrace(2), "PTRACE_MODE_ATTACH"). Fails without
/// them, when the process has ended, and where nothing is mapped. Any thread.
MemoryReader processMemory(pid_t pid);

}  // namespace ct
