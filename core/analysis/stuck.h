// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds stuck coroutines: compares the duration of each suspension with the usual duration at its site.
// See docs/decisions/0006-who-is-stuck.md.
#pragma once

#include "core/trace/population.h"

#include <optional>
#include <vector>

namespace ct {

/// A suspension is stuck if it lasts longer than the limit of its site.
struct StuckRule {
    std::uint64_t minimumNs = 500'000'000;            ///< lower bound of the limit at all sites
    double usualFactor = 8;                           ///< limit as a multiple of the site's 99th percentile
    std::uint64_t withoutBaselineNs = 1'000'000'000;  ///< limit at sites where no suspension has completed; the
                                                      ///< greatest of all sites if the site is unknown
};

struct StuckCoroutine {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t probeId = 0;
    SiteId site = kUnknownSite;
    std::uint64_t addr = 0;
    std::uint64_t since = 0;               ///< ns, CLOCK_MONOTONIC, start of the suspension
    std::uint64_t suspendedNs = 0;         ///< duration, without times when the process was gone, stopped or not traced
    std::optional<std::uint64_t> usualNs;  ///< the site's 99th percentile; nullopt: no suspension has completed there
    // Reported by the target, see CoroutineNotes.
    bool woken = false;  ///< was made runnable, but no thread has resumed it: not a lost wake
    std::optional<Wake> lastWake;
    std::optional<WaitsOn> waitsOn;
};

/// The stuck coroutines of one site.
struct StuckGroup {
    SiteId site = kUnknownSite;
    std::optional<std::uint64_t> usualNs;    ///< see StuckCoroutine::usualNs
    std::uint64_t longestNs = 0;             ///< the greatest suspendedNs of the group
    std::vector<StuckCoroutine> coroutines;  ///< longest first
};

/// Judges the population at time `now` (ns, CLOCK_MONOTONIC), without side effects. Returns the groups with the most
/// coroutines first. Coroutines that are finished, destroyed, running, flagged or unknown are never stuck. Neither are
/// coroutines that wait for a time, until minimumNs after it, or that await such a coroutine. A runnable coroutine is
/// judged by the time since its wake. Times while a process had
/// tracing off, or was stopped by a signal or a debugger, do not count: its coroutines could not run, or their states
/// are unknown. For a process that is gone, no time counts after its end.
std::vector<StuckGroup> findStuck(const Population &population, std::uint64_t now, const StuckRule &rule = {});

}  // namespace ct
