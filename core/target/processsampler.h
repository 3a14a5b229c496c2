// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Samples one process: its threads, its descriptors, and whether it is stopped. Qt-free. Not thread-safe.
#pragma once

#include "core/stream/stream.h"
#include "core/target/descriptorsampler.h"
#include "core/target/threadsampler.h"

#include <cstdint>
#include <sys/types.h>

namespace ct {

class ProcessSampler {
public:
    /// Between two visits of threads, and of descriptors. Longer if those of all processes would cost more than a fifth
    /// of a percent of a processor each.
    static constexpr std::uint64_t kGapNs = 250'000'000;
    static constexpr std::uint64_t kCostFactor = 500;
    /// The target idles if so many visits in a row, which take 8 s, see each thread in the same state and call, and
    /// less processor time than a part in kQuietShare. Then they are at most kQuietGapNs apart, until that ends.
    static constexpr int kQuietVisits = 32;
    static constexpr std::uint64_t kQuietShare = 64;
    static constexpr std::uint64_t kQuietGapNs = 1'000'000'000;
    /// Between two rows ProcessSample of an unchanged process.
    static constexpr std::uint64_t kRowGapNs = 1'000'000'000;
    /// Shortest times between two complete visits of threads, and between two searches for epolls. Each of the two
    /// costs at most a twentieth of a percent.
    static constexpr std::uint64_t kCompleteGapNs = 1'000'000'000;
    static constexpr std::uint64_t kSearchGapNs = 5'000'000'000;
    static constexpr std::uint64_t kRareCostFactor = 2000;

    /// Returns true if a process with this pid is in our pid namespace, so that its pid in the stream is the same.
    static bool isOfOurNamespace(pid_t pid);

    ProcessSampler(pid_t pid, SocketQueues &sockets, KeptFiles &kept);
    ProcessSampler(const ProcessSampler &) = delete;
    ProcessSampler &operator=(const ProcessSampler &) = delete;

    /// ns, CLOCK_MONOTONIC, of the next visit.
    std::uint64_t nextNs() const { return m_nextNs; }
    /// Visits the process if it is time, and appends rows. Returns false if it has ended. `processes`: how many are
    /// sampled in all. `suspendedNs`: machineSuspended().
    bool sample(std::uint64_t nowNs, std::uint64_t suspendedNs, std::uint64_t processes, Notes &rows);

private:
    bool isQuiet(std::uint64_t sinceNs) const;
    std::uint64_t gapAfter(std::uint64_t nowNs) const;
    bool sampleThreads(std::uint64_t nowNs, std::uint64_t processes, Notes &rows);
    void sampleDescriptors(std::uint64_t nowNs, std::uint64_t processes, Notes &rows);

    const std::uint32_t m_pid;
    ProcFile m_directory;
    ThreadSampler m_threads;
    DescriptorSampler m_descriptors;
    std::uint64_t m_nextNs = 0;
    std::uint64_t m_nextDescriptorsNs = 0;
    std::uint64_t m_nextSearchNs = 0;
    std::uint64_t m_nextCompleteNs = 0;
    std::uint64_t m_nextRowNs = 0;
    std::uint64_t m_pauseNs = 0;    ///< after the latest visit of threads
    std::uint64_t m_visitedNs = 0;  ///< the latest visit
    int m_quietVisits = 0;          ///< in a row, see isQuiet()
    ProcessSample m_emitted;
    ProcessSample m_present;
};

}  // namespace ct
