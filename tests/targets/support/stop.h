// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

namespace targets {

/// After this call, SIGTERM and SIGINT only set stopRequested(). The program can then end in order. Unblocks both, so a
/// program that was started with them blocked gets no signal too early. Call it before other threads exist.
void handleStopSignals();
[[nodiscard]] bool stopRequested();

/// Sleeps until the duration has passed or a stop is requested. Returns true if the duration has passed. Checks for a
/// stop every 5 ms.
bool sleepUnlessStopped(std::chrono::nanoseconds duration);

}  // namespace targets
