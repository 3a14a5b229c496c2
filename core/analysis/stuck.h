// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The stuck coroutines of a verdict: all suspended coroutines for which it has a warning or an error.
#pragma once

#include "core/analysis/finding.h"
#include "core/trace/population.h"

#include <optional>
#include <vector>

namespace ct {

struct StuckCoroutine {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t probeId = 0;
    SiteId site = kUnknownSite;
    std::uint64_t addr = 0;
    std::uint64_t since = 0;        ///< ns, CLOCK_MONOTONIC, start of the suspension
    std::uint64_t suspendedNs = 0;  ///< duration, without times when the process was gone, stopped or not traced
    Rule rule = Rule::LostWakeup;   ///< of its most severe finding
};

/// The stuck coroutines of one site.
struct StuckGroup {
    SiteId site = kUnknownSite;
    std::optional<std::uint64_t> usualNs;    ///< the site's 99th percentile; nullopt: no suspension has completed there
    std::uint64_t longestNs = 0;             ///< the greatest suspendedNs of the group
    std::vector<StuckCoroutine> coroutines;  ///< longest first
};

/// Returns the groups with the most coroutines first. Call it when the population is as it was judged.
std::vector<StuckGroup> stuckCoroutines(const Verdict &verdict, const Population &population);

}  // namespace ct
