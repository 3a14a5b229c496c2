// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Samples the threads of one process: state, processor time, run delay, and the call in which each one sleeps. Only
// reads /proc. Qt-free. Not thread-safe.
#pragma once

#include "core/stream/evidence.h"
#include "core/target/procfile.h"
#include "core/target/systemcall.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

/// How many descriptors all samplers of a run may keep open. A thread for which none are left costs more.
struct KeptFiles {
    std::uint64_t left = 0;
};

class ThreadSampler {
public:
    /// `process` is the open directory /proc/PID. It and `kept` must outlive the sampler.
    ThreadSampler(std::uint32_t pid, const ProcFile &process, KeptFiles &kept);
    ~ThreadSampler();
    ThreadSampler(const ThreadSampler &) = delete;
    ThreadSampler &operator=(const ThreadSampler &) = delete;

    /// Reads the state of all threads. Appends to `rows` one row, with time `ts`, for each thread that has changed.
    /// With `isComplete`, also reads all files of threads whose processor time has not changed; otherwise these count
    /// as unchanged. Returns false if the process has ended.
    bool sample(std::uint64_t ts, bool isComplete, std::vector<ThreadSample> &rows);

    std::uint32_t threads() const { return m_running; }  ///< threads that had not ended
    bool areKnown() const { return m_areKnown; }         ///< every thread could be read
    bool areCallsKnown() const { return m_areCallsKnown; }
    bool isStopped() const { return m_running != 0 && m_stopped == m_running; }
    /// In the latest visit, every thread was in the state and the call of the visit before. Processor time may have
    /// been used in between: usedNs().
    bool isUnchanged() const { return m_isUnchanged; }
    /// ns that the threads used between the latest two visits.
    std::uint64_t usedNs() const { return m_usedNs; }
    /// Descriptors of the epolls in which threads wait.
    const std::vector<std::uint32_t> &epolls() const { return m_epolls; }

private:
    struct Thread {
        ProcFile schedule;  ///< these three are not open if too many files are
        ProcFile stat;
        ProcFile call;
        bool isKept = false;
        std::uint64_t turns = 0;  ///< how often it has got a processor
        bool isNew = true;
        ThreadSample latest;
        SystemCall entered;     ///< the call that was seen last
        std::string arguments;  ///< its arguments and registers, as text
    };
    using Threads = std::map<std::uint32_t, Thread>;

    void listThreads();
    void findLateThreads();
    void addThread(std::uint32_t tid);
    std::string_view read(const Thread &thread, const ProcFile &kept, const char *name, std::span<char> buffer) const;
    void visit(Thread &thread, bool isComplete, ThreadSample &sample);
    void readStat(const Thread &thread, ThreadSample &sample, bool hasSchedule);
    SystemCall readCall(Thread &thread) const;
    static void setCall(ThreadSample &sample, const SystemCall &call);
    Threads::iterator remove(Threads::iterator thread);

    const std::uint32_t m_pid;
    KeptFiles &m_kept;
    ProcFile m_tasks;
    Threads m_threads;
    std::uint64_t m_listed = 0;  ///< number of threads when they were listed
    bool m_wantsList = true;
    bool m_areKnown = false;
    bool m_areCallsKnown = false;
    bool m_isUnchanged = false;
    std::uint64_t m_usedNs = 0;
    std::uint32_t m_running = 0;
    std::uint32_t m_stopped = 0;
    std::vector<std::uint32_t> m_epolls;
};

}  // namespace ct
