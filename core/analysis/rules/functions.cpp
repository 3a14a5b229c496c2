// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/rules/functions.h"

#include <map>
#include <string_view>
#include <utility>

namespace ct::rules {

FunctionNumbers::FunctionNumbers(const Population &population)
{
    std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> numbers;
    m_numbers.resize(population.siteCount() + 1);
    for (SiteId id = 1; id < m_numbers.size(); ++id)
        if (const Site *site = population.site(id))
            m_numbers[id] =
                numbers.try_emplace({site->file, site->function}, static_cast<std::uint32_t>(numbers.size() + 1))
                    .first->second;
}

CoroutinesByFunction::CoroutinesByFunction(const Facts &facts) : m_functions(facts)
{
    constexpr std::size_t kMost = 1024;
    const Population &population = facts.population();
    for (CoroutineId id = population.size(); id-- != 0;) {
        const CoroutineSnapshot snapshot = population.at(id);
        const std::uint64_t function = m_functions.of(id, bodySiteOf(snapshot));
        if (!snapshot.kept || function == 0)
            continue;
        std::vector<CoroutineId> &coroutines = m_coroutines[{snapshot.pid, function}];
        if (coroutines.size() < kMost)
            coroutines.push_back(id);
    }
}

std::span<const CoroutineId> CoroutinesByFunction::siblingsOf(const Waiting &waiting) const
{
    const auto found = m_coroutines.find({waiting.pid, m_functions.of(waiting.coroutine, waiting.site)});
    return found != m_coroutines.end() ? std::span<const CoroutineId>(found->second) : std::span<const CoroutineId>();
}

}  // namespace ct::rules
