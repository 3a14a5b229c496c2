// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The index of a slab: finds the rows of one coroutine. The first reader that needs the index builds it; the writer
// never touches it. Only one thread builds an index at a time. Until it is ready, other readers search all rows.
//
//   order   row numbers, sorted by coroutine; rows of one coroutine keep their order
//   fences  the ids are cut into at most kFences equal ranges; where each range begins in the order
//   sums    of kBlockRows consecutive entries of the order, if all are of one coroutine: see BlockSums
//
// Buffer::indexed is the index's seqlock. Builder: 0 (relaxed), contents (release each), slab and rows (release).
// Readers: indexed (acquire), contents (acquire each), indexed again (relaxed). A builder whose slab is evicted during
// the build publishes nothing. It does no damage, because the next builder starts after it.
#pragma once

#include "core/trace/historylog.h"

#include <vector>

namespace ct::history {

/// The state after an event. Nothing: unknown, or finished, so the coroutine waits for nothing.
enum class Open : std::uint8_t { Nothing, Running, Suspended };

inline Open openAfter(const HistoryEvent &event)
{
    if (event.type == HistoryEvent::Type::Resume)
        return Open::Running;
    return event.type == HistoryEvent::Type::Suspend && event.kind != PointKind::Final ? Open::Suspended
                                                                                       : Open::Nothing;
}

/// Sums of kBlockRows consecutive events of one coroutine. Times and durations in ns.
struct BlockSums {
    std::uint64_t firstTs = 0;
    std::uint64_t lastTs = 0;
    std::uint64_t firstN = 0;
    std::uint64_t lastN = 0;
    std::uint64_t runNs = 0;
    std::uint64_t suspendedNs = 0;
    SiteId lastSite = kUnknownSite;  ///< site of the last suspension
    bool suspends = false;           ///< there is a suspension
    bool gap = false;                ///< numbers are missing
    Open open = Open::Nothing;       ///< the state after lastTs
};

/// Sums up events. Gaps show only as jumps in their numbers.
BlockSums sumUp(std::span<const HistoryEvent> events);

/// The rows of one coroutine.
struct CoroutineRows {
    std::uint32_t begin = 0;    ///< index in the order
    std::uint32_t end = 0;      ///< one past the last
    std::uint32_t tail = 0;     ///< rows from this one on are not in the order
    std::uint64_t indexed = 0;  ///< value of Buffer::indexed that the run was read from; 0 = no index
};

class Index {
public:
    /// Builds or renews the index of a slab, if that is worth it and no other thread is building.
    void prepare(const SlabView &slab, bool manyCoroutines);

    static CoroutineRows rowsOfCoroutine(const SlabView &slab, CoroutineId id);
    /// Call after copying the rows of a run. Returns true if the index did not change.
    static bool isCurrent(const SlabView &slab, const CoroutineRows &run)
    {
        // Relaxed: the contents were loaded with acquire.
        return run.indexed == 0 || slab.buffer->indexed.load(std::memory_order_relaxed) == run.indexed;
    }
    static std::uint32_t row(const SlabView &slab, std::uint32_t orderIndex)
    {
        return loadAcquire<std::uint16_t>(slab.memory + kOrderAt + orderIndex * sizeof(std::uint16_t));
    }
    /// First entry of the run whose row is at or after `row`.
    static std::uint32_t orderIndexOf(const SlabView &slab, const CoroutineRows &run, std::uint32_t row);
    /// The order has the whole slab and does not change any more.
    static bool isFinal(const SlabView &slab, const CoroutineRows &run) { return slab.sealed && run.tail >= slab.rows; }

    /// Sums of the block that begins at `orderIndex`. Only for slabs with a final index.
    static bool loadSums(const SlabView &slab, std::uint32_t orderIndex, BlockSums &sums);
    static void storeSums(const SlabView &slab, std::uint32_t orderIndex, const BlockSums &sums);

private:
    static constexpr std::uint32_t kSumsAt = kArenaBytes;
    static constexpr std::uint32_t kOrderAt = kSumsAt + kMaxRows / kBlockRows * kSumBytes;
    static constexpr std::uint32_t kFencesAt = kOrderAt + kMaxRows * sizeof(std::uint16_t);
    static constexpr std::uint32_t kHeaderAt = kFencesAt + kFences * sizeof(std::uint16_t);
    static_assert(kHeaderAt + kHeaderBytes == kSlabBytes);
    enum HeaderWord : std::uint32_t { kFirstId, kLastId, kShift, kHighBits };

    static std::uint32_t header(const SlabView &slab, HeaderWord word)
    {
        return loadAcquire<std::uint32_t>(slab.memory + kHeaderAt + word * sizeof(std::uint32_t));
    }
    static std::uint32_t coroutineAt(const SlabView &slab, std::uint32_t orderIndex, bool highBits)
    {
        const std::uint32_t at = row(slab, orderIndex);
        return highBits ? slab.coroutine(at) : rowWord(slab.memory, at, 1) >> (32 - kRowCoroutineBits);
    }
    static std::uint32_t fence(const SlabView &slab, std::uint32_t range)
    {
        return loadAcquire<std::uint16_t>(slab.memory + kFencesAt + range * sizeof(std::uint16_t));
    }
    void build(const SlabView &slab, bool manyCoroutines);
    void sort(std::byte *order, std::uint32_t rows, unsigned bits);
    void storeFences(std::byte *memory, std::uint32_t rows, std::uint32_t span, unsigned shift);

    std::atomic<bool> m_building{false};  ///< exchange: acquire, store: release; guards the following members
    std::vector<std::uint32_t> m_ids;     ///< coroutine of each row, less the smallest
    std::vector<std::uint32_t> m_counts;
    std::vector<std::uint16_t> m_half;  ///< rows sorted by the lower half of the bits
};

}  // namespace ct::history
