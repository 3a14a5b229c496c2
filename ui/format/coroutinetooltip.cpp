// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/coroutinetooltip.h"

#include "core/analysis/processlives.h"
#include "ui/format/format.h"
#include "ui/format/locationformat.h"
#include "ui/format/waitformat.h"

#include <QCoreApplication>

namespace ct {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("CoroutineToolTip", text);
}

QString row(const QString &name, const QString &value)
{
    if (value.isEmpty())
        return {};
    return QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>")
        .arg(name, value.toHtmlEscaped());
}

QString stateText(const CoroutineSnapshot &coroutine, const Population &population, const ProcessLives &lives,
                  std::uint64_t now, AddressResolver *resolver)
{
    const std::uint64_t end = lives.nowOf(coroutine, now);
    const QString lasted = format::duration(end > coroutine.stateSince() ? end - coroutine.stateSince() : 0);
    QString text =
        QCoreApplication::translate("CoroutineToolTip", "%1 for %2").arg(format::stateName(coroutine.state), lasted);
    if (coroutine.state == CoroutineState::Running && coroutine.tid != 0)
        text += tr(" on thread %1").arg(format::thread(&population, coroutine.pid, coroutine.tid));
    else if (isSuspended(coroutine.state))
        text += tr(" at %1").arg(format::location(shownLocation(population, resolver, coroutine)));
    if (lives.hasEnded(coroutine))
        text += tr(", until its process ended");
    return text;
}

}  // namespace

QString processText(const Population &population, std::uint32_t pid)
{
    if (pid == 0)
        return {};
    std::string name;
    for (const ProcessSnapshot &process : population.processes())
        if (process.pid == pid)
            name = process.name;  // the latest process with this pid
    return format::process(name, pid);
}

QString coroutineToolTip(const Population &population, CoroutineId id, std::uint64_t now, AddressResolver *resolver)
{
    if (id >= population.size())
        return {};
    const CoroutineSnapshot coroutine = population.at(id);
    const CoroutineNotes notes = population.notes(id);
    const QString name = format::shortened(format::coroutineName(population, coroutine, resolver), 160);
    QString rows = row(tr("state"), stateText(coroutine, population, ProcessLives(population), now, resolver));
    rows += row(tr("waits on"), format::waits(population, population.waitsOf(id), now));
    if (notes.lastWake)
        rows += row(notes.woken ? tr("woken, not resumed") : tr("last woken"),
                    format::wake(population, *notes.lastWake, now));
    rows += row(tr("parent"), format::coroutineTitle(population, notes.parent));
    if (notes.children > 0)
        rows += row(tr("children"), format::count(notes.children));
    if (coroutine.birthTs != 0 && now > coroutine.birthTs)
        rows += row(tr("born"), tr("%1 ago").arg(format::duration(now - coroutine.birthTs)));
    if (coroutine.deathTs != 0 && now > coroutine.deathTs)
        rows += row(tr("destroyed"), tr("%1 ago").arg(format::duration(now - coroutine.deathTs)));
    rows += row(tr("process"), processText(population, coroutine.pid));
    rows += row(tr("probe id"), format::address(coroutine.probeId));
    return QStringLiteral("<b>%1</b> #%2<table>%3</table>")
        .arg(name.isEmpty() ? tr("coroutine") : name.toHtmlEscaped())
        .arg(id)
        .arg(rows);
}

}  // namespace ct
