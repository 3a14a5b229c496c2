// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/pendingdeaths.h"

#include <algorithm>

namespace ct {

namespace {

std::size_t emittedIndexOf(std::uint64_t identity)
{
    constexpr unsigned kBits = 16;
    static_assert(PendingDeaths::kMostEmitted == std::size_t{1} << kBits);
    return static_cast<std::size_t>(identity * 0x9E37'79B9'7F4A'7C15U >> (64 - kBits));
}

}  // namespace

const PendingDeath *PendingDeaths::findDeath(std::uint64_t identity)
{
    for (m_indexed = std::max(m_indexed, m_first); m_indexed < m_first + m_all.size(); ++m_indexed)
        m_index[m_all[m_indexed - m_first].identity] = m_indexed;
    const auto found = m_index.find(identity);
    return found != m_index.end() ? &m_all[found->second - m_first] : nullptr;
}

void PendingDeaths::emitPending(std::uint64_t ns, Batch &batch)
{
    if (m_emitted.empty() && !m_all.empty())
        m_emitted.resize(kMostEmitted);
    for (; !m_all.empty() && m_all.front().due < ns; ++m_first) {
        const PendingDeath &pending = m_all.front();
        batch.deaths.push_back(pending.death);
        m_emitted[emittedIndexOf(pending.identity)] = {pending.identity, pending.next, pending.death.coroutine};
        if (m_first < m_indexed)
            m_index.erase(pending.identity);
        m_all.pop_front();
    }
}

const EmittedDeath *PendingDeaths::findEmitted(std::uint64_t identity) const
{
    if (m_emitted.empty())
        return nullptr;
    const EmittedDeath &found = m_emitted[emittedIndexOf(identity)];
    return found.coroutine != kNoCoroutine && found.identity == identity ? &found : nullptr;
}

}  // namespace ct
