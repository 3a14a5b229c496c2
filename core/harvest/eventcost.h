// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What one event costs a target on this machine.
#pragma once

namespace ct {

/// Measures the time (ns) of what a probe does for an event with a lane: reads the counter, then stores a record and a
/// compact station. Takes some 2 ms. In a target whose coroutines are no longer in the cache, an event costs up to
/// twice as much. Any thread.
double measureEventNs();

}  // namespace ct
