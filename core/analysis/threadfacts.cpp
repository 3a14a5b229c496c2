// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/threadfacts.h"

#include <algorithm>
#include <optional>

namespace ct {

namespace {

/// Processes are sampled once a second; a busy machine may be late.
constexpr std::uint64_t kLatestSampleNs = 3'000'000'000;

/// True if the descriptor can become ready by something outside of the process.
bool isExternal(const DescriptorSample &row)
{
    if (!row.isRegistered() || row.kind == DescriptorKind::Event)
        return false;
    return row.kind == DescriptorKind::Timer ? row.deadline != 0 : true;
}

bool canBeWokenFromOutside(const ThreadSample &thread, const std::vector<WatchedDescriptor> &descriptors)
{
    if (!thread.isSleeping() || thread.isTimed)
        return true;
    if (thread.call == ThreadCall::Futex)
        return false;
    return thread.call != ThreadCall::Epoll ||
           std::any_of(descriptors.begin(), descriptors.end(), [&thread](const WatchedDescriptor &watched) {
               return watched.latest.epoll == thread.object && isExternal(watched.latest);
           });
}

}  // namespace

std::uint32_t sampledPidOf(const Population &population, std::uint32_t pid)
{
    if (pid != 0)
        return pid;
    const std::vector<std::uint32_t> sampled = population.samples().pids();
    return sampled.size() == 1 ? sampled.front() : 0;
}

std::vector<ThreadSample> latestThreadSamples(const Population &population, std::uint32_t pid, std::uint64_t now)
{
    std::vector<ThreadSample> latest;
    for (const ThreadSample &row : population.samples().threadSamples(pid, now)) {
        if (row.ts > now)
            continue;
        if (!latest.empty() && latest.back().tid == row.tid)
            latest.back() = row;
        else
            latest.push_back(row);
    }
    std::erase_if(latest, [](const ThreadSample &row) { return row.state == ThreadState::Ended; });
    return latest;
}

bool isIdle(const ThreadSample &row)
{
    return row.isSleeping() && (row.call == ThreadCall::Futex || row.call == ThreadCall::Epoll ||
                                row.call == ThreadCall::Poll || row.call == ThreadCall::Ring);
}

ThreadFacts threadFactsOf(const Population &population, std::uint32_t pid, std::uint64_t now)
{
    ThreadFacts facts;
    const std::optional<ProcessSample> process = population.samples().processSample(pid);
    facts.areKnown = process && process->threads != 0 && process->areThreadsKnown && process->areCallsKnown &&
                     process->stoppedSince == 0 && process->ts + kLatestSampleNs > now;
    if (!facts.areKnown)
        return facts;
    const std::vector<ThreadSample> threads = latestThreadSamples(population, pid, now);
    const std::vector<WatchedDescriptor> descriptors = population.samples().descriptors(pid);
    facts.knownUntil = std::min(process->ts, now);
    facts.threads = threads.size();
    facts.allSleep =
        std::all_of(threads.begin(), threads.end(), [](const ThreadSample &row) { return row.isSleeping(); });
    for (const ThreadSample &thread : threads) {
        facts.asleepSince = std::max(facts.asleepSince, thread.ts);
        facts.anyTimed = facts.anyTimed || thread.isTimed;
        const bool isBlocked = thread.call != ThreadCall::Futex && thread.call != ThreadCall::Epoll;
        facts.timedOrBlocked += thread.isTimed || isBlocked ? 1 : 0;
    }
    // While all threads of the process sleep, it cannot add descriptors to an epoll, or remove them. So older samples
    // of them are still true.
    facts.areDescriptorsKnown =
        process->areDescriptorsKnown && (process->descriptorsTs + kLatestSampleNs > now ||
                                         (facts.allSleep && process->descriptorsTs >= facts.asleepSince));
    facts.canOnlyWakeOneAnother = facts.areDescriptorsKnown && !threads.empty() &&
                                  std::none_of(threads.begin(), threads.end(), [&](const ThreadSample &thread) {
                                      return canBeWokenFromOutside(thread, descriptors);
                                  });
    facts.since = facts.asleepSince;
    for (const WatchedDescriptor &watched : descriptors) {
        const DescriptorSample &row = watched.latest;
        facts.since = std::max(facts.since, row.ts);
        const bool isTimer = row.kind == DescriptorKind::Timer;
        facts.anyTimed = facts.anyTimed || (isTimer && isExternal(row));
        facts.externals += !isTimer && isExternal(row) ? 1 : 0;
    }
    return facts;
}

ThreadUse threadUseOf(const Population &population, std::uint32_t pid, std::uint32_t tid, std::uint64_t since,
                      std::uint64_t now)
{
    ThreadUse use;
    const std::optional<ProcessSample> process = population.samples().processSample(pid);
    if (!process || process->stoppedSince != 0 || process->ts <= since || process->ts + kLatestSampleNs <= now)
        return use;
    std::optional<ThreadSample> first;
    for (const ThreadSample &row : population.samples().threadSamples(pid, since)) {
        if (row.tid != tid || row.ts > now)
            continue;
        if (!first)
            first = row;
        use.latest = row;
    }
    if (!first || use.latest.state == ThreadState::Ended)
        return use;
    // A row holds until the next one: a thread that sleeps has no later row.
    const std::uint64_t begin = std::max(first->ts, since);
    const std::uint64_t end = use.latest.isSleeping() ? std::min(now, process->ts) : use.latest.ts;
    if (end <= begin)
        return use;
    const auto grown = [](std::uint64_t from, std::uint64_t to) { return to - std::min(from, to); };
    const std::uint64_t usedNs = grown(first->cpuNs, use.latest.cpuNs);
    const std::uint64_t delayedNs = grown(first->runDelayNs, use.latest.runDelayNs);
    const std::uint64_t ownNs = std::max(usedNs, end - begin - std::min(end - begin, delayedNs));
    use.isKnown = true;
    use.busyShare = ownNs == 0 ? 0 : static_cast<double>(usedNs) / static_cast<double>(ownNs);
    return use;
}

std::string callText(const ThreadSample &sample)
{
    const std::string timed = sample.isTimed ? ", with a timeout" : "";
    switch (sample.call) {
    case ThreadCall::Futex: return "a lock or a condition variable" + timed;
    case ThreadCall::Epoll:
    case ThreadCall::Poll: return "a wait for descriptors" + timed;
    case ThreadCall::Sleep: return "a sleep";
    case ThreadCall::Descriptor: return "a call for descriptor " + std::to_string(sample.object) + timed;
    case ThreadCall::Process: return "a wait for the end of a process";
    case ThreadCall::Signal: return "a wait for a signal";
    case ThreadCall::Ring: return "a wait for io_uring";
    default: return "a system call";
    }
}

}  // namespace ct
