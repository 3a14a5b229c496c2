// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A chart of two columns of a query's result.
#pragma once

#include "core/query/tracequery.h"

#include <QPointF>
#include <QWidget>

#include <memory>

class QChart;
class QChartView;
class QComboBox;
class QLabel;
class QLineSeries;

namespace ct {

/// The points of two numeric columns, by x. Leaves out rows without a number in one of the columns.
QList<QPointF> chartPoints(const QueryRows &rows, std::size_t x, std::size_t y);
/// At most `most` of the points: of neighbouring ones, the lowest and the highest.
QList<QPointF> decimatedPoints(const QList<QPointF> &points, std::size_t most);

class QueryChart : public QWidget {
    Q_OBJECT
public:
    /// 10,000 points take about 12 ms to draw.
    static constexpr std::size_t kMostPoints = 10'000;

    explicit QueryChart(QWidget *parent = nullptr);
    /// nullptr = none. Selects the first two columns with numbers.
    void setRows(std::shared_ptr<const QueryRows> rows);

protected:
    void changeEvent(QEvent *event) override;

private:
    void draw();
    void arrangeAxes();
    void applyColors();
    void applyFont();

    std::shared_ptr<const QueryRows> m_rows;
    QChart *m_chart;
    QChartView *m_view;
    QComboBox *m_x;
    QComboBox *m_y;
    QLabel *m_note;
    QLineSeries *m_series;
};

}  // namespace ct
