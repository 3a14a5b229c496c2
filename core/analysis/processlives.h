// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The times at which processes ended.
#pragma once

#include "core/trace/population.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace ct {

/// The lives of processes by pid, as a Population knows them at one moment. A pid can have several lives: the system
/// reuses pids, and a process may run another program (exec). A life ends at the latest when the next one starts.
class ProcessLives {
public:
    static constexpr std::uint64_t kLasting = ~std::uint64_t{0};

    ProcessLives() = default;  ///< no process has ended
    explicit ProcessLives(const Population &population);

    /// Returns the end (ns, CLOCK_MONOTONIC) of the life of `pid` in which an event happened at `ts`. The result is
    /// `ts` or later. Returns kLasting if the process lives or is unknown.
    std::uint64_t endOf(std::uint32_t pid, std::uint64_t ts) const;
    /// Returns the end of the process in which the coroutine got its present state.
    std::uint64_t endOf(const CoroutineSnapshot &coroutine) const;
    /// Returns the time up to which the coroutine's state lasts: `now`, or the end of its process if that is earlier.
    /// Returns `now` for a dead coroutine.
    std::uint64_t nowOf(const CoroutineSnapshot &coroutine, std::uint64_t now) const
    {
        return m_ended != 0 && coroutine.deathTs == 0 ? std::min(now, endOf(coroutine)) : now;
    }
    /// Returns true if the process ended while the coroutine was alive.
    bool hasEnded(const CoroutineSnapshot &coroutine) const
    {
        return m_ended != 0 && coroutine.deathTs == 0 && endOf(coroutine) != kLasting;
    }
    std::size_t endedCount() const { return m_ended; }  ///< 0 = no process has ended; never decreases during a run

private:
    struct Life {
        std::uint64_t from = 0;
        std::uint64_t to = kLasting;
    };
    std::unordered_map<std::uint32_t, std::vector<Life>> m_lives;  ///< oldest first
    std::size_t m_ended = 0;
};

}  // namespace ct
