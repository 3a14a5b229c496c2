// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The completed suspensions of coroutines that name no sites, for each of their functions. The function becomes known
// only after the coroutine has run for a while, so the suspensions are kept with the coroutine until it ends.
#pragma once

#include "core/analysis/framefunctions.h"
#include "core/trace/population.h"

#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace ct {

/// One writer; any thread may read. A mutex protects the contents. Costs nothing for targets with lanes only.
class FunctionWaits final : public Sink {
public:
    /// The longest suspensions of a coroutine whose durations are kept.
    static constexpr std::size_t kLongest = 10;

    explicit FunctionWaits(const FrameFunctions &functions) : m_functions(functions) {}

    /// Writer only.
    Result<void> consume(const Batch &batch) override;
    /// Any thread. By number of the function. Of each coroutine, the kLongest longest suspensions are in their buckets,
    /// and the others in the first one. Suspensions with a gap behind them do not count.
    std::unordered_map<std::uint32_t, SiteStatistics> statistics() const;

private:
    struct Waits {
        std::uint64_t since = 0;  ///< ns, CLOCK_MONOTONIC; 0 = it runs
        std::uint64_t n = 0;      ///< number of the suspension
        std::uint64_t completed = 0;
        std::uint64_t maxNs = 0;
        std::array<std::uint8_t, kLongest> longest{};  ///< buckets of SiteStatistics, longest first
    };
    static void add(Waits &waits, const Transition &event);
    static void addTo(SiteStatistics &statistics, const Waits &waits);

    const FrameFunctions &m_functions;
    bool m_any = false;  ///< there is a coroutine without lanes
    mutable std::mutex m_mutex;
    std::unordered_map<CoroutineId, Waits> m_waits;               ///< of living coroutines
    std::unordered_map<std::uint32_t, SiteStatistics> m_ofEnded;  ///< of ended coroutines, by number of their function
};

}  // namespace ct
