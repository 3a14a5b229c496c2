// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Issues a full fence in all threads of all registered processes, by membarrier(2). The wake-up protocol needs a fence.
// This moves its cost from each event of the target to the rare moments when the engine goes to sleep.
// See docs/decisions/0003-fence-free-wake-up.md.
#pragma once

namespace ct {

/// Returns true if the kernel offers the fence to this process (Linux 4.16; a container may forbid it).
bool canFenceProcesses();

/// Issues the fence. Returns false if the call failed; the caller must then not rely on a fence.
[[nodiscard]] bool fenceProcesses();

}  // namespace ct
