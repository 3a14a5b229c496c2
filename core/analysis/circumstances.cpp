// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/circumstances.h"

namespace ct {

namespace {

bool hasAddress(WaitKind kind)
{
    return kind == WaitKind::Lock || kind == WaitKind::Channel || kind == WaitKind::Other || kind == WaitKind::Unknown;
}

std::vector<ThreadSample> threadsOf(const SampleLog &samples, std::uint32_t pid, std::uint64_t now)
{
    std::vector<ThreadSample> latest;
    for (const ThreadSample &row : samples.threadSamples(pid, now)) {
        if (row.ts > now)
            continue;
        if (latest.empty() || latest.back().tid != row.tid)
            latest.push_back(row);
        else
            latest.back() = row;
    }
    std::erase_if(latest, [](const ThreadSample &row) { return row.state == ThreadState::Ended; });
    return latest;
}

}  // namespace

Circumstances circumstancesOf(const Subject &subject, CoroutineId id, std::uint64_t now)
{
    const Population &population = subject.population;
    Circumstances found;
    found.coroutine = population.at(id);
    found.notes = population.notes(id);
    found.waits = population.waitsOf(id);
    for (const WaitsOn &wait : found.waits)
        found.objects.push_back(hasAddress(wait.kind) ? subject.data.objects().stateOf(found.coroutine.pid, wait.object)
                                                      : std::nullopt);
    found.chain = awaitChainOf(population, id);
    const std::uint32_t pid = sampledPidOf(population, found.coroutine.pid);
    found.threads = threadsOf(population.samples(), pid, now);
    for (const WatchedDescriptor &descriptor : population.samples().descriptors(pid))
        found.descriptors.push_back(descriptor.latest);
    return found;
}

}  // namespace ct
