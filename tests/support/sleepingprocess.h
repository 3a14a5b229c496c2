// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stream/stream.h"

namespace ct::test {

/// Adds samples of a process at `ts`: its only thread waits for a signal, so it keeps no coroutine from running.
inline void addSleepingProcess(Notes &notes, std::uint32_t pid, std::uint32_t tid, std::uint64_t ts)
{
    ThreadSample thread;
    thread.pid = pid;
    thread.tid = tid;
    thread.ts = ts;
    thread.state = ThreadState::Sleeping;
    thread.call = ThreadCall::Signal;
    ProcessSample process;
    process.pid = pid;
    process.ts = process.descriptorsTs = ts;
    process.threads = 1;
    process.areThreadsKnown = process.areCallsKnown = process.areDescriptorsKnown = true;
    notes.threadSamples.push_back(thread);
    notes.processSamples.push_back(process);
}

}  // namespace ct::test
