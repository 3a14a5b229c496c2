// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which sites are in one function.
#pragma once

#include "core/trace/population.h"

#include <cstdint>
#include <vector>

namespace ct::rules {

/// Numbers the functions of a run.
class FunctionNumbers {
public:
    explicit FunctionNumbers(const Population &population);
    /// 0 = the site is not known.
    std::uint32_t of(SiteId site) const { return site < m_numbers.size() ? m_numbers[site] : 0; }

private:
    std::vector<std::uint32_t> m_numbers;  ///< by site
};

}  // namespace ct::rules
