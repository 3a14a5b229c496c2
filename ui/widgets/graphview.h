// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Draws a wait-for graph. The wheel zooms, dragging moves the picture, a click selects a node.
#pragma once

#include "models/waitgraphmodel.h"

#include <QWidget>

#include <memory>
#include <optional>

namespace ct {

class GraphView : public QWidget {
    Q_OBJECT
public:
    explicit GraphView(QWidget *parent = nullptr);

    /// Shows a graph with a layout of it. The view stays where it is unless the user has not moved it yet. Null shows
    /// nothing.
    void setGraph(std::shared_ptr<const ShownGraph> shown, const GraphLayout &layout);
    /// Marks the node of a coroutine. Brings it into view.
    void select(CoroutineId coroutine);
    const GraphLayout &graphLayout() const { return m_layout; }
    double scale() const { return m_scale; }
    /// Where a node is drawn, in pixels of the widget.
    QRectF boxOf(std::size_t node) const;

public Q_SLOTS:
    void zoomIn();
    void zoomOut();
    void fit();  ///< shows the whole graph, at most in its natural size

Q_SIGNALS:
    void coroutineClicked(ct::CoroutineId coroutine);
    void coroutineActivated(ct::CoroutineId coroutine);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    void zoomAt(const QPointF &position, double factor);
    void moveBy(const QPointF &pixels);
    QPointF toScene(const QPointF &position) const { return (position - m_offset) / m_scale; }
    std::optional<std::size_t> nodeAt(const QPointF &position) const;
    CoroutineId coroutineAt(const QPointF &position) const;

    std::shared_ptr<const ShownGraph> m_shown;
    GraphLayout m_layout;
    double m_scale = 1;
    QPointF m_offset;
    bool m_fits = true;  ///< until the user zooms or moves
    CoroutineId m_selected = kNoCoroutine;
    std::optional<QPointF> m_pressed;  ///< where the left button was pressed
    QPointF m_last;
    bool m_isDragged = false;
};

}  // namespace ct
