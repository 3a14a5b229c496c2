// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ct {

/// Asks the system to run the calling thread soon after it wakes up, by all means that this user has. For a thread that
/// needs little time, but must not come late. Never fails: without permission, the thread competes as any other.
void takePrecedence();

}  // namespace ct
