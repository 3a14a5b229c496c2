// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/rules/corroboration.h"

#include "core/base/quantitytext.h"

#include <algorithm>

namespace ct::rules {

namespace {

/// True if a program that works would have fetched it. Where an epoll reports each arrival once, programs leave data in
/// the queue on purpose, as backpressure, and counters of events unread.
bool mustBeFetched(const DescriptorSample &row)
{
    constexpr std::uint32_t kInput = 0x1;                // EPOLLIN
    constexpr std::uint32_t kOnceOrEdge = 0xC000'0000U;  // EPOLLET, EPOLLONESHOT
    return (row.events & kInput) != 0 && (row.events & kOnceOrEdge) == 0;
}

std::string arrivalText(const DescriptorSample &row)
{
    const std::string number = std::to_string(row.descriptor);
    switch (row.kind) {
    case DescriptorKind::Event: return "event descriptor " + number + " was signalled";
    case DescriptorKind::Timer: return "timer descriptor " + number + " expired";
    case DescriptorKind::Listener: return "a connection arrived at descriptor " + number;
    default:
        return row.readEnds ? "the peer of descriptor " + number + " closed the connection"
                            : "data arrived at descriptor " + number;
    }
}

}  // namespace

std::vector<WatchedDescriptor> unfetched(const Facts &facts, std::uint32_t pid)
{
    const ThreadFacts &threads = facts.process(pid).threads;
    const std::uint64_t patience = facts.thresholds().undeliveredNs;
    // A thread in a blocking call, or with a timeout, may fetch it later.
    if (!threads.areKnown || !threads.areDescriptorsKnown || !threads.allSleep || threads.timedOrBlocked != 0 ||
        facts.watched(pid, threads.asleepSince) < patience)
        return {};
    std::vector<WatchedDescriptor> descriptors = facts.population().samples().descriptors(facts.sampledPid(pid));
    std::erase_if(descriptors, [&](const WatchedDescriptor &one) {
        return one.latest.ts > facts.now() || one.readySince == 0 || facts.watched(pid, one.readySince) < patience ||
               !mustBeFetched(one.latest);
    });
    return descriptors;
}

std::string undelivered(const Facts &facts, const Waiting &waiting, std::span<const WatchedDescriptor> unfetched)
{
    const auto found = std::find_if(unfetched.begin(), unfetched.end(), [&waiting](const WatchedDescriptor &one) {
        return one.readySince > waiting.since;
    });
    if (found == unfetched.end() || !waiting.waits.empty())
        return {};
    return arrivalText(found->latest) + " " + durationText(facts.watched(waiting.pid, found->readySince)) +
           " ago, was not fetched since, and all threads sleep";
}

std::string nobodyLeft(const Facts &facts, const Waiting &waiting)
{
    if (!facts.isStalled(waiting.pid))
        return {};
    return "all threads of the process wait without a timeout, and nothing from outside can wake them";
}

bool isQuiet(const Facts &facts, std::uint32_t pid)
{
    const ProcessFacts &process = facts.process(pid);
    return process.running.empty() && process.threads.areKnown && process.threads.allSleep;
}

std::string siblingsEnded(const Facts &facts, const Waiting &waiting, std::span<const CoroutineId> siblings)
{
    if (!isQuiet(facts, waiting.pid))
        return {};
    const Population &population = facts.population();
    std::uint64_t ended = 0;
    std::uint64_t latest = 0;
    std::uint64_t alive = 0;
    for (const CoroutineId id : siblings) {
        const CoroutineSnapshot snapshot = population.at(id);
        if (!snapshot.kept || id == waiting.coroutine || snapshot.since >= facts.now())
            continue;
        const bool hasEnded = snapshot.state == CoroutineState::Finished || snapshot.state == CoroutineState::Destroyed;
        alive += hasEnded ? 0 : 1;
        if (!hasEnded || snapshot.since <= waiting.since)
            continue;
        ++ended;
        latest = std::max(latest, snapshot.since);
    }
    // The exit of the siblings must be the last that happened.
    const bool isLast = facts.process(waiting.pid).lastEvent <= latest + facts.thresholds().shortestNs &&
                        facts.watched(waiting.pid, latest) >= facts.thresholds().lateNs;
    if (ended < facts.thresholds().laterSiblings || ended <= alive || !isLast)
        return {};
    return countText(ended, "sibling", "siblings") + " ended since it began to wait, the last " +
           durationText(facts.watched(waiting.pid, latest)) + " ago, and nothing has run in the process since";
}

}  // namespace ct::rules
