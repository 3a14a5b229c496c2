// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The texts of the nodes of a wait-for graph, in files and in the window.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/waitgraph.h"
#include "core/reporting/graphlayout.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ct {

/// For each node its lines: "query #17", "read (net.cpp:88)", "in a cycle". Safe to print, shortened.
using GraphLabels = std::vector<std::vector<std::string>>;

/// `resolver` gives locations that the target did not name, as far as they are resolved; may be null. `now`: ns,
/// CLOCK_MONOTONIC. Any thread.
GraphLabels graphLabels(const WaitGraph &graph, const Population &population, const AddressResolver *resolver,
                        std::uint64_t now);

/// One line about the whole graph: how many coroutines, cycles and dead ends it has, and what it leaves out.
std::string graphSummary(const WaitGraph &graph);

/// The sizes of boxes for the labels, in pixels, with a font of kGraphFont pixels.
std::vector<GraphSize> boxSizes(const GraphLabels &labels);
std::vector<GraphLink> linksOf(const WaitGraph &graph);
inline constexpr int kGraphFont = 12;
inline constexpr int kGraphLineHeight = 16;

}  // namespace ct
