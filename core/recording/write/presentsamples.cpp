// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/presentsamples.h"

namespace ct::ctr {

void PresentSamples::consume(const Notes &notes)
{
    for (const ThreadSample &row : notes.threadSamples) {
        if (row.state == ThreadState::Ended)
            m_threads.erase({row.pid, row.tid});
        else
            m_threads[{row.pid, row.tid}] = row;
    }
    for (const DescriptorSample &row : notes.descriptorSamples) {
        if (row.isRegistered())
            m_descriptors[{row.pid, row.epoll, row.descriptor}] = row;
        else
            m_descriptors.erase({row.pid, row.epoll, row.descriptor});
    }
    for (const ProcessSample &row : notes.processSamples) {
        m_processes[row.pid] = row;
        if (row.threads == 0)
            removeProcesses({row.pid});
    }
}

void PresentSamples::appendTo(Notes &notes) const
{
    for (const auto &[key, row] : m_threads)
        notes.threadSamples.push_back(row);
    for (const auto &[key, row] : m_descriptors)
        notes.descriptorSamples.push_back(row);
    for (const auto &[key, row] : m_processes)
        notes.processSamples.push_back(row);
}

void PresentSamples::removeProcesses(const std::set<std::uint32_t> &pids)
{
    const auto isOfOne = [&pids](const auto &entry) { return pids.contains(std::get<0>(entry.first)); };
    std::erase_if(m_threads, isOfOne);
    std::erase_if(m_descriptors, isOfOne);
    std::erase_if(m_processes, isOfOne);
}

}  // namespace ct::ctr
