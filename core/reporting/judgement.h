// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A verdict as the window shows it: the same findings, with the same texts and locations, as a report has.
#pragma once

#include "core/analysis/circumstances.h"
#include "core/analysis/retractions.h"
#include "core/analysis/suspects.h"
#include "core/reporting/report.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ct {

struct Judgement {
    std::uint64_t judgedAt = 0;  ///< ns, CLOCK_MONOTONIC
    bool isDecided = false;      ///< at the instant at which the end of the run was decided
    bool isLast = false;         ///< of a run that has ended, or whose end was decided: no other verdict will follow
    std::vector<ReportedFinding> findings;  ///< in the order of the verdict
    std::vector<Abstention> abstained;
    Retractions::Counts retractions;  ///< of this judgement and those before, while the run lasted
    Suspects suspects;
    /// Of coroutines whose state may have changed since: only of a decided judgement.
    std::map<CoroutineId, Circumstances> circumstances;
};

}  // namespace ct
