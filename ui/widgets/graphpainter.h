// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Draws the nodes and edges of a wait-for graph. Only QPainter.
#pragma once

#include "models/waitgraphmodel.h"
#include "ui/format/colors.h"

#include <QFont>
#include <QRectF>

class QPainter;

namespace ct {

QRectF rectOf(const GraphBox &box);

class GraphPainter {
public:
    /// All must outlive the painter. `scale`: pixels of the screen for one of the layout; small texts are not drawn.
    GraphPainter(const ShownGraph &shown, const GraphLayout &layout, const Colors &colors, double scale,
                 const QFont &font);

    void drawEdges(QPainter &painter, const QRectF &visible) const;
    void drawNodes(QPainter &painter, const QRectF &visible, CoroutineId selected) const;

private:
    void drawEdge(QPainter &painter, const WaitEdge &edge, const GraphCurve &curve) const;
    void drawBox(QPainter &painter, const WaitNode &node, const QRectF &box, bool isSelected) const;
    void drawText(QPainter &painter, const std::vector<std::string> &lines, const QRectF &box) const;

    const ShownGraph &m_shown;
    const GraphLayout &m_layout;
    const Colors &m_colors;
    const double m_scale;
    QFont m_font;
};

}  // namespace ct
