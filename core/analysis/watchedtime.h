// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How long a coroutine has been in a state, without the times that say nothing about it.
#pragma once

#include "core/analysis/pausedtimes.h"
#include "core/analysis/processlives.h"
#include "core/trace/population.h"

#include <cstdint>
#include <unordered_map>

namespace ct {

/// The times during which each process lived, ran and was traced, as known at one moment.
class WatchedTime {
public:
    /// `now` (ns): the time that is judged.
    WatchedTime(const Population &population, std::uint64_t now);

    /// Returns the ns from `since` on during which the process lived, ran and was traced.
    std::uint64_t since(std::uint32_t pid, std::uint64_t since) const;
    /// Returns true if the life of the process in which something happened at `ts` (ns) was over at the judged time.
    bool hasEnded(std::uint32_t pid, std::uint64_t ts) const
    {
        return m_lives.endedCount() != 0 && m_lives.endOf(pid, ts) <= m_now;
    }
    /// Returns the time (ns) since which the process is traced without an interruption; kOff if it is not traced now.
    /// What happened before may have been undone while tracing was off.
    std::uint64_t tracedSince(std::uint32_t pid) const;
    static constexpr std::uint64_t kOff = ~std::uint64_t{0};

private:
    const std::uint64_t m_now;
    const ProcessLives m_lives;
    const PausedTimes m_paused;
    std::unordered_map<std::uint32_t, std::uint64_t> m_tracedSince;  ///< by pid; after an interruption
};

}  // namespace ct
