// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/samplelog.h"

#include <algorithm>

namespace ct {

namespace {

constexpr std::size_t kMostProcesses = 65'536;
/// Between two passes over the rows of a process, to remove old ones.
constexpr std::uint64_t kEvictEveryNs = 1'000'000'000;

}  // namespace

void SampleLog::consume(const Notes &notes)
{
    if (!notes.hasSamples())
        return;
    const std::lock_guard lock(m_mutex);
    for (const ThreadSample &row : notes.threadSamples)
        add(row);
    m_consumedRows += notes.threadSamples.size() + notes.descriptorSamples.size() + notes.processSamples.size();
    for (const DescriptorSample &row : notes.descriptorSamples)
        add(row);
    for (const ProcessSample &row : notes.processSamples)
        add(row);
}

/// The process to which the next row with this pid belongs; nullptr = there are too many.
SampleLog::Process *SampleLog::processOf(std::uint32_t pid)
{
    if (m_processes.size() >= kMostProcesses && !m_processes.contains(pid))
        return nullptr;
    Process &process = m_processes[pid];
    if (process.hasEnded)  // another process has the pid now
        clear(process);
    process.latest.pid = pid;
    return &process;
}

void SampleLog::clear(Process &process)
{
    for (const auto &[tid, rows] : process.threads)
        m_rows -= rows.size();
    m_rows -= process.descriptors.size();
    process = {};
}

void SampleLog::add(const ThreadSample &row)
{
    Process *const process = processOf(row.pid);
    if (!process)
        return;
    process->latest.ts = std::max(process->latest.ts, row.ts);
    if (m_rows >= kMostRows && !process->threads.contains(row.tid)) {
        process->lacksThreads = true;
        return;
    }
    std::deque<ThreadSample> &rows = process->threads[row.tid];
    // The number of an ended thread is in use again, or a keyframe repeats the row.
    if (!rows.empty() && rows.back().ts >= row.ts) {
        rows.back() = row;
        return;
    }
    rows.push_back(row);
    ++m_rows;
    const std::uint64_t oldest = row.ts - std::min(row.ts, kKeptNs);
    while (rows.size() > 1 && (rows.size() > kMostRowsOfThread || m_rows > kMostRows || rows[1].ts <= oldest)) {
        rows.pop_front();
        --m_rows;
    }
}

void SampleLog::add(const DescriptorSample &row)
{
    Process *const process = processOf(row.pid);
    if (!process)
        return;
    process->latest.descriptorsTs = std::max(process->latest.descriptorsTs, row.ts);
    const auto key = std::pair(row.epoll, row.descriptor);
    const bool isNew = !process->descriptors.contains(key);
    if (isNew && m_rows >= kMostRows) {
        process->lacksDescriptors = true;
        return;
    }
    WatchedDescriptor &descriptor = process->descriptors[key];
    const bool isStillReady = descriptor.readySince != 0 && row.pending >= descriptor.latest.pending;
    if (!row.isReady())
        descriptor.readySince = 0;
    else if (!isStillReady)
        descriptor.readySince = (descriptor.firstReady = row).ts;
    descriptor.latest = row;
    m_rows += isNew ? 1 : 0;
}

void SampleLog::add(const ProcessSample &row)
{
    Process *const process = processOf(row.pid);
    if (!process)
        return;
    process->rows.push_back(row);
    if (process->rows.size() > kMostRowsOfProcess)
        process->rows.pop_front();
    const ProcessSample before = process->latest;
    process->latest = row;
    process->latest.ts = std::max(row.ts, before.ts);
    process->latest.descriptorsTs = std::max(row.descriptorsTs, before.descriptorsTs);
    if (row.stoppedSince == 0)
        endStop(row.pid, *process, row.ts);
    else if (process->stoppedSince != row.stoppedSince)
        endStop(row.pid, *process, row.stoppedSince);  // it ran in between, and that row is missing
    if (row.stoppedSince != 0)
        process->stoppedSince = row.stoppedSince;
    process->hasEnded = row.threads == 0;
    addMachineSuspend(row);
    if (process->latest.ts >= process->evictedAt + kEvictEveryNs) {
        process->evictedAt = process->latest.ts;
        evictOld(*process);
    }
}

void SampleLog::addMachineSuspend(const ProcessSample &row)
{
    if (m_suspendedNs && row.machineSuspendedNs < *m_suspendedNs + kLeastMachineSuspendNs)
        return;
    if (m_suspendedNs)
        m_suspends.push_back({row.ts, row.machineSuspendedNs - *m_suspendedNs});
    m_suspendedNs = row.machineSuspendedNs;
    if (m_suspends.size() > kMostSuspends)
        m_suspends.pop_front();
}

void SampleLog::endStop(std::uint32_t pid, Process &process, std::uint64_t ts)
{
    if (!process.stoppedSince)
        return;
    m_stops.push_back({pid, *process.stoppedSince, std::max(ts, *process.stoppedSince)});
    process.stoppedSince.reset();
    if (m_stops.size() > kMostStops)
        m_stops.pop_front();
}

/// Removes what ended before the times that are kept.
void SampleLog::evictOld(Process &process)
{
    const std::uint64_t oldest = process.latest.ts - std::min(process.latest.ts, kKeptNs);
    std::erase_if(process.threads, [&](const auto &thread) {
        const bool isOld = thread.second.back().state == ThreadState::Ended && thread.second.back().ts < oldest;
        m_rows -= isOld ? thread.second.size() : 0;
        return isOld;
    });
    m_rows -= std::erase_if(process.descriptors, [oldest](const auto &descriptor) {
        const DescriptorSample &latest = descriptor.second.latest;
        return !latest.isRegistered() && latest.ts < oldest;
    });
}

std::vector<ThreadSample> SampleLog::threadSamples(std::uint32_t pid, std::uint64_t since) const
{
    std::vector<ThreadSample> samples;
    const std::lock_guard lock(m_mutex);
    const auto found = m_processes.find(pid);
    if (found == m_processes.end())
        return samples;
    for (const auto &[tid, rows] : found->second.threads) {
        auto first = std::upper_bound(rows.begin(), rows.end(), since,
                                      [](std::uint64_t ts, const ThreadSample &row) { return ts < row.ts; });
        if (first != rows.begin() && std::prev(first)->state != ThreadState::Ended)
            --first;
        samples.insert(samples.end(), first, rows.end());
    }
    return samples;
}

std::vector<WatchedDescriptor> SampleLog::descriptors(std::uint32_t pid) const
{
    std::vector<WatchedDescriptor> descriptors;
    const std::lock_guard lock(m_mutex);
    if (const auto found = m_processes.find(pid); found != m_processes.end()) {
        for (const auto &[key, descriptor] : found->second.descriptors)
            descriptors.push_back(descriptor);
    }
    return descriptors;
}

std::optional<ProcessSample> SampleLog::processSample(std::uint32_t pid) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_processes.find(pid);
    if (found == m_processes.end())
        return std::nullopt;
    ProcessSample latest = found->second.latest;
    clearUnknown(found->second, latest);
    return latest;
}

