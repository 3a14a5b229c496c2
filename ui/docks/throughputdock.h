// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A chart of events and losses per second over the last two minutes.
#pragma once

#include "models/ratehistory.h"

#include <QDockWidget>

class QChart;
class QChartView;
class QLineSeries;
class QValueAxis;

namespace ct {

class ThroughputDock : public QDockWidget {
    Q_OBJECT
public:
    explicit ThroughputDock(QWidget *parent = nullptr);

    void clear();
    /// Redraws the chart. Call when `rates` has a new sample.
    void show(const RateHistory &rates);

protected:
    void changeEvent(QEvent *event) override;

private:
    void setUpAxes();
    void applyLook();

    QChart *m_chart;
    QChartView *m_view;
    QLineSeries *m_events;
    QLineSeries *m_lost;
    QValueAxis *m_time;
    QValueAxis *m_rate;
};

}  // namespace ct
