// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cycles in directed graphs.
#pragma once

#include <cstdint>
#include <vector>

namespace ct {

/// For each node, the nodes to which its edges lead.
using Successors = std::vector<std::vector<std::uint32_t>>;

/// Returns the cycles of a graph: its strongly connected components (Tarjan, 1972) of at least two nodes, and nodes
/// with an edge to themselves. The nodes of a cycle are ascending. Needs no stack of the machine: a chain can be as
/// long as there are nodes.
std::vector<std::vector<std::uint32_t>> cyclesOf(const Successors &successors);

}  // namespace ct
