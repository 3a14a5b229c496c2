// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/gauges.h"

#include "core/base/quantitytext.h"
#include "ui/format/colors.h"
#include "ui/format/format.h"

#include <QBoxLayout>
#include <QEvent>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>

#include <algorithm>

namespace ct {

namespace {

constexpr int kBarSteps = 1000;
constexpr int kBarWidth = 90;
constexpr int kBarHeight = 10;
constexpr double kNearlyFull = 0.9;

enum Columns { NameColumn, BarColumn, TextColumn };

double shareOf(std::uint64_t used, std::uint64_t all)
{
    return all == 0 ? 0 : std::min(1.0, static_cast<double>(used) / static_cast<double>(all));
}

QGridLayout *addGrid(QBoxLayout *layout)
{
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(2);
    layout->addLayout(grid);
    layout->setAlignment(grid, Qt::AlignTop | Qt::AlignLeft);
    return grid;
}

}  // namespace

Gauges::Gauges(QWidget *parent) : QWidget(parent), m_parts(new QBoxLayout(QBoxLayout::LeftToRight, this))
{
    setObjectName(QStringLiteral("gauges"));
    m_parts->setContentsMargins(8, 6, 8, 6);
    m_parts->setSpacing(24);
    makeAccount(addGrid(m_parts));
    makeMemory(addGrid(m_parts));
    m_parts->addStretch(1);
    showSums(Accounting());
}

void Gauges::setStacked(bool stacked)
{
    m_parts->setDirection(stacked ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_parts->setSpacing(stacked ? 10 : 24);
}

void Gauges::makeAccount(QGridLayout *grid)
{
    m_captured = addRow(grid, "gaugeCaptured", tr("Captured"), tr("Transitions that were captured"));
    m_lost = addRow(grid, "gaugeLost", tr("Lost"),
                    tr("Transitions that were dropped, or overwritten before they were "
                       "captured"));
    m_missed = addRow(grid, "gaugeMissed", tr("Missed before attach"),
                      tr("Transitions that happened before this capture began"));
    auto *line = new QFrame(this);
    line->setFrameShape(QFrame::HLine);
    line->setForegroundRole(QPalette::Mid);
    grid->addWidget(line, grid->rowCount(), NameColumn, 1, TextColumn + 1);
    m_total = addRow(grid, "gaugeTotal", tr("Events"),
                     tr("Every transition of every traced coroutine: captured, lost and missed ones"));
    m_untraced = addRow(grid, "gaugeUntraced", tr("Untraced coroutines"),
                        tr("Coroutines that are not traced, because no station was free. "
                           "Start with more stations (-n)."));
    m_whileOff = addRow(grid, "gaugeWhileOff", tr("Born while off"),
                        tr("Coroutines that were born while tracing was switched off are never traced."));
    m_early = addRow(grid, "gaugeEarly", tr("Born before InitTracer"),
                     tr("Coroutines that were born before InitTracer() are never traced."));
    m_traceless = addRow(grid, "gaugeTraceless", tr("Overwritten coroutines"),
                         tr("Coroutines of a flight recorder that were born and destroyed "
                            "before this capture began, and left no records. Their events are "
                            "counted as missed."));
    m_notesLost = addRow(grid, "gaugeNotesLost", tr("Notes lost"),
                         tr("Names, parents, wakes, waits and the like of coroutines that are not known (any more)"));
    m_overflowCoroutines = addRow(grid, "gaugeOverflow", tr("Overflow coroutines"),
                                  tr("Coroutines that memory had no room for. They are counted, but not "
                                     "shown."));
    m_overflowEvents = addRow(grid, "gaugeOverflowEvents", tr("Overflow events"),
                              tr("Captured transitions of overflow coroutines. They are "
                                 "counted, but not shown."));
    m_effect =
        addRow(grid, "gaugeEffect", tr("Observer effect"),
               tr("Estimate of what tracing costs the target: its events, times the measured time of one event, as "
                  "a share of its processor time"));
    m_limited = addRow(grid, "gaugeLimited", tr("Tracing limited"),
                       tr("How long tracing was off, so that it costs no more than --max-overhead"));
    for (const Row *row : {&m_effect, &m_limited, &m_captured, &m_lost, &m_missed, &m_total, &m_untraced, &m_whileOff,
                           &m_early, &m_traceless, &m_notesLost, &m_overflowCoroutines, &m_overflowEvents})
        row->text->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
}

void Gauges::makeMemory(QGridLayout *grid)
{
    m_stations = addRow(grid, "gaugeStations", tr("Stations"),
                        tr("Stations in the region used so far: one for each traced coroutine "
                           "that is alive, and free ones to be used again. The bar shows "
                           "their share of the largest possible number."));
    m_pool = addRow(grid, "gaugePool", tr("Lane memory"),
                    tr("The pool from which each thread gets a ring for its events, a lane. "
                       "When it is used up, further threads have no lane, and their events "
                       "are lost."));
    m_fullest = addRow(grid, "gaugeFullest", tr("Fullest lane"),
                       tr("How full the fullest lane was when it was last emptied. A full lane drops events."));
    for (Row *row : {&m_stations, &m_pool, &m_fullest})
        addBar(grid, *row);
    m_lanes = addRow(grid, "gaugeLanes", tr("Lanes"),
                     tr("Lanes of threads that are alive, or not yet read to the end; and all "
                        "lanes that were made"));
    m_without = addRow(grid, "gaugeWithout", tr("Without a lane"),
                       tr("Threads without a lane, because lane memory was used up; their "
                          "events are lost"));
    m_dropped = addRow(grid, "gaugeDropped", tr("Records dropped"),
                       tr("Records of any kind that a full lane refused, or that were written "
                          "only in part. Transitions among them are counted as lost events. "
                          "A larger lane refuses fewer records."));
    m_region = addRow(grid, "gaugeRegion", tr("Region"), tr("Memory that the shared region uses now"));
}

Gauges::Row Gauges::addRow(QGridLayout *grid, const char *objectName, const QString &name, const QString &toolTip)
{
    Row row;
    const int line = grid->rowCount();
    row.name = new QLabel(name, this);
    row.name->setForegroundRole(QPalette::PlaceholderText);
    row.text = new QLabel(this);
    row.text->setObjectName(QLatin1String(objectName));
    row.text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row.text->setAccessibleName(name);
    grid->addWidget(row.name, line, NameColumn);
    grid->addWidget(row.text, line, BarColumn, 1, 2);
    for (QLabel *label : {row.name, row.text}) {
        label->setToolTip(toolTip);
        label->setWhatsThis(toolTip);
    }
    return row;
}

void Gauges::addBar(QGridLayout *grid, Row &row)
{
    int line = 0;
    int column = 0;
    int rows = 0;
    int columns = 0;
    grid->getItemPosition(grid->indexOf(row.text), &line, &column, &rows, &columns);
    grid->removeWidget(row.text);
    grid->addWidget(row.text, line, TextColumn);
    row.bar = new QProgressBar(this);
    row.bar->setRange(0, kBarSteps);
    row.bar->setTextVisible(false);
    row.bar->setFixedSize(kBarWidth, kBarHeight);
    row.bar->setAccessibleName(row.name->text());
    row.bar->setToolTip(row.name->toolTip());
    grid->addWidget(row.bar, line, BarColumn);
}

void Gauges::setText(const Row &row, const QString &text, bool warn)
{
    const QString color = colorsFor(palette()).lossText.name();
    const QString shown = warn ? QStringLiteral("<b style=\"color:%1\">%2</b>").arg(color, text) : text;
    if (row.text->text() != shown)
        row.text->setText(shown);
}

void Gauges::setRare(const Row &row, std::uint64_t number, bool warn)
{
    setText(row, format::count(number), warn && number > 0);
    row.name->setVisible(number > 0);
    row.text->setVisible(number > 0);
}

/// Shows a row only if it has a text.
void Gauges::show(const Row &row, const QString &text)
{
    setText(row, text, false);
    row.name->setVisible(!text.isEmpty());
    row.text->setVisible(!text.isEmpty());
}

void Gauges::setBar(const Row &row, double share)
{
    // Any use is visible.
    row.bar->setValue(share > 0 ? std::max(kBarSteps / 50, static_cast<int>(share * kBarSteps)) : 0);
    row.bar->setAccessibleDescription(row.text->text());
    const Colors &colors = colorsFor(palette());
    const QColor color = share >= kNearlyFull ? colors.gap : colors.accent;
    if (row.bar->palette().color(QPalette::Highlight) == color)
        return;
    QPalette bar;  // all other colours follow the window
    bar.setColor(QPalette::Highlight, color);
    row.bar->setPalette(bar);
}

void Gauges::showSums(const Accounting &sums)
{
    m_sums = sums;
    setText(m_captured, format::count(sums.captured), false);
    setText(m_lost, format::count(sums.lost), sums.lost > 0);
    setText(m_missed, format::count(sums.missedBeforeAttach), false);
    setText(m_total,
            QStringLiteral("<b>%1</b>").arg(format::count(sums.captured + sums.lost + sums.missedBeforeAttach)), false);
    setText(m_untraced, format::count(sums.untraced), sums.untraced > 0);
    setRare(m_whileOff, sums.bornWhileOff, false);
    setRare(m_early, sums.bornBeforeInit, false);
    setRare(m_traceless, sums.coroutinesMissed, false);
    setRare(m_notesLost, sums.notesLost, true);
    setRare(m_overflowCoroutines, sums.overflowCoroutines, true);
    setRare(m_overflowEvents, sums.overflowEvents, true);
    showEffect();
    showMemory();
}

void Gauges::showEffect()
{
    const double effect = m_sums.observerEffect();
    show(m_effect, effect > 0 ? QString::fromStdString(percentText(effect)) : QString());
    show(m_limited, m_sums.limitedNs > 0 ? format::duration(m_sums.limitedNs) : QString());
    const QString figures =
        tr("%1 events of %2 ns, in %3 of processor time")
            .arg(format::count(m_sums.eventsWithCost()), QLocale::c().toString(m_sums.eventNs, 'f', 1),
                 format::duration(m_sums.targetCpuNs));
    m_effect.text->setToolTip(m_effect.name->toolTip() + QStringLiteral(": ") + figures);
}

void Gauges::showMemory()
{
    const Accounting &sums = m_sums;
    const bool lanes = sums.laneBytesMax > 0;
    const QString none = QChar(0x2013);
    setText(m_stations, sums.stationsMax == 0 ? none : format::stationCount(sums),
            sums.stationsAllocated > sums.stationsMax);
    setBar(m_stations, shareOf(sums.stationsAllocated, sums.stationsMax));
    setText(m_pool, lanes ? tr("%1 of %2").arg(format::bytes(sums.laneBytes), format::bytes(sums.laneBytesMax)) : none,
            false);
    setBar(m_pool, shareOf(sums.laneBytes, sums.laneBytesMax));
    setText(m_fullest, lanes ? tr("%1 %").arg(qRound(sums.laneFill * 100)) : none, sums.laneFill >= kNearlyFull);
    setBar(m_fullest, sums.laneFill);
    setText(m_lanes, lanes ? tr("%1 in use, %2 made").arg(sums.lanesInUse).arg(sums.lanes) : none, false);
    setRare(m_without, sums.threadsWithoutLane, true);
    setText(m_dropped, format::count(sums.recordsDropped), sums.recordsDropped > 0);
    const QString region = format::bytes(sums.regionBytes);
    setText(m_region, sums.growthStopped ? tr("%1; the file system is full").arg(region) : region, sums.growthStopped);
}

void Gauges::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_region.text)
        showSums(m_sums);
}

}  // namespace ct
