// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the ends of coroutines show: how long those of each function usually live, and which were woken after their end.
#pragma once

#include "core/trace/population.h"

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace ct {

/// A Sink for the deaths of a run. It reads the Population, so it must be behind it. One writer; any thread may read.
/// A mutex protects the contents: the writer locks it once for a batch with deaths.
class EndedCoroutines final : public Sink {
public:
    /// Functions of processes with statistics, 2 KiB each. The coroutines of further ones are left out.
    static constexpr std::size_t kMostFunctions = 1U << 14;
    static constexpr std::size_t kMostWoken = 1024;
    /// Ended coroutines that are remembered, for wakes in later batches.
    static constexpr std::size_t kMostRemembered = 1U << 16;

    explicit EndedCoroutines(const Population &population) : m_population(population) {}

    /// Writer only.
    Result<void> consume(const Batch &batch) override;

    // Any thread.

    /// The lifetimes of destroyed coroutines, by a site in their body: a function can have several.
    struct Lifetimes {
        std::uint32_t pid = 0;
        SiteId site = kUnknownSite;
        std::uint64_t firstBirth = ~std::uint64_t{0};  ///< ns, CLOCK_MONOTONIC; of those that ended
        std::uint64_t lastBirth = 0;
        SiteStatistics durations;
    };
    std::vector<Lifetimes> lifetimes() const;  ///< in the order of pids and sites

    /// The latest wake of a coroutine, if it is later than its death.
    struct WokenLate {
        CoroutineId coroutine = kNoCoroutine;
        std::uint64_t deathTs = 0;  ///< ns, CLOCK_MONOTONIC
        Wake wake;
    };
    std::vector<WokenLate> wokenLate() const;  ///< the first kMostWoken, in the order of the stream

private:
    void add(const Death &death);
    void addLateWakes(const std::vector<Wake> &wakes);
    void addLate(const WokenLate &late);

    const Population &m_population;
    mutable std::mutex m_mutex;
    std::unordered_map<std::uint64_t, Lifetimes> m_lifetimes;  ///< by pid (32 bits, high) and site
    std::vector<WokenLate> m_wokenLate;
    std::vector<Death> m_remembered;  ///< by the low bits of the id; empty before the first death. Writer only
};

}  // namespace ct
