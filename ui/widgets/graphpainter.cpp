// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/graphpainter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace ct {

namespace {

constexpr double kLeastTextScale = 0.4;  ///< below, texts cannot be read
constexpr double kTextMargin = 6;
constexpr double kArrow = 8;

QPointF pointOf(const GraphPoint &point)
{
    return {point.x, point.y};
}

QColor mixed(const QColor &a, const QColor &b, double share)
{
    const auto mix = [share](int x, int y) { return static_cast<int>(std::lround(x * share + y * (1 - share))); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

/// The tip of an arrow at the end of a curve.
QPolygonF arrowOf(const GraphCurve &curve, double size)
{
    const QPointF tip = pointOf(curve.back());
    QPointF direction = tip - pointOf(curve[curve.size() - 2]);
    const double length = std::hypot(direction.x(), direction.y());
    direction = length > 0 ? direction / length : QPointF(0, 1);
    const QPointF back = tip - direction * size;
    const QPointF side = QPointF(-direction.y(), direction.x()) * (size / 2.4);
    return QPolygonF({tip, back + side, back - side});
}

}  // namespace

QRectF rectOf(const GraphBox &box)
{
    return {box.centre.x - box.size.width / 2, box.centre.y - box.size.height / 2, box.size.width, box.size.height};
}

GraphPainter::GraphPainter(const ShownGraph &shown, const GraphLayout &layout, const Colors &colors, double scale,
                           const QFont &font)
    : m_shown(shown), m_layout(layout), m_colors(colors), m_scale(scale), m_font(font)
{
    m_font.setPixelSize(kGraphFont);
}

void GraphPainter::drawEdges(QPainter &painter, const QRectF &visible) const
{
    const std::vector<WaitEdge> &edges = m_shown.graph.edges;
    // Cycles last: on top of the others.
    for (const bool cycles : {false, true}) {
        for (std::size_t i = 0; i < edges.size() && i < m_layout.curves.size(); ++i) {
            const GraphCurve &curve = m_layout.curves[i];
            if (edges[i].inCycle != cycles || curve.size() < 4)
                continue;
            QPolygonF points;
            for (const GraphPoint &point : curve)
                points << pointOf(point);
            if (points.boundingRect().adjusted(-kArrow, -kArrow, kArrow, kArrow).intersects(visible))
                drawEdge(painter, edges[i], curve);
        }
    }
}

void GraphPainter::drawEdge(QPainter &painter, const WaitEdge &edge, const GraphCurve &curve) const
{
    QPainterPath path(pointOf(curve.front()));
    for (std::size_t i = 1; i + 2 < curve.size(); i += 3)
        path.cubicTo(pointOf(curve[i]), pointOf(curve[i + 1]), pointOf(curve[i + 2]));
    const QColor color = edge.inCycle ? m_colors.cycle : m_colors.textMuted;
    QPen pen(color, edge.inCycle ? 2 : 1);
    pen.setCosmetic(m_scale < 1);
    if (edge.isAny)
        pen.setStyle(Qt::DashLine);
    painter.strokePath(path, pen);
    if (m_scale < kLeastTextScale / 2)
        return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawPolygon(arrowOf(curve, kArrow / std::clamp(m_scale, 0.5, 1.0)));  // visible at each scale
    if (edge.count == 1 || m_scale < kLeastTextScale)
        return;
    painter.setFont(m_font);
    painter.setPen(m_colors.textMuted);
    painter.drawText(path.pointAtPercent(0.5) + QPointF(5, 4), QString::number(edge.count));
}

void GraphPainter::drawNodes(QPainter &painter, const QRectF &visible, CoroutineId selected) const
{
    const std::vector<WaitNode> &nodes = m_shown.graph.nodes;
    painter.setFont(m_font);
    for (std::size_t i = 0; i < nodes.size() && i < m_layout.boxes.size(); ++i) {
        const QRectF box = rectOf(m_layout.boxes[i]);
        if (!box.adjusted(-4, -4, 4, 4).intersects(visible))
            continue;
        drawBox(painter, nodes[i], box, selected != kNoCoroutine && nodes[i].coroutine == selected);
        if (m_scale >= kLeastTextScale)
            drawText(painter, m_shown.labels[i], box);
    }
}

void GraphPainter::drawBox(QPainter &painter, const WaitNode &node, const QRectF &box, bool isSelected) const
{
    const bool isCoroutine = node.kind == WaitNodeKind::Coroutine;
    QPen pen(m_colors.textMuted, 1);
    if (node.inCycle)
        pen = QPen(m_colors.cycle, 2.5);
    else if (node.deadEnd != DeadEnd::None)
        pen = QPen(m_colors.stuck, 2.5, Qt::DashLine);
    pen.setCosmetic(m_scale < 1);
    const QColor fill = isCoroutine ? stateColor(m_colors, node.state) : m_colors.textMuted;
    painter.setBrush(mixed(fill, m_colors.background, isCoroutine ? 0.3 : 0.06));
    const double radius = isCoroutine ? 8 : node.kind == WaitNodeKind::Thread ? box.height() / 2 : 0;
    if (isSelected) {
        painter.setPen(QPen(m_colors.accent, 3));
        painter.drawRoundedRect(box.adjusted(-4, -4, 4, 4), radius + 4, radius + 4);
    }
    painter.setPen(pen);
    painter.drawRoundedRect(box, radius, radius);
}

void GraphPainter::drawText(QPainter &painter, const std::vector<std::string> &lines, const QRectF &box) const
{
    const QFontMetricsF metrics(m_font);
    double y = box.center().y() - static_cast<double>(lines.size()) * kGraphLineHeight / 2;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const QRectF line(box.left() + kTextMargin, y, box.width() - 2 * kTextMargin, kGraphLineHeight);
        painter.setPen(i == 0 ? m_colors.text : m_colors.textMuted);
        painter.drawText(line, Qt::AlignCenter | Qt::TextSingleLine,
                         metrics.elidedText(QString::fromStdString(lines[i]), Qt::ElideMiddle, line.width()));
        y += kGraphLineHeight;
    }
}

}  // namespace ct
