// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Operates replays: turns the buttons of the replay bar into changes of the gate, or into requests for another replay.
// GUI thread.
#pragma once

#include "core/session/startrequest.h"

#include <QObject>

#include <cstdint>
#include <functional>

namespace ct {

class ReplayBar;
class ReplayGate;
class Run;

class ReplayControl final : public QObject {
    Q_OBJECT
public:
    /// The bar must outlive this object.
    explicit ReplayControl(ReplayBar &bar, QObject *parent = nullptr);

    /// Replaces the run. The caller owns it, and replaces it before it is destroyed.
    void setRun(const Run *run) { m_run = run; }
    /// Requests a replay of the run, which must be able to replay. `first`: its origin, ns, the stream's time.
    void beginReplay(std::uint64_t first);
    /// Shows the present position, and hides the bar if the run is no replay.
    void sample();

Q_SIGNALS:
    void replayRequested(const ct::ReplayRequest &request);
    void closeRequested();  ///< the user wants the whole recording again
    void changed();         ///< the speed of the gate, or whether it plays

private:
    void replay(std::uint64_t through, bool playing);
    void change(const std::function<void(ReplayGate &)> &change);
    void play();
    void restart();
    void seek(std::uint64_t ts);

    ReplayBar &m_bar;
    const Run *m_run = nullptr;
};

}  // namespace ct
