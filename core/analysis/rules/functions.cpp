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

}  // namespace ct::rules
