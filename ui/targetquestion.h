// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks about a launched target that still runs, before its run is replaced or the window is closed. GUI thread.
#pragma once

#include <QObject>
#include <QPointer>

#include <cstdint>
#include <functional>

class QMessageBox;
class QWidget;

namespace ct {

class Run;

class TargetQuestion final : public QObject {
    Q_OBJECT
public:
    /// `window`: the parent of the question, and of this object.
    explicit TargetQuestion(QWidget *window);

    /// Replaces the run. Requests that concern the previous run are superseded: an open question is closed, and `next`
    /// is not called any more. The caller owns the run, and sets another one before it destroys this one.
    void setRun(Run *run);
    /// Calls `next` at once if no launched target runs. Else asks `question`: whether to leave the target running, or
    /// to terminate it. Then calls `next` after the answer, or after the end of the terminated target's run. Never
    /// calls it if the user cancels.
    void ask(const QString &question, std::function<void()> next);
    /// Call it when the run has ended. Queues the pending call of `next`, which may replace the run.
    void onRunEnded();

private:
    QWidget *m_window;
    Run *m_run = nullptr;
    std::uint64_t m_runNumber = 0;     ///< grows with each setRun()
    std::function<void()> m_afterEnd;  ///< waits for the end of the terminated target's run
    QPointer<QMessageBox> m_box;       ///< the open question
};

}  // namespace ct
