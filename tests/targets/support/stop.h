// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

namespace targets {

/// SIGTERM and SIGINT from now on only ask: stopRequested() turns true, and the program ends in order.
void handleStopSignals();
[[nodiscard]] bool stopRequested();

/// Waits until the time is over or a stop is requested; true when the time is over. Looks every few milliseconds.
bool sleepUnlessStopped(std::chrono::nanoseconds duration);

}  // namespace targets
