// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/fullstationreader.h"

#include <algorithm>

namespace ct {

namespace {

using corotracer::Epoch;
using corotracer::kSlotsPerStation;
using corotracer::StationData;

/// Attempts per visit. A slot may change during the copy, and the writer is then faster than the reader anyway.
constexpr int kMaxAttempts = 64;
/// A monotonic writer that never pauses gives no two equal readings. This many agreeing readings in a row confirm it.
constexpr int kMaxConfirmations = 16;

/// Returns the number of the event that a seqlock slot has (even seq) or will have next (odd seq). seq must not be 0.
std::uint64_t seqlockNumber(std::uint64_t seq, std::uint64_t slot)
{
    return (seq / 2 + (seq & 1) - 1) * kSlotsPerStation + slot;
}

/// Copies the payload. All loads are acquire, which keeps the caller's second load of seq behind them. Partners: the
/// writer's release stores of the payload (marked stations), or its plain stores, which x86 keeps in order.
StationEvent copyPayload(const Epoch &epoch, const StationCursor &cursor, std::uint64_t seq)
{
    StationEvent event;
    event.ts = epoch.timestamp.load(std::memory_order_acquire);
    event.tid = static_cast<std::uint32_t>(epoch.tid.load(std::memory_order_acquire));
    event.addr = epoch.addr.load(std::memory_order_acquire);
    if (cursor.marked) {
        event.site = epoch.site.load(std::memory_order_acquire);
        event.kind = epoch.kind.load(std::memory_order_acquire);
    }
    event.active = epoch.is_active.load(std::memory_order_acquire) != 0;
    event.n = cursor.next;
    event.seq = seq;
    return event;
}

void addLoss(StationReading &reading, StationCursor &cursor, std::uint64_t newNext)
{
    StationLoss *last = reading.lossCount ? &reading.losses[reading.lossCount - 1] : nullptr;
    if (last && last->firstN + last->count == cursor.next && last->missed == cursor.atAttach)
        last->count += newNext - cursor.next;
    else
        reading.losses[reading.lossCount++] = {cursor.next, newNext - cursor.next, cursor.atAttach};
    cursor.next = newNext;
}

void addEvent(StationReading &reading, StationCursor &cursor, const StationEvent &event)
{
    reading.events[reading.eventCount++] = event;
    ++cursor.next;
    cursor.atAttach = false;
    cursor.active = true;
}

void readSeqlock(const StationData &station, StationCursor &cursor, StationReading &reading, std::uint64_t end)
{
    for (int attempts = 0;
         attempts < kMaxAttempts && reading.eventCount < StationReading::kMaxEvents && cursor.next < end; ++attempts) {
        const std::uint64_t slot = cursor.next % kSlotsPerStation;
        const Epoch &epoch = station.slots[slot];
        const std::uint64_t seq = epoch.seq.load(std::memory_order_acquire);  // partner: the even store of seq
        if (seq == 0)
            return;
        if (seq > kMaxPlausibleSeq) {
            cursor.fault = StationFault::Contradiction;
            return;
        }
        const std::uint64_t number = seqlockNumber(seq, slot);
        if (number < cursor.next)
            return;
        if (number > cursor.next) {
            const std::uint64_t oldest = number - (kSlotsPerStation - 1);
            // A single writer published `oldest` before `number`. If its slot never had it, there are two writers.
            const std::uint64_t witness = station.slots[oldest % kSlotsPerStation].seq.load(std::memory_order_acquire);
            if (witness / 2 < oldest / kSlotsPerStation + 1) {
                cursor.fault = StationFault::TwoWriters;
                return;
            }
            addLoss(reading, cursor, std::min(oldest, end));
            continue;
        }
        if (seq & 1)
            return;  // the event is being written; no time-out, because the writer may only have stopped
        const StationEvent event = copyPayload(epoch, cursor, seq);
        if (epoch.seq.load(std::memory_order_relaxed) == seq)  // kept behind the payload by its acquire loads
            addEvent(reading, cursor, event);
    }
}

void readMonotonic(const StationData &station, StationCursor &cursor, StationReading &reading, std::uint64_t end)
{
    for (int attempts = 0;
         attempts < kMaxAttempts && reading.eventCount < StationReading::kMaxEvents && cursor.next < end; ++attempts) {
        const std::uint64_t slot = cursor.next % kSlotsPerStation;
        const Epoch &epoch = station.slots[slot];
        const std::uint64_t seq = epoch.seq.load(std::memory_order_acquire);  // partner: the release store of seq
        if (seq == 0)
            return;
        if (seq % kSlotsPerStation != slot || seq > kMaxPlausibleSeq) {
            cursor.fault = StationFault::Contradiction;
            return;
        }
        if (seq < cursor.next)
            return;
        if (seq > cursor.next) {
            const std::uint64_t oldest = seq - (kSlotsPerStation - 2);
            const std::uint64_t witness = station.slots[oldest % kSlotsPerStation].seq.load(std::memory_order_acquire);
            if (witness < oldest) {
                cursor.fault = StationFault::TwoWriters;
                return;
            }
            addLoss(reading, cursor, std::min(oldest, end));
            continue;
        }
        const StationEvent event = copyPayload(epoch, cursor, seq);
        // The writer overwrites this slot only after it published next + 7, with plain stores and no odd phase. If a
        // payload load saw such a store, this load sees next + 7 or later. So seq needs no second load.
        const std::uint64_t before =
            station.slots[(cursor.next + kSlotsPerStation - 1) % kSlotsPerStation].seq.load(std::memory_order_acquire);
        if (before >= cursor.next + kSlotsPerStation - 1)
            addLoss(reading, cursor, cursor.next + 1);
        else
            addEvent(reading, cursor, event);
    }
}

/// Sets the dialect if the station proves one.
void findDialect(const StationData &station, StationCursor &cursor)
{
    StationSeqs seqs = readSeqs(station);
    StationDialect verdict = judgeDialect(seqs);
    // A seqlock writer that stopped in the middle of a write can resemble a monotonic one. Confirm the verdict.
    for (int i = 0; verdict == StationDialect::Monotonic && i < kMaxConfirmations; ++i) {
        const StationSeqs again = readSeqs(station);
        if (again == seqs)
            break;
        seqs = again;
        verdict = judgeDialect(seqs);
    }
    cursor.dialect = verdict;
    if (verdict == StationDialect::Monotonic)
        cursor.next = 1;
}

/// A single writer fills the slots in turn. So the counts never rise from slot 0 to slot 7, and differ by one at most.
bool madeByOneWriter(const StationSeqs &seqs)
{
    for (std::size_t slot = 0; slot + 1 < seqs.size(); ++slot) {
        if (seqs[slot] / 2 < seqs[slot + 1] / 2)
            return false;
    }
    return seqs.back() / 2 + 1 >= seqs.front() / 2;
}

}  // namespace

StationSeqs readSeqs(const StationData &station)
{
    StationSeqs seqs;
    for (std::size_t slot = seqs.size(); slot-- > 0;)
        seqs[slot] = station.slots[slot].seq.load(std::memory_order_acquire);
    return seqs;
}

StationDialect judgeDialect(const StationSeqs &seqs)
{
    bool any = false;
    bool congruent = true;
    for (std::size_t slot = 0; slot < seqs.size(); ++slot) {
        if (seqs[slot] == 0)
            continue;
        any = true;
        if (seqs[slot] % kSlotsPerStation == slot)
            continue;
        congruent = false;
        if (seqs[slot] % 2 == 0)
            return StationDialect::Seqlock;
    }
    return any && congruent ? StationDialect::Monotonic : StationDialect::Unknown;
}

StationCursor openStation(const StationData &station, bool attached)
{
    StationCursor cursor;
    // Relaxed would suffice: mark and dialect were stored before birth_ts, which the caller has loaded.
    cursor.marked = station.extension.mark.load(std::memory_order_acquire) == corotracer::kStationMark;
    if (cursor.marked) {
        switch (station.extension.dialect.load(std::memory_order_acquire)) {
        case corotracer::kDialectSeqlock: cursor.dialect = StationDialect::Seqlock; break;
        case corotracer::kDialectMonotonic:
            cursor.dialect = StationDialect::Monotonic;
            cursor.next = 1;
            break;
        default: break;
        }
    }
    if (attached) {
        const StationSeqs seqs = readSeqs(station);
        cursor.atAttach = std::any_of(seqs.begin(), seqs.end(), [](std::uint64_t seq) { return seq != 0; });
    }
    return cursor;
}

void readStation(const StationData &station, StationCursor &cursor, StationReading &reading, std::uint64_t end)
{
    reading.clear();
    if (cursor.fault != StationFault::None)
        return;
    if (cursor.dialect == StationDialect::Unknown)
        findDialect(station, cursor);
    if (cursor.dialect == StationDialect::Seqlock)
        readSeqlock(station, cursor, reading, end);
    else if (cursor.dialect == StationDialect::Monotonic)
        readMonotonic(station, cursor, reading, end);
}

std::uint64_t publishedEnd(const StationSeqs &seqs, StationDialect dialect)
{
    std::uint64_t end = dialect == StationDialect::Monotonic ? 1 : 0;
    for (std::size_t slot = 0; slot < seqs.size(); ++slot) {
        const std::uint64_t seq = seqs[slot];
        if (seq > kMaxPlausibleSeq)
            continue;
        if (dialect == StationDialect::Monotonic)
            end = std::max(end, seq + 1);
        else if (seq >= 2)
            end = std::max(end, (seq / 2 - 1) * kSlotsPerStation + slot + 1);
    }
    return end;
}

WriterCheck checkWriters(const StationData &station, const StationCursor &cursor)
{
    const StationSeqs seqs = readSeqs(station);
    if (cursor.dialect != StationDialect::Seqlock || madeByOneWriter(seqs))
        return WriterCheck::Single;
    // Counts only grow. Two equal readings show the state at one moment between them.
    return readSeqs(station) == seqs ? WriterCheck::Two : WriterCheck::Unstable;
}

FaultyCounts openFaulty(const StationCursor &cursor)
{
    FaultyCounts counts;
    for (std::size_t slot = 0; slot < kSlotsPerStation; ++slot)
        counts.counted[slot] = (cursor.next + kSlotsPerStation - 1 - slot) / kSlotsPerStation;
    return counts;
}

void readFaulty(const StationData &station, const StationSeqs &seqs, StationCursor &cursor, FaultyCounts &counts,
                StationReading &reading)
{
    reading.clear();
    if (cursor.fault != StationFault::TwoWriters || cursor.dialect != StationDialect::Seqlock)
        return;
    // Begin at the slot of the next event. Numbers then rise through the loop unless the writers disagree.
    std::uint64_t lost = 0;
    const std::uint64_t first = cursor.next;
    for (std::size_t i = 0; i < kSlotsPerStation; ++i) {
        const std::size_t slot = (first + i) % kSlotsPerStation;
        const std::uint64_t seq = seqs[slot];
        if (seq > kMaxPlausibleSeq || seq / 2 <= counts.counted[slot])
            continue;
        const std::uint64_t fresh = seq / 2 - counts.counted[slot];
        counts.counted[slot] = seq / 2;
        const std::uint64_t number = seqlockNumber(seq & ~std::uint64_t{1}, slot);
        lost += fresh;
        if (number < cursor.next || (seq & 1))
            continue;
        StationEvent event = copyPayload(station.slots[slot], cursor, seq);
        if (station.slots[slot].seq.load(std::memory_order_relaxed) != seq)  // behind the payload's acquire loads
            continue;
        event.n = number;
        reading.events[reading.eventCount++] = event;
        cursor.next = number + 1;
        cursor.active = true;
        --lost;
    }
    if (lost != 0)
        reading.losses[reading.lossCount++] = {first, lost, cursor.atAttach};
    cursor.atAttach = false;
}

}  // namespace ct
