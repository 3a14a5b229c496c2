// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Computes single bars of the timeline: the bar that lasts until now, and the bar at a given time.
#pragma once

#include "core/analysis/processlives.h"
#include "core/trace/history.h"
#include "core/trace/population.h"
#include "models/timelinegeometry.h"

#include <optional>

namespace ct {

/// The state of a coroutine since its latest transition; for a destroyed coroutine, its last state. Times in ns.
struct PresentBar {
    MarkKind kind = MarkKind::Unknown;
    std::uint64_t since = 0;
    std::uint64_t end = 0;  ///< now, the death, or the end of the process
    SiteId site = kUnknownSite;
    std::uint64_t runnableSince = 0;  ///< a Suspended bar: time of the wake; 0 = not woken

    std::uint64_t stateSince() const { return runnableSince != 0 ? runnableSince : since; }
};

/// For a time (ns) at which the history has no state: true if the events around it were evicted, false if the coroutine
/// had no event yet.
bool isEvicted(const History &history, CoroutineId id, std::uint64_t time);

PresentBar presentBar(const CoroutineSnapshot &snapshot, const History &history, std::uint64_t now,
                      const ProcessLives &lives = {});

/// The time between two transitions. Times in ns.
struct TimelineBar {
    MarkKind kind = MarkKind::Unknown;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    bool open = false;               ///< still lasts; `to` is now
    bool cut = false;                ///< was lasting when the process ended
    bool ofPresentState = false;     ///< its suspension or run has not ended, although a wake may have ended the bar
    std::uint64_t transitionTs = 0;  ///< time of the transition before; `from`, unless a wake began the bar
    SiteId site = kUnknownSite;
    std::uint64_t addr = 0;
    std::uint32_t tid = 0;  ///< thread of the transition that began the bar; 0 = unknown
    MissingEvents missing;  ///< the missing events of a gap
};

/// Returns the bar of a coroutine at `time`. Returns nullopt before its birth, after its death, after the end of its
/// process, and after `now`. The kind is never Mixed or Stuck: the caller decides about Stuck.
std::optional<TimelineBar> barAt(const Population &population, const History &history, CoroutineId id,
                                 std::uint64_t time, std::uint64_t now, const ProcessLives &lives = {});

}  // namespace ct
