// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How readers find one coroutine among the rows of a slab. They build the index themselves, the first one that needs
// it; the writer never touches it. One builder at a time: who comes second searches the rows one by one.
//
//   order   the row numbers, sorted by coroutine, those of one coroutine in their own order
//   fences  coroutines are cut into at most kFences equal ranges; where each begins in the order
//   sums    of kBlockRows places of the order, when they are all of one coroutine: see BlockSums
//
// Buffer::indexed is the index's seqlock: 0 (relaxed), contents (release each), slab and rows (release). Readers:
// indexed (acquire), contents (acquire each), indexed again (relaxed). A builder whose slab was dropped meanwhile has
// spoilt nothing, because the next builder comes after it, and publishes nothing.
#pragma once

#include "core/trace/historylog.h"

#include <vector>

namespace ct::history {

/// What lasts after an event: nothing known (or finished: it waits for nothing), running, suspended.
enum class Open : std::uint8_t { Nothing, Running, Suspended };

inline Open openAfter(const HistoryEvent &event)
{
    if (event.type == HistoryEvent::Type::Resume)
        return Open::Running;
    return event.type == HistoryEvent::Type::Suspend && event.kind != PointKind::Final ? Open::Suspended
                                                                                       : Open::Nothing;
}

/// kBlockRows events of one coroutine, from the first to the last.
struct BlockSums {
    std::uint64_t firstTs = 0;
    std::uint64_t lastTs = 0;
    std::uint64_t firstN = 0;
    std::uint64_t lastN = 0;
    std::uint64_t runNs = 0;
    std::uint64_t suspendedNs = 0;
    SiteId lastSite = kUnknownSite;  ///< of the last suspension
    bool suspends = false;           ///< there is a suspension
    bool gap = false;                ///< numbers are missing
    Open open = Open::Nothing;       ///< what lasts since lastTs
};

/// Sums up events without gaps between them other than jumps in their numbers.
BlockSums sumUp(std::span<const HistoryEvent> events);

/// Where one coroutine's rows are.
struct Run {
    std::uint32_t begin = 0;    ///< in the order
    std::uint32_t end = 0;      ///< one after
    std::uint32_t tail = 0;     ///< this row and later ones are not in the order
    std::uint64_t indexed = 0;  ///< the index that says so; 0 = none
};

class Index {
public:
    /// Builds or renews the index of a slab, when that is worth it and nobody else is at it.
    void prepare(const SlabView &slab, bool manyCoroutines);

    static Run find(const SlabView &slab, CoroutineId id);
    /// After copying what a run names: true, if it was one index all the time.
    static bool isCurrent(const SlabView &slab, const Run &run)
    {
        // Relaxed: the contents were loaded with acquire.
        return run.indexed == 0 || slab.buffer->indexed.load(std::memory_order_relaxed) == run.indexed;
    }
    static std::uint32_t row(const SlabView &slab, std::uint32_t place)
    {
        return loadAcquire<std::uint16_t>(slab.memory + kOrderAt + place * sizeof(std::uint16_t));
    }
    /// First place of the run whose row is not before `row`.
    static std::uint32_t placeOf(const SlabView &slab, const Run &run, std::uint32_t row);
    /// The whole slab is in the order, and stays so.
    static bool isFinal(const SlabView &slab, const Run &run) { return slab.sealed && run.tail >= slab.rows; }

    /// Sums of the block that begins at `place`; of slabs with a final index.
    static bool loadSums(const SlabView &slab, std::uint32_t place, BlockSums &sums);
    static void storeSums(const SlabView &slab, std::uint32_t place, const BlockSums &sums);

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
    static std::uint32_t coroutineAt(const SlabView &slab, std::uint32_t place, bool highBits)
    {
        const std::uint32_t at = row(slab, place);
        return highBits ? slab.coroutine(at) : rowWord(slab.memory, at, 1) >> (32 - kRowCoroutineBits);
    }
    static std::uint32_t fence(const SlabView &slab, std::uint32_t range)
    {
        return loadAcquire<std::uint16_t>(slab.memory + kFencesAt + range * sizeof(std::uint16_t));
    }
    void build(const SlabView &slab, bool manyCoroutines);
    void sort(std::byte *order, std::uint32_t rows, unsigned bits);
    void storeFences(std::byte *memory, std::uint32_t rows, std::uint32_t span, unsigned shift);

    std::atomic<bool> m_building{false};  ///< exchange acquire / store release; guards the following
    std::vector<std::uint32_t> m_ids;     ///< of each row, less the smallest
    std::vector<std::uint32_t> m_counts;
    std::vector<std::uint16_t> m_half;  ///< order by the lower half of the bits
};

}  // namespace ct::history
