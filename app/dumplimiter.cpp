// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dumplimiter.h"

namespace ct {

bool DumpLimiter::isDumpDue(const std::vector<StuckGroup> &stuck, std::uint64_t now)
{
    std::vector<SuspensionSite> news;
    std::uint64_t old = 0;
    for (const StuckGroup &group : stuck) {
        for (const StuckCoroutine &coroutine : group.coroutines) {
            if (!m_known.insert(coroutine.coroutine).second)
                continue;
            const SuspensionSite place{coroutine.site, coroutine.site == kUnknownSite ? coroutine.addr : 0};
            const auto dumped = m_dumpedAt.find(place);
            if (dumped != m_dumpedAt.end() && now < dumped->second + m_windowNs)
                ++old;
            else
                news.push_back(place);
        }
    }
    if (news.empty() || isSpent()) {
        m_atDumpedPlaces += old;
        m_beyondTheLast += news.size();
        return false;
    }
    ++m_dumps;
    for (const SuspensionSite &place : news)
        m_dumpedAt[place] = now;
    return true;
}

}  // namespace ct
