// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/rules/references.h"

#include <algorithm>
#include <limits>

namespace ct::rules {

References::Key References::keyOf(const Waiting &waiting)
{
    const Key key{waiting.site, waiting.site == kUnknownSite ? m_facts.functions().of(waiting.coroutine) : 0};
    return key.second == 0 || isEnough(of(key)) ? key : Key{kUnknownSite, 0};
}

const SiteStatistics &References::of(const Key &key)
{
    const auto found = m_references.find(key);
    if (found != m_references.end())
        return found->second;
    const auto &[site, function] = key;
    if (function == 0)
        return m_references.emplace(key, m_facts.population().siteStatistics(site)).first->second;
    if (!m_ofFunctions)
        m_ofFunctions = m_facts.functionWaits().statistics();
    return m_references.emplace(key, (*m_ofFunctions)[function]).first->second;
}

const SiteStatistics &References::ofWholeFunction(std::uint64_t function)
{
    if (const auto ofFrame = static_cast<std::uint32_t>(function >> 32); ofFrame != 0)
        return of({kUnknownSite, ofFrame});
    const auto [found, isNew] = m_ofWholeFunctions.try_emplace(function);
    SiteStatistics &whole = found->second;
    if (!m_numbers)
        m_numbers.emplace(m_facts.population());
    const SiteId sites = m_facts.population().siteCount();
    for (SiteId site = 1; isNew && site <= sites; ++site) {
        if (m_numbers->of(site) != function)
            continue;
        const SiteStatistics &one = of({site, 0});
        whole.completed += one.completed;
        whole.maxNs = std::max(whole.maxNs, one.maxNs);
        whole.ofSeveral = whole.ofSeveral || one.ofSeveral;
    }
    return whole;
}

bool References::isEnough(const SiteStatistics &completed) const
{
    return completed.completed >= m_facts.thresholds().completedWaits && completed.ofSeveral;
}

std::uint64_t References::lateAfter(const SiteStatistics &completed) const
{
    const Thresholds &limits = m_facts.thresholds();
    const double late = static_cast<double>(completed.maxNs) * limits.lateFactor;
    constexpr auto kMost = static_cast<double>(std::numeric_limits<std::uint64_t>::max() / 2);
    return std::max(limits.lateNs, static_cast<std::uint64_t>(std::min(late, kMost)));
}

}  // namespace ct::rules
