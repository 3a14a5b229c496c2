// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The clock of a window: makes the views read the run some 30 times a second, and measures the rates. GUI thread.
#pragma once

#include "models/ratehistory.h"

#include <QObject>
#include <QTimer>

namespace ct {

class Run;

class Sampler final : public QObject {
    Q_OBJECT
public:
    explicit Sampler(QObject *parent = nullptr);

    /// Replaces the run; not paused. The caller owns it, and replaces it before it is destroyed.
    void setRun(const Run *run);
    const RateHistory &rates() const { return m_rates; }
    bool isPaused() const { return m_paused; }

public Q_SLOTS:
    /// While paused, the views stand still; capturing and accounting continue.
    void setPaused(bool paused);

Q_SIGNALS:
    void sampled();  ///< about 30 times a second, not while paused
    void ticked();   ///< about 30 times a second, also while paused
    void ratesChanged();
    void pausedChanged(bool paused);

private:
    void tick();

    const Run *m_run = nullptr;
    RateHistory m_rates;
    bool m_paused = false;
    QTimer m_timer;
};

}  // namespace ct
