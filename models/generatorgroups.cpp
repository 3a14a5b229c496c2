// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/generatorgroups.h"

#include "models/coroutineorder.h"

#include <map>
#include <string_view>
#include <utility>

namespace ct {

void GeneratorGroup::add(const CoroutineSnapshot &snapshot, std::uint64_t now)
{
    ++others;
    events += snapshot.events;
    lost += snapshot.lost;
    runNs += runningSoFar(snapshot, now);
    suspendedNs += suspendedSoFar(snapshot, now);
}

CoroutineSnapshot GeneratorGroup::sumWith(CoroutineSnapshot snapshot) const
{
    snapshot.events += events;
    snapshot.lost += lost;
    snapshot.runNs += runNs;
    snapshot.suspendedNs += suspendedNs;
    return snapshot;
}

GeneratorFunctions::GeneratorFunctions(const Population &population)
{
    const SiteId end = population.siteCount() + 1;
    std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> numbers;
    const auto functionOf = [&](const Site &site) {
        return std::pair(std::string_view(site.file), std::string_view(site.function));
    };
    for (SiteId id = 1; id < end; ++id)
        if (const Site *site = population.site(id); site && population.isGeneratorSite(id))
            numbers.try_emplace(functionOf(*site), static_cast<std::uint32_t>(numbers.size() + 1));
    if (numbers.empty())
        return;
    // All sites of such a function count: before its first co_yield, a generator is suspended at another one.
    m_functions.resize(end);
    for (SiteId id = 1; id < end; ++id) {
        const Site *site = population.site(id);
        const auto found = site ? numbers.find(functionOf(*site)) : numbers.end();
        if (found != numbers.end())
            m_functions[id] = found->second;
    }
}

}  // namespace ct
