// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads /proc/PID/stat: whether a process still runs, and its start time, which distinguishes processes with the same
// pid. Qt-free.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace ct {

struct ProcessStat {
    bool isRead = false;  ///< false: there is no such process, or /proc/PID/stat cannot be read
    char state = 0;       ///< field 3 of proc_pid_stat(5)
    std::uint64_t threads = 0;
    std::uint64_t startTicks = 0;  ///< start of the process, in clock ticks since boot

    /// A zombie with other threads still runs: its main thread has ended with pthread_exit().
    bool runs() const { return isRead && state != 'X' && (state != 'Z' || threads > 1); }

    static ProcessStat of(pid_t pid);
};

/// Returns true if a process has this pid, or if the system does not permit the check.
bool processExists(pid_t pid);

}  // namespace ct
