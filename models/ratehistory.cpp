// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ratehistory.h"

namespace ct {

bool RateHistory::addSample(std::uint64_t now, std::uint64_t captured, std::uint64_t lost, std::uint64_t alive)
{
    if (m_begun && (now < m_ts || captured < m_captured || lost < m_lost))
        clear();
    const bool first = !m_begun;
    if (!first && now - m_ts < kIntervalNs)
        return false;
    if (!first) {
        const double seconds = static_cast<double>(now - m_ts) / 1e9;
        m_samples.push_back({now, static_cast<double>(captured - m_captured) / seconds,
                             static_cast<double>(lost - m_lost) / seconds, alive});
        while (now - m_samples.front().ts > kSpanNs)
            m_samples.pop_front();
    }
    m_begun = true;
    m_ts = now;
    m_captured = captured;
    m_lost = lost;
    return !first;
}

}  // namespace ct
