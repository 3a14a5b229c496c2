// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The recording that is open once more, as if live.
#include "core/session/replaygate.h"
#include "ui/actions.h"
#include "ui/capture.h"
#include "ui/mainwindow.h"
#include "ui/replaybar.h"

namespace ct {

void MainWindow::connectReplay()
{
    connect(m_actions->replay, &QAction::triggered, this, [this] {
        // What is shown as a whole says from when to when it lasts.
        m_replayBar->begin(m_origin, m_capture->population()->now());
        replay(0, true);
    });
    connect(m_actions->stop, &QAction::triggered, this,
            [this] { m_capture->gate() ? endReplay() : m_capture->stopCapture(); });
    connect(m_replayBar, &ReplayBar::playRequested, this, [this] {
        if (m_capture->state() == SessionState::Ended)
            replay(0, true);
        else
            changeReplay([](ReplayGate &gate) { gate.play(); });
    });
    connect(m_replayBar, &ReplayBar::pauseRequested, this,
            [this] { changeReplay([](ReplayGate &gate) { gate.pause(); }); });
    connect(m_replayBar, &ReplayBar::stepRequested, this,
            [this] { changeReplay([](ReplayGate &gate) { gate.step(); }); });
    connect(m_replayBar, &ReplayBar::speedChosen, this,
            [this](double speed) { changeReplay([speed](ReplayGate &gate) { gate.setSpeed(speed); }); });
    connect(m_replayBar, &ReplayBar::restartRequested, this,
            [this] { replay(0, !m_capture->gate() || m_capture->gate()->isPlaying()); });
    connect(m_replayBar, &ReplayBar::sought, this, &MainWindow::seekReplay);
    connect(m_replayBar, &ReplayBar::closeRequested, this, &MainWindow::endReplay);
}

/// From the beginning, up to `through` (ns, the stream's time) without waiting.
void MainWindow::replay(std::uint64_t through, bool playing)
{
    StartRequest request;
    request.what = ReplayRequest{m_capture->openedPath(), through, m_replayBar->speed(), playing};
    if (const Result<void> begun = begin(request); !begun)
        showError(tr("Cannot replay"), QString::fromStdString(begun.error().message));
}

void MainWindow::changeReplay(const std::function<void(ReplayGate &)> &change)
{
    if (ReplayGate *gate = m_capture->gate()) {
        change(*gate);
        onStateChanged();
        sampleReplay();
    }
}

void MainWindow::seekReplay(std::uint64_t ts)
{
    const ReplayGate *gate = m_capture->gate();
    if (!gate)
        return;
    if (m_capture->state() != SessionState::Ended && ts >= m_capture->population()->now())
        changeReplay([ts](ReplayGate &forward) { forward.runTo(ts); });
    else
        replay(ts, m_capture->state() != SessionState::Ended && gate->isPlaying());
}

/// Back to the whole.
void MainWindow::endReplay()
{
    if (m_capture->gate())
        openFile(QString::fromStdString(m_capture->openedPath()));
}

void MainWindow::sampleReplay()
{
    if (const ReplayGate *gate = m_capture->gate())
        m_replayBar->sample(m_capture->population()->now(), gate->isPlaying(),
                            m_capture->state() == SessionState::Ended);
    else if (!m_replayBar->isHidden())
        m_replayBar->end();
}

/// "Replay, 2 ×".
QString MainWindow::replayText() const
{
    if (m_capture->state() == SessionState::Ended)
        return tr("Replay, at its end");
    if (!m_capture->gate()->isPlaying())
        return tr("Replay, standing still");
    return tr("Replay, %1 ×").arg(m_capture->gate()->speed());
}

}  // namespace ct
