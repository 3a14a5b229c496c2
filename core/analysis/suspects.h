// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The coroutines that a verdict warns of, by id: for views that mark them.
#pragma once

#include "core/analysis/finding.h"
#include "core/trace/population.h"

#include <cstdint>
#include <vector>

namespace ct {

/// A value. The coroutines of all warnings and errors; information accuses none.
class Suspects {
public:
    struct Suspect {
        CoroutineId coroutine = kNoCoroutine;
        Rule rule = Rule::LostWakeup;  ///< of its most severe finding
        Severity severity = Severity::Warning;
    };

    Suspects() = default;
    explicit Suspects(const Verdict &verdict);

    /// Returns nullptr if the verdict does not warn of the coroutine, or if its state has changed since.
    const Suspect *find(const CoroutineSnapshot &coroutine) const;
    std::size_t size() const { return m_suspects.size(); }

private:
    std::uint64_t m_judgedAt = 0;
    std::vector<Suspect> m_suspects;  ///< by id
};

}  // namespace ct
