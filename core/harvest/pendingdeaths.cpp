// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/pendingdeaths.h"

#include <algorithm>

namespace ct {

const PendingDeath *PendingDeaths::findDeath(std::uint64_t identity)
{
    for (m_indexed = std::max(m_indexed, m_first); m_indexed < m_first + m_all.size(); ++m_indexed)
        m_index[m_all[m_indexed - m_first].identity] = m_indexed;
    const auto found = m_index.find(identity);
    return found != m_index.end() ? &m_all[found->second - m_first] : nullptr;
}

void PendingDeaths::emitPending(std::uint64_t ns, Batch &batch)
{
    for (; !m_all.empty() && m_all.front().due < ns; ++m_first) {
        batch.deaths.push_back(m_all.front().death);
        if (m_first < m_indexed)
            m_index.erase(m_all.front().identity);
        m_all.pop_front();
    }
}

}  // namespace ct
