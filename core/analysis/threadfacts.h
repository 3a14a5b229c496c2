// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the samples say about the threads of one process at one instant.
#pragma once

#include "core/trace/population.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ct {

struct ThreadFacts {
    /// False: the threads were not sampled up to the instant, or not completely. The members below say nothing then.
    bool areKnown = false;
    /// The registrations in epolls were sampled up to the instant, or all threads have slept since they were. Else
    /// `anyTimed`, `externals` and `canOnlyWakeOneAnother` say nothing.
    bool areDescriptorsKnown = false;
    std::uint64_t knownUntil = 0;  ///< ns: the latest time for which they are true
    std::uint64_t threads = 0;
    bool allSleep = false;
    std::uint64_t asleepSince = 0;  ///< ns: no thread has run since then, if allSleep
    bool anyTimed = false;          ///< a thread sleeps with a timeout, or a timer is armed
    /// Threads that sleep with a timeout, or in calls other than those for locks and epolls.
    std::uint64_t timedOrBlocked = 0;
    /// Registrations in epolls that can become ready by something outside of the process, except timers.
    std::uint64_t externals = 0;
    /// All threads sleep without a timeout, for locks or in epolls, and nothing that the epolls wait for can come from
    /// outside of the process: no armed timer, no socket, pipe or terminal.
    bool canOnlyWakeOneAnother = false;
    std::uint64_t since = 0;  ///< ns: canOnlyWakeOneAnother is true since then
};

/// The process whose samples are about the threads of `pid`: version-1 probes do not report pids (0), so it is the only
/// process that was sampled.
std::uint32_t sampledPidOf(const Population &population, std::uint32_t pid);

ThreadFacts threadFactsOf(const Population &population, std::uint32_t pid, std::uint64_t now);

/// The latest row of each thread at time `now`; an ended thread has none.
std::vector<ThreadSample> latestThreadSamples(const Population &population, std::uint32_t pid, std::uint64_t now);

/// True for a thread that sleeps as a worker without work, not in a call for a coroutine.
bool isIdle(const ThreadSample &row);

/// How a thread spent the time from `since` on.
struct ThreadUse {
    bool isKnown = false;
    double busyShare = 0;  ///< 0..1 of the time, without its run delay, that it used a processor
    ThreadSample latest;
};
ThreadUse threadUseOf(const Population &population, std::uint32_t pid, std::uint32_t tid, std::uint64_t since,
                      std::uint64_t now);

/// "a read or write of descriptor 7", for a thread that sleeps in a call.
std::string callText(const ThreadSample &sample);

}  // namespace ct
