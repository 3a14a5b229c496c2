// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Threads that Qt starts by itself for a window. It waits for ever where the system refuses one of them.
#pragma once

#include "core/result.h"

namespace ct {

/// Before the application object exists: an error if the system refuses the threads that a window begins with.
Result<void> checkWindowThreads();

/// Before the first window is painted. Qt converts pictures and fills large areas on threads of its global pool, which
/// usually end after 30 seconds. Afterwards the pool has one thread that stays, and needs no other.
void keepPaintingThread();

}  // namespace ct
