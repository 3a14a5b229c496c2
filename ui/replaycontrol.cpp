// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replaycontrol.h"

#include "core/playback/replaygate.h"
#include "core/session/run.h"
#include "ui/widgets/replaybar.h"

namespace ct {

ReplayControl::ReplayControl(ReplayBar &bar, QObject *parent) : QObject(parent), m_bar(bar)
{
    connect(&bar, &ReplayBar::playRequested, this, &ReplayControl::play);
    connect(&bar, &ReplayBar::pauseRequested, this, [this] { change([](ReplayGate &gate) { gate.pause(); }); });
    connect(&bar, &ReplayBar::stepRequested, this, [this] { change([](ReplayGate &gate) { gate.step(); }); });
    connect(&bar, &ReplayBar::speedChosen, this,
            [this](double speed) { change([speed](ReplayGate &gate) { gate.setSpeed(speed); }); });
    connect(&bar, &ReplayBar::restartRequested, this, &ReplayControl::restart);
    connect(&bar, &ReplayBar::seekRequested, this, &ReplayControl::seek);
    connect(&bar, &ReplayBar::closeRequested, this, &ReplayControl::closeRequested);
}

void ReplayControl::beginReplay(std::uint64_t first)
{
    m_bar.showReplay(first, m_run->population()->now());
    replay(0, true);
}

/// Requests a replay from the beginning, without delays up to `through` (ns, the stream's time).
void ReplayControl::replay(std::uint64_t through, bool playing)
{
    Q_EMIT replayRequested({m_run->replayPath(), through, m_bar.speed(), playing});
}

void ReplayControl::change(const std::function<void(ReplayGate &)> &change)
{
    if (ReplayGate *gate = m_run->gate()) {
        change(*gate);
        Q_EMIT changed();
        sample();
    }
}

void ReplayControl::play()
{
    if (m_run->state() == RunState::Ended)
        replay(0, true);
    else
        change([](ReplayGate &gate) { gate.play(); });
}

void ReplayControl::restart()
{
    replay(0, !m_run->isReplay() || m_run->gate()->isPlaying());
}

void ReplayControl::seek(std::uint64_t ts)
{
    const ReplayGate *gate = m_run->gate();
    if (!gate)
        return;
    const bool ended = m_run->state() == RunState::Ended;
    if (!ended && ts >= m_run->population()->now())
        change([ts](ReplayGate &forward) { forward.runTo(ts); });
    else
        replay(ts, !ended && gate->isPlaying());
}

void ReplayControl::sample()
{
    if (const ReplayGate *gate = m_run->gate())
        m_bar.sample(m_run->population()->now(), gate->isPlaying(), m_run->state() == RunState::Ended);
    else if (!m_bar.isHidden())
        m_bar.hideBar();
}

}  // namespace ct
