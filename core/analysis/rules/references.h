// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How long waits usually take: the completed waits at the same site, or in the same function where the site is not
// known, as in version-1 targets.
#pragma once

#include "core/analysis/facts.h"
#include "core/analysis/rules/functions.h"

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace ct::rules {

/// The references of one judgement, each copied at its first use.
class References {
public:
    explicit References(const Facts &facts) : m_facts(facts) {}

    /// A site, and else the number of the function that the frame gave. Both 0: neither is known, or too few waits of
    /// the function were completed. Then all waits without a site are the reference.
    using Key = std::pair<SiteId, std::uint32_t>;
    Key keyOf(const Waiting &waiting);
    const SiteStatistics &of(const Key &key);
    /// All waits of the function together, at whichever of its sites. `function`: by CoroutineFunctions.
    const SiteStatistics &ofWholeFunction(std::uint64_t function);
    /// True if there are enough completed waits to call another one late.
    bool isEnough(const SiteStatistics &completed) const;
    /// The duration (ns) from which a wait is late.
    std::uint64_t lateAfter(const SiteStatistics &completed) const;

private:
    const Facts &m_facts;
    std::map<Key, SiteStatistics> m_references;
    std::optional<std::unordered_map<std::uint32_t, SiteStatistics>> m_ofFunctions;
    std::optional<FunctionNumbers> m_numbers;
    std::map<std::uint64_t, SiteStatistics> m_ofWholeFunctions;
};

}  // namespace ct::rules
