// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A full fence in every thread of every process that registered for it, membarrier(2). It moves the cost of the wake-up
// protocol's fence from each of the target's events to the engine's rare falling asleep.
#pragma once

namespace ct {

/// Whether the kernel offers it to this process (Linux 4.16; a container may forbid it).
bool canFenceProcesses();

/// False: no fence was issued, so nothing may rely on one.
[[nodiscard]] bool fenceProcesses();

}  // namespace ct
