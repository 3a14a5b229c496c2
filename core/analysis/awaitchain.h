// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The asynchronous stack of a coroutine: who awaits it, what it awaits, and what the innermost one waits for.
#pragma once

#include "core/trace/population.h"

#include <cstddef>
#include <vector>

namespace ct {

struct AwaitChain {
    /// Most coroutines in each direction.
    static constexpr std::size_t kMost = 64;

    std::vector<CoroutineId> coroutines;  ///< outermost first, each awaits the next one; at least one
    std::size_t self = 0;                 ///< index of the coroutine that the chain was made for
    bool isCycle = false;                 ///< the last one awaits the first one: a deadlock
    bool goesOnOutwards = false;          ///< the first one is awaited, too: kMost was reached
    bool goesOnInwards = false;
    std::vector<WaitsOn> waits;  ///< what the last one waits for, unless it is one known coroutine
    std::vector<Use> holders;    ///< who holds the locks among these objects
};

/// Returns the chain as the target has reported it so far. Any thread. A coroutine that waits for several objects ends
/// the chain.
AwaitChain awaitChainOf(const Population &population, CoroutineId id);

}  // namespace ct
