// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Changes that this program makes to its own process limits, and undoes for the programs that it starts. Qt-free.
#pragma once

namespace ct {

/// Call at the start of main(), before another thread exists. Raises the limit of open files as far as the system
/// allows, up to 65,536, because each traced process uses one. Also makes a write beyond the file size limit (ulimit
/// -f) an error instead of the end by SIGXFSZ. A handler does this, which no program inherits; a signal that is already
/// ignored stays so.
void adjustProcessLimits();

/// Restores the original limit of open files in a child, between fork and exec. Async-signal-safe.
void restoreProcessLimits();

}  // namespace ct
