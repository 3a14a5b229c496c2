// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/notices.h"

#include "core/session/run.h"
#include "ui/format/format.h"
#include "ui/widgets/infobar.h"

#include <utility>

namespace ct {

Notices::Notices(InfoBar &bar, QObject *parent) : QObject(parent), m_bar(bar) {}

void Notices::clear()
{
    m_notices.clear();
    m_overflow = {};
    m_reportedApproximate = false;
    m_reportedLacking = false;
    m_reportedNoSymbols = false;
    m_bar.hide();
}

void Notices::addNotice(const QString &notice)
{
    const QString shown = format::printableLines(notice);
    if (shown.isEmpty() || m_notices.contains(shown))
        return;
    m_notices << shown;
    m_bar.showText(m_notices.join(u'\n').toHtmlEscaped().replace(u'\n', QLatin1String("<br>")));
}

void Notices::replace(const QString &notice)
{
    m_notices.clear();
    addNotice(notice);
}

void Notices::sample(const Run &run, const Accounting &sums)
{
    // Each of these is reported once per run. addNotice() skips what it shows, but replace() clears its list.
    if (sums.timesApproximate && !std::exchange(m_reportedApproximate, true))
        addNotice(
            tr("The processor's counter jumped or ran backwards. Times near that moment are approximate; counts are "
               "exact. A target with the current probe switches to the system's clock, which costs more per event."));
    if (sums.eventsNotWritten != 0 && !std::exchange(m_reportedLacking, true))
        addNotice(tr("%1 of the %2 events of this run are not in the recording: they could not be written, for example "
                     "because the disk was full.")
                      .arg(format::count(sums.eventsNotWritten), format::count(sums.captured + sums.eventsNotWritten)));
    const Population &population = *run.population();
    for (const QString &notice :
         m_overflow.fresh(population.overflow(), population.overflowNames(), population.keptCount()))
        addNotice(notice);
    if (const std::string problem = run.resolver()->problem(); !m_reportedNoSymbols && !problem.empty()) {
        m_reportedNoSymbols = true;
        addNotice(tr("Some addresses have no function: %1.").arg(QString::fromStdString(problem)));
    }
}

}  // namespace ct
