// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/statusbar.h"

#include "ui/format/colors.h"
#include "ui/format/format.h"

#include <QEvent>
#include <QLabel>

namespace ct {

StatusBar::StatusBar(QWidget *parent) : QStatusBar(parent), m_state(new QLabel(this))
{
    m_state->setObjectName(QStringLiteral("statusState"));
    m_state->setContentsMargins(6, 0, 12, 0);
    addWidget(m_state);
    m_behind =
        addField("statusBehind", tr("How far the views are behind. Of a target on a busy machine: the age of the "
                                    "oldest event that is not shown yet; no event is lost, and the views catch "
                                    "up. Of a stream: the bytes that were not read yet, and the time between "
                                    "the latest block and the view. A running sender sends data twice a "
                                    "second."));
    m_events = addField("statusEvents", tr("Transitions (suspensions and resumptions) captured"));
    m_rate = addField("statusRate", tr("Transitions captured per second"));
    m_lost = addField("statusLost", tr("Transitions that were dropped, or overwritten before "
                                       "they were captured. Captured, lost and missed "
                                       "transitions together are all that traced coroutines "
                                       "published."));
    m_missed = addField("statusMissed", tr("Transitions that happened before the capture began"));
    m_untraced = addField("statusUntraced", tr("Coroutines that are not traced, because no "
                                               "station was free. Start with more stations."));
    m_stations = addField("statusStations",
                          tr("Stations in the region that coroutines have used so far. A station is used again when "
                             "its coroutine has ended. The limit is shown when few stations are left; see the Capture "
                             "view."));
    m_full = addField("statusFull", tr("The file system of the region is full: stations and "
                                       "lanes cannot be added. Free some space there, or "
                                       "start with a smaller lane memory."));
    showState(QString());
    showBehind(QString());
    showSums({}, 0);
}

QLabel *StatusBar::addField(const char *objectName, const QString &toolTip)
{
    auto *label = new QLabel(this);
    label->setObjectName(QLatin1String(objectName));
    label->setToolTip(toolTip);
    label->setContentsMargins(6, 0, 6, 0);
    addPermanentWidget(label);
    return label;
}

void StatusBar::showState(const QString &text, bool alert)
{
    m_stateText = text;
    m_alert = alert;
    setField(m_state, text.isEmpty() ? format::runStateName(RunState::Idle) : text.toHtmlEscaped(), alert);
}

void StatusBar::showBehind(const QString &text, bool alert)
{
    m_behindText = text;
    m_behindAlert = alert;
    m_behind->setVisible(!text.isEmpty());
    setField(m_behind, text.toHtmlEscaped(), alert);
}

void StatusBar::setField(QLabel *label, const QString &text, bool warn)
{
    const QString shown =
        warn ? QStringLiteral("<b style=\"color:%1\">%2</b>").arg(colorsFor(palette()).lossText.name(), text) : text;
    if (label->text() != shown)
        label->setText(shown);
}

void StatusBar::showSums(const Accounting &sums, double eventsPerSecond)
{
    m_sums = sums;
    m_eventsPerSecond = eventsPerSecond;
    setField(m_events, format::events(sums.captured), false);
    setField(m_rate, format::rate(eventsPerSecond), false);
    setField(m_lost, tr("%1 lost").arg(format::count(sums.lost)), sums.lost > 0);
    m_missed->setVisible(sums.missedBeforeAttach > 0);
    setField(m_missed, tr("%1 missed before attach").arg(format::count(sums.missedBeforeAttach)), false);
    setField(m_untraced, tr("%1 untraced").arg(format::count(sums.untraced)), sums.untraced > 0);
    setField(m_stations,
             sums.stationsAllocated == 1 ? tr("1 station") : tr("%1 stations").arg(format::stationCount(sums)),
             sums.stationsAllocated > sums.stationsMax);
    m_stations->setVisible(sums.stationsMax > 0);
    m_full->setVisible(sums.growthStopped);
    setField(m_full, tr("region full"), true);
}

void StatusBar::changeEvent(QEvent *event)
{
    QStatusBar::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        showSums(m_sums, m_eventsPerSecond);
        showState(m_stateText, m_alert);
        showBehind(m_behindText, m_behindAlert);
    }
}

}  // namespace ct
