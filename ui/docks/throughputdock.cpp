// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/throughputdock.h"

#include "ui/format/colors.h"
#include "ui/format/format.h"

#include <QChart>
#include <QChartView>
#include <QEvent>
#include <QGraphicsLayout>
#include <QLegend>
#include <QLineSeries>
#include <QValueAxis>

#include <algorithm>
#include <cmath>

namespace ct {

namespace {

/// Time spans of the chart. It shows the shortest one that contains all samples.
constexpr double kSpansSeconds[] = {20, 60, 120};

/// Returns the smallest 1, 2 or 5 times a power of ten that is at least `value`.
double roundUp(double value)
{
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (value <= factor * power)
            return factor * power;
    return 10 * power;
}

}  // namespace

ThroughputDock::ThroughputDock(QWidget *parent)
    : QDockWidget(tr("Throughput"), parent),
      m_chart(new QChart),
      m_view(new QChartView(m_chart)),
      m_events(new QLineSeries(m_chart)),
      m_lost(new QLineSeries(m_chart)),
      m_time(new QValueAxis(m_chart)),
      m_rate(new QValueAxis(m_chart))
{
    setObjectName(QStringLiteral("throughputDock"));
    m_view->setObjectName(QStringLiteral("throughputChart"));
    m_view->setAccessibleName(tr("Events and losses per second"));
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setRenderHint(QPainter::Antialiasing);
    m_events->setName(tr("Events/s"));
    m_lost->setName(tr("Lost/s"));
    m_chart->addSeries(m_events);
    m_chart->addSeries(m_lost);
    m_chart->setMargins(QMargins(4, 0, 8, 0));
    m_chart->layout()->setContentsMargins(0, 0, 0, 0);
    m_chart->setBackgroundRoundness(0);
    m_chart->legend()->setAlignment(Qt::AlignRight);
    m_chart->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
    setUpAxes();
    setWidget(m_view);
    applyLook();
}

void ThroughputDock::setUpAxes()
{
    m_time->setRange(-kSpansSeconds[0], 0);
    m_time->setTickCount(5);
    m_time->setLabelFormat(QStringLiteral("%d s"));
    m_rate->setRange(0, 10);
    m_rate->setTickCount(3);
    m_rate->setLabelFormat(QStringLiteral("%d"));
    m_chart->addAxis(m_time, Qt::AlignBottom);
    m_chart->addAxis(m_rate, Qt::AlignLeft);
    for (QLineSeries *series : {m_events, m_lost}) {
        series->attachAxis(m_time);
        series->attachAxis(m_rate);
    }
}

void ThroughputDock::clear()
{
    m_events->clear();
    m_lost->clear();
}

void ThroughputDock::show(const RateHistory &rates)
{
    if (!isVisible() || rates.samples().empty())
        return;
    QList<QPointF> events;
    QList<QPointF> lost;
    const std::uint64_t now = rates.samples().back().ts;
    double highest = 10;
    for (const RateSample &sample : rates.samples()) {
        const double at = -static_cast<double>(now - sample.ts) / 1e9;
        events.append({at, sample.eventsPerSecond});
        lost.append({at, sample.lostPerSecond});
        highest = std::max({highest, sample.eventsPerSecond, sample.lostPerSecond});
    }
    const double age = static_cast<double>(now - rates.samples().front().ts) / 1e9;
    const auto *span = std::find_if(std::begin(kSpansSeconds), std::end(kSpansSeconds) - 1,
                                    [age](double seconds) { return age <= seconds; });
    m_time->setRange(-*span, 0);
    // Use thousands or millions as units of the axis to keep its labels short.
    const double top = roundUp(highest);
    const double unit = top >= 1e6 ? 1e6 : top >= 1e4 ? 1e3 : 1;
    for (QList<QPointF> *points : {&events, &lost})
        for (QPointF &point : *points)
            point.ry() /= unit;
    m_rate->setLabelFormat(unit == 1e6   ? QStringLiteral("%g M/s")
                           : unit == 1e3 ? QStringLiteral("%g k/s")
                                         : QStringLiteral("%g/s"));
    m_rate->setRange(0, top / unit);
    m_events->replace(events);
    m_lost->replace(lost);
}

void ThroughputDock::applyLook()
{
    const Colors &colors = colorsFor(palette());
    m_chart->setBackgroundBrush(colors.background);
    m_view->setBackgroundBrush(colors.background);
    m_events->setPen(QPen(colors.accent, 1.6));
    m_lost->setPen(QPen(colors.gap, 1.6, Qt::DashLine));
    m_chart->legend()->setLabelColor(colors.text);
    for (QValueAxis *axis : {m_time, m_rate}) {
        axis->setLabelsColor(colors.textMuted);
        axis->setLabelsFont(font());
        axis->setLinePenColor(colors.grid);
        axis->setGridLineColor(colors.grid);
    }
}

void ThroughputDock::changeEvent(QEvent *event)
{
    QDockWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyLook();
}

}  // namespace ct
