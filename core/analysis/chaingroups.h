// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The asynchronous stacks of all coroutines, identical ones together, as a dump of goroutines shows them.
#pragma once

#include "core/trace/population.h"

#include <cstdint>
#include <vector>

namespace ct {

/// A coroutine in a stack: where it is suspended.
struct ChainLink {
    CoroutineId coroutine = kNoCoroutine;
    SiteId site = kUnknownSite;
    std::uint64_t addr = 0;   ///< where no site is known
    std::uint64_t since = 0;  ///< start of the suspension, also of one that was woken; ns, CLOCK_MONOTONIC
};

/// What the innermost coroutine of a stack does.
enum class ChainEnd : std::uint8_t { NotStarted, Running, Woken, Waiting };

struct ChainGroup {
    ChainEnd end = ChainEnd::Waiting;
    WaitKind waitsFor = WaitKind::Unknown;  ///< of ChainEnd::Waiting
    std::uint64_t count = 0;                ///< stacks
    std::uint64_t since = 0;                ///< since when (ns) a coroutine of this group has been so for longest
    std::vector<ChainLink> links;           ///< innermost first, of the stack of that coroutine
    /// The coroutines of all these stacks: links.size() for each stack, innermost first.
    std::vector<CoroutineId> coroutines;
};

/// Returns the stacks of all coroutines that are alive, most frequent first. Each link awaits the one before it.
/// Coroutines that await one another in a cycle are one stack.
std::vector<ChainGroup> chainGroupsOf(const Population &population);

}  // namespace ct
