// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where the boxes and lines of a graph go. Pure. Pixels, y downwards.
#pragma once

#include <cstdint>
#include <vector>

namespace ct {

struct GraphPoint {
    double x = 0;
    double y = 0;
};
struct GraphSize {
    double width = 0;
    double height = 0;
    bool operator==(const GraphSize &) const = default;
};
struct GraphBox {
    GraphPoint centre;
    GraphSize size;
};
/// A cubic Bézier curve: 3 k + 1 points. It ends where its arrow has its tip.
using GraphCurve = std::vector<GraphPoint>;

struct GraphLayout {
    GraphSize size;
    std::vector<GraphBox> boxes;     ///< as the nodes
    std::vector<GraphCurve> curves;  ///< as the edges
};

/// An edge between two nodes, given by their indexes.
struct GraphLink {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
};

/// Plain layout in layers: edges lead downwards, except one of each cycle. Parts that are not connected are next to one
/// another. Long layers are wrapped. For where `dot` is not installed.
GraphLayout layeredLayout(const std::vector<GraphSize> &nodes, const std::vector<GraphLink> &links);

/// A layer with more nodes is wrapped, one of fewer so that it is not much wider than high.
inline constexpr std::size_t kMostInLayer = 16;

}  // namespace ct
