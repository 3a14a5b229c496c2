// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How much of the target's processor time a capture costs, and its limit.
#pragma once

#include "core/session/overheadlimiter.h"
#include "core/stream/accounting.h"
#include "core/target/cputime.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <optional>
#include <vector>

namespace ct {

/// Lives on the main thread.
class ObserverEffect : public QObject {
    Q_OBJECT
public:
    /// `maxShare`: limit of the effect, 0 to 1; nullopt = none. `sums` and `processes` are called while it watches.
    ObserverEffect(std::optional<double> maxShare, std::function<Accounting()> sums,
                   std::function<std::vector<pid_t>()> processes, QObject *parent = nullptr);

    /// Adds a process that was started by this engine: all of its time counts.
    void addLaunched(pid_t pid) { m_cpuTime.add(pid, true); }
    /// Call now and then while the capture runs.
    void sample();
    /// The time of the launched process and its descendants, as the system reports it at the end, ns.
    void setFinalTime(std::uint64_t ns);
    void stop();
    /// Sets the figures of the effect.
    void addTo(Accounting &sums) const;

Q_SIGNALS:
    /// The limit requires that tracing goes off or on.
    void tracingWanted(bool on);
    /// Events arrive although tracing is off: an older probe ignores the limit. It is given up.
    void limitFailed();

private:
    void limit();
    bool isIgnored(std::uint64_t events, bool wasOn);

    const std::function<Accounting()> m_sums;
    const std::function<std::vector<pid_t>()> m_processes;
    const double m_eventNs;
    CpuTime m_cpuTime;
    std::uint64_t m_cpuNs = 0;
    std::optional<OverheadLimiter> m_limiter;
    std::uint64_t m_events = 0;       ///< at the latest check
    unsigned m_intervalsOff = 0;      ///< in a row
    unsigned m_intervalsIgnored = 0;  ///< in a row, with events although tracing was off
    QTimer m_timer;
};

}  // namespace ct
