// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whether a coroutine that is ready should have had its turn by now, or may still wait for a thread.
#pragma once

#include "core/analysis/facts.h"
#include "core/analysis/rules/runlog.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ct::rules {

/// Since when (ns) a coroutine that was woken is ready: since the wake, or since its suspension if that came later.
std::uint64_t wokenAtOf(const Waiting &waiting);

class Turns {
public:
    explicit Turns(const Facts &facts) : m_facts(facts) {}

    struct Due {
        double confidence = 0;
        std::string why;  ///< a sentence
    };
    /// Returns nullopt if the coroutine, which is ready since `readyAt` (ns), may wait for a thread. `others`: what
    /// overtaken() returned.
    std::optional<Due> due(const Waiting &waiting, std::uint64_t readyAt, std::uint64_t others);
    /// How often coroutines of the process were resumed that had become ready clearly later. Counts at least to
    /// Thresholds::overtaken, as far as the budget for histories allows to read what a coroutine did in the meantime.
    std::uint64_t overtaken(const Waiting &waiting, std::uint64_t readyAt);
    /// How often one coroutine that became ready clearly later has had the thread on which the waiting one last ran.
    /// The most of all, counted to Thresholds::overtaken.
    std::uint64_t mostOfOne(const Waiting &waiting, std::uint64_t readyAt);
    /// The longest time (ns) from one of its latest wakes, before the present one, to its resumption. A scheduler may
    /// hold coroutines back for long, by a budget or for a batch.
    std::uint64_t longestDelay(const Waiting &waiting) const;

private:
    bool hasPaused(std::uint32_t pid, std::uint32_t tid, std::uint64_t since);

    const Facts &m_facts;
    std::map<std::uint32_t, RunLog> m_logs;  ///< by pid; made at the first thread that pauses
    std::size_t m_historiesLeft = 2000;      ///< each costs some us
};

}  // namespace ct::rules
