// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/targetreporter.h"

#include "app/batch/console.h"
#include "core/target/tracinginstructions.h"

#include <QFile>

namespace ct {

namespace {

/// Returns "4711 (server)", or "4711" if the process has ended already.
QString nameOf(int pid)
{
    QFile file(QStringLiteral("/proc/%1/comm").arg(pid));
    const QString name = file.open(QIODevice::ReadOnly) ? QString::fromLocal8Bit(file.readAll()).trimmed() : QString();
    return name.isEmpty() ? QString::number(pid) : QStringLiteral("%1 (%2)").arg(QString::number(pid), name);
}

}  // namespace

TargetReporter::TargetReporter(Session &session, Console &console, QObject *parent)
    : QObject(parent), m_session(session), m_console(console)
{
    connect(&session, &Session::targetDiscovered, this, &TargetReporter::reportSeen);
    connect(&session, &Session::targetEnded, this, &TargetReporter::reportGone);
}

void TargetReporter::addBlock(const QString &title, const QString &lines)
{
    m_console.print(title);
    for (const QString &line : lines.split(u'\n', Qt::SkipEmptyParts))
        m_console.printContinuation(line);
}

void TargetReporter::printInstructions()
{
    const TracedEnvironment environment{m_session.regionPath(), m_session.socketPath(), m_session.stations()};
    addBlock(tr("waiting for a target; in a shell, start it with"), Instructions::shellLine(environment));
    addBlock(tr("as a systemd service (systemctl edit)"), Instructions::systemdUnit(environment));
    addBlock(tr("in a container"), Instructions::containerLine(environment));
}

void TargetReporter::reportSeen(int pid)
{
    if (m_reported == kMostReported)
        m_console.print(tr("further targets are not listed"));
    if (m_reported++ >= kMostReported)
        return;
    m_names.insert(pid, nameOf(pid));
    m_console.print(tr("target %1 uses the region").arg(m_names.value(pid)));
}

void TargetReporter::reportGone(int pid)
{
    const QString name = m_names.take(pid);
    if (name.isEmpty())
        return;
    const std::size_t left = m_session.targetPids().size();
    m_console.print(left == 0 ? tr("target %1 no longer uses the region; none is left").arg(name)
                              : tr("target %1 no longer uses the region; %2 left").arg(name, QString::number(left)));
}

}  // namespace ct
