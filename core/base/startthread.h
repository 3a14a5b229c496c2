// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Starts threads. The system may refuse a thread (ulimit -u, a control group, no address space). The caller then
// returns an error or does the work itself; it never aborts or waits forever.
#pragma once

#include "core/base/result.h"

#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace ct {

/// The error for a refused thread. `purpose` completes "cannot start a thread ...": "to read run.ctr".
inline Error noThread(const std::string &purpose)
{
    return {ErrorCode::Busy, "cannot start a thread " + purpose +
                                 ": the system has no more threads, or no memory for one; end other programs, or raise "
                                 "the limit of processes (ulimit -u, pids.max of the control group) or of the address "
                                 "space (ulimit -v)"};
}

/// Returns false if the system refused the thread. `thread` is then unchanged.
template <class Run>
[[nodiscard]] bool startThread(std::thread &thread, Run &&run)
{
    try {
        thread = std::thread(std::forward<Run>(run));
    } catch (const std::system_error &) {
        return false;
    }
    return true;
}

/// Starts a QThread. A template, because rooms without Qt include this file. After an error the thread is neither
/// running nor finished, and wait() returns at once.
template <class QtThread>
Result<void> startQThread(QtThread &thread, const std::string &purpose)
{
    thread.start();
    if (!thread.isRunning() && !thread.isFinished())
        return noThread(purpose);
    return {};
}

}  // namespace ct
