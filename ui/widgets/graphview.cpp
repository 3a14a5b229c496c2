// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/graphview.h"

#include "ui/format/colors.h"
#include "ui/format/format.h"
#include "ui/widgets/graphpainter.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace ct {

namespace {

constexpr double kStep = 1.25;
constexpr double kSmallest = 0.01;
constexpr double kLargest = 4;
constexpr double kMargin = 12;
constexpr double kKeyPixels = 60;

}  // namespace

GraphView::GraphView(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(false);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setMinimumSize(120, 80);
}

void GraphView::setGraph(std::shared_ptr<const ShownGraph> shown, const GraphLayout &layout)
{
    m_shown = std::move(shown);
    m_layout = layout;
    if (!m_shown)
        m_fits = true;
    if (m_fits)
        fit();
    update();
}

void GraphView::select(CoroutineId coroutine)
{
    if (coroutine == m_selected)
        return;
    m_selected = coroutine;
    update();
    if (!m_shown || coroutine == kNoCoroutine)
        return;
    const std::vector<WaitNode> &nodes = m_shown->graph.nodes;
    const auto found = std::find_if(nodes.begin(), nodes.end(),
                                    [coroutine](const WaitNode &node) { return node.coroutine == coroutine; });
    if (found == nodes.end())
        return;
    const QPointF centre = boxOf(static_cast<std::size_t>(found - nodes.begin())).center();
    if (!QRectF(rect()).contains(centre))
        moveBy(QRectF(rect()).center() - centre);
}

QRectF GraphView::boxOf(std::size_t node) const
{
    const QRectF box = rectOf(m_layout.boxes[node]);
    return {box.topLeft() * m_scale + m_offset, box.size() * m_scale};
}

void GraphView::fit()
{
    m_fits = true;
    const double width = std::max(m_layout.size.width, 1.0);
    const double height = std::max(m_layout.size.height, 1.0);
    m_scale = std::clamp(std::min((QWidget::width() - 2 * kMargin) / width, (QWidget::height() - 2 * kMargin) / height),
                         kSmallest, 1.0);
    m_offset = {(QWidget::width() - width * m_scale) / 2, (QWidget::height() - height * m_scale) / 2};
    update();
}

void GraphView::zoomAt(const QPointF &position, double factor)
{
    const QPointF scene = toScene(position);
    m_fits = false;
    m_scale = std::clamp(m_scale * factor, kSmallest, kLargest);
    m_offset = position - scene * m_scale;
    update();
}

void GraphView::moveBy(const QPointF &pixels)
{
    m_fits = false;
    m_offset += pixels;
    update();
}

void GraphView::zoomIn()
{
    zoomAt(QRectF(rect()).center(), kStep);
}

void GraphView::zoomOut()
{
    zoomAt(QRectF(rect()).center(), 1 / kStep);
}

std::optional<std::size_t> GraphView::nodeAt(const QPointF &position) const
{
    const QPointF scene = toScene(position);
    for (std::size_t i = 0; m_shown && i < m_layout.boxes.size(); ++i)
        if (rectOf(m_layout.boxes[i]).contains(scene))
            return i;
    return std::nullopt;
}

CoroutineId GraphView::coroutineAt(const QPointF &position) const
{
    const std::optional<std::size_t> node = nodeAt(position);
    return node ? m_shown->graph.nodes[*node].coroutine : kNoCoroutine;
}

void GraphView::paintEvent(QPaintEvent *)
{
    if (!m_shown)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(m_offset);
    painter.scale(m_scale, m_scale);
    const QRectF visible(toScene({0, 0}), toScene(QPointF(width(), height())));
    const GraphPainter drawing(*m_shown, m_layout, colorsFor(palette()), m_scale, font());
    drawing.drawEdges(painter, visible);
    drawing.drawNodes(painter, visible, m_selected);
}

void GraphView::resizeEvent(QResizeEvent *)
{
    if (m_fits)
        fit();
}

void GraphView::wheelEvent(QWheelEvent *event)
{
    zoomAt(event->position(), std::pow(kStep, event->angleDelta().y() / 120.0));
    event->accept();
}

void GraphView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_pressed = m_last = event->position();
    m_isDragged = false;
}

void GraphView::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_pressed)
        return;
    m_isDragged =
        m_isDragged || (event->position() - *m_pressed).manhattanLength() >= QApplication::startDragDistance();
    if (!m_isDragged)
        return;
    setCursor(Qt::ClosedHandCursor);
    moveBy(event->position() - m_last);
    m_last = event->position();
}

void GraphView::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_pressed)
        return;
    m_pressed.reset();
    unsetCursor();
    if (m_isDragged)
        return;
    const CoroutineId coroutine = coroutineAt(event->position());
    if (coroutine != kNoCoroutine)
        Q_EMIT coroutineClicked(coroutine);
}

void GraphView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const CoroutineId coroutine = coroutineAt(event->position());
    if (event->button() == Qt::LeftButton && coroutine != kNoCoroutine)
        Q_EMIT coroutineActivated(coroutine);
}

void GraphView::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoomIn();
    case Qt::Key_Minus: return zoomOut();
    case Qt::Key_0: return fit();
    case Qt::Key_Left: return moveBy({kKeyPixels, 0});
    case Qt::Key_Right: return moveBy({-kKeyPixels, 0});
    case Qt::Key_Up: return moveBy({0, kKeyPixels});
    case Qt::Key_Down: return moveBy({0, -kKeyPixels});
    default: QWidget::keyPressEvent(event);
    }
}

bool GraphView::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const std::optional<std::size_t> node = nodeAt(help->pos());
    QStringList lines;
    if (node)
        for (const std::string &line : m_shown->labels[*node])
            lines << QString::fromStdString(line);
    QToolTip::showText(help->globalPos(), lines.isEmpty() ? QString() : format::verbatim(lines.join(u'\n')), this);
    return true;
}

}  // namespace ct
