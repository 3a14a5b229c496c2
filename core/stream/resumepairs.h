// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Detects turns: a resumption followed directly by the suspension of the same coroutine. The events of a single busy
// thread consist mostly of turns.
#pragma once

#include "core/stream/stream.h"

#include <algorithm>
#include <span>

namespace ct {

inline bool isTurn(const Transition &resume, const Transition &suspend)
{
    return resume.coroutine == suspend.coroutine && resume.active && !suspend.active;
}

/// Samples the first 64 events. Returns true if they contain more than 24 turns (32 is the maximum). With fewer turns,
/// the search for them costs more than it saves.
inline bool comesInTurns(std::span<const Transition> events)
{
    constexpr std::size_t kSample = 64;
    std::size_t turns = 0;
    for (std::size_t i = 1; i < std::min(events.size(), kSample); ++i)
        turns += isTurn(events[i - 1], events[i]);
    return turns > kSample * 3 / 8;
}

}  // namespace ct
