// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the transitions of one station, in either dialect of seq, while its writer goes on. Standard library only.
//
// Nothing here locks, waits or writes. A station is untrusted memory: whatever it holds, every function returns after
// a bounded number of loads. docs/ctp.md explains the rules ("Two dialects", "Exact accounting", "Memory order").
#pragma once

#include "corotracer/layout.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>

namespace ct {

enum class StationDialect : std::uint8_t { Unknown, Seqlock, Monotonic };

/// Why a station's contents can no longer be believed.
enum class StationFault : std::uint8_t { None, TwoWriters, Contradiction };

/// How far one station was read. 16 bytes, as there may be two million of them.
///
/// Every event number below `next` was captured, lost or missed; so `next` (less one in the monotonic dialect) is
/// the sum of the three, and there is no need to keep them per station.
struct StationCursor {
    std::uint64_t next = 0;  ///< number of the event looked for; from 0 (seqlock) or 1 (monotonic)
    StationDialect dialect = StationDialect::Unknown;
    bool marked = false;    ///< written by this project's probe
    bool atAttach = false;  ///< held events at attach and none was captured yet: what is gone was missed, not lost
    bool active = false;    ///< captured something since its owner last asked
    StationFault fault = StationFault::None;
};
static_assert(sizeof(StationCursor) == 16);

/// A transition as the station holds it. site and kind are 0 in stations without the mark.
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

/// Numbers [firstN, firstN + count) are proved overwritten.
struct StationLoss {
    std::uint64_t firstN = 0;
    std::uint64_t count = 0;
    bool missed = false;  ///< before attach
};

/// What one visit yields: at most eight events, so that the reader never follows a busy writer's tip.
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
/// No writer gets there (a hundred million events a second for a month); such a seq was scribbled.
inline constexpr std::uint64_t kMaxPlausibleSeq = std::uint64_t{1} << 48;

using StationSeqs = std::array<std::uint64_t, corotracer::kSlotsPerStation>;

/// Slots 7 down to 0, each with acquire (partner: the writer's release store of seq): a later-read slot of a seqlock
/// station was written no later than an earlier-read one shows.
StationSeqs readSeqs(const corotracer::StationData &station);

/// From one reading of all seqs; Unknown while they prove nothing.
StationDialect judgeDialect(const StationSeqs &seqs);

/// Starts reading a born station. `attached`: it existed before we looked at the region.
StationCursor openStation(const corotracer::StationData &station, bool attached);

/// False: certainly nothing to read. Costs one cache line (two while the dialect is unknown).
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

/// One visit: replaces `reading` with what is new, in order, advances the cursor; never reads event `end` or later.
/// Finds the dialect first if need be. May set cursor.fault; then the station is read with readFaulty() from now on.
void readStation(const corotracer::StationData &station, StationCursor &cursor, StationReading &reading,
                 std::uint64_t end = kNoEnd);

/// One past the newest published event, from one reading: a count that the station had at some moment during it.
std::uint64_t publishedEnd(const StationSeqs &seqs, StationDialect dialect);

/// Whether one writer alone can have made the seqs. Unstable: it was writing, nothing can be said.
enum class WriterCheck : std::uint8_t { Single, Two, Unstable };
WriterCheck checkWriters(const corotracer::StationData &station, const StationCursor &cursor);

/// Books of a seqlock station with two writers: stores seen per slot.
struct FaultyCounts {
    StationSeqs counted{};  ///< per slot: publishing stores that the books already contain
};
/// Opens the books of a station whose cursor stands at `next`.
FaultyCounts openFaulty(const StationCursor &cursor);
/// Brings the books up to `seqs` (a reading of the slots). An event is captured if it is the latest of its slot and
/// its number is new; every other store is lost. So captured + lost equals the stores, and numbers never go back.
void readFaulty(const corotracer::StationData &station, const StationSeqs &seqs, StationCursor &cursor,
                FaultyCounts &counts, StationReading &reading);

/// True when the machine orders plain stores (x86), or when the writer itself orders them (marked seqlock): else
/// no reader can be sound and the capture is marked "unproven".
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
