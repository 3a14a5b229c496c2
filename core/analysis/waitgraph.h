// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The wait-for graph: which coroutine waits for what, and who holds it. Cycles and dead ends are marked.
#pragma once

#include "core/analysis/objecthistory.h"
#include "core/trace/population.h"

#include <cstdint>
#include <vector>

namespace ct {

enum class WaitNodeKind : std::uint8_t { Coroutine, Lock, Channel, Descriptor, Timer, Object, Thread };

/// Why nothing is left that could satisfy a wait for this node.
enum class DeadEnd : std::uint8_t {
    None,
    Ended,        ///< the coroutine has ended, and something still waits for it
    NoHolder,     ///< the lock was released, and something still waits for it
    HolderEnded,  ///< each holder of the lock has ended
    NoWakers,     ///< nothing is left that could wake the coroutine
};

struct WaitNode {
    WaitNodeKind kind = WaitNodeKind::Coroutine;
    /// The coroutine; of a group, the one that has been in its state for the longest time. kNoCoroutine otherwise.
    CoroutineId coroutine = kNoCoroutine;
    std::uint32_t pid = 0;
    std::uint64_t object = 0;  ///< address, descriptor, deadline (ns, CLOCK_MONOTONIC) or thread id
    CoroutineState state = CoroutineState::Created;  ///< of a coroutine, as the members below
    SiteId site = kUnknownSite;
    std::uint64_t addr = 0;   ///< where no site is known
    std::uint64_t since = 0;  ///< ns, CLOCK_MONOTONIC
    std::uint64_t count = 1;  ///< how many coroutines or objects the node stands for
    DeadEnd deadEnd = DeadEnd::None;
    bool inCycle = false;
};

struct WaitEdge {
    std::uint32_t from = 0;  ///< index of a node
    std::uint32_t to = 0;
    bool isHeld = false;   ///< `from` is held by `to`; else `from` waits for `to`
    bool isAny = false;    ///< `from` waits for this or for others
    bool inCycle = false;  ///< both ends are in one cycle
    std::uint64_t count = 1;
};

struct WaitGraph {
    static constexpr std::size_t kMostNodes = 2000;

    std::vector<WaitNode> nodes;
    std::vector<WaitEdge> edges;
    std::uint64_t coroutines = 0;  ///< in the graph
    /// Coroutines that are alive, but neither report what they wait for, nor are waited for.
    std::uint64_t others = 0;
    std::uint64_t leftOut = 0;   ///< coroutines and objects of the nodes that exceeded the limit
    std::uint64_t cycles = 0;    ///< deadlocks
    std::uint64_t deadEnds = 0;  ///< coroutines and objects
    bool isBySite = false;       ///< a node stands for all coroutines that are suspended at one site
};

/// Returns the graph as the target has reported it so far. Any thread. `objects`: may be null; then a lock that is free
/// is no dead end. A graph of more than `mostNodes` nodes is grouped by site. A coroutine that waits for any of several
/// objects is in a cycle only if each of them leads to one, as in the rule deadlock.
WaitGraph waitGraphOf(const Population &population, const ObjectHistory *objects,
                      std::size_t mostNodes = WaitGraph::kMostNodes);

/// Replaces coroutines by their sites, and objects by their kinds and the sites where they are waited for. If more than
/// `mostNodes` remain, the ones that stand for the fewest coroutines are left out, and those in cycles and dead ends
/// last.
WaitGraph groupedBySite(const WaitGraph &graph, std::size_t mostNodes);

}  // namespace ct
