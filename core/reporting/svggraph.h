// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/reporting/graphlabels.h"

#include <string>

namespace ct {

/// The wait-for graph as a picture (SVG 1.1), with a legend. `title`: names the target.
std::string svgText(const WaitGraph &graph, const GraphLabels &labels, const GraphLayout &layout,
                    const std::string &title);

}  // namespace ct