/// Clears what rows that were left out make unknown.
void SampleLog::clearUnknown(const Process &process, ProcessSample &latest)
{
    latest.areThreadsKnown = latest.areThreadsKnown && !process.lacksThreads;
    latest.areDescriptorsKnown = latest.areDescriptorsKnown && !process.lacksDescriptors;
}

std::vector<ProcessSample> SampleLog::processSamples(std::uint32_t pid) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_processes.find(pid);
    if (found == m_processes.end() || found->second.rows.empty())
        return {};
    std::vector<ProcessSample> samples(found->second.rows.begin(), found->second.rows.end());
    clearUnknown(found->second, samples.back());
    return samples;
}

std::uint64_t SampleLog::consumedRows() const
{
    const std::lock_guard lock(m_mutex);
    return m_consumedRows;
}

std::vector<std::uint32_t> SampleLog::pids() const
{
    std::vector<std::uint32_t> pids;
    const std::lock_guard lock(m_mutex);
    for (const auto &[pid, process] : m_processes)
        pids.push_back(pid);
    return pids;
}

std::vector<MachineSuspend> SampleLog::machineSuspends() const
{
    const std::lock_guard lock(m_mutex);
    return {m_suspends.begin(), m_suspends.end()};
}

std::vector<StoppedTime> SampleLog::stoppedTimes() const
{
    std::vector<StoppedTime> stops;
    {
        const std::lock_guard lock(m_mutex);
        stops.assign(m_stops.begin(), m_stops.end());
        for (const auto &[pid, process] : m_processes) {
            if (process.stoppedSince)
                stops.push_back({pid, *process.stoppedSince, StoppedTime::kLasting});
        }
    }
    std::stable_sort(stops.begin(), stops.end(),
                     [](const StoppedTime &a, const StoppedTime &b) { return a.from < b.from; });
    return stops;
}

}  // namespace ct
