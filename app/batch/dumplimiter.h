// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Decides which findings are worth a dump: a server in trouble has more than anyone reads, mostly at few sites.
// Pure.
#pragma once

#include "core/analysis/stuck.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ct {

class DumpLimiter {
public:
    static constexpr std::uint32_t kMostDumps = 10;
    static constexpr std::uint64_t kUsualWindowNs = 60'000'000'000;

    /// `windowNs`: a site is not dumped again within this time.
    explicit DumpLimiter(std::uint64_t windowNs) : m_windowNs(windowNs) {}

    /// `stuck`: the coroutines that are stuck at `now`, ns. Returns true if a new one makes a dump due. A coroutine is
    /// new only once, even if it recovers and gets stuck again.
    bool isDumpDue(const std::vector<StuckGroup> &stuck, std::uint64_t now);

    bool isSpent() const { return m_dumps >= kMostDumps; }
    /// Coroutines without a dump because their site had one.
    std::uint64_t atDumpedSites() const { return m_atDumpedSites; }
    /// Coroutines without a dump because there were kMostDumps dumps.
    std::uint64_t beyondTheLast() const { return m_beyondTheLast; }

private:
    /// A site, or an address if the target named no site.
    using SuspensionSite = std::pair<SiteId, std::uint64_t>;

    const std::uint64_t m_windowNs;
    std::set<CoroutineId> m_known;
    std::map<SuspensionSite, std::uint64_t> m_dumpedAt;  ///< time of the latest dump, ns
    std::uint32_t m_dumps = 0;
    std::uint64_t m_atDumpedSites = 0;
    std::uint64_t m_beyondTheLast = 0;
};

}  // namespace ct
