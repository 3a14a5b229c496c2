// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The times in which threads of a target got too little of the processors, by samples of their run delay.
#pragma once

#include "core/stream/stream.h"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace ct {

/// A Sink for the samples of threads. One writer; any thread may read. A mutex protects the contents.
class OverloadedTimes final : public Sink {
public:
    static constexpr std::size_t kMostThreads = 4096;
    static constexpr std::size_t kMostStretches = 1024;  ///< of a thread; the oldest are forgotten

    /// Writer only.
    Result<void> consume(const Batch &batch) override;

    struct Interval {
        std::uint64_t from = 0;  ///< ns, CLOCK_MONOTONIC
        std::uint64_t to = 0;
    };
    /// Any thread. The times in which one of the threads that `isWanted` waited for a processor for more than `share`
    /// of the time between two samples. In order, without overlaps.
    std::vector<Interval> of(std::uint32_t pid, double share,
                             const std::function<bool(std::uint32_t tid)> &isWanted) const;

private:
    /// The time between two samples.
    struct Stretch {
        Interval time;
        double delayed = 0;  ///< share
    };
    struct Thread {
        ThreadSample latest;
        std::vector<Stretch> stretches;  ///< oldest first
    };
    void add(const ThreadSample &row);

    /// Stretches with less delay are not kept.
    static constexpr double kLeastShare = 0.05;

    mutable std::mutex m_mutex;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Thread> m_threads;  ///< by pid and tid
};

}  // namespace ct
