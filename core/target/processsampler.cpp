// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/processsampler.h"

#include "core/base/usedtime.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ct {

namespace {

/// What a visit that began at `usedBefore` (usedByThread()) has cost, times `factor`.
std::uint64_t pauseAfter(std::uint64_t usedBefore, std::uint64_t factor)
{
    return (usedByThread() - usedBefore) * factor;
}

auto contentOf(const ProcessSample &row)
{
    return std::tie(row.threads, row.stoppedSince, row.areThreadsKnown, row.areCallsKnown, row.areDescriptorsKnown,
                    row.machineSuspendedNs);
}

}  // namespace

bool ProcessSampler::isOfOurNamespace(pid_t pid)
{
    // Readable by every user: the pids of the process in each namespace, from that of /proc on.
    const std::string text = ProcFile(AT_FDCWD, "/proc/" + std::to_string(pid) + "/status").readAll();
    constexpr std::string_view kPids = "\nNSpid:";
    const std::size_t at = text.find(kPids);
    if (at == std::string::npos)
        return false;
    ProcWords pids(std::string_view(text).substr(at + kPids.size(), text.find('\n', at + 1) - at - kPids.size()));
    return pids.number() == static_cast<std::uint64_t>(pid) && pids.next().empty();
}

ProcessSampler::ProcessSampler(pid_t pid, SocketQueues &sockets, KeptFiles &kept)
    : m_pid(static_cast<std::uint32_t>(pid)),
      m_directory(AT_FDCWD, "/proc/" + std::to_string(pid), O_DIRECTORY),
      m_threads(m_pid, m_directory, kept),
      m_descriptors(m_pid, m_directory, sockets)
{
    m_present.pid = m_pid;
}

bool ProcessSampler::sample(std::uint64_t nowNs, std::uint64_t suspendedNs, std::uint64_t processes, Notes &rows)
{
    if (nowNs < m_nextNs)
        return true;
    const bool lives = sampleThreads(nowNs, processes, rows);
    if (!lives && m_visitedNs == 0)
        return false;  // it had ended before
    m_present.ts = nowNs;
    if (m_visitedNs == 0 || suspendedNs >= m_present.machineSuspendedNs + kLeastMachineSuspendNs)
        m_present.machineSuspendedNs = suspendedNs;
    m_present.threads = lives ? m_threads.threads() : 0;
    m_present.areThreadsKnown = m_threads.areKnown();
    m_present.areCallsKnown = m_threads.areCallsKnown();
    if (!m_threads.isStopped() || !lives)
        m_present.stoppedSince = 0;
    else if (m_present.stoppedSince == 0)
        m_present.stoppedSince = m_visitedNs != 0 ? m_visitedNs : nowNs;
    const std::uint64_t sinceNs = nowNs - std::exchange(m_visitedNs, nowNs);
    if (lives && nowNs >= m_nextDescriptorsNs)
        sampleDescriptors(nowNs, processes, rows);
    const bool isSame = contentOf(m_present) == contentOf(m_emitted);
    const bool isVisitQuiet = isSame && rows.descriptorSamples.empty() && isQuiet(sinceNs);
    m_quietVisits = isVisitQuiet ? m_quietVisits + 1 : 0;
    m_nextNs = nowNs + std::max(gapAfter(nowNs), m_pauseNs);
    if (nowNs >= m_nextRowNs || !isSame) {
        m_nextRowNs = nowNs + kRowGapNs - kGapNs / 2;  // visits are not exactly in time
        m_emitted = m_present;
        rows.processSamples.push_back(m_present);
    }
    return lives;
}

/// Until the next visit. At whole seconds while the target idles, when timers of the engine wake a processor as well.
std::uint64_t ProcessSampler::gapAfter(std::uint64_t nowNs) const
{
    return m_quietVisits < kQuietVisits ? kGapNs : kQuietGapNs - nowNs % kQuietGapNs;
}

/// Returns false if the process has ended.
bool ProcessSampler::sampleThreads(std::uint64_t nowNs, std::uint64_t processes, Notes &rows)
{
    const std::uint64_t before = usedByThread();
    const bool isComplete = nowNs >= m_nextCompleteNs;
    const bool lives = m_threads.sample(nowNs, isComplete, rows.threadSamples);
    // The first visit, which opens the files, does not count.
    const bool isFirst = m_visitedNs == 0;
    m_pauseNs = isFirst || isComplete ? 0 : pauseAfter(before, kCostFactor * processes);
    if (isComplete) {
        const std::uint64_t pauseNs = isFirst ? 0 : pauseAfter(before, kRareCostFactor * processes);
        m_nextCompleteNs = nowNs + std::max(kCompleteGapNs - kGapNs / 2, pauseNs);
    }
    return lives;
}

/// Returns true if little has happened since the visit before, `sinceNs` ago.
bool ProcessSampler::isQuiet(std::uint64_t sinceNs) const
{
    return m_threads.isUnchanged() && m_threads.usedNs() <= sinceNs / kQuietShare;
}

void ProcessSampler::sampleDescriptors(std::uint64_t nowNs, std::uint64_t processes, Notes &rows)
{
    if (nowNs >= m_nextSearchNs) {
        const std::uint64_t before = usedByThread();
        m_descriptors.findEpolls();
        m_nextSearchNs = nowNs + std::max(kSearchGapNs, pauseAfter(before, kRareCostFactor * processes));
    }
    const std::uint64_t before = usedByThread();
    for (const std::uint32_t epoll : m_threads.epolls())
        m_descriptors.addEpoll(epoll);
    m_descriptors.sample(nowNs, rows.descriptorSamples);
    m_present.descriptorsTs = nowNs;
    m_present.areDescriptorsKnown = m_descriptors.areKnown();
    // A visit of the threads that comes at the same time takes these along.
    const std::uint64_t pauseNs = m_nextDescriptorsNs == 0 ? 0 : pauseAfter(before, kCostFactor * processes);
    m_nextDescriptorsNs = nowNs + std::max(kGapNs, pauseNs) - kGapNs / 2;
}

}  // namespace ct
