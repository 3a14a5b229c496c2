// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// When a suspension becomes stuck, for every site at hand: the rule of core/analysis/stuck.h, remembered for a while
// because the statistics of a site are large and change slowly.
#pragma once

#include "core/analysis/processlives.h"
#include "core/analysis/stuck.h"
#include "core/trace/population.h"
#include "models/timelineoff.h"

#include <unordered_map>

namespace ct {

class StuckThresholds {
public:
    explicit StuckThresholds(const Population &population, const StuckRule &rule = {});

    /// ns
    std::uint64_t of(SiteId site);
    /// The same for the suspension that a coroutine is in, counted from its beginning: times in which its process was
    /// not traced come on top. ~0 = not at all: the process is gone, or not traced at present.
    std::uint64_t of(const CoroutineSnapshot &coroutine);
    /// The 99th percentile of the suspensions completed at the site, ns; nullopt: none was.
    std::optional<std::uint64_t> usual(SiteId site);
    /// To be called once a frame; looks at the statistics again from time to time.
    void nextFrame();

private:
    struct Entry {
        std::optional<std::uint64_t> usual;
        std::uint64_t threshold = 0;
    };
    const Entry &entry(SiteId site);
    void lookAtProcesses();

    static constexpr int kFramesKept = 15;
    const Population &m_population;
    StuckRule m_rule;
    std::unordered_map<SiteId, Entry> m_entries;
    std::vector<OffInterval> m_off;
    ProcessLives m_lives;
    int m_frames = 0;
};

}  // namespace ct
