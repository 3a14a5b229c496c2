// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/evidencesampler.h"

#include "core/base/monotonic.h"
#include "core/base/precedence.h"
#include "core/base/startthread.h"

#include <algorithm>
#include <pthread.h>
#include <sys/resource.h>

namespace ct {

namespace {

/// Rows that may wait for a late decoder, some 64 MiB. Beyond it, no samples are taken until it has caught up.
constexpr std::uint64_t kMostWaiting = 1U << 20;
/// Descriptors for 2,048 threads, but at most an eighth of the limit.
constexpr std::uint64_t kMostFiles = 6144;
constexpr std::uint64_t kFilesShare = 8;
/// Each process needs four more, so these are at most another eighth.
constexpr std::uint64_t kMostProcesses = 256;
constexpr std::uint64_t kProcessesShare = 32;
/// Without processes, only setProcesses() and stop() end the wait.
constexpr std::uint64_t kIdleNs = 3'600'000'000'000;

std::uint64_t limitOfFiles()
{
    rlimit files{};
    return ::getrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_cur : 0;
}

}  // namespace

EvidenceSampler::EvidenceSampler(std::shared_ptr<AddedNotes> notes) : m_notes(std::move(notes)) {}

EvidenceSampler::~EvidenceSampler()
{
    stop();
}

Result<void> EvidenceSampler::start()
{
    m_isEnding.store(false, std::memory_order_relaxed);  // the start of the thread publishes it
    const std::uint64_t limit = limitOfFiles();
    m_kept.left = std::min(kMostFiles, limit / kFilesShare);
    m_mostProcesses = std::min(kMostProcesses, limit / kProcessesShare);
    if (!startThread(m_thread, [this] { run(); }))
        return noThread("to sample the threads of the target");
    return {};
}

void EvidenceSampler::requestStop()
{
    m_isEnding.store(true, std::memory_order_release);
    m_signal.raise();
}

void EvidenceSampler::stop()
{
    requestStop();
    if (m_thread.joinable())
        m_thread.join();
}

void EvidenceSampler::setProcesses(std::vector<pid_t> pids)
{
    {
        const std::lock_guard lock(m_mutex);
        m_wanted = std::move(pids);
        m_hasNewWanted = true;
    }
    m_signal.raise();
}

void EvidenceSampler::run()
{
    (void)pthread_setname_np(pthread_self(), "sample");
    giveWay();
    while (!m_isEnding.load(std::memory_order_acquire)) {
        applyProcesses();
        const std::uint64_t next = sampleAll();
        const std::uint64_t now = monotonicNow();
        m_signal.waitFor(std::chrono::nanoseconds(next > now ? next - now : 0));
    }
    m_processes.clear();
}

void EvidenceSampler::applyProcesses()
{
    std::vector<pid_t> wanted;
    {
        const std::lock_guard lock(m_mutex);
        if (!std::exchange(m_hasNewWanted, false))
            return;
        wanted = m_wanted;
    }
    std::erase_if(m_processes, [&wanted](const auto &process) {
        return std::find(wanted.begin(), wanted.end(), process.first) == wanted.end();
    });
    std::size_t sampled = this->sampled();
    for (const pid_t pid : wanted) {
        std::unique_ptr<ProcessSampler> &process = m_processes[pid];
        if (process || sampled >= m_mostProcesses || !ProcessSampler::isOfOurNamespace(pid))
            continue;
        process = std::make_unique<ProcessSampler>(pid, m_sockets, m_kept);
        ++sampled;
    }
}

std::size_t EvidenceSampler::sampled() const
{
    return static_cast<std::size_t>(std::count_if(m_processes.begin(), m_processes.end(),
                                                  [](const auto &process) { return process.second != nullptr; }));
}

/// Visits all processes that are due. Returns the time (ns) of the next visit.
std::uint64_t EvidenceSampler::sampleAll()
{
    std::uint64_t next = monotonicNow() + kIdleNs;
    if (m_notes->rowsWaiting() > kMostWaiting)
        return monotonicNow() + ProcessSampler::kGapNs;
    const std::uint64_t sampled = this->sampled();
    for (auto &[pid, process] : m_processes) {
        if (!process)
            continue;
        Notes rows;
        const std::uint64_t now = monotonicNow();
        const bool lives = process->sample(now, machineSuspended(), sampled, rows);
        next = std::min(next, process->nextNs());
        if (rows.hasSamples())
            m_notes->add(now, std::move(rows));
        if (!lives)
            process.reset();
    }
    return next;
}

}  // namespace ct
