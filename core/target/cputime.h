// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The processor time that the processes of a target use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include <sys/types.h>

namespace ct {

/// Sums the processor time of processes while they are known. The time of a process counts up to its latest sample, so
/// what it uses between that and its end is missing. Not thread-safe.
class CpuTime {
public:
    /// Adds a process, unless it is known. `fromStart`: counts all of its time so far, too.
    void add(pid_t pid, bool fromStart);
    /// Returns the sum, ns.
    std::uint64_t sample();
    /// Number of processes that had not ended at the latest sample. The next sample reads only these.
    std::size_t running() const { return m_processes.size(); }

private:
    struct Process {
        std::uint64_t counted = 0;  ///< ns of processes that had this pid
        std::uint64_t from = 0;     ///< ns; what the process had used before
        std::uint64_t latest = 0;   ///< ns; at the latest sample
    };
    std::map<pid_t, Process> m_processes;
    std::uint64_t m_endedNs = 0;  ///< ns of processes that have ended
};

}  // namespace ct
