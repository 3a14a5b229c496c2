// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of MainWindow for recordings: texts about their state, and replays.
#include "core/playback/replaygate.h"
#include "ui/actions.h"
#include "ui/capture.h"
#include "ui/docks/stuckdock.h"
#include "ui/format/followformat.h"
#include "ui/format/format.h"
#include "ui/mainwindow.h"
#include "ui/widgets/replaybar.h"
#include "ui/widgets/statusbar.h"

#include <ctime>

namespace ct {

void MainWindow::connectReplay()
{
    connect(m_actions->replay, &QAction::triggered, this, [this] {
        settleTarget(tr("A replay replaces this capture. Leave the target running, or terminate it?"), [this] {
            if (!m_capture->canReplay()) {
                showError(tr("Cannot replay"), tr("The recording of this run was deleted, or is incomplete."));
                m_actions->replay->setEnabled(false);
                return;
            }
            findOrigin();
            // The whole run is shown, so its start and end are known.
            m_replayBar->begin(m_origin, m_capture->population()->now());
            replay(0, true);
        });
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

/// Starts a replay from the beginning, without delays up to `through` (ns, the stream's time).
void MainWindow::replay(std::uint64_t through, bool playing)
{
    StartRequest request;
    request.what = ReplayRequest{m_capture->replayPath(), through, m_replayBar->speed(), playing};
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

/// Ends the replay and opens the whole recording.
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

/// Updates the text about the time of the judgement of lost wake-ups.
void MainWindow::showInstant()
{
    QString before;
    const std::optional<RecordingInfo::Judged> judged = m_capture->judged();
    const std::uint64_t now = m_capture->population() ? m_capture->population()->now() : 0;
    if (judged && judged->ts <= now && m_capture->state() == SessionState::Ended)
        before = tr("%1 when its end was decided, %2 earlier")
                     .arg(format::count(judged->stuck), format::duration(now - judged->ts));
    m_stuck->setInstant(instantText(), before);
}

/// The time of the judgement: "at the end of the run".
QString MainWindow::instantText() const
{
    const bool ended = m_capture->state() == SessionState::Ended;
    if (m_capture->isPaused())
        return tr("when the view was paused");
    if (m_capture->gate())
        return ended ? tr("at the end of the replay") : tr("at the moment that the replay shows");
    if (!m_capture->isFile())
        return !ended                                 ? tr("at present")
               : m_capture->session()->isPostMortem() ? tr("at the region's last event")
                                                      : tr("at the end of the run");
    if (!ended || m_capture->isCutShort())
        return tr("at the last event that was read");
    return m_capture->knowsDeaths() ? tr("at the end of the recording") : tr("at the recording's last event");
}

/// The state of a replay: "Replay, 2 ×".
QString MainWindow::replayText() const
{
    if (m_capture->state() == SessionState::Ended)
        return tr("Replay, at its end");
    if (!m_capture->gate()->isPlaying())
        return tr("Replay, paused");
    return tr("Replay, %1 ×").arg(m_capture->gate()->speed());
}

/// The state of a file: "Loading", "Recording", "Replay, 2 ×".
QString MainWindow::recordingText() const
{
    const bool ended = m_capture->state() == SessionState::Ended;
    if (m_capture->gate())
        return replayText();
    if (m_capture->isCutShort())
        return tr("Part of a recording");
    if (!m_capture->isFollowed())
        return ended ? tr("Recording") : tr("Loading");
    if (ended)
        return m_capture->endedInOrder() ? tr("Recording") : tr("Recording, not completed");
    return m_capture->isInput() ? tr("Receiving") : tr("Following");
}

void MainWindow::showBehind()
{
    format::Behind behind;
    if (m_capture->isFollowed() && m_capture->state() != SessionState::Ended) {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        behind = format::behind(m_capture->followFigures(), m_capture->population()->now(),
                                static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
                                    static_cast<std::uint64_t>(now.tv_nsec));
    }
    m_statusBar->showBehind(behind.text, behind.alert);
}

}  // namespace ct
