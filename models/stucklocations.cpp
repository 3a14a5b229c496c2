// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stucklocations.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace ct {

namespace {

/// divide() requests the locations of this many coroutines, the ones suspended longest.
constexpr std::size_t kMostAsked = 1000;
/// It uses locations already resolved for this many. The rest stays in one group.
constexpr std::size_t kMostDivided = 50'000;

}  // namespace

void StuckLocations::setResolver(std::shared_ptr<AddressResolver> resolver)
{
    m_resolver = std::move(resolver);
    m_answers.clear();
    m_ids.clear();
    m_idOf.clear();
}

AddressResolver::Answer StuckLocations::locationOf(SiteId id) const
{
    return id >= kFirst && id - kFirst < m_answers.size() ? m_answers[id - kFirst] : nullptr;
}

SiteId StuckLocations::idOf(const Population &population, const StuckCoroutine &stuck, bool ask)
{
    const AddressResolver::Query query{stuck.coroutine, population.at(stuck.coroutine).pid, stuck.addr, stuck.since,
                                       true};
    const AddressResolver::Answer answer =
        ask ? m_resolver->resolveOrRequest(query) : std::as_const(*m_resolver).known(query);
    if (!answer || answer->frames.empty())
        return kUnknownSite;
    const auto known = m_idOf.find(answer);
    if (known != m_idOf.end())
        return known->second;
    const SourceFrame &frame = answer->frames.front();
    const auto next = kFirst + static_cast<SiteId>(m_answers.size());
    const auto [id, isNew] = m_ids.try_emplace({frame.function, frame.file, frame.line}, next);
    if (isNew)
        m_answers.push_back(answer);
    m_idOf.emplace(answer, id->second);
    return id->second;
}

void StuckLocations::divide(const Population &population, std::vector<StuckGroup> &groups)
{
    const auto unknown =
        std::find_if(groups.begin(), groups.end(), [](const StuckGroup &group) { return group.site == kUnknownSite; });
    if (!m_resolver || unknown == groups.end())
        return;
    StuckGroup whole = std::move(*unknown);
    groups.erase(unknown);
    std::unordered_map<SiteId, std::size_t> rowOf;
    for (std::size_t i = 0; i < whole.coroutines.size(); ++i) {
        StuckCoroutine &stuck = whole.coroutines[i];
        const SiteId id = i < kMostDivided ? idOf(population, stuck, i < kMostAsked) : kUnknownSite;
        const auto [row, isNew] = rowOf.try_emplace(id, groups.size());
        if (isNew) {
            groups.emplace_back();
            groups.back().site = id;
            groups.back().usualNs = whole.usualNs;
            groups.back().longestNs = stuck.suspendedNs;  // the group is sorted, longest first
        }
        groups[row->second].coroutines.push_back(std::move(stuck));
    }
    std::stable_sort(groups.begin(), groups.end(), [](const StuckGroup &a, const StuckGroup &b) {
        return a.coroutines.size() != b.coroutines.size() ? a.coroutines.size() > b.coroutines.size() : a.site < b.site;
    });
}

}  // namespace ct
