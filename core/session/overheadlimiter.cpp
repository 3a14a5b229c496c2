// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/overheadlimiter.h"

#include <algorithm>

namespace ct {

namespace {

constexpr double kIdleShare = 0.01;  ///< of one processor

double grown(std::uint64_t &from, std::uint64_t to)
{
    const double growth = to > from ? static_cast<double>(to - from) : 0;
    from = std::max(from, to);
    return growth;
}

}  // namespace

OverheadLimiter::OverheadLimiter(double share, double eventNs)
    : m_share(share), m_eventNs(eventNs), m_mostCredit(share * 1e9), m_credit(m_mostCredit)
{
}

bool OverheadLimiter::update(std::uint64_t now, std::uint64_t cpuNs, std::uint64_t events)
{
    if (m_now == 0)
        m_now = now;
    const double passed = grown(m_now, now);
    const double used = grown(m_cpuNs, cpuNs);
    const double spent = grown(m_events, events) * m_eventNs;
    m_credit = std::min(m_credit + m_share * used, m_mostCredit) - spent;
    if (!m_isOn)
        m_offNs += static_cast<std::uint64_t>(passed);
    else if (passed > 0)
        m_spentPerNs = spent / passed;
    const double slice = std::min(m_spentPerNs * static_cast<double>(kSliceNs), m_mostCredit / 2);
    // An idle target has nothing to be slowed down, and should be seen when it continues.
    const bool isIdle = used < kIdleShare * passed;
    m_isOn = m_isOn ? m_credit >= 0 || isIdle : m_credit >= slice || isIdle;
    return m_isOn;
}

}  // namespace ct
