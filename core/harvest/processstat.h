// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// /proc/PID/stat: whether a process still runs, and which of those that had its pid it is. Qt-free.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace ct {

struct ProcessStat {
    bool isRead = false;  ///< false: there is no such process, or /proc/PID/stat cannot be read
    char state = 0;       ///< field 3 of proc_pid_stat(5)
    std::uint64_t threads = 0;
    std::uint64_t startTicks = 0;  ///< since boot

    /// A zombie with further threads runs on: its main thread has ended by pthread_exit().
    bool runs() const { return isRead && state != 'X' && (state != 'Z' || threads > 1); }

    static ProcessStat of(pid_t pid);
};

/// Whether a process has that pid; true also if nobody may know.
bool processExists(pid_t pid);

}  // namespace ct
