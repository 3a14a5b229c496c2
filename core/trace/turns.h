// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Of a single busy thread the events come in turns: a resume, and right behind it the suspension that ends it.
#pragma once

#include "core/trace/stream.h"

#include <algorithm>
#include <span>

namespace ct {

inline bool isTurn(const Transition &resume, const Transition &suspend)
{
    return resume.coroutine == suspend.coroutine && resume.active && !suspend.active;
}

/// Whether most of the events come in turns, by a sample: where they do not, looking for them costs more than it saves.
inline bool comesInTurns(std::span<const Transition> events)
{
    constexpr std::size_t kSample = 64;
    std::size_t turns = 0;
    for (std::size_t i = 1; i < std::min(events.size(), kSample); ++i)
        turns += isTurn(events[i - 1], events[i]);
    return turns > kSample * 3 / 8;
}

}  // namespace ct
