// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/targetquestion.h"

#include "core/session/run.h"
#include "ui/dialogs/messageboxes.h"

#include <QMessageBox>
#include <QWidget>

#include <utility>

namespace ct {

TargetQuestion::TargetQuestion(QWidget *window) : QObject(window), m_window(window) {}

void TargetQuestion::setRun(Run *run)
{
    m_run = run;
    ++m_runNumber;
    if (m_box)
        m_box->close();
}

void TargetQuestion::ask(const QString &question, std::function<void()> next)
{
    if (!m_run->targetRuns()) {
        next();
        return;
    }
    // A queued call may come when another run has replaced this one.
    const std::function<void()> request = [this, number = m_runNumber, next = std::move(next)] {
        if (number == m_runNumber)
            next();
    };
    const auto terminate = [this, request] {
        if (!m_run->targetRuns()) {
            request();  // the target has exited while the question was open
            return;
        }
        m_afterEnd = request;
        m_run->terminateTarget();
    };
    m_box = askAboutTarget(m_window, m_run->name(), question, request, terminate);
}

void TargetQuestion::onRunEnded()
{
    if (m_afterEnd)
        QMetaObject::invokeMethod(this, std::exchange(m_afterEnd, nullptr), Qt::QueuedConnection);
}

}  // namespace ct
