// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What this program changes about itself and the programs that it starts must not inherit. Qt-free.
#pragma once

namespace ct {

/// At the start of main(), before there is another thread. Raises the limit of open files to what the system grants:
/// each traced process takes one. Beyond the limit on the size of files (ulimit -f) a write is an error, not the end by
/// SIGXFSZ; that is done by a handler, which no program inherits, unless the signal is ignored already.
void adjustProcessLimits();

/// In a child between fork and exec: async-signal-safe.
void restoreProcessLimits();

}  // namespace ct
