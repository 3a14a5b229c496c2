// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Detects pairs: a resumption followed directly by the suspension of the same coroutine. The events of a single busy
// thread consist mostly of pairs.
#pragma once

#include "core/stream/stream.h"

#include <algorithm>
#include <span>

namespace ct {

inline bool isResumeSuspendPair(const Transition &resume, const Transition &suspend)
{
    return resume.coroutine == suspend.coroutine && resume.active && !suspend.active;
}

/// Samples the first 64 events. Returns true if they contain more than 24 pairs (32 is the maximum). With fewer pairs,
/// the search for them costs more than it saves.
inline bool hasManyPairs(std::span<const Transition> events)
{
    constexpr std::size_t kSample = 64;
    std::size_t pairs = 0;
    for (std::size_t i = 1; i < std::min(events.size(), kSample); ++i)
        pairs += isResumeSuspendPair(events[i - 1], events[i]);
    return pairs > kSample * 3 / 8;
}

}  // namespace ct
