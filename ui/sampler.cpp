// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sampler.h"

#include "core/base/monotonic.h"
#include "core/session/run.h"

namespace ct {

namespace {

constexpr int kSampleIntervalMs = 33;

}  // namespace

Sampler::Sampler(QObject *parent) : QObject(parent)
{
    m_timer.setInterval(kSampleIntervalMs);
    connect(&m_timer, &QTimer::timeout, this, &Sampler::tick);
}

void Sampler::setRun(const Run *run)
{
    m_run = run;
    m_rates.clear();
    setPaused(false);
    m_timer.start();
}

void Sampler::setPaused(bool paused)
{
    if (paused == m_paused)
        return;
    m_paused = paused;
    Q_EMIT pausedChanged(paused);
}

void Sampler::tick()
{
    const Accounting sums = m_run->accounting();
    // The stream's time, independent of the speed of reading or decoding.
    const std::uint64_t now = m_run->population()->now();
    if (now != 0 && m_rates.addSample(now, sums.captured, sums.lost, m_run->population()->alive()))
        Q_EMIT ratesChanged();
    if (!m_paused)
        Q_EMIT sampled();
    Q_EMIT ticked();
}

}  // namespace ct
