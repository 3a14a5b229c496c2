// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timelinetooltip.h"

#include "models/pausedintervals.h"
#include "ui/format/findingsformat.h"
#include "ui/format/format.h"
#include "ui/format/locationformat.h"
#include "ui/format/waitformat.h"
#include "ui/timeline/timelinepainter.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace ct {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("TimelineToolTip", text);
}

QString row(const QString &name, const QString &value)
{
    return QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>").arg(name, value);
}

/// Rows with the notes about the lasting suspension.
QString notesRows(const Population &population, const TimelineHit &hit)
{
    const CoroutineNotes notes = population.notes(hit.coroutine);
    QString rows;
    if (notes.waitsOn)
        rows += row(tr("waits on"), format::waitsOn(population, *notes.waitsOn, hit.now).toHtmlEscaped());
    if (notes.lastWake)
        rows += row(tr("last woken"), format::wake(population, *notes.lastWake, hit.now).toHtmlEscaped());
    return rows;
}

/// Rows with the causes of missing events.
QString missingRows(const MissingEvents &missing)
{
    QString rows;
    if (missing.missed > 0)
        rows += row(tr("missed"), tr("%1 from before the capture began").arg(format::events(missing.missed)));
    if (missing.unexplained > 0)
        rows += row(tr("not recorded"),
                    (missing.unexplained == 1 ? tr("%1 is not in the recording") : tr("%1 are not in the recording"))
                        .arg(format::events(missing.unexplained)));
    if (missing.lost > 0)
        rows += row(tr("lost"), (missing.lost == 1 ? tr("%1 was overwritten or dropped before it was captured")
                                                   : tr("%1 were overwritten or dropped before they were captured"))
                                    .arg(format::events(missing.lost)));
    return rows;
}

QString barRows(const TimelineBar &bar, const Population &population, const TimelineHit &hit)
{
    QString rows;
    const bool isWait = bar.kind == MarkKind::Suspended || bar.kind == MarkKind::Runnable;
    const bool suspension = isWait || bar.kind == MarkKind::Finished;
    if (suspension) {
        const AddressResolver::Query query{hit.coroutine, population.at(hit.coroutine).pid, bar.addr, bar.transitionTs,
                                           bar.ofPresentState};
        const QString details = format::locationDetails(shownLocation(population, hit.resolver, bar.site, query));
        if (!details.isEmpty())
            rows += row(tr("at"), details.toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>")));
    }
    const TimelineTime since = timelineTime(bar.from) - hit.origin;
    rows += row(tr("from"), timelinepainter::timeText(since, std::min<TimelineTime>(hit.step, 1'000'000)));
    const std::uint64_t lasted = bar.to - std::min(bar.from, bar.to);
    const QString duration = format::duration(lasted);
    rows += row(tr("for"), bar.open  ? tr("%1 so far").arg(duration)
                           : bar.cut ? tr("%1, until its process ended").arg(duration)
                                     : duration);
    if (bar.kind == MarkKind::Runnable)
        rows += row(tr("after"), tr("a suspension of %1").arg(format::duration(bar.from - bar.transitionTs)));
    if (bar.kind == MarkKind::Suspended) {
        const SiteStatistics completed = population.siteStatistics(bar.site);
        rows += row(tr("usually"), completed.completed != 0
                                       ? tr("up to %1 here (99 %)").arg(format::duration(completed.quantile(0.99)))
                                       : tr("unknown: no suspension here has ended yet"));
    }
    if (bar.kind == MarkKind::Gap)
        rows += missingRows(bar.missing);
    if (bar.tid != 0)
        rows +=
            row(tr("thread"), format::thread(&population, population.at(hit.coroutine).pid, bar.tid).toHtmlEscaped());
    if (bar.ofPresentState && isWait)
        rows += notesRows(population, hit);
    return rows;
}

QString barName(const TimelineBar &bar, const CoroutineSnapshot &coroutine, const Suspects *suspects)
{
    const bool isWait = bar.kind == MarkKind::Suspended || bar.kind == MarkKind::Runnable;
    if (isWait && (bar.open || bar.cut) && suspects)
        if (const Suspects::Suspect *suspect = suspects->find(coroutine))
            return format::suspicion(*suspect);
    if (bar.kind == MarkKind::Gap && bar.missing.lost == 0)
        return tr("Events missing");
    return markName(bar.kind);
}

}  // namespace

