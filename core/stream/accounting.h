// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The counts of a run: sums, overflow, gauges of the region, and conditions. Plain values.
#pragma once

#include <cstdint>

namespace ct {

/// Sums over a run; they only grow. captured + lost + missedBeforeAttach = published, over traced coroutines.
struct RunSums {
    std::uint64_t captured = 0;
    std::uint64_t lost = 0;
    std::uint64_t missedBeforeAttach = 0;
    std::uint64_t coroutines = 0;        ///< traced coroutines
    std::uint64_t coroutinesMissed = 0;  ///< overwrite mode: traced coroutines whose records were all overwritten
    /// A part of lost: events of coroutinesMissed. The rest of lost is the losses in the stream.
    std::uint64_t lostWithoutCoroutine = 0;
    std::uint64_t missedWithoutCoroutine = 0;  ///< likewise, a part of missedBeforeAttach
    std::uint64_t notesLost = 0;               ///< notes that name an unknown coroutine
    std::uint64_t untraced = 0;                ///< coroutines without a station, or whose birth was never completed
    std::uint64_t birthsOvertaken = 0;  ///< a part of untraced: a burst of births was faster than the region grew
    std::uint64_t bornWhileOff = 0;     ///< born while tracing was off; neither in coroutines nor in untraced
    std::uint64_t bornBeforeInit = 0;   ///< reported by the probe; neither in coroutines nor in untraced
    std::uint64_t flaggedStations = 0;
    std::uint64_t sitesDropped = 0;
    std::uint64_t recordsDropped = 0;  ///< records refused, overwritten unread, or without a lane; slots of holes
    std::uint64_t recordsInHoles = 0;  ///< a part of recordsDropped: slots of holes
    std::uint32_t threadsWithoutLane = 0;
    std::uint32_t lanesShortened = 0;         ///< lanes with less memory than planned, because the file system was full
    std::uint32_t lanesDamaged = 0;           ///< lanes with holes, from events in a signal handler or stray writes
    std::uint32_t processesUnmapped = 0;      ///< untraced: their address space has no room for the region
    std::uint32_t processesPartlyMapped = 0;  ///< traced, with room for fewer coroutines and lanes
};

/// Counts of rows that a sink could not keep or write, although the source emitted them.
struct RunOverflow {
    std::uint64_t overflowCoroutines = 0;  ///< overflow, a part of coroutines: the trace in memory has no room for them
    std::uint64_t overflowEvents = 0;      ///< overflow, a part of captured: the transitions of overflowCoroutines
    std::uint64_t overflowNames = 0;       ///< overflow: names that the trace in memory has no room for
    std::uint64_t notesEvicted = 0;      ///< export of a trace: causes (Notes::causes()) that were no longer in memory
    std::uint64_t eventsNotWritten = 0;  ///< a part of captured: transitions that are missing in a file that failed
    std::uint64_t coroutinesNotWritten = 0;  ///< a part of coroutines: their births are missing in a file that failed
};

/// The use of a region at present.
struct RegionGauges {
    std::uint32_t stationsAllocated = 0;         ///< full and compact stations
    std::uint32_t stationsMax = 0;               ///< limit of stationsAllocated
    std::uint32_t compactStationsAllocated = 0;  ///< a part of stationsAllocated: compact stations
    std::uint32_t compactStationsMax = 0;        ///< a part of stationsMax: compact stations
    std::uint32_t lanesInUse = 0;                ///< lanes of living threads, and lanes that are not drained yet
    std::uint32_t lanes = 0;                     ///< lanes made so far
    std::uint64_t laneBytes = 0;                 ///< bytes of the pool that became lanes
    std::uint64_t laneBytesMax = 0;              ///< bytes of the pool; 0 = no lanes
    double laneFill = 0;                         ///< fill of the fullest lane at its last visit, 0 to 1
    std::uint64_t regionBytes = 0;               ///< memory that the region's file uses at present
    std::uint32_t processes = 0;                 ///< processes that write at present
};

/// How late the stream of a capture is. The sums above have only what was decoded.
struct RunLag {
    std::uint64_t behindNs = 0;       ///< ns; time since the moment up to which the stream is complete
    std::uint64_t mostBehindNs = 0;   ///< ns; the largest value of behindNs so far
    std::uint64_t recordsBehind = 0;  ///< records collected from lanes but not decoded
    double memoryFill = 0;            ///< share of the memory for collected records that these use, 0 to 1
};

/// What a capture costs its target. 0 = unknown.
struct RunEffect {
    double eventNs = 0;             ///< ns; time of one event, as measured on this machine
    std::uint64_t targetCpuNs = 0;  ///< ns; processor time of the target's processes during the capture
    std::uint64_t limitedNs = 0;    ///< ns; how long tracing was off to limit the effect
    /// Recordings: events of the run, of which a part may be missing in the file. 0: captured + lost.
    std::uint64_t recordedEvents = 0;
};

/// Conditions of a run.
struct RunFlags {
    bool growthStopped = false;     ///< the file system is full: no more stations or lanes can be made
    bool timesApproximate = false;  ///< the processor's counter was unreliable
    bool paused = false;            ///< the engine paused tracing
    bool unproven = false;          ///< old-SDK writers on a weakly ordered machine
};

/// All counts of a run, which are always shown.
struct Accounting : RunSums, RunOverflow, RegionGauges, RunLag, RunEffect, RunFlags {
    Accounting() = default;
    explicit Accounting(const RunSums &sums) : RunSums(sums) {}

    /// Events of the target that cost it time.
    std::uint64_t eventsWithCost() const { return recordedEvents != 0 ? recordedEvents : captured + lost; }
    /// The observer effect: the share of the target's processor time that its events cost. 0 = unknown.
    double observerEffect() const
    {
        const auto events = static_cast<double>(eventsWithCost());
        return targetCpuNs != 0 ? events * eventNs / static_cast<double>(targetCpuNs) : 0;
    }
};

}  // namespace ct
