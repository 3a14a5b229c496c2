// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How often the verdicts on a live run were wrong: a coroutine that was reported as lost, and was resumed later.
#pragma once

#include "core/analysis/finding.h"
#include "core/trace/population.h"

#include <array>
#include <cstdint>
#include <map>
#include <utility>

namespace ct {

/// Follows the verdicts of one run. Only findings of coroutines that should never run again count: lost-wakeup,
/// never-run, lost-wake-race, deadlock and stall, and only warnings and errors. One thread.
class Retractions {
public:
    /// Coroutines that are followed. Further ones are not counted.
    static constexpr std::size_t kMost = 1U << 17;

    struct Counts {
        std::uint64_t reported = 0;   ///< waits
        std::uint64_t retracted = 0;  ///< of these, the waits that ended with a resumption
    };

    /// Adds a verdict. It must be later than those before, and `population` that of the run.
    void add(const Verdict &verdict, const Population &population);
    Counts of(Rule rule) const { return m_counts.at(static_cast<std::size_t>(rule)); }
    Counts all() const;  ///< the sum over all rules

private:
    void retract(const Population &population);

    /// The events that the coroutine had when its wait was reported, by rule and coroutine.
    std::map<std::pair<Rule, CoroutineId>, std::uint64_t> m_open;
    std::array<Counts, kRules> m_counts{};
};

}  // namespace ct