QString markName(MarkKind kind)
{
    switch (kind) {
    case MarkKind::Created: return tr("Born, no events yet");
    case MarkKind::Running: return tr("Running");
    case MarkKind::Suspended: return tr("Suspended");
    case MarkKind::Runnable: return tr("Runnable: woken, and not resumed yet");
    case MarkKind::Mixed: return tr("Running and suspended");
    case MarkKind::Stuck: return tr("Suspended, with a finding");
    case MarkKind::Finished: return tr("Finished, not destroyed");
    case MarkKind::Gap: return tr("Events lost");
    case MarkKind::Unknown: return tr("State unknown");
    case MarkKind::Evicted: return tr("No longer in memory");
    case MarkKind::Pending: return tr("Being read");
    }
    return {};
}

QString timelineToolTip(const Population &population, const History &history, const ProcessLives &lives,
                        const Suspects *suspects, const TimelineHit &hit)
{
    if (hit.coroutine >= population.size())
        return {};
    const CoroutineSnapshot snapshot = population.at(hit.coroutine);
    QString name = format::shortened(format::coroutineName(population, snapshot, hit.resolver));
    if (name.isEmpty())
        name = tr("coroutine");
    QString text = QStringLiteral("<b>%1</b> #%2").arg(name.toHtmlEscaped()).arg(hit.coroutine);
    const std::uint64_t from = static_cast<std::uint64_t>(std::max<TimelineTime>(0, hit.from));
    const std::uint64_t last = from + static_cast<std::uint64_t>(hit.step) - 1;
    // A pixel covers a time span: a birth or `now` inside it counts.
    const std::uint64_t moment = std::clamp(last, from, std::max(from, hit.now));
    const auto bar = barAt(population, history, hit.coroutine, moment, hit.now, lives);
    if (!bar) {
        const bool unborn = moment < snapshot.birthTs;
        const bool outlived = lives.hasEnded(snapshot);
        const QString what = unborn           ? tr("Not born yet")
                             : from > hit.now ? tr("Not yet")
                             : outlived       ? tr("Its process has ended")
                                              : tr("Destroyed");
        return text + QStringLiteral("<br>") + what;
    }
    std::vector<History::Column> columns(1);
    history.columns(hit.coroutine, from, static_cast<std::uint64_t>(hit.step), columns);
    if (isPausedAt(offIntervals(population.switches()), snapshot.pid, moment))
        text += QStringLiteral("<br>") + tr("Tracing was switched off: no events were published, and none were lost.");
    if (isPausedAt(stoppedIntervals(population.samples()), snapshot.pid, moment))
        text += QStringLiteral("<br>") + tr("The process was stopped, by a signal or a debugger: this is no wait.");
    if (columns[0].gap && bar->kind != MarkKind::Gap)
        text += QStringLiteral("<br>") + tr("Events are missing within this pixel: zoom in to see where.");
    if (columns[0].transitions > 1) {
        text += QStringLiteral("<br>") + tr("%1 transitions within this pixel of %2, %3 % running")
                                             .arg(format::count(columns[0].transitions))
                                             .arg(format::duration(static_cast<std::uint64_t>(hit.step)))
                                             .arg(qRound(columns[0].running * 100));
        text += QStringLiteral("<br>") + tr("the latest:");
    }
    return text + QStringLiteral("<br>%1<table>%2</table>")
                      .arg(barName(*bar, snapshot, suspects), barRows(*bar, population, hit));
}

}  // namespace ct
