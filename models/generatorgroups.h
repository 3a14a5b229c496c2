// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which coroutines are generators, and of which function. A program can have thousands of short-lived generators, so a
// table shows one row for all generators of a function.
#pragma once

#include "core/trace/population.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ct {

/// The sums of all coroutines of a group except the one with the row. Durations in ns, with present intervals.
struct GeneratorGroup {
    std::uint32_t others = 0;
    std::uint64_t events = 0;
    std::uint64_t lost = 0;
    std::uint64_t runNs = 0;
    std::uint64_t suspendedNs = 0;

    /// Counts one more coroutine of the group. `now` (ns) is its own: see ProcessLives::nowOf().
    void add(const CoroutineSnapshot &snapshot, std::uint64_t now);
    /// Returns `snapshot` with the figures of the whole group.
    CoroutineSnapshot sumWith(CoroutineSnapshot snapshot) const;
};

/// Groups by the coroutine that has the row: of each group, the one with the smallest id.
using GeneratorGroups = std::unordered_map<CoroutineId, GeneratorGroup>;

/// The functions that are generators, at the time of construction.
class GeneratorFunctions {
public:
    explicit GeneratorFunctions(const Population &population);
    /// A number > 0 for the generators of each function of a process; 0 for other coroutines.
    std::uint64_t groupOf(const CoroutineSnapshot &snapshot) const
    {
        const SiteId site = snapshot.bodySite != kUnknownSite ? snapshot.bodySite : snapshot.site;
        const std::uint64_t function = site < m_functions.size() ? m_functions[site] : 0;
        return function == 0 ? 0 : function << 32 | snapshot.pid;
    }

private:
    std::vector<std::uint32_t> m_functions;  ///< by site: the number of its function if that is a generator, else 0
};

}  // namespace ct
