// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the records of one lane, in discard and in overwrite mode, while its producer goes on. Standard library only.
//
// Nothing here locks, waits or writes. A lane is untrusted memory: whatever it holds, every function returns after a
// bounded number of loads. docs/ctp.md has the rules ("Lanes").
#pragma once

#include "corotracer/layout.h"

#include <cstdint>
#include <span>

namespace ct {

/// A lane whose place was checked against the file: all of it may be addressed. A value; the mapping must outlive it.
struct LaneView {
    const corotracer::LaneRecord *records = nullptr;
    const std::atomic<std::uint64_t> *blockNumbers = nullptr;  ///< capacity / kLaneBlock of them
    /// How many slots, from slot 0, have memory: none behind them is touched (a look at a hole takes memory, and on a
    /// full file system it faults). Only grows. Partner: the producer's release store.
    const std::atomic<std::uint32_t> *committed = nullptr;
    std::uint32_t capacity = 0;  ///< records, whole blocks
    bool overwrite = false;
    /// The capacity as the producer says it: lowered when it got no memory for more. Null: it stays as it is. Partner:
    /// the producer's release store, in front of the first record that depends on it.
    const std::atomic<std::uint32_t> *capacityNow = nullptr;
};

/// The lane as long as it is now. Positions keep their meaning: those below the new capacity lie where they lay. The
/// functions below do this themselves; a caller that divides by the capacity does it from time to time.
LaneView shrunk(LaneView lane, std::memory_order order = std::memory_order_acquire);

/// A copied record. `kind` is one of kRecordSuspend ... or anything a target scribbled; check before use.
struct LaneItem {
    std::uint64_t ts = 0;  ///< raw clock of the process
    std::uint64_t identity = 0;
    std::uint64_t arg = 0;
    std::uint32_t n = 0;
    std::uint32_t site = 0;
    std::uint8_t kind = 0;
};

struct LaneReading {
    std::size_t count = 0;      ///< items copied
    std::uint64_t skipped = 0;  ///< overwrite mode: records that were overwritten before we came
    std::uint64_t next = 0;     ///< position after the last item
};

/// Copies what was committed from `position` on, at most items.size(). Discard mode: stops at the first slot that does
/// not carry its lap. Overwrite mode: what is gone, or was scribbled over, is leapt over before the first item. The
/// items are of consecutive positions, up to next - 1.
LaneReading readLane(const LaneView &lane, std::uint64_t position, std::span<LaneItem> items);

/// Whether the record at `position` is committed. For an engine that has announced its sleep: all loads are seq_cst,
/// and so are their partners, the producer's stores of commit (unless the engine fences), committed and records. A
/// release and acquire pair would allow these loads to pass the engine's store to tracer_sleeping.
bool hasRecordAt(const LaneView &lane, std::uint64_t position);

/// One past the newest committed record, seen from `position` (an earlier end): positions below were committed before
/// the call returned. Discard mode: O(log capacity); a hole, which only a scribble makes, may lie in front of it.
/// Overwrite mode: readLane gets there from `position`, whatever the lane holds. Partner: the producer's release store
/// of commit.
std::uint64_t committedEnd(const LaneView &lane, std::uint64_t position);

/// Discard mode, a lane that nobody writes any more: the first position below `tail` from which on records are still
/// whole; `tail` if there is none. A look at each slot at most.
std::uint64_t oldestHeld(const LaneView &lane, std::uint64_t tail);

/// Discard mode: the next committed position in front of `limit`, from `position` on; `limit` if there is none. The
/// end of a hole is certain to be found within the first `looks` slots behind `position`, or where as many committed
/// records follow the hole as it has slots. O(log capacity), the hole's length and `looks`.
std::uint64_t nextCommitted(const LaneView &lane, std::uint64_t position, std::uint64_t limit, std::uint64_t looks = 0);

/// One past the newest committed position in front of `limit`. Discard mode: behind as many as 64 holes of the kind
/// that nextCommitted() finds without `looks`. Overwrite mode: committedEnd().
std::uint64_t committedEndOverHoles(const LaneView &lane, std::uint64_t position, std::uint64_t limit);

/// Overwrite mode: the first position of the oldest block that is there.
std::uint64_t oldestPosition(const LaneView &lane);

}  // namespace ct
