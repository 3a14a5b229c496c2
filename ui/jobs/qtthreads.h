// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks and keeps the threads that Qt starts by itself for a window. Qt waits forever if the system refuses one.
#pragma once

#include "core/base/result.h"

namespace ct {

/// Returns an error if the system refuses the threads that a window needs at its start. Call before the application
/// object exists.
Result<void> checkWindowThreads();

/// Gives the global thread pool one permanent thread, and no more. Call before the first window is painted. Qt converts
/// images and fills large areas in this pool, whose threads usually end after 30 seconds.
void keepPaintingThread();

}  // namespace ct
