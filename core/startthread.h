// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Starts threads. The system may refuse one (ulimit -u, a control group, no address space): that is an error, or work
// for the calling thread, but never an abort or an endless wait.
#pragma once

#include "core/result.h"

#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace ct {

/// `purpose` completes "cannot start a thread ...": "to read run.ctr".
inline Error noThread(const std::string &purpose)
{
    return {ErrorCode::Busy, "cannot start a thread " + purpose +
                                 ": the system has no more threads, or no memory for one; end other programs, or raise "
                                 "the limit of processes (ulimit -u, pids.max of the control group) or of the address "
                                 "space (ulimit -v)"};
}

/// False: the system refused the thread; `thread` has not changed.
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

/// Starts a QThread; a template, so that rooms without Qt can include this file. After an error the thread is neither
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
