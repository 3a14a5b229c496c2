// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the transitions of one full station, in either dialect of seq, while its writer runs. Standard library only.
//
// Nothing here locks, waits or writes. A station is untrusted memory: for any contents, every function returns after a
// bounded number of loads. docs/ctp.md has the rules ("Two dialects", "Exact accounting", "Memory order").
#pragma once

#include "corotracer/layout.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>

namespace ct {

enum class StationDialect : std::uint8_t { Unknown, Seqlock, Monotonic };

/// The reason why the engine no longer trusts a station.
enum class StationFault : std::uint8_t { None, TwoWriters, Contradiction };

/// The reader's position in one station. 16 bytes, because there may be two million cursors.
///
/// Every event with a number below `next` was captured, lost or missed. So `next` (less one in the monotonic dialect)
/// is the sum of the three, and the cursor needs no separate counts.
struct StationCursor {
    std::uint64_t next = 0;  ///< number of the next event, from 0 (seqlock) or 1 (monotonic)
    StationDialect dialect = StationDialect::Unknown;
    bool marked = false;    ///< the station has the extension's mark
    bool atAttach = false;  ///< had events at attach and none was captured yet: skipped events are missed, not lost
    bool active = false;    ///< an event was captured since the caller last cleared this flag
    StationFault fault = StationFault::None;
};
static_assert(sizeof(StationCursor) == 16);

/// A transition, copied from a slot. site and kind are 0 in stations without the mark.
struct StationEvent {
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC
    std::uint64_t addr = 0;
    std::uint64_t n = 0;    ///< event number
    std::uint64_t seq = 0;  ///< as in the slot
    std::uint32_t tid = 0;
    std::uint32_t site = 0;
    std::uint8_t kind = 0;
    bool active = false;
};

/// The events with numbers [firstN, firstN + count) are proved overwritten.
struct StationLoss {
    std::uint64_t firstN = 0;
    std::uint64_t count = 0;
    bool missed = false;  ///< true: overwritten before attach, so missed instead of lost
};

/// The result of one visit. At most eight events, which keeps the reader behind the slot that a busy writer fills.
struct StationReading {
    static constexpr std::uint32_t kMaxEvents = corotracer::kSlotsPerStation;
    std::uint32_t eventCount = 0;
    std::uint32_t lossCount = 0;
    std::array<StationEvent, kMaxEvents> events;
    std::array<StationLoss, kMaxEvents + 1> losses;

    bool empty() const { return eventCount == 0 && lossCount == 0; }
    void clear() { eventCount = lossCount = 0; }
};

inline constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();
/// A greater seq comes from a stray write. A writer would need a month at 100 million events per second.
inline constexpr std::uint64_t kMaxPlausibleSeq = std::uint64_t{1} << 48;

using StationSeqs = std::array<std::uint64_t, corotracer::kSlotsPerStation>;

/// Reads the seqs of slots 7 down to 0, each with acquire (partner: the writer's release store of seq). In a seqlock
/// station with one writer, each slot therefore shows at least as many events as the slots read before it.
StationSeqs readSeqs(const corotracer::StationData &station);

/// Determines the dialect from one reading of all seqs. Returns Unknown if they prove none.
StationDialect judgeDialect(const StationSeqs &seqs);

/// Makes the cursor of a born station. `attached`: the station existed when the engine attached.
StationCursor openStation(const corotracer::StationData &station, bool attached);

/// Returns false if there is certainly nothing to read. Loads one cache line (two while the dialect is unknown).
/// Order: acquire in a normal pass (partner: the writer's release store of seq); seq_cst in the pass between
/// announcing sleep and sleeping (partners: the writer's seq_cst store of seq and load of tracer_sleeping).
template <std::memory_order order>
inline bool hasNews(const corotracer::StationData &station, const StationCursor &cursor)
{
    if (cursor.dialect == StationDialect::Unknown) [[unlikely]]
        return station.slots[0].seq.load(order) >= 2 || station.slots[1].seq.load(order) != 0;
    const std::uint64_t due = cursor.dialect == StationDialect::Monotonic
                                  ? cursor.next
                                  : (cursor.next / corotracer::kSlotsPerStation + 1) * 2;
    return station.slots[cursor.next % corotracer::kSlotsPerStation].seq.load(order) >= due;
}

/// Visits the station once. Replaces `reading` with the new events and losses, in order, and advances the cursor. Never
/// reads event `end` or later. Determines the dialect first if it is unknown. May set cursor.fault, after which further
/// calls read nothing. A station with two writers is then read with readFaulty().
void readStation(const corotracer::StationData &station, StationCursor &cursor, StationReading &reading,
                 std::uint64_t end = kNoEnd);

/// Returns the number behind the newest published event, from one reading of the seqs. The station had this end at some
/// moment during the reading.
std::uint64_t publishedEnd(const StationSeqs &seqs, StationDialect dialect);

/// The number of writers that the seqs of a station prove. Unstable: they changed during the check, which proves
/// nothing.
enum class WriterCheck : std::uint8_t { Single, Two, Unstable };
WriterCheck checkWriters(const corotracer::StationData &station, const StationCursor &cursor);

/// Counts the stores of a seqlock station with two writers.
struct FaultyCounts {
    StationSeqs counted{};  ///< publishing stores counted so far, per slot
};
/// Starts the counts: all events below cursor.next are counted already.
FaultyCounts openFaulty(const StationCursor &cursor);
/// Counts all stores up to `seqs`, a reading of the slots. An event is captured if it is the latest of its slot and its
/// number is greater than all before. Every other store is lost. So captured + lost equals the stores, and numbers
/// never go back.
void readFaulty(const corotracer::StationData &station, const StationSeqs &seqs, StationCursor &cursor,
                FaultyCounts &counts, StationReading &reading);

/// Returns true if the machine orders plain stores (x86), or if the writer orders its stores (marked seqlock).
/// Otherwise no reader can be sound, and the capture is marked "unproven".
constexpr bool isProven(const StationCursor &cursor)
{
#if defined(__x86_64__) || defined(__i386__)
    (void)cursor;
    return true;
#else
    return cursor.marked && cursor.dialect == StationDialect::Seqlock;
#endif
}

}  // namespace ct
