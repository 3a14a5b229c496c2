// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The writer's side of transitions: the path that everything captured goes through.
#include "core/trace/populationdata.h"

#include <algorithm>

namespace ct {

using namespace population;

namespace {

std::uint64_t difference(std::uint64_t from, std::uint64_t to)
{
    return to > from ? to - from : 0;
}

/// A number and its seq tell the dialect, unless they fit both.
std::uint32_t concludeDialect(std::uint32_t bits, const Transition &event)
{
    const bool seqlock = event.seq == slotSeq(Dialect::Seqlock, event.n);
    const bool monotonic = event.seq == slotSeq(Dialect::Monotonic, event.n);
    if (seqlock == monotonic)
        return bits;
    return withDialect(bits, seqlock ? Dialect::Seqlock : Dialect::Monotonic);
}

void count(Statistics &statistics, std::uint64_t ns)
{
    increase(statistics.buckets[static_cast<std::size_t>(SiteStatistics::bucketOf(ns))], 1);
    if (ns > statistics.maxNs.load(kRelaxed))
        statistics.maxNs.store(ns, kRelaxed);
}

}  // namespace

void Population::Data::applyTransition(const Transition &event)
{
    Record &record = records[event.coroutine];
    std::uint32_t bits = record.bits.load(kRelaxed);
    if (dialectOf(bits) == Dialect::Unknown)
        bits = concludeDialect(bits, event);
    const CoroutineState state = stateOf(bits);
    const std::uint64_t since = record.since.load(kRelaxed);
    bool adjacent = (bits & kSeen) && event.n == record.nextN.load(kRelaxed);
    if (adjacent && since < notes.processes.latestOff())
        adjacent = !notes.processes.wasOff(origins[event.coroutine].process.load(kRelaxed), since, event.ts);

    const Writing writing(record);
    record.events.store(record.events.load(kRelaxed) + 1, kRelease);
    record.nextN.store(event.n + 1, kRelease);
    if ((bits & kFlagged) || state == CoroutineState::Destroyed) {
        record.bits.store(bits, kRelease);
        return;  // counted, but says nothing about the state any more
    }
    const std::uint64_t siteAndTid = record.siteAndTid.load(kRelaxed);
    const bool wasRunning = state == CoroutineState::Running;
    const bool wasSuspended = state == CoroutineState::Suspended || state == CoroutineState::Finished;
    // A resume of what runs already (a ready await) changes nothing, unless it came to another thread.
    const bool goesOn = event.active && adjacent && wasRunning && static_cast<std::uint32_t>(siteAndTid) == event.tid;
    const std::uint64_t lasted = difference(since, event.ts);
    if (adjacent && !goesOn) {
        if (wasRunning) {
            record.spent[0].store(record.spent[0].load(kRelaxed) + lasted, kRelease);
        } else if (wasSuspended && event.active) {
            record.spent[1].store(record.spent[1].load(kRelaxed) + lasted, kRelease);
            const SiteId site = static_cast<SiteId>(siteAndTid >> 32);
            count(statisticsOf(site < statistics.size() ? site : kUnknownSite), lasted);
        }
    }
    if (!goesOn)
        record.since.store(event.ts, kRelease);
    bits |= kSeen;
    if (event.active) {
        record.siteAndTid.store((siteAndTid >> 32 << 32) | event.tid, kRelease);
        record.bits.store(withState(bits, CoroutineState::Running), kRelease);
        return;
    }
    record.siteAndTid.store(std::uint64_t{event.site} << 32 | event.tid, kRelease);
    record.addr.store(event.addr, kRelease);
    const bool inBody = event.kind == PointKind::Await || event.kind == PointKind::Yield;
    if (!(bits & kNamed) && inBody && event.site != kUnknownSite) {
        origins[event.coroutine].bodySite.store(event.site, kRelease);
        bits |= kNamed;
    }
    const bool final = event.kind == PointKind::Final;
    bits = withState(bits, final ? CoroutineState::Finished : CoroutineState::Suspended);
    record.bits.store(withKind(bits, event.kind), kRelease);
}

void Population::Data::applyTransitions(const std::vector<Transition> &transitions)
{
    constexpr std::size_t kAhead = 12;  // far enough for a cache miss to be over when its turn comes
    const std::size_t size = transitions.size();
    for (std::size_t i = 0; i < size; ++i) {
        if (i + kAhead < size)
            if (const Record *next = recordOf(transitions[i + kAhead].coroutine))
                __builtin_prefetch(next, 1);
        const Transition &event = transitions[i];
        if (!isKnown(event.coroutine))
            continue;
        applyTransition(event);
        touch(event.coroutine);
    }
}

}  // namespace ct
