// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/exportedsamples.h"

namespace ct {

namespace {

auto keyOf(const ThreadSample &row)
{
    return std::tuple(row.pid, row.tid, 0U);
}

auto keyOf(const DescriptorSample &row)
{
    return std::tuple(row.pid, row.epoll, row.descriptor);
}

auto keyOf(const ProcessSample &row)
{
    return std::tuple(row.pid, 0U, 0U);
}

}  // namespace

ExportedSamples::ExportedSamples(const Population &population) : m_consumed(population.samples().consumedRows())
{
    const SampleLog &samples = population.samples();
    const auto append = [](auto &rows, const auto &more) { rows.insert(rows.end(), more.begin(), more.end()); };
    for (const std::uint32_t pid : samples.pids()) {
        append(m_remembered.threadSamples, samples.threadSamples(pid, 0));
        for (const WatchedDescriptor &descriptor : samples.descriptors(pid)) {
            // The row since which it is ready, and the latest one: no rule needs those in between.
            if (descriptor.readySince != 0 && descriptor.firstReady.ts < descriptor.latest.ts)
                m_remembered.descriptorSamples.push_back(descriptor.firstReady);
            m_remembered.descriptorSamples.push_back(descriptor.latest);
        }
        append(m_remembered.processSamples, samples.processSamples(pid));
    }
    m_now = population.now();
}

template <class Row>
void ExportedSamples::addRecorded(const std::vector<Row> &rows, Recorded &recorded, std::vector<Row> &to)
{
    for (const Row &row : rows) {
        // A replay has not reached the end of its latest block.
        if (row.ts > m_now)
            continue;
        recorded[keyOf(row)] = row.ts;
        to.push_back(row);
        ++m_exported;
    }
}

void ExportedSamples::addRecorded(const Notes &recorded, Notes &to)
{
    addRecorded(recorded.threadSamples, m_threads, to.threadSamples);
    addRecorded(recorded.descriptorSamples, m_descriptors, to.descriptorSamples);
    addRecorded(recorded.processSamples, m_processes, to.processSamples);
}

/// Adds the rows that are newer than the recorded ones about the same.
template <class Row>
void ExportedSamples::addNewer(const std::vector<Row> &rows, const Recorded &recorded, std::vector<Row> &to)
{
    for (const Row &row : rows) {
        const auto known = recorded.find(keyOf(row));
        if (known != recorded.end() && row.ts <= known->second)
            continue;
        to.push_back(row);
        ++m_exported;
    }
}

void ExportedSamples::addRemembered(Notes &to)
{
    addNewer(m_remembered.threadSamples, m_threads, to.threadSamples);
    addNewer(m_remembered.descriptorSamples, m_descriptors, to.descriptorSamples);
    addNewer(m_remembered.processSamples, m_processes, to.processSamples);
}

}  // namespace ct
