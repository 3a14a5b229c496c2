// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Slabs that were dropped from the ring and made again, beside it: what the ring forgot, and who asks for it has it
// again. Of every slab a line stays that says which events of the stream it held; whoever has these makes the same
// slab, row by row.
#pragma once

#include "core/trace/historyslab.h"
#include "core/trace/reservedarray.h"
#include "core/trace/slabmemory.h"

#include <memory>
#include <span>
#include <vector>

namespace ct::history {

/// What stays of every slab that got no more rows.
struct alignas(64) Sealed {
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

    std::uint64_t first = 0;  ///< place in the stream, from 0, of its first event; kUnknown: it cannot be made again
    std::uint64_t end = 0;    ///< one after its last; the same
    std::uint64_t base = 0;
    std::uint64_t minTs = 0;
    std::uint64_t maxTs = 0;
    std::uint32_t rows = 0;
    std::atomic<std::uint32_t> slot{0};  ///< + 1, where it was made again; release, partner: acquire in readers
    std::uint64_t latestTs = 0;          ///< in this slab and all before it
    /// In this slab and those before it, as many together as the lowest bit of its number says: so the lines are a
    /// Fenwick tree (P. Fenwick, A New Data Structure for Cumulative Frequency Tables, 1994) of smallest times.
    std::uint64_t earliestTs = 0;

    Sealed() = default;
    Sealed(std::uint64_t firstPlace, std::uint64_t endPlace, std::uint64_t slabBase, std::uint64_t min,
           std::uint64_t max, std::uint32_t rowCount)
        : first(firstPlace), end(endPlace), base(slabBase), minTs(min), maxTs(max), rows(rowCount)
    {
    }
    bool canBeMadeAgain() const { return first != kUnknown && end != kUnknown; }
};
static_assert(sizeof(Sealed) == 64);

struct Coroutines;
class Dictionary;

class Restored {
public:
    explicit Restored(std::uint64_t budget);
    ~Restored();
    Restored(const Restored &) = delete;
    Restored &operator=(const Restored &) = delete;

    /// The ring's writer: all slabs, in their order.
    void add(std::uint32_t number, const Sealed &sealed);

    // One thread at a time, which may be another than the writer's.

    /// Makes a slab again; others than those to `keep` (ascending) give way to it, the farthest first. `events`: of the
    /// stream from Sealed::first to Sealed::end. False: these are not the events, or there is no memory.
    bool restore(std::uint32_t number, std::span<const Transition> events, const Coroutines &coroutines,
                 std::span<const std::uint32_t> keep);

    // Readers, any thread.

    std::uint32_t slabs() const { return m_memory.slabs(); }       ///< how many can be here at once
    std::uint32_t sealedSlabs() const { return m_sealed.size(); }  ///< number of the latest one that is full
    const Sealed &sealed(std::uint32_t number) const { return m_sealed[number - 1]; }  ///< up to sealedSlabs()
    /// The first slab that has an event at `ts` or later; sealedSlabs() + 1, if none has.
    std::uint32_t firstAt(std::uint64_t ts) const;
    /// The last slab up to `number`, which is sealed or 0, that has an event before `ts`; 0 = none. Times are not
    /// ascending: a thread may stand still between taking the time and telling.
    std::uint32_t lastBefore(std::uint64_t ts, std::uint32_t number) const;
    bool isHere(std::uint32_t number) const;
    bool view(std::uint32_t number, SlabView &view) const;
    std::uint32_t next(std::uint32_t number) const;      ///< the first one here from `number` on; 0 = none
    std::uint32_t previous(std::uint32_t number) const;  ///< the last one here up to `number`; 0 = none
    std::uint64_t bytesUsed() const { return std::uint64_t{m_used.load(std::memory_order_relaxed)} * kSlabBytes; }
    /// Grows with each restore(). Acquire: who sees it sees the slab.
    std::uint64_t version() const { return m_version.load(std::memory_order_acquire); }

private:
    std::uint32_t slotFor(std::span<const std::uint32_t> keep);
    std::uint32_t fill(std::byte *memory, const Sealed &sealed, std::span<const Transition> events,
                       const Coroutines &coroutines);

    SlabMemory m_memory;
    std::unique_ptr<Slot[]> m_slots;
    ReservedArray<Sealed> m_sealed;
    std::atomic<std::uint32_t> m_used{0};  ///< slots that have memory; release, partner: next(), previous()
    Word m_version{0};

    // Of restore().
    std::vector<std::unique_ptr<Buffer>> m_buffers;
    std::unique_ptr<Dictionary> m_dictionary;
    std::uint64_t m_turn = 0;
};

}  // namespace ct::history
