// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which findings are worth a dump: a server in trouble has more of them than anybody reads, mostly at a few places.
// Pure.
#pragma once

#include "core/analysis/stuck.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ct {

class FindingBrake {
public:
    static constexpr std::uint32_t kMostDumps = 10;
    static constexpr std::uint64_t kUsualWindowNs = 60'000'000'000;

    /// `windowNs`: a place that was dumped so long ago, or less, is not dumped again.
    explicit FindingBrake(std::uint64_t windowNs) : m_windowNs(windowNs) {}

    /// Takes what is stuck at `now`, ns. True: there is news, and a dump is due. A coroutine is news once only: one
    /// that recovered and got stuck again is known.
    bool isDumpDue(const std::vector<StuckGroup> &stuck, std::uint64_t now);

    bool isSpent() const { return m_dumps >= kMostDumps; }
    /// Coroutines that no dump was made for, because their place had one, and
    std::uint64_t atDumpedPlaces() const { return m_atDumpedPlaces; }
    /// because there had been enough dumps.
    std::uint64_t beyondTheLast() const { return m_beyondTheLast; }

private:
    /// Where the target named no site, addresses tell places apart.
    using Place = std::pair<SiteId, std::uint64_t>;

    const std::uint64_t m_windowNs;
    std::set<CoroutineId> m_known;
    std::map<Place, std::uint64_t> m_dumpedAt;  ///< ns
    std::uint32_t m_dumps = 0;
    std::uint64_t m_atDumpedPlaces = 0;
    std::uint64_t m_beyondTheLast = 0;
};

}  // namespace ct
