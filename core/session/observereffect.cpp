// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/observereffect.h"

#include "core/base/monotonic.h"
#include "core/harvest/eventcost.h"

#include <algorithm>
#include <utility>

namespace ct {

ObserverEffect::ObserverEffect(std::optional<double> maxShare, std::function<Accounting()> sums,
                               std::function<std::vector<pid_t>()> processes, QObject *parent)
    : QObject(parent), m_sums(std::move(sums)), m_processes(std::move(processes)), m_eventNs(measureEventNs())
{
    if (!maxShare)
        return;
    m_limiter.emplace(*maxShare, m_eventNs);
    connect(&m_timer, &QTimer::timeout, this, &ObserverEffect::limit);
    m_timer.start(static_cast<int>(OverheadLimiter::kIntervalNs / 1'000'000));
}

void ObserverEffect::sample()
{
    for (const pid_t pid : m_processes())
        m_cpuTime.add(pid, false);
    m_cpuNs = std::max(m_cpuNs, m_cpuTime.sample());
}

void ObserverEffect::setFinalTime(std::uint64_t ns)
{
    m_cpuNs = std::max(m_cpuNs, ns);
}

void ObserverEffect::stop()
{
    m_timer.stop();
}

void ObserverEffect::limit()
{
    sample();
    const Accounting sums = m_sums();
    const bool wasOn = m_limiter->isOn();
    // Events that are collected but not decoded count, too: otherwise a backlog would hide them.
    const std::uint64_t events = sums.captured + sums.lost + sums.recordsBehind;
    if (isIgnored(events, wasOn)) {
        stop();
        m_limiter.reset();
        Q_EMIT tracingWanted(true);
        Q_EMIT limitFailed();
        return;
    }
    if (const bool isOn = m_limiter->update(monotonicNow(), m_cpuNs, events); isOn != wasOn)
        Q_EMIT tracingWanted(isOn);
}

/// Each thread reacts at its next event, and waiting records may be counted only now. So the first intervals do not
/// count, and a few events are no proof.
bool ObserverEffect::isIgnored(std::uint64_t events, bool wasOn)
{
    constexpr unsigned kReaction = 4;
    constexpr unsigned kProof = 10;
    constexpr std::uint64_t kFew = 1000;
    const std::uint64_t growth = events > m_events ? events - m_events : 0;
    m_events = std::max(m_events, events);
    m_intervalsOff = wasOn ? 0 : m_intervalsOff + 1;
    m_intervalsIgnored = m_intervalsOff > kReaction && growth > kFew ? m_intervalsIgnored + 1 : 0;
    return m_intervalsIgnored == kProof;
}

void ObserverEffect::addTo(Accounting &sums) const
{
    sums.eventNs = m_eventNs;
    sums.targetCpuNs = m_cpuNs;
    sums.limitedNs = m_limiter ? m_limiter->offNs() : 0;
}

}  // namespace ct
