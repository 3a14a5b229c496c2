// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/dumplimiter.h"

namespace ct {

bool DumpLimiter::isDumpDue(const std::vector<StuckGroup> &stuck, std::uint64_t now)
{
    std::vector<SuspensionSite> newSites;
    std::uint64_t old = 0;
    for (const StuckGroup &group : stuck) {
        for (const StuckCoroutine &coroutine : group.coroutines) {
            if (!m_known.insert(coroutine.coroutine).second)
                continue;
            const SuspensionSite site{coroutine.site, coroutine.site == kUnknownSite ? coroutine.addr : 0};
            const auto dumped = m_dumpedAt.find(site);
            if (dumped != m_dumpedAt.end() && now < dumped->second + m_windowNs)
                ++old;
            else
                newSites.push_back(site);
        }
    }
    if (newSites.empty() || isSpent()) {
        m_atDumpedSites += old;
        m_beyondTheLast += newSites.size();
        return false;
    }
    ++m_dumps;
    for (const SuspensionSite &site : newSites)
        m_dumpedAt[site] = now;
    return true;
}

}  // namespace ct
