// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#pragma once

namespace ct {

/// Asks the system to run the calling thread soon after it wakes up, by all means that this user has. For a thread that
/// needs little time, but must not come late. Never fails: without permission, the thread competes as any other.
void takePrecedence();

/// Lowers the priority of the calling thread a little. For a thread that works behind one that must not come late: on
/// few processors, the two would otherwise get equal shares of one. Any user may do so. Never fails.
void giveWay();

}  // namespace ct
