// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the engine saw of the threads and descriptors of a run: docs/decisions/0028. One writer, any number of readers.
#pragma once

#include "core/stream/stream.h"

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace ct {

/// A process was stopped by a signal or a debugger: from the latest visit that saw it run to the first that saw it run
/// again. So it is longer at each end by up to the time between two visits: 250 ms, or 1 s while the target idles.
struct StoppedTime {
    static constexpr std::uint64_t kLasting = ~std::uint64_t{0};
    std::uint32_t pid = 0;
    std::uint64_t from = 0;  ///< ns, CLOCK_MONOTONIC
    std::uint64_t to = 0;    ///< ns, CLOCK_MONOTONIC; kLasting = still stopped

    bool operator==(const StoppedTime &) const = default;
};

/// A descriptor that is registered in an epoll, or was until lately.
struct WatchedDescriptor {
    DescriptorSample latest;
    /// ns, CLOCK_MONOTONIC: since then, each row said that it is ready, and none that something was fetched; 0 = the
    /// latest row does not say that it is ready.
    std::uint64_t readySince = 0;
    DescriptorSample firstReady;  ///< the row of readySince, if that is known
};

/// The machine was suspended. CLOCK_MONOTONIC does not count suspended time, so a suspend has no duration in it.
struct MachineSuspend {
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC, of the first visit after it
    std::uint64_t durationNs = 0;

    bool operator==(const MachineSuspend &) const = default;
};

/// A mutex protects the contents, because they are containers. The writer locks it once for a batch with samples.
class SampleLog {
public:
    /// The rows of each thread that are kept: those of this many ns before the latest, and the one before them.
    static constexpr std::uint64_t kKeptNs = 16'000'000'000;
    static constexpr std::size_t kMostRowsOfThread = 128;
    /// Limits for a damaged recording. Rows beyond them are left out; then processSample() says that not all are known.
    static constexpr std::size_t kMostRows = 1U << 20;
    static constexpr std::size_t kMostRowsOfProcess = 4096;  ///< rows about the process itself
    static constexpr std::size_t kMostStops = 10'000;
    static constexpr std::size_t kMostSuspends = 10'000;

    /// Writer only.
    void consume(const Notes &notes);

    // Any thread.

    /// By thread, then by time: the row that held at `since` (ns), and all later ones. Threads that ended before are
    /// left out.
    std::vector<ThreadSample> threadSamples(std::uint32_t pid, std::uint64_t since) const;
    /// The descriptors that are registered in an epoll, and those that were removed or closed, for kKeptNs after that.
    std::vector<WatchedDescriptor> descriptors(std::uint32_t pid) const;
    /// The latest row about the process, with the latest times of all its rows; nullopt = it was never sampled.
    std::optional<ProcessSample> processSample(std::uint32_t pid) const;
    /// The rows about the process, oldest first; the latest kMostRowsOfProcess.
    std::vector<ProcessSample> processSamples(std::uint32_t pid) const;
    std::uint64_t consumedRows() const;                   ///< of all kinds, kept or not
    std::vector<std::uint32_t> pids() const;              ///< of all processes with samples
    std::vector<StoppedTime> stoppedTimes() const;        ///< by begin; the latest kMostStops
    std::vector<MachineSuspend> machineSuspends() const;  ///< oldest first; the latest kMostSuspends

private:
    struct Process {
        ProcessSample latest;
        std::deque<ProcessSample> rows;  ///< oldest first
        std::map<std::uint32_t, std::deque<ThreadSample>> threads;
        std::map<std::pair<std::uint32_t, std::uint32_t>, WatchedDescriptor> descriptors;  ///< by epoll, descriptor
        std::optional<std::uint64_t> stoppedSince;
        bool hasEnded = false;
        bool lacksThreads = false;      ///< rows were left out
        bool lacksDescriptors = false;  ///< rows were left out
        std::uint64_t evictedAt = 0;    ///< ns: latest.ts at the latest evictOld()
    };
    Process *processOf(std::uint32_t pid);
    static void clearUnknown(const Process &process, ProcessSample &latest);
    void add(const ThreadSample &row);
    void add(const DescriptorSample &row);
    void add(const ProcessSample &row);
    void evictOld(Process &process);
    void clear(Process &process);
    void endStop(std::uint32_t pid, Process &process, std::uint64_t ts);
    void addMachineSuspend(const ProcessSample &row);

    mutable std::mutex m_mutex;
    std::map<std::uint32_t, Process> m_processes;
    std::deque<StoppedTime> m_stops;  ///< the stops of processes that run again, or have ended
    std::deque<MachineSuspend> m_suspends;
    std::optional<std::uint64_t> m_suspendedNs;  ///< in all, as of the latest suspend
    std::size_t m_rows = 0;                      ///< of threads and descriptors
    std::uint64_t m_consumedRows = 0;
};

}  // namespace ct
