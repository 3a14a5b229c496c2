// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the records of one lane, in discard and in overwrite mode, while its producer runs. Standard library only.
//
// Nothing here locks, waits or writes. A lane is untrusted memory: for any contents, every function returns after a
// bounded number of loads. docs/ctp.md has the rules ("Lanes").
#pragma once

#include "corotracer/layout.h"

#include <cstdint>
#include <span>

namespace ct {

/// A lane that was checked to lie inside the file, so all of it may be addressed. A value; the mapping must outlive it.
struct LaneView {
    const corotracer::LaneRecord *records = nullptr;
    const std::atomic<std::uint64_t> *blockNumbers = nullptr;  ///< array of capacity / kLaneBlock numbers
    /// Number of slots, from slot 0, that have memory; only grows. Null: all slots have memory. Slots behind it are
    /// never read: reading a sparse page allocates it, and faults on a full file system. Partner: the producer's
    /// release store.
    const std::atomic<std::uint32_t> *committed = nullptr;
    std::uint32_t capacity = 0;  ///< records, a multiple of kLaneBlock
    bool overwrite = false;      ///< overwrite mode; false: discard mode
    /// The present capacity. The producer lowers it when it gets no more memory. Null: the capacity is constant.
    /// Partner: the producer's release store, which precedes the first record that depends on it.
    const std::atomic<std::uint32_t> *capacityNow = nullptr;
};

/// Returns the lane with its present capacity. Positions below the new capacity keep their slots. The functions below
/// call this themselves. A caller that divides by the capacity must call it from time to time.
LaneView shrunk(LaneView lane, std::memory_order order = std::memory_order_acquire);

/// A copy of a record as its producer wrote it, untrusted: kind() should be one of kRecordSuspend ..., but callers must
/// check it.
struct RecordCopy {
    std::uint64_t ts = 0;  ///< raw clock of the process
    std::uint64_t identity = 0;
    std::uint64_t arg = 0;
    std::uint64_t commit = 0;  ///< as LaneRecord::commit

    std::uint32_t n() const { return static_cast<std::uint32_t>(commit >> 32); }
    std::uint32_t site() const { return static_cast<std::uint32_t>(commit >> 12) & 0xF'FFFFU; }
    std::uint8_t kind() const { return static_cast<std::uint8_t>(commit >> 4); }
};

struct LaneReading {
    std::size_t count = 0;      ///< copied records
    std::uint64_t skipped = 0;  ///< overwrite mode: records that were overwritten or damaged before they were read
    std::uint64_t next = 0;     ///< position after the last copied record
};

/// Copies committed records from `position` on, at most copies.size(). The records have consecutive positions and end
/// at next - 1. Discard mode: stops at the first slot that does not carry its lap. Overwrite mode: skips overwritten
/// and damaged records, but only before the first copied record.
LaneReading readLane(const LaneView &lane, std::uint64_t position, std::span<RecordCopy> copies);

/// Returns true if the record at `position` is committed. For an engine that has announced its sleep. All loads are
/// seq_cst, and so are their partners: the producer's stores of commit (unless the engine fences), committed and
/// records. Acquire loads could be reordered before the engine's store to tracer_sleeping.
bool hasRecordAt(const LaneView &lane, std::uint64_t position);

/// Returns the position behind the newest committed record. `position` is an earlier end. All positions below the
/// result, except for holes, were committed before the call returned. Discard mode: O(log capacity); the result may lie
/// in front of or behind a hole, which only a stray write makes. Overwrite mode: readLane() can reach the result from
/// `position`, for any contents of the lane. Partner: the producer's release store of commit.
std::uint64_t committedEnd(const LaneView &lane, std::uint64_t position);

/// Discard mode, for a lane without a running producer. Returns the first position of the retained records, which end
/// at `tail`, or `tail` if there are none. Loads each slot once at most.
std::uint64_t oldestRetained(const LaneView &lane, std::uint64_t tail);

/// Discard mode. Returns the first committed position in [position, limit), or `limit` if none is found. The search
/// surely finds the end of a hole within the first `examined` slots behind `position`. It also finds the end of a
/// longer hole if at least as many committed records follow as the hole has slots. Cost: O(log capacity + hole +
/// `examined`).
std::uint64_t nextCommitted(const LaneView &lane, std::uint64_t position, std::uint64_t limit,
                            std::uint64_t examined = 0);

/// Returns the position behind the newest committed record below `limit`. Discard mode: skips up to 64 holes, as far as
/// nextCommitted() finds their ends without `examined`. Overwrite mode: equals committedEnd(), but `limit` at most.
std::uint64_t committedEndOverHoles(const LaneView &lane, std::uint64_t position, std::uint64_t limit);

/// Overwrite mode. Returns the first position of the oldest block with records, or 0 if there is none.
std::uint64_t oldestPosition(const LaneView &lane);

}  // namespace ct
