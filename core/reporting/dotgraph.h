// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Graphs for `dot` (Graphviz): a wait-for graph as a file, and the layout of boxes by that program.
#pragma once

#include "core/reporting/graphlabels.h"

#include <optional>
#include <string>
#include <string_view>

namespace ct {

/// The graph in the language of dot, for a file.
std::string dotText(const WaitGraph &graph, const GraphLabels &labels);

/// A graph with boxes of these sizes and without labels: what `dot -Tplain` is to lay out. No text of a target is in
/// it.
std::string dotInput(const std::vector<GraphSize> &nodes, const std::vector<GraphLink> &links);
/// Reads the output of `dot -Tplain`. Returns nullopt if it is not complete, is of another graph, or is too
/// wide to be read.
std::optional<GraphLayout> layoutFromDot(std::string_view output, const std::vector<GraphSize> &nodes,
                                         const std::vector<GraphLink> &links);

}  // namespace ct
