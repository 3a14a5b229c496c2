// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Single bars of the timeline: the one that lasts until now, and the one under the cursor.
#pragma once

#include "core/analysis/processlives.h"
#include "core/trace/history.h"
#include "core/trace/population.h"
#include "models/timelinegeometry.h"

#include <optional>

namespace ct {

/// What a coroutine does since its latest transition; of a destroyed one, what it did last. Times in ns.
struct PresentBar {
    MarkKind kind = MarkKind::Unknown;
    std::uint64_t since = 0;
    std::uint64_t end = 0;  ///< now, or the death, or the end of the process
    SiteId site = kUnknownSite;
};

/// Of a moment of which the history knows no state (ns): whether what it knew has left the memory; else the coroutine
/// had done nothing yet.
bool isDropped(const History &history, CoroutineId id, std::uint64_t time);

PresentBar presentBar(const CoroutineSnapshot &snapshot, const History &history, std::uint64_t now,
                      const ProcessLives &lives = {});

/// One stretch between two transitions. Times in ns.
struct TimelineBar {
    MarkKind kind = MarkKind::Unknown;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    bool open = false;  ///< still lasts: `to` is now
    bool cut = false;   ///< lasted when its process ended
    SiteId site = kUnknownSite;
    std::uint64_t addr = 0;
    std::uint32_t tid = 0;  ///< thread of the transition that began it; 0 = unknown
    MissingEvents missing;  ///< of a gap
};

/// The bar of a coroutine at `time`; nothing before its birth, after its death, after its process has ended or after
/// `now`. Never Mixed, never Stuck: that is for the caller to judge.
std::optional<TimelineBar> barAt(const Population &population, const History &history, CoroutineId id,
                                 std::uint64_t time, std::uint64_t now, const ProcessLives &lives = {});

}  // namespace ct
