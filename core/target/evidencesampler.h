// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The thread that samples the processes of a run four times a second: docs/decisions/0028. Qt-free.
#pragma once

#include "core/base/result.h"
#include "core/base/wakesignal.h"
#include "core/harvest/addednotes.h"
#include "core/target/processsampler.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ct {

class EvidenceSampler {
public:
    explicit EvidenceSampler(std::shared_ptr<AddedNotes> notes);
    ~EvidenceSampler();  ///< as stop()
    EvidenceSampler(const EvidenceSampler &) = delete;
    EvidenceSampler &operator=(const EvidenceSampler &) = delete;

    /// Starts the thread. Fails only if the system refuses one.
    Result<void> start();
    /// Ends the thread. It may be in a visit of some ms.
    void stop();
    /// As stop(), but does not wait for the thread.
    void requestStop();
    /// The processes to sample. Those of other pid namespaces are left out, and those beyond the first 256, or beyond
    /// what the limit of open files allows. Any thread.
    void setProcesses(std::vector<pid_t> pids);

private:
    void run();
    void applyProcesses();
    std::size_t sampled() const;  ///< processes that are sampled
    std::uint64_t sampleAll();

    const std::shared_ptr<AddedNotes> m_notes;
    WakeSignal m_signal;
    std::atomic<bool> m_isEnding{false};  ///< release by stop(), acquire by the thread
    std::mutex m_mutex;
    std::vector<pid_t> m_wanted;  ///< under the mutex
    bool m_hasNewWanted = false;  ///< under the mutex
    std::thread m_thread;

    // The thread only.
    KeptFiles m_kept;
    std::size_t m_mostProcesses = 0;
    SocketQueues m_sockets;
    std::map<pid_t, std::unique_ptr<ProcessSampler>> m_processes;  ///< nullptr: is not sampled
};

}  // namespace ct
