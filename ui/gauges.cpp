// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/gauges.h"

#include "ui/colors.h"
#include "ui/format.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>

#include <algorithm>

namespace ct {

namespace {

constexpr int kBarSteps = 1000;
constexpr int kBarWidth = 120;
constexpr int kBarHeight = 10;
constexpr double kNearlyFull = 0.9;

double shareOf(std::uint64_t used, std::uint64_t all)
{
    return all == 0 ? 0 : std::min(1.0, static_cast<double>(used) / static_cast<double>(all));
}

}  // namespace

Gauges::Gauges(QWidget *parent) : QWidget(parent), m_grid(new QGridLayout(this))
{
    setObjectName(QStringLiteral("gauges"));
    m_grid->setContentsMargins(8, 4, 8, 4);
    m_grid->setHorizontalSpacing(10);
    m_grid->setVerticalSpacing(2);
    m_grid->setColumnStretch(2, 1);
    m_account = addRow("gaugeAccount", tr("Events"), false,
                       tr("Every transition of a traced coroutine is in one of these sums."));
    m_untraced = addRow("gaugeUntraced", tr("Not traced"), false,
                        tr("Coroutines of which nothing is known: no slot was free, tracing was off when they were "
                           "born, or they were born before the probe was initialised."));
    m_stations = addRow("gaugeStations", tr("Coroutine slots"), true,
                        tr("Slots in the region used so far: one for each traced coroutine that is alive, and those "
                           "that wait to be used again"));
    m_pool = addRow("gaugePool", tr("Lane memory"), true,
                    tr("Of the pool from which each thread gets a ring for its events. When it is spent, further "
                       "threads have none, and their events are lost."));
    m_fullest = addRow("gaugeFullest", tr("Fullest lane"), true,
                       tr("How full the fullest ring was when it was last emptied. One that is full drops events."));
    m_lanes = addRow("gaugeLanes", tr("Lanes"), false, tr("Rings of threads that live or are not yet read to the end"));
    m_dropped = addRow("gaugeDropped", tr("Records dropped"), false,
                       tr("Records of any kind that found no room. Transitions among them are among the lost "
                          "events; a larger lane helps."));
    m_region = addRow("gaugeRegion", tr("Region"), false, tr("Memory that the shared region takes at present"));
    m_grid->setRowStretch(m_grid->rowCount(), 1);
    showSums(Accounting());
}

Gauges::Row Gauges::addRow(const char *objectName, const QString &name, bool withBar, const QString &toolTip)
{
    Row row;
    const int line = m_grid->rowCount();
    row.name = new QLabel(name, this);
    row.name->setForegroundRole(QPalette::PlaceholderText);
    row.text = new QLabel(this);
    row.text->setObjectName(QLatin1String(objectName));
    row.text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row.text->setAccessibleName(name);
    row.text->setWordWrap(true);
    m_grid->addWidget(row.name, line, 0, Qt::AlignTop);
    if (withBar) {
        row.bar = new QProgressBar(this);
        row.bar->setRange(0, kBarSteps);
        row.bar->setTextVisible(false);
        row.bar->setFixedSize(kBarWidth, kBarHeight);
        row.bar->setAccessibleName(name);
        row.bar->setToolTip(toolTip);
        m_grid->addWidget(row.bar, line, 1);
    }
    m_grid->addWidget(row.text, line, withBar ? 2 : 1, 1, withBar ? 1 : 2);
    for (QWidget *widget : {static_cast<QWidget *>(row.name), static_cast<QWidget *>(row.text)}) {
        widget->setToolTip(toolTip);
        widget->setWhatsThis(toolTip);
    }
    return row;
}

void Gauges::setRow(const Row &row, const QString &text, double share, bool warn)
{
    const Colors &colors = colorsFor(palette());
    const QString shown =
        warn ? QStringLiteral("<b style=\"color:%1\">%2</b>").arg(colors.lossText.name(), text) : text;
    if (row.text->text() != shown)
        row.text->setText(shown);
    if (!row.bar)
        return;
    // What is used at all is seen.
    row.bar->setValue(share > 0 ? std::max(kBarSteps / 50, static_cast<int>(share * kBarSteps)) : 0);
    row.bar->setAccessibleDescription(text);
    const QColor color = share >= kNearlyFull ? colors.gap : colors.accent;
    if (row.bar->palette().color(QPalette::Highlight) == color)
        return;
    QPalette bar = palette();
    bar.setColor(QPalette::Highlight, color);
    row.bar->setPalette(bar);
}

void Gauges::showSums(const Accounting &sums)
{
    m_sums = sums;
    const Colors &colors = colorsFor(palette());
    QString lost = tr("%1 lost").arg(format::count(sums.lost));
    if (sums.lost > 0)
        lost = QStringLiteral("<b style=\"color:%1\">%2</b>").arg(colors.lossText.name(), lost);
    setWords(m_account,
             tr("%1 captured + %2 + %3 missed before attach = <b>%4</b>")
                 .arg(format::count(sums.captured), lost, format::count(sums.missedBeforeAttach),
                      format::count(sums.captured + sums.lost + sums.missedBeforeAttach)),
             false);
    const double slots = shareOf(sums.stationsAllocated, sums.stationsMax);
    setRow(m_stations,
           sums.stationsMax == 0
               ? tr("none")
               : tr("%1 of %2").arg(format::count(sums.stationsAllocated), format::count(sums.stationsMax)),
           slots, sums.stationsAllocated > sums.stationsMax);
    showUntraced();
    showLanes();
    QString region = format::bytes(sums.regionBytes);
    if (sums.growthStopped)
        region += tr(", and the file system is full: nothing can be added");
    setWords(m_region, region, sums.growthStopped);
}

void Gauges::showUntraced()
{
    QStringList reasons;
    if (m_sums.untraced > 0)
        reasons << tr("%1 without a slot").arg(format::count(m_sums.untraced));
    if (m_sums.bornWhileOff > 0)
        reasons << tr("%1 born while tracing was off").arg(format::count(m_sums.bornWhileOff));
    if (m_sums.bornBeforeInit > 0)
        reasons << tr("%1 born before the probe was ready").arg(format::count(m_sums.bornBeforeInit));
    setWords(m_untraced, reasons.isEmpty() ? tr("no coroutine") : reasons.join(QStringLiteral(", ")),
             m_sums.untraced > 0);
}

void Gauges::showLanes()
{
    const bool lanes = m_sums.laneBytesMax > 0;
    setRow(m_pool,
           lanes ? tr("%1 of %2").arg(format::bytes(m_sums.laneBytes), format::bytes(m_sums.laneBytesMax)) : tr("none"),
           shareOf(m_sums.laneBytes, m_sums.laneBytesMax), false);
    setRow(m_fullest, lanes ? tr("%1 %").arg(qRound(m_sums.laneFill * 100)) : QString(QChar(0x2013)), m_sums.laneFill,
           m_sums.laneFill >= kNearlyFull);
    QString text = lanes ? tr("%1 in use, %2 made").arg(m_sums.lanesInUse).arg(m_sums.lanes)
                         : tr("none: events come through the slots, where a fast target overwrites them");
    if (m_sums.threadsWithoutLane > 0)
        text += tr("; %1 threads got none").arg(m_sums.threadsWithoutLane);
    setWords(m_lanes, text, m_sums.threadsWithoutLane > 0);
    setWords(m_dropped, format::count(m_sums.recordsDropped), m_sums.recordsDropped > 0);
}

void Gauges::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_region.text)
        showSums(m_sums);
}

}  // namespace ct
