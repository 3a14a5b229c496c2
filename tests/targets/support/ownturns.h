// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coroutines that stay with their thread: no queue, no lock, so that the coroutines' own cost is all there is.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <vector>

namespace targets {

enum class TurnOrder {
    Round,   ///< one after the other
    Random,  ///< whoever it hits: the next one's lines are in no cache
};

struct OwnTurns {
    unsigned threads = 1;
    TurnOrder order = TurnOrder::Round;
    /// All threads together, evenly spread over time; 0 = as fast as possible. A thread that was held up catches up.
    std::uint64_t resumptionsPerSecond = 0;
    const std::atomic<bool> *hurry = nullptr;  ///< once it is true, as fast as possible
};

/// Resumes the coroutines, each on one thread only, until each has reached its final suspension, or soon after
/// stopRequested(). Nothing is destroyed here.
void resumeInOwnTurns(const std::vector<std::coroutine_handle<>> &coroutines, const OwnTurns &turns);

}  // namespace targets
