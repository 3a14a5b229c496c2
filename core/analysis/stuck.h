// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Who waits suspiciously long: suspensions compared with what their site usually takes.
#pragma once

#include "core/trace/population.h"

#include <optional>
#include <vector>

namespace ct {

struct StuckRule {
    std::uint64_t minimumNs = 500'000'000;            ///< never call anything stuck before
    double usualFactor = 8;                           ///< times the site's 99th percentile
    std::uint64_t withoutBaselineNs = 1'000'000'000;  ///< at sites where no suspension ever completed
};

struct StuckCoroutine {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t probeId = 0;
    SiteId site = kUnknownSite;
    std::uint64_t addr = 0;
    std::uint64_t since = 0;               ///< ns, CLOCK_MONOTONIC
    std::uint64_t suspendedNs = 0;         ///< that its process lived and was traced
    std::optional<std::uint64_t> usualNs;  ///< the site's 99th percentile; nullopt: no suspension completed there
    // As the target said it, see CoroutineNotes.
    bool woken = false;  ///< was made runnable and still waits for a thread: not a lost wake, but nobody runs it
    std::optional<Wake> lastWake;
    std::optional<WaitsOn> waitsOn;
};

struct StuckGroup {
    SiteId site = kUnknownSite;
    std::optional<std::uint64_t> usualNs;
    std::uint64_t longestNs = 0;
    std::vector<StuckCoroutine> coroutines;  ///< longest first
};

/// Pure: judges the population at time `now` (ns, CLOCK_MONOTONIC). Groups with most coroutines first. Coroutines that
/// are finished, destroyed, running, flagged or unknown are never stuck. While a process has its tracing switched off
/// nobody knows what its coroutines do: such times do not count. For coroutines of a process that is gone, time stands
/// still at its end.
std::vector<StuckGroup> findStuck(const Population &population, std::uint64_t now, const StuckRule &rule = {});

}  // namespace ct
