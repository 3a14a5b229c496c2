// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Until when a process lived whose coroutines we look at.
#pragma once

#include "core/trace/population.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace ct {

/// Processes by pid, as a Population knows them at one moment. Pids come back, and a process may go on as another
/// program (exec): what began before the next of its pid did belongs to the one before.
class ProcessLives {
public:
    static constexpr std::uint64_t kLasting = ~std::uint64_t{0};

    ProcessLives() = default;  ///< nothing has ended
    explicit ProcessLives(const Population &population);

    /// Of the process with that pid in which something happened at `ts`: when its time stood still; not before `ts`.
    /// kLasting: it lives, or nobody knows better.
    std::uint64_t endOf(std::uint32_t pid, std::uint64_t ts) const;
    /// The same of the process in which a coroutine is in its present state.
    std::uint64_t endOf(const CoroutineSnapshot &coroutine) const;
    /// What the present is to a coroutine: `now`, or the end of its process, if that came before and while it lived.
    std::uint64_t nowOf(const CoroutineSnapshot &coroutine, std::uint64_t now) const
    {
        return m_ended != 0 && coroutine.deathTs == 0 ? std::min(now, endOf(coroutine)) : now;
    }
    /// It lived when its process ended.
    bool hasEnded(const CoroutineSnapshot &coroutine) const
    {
        return m_ended != 0 && coroutine.deathTs == 0 && endOf(coroutine) != kLasting;
    }
    std::size_t endedCount() const { return m_ended; }  ///< never less in a later look at the same run

private:
    struct Life {
        std::uint64_t from = 0;
        std::uint64_t to = kLasting;
    };
    std::unordered_map<std::uint32_t, std::vector<Life>> m_lives;  ///< oldest first
    std::size_t m_ended = 0;
};

}  // namespace ct
