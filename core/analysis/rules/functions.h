// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which sites and which coroutines are in one function.
#pragma once

#include "core/analysis/facts.h"

#include <cstdint>
#include <map>
#include <span>
#include <utility>
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

/// The functions of coroutines: by a site in their body, and else as their frames gave them.
class CoroutineFunctions {
public:
    explicit CoroutineFunctions(const Facts &facts) : m_sites(facts.population()), m_frames(facts.functions()) {}
    /// 0 = not known. Functions that frames gave have numbers of their own.
    std::uint64_t of(CoroutineId id, SiteId site) const
    {
        const std::uint64_t ofFrame = site == kUnknownSite ? m_frames.of(id) : 0;
        return ofFrame != 0 ? ofFrame << 32 : m_sites.of(site);
    }

private:
    const FunctionNumbers m_sites;
    const FrameFunctions &m_frames;
};

/// The coroutines of each function of each process, the youngest ones. Made in one pass over all coroutines.
class CoroutinesByFunction {
public:
    explicit CoroutinesByFunction(const Facts &facts);
    std::span<const CoroutineId> siblingsOf(const Waiting &waiting) const;

private:
    const CoroutineFunctions m_functions;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<CoroutineId>> m_coroutines;  ///< by pid and function
};

}  // namespace ct::rules
