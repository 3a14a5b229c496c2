// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Has the addresses of what was found looked up, while its owner does other things. Qt-free.
#pragma once

#include "core/analysis/stuck.h"
#include "core/session/places.h"

#include <chrono>
#include <cstddef>
#include <vector>

namespace ct {

/// On the thread of the owner of `places`, whose look-ahead rests meanwhile.
class PlaceLearner {
public:
    /// Of `stuck` the first 100,000 whose place is not known. It takes `most`, and a second to compare, at most.
    PlaceLearner(const Population &population, const std::vector<StuckGroup> &stuck, Places &places,
                 std::chrono::milliseconds most);
    ~PlaceLearner();
    PlaceLearner(const PlaceLearner &) = delete;
    PlaceLearner &operator=(const PlaceLearner &) = delete;

    /// Where a coroutine that was found waits.
    static Places::Spot spotOf(const Population &population, const StuckCoroutine &stuck);

    /// Goes on; never waits. False: there is nothing more to be learned, or the time is over. To be called each
    /// millisecond or so.
    bool step();
    /// Coroutines whose place may still be learned.
    std::size_t left() const { return m_open.size(); }

private:
    using Clock = std::chrono::steady_clock;

    void ask();

    Places &m_places;
    std::vector<Places::Spot> m_open;
    std::size_t m_asked = 0;  ///< of them, from the front
    Clock::time_point m_askUntil;
    Clock::time_point m_end;
};

}  // namespace ct
