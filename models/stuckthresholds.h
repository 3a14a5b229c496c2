// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Caches the time after which a suspension at each site is stuck, by the rule of core/analysis/stuck.h. Statistics of a
// site are large and change slowly.
#pragma once

#include "core/analysis/pausedtimes.h"
#include "core/analysis/processlives.h"
#include "core/analysis/stuck.h"
#include "core/trace/population.h"

#include <unordered_map>

namespace ct {

class StuckThresholds {
public:
    explicit StuckThresholds(const Population &population, const StuckRule &rule = {});

    /// Returns the threshold of a site in ns.
    std::uint64_t of(SiteId site);
    /// Returns the threshold in ns of the present suspension, counted from its start, or from its wake. Adds the time
    /// in which the process was stopped or not traced. Returns ~0 if it never becomes stuck: its process has ended, or
    /// is stopped or not traced at present.
    std::uint64_t of(const CoroutineSnapshot &coroutine);
    /// Returns the 99th percentile of completed suspensions at the site in ns; nullopt if there are none.
    std::optional<std::uint64_t> usual(SiteId site);
    /// Call once per frame. Discards the cached values every kFramesKept frames.
    void nextFrame();

private:
    struct Entry {
        std::optional<std::uint64_t> usual;
        std::uint64_t threshold = 0;
    };
    const Entry &entry(SiteId site);
    void readProcesses();

    static constexpr int kFramesKept = 15;
    const Population &m_population;
    StuckRule m_rule;
    std::unordered_map<SiteId, Entry> m_entries;
    PausedTimes m_paused;
    ProcessLives m_lives;
    int m_frames = 0;
};

}  // namespace ct
