// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Decides when tracing has to be off, so that it costs a target no more than a share of its processor time. Pure.
#pragma once

#include <cstdint>

namespace ct {

/// A credit in ns: it grows by the permitted share of the target's processor time, and each event uses it up. Without
/// credit, tracing goes off, until there is enough for kSliceNs of tracing at the latest rate. A token bucket.
class OverheadLimiter {
public:
    /// How often update() should be called, ns. Between two calls, events can use more than the credit. Then tracing
    /// stays off for longer.
    static constexpr std::uint64_t kIntervalNs = 50'000'000;
    static constexpr std::uint64_t kSliceNs = 100'000'000;

    /// `share`: 0 to 1. `eventNs`: cost of one event.
    OverheadLimiter(double share, double eventNs);

    /// `now`: ns. `cpuNs`, `events`: sums of the target so far. Returns true if tracing should be on. It is on while
    /// the target is idle.
    bool update(std::uint64_t now, std::uint64_t cpuNs, std::uint64_t events);
    bool isOn() const { return m_isOn; }
    /// How long tracing was off, ns, until the latest update.
    std::uint64_t offNs() const { return m_offNs; }

private:
    double m_share;
    double m_eventNs;
    double m_mostCredit;  ///< ns; from one second of processor time
    double m_credit;
    double m_spentPerNs = 0;  ///< while tracing was on last
    bool m_isOn = true;
    std::uint64_t m_now = 0;  ///< 0: before the first update
    std::uint64_t m_cpuNs = 0;
    std::uint64_t m_events = 0;
    std::uint64_t m_offNs = 0;
};

}  // namespace ct
