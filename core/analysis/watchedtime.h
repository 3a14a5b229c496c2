// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How long a coroutine has been in a state, without the times that say nothing about it.
#pragma once

#include "core/analysis/processlives.h"
#include "core/trace/population.h"

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace ct {

/// The times during which each process lived and was traced, as known at one moment.
class WatchedTime {
public:
    /// `now` (ns): the time that is judged.
    WatchedTime(const Population &population, std::uint64_t now);

    /// Returns the ns from `since` on during which the process lived and was traced.
    std::uint64_t since(std::uint32_t pid, std::uint64_t since) const;
    /// Returns the time up to which the process is judged: `now`, or its end.
    std::uint64_t endOf(std::uint32_t pid, std::uint64_t since) const;
    /// Returns the time (ns) since which the process is traced without an interruption; kOff if it is not traced now.
    /// What happened before may have been undone while tracing was off.
    std::uint64_t tracedSince(std::uint32_t pid) const;
    static constexpr std::uint64_t kOff = std::numeric_limits<std::uint64_t>::max();

private:
    static constexpr std::uint64_t kOpen = kOff;
    struct Off {
        std::uint64_t from = 0;
        std::uint64_t to = 0;
        std::uint64_t before = 0;  ///< ns; sum of all earlier ones
    };
    static std::uint64_t offUntil(const std::vector<Off> &offs, std::uint64_t time);

    const std::uint64_t m_now;
    const ProcessLives m_lives;
    std::unordered_map<std::uint32_t, std::vector<Off>> m_offs;  ///< by pid; ascending, without overlap
};

}  // namespace ct
