// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of a trace that is exported. A plain value.
#pragma once

#include "core/trace/population.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace ct {

/// A selected coroutine is exported if it existed in the time range, even without an event there.
struct TraceSelection {
    static constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

    std::vector<CoroutineId> coroutines;  ///< ascending; empty: all
    std::uint64_t from = 0;               ///< ns, CLOCK_MONOTONIC
    std::uint64_t to = kNoEnd;            ///< ns, CLOCK_MONOTONIC, exclusive

    bool hasTimes() const { return from != 0 || to != kNoEnd; }
    bool isEverything() const { return coroutines.empty() && !hasTimes(); }
    bool hasCoroutine(const CoroutineSnapshot &snapshot) const
    {
        const bool isChosen =
            coroutines.empty() || std::binary_search(coroutines.begin(), coroutines.end(), snapshot.id);
        const bool isInTime = snapshot.birthTs < to && (snapshot.deathTs == 0 || snapshot.deathTs >= from);
        return isChosen && isInTime;
    }
};

}  // namespace ct
