// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rates of the last two minutes, for a chart. A plain value.
#pragma once

#include <cstdint>
#include <deque>

namespace ct {

struct RateSample {
    std::uint64_t ts = 0;        ///< ns, CLOCK_MONOTONIC, end of the interval
    double eventsPerSecond = 0;  ///< captured events
    double lostPerSecond = 0;
    std::uint64_t alive = 0;
};

class RateHistory {
public:
    static constexpr std::uint64_t kIntervalNs = 250'000'000;
    static constexpr std::uint64_t kSpanNs = 120'000'000'000;

    /// Adds the running sums at time `now` (ns). Makes a sample and returns true if kIntervalNs have passed since the
    /// last one. Starts anew if a sum or the time goes back.
    bool addSample(std::uint64_t now, std::uint64_t captured, std::uint64_t lost, std::uint64_t alive);
    void clear() { *this = RateHistory(); }

    const std::deque<RateSample> &samples() const { return m_samples; }  ///< oldest first
    double eventsPerSecond() const { return m_samples.empty() ? 0 : m_samples.back().eventsPerSecond; }
    double lostPerSecond() const { return m_samples.empty() ? 0 : m_samples.back().lostPerSecond; }

private:
    std::deque<RateSample> m_samples;
    bool m_begun = false;
    std::uint64_t m_ts = 0;
    std::uint64_t m_captured = 0;
    std::uint64_t m_lost = 0;
};

}  // namespace ct
