// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which coroutines ran when a wait ended. Where no wakes are reported, one of them may have ended it.
#pragma once

#include "core/analysis/facts.h"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace ct::rules {

/// The completed waits and the runs of the coroutines of one process, up to a given time.
class RunLog {
public:
    /// A suspension and the resumption that followed it, without a gap. ns, CLOCK_MONOTONIC.
    struct Wait {
        CoroutineId coroutine = kNoCoroutine;
        SiteId site = kUnknownSite;
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };
    using Coroutines = std::unordered_set<CoroutineId>;

    /// Reads at most about kMostEvents events, the latest before `to` (ns).
    RunLog(const Facts &facts, std::uint32_t pid, std::uint64_t to);

    /// By coroutine; those of one coroutine in the order of their times.
    const std::vector<Wait> &waits() const { return m_waits; }
    /// The coroutines that ran at `ts` (ns) or in the `delayNs` before, except `self`. Empty if more than kMostRuns of
    /// them may have, because then it says nothing who did; or if the budget for all calls is used up.
    std::vector<CoroutineId> ranBefore(std::uint64_t ts, std::uint64_t delayNs, CoroutineId self) const;
    /// True if a coroutine ran on the thread in a part of that time (ns), or if the log does not go so far back.
    bool mayHaveRunOn(std::uint32_t tid, std::uint64_t from, std::uint64_t to) const;
    /// The share (0..1) of the time at which one of them ran, or had run in the `delayNs` before.
    double shareOf(const Coroutines &coroutines, std::uint64_t delayNs) const;

private:
    static constexpr std::uint64_t kMostEvents = 200'000;
    static constexpr std::uint64_t kMostRuns = 4096;
    static constexpr std::uint64_t kMostLooks = 10'000'000;  ///< at runs, by all calls; some 20 ms
    struct Run {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        CoroutineId coroutine = kNoCoroutine;
        std::uint32_t tid = 0;
        bool isLast = false;          ///< of a coroutine that has ended
        std::uint64_t latestEnd = 0;  ///< of this run and all before it
    };
    void order();
    void add(const Facts &facts, const CoroutineSnapshot &snapshot, std::uint64_t from, std::uint64_t to);

    std::vector<Wait> m_waits;
    std::vector<Run> m_runs;  ///< in the order of `begin`
    std::uint64_t m_left = kMostEvents;
    mutable std::uint64_t m_looksLeft = kMostLooks;
    const std::uint64_t m_to;
};

}  // namespace ct::rules
